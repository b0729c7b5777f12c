"""What fires it? Where a neuron, a head or a direction is strongest in a collection, and whether that matters.

One pass for all units of a layer, that ends behind it. U units, B sentences of S tokens, K contexts. No torch but
inside functions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.interventions import check_layers, check_numbers
from bertcore.errors import BertcoreError
from bertcore.evidence.intervals import Interval, mean_interval
from bertcore.evidence.nearest import Tokens, Use, words_of
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

    tokens: Tokens
    kind: UnitKind
    layer: int  # from 0
    seed: int
    directions: NDArray[np.float32] | None  # (U,H), of length 1
    top: NDArray[np.int64]  # (U,K) tokens, the strongest first; -1 where there are fewer sentences
    strength: NDArray[np.float32]  # (U,K)
    bars: NDArray[np.int64]  # (U,BARS) how many of all tokens fall into each bar
    reach: NDArray[np.float32]  # (U)
    sample: NDArray[np.int64]  # (K) tokens of sentences at random
    sample_strength: NDArray[np.float32]  # (K,U)

    def contexts(self, unit: int) -> Records[Use]:
        """Those where it is strongest, without near-duplicates."""
        strength = dict(zip(self.top[unit].tolist(), self.strength[unit].tolist(), strict=True))
        return Records(self.tokens.use(token, strength[token]) for token in self._distinct(unit))

    def at_random(self, unit: int) -> Records[Use]:
        found = zip(self.sample.tolist(), self.sample_strength[:, unit].tolist(), strict=True)
        return Records(self.tokens.use(*each) for each in found)

    def words(self, unit: int, step: int = 0) -> list[tuple[str, int]]:
        """The tokens of the contexts, or those `step` behind (-1: before) them, and how often each stands there."""
        return self._words(self._beside(self._distinct(unit), step))

    @cached_property
    def clear(self) -> NDArray[np.float64]:
        """(U) the share of the strongest contexts that are one word. Words at random give `clear_by_chance`."""
        found = [self.tokens.ids[self._distinct(unit)] for unit in range(len(self.top))]
        return np.array([np.unique(ids, return_counts=True)[1].max() / len(ids) for ids in found])

    @property
    def clear_by_chance(self) -> float:
        return self._words(self.sample)[0][1] / len(self.sample)

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
        check_numbers(self.kind, [unit], len(self.top), f"layer {self.layer}")
        found = (self._gain(unit, tokens) for tokens in (self._distinct(unit), self.sample.tolist()))
        return Matters(*(mean_interval(each, self.seed) for each in found))

    def _gain(self, unit: int, tokens: Iterable[int]) -> NDArray[np.float64]:
        from bertcore.evidence.collection import Collection
        from bertcore.evidence.scoring import MaskedWords

        following = self._beside(tokens, 1)
        if not following:
            raise BertcoreError(f"No word follows where {self.kind} {unit} is strongest, so none can be hidden.")
        uses, about = [self.tokens.use(token, 0.0) for token in following], self.tokens.collection
        rows = Collection(about.name, tuple(about.rows[use.row] for use in uses), about.sha256)
        masked = MaskedWords(self.tokens.checkpoint, rows, masks=[[use.position] for use in uses])
        direction = None if self.directions is None else self.directions[unit]
        change = {
            f"layer.{self.layer}.{POINTS[self.kind]}": partial(_without, kind=self.kind, unit=unit, direction=direction)
        }
        return masked.answers(change).loss - masked.answers().loss

    def _distinct(self, unit: int) -> list[int]:
        return list(self.tokens.distinct(token for token in self.top[unit].tolist() if token >= 0))

    def _beside(self, tokens: Iterable[int], step: int) -> list[int]:
        """The tokens `step` away, where the sentence has not ended."""
        rows = self.tokens.rows_of
        return [token + step for token in tokens if token + step >= 0 and rows(token + step) == rows(token)]

    def _words(self, tokens: Iterable[int]) -> list[tuple[str, int]]:
        label = self.tokens.checkpoint.tokenizer.label
        return Counter(label(int(self.tokens.ids[token])) for token in tokens).most_common()


def fires(
    checkpoint: Checkpoint,
    collection: Collection[Any],
    layer: int,
    kind: UnitKind = "neuron",
    *,
    directions: NDArray | None = None,
    seed: int = 0,
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
    tokens, chance = Tokens(checkpoint, collection), np.random.default_rng(seed)
    rows = np.sort(chance.permutation(np.flatnonzero(np.diff(tokens.starts)))[:KEPT])
    sample = chance.integers(tokens.starts[rows], tokens.starts[rows + 1])
    kept: _Kept | None = None

    def look(batch: Batch, _: ReportProgress) -> list[None]:
        nonlocal kept
        record = Recorder(point.__eq__)
        list(islice(layer_states(model, batch, record, layer), layer + 2))
        values = _strengths(record[point], model, layer, kind, directions)  # (B,S,U)
        kept = kept or _Kept(values, sample)
        kept.add(values, [words_of(each) for each in batch.encodings], tokens.starts[batch.numbers])
        return [None] * len(batch.numbers)

    for_each(model, [*map(tokens.encode, range(len(collection)))], look, progress=progress)
    assert kept is not None
    arrays = (kept.top, kept.strength, kept.bars, kept.reach, kept.sampled)
    top, strength, bars, reach, sampled = (each.cpu().numpy() for each in arrays)
    return Fires(tokens, kind, layer, seed, directions, top, strength, bars, reach, sample, sampled)


class _Kept:
    """What is kept of all units in one pass: the strongest by a running threshold, so that few are ever sorted."""

    def __init__(self, like: Tensor, sample: NDArray[np.int64]) -> None:
        units, self.sample = like.shape[2], sample
        self.strength, self.top = like.new_full((units, KEPT), -np.inf), like.new_full((units, KEPT), -1).long()
        self.bars, self.reach = like.new_zeros((units, BARS)).long(), like.new_full((units,), 1 / 16)
        self.sampled = like.new_zeros((len(sample), units))

    def add(self, values: Tensor, words: list[list[int]], starts: NDArray[np.int64]) -> None:
        """Values (B,S,U) of a batch, the positions that count, and the number of the first token of each sentence."""
        import torch

        tokens = torch.full(values.shape[:2], -1, device=values.device)  # (B,S)
        for row, (here, start) in enumerate(zip(words, starts.tolist(), strict=True)):
            tokens[row, here] = torch.arange(start, start + len(here), device=values.device)
        inside = tokens >= 0
        best, at = values.masked_fill(~inside[..., None], -torch.inf).max(1)  # (B,U)
        new = (best > self.strength[:, -1]).any(0)  # (U)
        both = torch.cat([self.strength[new], best[:, new].T], 1)
        self.strength[new], order = both.topk(KEPT, 1)
        self.top[new] = torch.cat([self.top[new], tokens.gather(1, at[:, new]).T], 1).gather(1, order)
        flat, numbers = values[inside], tokens[inside].cpu().numpy()  # (T,U), (T)
        _, found, place = np.intersect1d(numbers, self.sample, return_indices=True)
        self.sampled[place] = flat[found]
        while (wide := flat.abs().amax(0) > self.reach).any():  # two bars become one
            pairs = self.bars[wide].view(-1, BARS // 2, 2).sum(2)
            self.bars[wide] = torch.nn.functional.pad(pairs, (BARS // 4, BARS // 4))
            self.reach[wide] *= 2
        units = torch.arange(values.shape[2], device=values.device) * BARS
        bar = ((flat / self.reach + 1) * (BARS / 2)).long().clamp_(0, BARS - 1) + units
        self.bars += bar.flatten().bincount(minlength=self.bars.numel()).view_as(self.bars)


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
