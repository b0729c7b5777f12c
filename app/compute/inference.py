"""The one door to torch: one worker thread that opens models, reads texts with them and answers questions.

For each kind of job only the newest one waits. Whoever posts a job is given its result, on the window's thread, by one
queued signal; results come in the order in which they were computed. What a job yields is handed over piece by piece.

Who gets a result stays on the window's thread; other threads know only a number for it. A thread that let go of a view
last would free it while Qt may be deleting it, which brings the process down.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVarTuple

from PySide6.QtCore import QObject, Qt, Signal, Slot
from shiboken6 import isValid

from bertcore.errors import BertcoreError

from .errors import sentence
from .open_checkpoints import OpenCheckpoints
from .question import Job, Question, ReportOrCancel, ignore
from .worker import UnwantedError, Worker

OPEN, READ = "open", "read"  # a model comes before reading with it, reading before all that is asked about the reading
Deliver = Callable[[Any, BaseException | None], object]  # result, what went wrong; called on the window's thread
Given = TypeVarTuple("Given")


@dataclass(frozen=True, eq=False)
class _Recipient:
    """Who gets the result of a job."""

    deliver: Deliver
    arrived: Callable[[Any], object] = ignore  # gets each piece
    progress: Callable[[float], object] = ignore


class Inference(QObject):
    """Jobs come in on the window's thread, results leave there."""

    failed = Signal(str)  # a sentence: something unexpected happened while a question was answered
    job_finished = Signal()
    _finished = Signal(int, object, object)  # number of the recipient, result, what went wrong
    _progressed = Signal(int, float)  # number of the recipient, share done
    _arrived = Signal(int, object)  # number of the recipient, a piece of the result

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.checkpoints = OpenCheckpoints()
        self._recipients: dict[int, _Recipient] = {}  # of jobs that are not reported yet; of the window's thread
        self._numbers = itertools.count()
        self._finished.connect(self._on_worker_finished, Qt.ConnectionType.QueuedConnection)
        self._progressed.connect(self._on_worker_progressed, Qt.ConnectionType.QueuedConnection)
        self._arrived.connect(self._on_worker_arrived, Qt.ConnectionType.QueuedConnection)
        self._worker = Worker((OPEN, READ), self._run, self._finished.emit)

    @property
    def is_busy(self) -> bool:
        """True while anything waits, runs, or is not yet delivered. For tests and the tour."""
        return self._worker.is_busy

    def post(
        self,
        kind: str,
        function: Callable[[*Given, ReportOrCancel], Any],
        *arguments: *Given,
        deliver: Deliver,
        arrived: Callable[[Any], object] = ignore,
    ) -> None:
        """Runs a function on the worker, in place of a job of this kind that still waits; `deliver` gets what it gives.

        It raises UnwantedError where nobody needs the result any more; `deliver` is not called then.
        """
        self._post(kind, Job(function, arguments), _Recipient(deliver, arrived))

    def post_outside(self, function: Callable[[*Given], Any], *arguments: *Given, deliver: Deliver) -> None:
        """Runs a function on a thread of its own: what waits for a network shall not hold up the worker."""
        job = Job(function, arguments)
        job.check()
        self._worker.expect()
        threading.Thread(
            target=self._run_outside, args=(self._number(_Recipient(deliver)), job), name="outside", daemon=True
        ).start()

    def ask(self, question: Question[Any]) -> None:
        """Has the worker compute a question's job; the answer goes back to the question, and to nobody else."""
        job = question.job
        if job is not None:
            question.withdraw = self._worker.cancel
            to = partial(_deliver, self, question, job), partial(_arrive, question, job), partial(_show, question, job)
            self._post(question.kind, job, _Recipient(*to))

    def stop(self) -> None:
        """Tells the worker to end; what still waits is dropped, and nothing is delivered any more."""
        self._worker.stop()
        self._recipients.clear()

    def join(self, timeout_s: float = 10.0) -> bool:
        """Waits for the worker to end; False where a job was still under way after that time."""
        return self._worker.join(timeout_s)

    def _number(self, recipient: _Recipient) -> int:
        number = next(self._numbers)
        self._recipients[number] = recipient
        return number

    def _post(self, kind: str, job: Job, recipient: _Recipient) -> None:
        job.check()
        self._worker.post(kind, self._number(recipient), job)

    # On the worker's thread.

    def _run(self, kind: str, number: int, job: Job) -> Any:
        checkpoints = [self.checkpoints.of(model) for model in job.models]

        def progress(share: float) -> None:
            self._worker.step(kind)
            for model in job.models:
                self.checkpoints.of(model)
            self._progressed.emit(number, share)

        made = job.function(*checkpoints, *job.arguments, progress)
        if not isinstance(made, Generator):
            return made
        while True:
            try:
                piece = next(made)
            except StopIteration as end:
                return end.value
            self._worker.expect()
            self._arrived.emit(number, piece)

    def _run_outside(self, number: int, job: Job) -> None:
        result, problem = None, None
        try:
            result = job.function(*job.arguments)
        except Exception as error:
            problem = error
        self._finished.emit(number, result, problem)

    # On the window's thread again.

    @Slot(int, object, object)
    def _on_worker_finished(self, number: int, result: Any, problem: BaseException | None) -> None:
        self._worker.acknowledge()
        recipient = self._recipients.pop(number, None)
        if recipient is not None and not isinstance(problem, UnwantedError):
            recipient.deliver(result, problem)
            self.job_finished.emit()

    @Slot(int, object)
    def _on_worker_arrived(self, number: int, piece: Any) -> None:
        self._worker.acknowledge()
        recipient = self._recipients.get(number)
        if recipient is not None:
            recipient.arrived(piece)

    @Slot(int, float)
    def _on_worker_progressed(self, number: int, share: float) -> None:
        recipient = self._recipients.get(number)
        if recipient is not None:
            recipient.progress(share)


def _deliver(
    inference: Inference, question: Question[Any], job: Job, answer: Any, problem: BaseException | None
) -> None:
    if problem is not None and not isinstance(problem, BertcoreError):
        inference.failed.emit(sentence(problem))
    if isValid(question):  # else its view is gone
        question.deliver(job, answer, "" if problem is None else sentence(problem))


def _arrive(question: Question[Any], job: Job, piece: Any) -> None:
    if isValid(question):
        question.take(job, piece)


def _show(question: Question[Any], job: Job, share: float) -> None:
    if isValid(question) and question.job is job:
        question.show_progress(share)
