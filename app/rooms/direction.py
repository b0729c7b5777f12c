"""Two switches: every token looks left only, or right only."""

from collections.abc import Callable
from typing import Any

from PySide6.QtWidgets import QPushButton, QWidget

from bertcore.analysis.interventions import Direction

from ..look import mark, say
from ..state import WhatIf
from ..widgets.card import button
from ..widgets.layouts import FlowLayout

SWITCHES: dict[Direction, tuple[str, str]] = {
    "left": (mark("Look left only"), mark("In every layer each token sees itself and what stands before it")),
    "right": (mark("Look right only"), mark("In every layer each token sees itself and what stands after it")),
}


def about_direction(direction: Direction | None) -> str:
    """What a person can find out by them, or what has been changed."""
    if direction is None:
        return say(
            "BERT looks in both directions: every token sees those before and after it. How good is the guess "
            "with one side?"
        )
    return say(
        "This model was trained on both sides. This is what it can do with one of them taken away, not what a model "
        "trained to read in one direction would have learned."
    )


class DirectionSwitches(QWidget):
    """`edited` is given what a person wants changed: a function from a what-if to another."""

    def __init__(self, edited: Callable[[Callable[[WhatIf], WhatIf]], Any]) -> None:
        super().__init__()
        self.switches: dict[Direction, QPushButton] = {}
        for direction, (title, hint) in SWITCHES.items():
            made = self.switches[direction] = button(say(title), hint=say(hint), checkable=True)
            made.clicked.connect(lambda is_on, to=direction: edited(lambda now: now.with_direction(to, is_on)))
        self.setLayout(FlowLayout(*self.switches.values()))

    def show_what_if(self, what_if: WhatIf) -> None:
        for direction, made in self.switches.items():
            made.setChecked(what_if.direction == direction)
