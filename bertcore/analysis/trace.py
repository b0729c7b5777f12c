"""What passes through a model: a trace with everything kept, or what passes at single hook points, by name.

The names are those of `bertcore.model.hooks`. B texts of a batch, S tokens.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from fnmatch import filter as matching
from itertools import groupby
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertcore.analysis.passes import Batch, Text, as_text, changed, for_each, head_logits, head_outputs, open_cost
from bertcore.analysis.predict import HeadOutputs
from bertcore.checkpoint.config_file import absent_arrays, absent_points
from bertcore.config import BertConfig
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from bertcore.model.hooks import POINTS, Changes, Recorder, hidden_points
from bertcore.model.output_heads import HEAD_TITLES
from bertcore.progress import ReportProgress, no_progress
from bertcore.tokenizer.tokenizer import Encoding

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
MEAN_POINTS = ("attention.context_heads", "attention.output", "feed_forward.output")  # what can be ablated


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
    padding: int = 0,
) -> Trace:
    """Run one text (S tokens, at most the model's positions) and keep what passes.

    Absent, all segments are 0, and positions count from 0.
    `mlm_positions` says for which tokens the word logits are computed; each costs a row of V numbers.
    `changes` (hook point -> function of the tensor there) intervene; the trace then shows what they left.
    `padding` is how many tokens at the end are hidden from all others.
    Raises BertcoreError where the model has too few positions, segments or words for the text, and for changes at a
    point that nothing passes. Where only the heads' answers are wanted, `predict_heads` takes a tenth of the memory.
    """
    batch = Batch.of([as_text(model, input_ids, segment_ids, position_ids, padding)])
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
    made_of = {name: points_of(name, model.config) for name in keep if name in ACTIVATIONS and name not in absent}
    shapes, record = points(model), Recorder({point for each in made_of.values() for point in each}.__contains__)
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
        for name, names in made_of.items():
            values = [_of_text(record[point], shapes[point], row, length) for point in names]
            arrays[name] = values[0] if name in _EMBEDDINGS else np.stack(values)
        found.append(arrays)
    return found


def points_of(array: str, config: BertConfig) -> list[str]:
    """The hook points that an array of a trace is made of, from the lowest layer up."""
    depth = config.num_hidden_layers
    if array == "hidden_states":
        return hidden_points(depth) if config.norm == "post" else [*hidden_points(depth)[:-1], "encoder.final_norm"]
    if array in _EMBEDDINGS:
        return [f"embeddings.{_EMBEDDINGS[array]}"]
    return [f"layer.{layer}.attention.{_ATTENTION[array]}" for layer in range(depth)]


def points(model: Bert) -> dict[str, str]:
    """Every hook point of this model, in the order of the pass -> its shape for one text, such as "NSD"."""
    missing = {
        *absent_points(model.config),
        *(f"{head}.logits" for head in HEAD_TITLES if head not in model.output_heads),
    }
    missing |= set() if model.pooler is not None else {"pooler.output"}
    found: dict[str, str] = {}
    for is_layer, group in groupby(POINTS.items(), lambda each: "{i}" in each[0]):
        names = list(group)
        for layer in range(model.encoder.depth if is_layer else 1):
            found |= {name.format(i=layer): shape for name, shape in names}
    return {point: shape for point, shape in found.items() if point not in missing}


def described_points(model: Bert) -> dict[str, str]:
    """The same with the shape in words: "6 heads x tokens x 64 (head size)"."""
    config = model.config
    words = {
        "S": "tokens",
        "H": f"{config.hidden_size} (hidden)",
        "E": f"{config.embedding_width} (embedding)",
        "N": f"{config.num_attention_heads} heads",
        "D": f"{config.head_size} (head size)",
        "I": f"{config.intermediate_size} (feed-forward)",
        "V": f"{config.vocab_size} words",
        "K": "labels",
    }
    return {point: " x ".join(words.get(side, side) for side in shape) for point, shape in points(model).items()}


def named_points(model: Bert, patterns: Iterable[str]) -> list[str]:
    """The points that patterns name, such as "layer.*.attention.probs" (as in `fnmatch`), in the order of the pass.

    Raises BertcoreError for a pattern that names none, with points whose names are near.
    """
    there = list(points(model))
    found: set[str] = set()
    for pattern in patterns:
        named = matching(there, pattern)
        if not named:
            near = get_close_matches(pattern, there, 3, 0.5)
            hint = f"near it are {', '.join(near)}" if near else f"the first is {there[0]}"
            reason = absent_points(model.config).get(pattern, "")
            raise BertcoreError(f"No point of this model is called {pattern!r}; {hint}. {reason}".rstrip())
        found.update(named)
    return [point for point in there if point in found]


def activations(
    model: Bert, text: Text, wanted: Collection[str], changes: Changes | None = None
) -> dict[str, NDArray[np.float32]]:
    """What passes at some points for one text, without the batch dimension: what `patch` takes for another text.

    Raises BertcoreError for a point that this model does not pass.
    """
    return batch_activations(model, Batch.of([text]), wanted, changes)[0]


@torch.inference_mode()
def batch_activations(
    model: Bert, batch: Batch, wanted: Collection[str], changes: Changes | None = None
) -> list[dict[str, NDArray[np.float32]]]:
    """The same for each text (B), without padding; `changes` are made in the pass."""
    shapes, record = points(model), Recorder(set(wanted).__contains__)
    named_points(model, wanted)
    with changed(model, changes, record) as hook:
        hidden = batch.hidden(model, hook)
        for head in HEAD_TITLES:
            if f"{head}.logits" in wanted:
                head_logits(model, head, hidden, hook)
        if "pooler.output" in wanted:
            model.pool(hidden[:, 0], hook)

    return [
        {point: _of_text(record[point], shapes[point], row, length) for point in wanted}
        for row, length in enumerate(batch.lengths)
    ]


def _of_text(value: Tensor, shape: str, row: int, length: int) -> Floats:
    """What passed at a point (B,...) for one text, without padding; of a shape such as "NSD"."""
    cut = tuple(slice(length if side == "S" else None) for side in shape)
    return value[(row, *cut)].float().cpu().contiguous().numpy()


def mean_activations(
    model: Bert, encodings: Sequence[Encoding], wanted: Collection[str], progress: ReportProgress = no_progress
) -> dict[str, NDArray[np.float32]]:
    """The mean over all tokens of all texts of what passes at some points whose sides are tokens and others: (N,D) of
    what is (N,S,D) for a text, (H) of (S,H)."""
    sums: dict[str, NDArray[np.float64]] = {}

    def add(batch: Batch, _: ReportProgress) -> list[None]:
        for each in batch_activations(model, batch, wanted):
            for point, value in each.items():
                sums[point] = sums.get(point, 0.0) + value.sum(axis=-2, dtype=np.float64)
        return [None] * len(batch.lengths)

    for_each(model, encodings, add, cost=open_cost, progress=progress)
    tokens = sum(map(len, encodings))
    return {point: (total / tokens).astype(np.float32) for point, total in sums.items()}
