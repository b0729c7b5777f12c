"""What fires it? Where a neuron, a head or a direction is strongest in a collection, and whether that matters.

One pass for all units of a layer, that ends behind it. U units, B sentences of S tokens, K contexts. No torch but
inside functions.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.interventions import check_layers, check_numbers
from bertcore.errors import BertcoreError
from bertcore.evidence.intervals import Interval, mean_interval
from bertcore.evidence.nearest import AROUND, Tokens, Use, use_at, words_of
from bertcore.evidence.shards import Arrays, Shard, beside
from bertcore.progress import ReportProgress, no_progress
from bertcore.table import Records, Table

if TYPE_CHECKING:
    from torch import Tensor

    from bertcore.analysis.passes import Batch
    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.evidence.collection import Collection
    from bertcore.model.bert import Bert

UnitKind = Literal["neuron", "head", "direction"]
POINTS: dict[UnitKind, str] = {
    "neuron": "feed_forward.activation",
    "head": "attention.context_heads",  # of which the length of what the head adds to the token is taken
    "direction": "output",
}
KEPT = 50  # contexts of each unit, and tokens at random
BARS = 120  # of a histogram, from -reach to reach


@dataclass(frozen=True)
class Matters:
    """How much likelier the next word, hidden, is with the unit than with 0 in its place, in nats."""

    strongest: Interval  # where the unit is strongest
    random: Interval  # at tokens at random


@dataclass(frozen=True, eq=False, repr=False)
class Fires(Table):
    """Every unit of a layer over a collection; one context of each sentence, the token where the unit is strongest."""

    checkpoint: Checkpoint
    collection: Collection[Any]
    kind: UnitKind
    layer: int  # from 0
    seed: int
    directions: NDArray[np.float32] | None  # (U,H), of length 1
    strength: NDArray[np.float32]  # (U,K) of the contexts, the strongest first; -inf where there are fewer sentences
    top: NDArray[np.int64]  # (U,K,2) which row, and which of its tokens
    around: NDArray[np.int32]  # (U,K,2*AROUND+1) tokens around it, as `Tokens.around`
    bars: NDArray[np.int64]  # (U,BARS) how many of all tokens fall into each bar
    reach: NDArray[np.float32]  # (U)
    sample: NDArray[np.int64]  # (K,2) tokens at random, of a sentence each
    sample_around: NDArray[np.int32]
    sample_strength: NDArray[np.float32]  # (K,U)

    def contexts(self, unit: int) -> Records[Use]:
        """Those where it is strongest, without near-duplicates."""
        at = self._distinct(unit)
        return self._uses(self.top[unit, at], self.strength[unit, at])

    def at_random(self, unit: int) -> Records[Use]:
        return self._uses(self.sample, self.sample_strength[:, unit])

    def words(self, unit: int, step: int = 0) -> list[tuple[str, int]]:
        """The tokens of the contexts, or those `step` behind (-1: before) them, and how often each stands there."""
        return self._words(self.around[unit, self._distinct(unit), AROUND + step])

    @cached_property
    def clear(self) -> NDArray[np.float64]:
        """(U) the share of the strongest contexts that are one word. Words at random give `clear_by_chance`."""
        found = [self.around[unit, self._distinct(unit), AROUND] for unit in range(len(self.top))]
        return np.array([np.unique(ids, return_counts=True)[1].max() / len(ids) for ids in found])

    @property
    def clear_by_chance(self) -> float:
        return self._words(self.sample_around[:, AROUND])[0][1] / len(self.sample)

    def order(self) -> list[int]:
        """The clear units first."""
        return np.argsort(-self.clear, kind="stable").tolist()

    def rows(self) -> list[dict[str, Any]]:
        """A row for each unit, the clear ones first."""
        found = ((unit, *self.words(unit)[0]) for unit in self.order())
        return [
            {self.kind: unit, "word": word, "times": times, "clear": self.clear[unit], "most": self.strength[unit, 0]}
            for unit, word, times in found
        ]

    def matters(self, unit: int) -> Matters:
        """Raises BertcoreError where the model has no masked-word head, or the unit does not exist."""
        at = self._distinct(unit)
        found = (self.top[unit, at], self.around[unit, at]), (self.sample, self.sample_around)
        return Matters(*(mean_interval(self._gain(unit, *each), self.seed) for each in found))

    def _gain(self, unit: int, places: NDArray, around: NDArray) -> NDArray[np.float64]:
        from bertcore.evidence.scoring import MaskedWords

        places = places[around[:, AROUND + 1] >= 0] + (0, 1)
        following = self._uses(places, np.zeros(len(places)))
        if not following:
            raise BertcoreError(f"No word follows where {self.kind} {unit} is strongest, so none can be hidden.")
        rows = self.collection.part(use.row for use in following)
        masked = MaskedWords(self.checkpoint, rows, masks=[[use.position] for use in following])
        direction = None if self.directions is None else self.directions[unit]
        change = {
            f"layer.{self.layer}.{POINTS[self.kind]}": partial(_without, kind=self.kind, unit=unit, direction=direction)
        }
        return masked.answers(change).loss - masked.answers().loss

    def _distinct(self, unit: int) -> NDArray[np.int64]:
        """Which of the K contexts are no near-duplicates of one before. Raises BertcoreError for no such unit."""
        check_numbers(self.kind, [unit], len(self.top), "this layer")
        there = self.around[unit, np.isfinite(self.strength[unit])]
        return np.sort(np.unique(there, axis=0, return_index=True)[1])

    def _uses(self, places: NDArray, values: NDArray) -> Records[Use]:
        found = zip(places.tolist(), values.tolist(), strict=True)
        return Records(use_at(self.checkpoint, self.collection, *each) for each in found)

    def _words(self, ids: NDArray) -> list[tuple[str, int]]:
        label = self.checkpoint.tokenizer.label
        return Counter(label(each) for each in ids.tolist() if each >= 0).most_common()


def fires(
    checkpoint: Checkpoint,
    collection: Collection[Any],
    layer: int,
    kind: UnitKind = "neuron",
    *,
    directions: NDArray | None = None,
    seed: int = 0,
    shard: Shard | None = None,
    progress: ReportProgress = no_progress,
) -> Fires:
    """All neurons or heads of a layer (from 0), or directions (U,H) among its hidden states, over all tokens.

    Raises BertcoreError for a layer that is not there, and for directions of another width.
    """

    from bertcore.analysis.passes import for_each, layer_states
    from bertcore.model.hooks import Recorder

    model, config, point = checkpoint.model, checkpoint.config, f"layer.{layer}.{POINTS[kind]}"
    check_layers([layer], config)
    if (kind == "direction") != (directions is not None and np.shape(directions)[-1:] == (config.hidden_size,)):
        raise BertcoreError(f"A direction has {config.hidden_size} numbers, one for each of a hidden state; give some.")
    if directions is not None:
        directions = np.atleast_2d(directions) / np.linalg.norm(np.atleast_2d(directions), axis=1, keepdims=True)

    def look(rows: range, step: ReportProgress) -> Arrays:
        encodings = [checkpoint.encode(collection.rows[row].text) for row in rows]
        tokens, chance = Tokens.of(encodings), np.random.default_rng([seed, rows.start])
        lengths, (drawn, share) = np.diff(tokens.starts), chance.random((2, len(rows)))
        sampled = np.argsort(np.where(lengths, drawn, np.inf))[: min(KEPT, np.count_nonzero(lengths))]
        sample = tokens.starts[sampled] + (share * lengths)[sampled].astype(int)
        kept = _Kept(sample)

        def add(batch: Batch, _: ReportProgress) -> list[None]:
            record = Recorder(point.__eq__)
            list(itertools.islice(layer_states(model, batch, record, layer), layer + 2))
            values = _strengths(record[point], model, layer, kind, directions)  # (B,S,U)
            kept.add(values, [words_of(each) for each in batch.encodings], tokens.starts[batch.numbers])
            return [None] * len(batch.numbers)

        for_each(model, encodings, add, progress=step)
        strength, top, bars, reach, of_sample = (each.cpu().numpy() for each in kept.found)
        around = tokens.around(top.ravel()).reshape(*top.shape, -1)
        top, at_random = (tokens.places(each) + np.array([rows.start, 0]) for each in (top, sample))
        best = {"strength": strength, "top": top, "around": around}
        drawn_of = {"drawn": drawn[sampled], "sample": at_random, "sample_strength": of_sample}
        return {**best, "bars": bars, "reach": reach, **drawn_of, "sample_around": tokens.around(sample)}

    along = "" if directions is None else repr(directions.tolist())
    asked = "fires", kind, str(layer), str(seed), along, collection.sha256
    found = (shard or Shard()).over(checkpoint, asked, len(collection), look, progress, join=_strongest)
    if not found["bars"].any():
        raise BertcoreError(f"{collection.name} has no words.")
    del found["drawn"]
    return Fires(checkpoint, collection, kind, layer, seed, directions, **found)


def _strongest(parts: Sequence[Arrays]) -> Arrays:
    """Of several parts of a collection the contexts, bars and sample of them all."""
    import torch

    strength, top, around = (
        np.concatenate([each[name] for each in parts], 1) for name in ("strength", "top", "around")
    )
    best = np.lexsort((top[..., 0], -strength))[:, :KEPT]
    units = np.arange(len(best))[:, None]
    found = {"strength": strength[units, best], "top": top[units, best], "around": around[units, best]}
    most = np.max([each["reach"] for each in parts], axis=0)
    both = [[torch.tensor(each[name]) for name in ("bars", "reach")] for each in parts]
    bars = [_widened(bars, reach, torch.tensor(most)).numpy() for bars, reach in both]
    found |= {"bars": np.sum(bars, axis=0), "reach": most}
    sample = beside([{name: each[name] for name in each if name not in found} for each in parts])
    first = np.argsort(sample["drawn"])[:KEPT]
    return {**found, **{name: each[first] for name, each in sample.items()}}


def _widened(bars: Tensor, reach: Tensor, most: Tensor) -> Tensor:
    """Bars (U,BARS) once they reach so far, in place: two become one, as often as need be."""
    import torch

    while (wide := most > reach).any():
        pairs = bars[wide].view(-1, BARS // 2, 2).sum(2)
        bars[wide] = torch.nn.functional.pad(pairs, (BARS // 4, BARS // 4))
        reach[wide] *= 2
    return bars


class _Kept:
    """What is kept of all units in one pass: the strongest by a running threshold, so that few are ever sorted."""

    def __init__(self, sample: NDArray[np.int64]) -> None:
        self.sample = sample
        self.found: tuple[Tensor, ...] = ()  # strength, top, bars, reach as in `Fires`, and the strength of the sample

    def add(self, values: Tensor, words: list[list[int]], starts: NDArray[np.int64]) -> None:
        """Values (B,S,U) of a batch, the positions that count, and the number of the first token of each sentence."""
        import torch

        units = values.shape[2]
        if not self.found:
            strength, top = values.new_full((units, KEPT), -torch.inf), values.new_zeros((units, KEPT)).long()
            bars, reach = values.new_zeros((units, BARS)).long(), values.new_full((units,), 1 / 16)
            self.found = strength, top, bars, reach, values.new_zeros((len(self.sample), units))
        strength, top, bars, reach, sampled = self.found
        tokens = torch.full(values.shape[:2], -1, device=values.device)  # (B,S)
        for row, (here, start) in enumerate(zip(words, starts.tolist(), strict=True)):
            tokens[row, here] = torch.arange(start, start + len(here), device=values.device)
        inside = tokens >= 0
        best, at = values.masked_fill(~inside[..., None], -torch.inf).max(1)  # (B,U)
        new = (best > strength[:, -1]).any(0)  # (U)
        strength[new], order = torch.cat([strength[new], best[:, new].T], 1).topk(KEPT, 1)
        top[new] = torch.cat([top[new], tokens.gather(1, at[:, new]).T], 1).gather(1, order)
        flat, numbers = values[inside], tokens[inside].cpu().numpy()  # (T,U), (T)
        _, found, place = np.intersect1d(numbers, self.sample, return_indices=True)
        sampled[place] = flat[found]
        _widened(bars, reach, flat.abs().amax(0))
        first = torch.arange(units, device=values.device) * BARS
        bar = ((flat / reach + 1) * (BARS / 2)).long().clamp_(0, BARS - 1) + first
        bars += bar.flatten().bincount(minlength=bars.numel()).view_as(bars)


def _strengths(value: Tensor, model: Bert, layer: int, kind: UnitKind, directions: NDArray | None) -> Tensor:
    """What passed (...) -> (B,S,U)."""
    import torch

    if kind == "head":  # (B,N,S,D)
        weight = model.encoder.layer(layer).attention.output.weight.unflatten(1, (value.shape[1], -1))  # (H,N,D)
        return torch.einsum("bnsd,hnd->bsnh", value, weight).norm(dim=-1)
    return value if directions is None else value @ value.new_tensor(directions).T


def _without(value: Tensor, kind: UnitKind, unit: int, direction: NDArray | None) -> Tensor:
    """With 0 in place of the unit."""
    if direction is not None:
        along = value.new_tensor(direction)
        return value - (value @ along)[..., None] * along
    value = value.clone()
    value[(slice(None), unit) if kind == "head" else (..., unit)] = 0
    return value
