"""What the exploring rooms share: they draw the state's reading while they are seen, and wait while there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.figures.figure import Figure, Numbers, caption_of, picture_of
from app.look import theme
from app.state.readings import ModelQuestion
from app.state.state import ExploreState
from app.widgets.card import GAP_PX
from app.widgets.waiting import Waiting

if TYPE_CHECKING:
    from app.state.readings import Reading, Step
    from app.state.token_units import Units
    from bertcore.checkpoint.checkpoint import Checkpoint


class ExploreRoom(QWidget):
    """Subclasses give `content` and override `draw_reading`, `draw_focus` and, where it matters, `draw_head`.

    A room that is not seen draws nothing; it catches up when it is shown.
    """

    hover_told = Signal(str)  # what is under the mouse, for the status line
    asked = Signal(str, object)  # kind of question, what it is about; the answer comes to `show_answer`
    unasked = Signal(str)  # a kind of question that nobody waits for any more

    def __init__(self, state: ExploreState, content: QWidget) -> None:
        super().__init__()
        self.state = state
        self.waiting = Waiting(content)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(*[theme.px(GAP_PX)] * 4)
        layout.addWidget(self.waiting)
        self._is_stale = True
        self._reason = ""  # why there is no reading, where that is known
        state.reading_changed.connect(self._on_reading_changed)
        state.model_changed.connect(self._on_model_changed)
        state.focus_changed.connect(self._on_focus_changed)
        state.head_changed.connect(self._on_head_changed)
        state.view_changed.connect(self._on_reading_changed)

    @property
    def is_drawn(self) -> bool:
        """True where the room shows the state's reading."""
        return not self._is_stale and not self.waiting.is_waiting

    @property
    def units(self) -> Units | None:
        """What rows and columns stand for in the view that is chosen; None without a reading."""
        return self.state.reading.units(self.state.view) if self.state.reading else None

    @property
    def current(self) -> int:
        """The position to show, one that the reading has."""
        reading, current = self.state.reading, self.state.current
        return min(current or 0, len(reading.encoding) - 1) if reading else 0

    def show_sentence(self, text: str) -> None:
        """Says why there is nothing to see, unless something is on show already."""
        if self.waiting.is_waiting:
            self._reason = text
            self.waiting.show_sentence(text)

    def draw_reading(self, reading: Reading) -> None:
        """A new reading is there: everything is drawn anew."""
        raise NotImplementedError

    def draw_focus(self, reading: Reading) -> None:
        """Another token is looked at."""

    def draw_head(self, reading: Reading) -> None:
        """Another layer or head is looked at."""

    def show_answer(self, kind: str, answer: Any) -> None:
        """The answer to an earlier question."""

    def show_progress(self, kind: str, share: float) -> None:
        """How far the answer to a question is, 0..1."""

    def ask_model(self, kind: str, answer: Callable[[Checkpoint, Step], Any]) -> None:
        """Has something computed with the open model; the answer comes to `show_answer`."""
        if self.state.model is not None:
            self.asked.emit(kind, ModelQuestion(self.state.model, answer))

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
        caption = caption_of(self.state, head=head, token=token, settings=settings, **of)
        return Figure(title, picture_of(widgets), numbers, caption, reading.request.model.name, hint)

    def _on_model_changed(self) -> None:
        self._reason = ""
        self._on_reading_changed()

    def _on_reading_changed(self) -> None:
        self._is_stale = True
        if self.isVisible():
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
            missing = "Loading the model…" if self.state.model is None else "Reading the text…"
            self.waiting.show_sentence(self._reason or missing)
            return
        self._is_stale = False
        self.waiting.show_content()
        self.draw_reading(reading)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._catch_up()
