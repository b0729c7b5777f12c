"""The one door to torch: one worker thread that opens models, runs them and answers questions about them.

For each kind of job only the newest one waits; every job that completes is reported, in order. Results reach the
window's thread by one queued signal of this QObject.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal, Slot
from shiboken6 import isValid

from app.compute.errors import sentence
from app.compute.question import Job, Question
from app.compute.worker import Job as WorkerJob
from app.compute.worker import UnwantedError, Worker
from app.state.model_info import ModelInfo
from app.state.readings import ModelQuestion, Reading, ReadingRequest, mask_readings, thumbnails
from app.state.what_if import NOTHING_CHANGED
from bertcore.errors import BertcoreError

if TYPE_CHECKING:
    from app.compute.applying import ApplyRequest
    from app.state.task_info import TaskInfo
    from bertcore.analysis.predict import NextSentence, WordGuess
    from bertcore.analysis.trace import Trace
    from bertcore.analysis.verdicts import SentenceOrder
    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.tasks.examples import Example
    from bertcore.tasks.features.predictions import Prediction

# Opening a model comes before reading with it, reading before everything that is asked about the reading.
ORDER = ("open", "read")
TASK_HEADS = frozenset(("classify", "tag", "span", "choice", "summarise"))


@dataclass(frozen=True)
class _Opening:
    """How opening a model went."""

    number: int  # counts the models asked for
    reference: str | None  # as it was asked for
    info: ModelInfo | None = None
    problem: str = ""  # a sentence, where there is no model


@dataclass(frozen=True, eq=False)
class _Answered:
    """What became of a question's job."""

    name: str
    job: Job
    answer: Any = None
    problem: str = ""  # a sentence, where there is no answer
    is_unexpected: bool = False  # a fault of ours, not something that a person can put right


class Inference(QObject):
    """Requests come in on the window's thread, results leave there as signals."""

    tokenizer_ready = Signal(object, int)  # Tokenizer, longest sequence: known before torch is loaded
    model_loading = Signal(str)  # reference
    model_opened = Signal(object, object)  # ModelInfo, reference as it was asked for: str | None
    model_failed = Signal(str)  # sentence
    reading_ready = Signal(object)  # Reading
    reading_failed = Signal(str)  # sentence
    answer_ready = Signal(str, object)  # kind of question, answer
    progress_made = Signal(str, float)  # kind of question, share 0..1 that is done
    failed = Signal(str)  # sentence
    _finished = Signal(str, object)
    _progressed = Signal(str, float)  # name of a question, share done

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._opening = self._opened = 0  # number of the last model asked for, and of the last one reported
        self._info: ModelInfo | None = None
        self._checkpoint: Checkpoint | None = None
        self._kept_before: Reading | None = None
        self._questions: dict[str, Question[Any]] = {}  # that were asked, by the names of their jobs
        self._finished.connect(self._on_worker_finished, Qt.ConnectionType.QueuedConnection)
        self._progressed.connect(self._on_worker_progressed, Qt.ConnectionType.QueuedConnection)
        self._worker = Worker(self._report, ORDER)

    @property
    def is_busy(self) -> bool:
        """True while anything waits, runs, or is not yet reported. For tests and the tour."""
        return self._worker.is_busy

    @property
    def is_opening(self) -> bool:
        """True while the model that was asked for last is neither opened nor failed."""
        return self._opened != self._opening

    def open_model(self, reference: str | None) -> None:
        """Opens a checkpoint folder, run folder or hub id; None is the built-in model.

        Ends in `model_opened` or `model_failed`; where another was asked for meanwhile, perhaps in neither.
        """
        self.model_loading.emit(reference or "")
        self._opening += 1
        number = self._opening
        if reference is None or os.path.exists(reference):
            self._post("open", lambda: self._open(number, reference, reference))
        else:
            arguments = (number, reference)
            self._worker.expect()
            threading.Thread(target=self._fetch, args=arguments, name="fetch", daemon=True).start()

    def read(self, request: ReadingRequest) -> None:
        """Runs the open model; ends in `reading_ready` or `reading_failed`. Without an open model nothing happens."""
        self._post("read", lambda: self._read(request))

    def describe_tables(self, count: int) -> None:
        """The first `count` positions and the segments compared; ends in `answer_ready("tables", Tables)`."""
        self._post("tables", lambda: self._describe_tables(count))

    def apply(self, request: ApplyRequest) -> None:
        """What the open model, taught a task, says of typed text; ends in `answer_ready("apply", Applied)`."""
        self._post("apply", lambda: self._apply(request))

    def watch(self, text: str, snapshots: Sequence[Path]) -> None:
        """What snapshots say for the [MASK] of a sentence.

        Ends in `answer_ready("watch", (text, snapshots, {snapshot: WordGuess}, problem))`: whoever asked waits for an
        answer, so one comes even where `problem` is a sentence on why there are no words.
        """
        self._post("watch", lambda: ("watch", (text, snapshots, *_words_over_time(text, snapshots))))

    def ask(self, kind: str, question: WorkerJob) -> None:
        """Computes something away from the window's thread; ends in `answer_ready(kind, answer)`."""
        self._post(kind, lambda: (kind, question()))

    def ask_model(self, kind: str, question: ModelQuestion) -> None:
        """Computes something with the open model; ends in `answer_ready(kind, answer)`, if that model is still open.

        On its way `progress_made(kind, share)` tells how far it is.
        """
        self._post(kind, lambda: self._answer(kind, question))

    def cancel(self, kind: str) -> None:
        """A question that nobody waits for any more: no answer comes."""
        self._worker.cancel(kind)

    def ask_question(self, question: Question[Any]) -> None:
        """Has the worker compute a question's job; the answer goes back to the question, and to nobody else."""
        job = question.job
        if job is not None:
            name = f"question {id(question)}"
            self._questions[name] = question
            self._post(name, lambda: self._compute(name, job))

    def cancel_question(self, question: Question[Any]) -> None:
        """Nobody waits for its answer any more."""
        name = f"question {id(question)}"
        self._questions.pop(name, None)
        self._worker.cancel(name)

    def close(self, timeout_s: float = 10.0) -> None:
        """Ends the worker; what still waits is dropped."""
        self._worker.close(timeout_s)

    def _post(self, kind: str, job: WorkerJob) -> None:
        self._worker.post(kind, job)

    def _fetch(self, number: int, reference: str) -> None:
        """A hub id may take minutes, on a thread of its own: what is open goes on answering meanwhile."""
        from bertcore.resolve import resolve_model

        outcome: tuple[str, object] = "nothing", None
        try:
            folder = resolve_model(reference)
            if number == self._opening:
                self._post("open", lambda: self._open(number, reference, str(folder)))
        except Exception as error:  # as on the worker
            outcome = "open", _Opening(number, reference, problem=sentence(error))
        self._finished.emit(*outcome)

    # On the worker thread from here on.

    def _report(self, kind: str, result: Any, problem: BaseException | None) -> None:
        if problem is not None:
            self._finished.emit("unread" if kind == "read" else "failed", sentence(problem))
        else:
            self._finished.emit(_outcome(kind, result), result)

    def _compute(self, name: str, job: Job) -> _Answered | None:
        """None where the job's model is not open any more."""
        checkpoint = self._checkpoint

        def is_current() -> bool:
            return job.model is None or (checkpoint is not None and job.model is self._info)

        def step(share: float) -> None:
            self._worker.step(name)
            if not is_current():
                raise UnwantedError
            self._progressed.emit(name, share)

        if not is_current():
            return None
        try:
            return _Answered(name, job, job.work(step) if job.model is None else job.work(checkpoint, step))
        except BertcoreError as error:
            return _Answered(name, job, problem=str(error))
        except UnwantedError:
            raise
        except Exception as error:
            return _Answered(name, job, problem=sentence(error), is_unexpected=True)

    def _answer(self, kind: str, question: ModelQuestion) -> tuple[str, object] | None:
        checkpoint = self._checkpoint
        if checkpoint is None or question.model is not self._info:
            return None  # as in _read

        def step(share: float) -> None:
            self._worker.step(kind)
            if question.model is not self._info:
                raise UnwantedError
            self.progress_made.emit(kind, share)

        return kind, question.answer(checkpoint, step)

    def _open(self, number: int, reference: str | None, place: str | None) -> _Opening:
        """place: a folder, or None for the built-in model."""
        try:
            return _Opening(number, reference, self._open_folder(place))
        except Exception as error:
            return _Opening(number, reference, problem=sentence(error))

    def _open_folder(self, place: str | None) -> ModelInfo:
        from bertcore.resolve import resolve_model

        folder = resolve_model(place)
        if self._checkpoint is None:
            self._announce_tokenizer(folder)
        checkpoint = _load(folder)
        self._checkpoint, self._kept_before = checkpoint, None
        self._info = ModelInfo(
            name=checkpoint.name,
            folder=folder,
            tokenizer=checkpoint.tokenizer,
            config=checkpoint.config,
            parameters=checkpoint.parameters,
            step=checkpoint.step,
            tasks=checkpoint.tasks,
            missing=dict(checkpoint.missing),
            pooling=checkpoint.pooling,
            task=_task_of(checkpoint, folder),
        )
        return self._info

    def _announce_tokenizer(self, folder: Path) -> None:
        """The token strip need not wait for torch: the vocabulary is read first."""
        from bertcore.tokenizer.tokenizer import Tokenizer

        try:
            tokenizer = Tokenizer.from_folder(folder)
        except BertcoreError:
            return  # opening the checkpoint, just after this, says what is wrong with it
        self._finished.emit("tokenizer", tokenizer)

    def _read(self, request: ReadingRequest) -> Reading | None:
        checkpoint = self._checkpoint
        if checkpoint is None or request.model is not self._info:
            return None  # from before another model was opened: a new request follows
        before = self._before(request, checkpoint) if request.what_if else None
        return _reading(request, checkpoint, before)

    def _before(self, request: ReadingRequest, checkpoint: Checkpoint) -> Reading:
        """The same with nothing changed inside; kept, since a person changes one thing after the other."""
        plain, kept = replace(request, what_if=NOTHING_CHANGED), self._kept_before
        if kept is None or _what_is_read(kept.request) != _what_is_read(plain):
            kept = self._kept_before = _reading(plain, checkpoint, None)
        return kept

    def _apply(self, request: ApplyRequest) -> tuple[str, object] | None:
        checkpoint = self._checkpoint
        if checkpoint is None or request.model is not self._info:
            return None  # as in _read
        from app.compute.applying import applied
        from bertcore.analysis.apply import as_example, predict, task_kind

        kind = task_kind(checkpoint)
        if kind is None:
            return None

        def step(share: float) -> None:
            self._worker.step("apply")  # a long passage has many windows, and what is typed next makes it idle
            if request.model is not self._info:
                raise UnwantedError

        def run(a: str, b: str | None) -> tuple[Example, Prediction]:
            example = as_example(kind, a, b)
            return example, predict(checkpoint, [example], step)[0]

        return "apply", applied(request, run)

    def _check_reference(self) -> tuple[str, object] | None:
        """Whether this machine computes what was stored with the model: ("reference", (ModelInfo, ReferenceCheck))."""
        from bertcore.analysis.reference_values import check_reference

        check = None if self._checkpoint is None else check_reference(self._checkpoint)
        return None if check is None else ("reference", (self._info, check))

    def _describe_tables(self, count: int) -> tuple[str, object] | None:
        if self._checkpoint is None:
            return None
        from app.compute.geometry import describe_tables

        embeddings = self._checkpoint.model.embeddings
        first = self._checkpoint.config.position_offset  # rows before it belong to no position
        positions = embeddings.position.weight.detach().numpy()[first : first + count]  # (P,E)
        segments = None if embeddings.segment is None else embeddings.segment.weight.detach().numpy()
        return "tables", describe_tables(positions, segments)

    @Slot(str, object)
    def _on_worker_finished(self, kind: str, result: Any) -> None:
        if kind != "tokenizer":  # that one is said in the middle of opening a model
            self._worker.taken_in()
        if self._worker.is_closing:
            return
        match kind:
            case "tokenizer":
                self.tokenizer_ready.emit(result, 512)
            case "open":
                self._tell_opening(result)
            case "read":
                self.reading_ready.emit(result)
            case "question":
                self._deliver(result)
            case "answer":
                self.answer_ready.emit(*result)
            case "unread":
                self.reading_failed.emit(result)
            case "failed":
                self.failed.emit(result)

    def _deliver(self, answered: _Answered) -> None:
        if answered.is_unexpected:
            self.failed.emit(answered.problem)
        question = self._questions.get(answered.name)
        if question is not None and isValid(question):  # else its view is gone
            question.deliver(answered.job, answered.answer, answered.problem)

    @Slot(str, float)
    def _on_worker_progressed(self, name: str, share: float) -> None:
        question = self._questions.get(name)
        if question is not None and isValid(question):
            question.show_progress(share)

    def _tell_opening(self, opening: _Opening) -> None:
        is_newest = opening.number == self._opening
        if is_newest:
            self._opened = opening.number
        if opening.info is not None:
            self.model_opened.emit(opening.info, opening.reference)
            self._post("reference", self._check_reference)
        elif is_newest:  # who asked for another one meanwhile need not hear of it
            self.model_failed.emit(opening.problem)


def _outcome(kind: str, result: object) -> str:
    if result is None:
        return "nothing"
    if isinstance(result, _Answered):
        return "question"
    return kind if kind in ORDER else "answer"


def _reading(request: ReadingRequest, checkpoint: Checkpoint, before: Reading | None) -> Reading:
    """One forward pass, and what is read off it."""
    from bertcore.analysis.trace import trace
    from bertcore.analysis.verdicts import replaced_probabilities, task_logits

    words = request.masked if "mlm" in checkpoint.tasks else ()
    started = time.perf_counter()
    traced = trace(
        checkpoint.model,
        request.input_ids,
        request.segments,
        request.positions,
        mlm_positions=words,
        changes=request.what_if.changes(),
    )
    forward_ms = (time.perf_counter() - started) * 1000
    verdict, order = _pair_verdicts(traced) if request.encoding.text_b is not None else (None, None)
    masks = mask_readings(traced, request)
    replaced = None if traced.replaced_logits is None else replaced_probabilities(traced.replaced_logits)
    small = thumbnails(traced.attentions)
    tasks = task_logits(checkpoint.model, traced.hidden_states[-1])
    return Reading(request, traced, small, masks, verdict, order, replaced, forward_ms, tasks, before)


def _what_is_read(request: ReadingRequest) -> tuple[object, ...]:
    """What a plain pass depends on."""
    return request.model, request.input_ids, tuple(request.segments), request.masked, request.encoding


def _load(folder: Path) -> Checkpoint:
    import torch

    from bertcore.checkpoint.checkpoint import load_checkpoint

    torch.set_num_threads(min(4, max(1, (os.cpu_count() or 2) - 1)))
    return load_checkpoint(folder)


def _task_of(checkpoint: Checkpoint, folder: Path) -> TaskInfo | None:
    if not TASK_HEADS.intersection(checkpoint.tasks):
        return None  # the usual case, which need not wait for what tasks are made of
    from app.state.task_info import task_info
    from bertcore.analysis.apply import labels_of, task_kind

    kind = task_kind(checkpoint)
    return task_info(kind, labels_of(checkpoint), folder, checkpoint.config.number_range) if kind else None


def _words_over_time(text: str, snapshots: Sequence[Path]) -> tuple[dict[Path, WordGuess], str]:
    """Words by snapshot, and a sentence where there are none."""
    from app.compute.over_time import words_over_time

    try:
        return words_over_time(snapshots, text), ""
    except Exception as error:
        return {}, sentence(error)


def _pair_verdicts(traced: Trace) -> tuple[NextSentence | None, SentenceOrder | None]:
    """What the heads for sentence pairs say, as far as the model has them."""
    from bertcore.analysis.predict import next_sentence
    from bertcore.analysis.verdicts import sentence_order

    follows, order = traced.next_sentence_logits, traced.sentence_order_logits
    return (None if follows is None else next_sentence(follows)), (None if order is None else sentence_order(order))
