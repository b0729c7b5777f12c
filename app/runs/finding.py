"""What is said of a run or a sweep: a sentence, advice, and what a person can do next. No torch, no widgets."""

from dataclasses import dataclass

from bertcore.runs.diagnosis import Suggestion

from ..look.say import mark


@dataclass(frozen=True)
class Action:
    """What a button of a strip does; title and hint are English, given through `mark`."""

    title: str
    hint: str


OPEN = Action(
    mark("Open this model"), mark("All pictures, from Map to Layers, show the model as it was at its last step")
)
BEST = Action(mark("Open the best step"), mark("All pictures show the snapshot nearest to it"))
APPLY = Action(mark("Try it in Apply"), mark("Run the model on your own text"))
COMPARE = Action(
    mark("Compare with its start"), mark("See what training changed: all pictures show its last step beside its first")
)
RESUME = Action(mark("Resume"), mark("Continue from its newest snapshot"))
CONTINUE = Action(mark("Keep training…"), mark("A new run that starts from the weights of its last step"))
SLOWER = Action(mark("Try a lower rate"), mark("A new run with a third of its learning rate"))
COPY = Action(mark("New run with these settings…"), mark("Change its name, length or learning rate"))
LOG = Action(mark("Show the log"), mark("What happened, line by line"))
TRY = Action(mark("Try it…"), mark("Opens the form for a new run with the same settings and this change"))

OPEN_BEST_RUN = Action(mark("Open the best model"), mark("All pictures show the best run at its last step"))
APPLY_BEST_RUN = Action(mark("Try it in Apply"), mark("Run the best model on your own text"))
COPY_BEST_RUN = Action(
    mark("New run with these settings…"), mark("The form, filled in with the settings of the best run")
)
RESUME_SWEEP = Action(mark("Resume"), mark("Train the runs that have not finished"))
THREE_SEEDS = Action(
    mark("Repeat with three seeds"), mark("Three runs with the best settings: is the difference more than chance?")
)


@dataclass(frozen=True)
class Finding:
    """What a strip shows."""

    sentence: str
    advice: str = ""
    actions: tuple[Action, ...] = ()  # what helps most comes first
    is_bad: bool = False
    details: str = ""  # as the run says it, for who wants to look into it
    best_step: int | None = None  # for BEST
    suggestion: Suggestion | None = None  # for TRY
