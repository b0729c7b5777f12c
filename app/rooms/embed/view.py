"""What the room's views share. A view draws while it is on show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from app.widgets.question import Question

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.rooms.embed.room import EmbedRoom
    from app.state.readings import Reading
    from app.state.token_units import Units

MERGED = "whole words: the mean over their pieces"
MANY_TOKENS, PAUSE_MS = 128, 200  # from so many on, what is slow waits until there is a pause in the typing


class EmbedView(QWidget):
    """One of the room's views."""

    def __init__(self, room: EmbedRoom) -> None:
        super().__init__()
        self.room = room
        self.questions: list[Question] = []
        self._waiting_job: tuple[str, Callable[[], Any]] | None = None
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.timeout.connect(self._on_pause_over)

    def draw_reading(self, reading: Reading) -> None:
        """Everything anew."""
        raise NotImplementedError

    def draw_focus(self, reading: Reading) -> None:
        """Another token is looked at."""

    def show_answer(self, kind: str, answer: Any) -> None:
        """What comes back from the worker."""
        for question in self.questions:
            question.take(kind, answer)

    def leave(self) -> None:
        """Another view is on show."""
        self._pause.stop()
        self._waiting_job = None
        for question in self.questions:
            question.leave()

    def add_question(self, kind: str, answered: Callable[[Any], object]) -> Question:
        """Something asked of the model; `answered` gets what it says."""
        made = Question(kind)
        made.setParent(self)  # ends with the view
        made.asked.connect(self.room.ask_model)
        made.unasked.connect(self.room.unasked)
        made.answered.connect(answered)
        self.questions.append(made)
        return made

    def work_out(self, kind: str, job: Callable[[], Any], size: int) -> None:
        """Has a job done on the worker; for a text of many tokens (`size`) after a pause."""
        self._waiting_job = kind, job
        if size < MANY_TOKENS:
            self._pause.stop()
            self._on_pause_over()
        else:
            self._pause.start(PAUSE_MS)

    @property
    def units(self) -> Units | None:
        """What rows stand for; None where there is nothing to show."""
        units = self.room.units
        return units if units is not None and len(units) else None

    @property
    def unit(self) -> int:
        """The unit that is looked at: the current token's, or the first where that one is not shown."""
        return (self.units.unit_of(self.room.current) or 0) if self.units is not None else 0

    def focus_unit(self, unit: int) -> None:
        """Chooses a unit's first token for all rooms."""
        if self.units is not None and 0 <= unit < len(self.units):
            self.room.state.set_focus(self.units.first_positions[unit])

    def hover_unit(self, unit: int | None) -> None:
        units = self.units
        is_there = units is not None and unit is not None and unit < len(units)
        self.room.state.set_hover(units.first_positions[unit] if is_there else None)  # type: ignore[union-attr, index]

    def merged_note(self) -> str:
        """What a hint has to add where pieces are shown as words."""
        return f" · {MERGED}" if self.room.state.token_view.words else ""

    def _on_pause_over(self) -> None:
        waiting, self._waiting_job = self._waiting_job, None
        if waiting is not None:
            self.room.asked.emit(*waiting)
