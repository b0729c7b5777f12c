"""The base of the cards beside a run: what its snapshots make of a text, asked of the worker while somebody looks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent

from ....compute.question import Question
from ....runs.run_state import RunState
from ....widgets.card import Card, label, show_text
from .lists import Snapshot


class SnapshotCard(Card):
    """A few snapshots are asked about at a time, so that the worker stays free for someone who types."""

    question_requested = Signal(object)  # Question

    at_once = 1

    def __init__(self, state: RunState, title: str, intro: str) -> None:
        super().__init__(title, intro=intro)
        self._state = state
        self._text = ""
        self._answers: dict[Path, Any] = {}  # None: asked, and the snapshot had no answer
        self._asked: tuple[Path, ...] = ()  # the snapshots that the question is about
        self._question: Question[dict[Path, Any]] = Question(self, self._on_question_answered)
        self._question.requested.connect(self.question_requested)
        self._question.status_changed.connect(self._on_question_status_changed)
        self.problem = label("", "error", wrap=True)
        self.problem.hide()
        state.run_changed.connect(self.clear)
        state.snapshots_changed.connect(self._on_snapshots_changed)

    def _on_snapshots_changed(self, snapshots: list[Snapshot]) -> None:
        there = {path for _, path in snapshots}
        self._answers = {path: answer for path, answer in self._answers.items() if path in there}
        self.draw()
        self._ask()

    def draw(self) -> None:
        """As the answers stand."""
        raise NotImplementedError

    def wanted(self) -> Sequence[Path]:
        """The snapshots to be asked about, the most urgent first."""
        raise NotImplementedError

    def ask_about(self, snapshots: tuple[Path, ...]) -> None:
        """Asks `_question` for the answers by snapshot; those that are gone or have none are left out."""
        raise NotImplementedError

    def clear(self) -> None:
        """What has been answered counts no more."""
        self._answers = {}
        self._question.clear()
        self.draw()

    def _ask(self) -> None:
        missing = tuple(path for path in self.wanted() if path not in self._answers)[: self.at_once]
        if missing and self.isVisible() and not self._question.is_running:
            self._asked = missing
            self.ask_about(missing)

    def _on_question_answered(self, answers: dict[Path, Any]) -> None:
        self._answers |= {path: answers.get(path) for path in self._asked}
        self.draw()
        self._ask()

    def _on_question_status_changed(self) -> None:
        show_text(self.problem, self._question.sentence)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ask()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._question.cancel()
