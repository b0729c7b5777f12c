"""Something asked of the model while a part of a room is open: after a pause, with progress and a way to stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from app.look import theme
from app.widgets.card import button, label

if TYPE_CHECKING:
    from app.state.readings import Step
    from bertcore.checkpoint.checkpoint import Checkpoint

PAUSE_MS = 250  # after the last change: not at each key
Answer = Callable[["Checkpoint", "Step"], Any]
Key = tuple[object, ...]  # what an answer is for; compared by ==. Never a reading: it would be kept alive


@dataclass(frozen=True, eq=False)
class Answered:
    """What comes back: for which key, and the answer or why there is none."""

    key: Key
    answer: Any
    problem: str = ""


class WorkLine(QWidget):
    """A thin progress bar with a way to stop; or a sentence, with a way to begin again."""

    stopped = Signal()
    wanted = Signal()

    def __init__(self, what: str) -> None:
        """what: is worked out, for screen readers: "effects of all heads"."""
        super().__init__()
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 100)
        self._bar.setAccessibleName(f"Working out: {what}")
        self._said = label("", "muted", wrap=True)
        self._stop = button("Stop", self.stopped.emit, look="small", hint=f"Stop working out: {what}")
        self._again = button("Work it out", self.wanted.emit, look="small", hint=f"Work out: {what}")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(8))
        layout.addWidget(self._bar, 1)
        layout.addWidget(self._said, 1)
        layout.addWidget(self._stop)
        layout.addWidget(self._again)
        self.show_idle()

    @property
    def text(self) -> str:
        """The sentence that is shown."""
        return self._said.text()

    @property
    def is_working(self) -> bool:
        return not self._bar.isHidden()

    def show_idle(self, sentence: str = "", *, again: bool = False) -> None:
        """Nothing is under way. again: it can be asked for."""
        self._said.setText(sentence)
        for widget, shown in ((self._bar, False), (self._stop, False), (self._said, bool(sentence))):
            widget.setVisible(shown)
        self._again.setVisible(again)
        self.setVisible(bool(sentence) or again)

    def show_working(self, share: float) -> None:
        self._bar.setValue(round(share * 100))
        for widget, shown in ((self._bar, True), (self._stop, True), (self._said, False), (self._again, False)):
            widget.setVisible(shown)
        self.show()


class Question(QObject):
    """One kind of question. What was asked last counts; other answers are dropped."""

    answered = Signal(object)  # the answer to what is wanted now
    asked = Signal(str, object)  # kind, what is to be computed
    unasked = Signal(str)

    def __init__(self, kind: str, line: WorkLine | None = None) -> None:
        """kind: begins with the room's name. line: where progress is shown."""
        super().__init__()
        self.kind, self.line = kind, line
        self.answer: Any = None  # to `key`; None while there is none
        self.key: Key = ()  # what is wanted; () where nothing is
        self._work: Answer | None = None
        self._is_stopped = False
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.timeout.connect(self._ask)
        if line is not None:
            line.stopped.connect(self.stop)
            line.wanted.connect(self._ask)

    @property
    def is_waiting(self) -> bool:
        """Something is asked for and not there yet."""
        return self._work is not None and not self._is_stopped

    def want(self, key: Key, work: Answer, pause_ms: int = PAUSE_MS) -> None:
        """Asks, unless the very same has been asked already. An old answer is gone at once."""
        if key == self.key:
            return
        self.key, self._work, self.answer, self._is_stopped = key, work, None, False
        if self.line is not None:
            self.line.show_working(0)
        if pause_ms:
            self._pause.start(pause_ms)
        else:
            self._ask()

    def hurry(self) -> None:
        """Asks now what it would ask after the pause."""
        if self._pause.isActive():
            self._pause.stop()
            self._ask()

    def forget(self, sentence: str = "") -> None:
        """Nothing is wanted any more; `sentence` says why."""
        self._cancel()
        self.key, self._work, self.answer = (), None, None
        if self.line is not None:
            self.line.show_idle(sentence)

    def leave(self) -> None:
        """Nobody looks any more: what is not there yet is not wanted."""
        if self.answer is None:
            self.forget()
        self._work = None  # it would keep a reading alive

    def stop(self) -> None:
        """A person has had enough of it; they can have it begun again."""
        self._cancel()
        self._is_stopped = True
        if self.line is not None:
            self.line.show_idle("Stopped.", again=True)

    def take(self, kind: str, given: Any) -> None:
        """An answer has come to the room."""
        if kind != self.kind or not isinstance(given, Answered) or given.key != self.key or self._is_stopped:
            return
        if self.line is not None:
            self.line.show_idle(given.problem)
        self._work = None
        if not given.problem:
            self.answer = given.answer
            self.answered.emit(given.answer)

    def show_progress(self, kind: str, share: float) -> None:
        if kind == self.kind and self.line is not None and self.line.is_working:
            self.line.show_working(share)

    def _cancel(self) -> None:
        self._pause.stop()
        if self.key:
            self.unasked.emit(self.kind)

    def _ask(self) -> None:
        key, work = self.key, self._work
        if work is None:
            return
        self._is_stopped = False
        if self.line is not None:
            self.line.show_working(0)
        self.asked.emit(self.kind, _with_key(key, work))


def _with_key(key: Key, work: Answer) -> Answer:
    """The work as the worker does it: what a person can put right comes back as a sentence, in its place."""

    def answer(checkpoint: Checkpoint, step: Step) -> Answered:
        from bertcore.errors import BertcoreError

        try:
            return Answered(key, work(checkpoint, step))
        except BertcoreError as error:
            return Answered(key, None, str(error))

    return answer
