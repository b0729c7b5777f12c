"""One forward pass with everything kept."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.analysis.batches import Batch
from bertcore.analysis.passes import as_text, changed
from bertcore.analysis.predict import HeadOutputs, head_outputs
from bertcore.checkpoint.missing_parts import absent_arrays
from bertcore.model.bert import Bert
from bertcore.model.hooks import Changes, Recorder, hidden_points

Floats = NDArray[np.float32]
_EMBEDDINGS = {
    "token_embeddings": "token",
    "segment_embeddings": "segment",
    "position_embeddings": "position",
    "embedding_sum": "sum",
    "embeddings": "output",
}
_ATTENTION = {"attentions": "probs", "queries": "query", "keys": "key", "values": "value"}
_OUTPUTS = tuple(field.name for field in fields(HeadOutputs))
ACTIVATIONS = (*_EMBEDDINGS, "hidden_states", *_ATTENTION)
ARRAYS = (*ACTIVATIONS, *_OUTPUTS)  # what a trace keeps, unless it is told what to keep


@dataclass(frozen=True, kw_only=True)
class Trace(HeadOutputs):
    """What passed through the model for one text, up to what its heads say.

    L layers, N heads, S tokens, H hidden, E width of the embeddings (H in most), D head size, V vocabulary.
    What a model has no part for is None, and `absent` says why, by the array's name.
    """

    input_ids: NDArray[np.int64]  # (S)
    segment_ids: NDArray[np.int64]  # (S)
    position_ids: NDArray[np.int64]  # (S) counted from 0 in every family
    token_embeddings: Floats  # (S,E)
    segment_embeddings: Floats | None  # (S,E)
    position_embeddings: Floats  # (S,E)
    embedding_sum: Floats  # (S,E) the three added up
    embeddings: Floats  # (S,H) after LayerNorm, and after the projection where E is not H
    hidden_states: Floats  # (L+1,S,H) embeddings, then each layer's output; the last one normalised in every model
    attentions: Floats  # (L,N,S,S) row: the token that looks; column: what it looks at; rows sum to 1
    queries: Floats  # (L,N,S,D)
    keys: Floats  # (L,N,S,D)
    values: Floats  # (L,N,S,D)
    absent: dict[str, str]  # array -> why this model has none

    def arrays(self) -> dict[str, NDArray]:
        """All arrays that are there, by name."""
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: array for name, array in named.items() if isinstance(array, np.ndarray)}


def trace(
    model: Bert,
    input_ids: Sequence[int],
    segment_ids: Sequence[int] | None = None,
    position_ids: Sequence[int] | None = None,
    *,
    mlm_positions: Sequence[int] | Literal["all"] = "all",
    changes: Changes | None = None,
) -> Trace:
    """Run one text (S tokens, at most the model's positions) and keep what passes.

    Absent, all segments are 0, and positions count from 0.
    `mlm_positions` says for which tokens the word logits are computed; each costs a row of V numbers.
    `changes` (hook point -> function of the tensor there) intervene; the trace then shows what they left.
    Raises BertcoreError where the model has too few positions, segments or words for the text, and for changes at a
    point that nothing passes. Where only the heads' answers are wanted, `predict_masks` takes a tenth of the memory.
    """
    batch = Batch.of([as_text(model, input_ids, segment_ids, position_ids)])
    found = traces(model, batch, mlm_positions=None if mlm_positions == "all" else [mlm_positions], changes=changes)[0]
    if segment_ids is not None:  # as given, whatever the model makes of them
        found["segment_ids"] = np.array(segment_ids, dtype=np.int64)
    return Trace(**found)


@torch.inference_mode()
def traces(
    model: Bert,
    batch: Batch,
    keep: Collection[str] = ARRAYS,
    *,
    mlm_positions: Sequence[Sequence[int]] | None = None,
    changes: Changes | None = None,
) -> list[dict[str, Any]]:
    """The arrays of a trace that are in `keep`, for each text (B), and what a trace has besides them.

    Word logits are of the `mlm_positions` of each text; absent, of all. Nothing else is held on the way.
    """
    absent = absent_arrays(model.config, model.output_heads, model.pooler is not None)
    points = {name: points_of(name, model.encoder.depth) for name in keep if name in ACTIVATIONS and name not in absent}
    record = Recorder({point for each in points.values() for point in each}.__contains__)
    with changed(model, changes, record) as hook:
        hidden = batch.hidden(model, hook)  # (B,S,H)
        said: list[HeadOutputs] | None = None
        if not set(_OUTPUTS).isdisjoint(keep):
            said = head_outputs(model, batch, hidden, mlm_positions or list(map(range, batch.lengths)), hook)
    segments = torch.zeros_like(batch.ids) if batch.segments is None else batch.segments
    found: list[dict[str, Any]] = []
    for row, length in enumerate(batch.lengths):
        inputs = {"input_ids": batch.ids, "segment_ids": segments, "position_ids": batch.positions}
        arrays: dict[str, Any] = {name: values[row, :length].cpu().numpy() for name, values in inputs.items()}
        arrays |= {"absent": absent, **{name: None for name in keep if name in absent}}
        if said is not None:
            arrays |= {name: array for name, array in vars(said[row]).items() if name in keep}
        for name, names in points.items():
            values = [record[point][row, ..., :length, :] for point in names]
            if name == "hidden_states" and model.encoder.final_norm is not None:
                values[-1] = hidden[row, :length]
            if name == "attentions":
                values = [value[..., :length] for value in values]
            stacked = torch.stack(values).float().cpu().numpy()
            arrays[name] = stacked[0] if name in _EMBEDDINGS else stacked
        found.append(arrays)
    return found


def points_of(array: str, depth: int) -> list[str]:
    """The hook points that an array of a trace is made of, from the lowest layer up."""
    if array == "hidden_states":
        return hidden_points(depth)
    if array in _EMBEDDINGS:
        return [f"embeddings.{_EMBEDDINGS[array]}"]
    return [f"layer.{layer}.attention.{_ATTENTION[array]}" for layer in range(depth)]
