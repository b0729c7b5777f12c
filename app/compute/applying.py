"""Typed text given to the task head of a fine-tuned model, with what is changed inside it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bertcore.errors import BertcoreError
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tasks.kinds.base import USUAL, Decoding

from ..state import NOTHING_CHANGED, Reading, WhatIf

if TYPE_CHECKING:
    from torch import Tensor

    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.model.hooks import Changes
    from bertcore.progress import ReportProgress
    from bertcore.tasks.kinds.base import Example, Prediction


@dataclass(frozen=True)
class ApplyRequest:
    """What was typed, and what is changed inside the model."""

    text_a: str
    text_b: str | None
    what_if: WhatIf = NOTHING_CHANGED
    token_ids: tuple[int, ...] = ()  # that rows, segments and positions of `what_if` are of
    decoding: Decoding = USUAL

    @property
    def texts(self) -> tuple[str, str | None]:
        return self.text_a, self.text_b


@dataclass(frozen=True, eq=False)
class Applied:
    """The model's answer; where there is none, `problem` says why in a sentence."""

    request: ApplyRequest
    example: Example | None = None
    prediction: Prediction | None = None
    unchanged: Prediction | None = None  # of the model without the changes; None where nothing is changed
    changed: WhatIf = NOTHING_CHANGED  # what of the request's changes acted
    problem: str = ""
    took_ms: float = 0.0


def request_for(reading: Reading, editors: Mapping[str, str], decoding: Decoding = USUAL) -> ApplyRequest | None:
    """What the task head of a reading's model reads of what was typed; None for a model without a task.

    editors: kind of task -> what is in the editor of the room Apply: a passage, endings, or the text to sum up.
    """
    task, a, b = reading.request.model.task, reading.encoding.text_a, reading.encoding.text_b
    if task is None:
        return None
    kind, typed = TASK_KINDS[task.kind], editors.get(task.kind, "")
    if task.kind == "summarise":
        a, b = typed, None
    elif kind.needs_b:
        b = typed
    elif not kind.takes_b or task.is_pair is False:
        b = None
    return ApplyRequest(a, b, reading.request.what_if, tuple(reading.encoding.ids), decoding)


def apply_model(checkpoint: Checkpoint, request: ApplyRequest, progress: ReportProgress) -> Applied:
    """What the model's task head says of A and B, or why they are no example of its task.

    Changes of single tokens (attention rows, segments, positions) act where the head reads the very tokens that they
    were made for: not in a passage that is typed elsewhere.
    """
    from bertcore.tasks.predict import as_example, task_kind
    from bertcore.training.task_files import predict_as_learned

    started = time.perf_counter()
    kind = task_kind(checkpoint)
    try:
        if kind is None:
            raise BertcoreError(f"The model {checkpoint.name} has no task head.")
        example = as_example(kind, request.text_a, request.text_b)
        a, b, _ = TASK_KINDS[kind].written(example)
        encoding = checkpoint.tokenizer.encode(a, b, max_length=checkpoint.config.max_length)
        is_same = TASK_KINDS[kind].reads_as_typed and tuple(encoding.ids) == request.token_ids
        what_if = request.what_if if is_same else request.what_if.without_places()
        unchanged = predict_as_learned(checkpoint, [example], progress, decoding=request.decoding)[0]
        if not what_if:
            return Applied(request, example, unchanged, took_ms=(time.perf_counter() - started) * 1000)
        changes = _changes(checkpoint, what_if)
        prediction = predict_as_learned(checkpoint, [example], progress, decoding=request.decoding, changes=changes)[0]
        took_ms = (time.perf_counter() - started) * 1000
        return Applied(request, example, prediction, unchanged, what_if, took_ms=took_ms)
    except BertcoreError as error:
        return Applied(request, problem=str(error))


def _changes(checkpoint: Checkpoint, what_if: WhatIf) -> Changes:
    """All changes inside, with other segments and positions as changes of the embeddings looked up for them."""
    from bertcore.analysis.interventions import combine

    table = checkpoint.model.embeddings.segment
    moved: dict[str, Callable[[Tensor], Tensor]] = {}
    if what_if.positions:
        places = dict(what_if.positions)
        moved["embeddings.position"] = lambda rows: rows[:, [places.get(i, i) for i in range(rows.shape[1])]]
    if what_if.segments and table is not None:
        at, segments = zip(*what_if.segments, strict=True)

        def in_segment(rows: Tensor) -> Tensor:
            rows = rows.clone()  # (B,S,E)
            rows[:, list(at)] = table.weight[list(segments)]
            return rows

        moved["embeddings.segment"] = in_segment
    return combine(moved, what_if.changes() or {})
