"""The one door to torch: one worker thread that opens models, reads texts with them and answers questions.

For each kind of job only the newest one waits. Whoever posts a job is given its result, on the window's thread, by one
queued signal; results come in the order in which they were computed.

Who gets a result stays on the window's thread; other threads know only a number for it. A thread that let go of a view
last would free it while Qt may be deleting it, which brings the process down.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal, Slot
from shiboken6 import isValid

from bertcore.errors import BertcoreError

from ..state.model_info import ModelInfo
from .errors import sentence
from .question import Job, Question
from .worker import UnwantedError, Worker

if TYPE_CHECKING:
    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.tokenizer.tokenizer import Tokenizer

    from ..state.task_info import TaskInfo

OPEN, READ = "open", "read"  # a model comes before reading with it, reading before all that is asked about the reading
TASK_HEADS = frozenset(("classify", "tag", "span", "choice", "summarise"))
Deliver = Callable[[Any, BaseException | None], object]  # result, what went wrong; called on the window's thread


@dataclass(frozen=True, eq=False)
class _Recipient:
    """Who gets the result of a job."""

    deliver: Deliver
    progress: Callable[[float], object] = lambda share: None


class Inference(QObject):
    """Jobs come in on the window's thread, results leave there."""

    failed = Signal(str)  # a sentence: something unexpected happened while a question was answered
    job_finished = Signal()
    _finished = Signal(int, object, object)  # number of the recipient, result, what went wrong
    _progressed = Signal(int, float)  # number of the recipient, share done
    _sent = Signal(object, object)  # Deliver, result

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._loaded: tuple[ModelInfo, Checkpoint] | None = None  # of the worker's thread, as the next two
        self._kept: list[tuple[ModelInfo, Checkpoint]] = []  # others that can be shown at once
        self._second: tuple[str | None, ModelInfo, Checkpoint] | None = None  # what the open model is compared with
        self._recipients: dict[int, _Recipient] = {}  # of jobs that are not reported yet; of the window's thread
        self._numbers = itertools.count()
        self._finished.connect(self._on_worker_finished, Qt.ConnectionType.QueuedConnection)
        self._progressed.connect(self._on_worker_progressed, Qt.ConnectionType.QueuedConnection)
        self._sent.connect(self._on_worker_sent, Qt.ConnectionType.QueuedConnection)
        self._worker = Worker((OPEN, READ))

    @property
    def is_busy(self) -> bool:
        """True while anything waits, runs, or is not yet delivered. For tests and the tour."""
        return self._worker.is_busy

    def post(self, kind: str, work: Callable[[], Any], deliver: Deliver) -> None:
        """Runs `work` on the worker, in place of a job of this kind that still waits; `deliver` gets what it returns.

        `work` raises UnwantedError where nobody needs the result any more; `deliver` is not called then.
        """
        self._post(kind, work, self._number(_Recipient(deliver)))

    def post_outside(self, work: Callable[[], Any], deliver: Deliver) -> None:
        """Runs `work` on a thread of its own: what waits for a network shall not hold up the worker."""
        self._worker.expect()
        arguments = work, self._number(_Recipient(deliver))
        threading.Thread(target=self._run_outside, args=arguments, name="outside", daemon=True).start()

    def ask(self, question: Question[Any]) -> None:
        """Has the worker compute a question's job; the answer goes back to the question, and to nobody else."""
        job, kind = question.job, _kind_of(question)
        if job is not None:
            number = self._number(_Recipient(partial(_deliver, self, question, job), partial(_progress, question, job)))
            self._post(kind, partial(self._answer, kind, job, number), number)

    def cancel(self, question: Question[Any]) -> None:
        """Nobody waits for its answer any more."""
        self._worker.cancel(_kind_of(question))

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

    def _post(self, kind: str, work: Callable[[], Any], number: int) -> None:
        self._worker.post(kind, work, partial(self._finished.emit, number))

    # On the worker's thread.

    def load(self, folder: Path, tokenizer: Tokenizer | None = None) -> ModelInfo:
        """Opens a checkpoint in place of the one that was open. tokenizer: its own, where it has been read already."""
        self._loaded = opened_checkpoint(folder, tokenizer)
        info, _ = self._loaded
        return info

    def start_keeping(self) -> Callable[[tuple[ModelInfo, Checkpoint]], None]:
        """What is called with each model that the window may show at once, beside the open one, until `release`.

        A job that has not heard of the release yet adds to a list that nobody has any more.
        """
        self.release()
        return self._kept.append

    def release(self) -> None:
        """None but the open one is kept any more. On any thread."""
        self._kept = []

    @property
    def has_model(self) -> bool:
        return self._loaded is not None

    def open_second(self, reference: str | None) -> ModelInfo:
        """The model that the open one is compared with, opened beside it; raises BertcoreError where it cannot be."""
        from bertcore.resolve_model import resolve_model

        if self._second is None or self._second[0] != reference:
            self._second = None  # first: there shall not be three models in memory
            self._second = reference, *opened_checkpoint(resolve_model(reference, download=False))
        return self._second[1]

    def close_second(self) -> None:
        self._second = None

    def is_open(self, model: ModelInfo) -> bool:
        return any(model is one for one, _ in self._open_models())

    def checkpoint_of(self, model: ModelInfo) -> Checkpoint:
        """Of the open model, one that is kept or is compared with; raises UnwantedError where it is open no more."""
        for one, checkpoint in self._open_models():
            if one is model:
                return checkpoint
        raise UnwantedError

    def _open_models(self) -> list[tuple[ModelInfo, Checkpoint]]:
        opened = list(self._kept)
        if self._loaded is not None:
            opened.append(self._loaded)
        if self._second is not None:
            opened.append(self._second[1:])
        return opened

    def send(self, deliver: Deliver, result: object) -> None:
        """Something that the window shall have before a job is done."""
        self._worker.expect()
        self._sent.emit(deliver, result)

    def _answer(self, kind: str, job: Job, number: int) -> Any:
        checkpoints = [self.checkpoint_of(model) for model in job.models]

        def progress(share: float) -> None:
            self._worker.step(kind)
            for model in job.models:
                self.checkpoint_of(model)
            self._progressed.emit(number, share)

        return job.function(*checkpoints, *job.arguments, progress)

    def _run_outside(self, work: Callable[[], Any], number: int) -> None:
        result, problem = None, None
        try:
            result = work()
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

    @Slot(object, object)
    def _on_worker_sent(self, deliver: Deliver, result: Any) -> None:
        self._worker.acknowledge()
        if not self._worker.is_closing:
            deliver(result, None)
            self.job_finished.emit()

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


def _progress(question: Question[Any], job: Job, share: float) -> None:
    if isValid(question) and question.job is job:
        question.show_progress(share)


def _kind_of(question: Question[Any]) -> str:
    return f"question {id(question)}"


def opened_checkpoint(folder: Path, tokenizer: Tokenizer | None = None) -> tuple[ModelInfo, Checkpoint]:
    """A checkpoint, and what the window knows of it. tokenizer: its own, where it has been read already."""
    checkpoint = _load(folder, tokenizer)
    info = ModelInfo(
        name=checkpoint.name,
        folder=folder,
        tokenizer=checkpoint.tokenizer,
        config=checkpoint.config,
        parameters=checkpoint.parameters,
        step=checkpoint.step,
        output_heads=checkpoint.output_heads,
        missing=dict(checkpoint.missing),
        pooling=checkpoint.pooling,
        task=_task_of(checkpoint, folder),
    )
    return info, checkpoint


def _load(folder: Path, tokenizer: Tokenizer | None) -> Checkpoint:
    import torch

    from bertcore.checkpoint.checkpoint import load_checkpoint
    from bertcore.resolve_model import snapshot_errors

    torch.set_num_threads(min(4, max(1, (os.cpu_count() or 2) - 1)))
    with snapshot_errors(folder):
        return load_checkpoint(folder, tokenizer=tokenizer)


def _task_of(checkpoint: Checkpoint, folder: Path) -> TaskInfo | None:
    if not TASK_HEADS.intersection(checkpoint.output_heads):
        return None  # the usual case, which need not wait for what tasks are made of
    from bertcore.tasks.inference.predict import labels_of, task_kind

    from ..state.task_info import task_info

    kind = task_kind(checkpoint)
    return task_info(kind, labels_of(checkpoint), folder, checkpoint.config.number_range) if kind else None
