"""From what is typed to what the model makes of it.

    state.input_changed -> ReadingRequest -> the worker -> Reading -> state.set_reading

A request is frozen, so typing on changes nothing that is under way. Only the newest request waits; each reading that
completes is shown, in order.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from ..state.explore_state import ExploreState
from ..state.readings import Reading, ReadingRequest, mask_readings, thumbnails
from ..state.what_if import NOTHING_CHANGED
from .errors import sentence
from .inference import READ, Inference

if TYPE_CHECKING:
    from bertcore.analysis.predict import NextSentence, SentenceOrder
    from bertcore.analysis.trace import Trace
    from bertcore.checkpoint.checkpoint import Checkpoint


class Reader(QObject):
    """Has the open model read the state's text whenever that, or what is changed inside the model, is another."""

    delivered = Signal(float)  # the state has a new reading; when it came, by time.perf_counter()
    failed = Signal(str)  # a sentence

    def __init__(self, state: ExploreState, inference: Inference, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state, self._inference = state, inference
        self._kept_before: Reading | None = None  # of the worker's thread
        state.input_changed.connect(self._on_state_input_changed)

    def _on_state_input_changed(self) -> None:
        state = self._state
        if state.model is None or state.encoding is None:
            return
        request = ReadingRequest(
            state.model, state.encoding, tuple(state.input_ids), state.all_masked, state.masked, state.what_if
        )
        self._inference.post(READ, partial(self._read_on_worker, request), self._on_inference_read)

    def _read_on_worker(self, request: ReadingRequest) -> Reading:
        checkpoint = self._inference.checkpoint_of(request.model)
        if self._kept_before is not None and self._kept_before.request.model is not request.model:
            self._kept_before = None  # of a model that is no longer open: up to some 200 MB
        before = self._before(request, checkpoint) if request.what_if else None
        return read(request, checkpoint, before)

    def _before(self, request: ReadingRequest, checkpoint: Checkpoint) -> Reading:
        """The same with nothing changed inside; kept, since a person changes one thing after the other."""
        plain, kept = replace(request, what_if=NOTHING_CHANGED), self._kept_before
        if kept is None or _inputs(kept.request) != _inputs(plain):
            kept = self._kept_before = read(plain, checkpoint)
        return kept

    def _on_inference_read(self, reading: Reading, problem: BaseException | None) -> None:
        if problem is not None:
            self._state.set_reading_problem(sentence(problem))
            self.failed.emit(sentence(problem))
            return
        arrived = time.perf_counter()
        self._state.set_reading(reading)
        self.delivered.emit(arrived)


def read(request: ReadingRequest, checkpoint: Checkpoint, before: Reading | None = None) -> Reading:
    """One forward pass, and what is read off it."""
    from bertcore.analysis.predict import replaced_probabilities, task_logits
    from bertcore.analysis.trace import trace

    started = time.perf_counter()
    traced = trace(
        checkpoint.model,
        request.input_ids,
        request.segments,
        request.positions,
        mlm_positions=request.masked if "mlm" in checkpoint.tasks else (),
        changes=request.what_if.changes(),
    )
    forward_ms = (time.perf_counter() - started) * 1000
    verdict, order = _pair_verdicts(traced) if request.encoding.text_b is not None else (None, None)
    masks = mask_readings(traced, request)
    replaced = None if traced.replaced_logits is None else replaced_probabilities(traced.replaced_logits)
    small = thumbnails(traced.attentions)
    tasks = task_logits(checkpoint.model, traced.hidden_states[-1])
    return Reading(request, traced, small, masks, verdict, order, replaced, forward_ms, tasks, before)


def _inputs(request: ReadingRequest) -> tuple[object, ...]:
    """What a plain pass depends on."""
    return request.model, request.input_ids, tuple(request.segments), request.masked, request.encoding


def _pair_verdicts(traced: Trace) -> tuple[NextSentence | None, SentenceOrder | None]:
    """What the heads for sentence pairs say, as far as the model has them."""
    from bertcore.analysis.predict import next_sentence, sentence_order

    follows, order = traced.next_sentence_logits, traced.sentence_order_logits
    return (None if follows is None else next_sentence(follows)), (None if order is None else sentence_order(order))
