"""What there is to try: the fine-tuned models that ship, each with the question that it answers, and a text for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from bertcore.locations import tuned_models

from ...look import theme
from ...look.say import mark, say
from ...state.task_info import TaskInfo
from ...widgets.card import GAP_PX, Card, button, label
from ...widgets.layouts import FlowLayout, fill, hbox, vbox

LEAST_PX, OFFER_PX = 235, 290  # the room is narrower beside a lesson


@dataclass(frozen=True)
class Offer:
    """A model that ships."""

    task: str  # in a word
    about: str  # what it answers
    kind: str  # of its task


@dataclass(frozen=True)
class Sample:
    """Something to try with a model of a kind of task."""

    a: str = ""
    b: str = ""
    text: str = ""  # of the view's editor


OFFERS: Mapping[str, Offer] = {  # by the model's name
    "bertscope-sentiment": Offer(
        mark("Sentiment"), mark("Is a sentence positive or negative? It learned from film reviews."), "classify"
    ),
    "bertscope-names": Offer(
        mark("Names"),
        mark("Which words name people, places or organisations? It learned from 1990s news reports."),
        "tag",
    ),
    "bertscope-answers": Offer(
        mark("Answers"),
        mark("Where in a passage is the answer to a question? It works best with short, plain questions."),
        "span",
    ),
}
PASSAGE = (
    "The old mill stands by the river, not far from the bridge. It was built by Martin Reed, who baked bread for the "
    "whole village. In the spring of the great flood the water carried the wheel away, and nobody has found it since. "
    "Today a family of owls lives under the roof, and on Sundays children come to see them."
)
STORY = (
    "The town has opened its new library on the market square. More than two hundred people came on the first "
    "morning. The mayor cut a red ribbon and read from her favourite book. It rained a little, but nobody minded. "
    "The library has twelve thousand books and a room for children. A man sold hot soup at the door. It is open "
    "every day but Monday."
)
ENDINGS = "drank the moon.\nopened the door and went in.\nwas eaten by the key.\nflew under the table."
SAMPLES: Mapping[str, Sample] = {  # by the kind of task, so that none begins empty
    "classify": Sample("The soup was hot and good, and everyone was kind to us."),
    "multilabel": Sample("The dog ate its dinner in the rain."),
    "regress": Sample("A man is playing a guitar.", "Someone plays music."),
    "tag": Sample("Anna Reed flew from Paris to London for the Green Bank."),
    "span": Sample("Who built the mill?", text=PASSAGE),
    "choice": Sample("She took the key out of her bag. Then she", text=ENDINGS),
    "summarise": Sample(text=STORY),
}
PAIR = Sample("The boy closed the door.", "The door was closed by the boy.")


def sample_of(task: TaskInfo) -> Sample:
    return PAIR if task.kind == "classify" and task.is_pair else SAMPLES[task.kind]


class Offers(QWidget):
    """A box for each model that is there, with a button that opens it."""

    chosen = Signal(str)  # the model's name

    def __init__(self) -> None:
        super().__init__()
        self.buttons: dict[str, QPushButton] = {}
        row = hbox(parent=self, gap_px=GAP_PX)
        for name in tuned_models():
            offer, sample = OFFERS[name], SAMPLES[OFFERS[name].kind]
            box, task, clicked = Card(say(offer.task)), say(offer.task), partial(self.chosen.emit, name)
            self.buttons[name] = button(say("Try {task}", task=task), clicked, look="primary")
            example = say("For example: “{text}”, with a passage that says it") if sample.text else ""
            example = (example or say("For example: “{text}”")).format(text=sample.a)
            about = label(say(offer.about), "muted", wrap=True)
            fill(box.body, about, label(example, wrap=True), None, self.buttons[name])
            box.setMinimumWidth(theme.column_px(LEAST_PX))
            box.setMaximumWidth(theme.column_px(OFFER_PX))
            row.addWidget(box)


class OtherModels(QWidget):
    """A small button for each model; that of the open one is off."""

    chosen = Signal(str)  # the model's name

    def __init__(self) -> None:
        super().__init__()
        self.buttons: dict[str, QPushButton] = {}
        line = FlowLayout()
        for name in tuned_models():
            clicked = partial(self.chosen.emit, name)
            self.buttons[name] = button(say(OFFERS[name].task), clicked, look="small", hint=name)
            line.addWidget(self.buttons[name])
        vbox(label(say("Models to try"), "muted"), line, parent=self, gap_px=4)
        if not self.buttons:
            self.hide()

    def set_open(self, name: str) -> None:
        for other, each in self.buttons.items():
            each.setEnabled(other != name)
