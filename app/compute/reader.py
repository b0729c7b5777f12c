"""From what is typed to what the model makes of it.

    state.input_changed -> ReadingRequest -> the worker -> Reading -> state.set_reading

A request is frozen, so typing on changes nothing that is under way. Only the newest request waits; each reading that
completes is shown, in order. What a reading is compared with is read beside it, and kept while it stays the same.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from bertcore.analysis.align import align
from bertcore.analysis.attention_heads import thumbnails
from bertcore.analysis.half_precision import halved, trace_bytes
from bertcore.errors import BertcoreError

from ..state import NOTHING_CHANGED, ModelInfo, OtherModel, OtherText
from ..state.explore_state import ExploreState
from ..state.readings import Reading, ReadingRequest, mask_readings, request_for
from .errors import sentence
from .inference import READ, Inference
from .model_text import text_of
from .open_checkpoints import OpenCheckpoints
from .question import ReportOrCancel

if TYPE_CHECKING:
    from bertcore.checkpoint.checkpoint import Checkpoint


MOST_TRACES_BYTES = 300_000_000  # of a reading and its baseline; beyond, the baseline is kept in half precision


class TextReader:
    """Of the worker's thread: reads a text with the open model, and what it is compared with, which it keeps."""

    def __init__(self, checkpoints: OpenCheckpoints) -> None:
        self._checkpoints = checkpoints
        self._kept: dict[str, Reading] = {}  # "unchanged", "baseline", "swapped from"

    def read(self, request: ReadingRequest, _progress: ReportOrCancel) -> Reading:
        checkpoint = self._checkpoints.of(request.model)
        if not isinstance(request.baseline, OtherModel):
            self._checkpoints.close_second()
        self._kept = {name: kept for name, kept in self._kept.items() if self._checkpoints.is_open(kept.request.model)}
        unchanged, problem, swap = None, "", request.what_if.swap
        if request.what_if:
            plain = replace(request, what_if=NOTHING_CHANGED, baseline=None)
            unchanged = self._read_once("unchanged", plain, checkpoint)
        baseline, chosen = unchanged, request.baseline
        if chosen is None:
            self._kept.pop("baseline", None)
        else:
            try:
                model = request.model
                if isinstance(chosen, OtherModel):
                    model = self._checkpoints.open_second(chosen.reference)
                asked = other_request(request, model, chosen if isinstance(chosen, OtherText) else None)
                baseline = self._read_once("baseline", asked, self._checkpoints.of(model))
            except BertcoreError as error:
                problem = sentence(error)
        other_text = baseline if isinstance(chosen, OtherText) and not problem else None
        if swap is None:
            self._kept.pop("swapped from", None)
        else:
            source = other_text
            if source is None or swap.text != chosen:
                source = self._read_once("swapped from", other_request(request, request.model, swap.text), checkpoint)
            request = _with_swap(request, source, checkpoint)
            other_text = other_text or source
            if swap.text == chosen:
                baseline = unchanged  # what the swap does is seen beside this text, not beside where it came from
        reading = read(request, checkpoint)
        return replace(reading, unchanged=unchanged, baseline=baseline, baseline_problem=problem, other_text=other_text)

    def _read_once(self, name: str, request: ReadingRequest, checkpoint: Checkpoint) -> Reading:
        """Kept until it is to be another one: a person types on, or changes one thing after the other."""
        kept = self._kept.get(name)
        if kept is None or _inputs(kept.request) != _inputs(request):
            kept = read(request, checkpoint)
            if 2 * trace_bytes(kept.trace) > MOST_TRACES_BYTES:  # with the reading beside it, of about the same size
                kept = replace(kept, trace=halved(kept.trace))
            self._kept[name] = kept
        return kept


class Reader(QObject):
    """Has the open model read the state's text whenever that, or what is changed inside the model, is another."""

    delivered = Signal(float)  # the state has a new reading; when it came, by time.perf_counter()
    failed = Signal(str)  # a sentence
    baseline_failed = Signal(object, str)  # the Baseline that could not be read, and is no more; a sentence

    def __init__(self, state: ExploreState, inference: Inference, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._state, self._inference = state, inference
        self._on_worker = TextReader(inference.checkpoints)
        state.input_changed.connect(self._on_state_input_changed)

    def _on_state_input_changed(self) -> None:
        state = self._state
        if state.model is None or state.encoding is None:
            return
        request = request_for(state.model, state.encoding, state.masked, state.what_if, state.baseline)
        self._inference.post(READ, TextReader.read, self._on_worker, request, deliver=self._on_inference_read)

    def _on_inference_read(self, reading: Reading, problem: BaseException | None) -> None:
        if problem is not None:
            self._state.set_reading_problem(sentence(problem))
            self.failed.emit(sentence(problem))
            if isinstance(problem, BertcoreError):
                self._state.end_swap()  # from a text of another length, as a session's may be: then without it
            return
        arrived = time.perf_counter()
        self._state.set_reading(reading)
        self.delivered.emit(arrived)
        chosen = reading.request.baseline
        if reading.baseline_problem and chosen == self._state.baseline:
            self._state.set_baseline(None)
            self.baseline_failed.emit(chosen, reading.baseline_problem)


def other_request(request: ReadingRequest, model: ModelInfo, text: OtherText | None) -> ReadingRequest:
    """What is to be read beside a reading. model: the one that reads it. text: None is the same text.

    Raises BertcoreError where the text cannot be tokenised.
    """
    ours = request.encoding
    a, b = (ours.text_a, ours.text_b or "") if text is None else (text.a, text.b)
    other = model.tokenizer.encode(a, b if b.strip() else None, model.max_positions)
    positions = align(ours, other).other_positions
    by_hand = {positions[position] for position in request.by_hand} if model.tokenizer.mask_id is not None else set()
    return request_for(model, other, frozenset(position for position in by_hand if position is not None))


def _with_swap(request: ReadingRequest, source: Reading, checkpoint: Checkpoint) -> ReadingRequest:
    """The request with what is swapped in computed from the reading it comes from.

    Raises BertcoreError where the texts differ in length, or the model has no such place.
    """
    from bertcore.analysis.effects import check_patching, patched_at

    swap = request.what_if.swap
    assert swap is not None
    inputs = (request.model_input, source.request.model_input)
    text, other = (text_of(checkpoint.model, one) for one in inputs)
    check_patching(text, other, swap.part)
    changes = patched_at(checkpoint.model, other, swap.part, swap.row, swap.place)
    return replace(request, what_if=request.what_if.with_swap(replace(swap, changes=changes)))


def read(request: ReadingRequest, checkpoint: Checkpoint) -> Reading:
    """One forward pass, and what is read off it."""
    from bertcore.analysis.passes import task_logits
    from bertcore.analysis.predict import next_sentence, replaced_probabilities, sentence_order
    from bertcore.analysis.trace import trace

    started = time.perf_counter()
    traced = trace(
        checkpoint.model,
        request.input_ids,
        request.segments,
        request.positions,
        mlm_positions=request.masked if "mlm" in checkpoint.output_heads else (),
        changes=request.what_if.changes(),
    )
    forward_ms = (time.perf_counter() - started) * 1000
    is_pair, replaced = request.encoding.text_b is not None, traced.replaced_logits
    follows, order = (traced.next_sentence_logits, traced.sentence_order_logits) if is_pair else (None, None)
    return Reading(
        request,
        traced,
        thumbnails(traced.attentions),
        mask_readings(traced, request),
        None if follows is None else next_sentence(follows),
        None if order is None else sentence_order(order),
        None if replaced is None else replaced_probabilities(replaced),
        forward_ms,
        task_logits(checkpoint.model, traced.hidden_states[-1]),
    )


def _inputs(request: ReadingRequest) -> tuple[object, ...]:
    """What a plain pass depends on."""
    return request.model, request.input_ids, tuple(request.segments), request.masked, request.encoding
