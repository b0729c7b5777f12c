"""Activation patching: which state, head or feed-forward output makes the difference between two texts.

One place of the pass over a text gets what it had in the pass over another one, the model computes on from there, and
the share of the difference that comes back says how much of it passes through that place (Meng et al. 2022, section
2.1; Wang et al. 2022; the maps of TransformerLens' patching.py). L layers, N heads, S tokens of both texts, H hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertcore.analysis.interventions import PatchedPart, check_numbers, check_rows, patch, patch_head
from bertcore.analysis.passes import MAX_TOKENS, Text, as_doubles, chunks, target_from
from bertcore.analysis.targets import Target
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from bertcore.model.hooks import Changes, Intervention, Recorder, hidden_points
from bertcore.progress import ReportProgress

SMALLEST_DIFFERENCE = 1e-3  # of the target between the texts: float32 errs by some 1e-6, and of less by percents


@dataclass(frozen=True, eq=False)
class PatchingMap:
    """The target for the text, for the other text, and for the text with one place patched from the other."""

    part: PatchedPart
    text: float
    other: float
    # "state": (L+1,S) after the embeddings and each layer; "attention", "feed-forward": (L,S); "head": (L,N)
    patched: NDArray[np.float64]  # where only some `places` were patched, one column for each of these
    places: tuple[int, ...]  # the position, or head, of each column

    @property
    def shares(self) -> NDArray[np.float64]:
        """(patched - text) / (other - text): 0 as in the text, 1 as in the other. They need not add up to 1."""
        return (self.patched - self.text) / (self.other - self.text)


@torch.inference_mode()
def patching_map(
    model: Bert,
    text: Text,
    other: Text,
    target: Target,
    part: PatchedPart = "state",
    *,
    position: int | None = None,
    places: Sequence[int] | None = None,
    max_tokens: int = MAX_TOKENS,
    progress: ReportProgress | None = None,
) -> PatchingMap:
    """Every place in turn. `position` patches a head's output at one token only; absent, at all of them.

    `places` are the columns wanted, positions or heads; absent, all: of a long text a few tokens take a fraction.
    What is before a patched layer is the same without the patch, so only the layers from there on are computed, for
    all places of a layer in batches of at most `max_tokens` tokens. `progress` is told the share done after each.
    Raises BertcoreError where the texts differ in length, or not enough in the target, and for places not there.
    """
    check_patching(text, other, part, position)
    count = model.config.num_attention_heads if part == "head" else len(text)
    columns = list(range(count) if places is None else places)
    if part == "head":
        check_numbers("head", columns, count, "each layer of this model")
    else:
        check_rows(columns, count)
    target.check(len(text))
    states, points = hidden_points(model.encoder.depth), _points(model, part)
    entering, intact = _record(model, text, target, states)
    theirs, wanted = _record(model, other, target, points)
    check_difference(intact, wanted)
    patched = np.full((len(points), len(columns)), intact)
    kept = [list(range(len(columns))) for _ in points]  # the columns of each row that can change anything
    if part == "state":
        differ = [_changed_places(ours, new) for ours, new in zip(entering, theirs, strict=True)]
        kept = [[column for column in row if columns[column] in at] for row, at in zip(kept, differ, strict=True)]
    cells = [len(row) * (len(points) - number) for number, row in enumerate(kept)]  # times the layers to compute
    done, total = 0, max(sum(cells), 1)
    for row, new in enumerate(theirs):
        for chunk in chunks(len(kept[row]), len(text), max_tokens):
            chosen = [columns[column] for column in kept[row][chunk]]
            change = _patch_heads(new, chosen, position) if part == "head" else _patch_tokens(new, chosen)
            batch = entering[row].expand(len(chosen), -1, -1)  # (B,S,H)
            if part == "state":
                first, batch = row, change(batch)
            else:
                hook = Intervention({points[row]: change})
                first, batch = row + 1, model.encoder.layer(row)(batch, hook=hook.at(f"layer.{row}"))
            patched[row, kept[row][chunk]] = as_doubles(target_from(model, first, batch, target, {}))
            done += len(chosen) * (len(points) - row)
            if progress is not None:
                progress(done / total)
    return PatchingMap(part, intact, wanted, patched, tuple(columns))


def patched_at(
    model: Bert, other: Text, part: PatchedPart, layer: int, place: int, position: int | None = None
) -> Changes:
    """One cell of the map as changes for `trace` and others: what the model computes with this one place patched.

    `layer` is the row of the map and `place` its column; `position` as in `patching_map`.
    Raises BertcoreError for a cell that the map does not have.
    """
    points = _points(model, part)
    check_numbers("row", [layer], len(points), "the map")
    record = Recorder(lambda name: name == points[layer])
    with torch.inference_mode():
        other.hidden(model, hook=record)
    value = record[points[layer]][0].float().cpu().numpy()
    if part == "head":
        check_numbers("head", [place], len(value), "each layer of this model")
        return patch_head(layer, place, value[place], None if position is None else [position])
    check_rows([place], len(other))
    return patch(points[layer], value, rows=[place])


def check_patching(text: Text, other: Text, part: PatchedPart = "state", position: int | None = None) -> None:
    """Raises BertcoreError where the texts cannot be patched, or there is no such part or position."""
    if part not in get_args(PatchedPart):
        raise BertcoreError(f"There is no part {part!r}; choose one of {', '.join(get_args(PatchedPart))}.")
    if len(text) != len(other):
        raise BertcoreError(
            f"The texts have {len(text):,} and {len(other):,} tokens; patching puts each token's state in place of the "
            "one at the same position, so write two texts of the same number of tokens."
        )
    if position is not None:
        if part != "head":
            raise BertcoreError("A position can only be chosen for heads; the other parts are patched at each one.")
        check_rows([position], len(text))


def check_difference(text: float, other: float) -> None:
    """Raises BertcoreError where there is too little to be a share of."""
    if not abs(other - text) >= SMALLEST_DIFFERENCE:  # not a number either
        raise BertcoreError(
            f"Both texts give this prediction nearly the same score ({text:.3f} and {other:.3f}), so there is no "
            "difference to locate; choose another prediction, or texts that differ more."
        )


def _points(model: Bert, part: PatchedPart) -> list[str]:
    """Where the rows of the map are patched."""
    depth = model.encoder.depth
    if part == "state":
        return hidden_points(depth)
    name = {"attention": "attention.output", "feed-forward": "feed_forward.output", "head": "attention.context_heads"}
    return [f"layer.{layer}.{name[part]}" for layer in range(depth)]


def _record(model: Bert, text: Text, target: Target, points: Sequence[str]) -> tuple[list[Tensor], float]:
    """What passes at the points, and the target."""
    record = Recorder(lambda name: name in points)
    value = float(target.of(model, text.hidden(model, hook=record)))
    return [record[point] for point in points], value


def _changed_places(ours: Tensor, theirs: Tensor) -> set[int]:
    """Positions whose states (1,S,H) differ: above the embeddings all, below only the words replaced."""
    return {int(place) for place in (ours != theirs)[0].any(dim=-1).nonzero()[:, 0]}


def _patch_tokens(new: Tensor, places: Sequence[int]) -> Callable[[Tensor], Tensor]:
    """In variant b, the token places[b] gets what it had in the other text."""

    def patched(value: Tensor) -> Tensor:
        value = value.clone()  # (B,S,H)
        value[range(len(places)), list(places)] = new[0, list(places)]
        return value

    return patched


def _patch_heads(new: Tensor, heads: Sequence[int], position: int | None) -> Callable[[Tensor], Tensor]:
    """In variant b, the head heads[b] gives what it gave in the other text, at one position or at all."""
    at = slice(None) if position is None else position

    def patched(value: Tensor) -> Tensor:
        value = value.clone()  # (B,N,S,D)
        value[range(len(heads)), list(heads), at] = new[0, list(heads), at]
        return value

    return patched
