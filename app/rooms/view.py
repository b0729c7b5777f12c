"""One way to look at a reading: a `View`, and what a room's list says of it, its `ViewSpec`.

A view is given (reading, selection) and gives signals. Most views are a `ValuesView`: they say what they compute, and
with which pictures it is shown. Recipes: docs/architecture.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, ClassVar

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from ..compute.question import Answer, Job, Question, ignore
from ..figures.figure import Arrays, Figure, caption_of, picture_of
from ..figures.script import script_of
from ..look import mark, say
from ..look.say import Titled
from ..state import Reading, Selection
from ..state.baseline import TWO_TEXTS, ComparisonOffer
from ..widgets.card import button
from ..widgets.charts.pointer import PointerWidget
from ..widgets.context_menu import figure_entries
from ..widgets.progress_line import ProgressLine


@dataclass(frozen=True)
class ViewSpec(Titled):
    """One view of a room. Tabs, palette, tour, help, keyboard and tests read the room's list of these.

    Its hint is on the screen while the view is: why one looks at it, before how; two sentences at most.
    """

    factory: Callable[[], View]
    is_for_experts: bool = False  # its tab is behind More
    only: str = ""  # why it shows this reading alone while another is compared with it; empty where it shows both

    def comparison_note(self, reading: Reading, selection: Selection) -> str:
        """The same as it stands on the screen; empty where there is nothing to say."""
        is_wanted = reading.request.baseline is not None or selection.wants_difference
        has_note = self.only and is_wanted and reading.baseline is not None
        return say(self.only) if has_note else ""

    is_about_baseline: bool = False  # its tab is shown as well while there is a baseline


ONE_AT_A_TIME = mark("This view shows one text in one model. Hold X to see the baseline instead.")


def later(package: str, module: str, name: str) -> Callable[[], Any]:
    """The factory of a view whose module is imported when the view is opened first: a room opens sooner without it."""
    return lambda: getattr(import_module(f".{module}", package), name)()


class View(QWidget):
    """One way to look at a reading. It is given what to show and says by signals what a person wants.

    It knows neither its room nor the window. Subclasses override `show_reading`, and `show_selection` where another
    token, layer or head needs less than everything drawn anew. What takes time is computed on the worker: a view names
    in `asks` what it asks, and says in `job` what is to be computed; with `ask_all` it asks.
    """

    asks: ClassVar[Mapping[str, bool]] = {}  # what is asked of the worker; True: of the baseline as well
    asks_baseline_first = False  # where both answers are on show at once

    position_hovered = Signal(object)  # int | None: for all rooms, as long as the mouse is there
    position_clicked = Signal(int)  # pinned for all rooms
    head_clicked = Signal(int, int)  # layer, head
    stage_clicked = Signal(int)  # 0: the embeddings, l: the hidden states after layer l
    mask_toggled = Signal(int)  # position: masked, or not any more
    what_if_edited = Signal(object)  # Callable[[WhatIf], WhatIf]: of what is changed inside the model by then
    comparison_wanted = Signal(object)  # ComparisonOffer: a person has clicked for it
    contrast_edited = Signal(object)  # Contrast: other words to ask about, in all rooms
    hover_text_changed = Signal(str)  # for the status line
    token_menu_requested = Signal(object, QPoint, object)  # position | None, a point of the screen, further entries
    question_requested = Signal(object)  # Question
    room_requested = Signal(str, str)  # room, view; the selection is what was clicked by then
    kept_changed = Signal(object)  # what the view wants back when the window is built anew: see `restore`

    def __init__(self) -> None:
        super().__init__()
        self.questions: list[Question[Any]] = []
        self.questions_with_own_line: list[Question[Any]] = []
        self.reading: Reading | None = None  # that is on show; None before the first, and after `leave`
        self.selection = Selection()
        self.pause_ms = 0  # before the worker is asked: 0 after a click, more while a person types
        self.asked: dict[str, Question[Any]] = {}
        self.asked_of_baseline: dict[str, Question[Any]] = {}
        for asks, is_compared in self.asks.items():
            self.asked[asks] = self.add_question(partial(self._on_answered, asks))
            self.asked[asks].failed.connect(partial(self._on_answered, asks))
            if is_compared:
                self.asked_of_baseline[asks] = self.add_question(partial(self._on_answered, asks))

    @property
    def is_running(self) -> bool:
        """Something is asked and not answered yet."""
        return any(question.is_running for question in self.questions)

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        """Another reading, or the view has just been opened: everything anew."""
        raise NotImplementedError

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        """Another token, layer or head of the same reading."""

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | str | None:
        """What the worker is to compute for this reading, which may be the baseline; a sentence: why nothing."""
        raise NotImplementedError

    def time_needed(self, asks: str) -> str:
        """How long it takes, where a person is to begin it: a sentence."""
        return ""

    def answer_of(self, asks: str, reading: Reading | None) -> Any:
        """What the worker answered for this reading; None while there is no answer."""
        return (self.asked if reading is self.reading else self.asked_of_baseline)[asks].answer

    def draw_answer(self, asks: str) -> None:
        """There is an answer, or there will be none: what shows it is drawn anew."""
        if self.reading is not None:
            self.show_reading(self.reading, self.selection)

    def ask_all(self) -> None:
        """Asks for all that is wanted now and has not been asked for yet."""
        baseline = None if self.reading is None else self.reading.baseline
        both = (self.asked, self.reading), (self.asked_of_baseline, baseline)
        for questions, reading in reversed(both) if self.asks_baseline_first else both:
            for asks, question in questions.items():
                job = None if reading is None else self.job(asks, reading, self.selection)
                if isinstance(job, Job):
                    question.ask_job(job, 0 if job.is_quick else self.pause_ms, self.time_needed(asks))
                else:
                    question.clear(job or "")

    def own_line(self, *questions: Question[Any]) -> ProgressLine:
        """Where the view itself shows how far these are; of all others the room does, below the view."""
        self.questions_with_own_line += questions
        return ProgressLine(questions)

    def _on_answered(self, asks: str, _answer: object = None) -> None:
        self.pause_ms = 0  # before what is asked because of the answer
        self.draw_answer(asks)

    def restore(self, kept: Any) -> None:
        """What the same view of an earlier window gave last with `kept_changed`; comes before the first reading."""

    def leave(self) -> None:
        """The view is not on show any more: what is not answered yet is not wanted, and no reading is kept alive."""
        for question in self.questions:
            question.cancel()
        self.reading = None

    def add_question(
        self,
        answered: Callable[[Answer], object],
        line: ProgressLine | None = None,
        arrived: Callable[[Any], object] = ignore,
    ) -> Question[Answer]:
        """Something to ask of the worker; `answered` gets each answer that is still wanted.

        line: where the view shows its progress; without one the room does, below the view. arrived: gets each piece
        that comes before the answer.
        """
        question = Question(self, answered, arrived)
        if line is not None:
            line.follow(question)
            self.questions_with_own_line.append(question)
        question.requested.connect(self.question_requested)
        self.questions.append(question)
        return question

    def hover_unit(self, unit: int | None) -> None:
        """Says that the mouse is on a unit (a token or word) of the reading on show."""
        self.position_hovered.emit(self.first_position(unit))

    def click_unit(self, unit: int) -> None:
        """Says that a unit was clicked."""
        position = self.first_position(unit)
        if position is not None:
            self.position_clicked.emit(position)

    def add_token_menu(self, picture: PointerWidget, position_of: Callable[[Any], int | None] | None = None) -> None:
        """A right click on a cell of `picture` offers what can be done with the token there and with the picture.

        position_of: of the token of a cell; left out, a cell is a unit's number.
        """

        def ask(cell: Any, at: QPoint) -> None:
            position = None if cell is None else (position_of or self.first_position)(cell)
            self.token_menu_requested.emit(position, at, figure_entries(picture))

        picture.context_menu_requested.connect(ask)

    def offer_button(self, title: str, offer: ComparisonOffer, look: str = "primary") -> QPushButton:
        """For a view that is empty as long as there is nothing to compare with."""
        return button(title, lambda: self.comparison_wanted.emit(offer), look=look)

    def offer_of_texts(self) -> QPushButton:
        return self.offer_button(say("Try it: a man and a woman"), TWO_TEXTS)

    def figure(
        self, title: str, widgets: Sequence[QWidget], numbers: Arrays, *, hint: str = "", python: str = "", **of: Any
    ) -> Figure | None:
        """These widgets as they stand now, for a card's save button; None while there is nothing to show.

        python: makes the first array: see `rooms/pictures.py`. of: what `caption_of` takes, on what the numbers are of.
        """
        if self.reading is None:
            return None
        caption = caption_of(self.reading, self.selection, **of)
        script = script_of(title, self.reading, self.selection, python)
        name = self.reading.request.model.name
        return Figure(title, picture_of(widgets), numbers, caption, name, hint, script=script)

    def first_position(self, unit: int | None) -> int | None:
        """The position that a unit of the reading on show goes by."""
        if self.reading is None or unit is None:
            return None
        units = self.selection.units(self.reading)
        return units.first_positions[unit] if 0 <= unit < len(units) else None
