"""What the large card can show of a head: one page for each way to look at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.compute.head_questions import HeadTarget
from app.figures.figure import Numbers
from app.look import theme
from app.rooms.attend.shown import Choice, Shown
from app.widgets.card import label
from app.widgets.question import Question


@dataclass(frozen=True, eq=False)
class Drawn:
    """What a page has drawn, for its figure."""

    widgets: Sequence[QWidget]
    numbers: Mapping[str, Numbers]
    settings: str = ""  # for the caption
    head: bool = True  # of the chosen head alone
    plain: bool = False  # of the model as it is, without the changes inside
    by_token: bool = False  # whatever the view merges or leaves out


class Page(QWidget):
    """A line of controls, the picture, and a line that reads out what is under the mouse.

    Positions are those of tokens; pictures have units, of which one may be several tokens.
    """

    hovered = Signal(object)  # position of the token that looks, or None
    picked = Signal(int, int)  # position of the token that looks, and of what it looks at; -1: as it is
    titled = Signal(str, str)  # title and hint of the card

    def __init__(self, questions: Sequence[Question] = ()) -> None:
        super().__init__()
        self.questions = list(questions)
        for question in questions:
            question.setParent(self)  # ends with the page, on the window's thread
        self.controls = QHBoxLayout()
        self.controls.setSpacing(theme.px(8))
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(theme.px(6))
        self.body.addLayout(self.controls)
        self.readout = label("", "muted", wrap=True)
        self.shown: Shown | None = None
        self.choice: Choice | None = None
        self.target: HeadTarget | None = None

    def draw(self, shown: Shown, choice: Choice) -> None:
        """Another reading, or another head."""
        self.shown, self.choice = shown, choice
        self.draw_all(shown, choice)

    def draw_all(self, shown: Shown, choice: Choice) -> None:
        raise NotImplementedError

    def draw_row(self, shown: Shown, choice: Choice) -> None:
        """Another token is looked at; the head is the same."""
        self.draw(shown, choice)

    def leave(self) -> None:
        """Another page is on show: what is not there yet is not wanted, and no reading is kept alive."""
        for question in self.questions:
            question.leave()
        self.shown = None

    def redraw(self) -> None:
        """A control has changed."""
        if self.shown is not None and self.choice is not None:
            self.draw_all(self.shown, self.choice)

    def drawn(self) -> Drawn | None:
        """For the figure; None while there is nothing to show."""
        return None
