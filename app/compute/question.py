"""Something that a view asks of the worker: after a pause, with progress, and answered to whoever asked.

    self.effects = self.add_question(self._on_effects_answered)            # in a View; typed by the callback

    def effects_of(checkpoint: Checkpoint, text: ModelInput, layer: int, progress: ReportOrCancel) -> Effects: ...

    self.effects.ask_model(reading.request.model, effects_of, text, layer, pause_ms=self.pause_ms)

What is computed is a function of a module and values that do not change: the worker holds no widget, and a reading only
where it is one of the values. The answer comes to the callback on the window's thread. What was asked last counts: an
older answer is dropped, and a question that nobody waits for any more ends when it next reports its progress.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, TypeVarTuple

from PySide6.QtCore import QObject, QTimer, Signal

from ..look import say
from ..state import ModelInfo

if TYPE_CHECKING:
    from bertcore.checkpoint.checkpoint import Checkpoint


PAUSE_MS = 250  # after the last change: the worker is not asked at each key
ReportOrCancel = Callable[[float], None]  # of the share done, 0..1; raises where nobody wants the answer any more
Key = tuple[object, ...]  # what an answer is for; compared by ==. Never holds a reading: it would be kept alive
Answer = TypeVar("Answer")
Given = TypeVarTuple("Given")
_NUMBERS = itertools.count()


def ignore(_: object) -> None:
    pass


@dataclass(frozen=True, eq=False)
class Job:
    """What the worker is to compute. With models, only while they are open."""

    function: Callable[..., Any]  # (*checkpoints of the models, *arguments, progress); yields pieces, if any
    arguments: tuple[Any, ...] = ()
    models: tuple[ModelInfo, ...] = ()
    is_quick: bool = False  # asked without a pause, even while a person types

    @property
    def key(self) -> Key:
        """What the answer is for: all of it, but of a reading, and what is made of one, its request alone."""
        return self.function, self.models, *(getattr(one, "request", one) for one in self.arguments)

    def check(self) -> None:
        """Raises TypeError for what could hold a widget, or change while the job waits."""
        name = getattr(self.function, "__qualname__", "")
        found: Any = sys.modules.get(self.function.__module__)
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is not self.function:
            raise TypeError(f"{self.function!r} is not found by its name in a module")
        if any(isinstance(one, QObject) for one in self.arguments):
            raise TypeError(f"{name} is given a QObject")
        hash(self.arguments)  # lists, dicts and arrays have none


class Question(QObject, Generic[Answer]):
    """One kind of question of one view."""

    requested = Signal(object)  # this question; `job` says what is to be computed
    failed = Signal()  # there is no answer; `sentence` says why
    status_changed = Signal()  # is_running, share, sentence or can_restart is another now

    def __init__(
        self,
        parent: QObject,
        answered: Callable[[Answer], object],
        arrived: Callable[[Any], object] = lambda _piece: None,
    ) -> None:
        """parent: the view that asks; the question ends with it. answered: gets each answer that is still wanted.

        arrived: gets each piece that the function yields on its way to the answer, which it returns.
        """
        super().__init__(parent)
        self._answered, self._arrived = answered, arrived
        self.kind = f"question {next(_NUMBERS)}"  # among the worker's jobs
        self.key: Key = ()  # what is wanted; () where nothing is
        self.answer: Answer | None = None  # to `key`; None while there is none
        self.job: Job | None = None
        self.share: float | None = None  # of the work that is done; None: nothing runs
        self.sentence = ""  # why there is no answer, or that it was stopped
        self.can_restart = False
        self.withdraw: Callable[[str], object] = ignore  # set by who computes it; gets its kind when it is cancelled
        self._pause = QTimer(self, singleShot=True)
        self._pause.timeout.connect(self.start)

    @property
    def is_running(self) -> bool:
        """An answer is asked for and not there yet."""
        return self.share is not None

    @property
    def is_waiting(self) -> bool:
        """The pause before the worker is asked is not over yet."""
        return self._pause.isActive()

    def ask_model(
        self,
        model: ModelInfo,
        function: Callable[[Checkpoint, *Given, ReportOrCancel], Answer | Generator[Any, None, Answer]],
        *arguments: *Given,
        pause_ms: int = PAUSE_MS,
    ) -> None:
        """Computes something with the open model, unless the very same has been asked already."""
        self.ask_job(Job(function, arguments, (model,)), pause_ms)

    def ask(
        self,
        function: Callable[[*Given, ReportOrCancel], Answer | Generator[Any, None, Answer]],
        *arguments: *Given,
        pause_ms: int = PAUSE_MS,
    ) -> None:
        """Computes something on the worker that needs no model."""
        self.ask_job(Job(function, arguments), pause_ms)

    def ask_job(self, job: Job, pause_ms: int = PAUSE_MS, offer: str = "") -> None:
        """Asks for this, unless it has been asked for already.

        offer: a sentence on how long it takes; then it begins only when a person starts it.
        """
        job.check()
        if job.key == self.key:
            return
        self.key, self.job, self.answer = job.key, job, None
        if offer:
            self._end()
            self._show(None, offer, can_restart=True)
        elif pause_ms:
            self._pause.start(pause_ms)
            self._show(0.0)
        else:
            self.start()

    def start(self) -> None:
        """Asks now: after the pause, or again after Stop."""
        self._pause.stop()
        if self.job is not None:
            self._show(0.0)
            self.requested.emit(self)

    def cancel(self, *, can_restart: bool = False) -> None:
        """What is not there yet is not wanted any more; an answer that is there stays.

        can_restart: a person has had enough of it, and may start it again.
        """
        if can_restart:
            self._end()
            self._show(None, say("Stopped."), can_restart=True)
            return
        if self.answer is None:
            self.clear()
        self.job = None  # it may hold a reading

    def clear(self, sentence: str = "") -> None:
        """Nothing is wanted any more, nor is what is there; `sentence` says why."""
        self._end()
        self.key, self.job, self.answer = (), None, None
        self._show(None, sentence)

    # What the worker's door calls, on the window's thread.

    def deliver(self, job: Job, answer: Any, problem: str = "") -> None:
        """The answer to `job`, or a sentence on why there is none."""
        if job is not self.job or self.can_restart:
            return
        self.job = None
        self._show(None, problem)
        if not problem:
            self.answer = answer
            self._answered(answer)
        else:
            self.failed.emit()

    def take(self, job: Job, piece: Any) -> None:
        """A piece of the answer to `job`, on its way."""
        if job is self.job and not self.can_restart:
            self._arrived(piece)

    def show_progress(self, job: Job, share: float) -> None:
        if job is self.job and self.is_running:
            self._show(share)

    def _end(self) -> None:
        self._pause.stop()
        if self.is_running:
            self.withdraw(self.kind)

    def _show(self, share: float | None, sentence: str = "", *, can_restart: bool = False) -> None:
        self.share, self.sentence, self.can_restart = share, sentence, can_restart
        self.status_changed.emit()
