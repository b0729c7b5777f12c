"""The one door to torch: one worker thread that opens models, reads texts with them and answers questions.

For each kind of job only the newest one waits. Whoever posts a job is given its result, on the window's thread, by one
queued signal; results come in the order in which they were computed. What a job yields is handed over piece by piece.

Who gets a result stays on the window's thread; other threads know only a number for it. A thread that let go of a view
last would free it while Qt may be deleting it, which brings the process down.
"""

import itertools
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeVarTuple

from PySide6.QtCore import QObject, Qt, Signal, Slot
from shiboken6 import isValid

from bertcore.errors import BertcoreError

from .errors import sentence
from .open_checkpoints import OpenCheckpoints
from .question import Job, Question, ReportOrCancel, ignore
from .worker import UnwantedError, Worker

RESULT, PIECE, SHARE = "result", "piece", "share"  # what is reported of a job; the share of it that is done
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
    _reported = Signal(int, str, object, object)  # number of the recipient; RESULT, PIECE or SHARE; it; what went wrong

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.checkpoints = OpenCheckpoints()
        self._recipients: dict[int, _Recipient] = {}  # of jobs that are not reported yet; of the window's thread
        self._numbers = itertools.count()
        self._reported.connect(self._on_reported, Qt.ConnectionType.QueuedConnection)
        self._worker = Worker((OPEN, READ), self._run, self._report_result)

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
        job = Job(function, arguments)
        self._worker.post(kind, self._number(job, _Recipient(deliver, arrived)), job)

    def post_outside(self, function: Callable[[*Given], Any], *arguments: *Given, deliver: Deliver) -> None:
        """Runs a function on a thread of its own: what waits for a network shall not hold up the worker."""
        job = Job(function, arguments)
        number = self._number(job, _Recipient(deliver))
        self._worker.expect()
        threading.Thread(target=self._run_outside, args=(number, job), name="outside", daemon=True).start()

    def ask(self, question: Question[Any]) -> None:
        """Has the worker compute a question's job; the answer goes back to the question, and to nobody else."""
        job = question.job
        if job is None:
            return

        def deliver(answer: Any, problem: BaseException | None) -> None:
            if problem is not None and not isinstance(problem, BertcoreError):
                self.failed.emit(sentence(problem))
            if isValid(question):  # else its view is gone
                question.deliver(job, answer, "" if problem is None else sentence(problem))

        def arrived(piece: Any) -> None:
            if isValid(question):
                question.take(job, piece)

        def progress(share: float) -> None:
            if isValid(question):
                question.show_progress(job, share)

        question.withdraw = self._worker.cancel
        self._worker.post(question.kind, self._number(job, _Recipient(deliver, arrived, progress)), job)

    def stop(self) -> None:
        """Tells the worker to end; what still waits is dropped, and nothing is delivered any more."""
        self._worker.stop()
        self._recipients.clear()

    def join(self, timeout_s: float = 10.0) -> bool:
        """Waits for the worker to end; False where a job was still under way after that time."""
        return self._worker.join(timeout_s)

    def _number(self, job: Job, recipient: _Recipient) -> int:
        """By which other threads know who gets the result of a job."""
        job.check()
        number = next(self._numbers)
        self._recipients[number] = recipient
        return number

    # On other threads.

    def _report_result(self, number: int, result: Any, problem: BaseException | None) -> None:
        self._reported.emit(number, RESULT, result, problem)

    def _run(self, kind: str, number: int, job: Job) -> Any:
        checkpoints = [self.checkpoints.of(model) for model in job.models]

        def progress(share: float) -> None:
            self._worker.step(kind)
            for model in job.models:
                self.checkpoints.of(model)
            self._reported.emit(number, SHARE, share, None)

        made = job.function(*checkpoints, *job.arguments, progress)
        if not isinstance(made, Generator):
            return made
        while True:
            try:
                piece = next(made)
            except StopIteration as end:
                return end.value
            self._worker.expect()
            self._reported.emit(number, PIECE, piece, None)

    def _run_outside(self, number: int, job: Job) -> None:
        try:
            self._report_result(number, job.function(*job.arguments), None)
        except Exception as error:
            self._report_result(number, None, error)

    # On the window's thread again.

    @Slot(int, str, object, object)
    def _on_reported(self, number: int, what: str, it: Any, problem: BaseException | None) -> None:
        if what != SHARE:
            self._worker.acknowledge()
        recipient = self._recipients.pop(number, None) if what == RESULT else self._recipients.get(number)
        if recipient is None or isinstance(problem, UnwantedError):
            return
        if what == RESULT:
            recipient.deliver(it, problem)
            self.job_finished.emit()
        else:
            (recipient.arrived if what == PIECE else recipient.progress)(it)
