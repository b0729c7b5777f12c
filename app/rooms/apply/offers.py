"""The fine-tuned models that ship, each with the question that it answers."""

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from bertcore.locations import tuned_models

from ...look import theme
from ...look.say import mark, say
from ...widgets.card import GAP_PX, Card, button, label
from ...widgets.flow_layout import FlowLayout
from ...widgets.layouts import fill, hbox, vbox
from .samples import SAMPLES

LEAST_PX, OFFER_PX = 235, 290  # the room is narrower beside a lesson
OFFERS = {  # name of a model -> its task, what it answers, the kind of the task
    "bertscope-sentiment": (
        mark("Sentiment"),
        mark("Is a sentence positive or negative? It learned from film reviews."),
        "classify",
    ),
    "bertscope-names": (
        mark("Names"),
        mark("Which words name people, places or organisations? It learned from 1990s news reports."),
        "tag",
    ),
    "bertscope-answers": (
        mark("Answers"),
        mark("Where in a passage is the answer to a question? It works best with short, plain questions."),
        "span",
    ),
}


def offer_title(name: str) -> str:
    """The task of one of the models, in a word."""
    return say(OFFERS[name][0])


class Offers(QWidget):
    """A box for each model that is there, with a button that opens it."""

    chosen = Signal(str)  # the model's name

    def __init__(self) -> None:
        super().__init__()
        self.buttons: dict[str, QPushButton] = {}
        row = hbox(parent=self, gap_px=GAP_PX)
        for name in tuned_models():
            box = Card(offer_title(name))
            self.buttons[name] = button(
                say("Try {task}", task=offer_title(name)), partial(self.chosen.emit, name), look="primary"
            )
            about = label(say(OFFERS[name][1]), "muted", wrap=True)
            sentence, _, passage = SAMPLES[OFFERS[name][2]]
            example = (
                say("For example: “{text}”, with a passage that says it") if passage else say("For example: “{text}”")
            )
            fill(box.body, about, label(example.format(text=sentence), wrap=True), None, self.buttons[name])
            box.setMinimumWidth(theme.column_px(LEAST_PX))
            box.setMaximumWidth(theme.column_px(OFFER_PX))
            row.addWidget(box)


class OtherModels(QWidget):
    """A small button for each model; that of the open one is off."""

    chosen = Signal(str)  # the model's name

    def __init__(self) -> None:
        super().__init__()
        self.buttons = {
            name: button(offer_title(name), partial(self.chosen.emit, name), look="small", hint=name)
            for name in tuned_models()
        }
        line = FlowLayout()
        for each in self.buttons.values():
            line.addWidget(each)
        vbox(label(say("Models to try"), "muted"), line, parent=self, gap_px=4)
        if not self.buttons:
            self.hide()

    def set_open(self, name: str) -> None:
        for other, each in self.buttons.items():
            each.setEnabled(other != name)
