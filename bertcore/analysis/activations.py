"""Activations by name: what passes at any hook point of a model, for many texts at once, and nothing else.

The names are those of `bertcore.model.hooks`. B texts of a batch, S tokens.
"""

from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from fnmatch import filter as matching
from itertools import groupby

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.analysis.batches import Batch, for_each, open_cost
from bertcore.analysis.passes import Text, changed
from bertcore.analysis.predict import head_logits
from bertcore.checkpoint.missing_parts import absent_points
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from bertcore.model.hooks import POINTS, Changes, Recorder
from bertcore.model.output_heads import HEAD_TITLES
from bertcore.progress import ReportProgress, no_progress

MEAN_POINTS = ("attention.context_heads", "attention.output", "feed_forward.output")  # what can be ablated


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
        "C": "1",
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

    def of_text(point: str, row: int) -> NDArray[np.float32]:
        cut = tuple(slice(batch.lengths[row] if side == "S" else None) for side in shapes[point])
        return record[point][(row, *cut)].float().cpu().contiguous().numpy()

    return [{point: of_text(point, row) for point in wanted} for row in range(len(batch.lengths))]


def mean_activations(
    model: Bert, texts: Sequence[Text], wanted: Collection[str], progress: ReportProgress = no_progress
) -> dict[str, NDArray[np.float32]]:
    """The mean over all tokens of all texts of what passes at some points whose sides are tokens and others: (N,D) of
    what is (N,S,D) for a text, (H) of (S,H)."""
    sums: dict[str, NDArray[np.float64]] = {}

    def add(batch: Batch) -> list[None]:
        for each in batch_activations(model, batch, wanted):
            for point, value in each.items():
                sums[point] = sums.get(point, 0.0) + value.sum(axis=-2, dtype=np.float64)
        return [None] * len(batch.lengths)

    for_each(texts, add, costs=list(map(open_cost, texts)), progress=progress)
    tokens = sum(map(len, texts))
    return {point: (total / tokens).astype(np.float32) for point, total in sums.items()}
