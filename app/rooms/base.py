"""What the exploring rooms share: they draw the state's reading while they are seen, and wait while there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QPoint, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.compute.question import PAUSE_MS, Answer, Question
from app.figures.figure import Figure, Numbers, caption_of, picture_of
from app.look import theme
from app.state.selection import Selection
from app.state.state import ExploreState
from app.widgets.card import GAP_PX
from app.widgets.context_menu import figure_entries
from app.widgets.pages import Pages, Waiting
from app.widgets.pointer import PointerWidget
from app.widgets.progress_line import ProgressLine
from app.widgets.token_menu import show_token_menu

if TYPE_CHECKING:
    from app.state.readings import Reading
    from app.state.token_units import Units
    from app.state.what_if import WhatIf


class ExploreRoom(QWidget):
    """Subclasses give `content` and override `draw_reading`, `draw_focus` and, where it matters, `draw_head`.

    A room that is not seen draws nothing; it catches up when it is shown.
    """

    hover_text_changed = Signal(str)  # what is under the mouse, for the status line
    question_requested = Signal(object)  # Question
    question_cancelled = Signal(object)  # Question

    def __init__(self, state: ExploreState, content: QWidget) -> None:
        super().__init__()
        self.state = state
        self.waiting = Waiting(content)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*[theme.px(GAP_PX)] * 4)
        layout.addWidget(self.waiting)
        self._is_stale = True
        state.reading_changed.connect(self._on_reading_changed)
        state.reading_problem_changed.connect(self._on_reading_problem_changed)
        state.model_changed.connect(self._on_reading_changed)
        state.focus_changed.connect(self._on_focus_changed)
        state.head_changed.connect(self._on_head_changed)
        state.token_view_changed.connect(self._on_reading_changed)

    @property
    def is_drawn(self) -> bool:
        """True where the room shows the state's reading."""
        return not self._is_stale and not self.waiting.is_waiting

    @property
    def units(self) -> Units | None:
        """What rows and columns stand for in the view that is chosen; None without a reading."""
        return self.state.reading.units(self.state.token_view) if self.state.reading else None

    @property
    def current(self) -> int:
        """The position to show, one that the reading has."""
        reading, current = self.state.reading, self.state.current
        return min(current or 0, len(reading.encoding) - 1) if reading else 0

    def draw_reading(self, reading: Reading) -> None:
        """A new reading is there: everything is drawn anew."""
        raise NotImplementedError

    def draw_focus(self, reading: Reading) -> None:
        """Another token is looked at."""

    def draw_head(self, reading: Reading) -> None:
        """Another layer or head is looked at."""

    def figure(
        self,
        title: str,
        widgets: Sequence[QWidget],
        numbers: Mapping[str, Numbers],
        *,
        hint: str = "",
        head: bool = False,
        token: bool = False,
        settings: str = "",
        **of: bool,
    ) -> Figure | None:
        """These widgets as they stand now, for a card's save button; None while there is nothing to show.

        head, token: it is of the chosen head, of the token that is looked at. settings: what the caption says besides.
        of: what else `caption_of` takes, on what the numbers are of.
        """
        reading = self.state.reading
        if reading is None or not self.is_drawn:
            return None
        caption = caption_of(reading, self.state.selection, head=head, token=token, settings=settings, **of)
        return Figure(title, picture_of(widgets), numbers, caption, reading.request.model.name, hint)

    def _on_reading_changed(self) -> None:
        self._is_stale = True
        if self.isVisible():
            self._catch_up()

    def _on_reading_problem_changed(self) -> None:
        """Says why there is nothing to see, unless something is on show already."""
        if self.state.reading is None and self.isVisible():
            self._catch_up()

    def _on_focus_changed(self) -> None:
        if self.is_drawn and self.isVisible() and self.state.reading is not None:
            self.draw_focus(self.state.reading)

    def _on_head_changed(self) -> None:
        if self.is_drawn and self.isVisible() and self.state.reading is not None:
            self.draw_head(self.state.reading)
        else:
            self._is_stale = True

    def _catch_up(self) -> None:
        reading = self.state.reading
        if reading is None:
            missing = self.tr("Loading the model…") if self.state.model is None else self.tr("Reading the text…")
            self.waiting.show_sentence(self.state.reading_problem or missing)
            return
        self._is_stale = False
        self.waiting.show_content()
        self.draw_reading(reading)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._catch_up()


@dataclass(frozen=True)
class ViewSpec:
    """One view of a room. Tabs, palette, tour, help, keyboard and tests read the room's list of these.

    title and hint are English, marked with QT_TRANSLATE_NOOP("ViewSpec", ...), and translated where they are shown.
    """

    key: str
    title: str
    hint: str  # what it shows, in one sentence
    factory: Callable[[], View]

    @property
    def shown_title(self) -> str:
        return QCoreApplication.translate("ViewSpec", self.title)

    @property
    def shown_hint(self) -> str:
        return QCoreApplication.translate("ViewSpec", self.hint)


class View(QWidget):
    """One way to look at a reading. It is given what to show and says by signals what a person wants.

    It knows neither its room nor the window. Subclasses override `show_reading`, and `show_selection` where another
    token, layer or head needs less than everything drawn anew.
    """

    position_hovered = Signal(object)  # int | None: for all rooms, as long as the mouse is there
    position_clicked = Signal(int)  # pinned for all rooms
    head_clicked = Signal(int, int)  # layer, head
    stage_clicked = Signal(int)  # 0: the embeddings, l: the hidden states after layer l
    what_if_edited = Signal(object)  # Callable[[WhatIf], WhatIf]: of what is changed inside the model by then
    hover_text_changed = Signal(str)  # for the status line
    token_menu_requested = Signal(object, QPoint, object)  # position | None, a point of the screen, further entries
    question_requested = Signal(object)  # Question
    question_cancelled = Signal(object)  # Question
    kept_changed = Signal(object)  # what the view wants back when the window is built anew: see `restore`

    def __init__(self) -> None:
        super().__init__()
        self.questions: list[Question[Any]] = []
        self.questions_with_own_line: list[Question[Any]] = []
        self.reading: Reading | None = None  # that is on show; None before the first, and after `leave`
        self.selection = Selection()
        self.pause_ms = 0  # before the worker is asked: 0 after a click, more while a person types

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        """Another reading, or the view has just been opened: everything anew."""
        raise NotImplementedError

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        """Another token, layer or head of the same reading."""

    def restore(self, kept: Any) -> None:
        """What the same view of an earlier window gave last with `kept_changed`; comes before the first reading."""

    def leave(self) -> None:
        """The view is not on show any more: what is not answered yet is not wanted, and no reading is kept alive."""
        for question in self.questions:
            question.leave()
        self.reading = None

    def add_question(self, answered: Callable[[Answer], object], line: ProgressLine | None = None) -> Question[Answer]:
        """Something to ask of the worker; `answered` gets each answer that is still wanted.

        line: where the view shows its progress; without one the room does, below the view.
        """
        question = Question(self, answered)
        if line is not None:
            line.follow(question)
            self.questions_with_own_line.append(question)
        question.requested.connect(self.question_requested)
        question.cancelled.connect(self.question_cancelled)
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

    def figure(
        self,
        title: str,
        widgets: Sequence[QWidget],
        numbers: Mapping[str, Numbers],
        *,
        hint: str = "",
        **of: Any,
    ) -> Figure | None:
        """These widgets as they stand now, for a card's save button; None while there is nothing to show.

        of: what `caption_of` takes, on what the numbers are of.
        """
        if self.reading is None:
            return None
        caption = caption_of(self.reading, self.selection, **of)
        return Figure(title, picture_of(widgets), numbers, caption, self.reading.request.model.name, hint)

    def first_position(self, unit: int | None) -> int | None:
        """The position that a unit of the reading on show goes by."""
        if self.reading is None or unit is None:
            return None
        units = self.selection.units(self.reading)
        return units.first_positions[unit] if 0 <= unit < len(units) else None


class ViewRoom(ExploreRoom):
    """A room that shows one view at a time, under a row of tabs. A view is made when it is opened first.

    Subclasses name `key` and `specs`, and connect what their views want besides in `connect_view`.
    """

    key = ""  # "embed"
    specs: Sequence[ViewSpec] = ()

    def __init__(self, state: ExploreState, beside_tabs: QWidget | None = None) -> None:
        """beside_tabs: stands at the right end of the row of tabs."""
        self._specs = {spec.key: spec for spec in self.specs}
        names = {spec.key: (spec.shown_title, spec.shown_hint) for spec in self.specs}
        self.pages: Pages[View] = Pages(names, self._make_view)
        self.progress = ProgressLine()  # of all its views' questions
        self._is_typing = False  # the reading changes while the view is looked at
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.pages, 1)
        if beside_tabs is not None:
            self.pages.top.addWidget(beside_tabs, 1)
        column.addWidget(self.progress)
        super().__init__(state, content)
        self.pages.chosen.connect(self.open_view)
        kept = str(state.kept.get(self._kept_key))  # a window built anew goes on where the last one was
        self.open_view(kept if kept in self._specs else self.specs[0].key)

    @property
    def view(self) -> View:
        """The one on show."""
        return self.pages.page

    def open_view(self, key: str) -> View:
        """Shows a view by the key of its spec."""
        if self.pages.open_key not in ("", key):
            self.view.leave()
        self.pages.open(key)
        self.state.kept[self._kept_key] = key
        if self.is_drawn and self.isVisible() and self.state.reading is not None:
            self._is_typing = False
            self.draw_reading(self.state.reading)
        return self.view

    def get_view(self, key: str) -> View:
        """A view, made where it is not yet, but not opened."""
        return self.pages.get(key)

    def connect_view(self, view: View) -> None:
        """A view has just been made."""

    def draw_reading(self, reading: Reading) -> None:
        self.view.pause_ms = PAUSE_MS if self._is_typing else 0
        self.view.reading, self.view.selection = reading, self.state.selection
        self.view.show_reading(reading, self.view.selection)
        self._is_typing = True

    def draw_focus(self, reading: Reading) -> None:
        self.view.pause_ms = 0
        self.view.reading, self.view.selection = reading, self.state.selection
        self.view.show_selection(reading, self.view.selection)

    def draw_head(self, reading: Reading) -> None:
        self.draw_focus(reading)

    @property
    def _kept_key(self) -> str:
        return f"{self.key}.view"

    def _make_view(self, key: str) -> View:
        view = self._specs[key].factory()
        view.position_hovered.connect(self.state.set_hover)
        view.position_clicked.connect(self.state.set_focus)
        view.head_clicked.connect(self.state.set_head)
        view.stage_clicked.connect(self.state.set_stage)
        view.what_if_edited.connect(self._on_view_what_if_edited)
        view.hover_text_changed.connect(self.hover_text_changed)
        view.token_menu_requested.connect(partial(show_token_menu, view, self.state))
        view.question_requested.connect(self.question_requested)
        view.question_cancelled.connect(self.question_cancelled)
        for question in view.questions:
            if question not in view.questions_with_own_line:
                self.progress.follow(question)
        kept_key = f"{self.key}.{key}"
        if kept_key in self.state.kept:
            view.restore(self.state.kept[kept_key])
        view.kept_changed.connect(partial(self.state.kept.__setitem__, kept_key))
        self.connect_view(view)
        return view

    def _on_view_what_if_edited(self, edit: Callable[[WhatIf], WhatIf]) -> None:
        """Of a reading that is behind the text, positions may be others by now."""
        reading = self.state.reading
        if reading is not None and reading.encoding is self.state.encoding:
            self.state.set_what_if(edit(self.state.what_if))

    def showEvent(self, event: QShowEvent) -> None:
        self._is_typing = False
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Nothing is computed for a room that nobody sees."""
        super().hideEvent(event)
        self.view.leave()
        self._is_stale = True
