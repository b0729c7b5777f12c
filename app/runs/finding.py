"""What is said of a run or a sweep: a sentence, advice, and what a person can do next. No torch, no widgets."""

from dataclasses import dataclass

from bertcore.runs.diagnosis import Diagnosis, Suggestion, diagnose, normal
from bertcore.runs.diagnosis_words import NOTHING_FOUND, Format, in_words
from bertcore.runs.run_record import RunRecord

from ..look import mark, numbers, say
from ..state.task_info import metric_name, metric_value


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


def health_of(record: RunRecord) -> list[Diagnosis]:
    """What is wrong, the most urgent first; or that it looks normal; or nothing, while it is too early to say."""
    found = diagnose(record)
    fine = None if found else normal(record)
    return [fine] if fine is not None else found


def is_normal(diagnosis: Diagnosis) -> bool:
    return diagnosis.kind.startswith("normal")


def warning_of(diagnosis: Diagnosis, *, in_short: bool) -> Finding:
    """What is seen, why, and the change to try; in_short: without the why."""
    words = in_words(diagnosis, window_format(), say)
    advice = words.suggestion if in_short else f"{words.why} {words.suggestion}".strip()
    actions = (TRY,) if words.suggestion else ()
    return Finding(words.seen, advice, actions, is_bad=True, suggestion=diagnosis.suggestion)


def normal_sentence(diagnosis: Diagnosis, *, is_over: bool = False) -> str:
    """is_over: the figures stand above already, in what is said of the end."""
    if is_over and diagnosis.kind != "normal_surer":  # which has figures of its own
        return say(NOTHING_FOUND)
    return in_words(diagnosis, window_format(), say).seen


def share_of_weights(ratio: float, *, keeps_zeros: bool = False) -> str:
    """ "0.31%", "0.0004%". keeps_zeros: as in `numbers.number`."""
    return f"{numbers.number(100 * ratio, 2, keeps_zeros=keeps_zeros)}{numbers.percent(0)[1:]}"


def window_format() -> Format:
    """Numbers as the window writes them."""
    return Format(
        loss=numbers.decimal,
        score=metric_value,
        name=metric_name,
        rate=numbers.rate,
        share=numbers.percent,
        ratio=share_of_weights,
        count=lambda value: numbers.count(round(value)),
    )
