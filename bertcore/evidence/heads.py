"""What each head does, over many pairs of texts: looked at, switched off, or swapped in from the other text.

Of one pair a head may seem to carry everything; over 64 pairs it may do nothing. P pairs, L layers, N heads, S tokens,
H hidden, D head size; B variants, each a pair with one head changed.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertcore.analysis.effects import SMALLEST_DIFFERENCE
from bertcore.analysis.passes import MAX_TOKENS, Batch, as_doubles, as_text, chunks, grouped
from bertcore.analysis.trace import mean_activations
from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.errors import BertcoreError
from bertcore.evidence.collection import Collection, Pair
from bertcore.evidence.intervals import Intervals, mean_intervals
from bertcore.evidence.shards import Arrays, Shard
from bertcore.model.bert import Bert
from bertcore.model.hooks import Hook, Intervention, Recorder, hidden_points
from bertcore.progress import ReportProgress, no_progress
from bertcore.table import Table
from bertcore.tokenizer.tokenizer import Encoding, word_id_at

HeadMeasure = Literal["swap", "zero", "mean", "attention", "gradient"]
MEASURES: dict[HeadMeasure, str] = {
    "swap": "share of the mean difference between the texts that the head brings along from the other",
    "zero": "change of ln p(wanted) - ln p(unwanted) where the head adds nothing",
    "mean": "change of ln p(wanted) - ln p(unwanted) where the head adds what it adds on average",
    "attention": "attention from [MASK] to the tokens in which the texts differ",
    "gradient": "change where the head adds nothing, to first order: one backward pass for all heads",
}


@dataclass(frozen=True, eq=False, repr=False)
class HeadEvidence(Table):
    """One measure of every head, over pairs; intervals are for all heads together."""

    measure: HeadMeasure
    collection: str
    sha256: str
    seed: int
    values: NDArray[np.float64]  # (P,L,N) of each pair that counts
    pairs: tuple[Pair, ...]  # (P)
    score: NDArray[np.float64]  # (P) ln p(wanted) - ln p(unwanted) of the text as it is
    left_out: tuple[str, ...] = ()
    means: Intervals = field(init=False)  # (L,N)

    def __post_init__(self) -> None:
        object.__setattr__(self, "means", mean_intervals(self.values, self.seed, together=True))

    def order(self) -> list[tuple[int, int]]:
        """All heads (layer, head), from 0: that of the largest mean effect, either way, first."""
        flat = np.argsort(-np.abs(self.means.value), axis=None, kind="stable").tolist()
        return [divmod(each, self.values.shape[2]) for each in flat]

    def rows(self) -> list[dict[str, Any]]:
        clear = self.means.is_clear
        return [
            {"layer": at[0], "head": at[1], **vars(self.means[at]), "clear": bool(clear[at])} for at in self.order()
        ]

    def pairs_by_effect(self, layer: int, head: int) -> list[tuple[Pair, float]]:
        """The pairs, that in which this head does most first; counter-examples come last."""
        values = self.values[:, layer, head]
        return [(self.pairs[at], float(values[at])) for at in np.argsort(-values, kind="stable").tolist()]


def heads_over_pairs(
    checkpoint: Checkpoint,
    collection: Collection[Pair],
    measure: HeadMeasure = "swap",
    *,
    seed: int = 0,
    shard: Shard | None = None,
    progress: ReportProgress = no_progress,
) -> HeadEvidence:
    """One number for each head and pair, and their means; of a shard, for its pairs.

    Pairs that cannot be asked are left out and counted: a word of several tokens, texts of different length.
    Raises BertcoreError where none is left, or the model has no masked-word head.
    """
    if measure not in MEASURES:
        raise BertcoreError(f"There is no measure {measure!r}; choose one of {', '.join(MEASURES)}.")
    if "mlm" in checkpoint.missing:
        raise BertcoreError(checkpoint.missing["mlm"])
    asked, left = _askable(checkpoint, collection, needs_other=measure in ("swap", "attention"))
    model, lengths = checkpoint.model, [len(each.text) for each in asked]

    @cache
    def usual() -> list[Tensor]:
        points = _points(model, "attention.context_heads")
        means = mean_activations(model, [each.text for each in asked], points)  # of all, whatever the shard
        return [torch.from_numpy(means[point])[None, :, None] for point in points]  # L x (1,N,1,D)

    def measured(numbers: list[int], part: ReportProgress) -> Arrays:
        return _Group(model, [asked[number] for number in numbers]).measured(measure, usual, part)

    numbers, found = (shard or Shard()).over(
        checkpoint, ("heads", measure, collection.sha256), grouped(lengths, lengths, alike=True), measured, progress
    )
    values = found["values"]
    if measure == "swap":
        # of the mean difference, not of each pair's own, which may be next to nothing
        difference = float((found["other"] - found["score"]).mean())
        if abs(difference) < SMALLEST_DIFFERENCE:
            raise BertcoreError(f"On average the texts and the other texts of {collection.name} give the same score.")
        values = values / difference
    order = np.argsort(numbers)
    pairs = tuple(asked[number].pair for number in numbers[order])
    about = measure, collection.name, collection.sha256, seed
    return HeadEvidence(*about, values[order], pairs, found["score"][order], (*collection.left_out, *left))


def _points(model: Bert, part: str) -> list[str]:
    return [f"layer.{layer}.{part}" for layer in range(model.encoder.depth)]


@dataclass(frozen=True)
class _Asked:
    pair: Pair
    text: Encoding
    other: Encoding | None  # of the same number of tokens
    position: int  # of [MASK]
    words: tuple[int, int]  # wanted and unwanted

    @property
    def differs(self) -> NDArray[np.bool_]:
        """(S) where the texts do."""
        return np.not_equal(self.text.ids, self.text.ids if self.other is None else self.other.ids)


def _askable(
    checkpoint: Checkpoint, collection: Collection[Pair], *, needs_other: bool
) -> tuple[list[_Asked], list[str]]:
    tokenizer, most = checkpoint.tokenizer, checkpoint.config.max_length
    asked, why = list[_Asked](), Counter[str]()
    for pair in collection.rows:
        text = tokenizer.encode(pair.text, max_length=most)
        other = tokenizer.encode(pair.other, max_length=most) if pair.other else None
        is_alike = other is not None and len(other) == len(text) and not other.dropped
        if text.dropped or tokenizer.mask_id not in text.ids:
            why["texts longer than the model reads, or without a mask"] += 1
        elif needs_other and not is_alike:
            why[
                "pairs " + ("without another text" if not other else "whose texts differ in their number of tokens")
            ] += 1
        else:
            at = text.ids.index(tokenizer.mask_id)
            try:
                wanted, against = (word_id_at(word, tokenizer, text, at) for word in (pair.wanted, pair.against))
            except BertcoreError:
                why["words of several tokens"] += 1
            else:
                asked.append(_Asked(pair, text, other if is_alike else None, at, (wanted, against)))
    left = [f"{count:,} {reason}" for reason, count in why.items()]
    if not asked:
        raise BertcoreError(f"No pair of {collection.name} can be asked: {'; '.join(left)}.")
    return asked, left


class _Group:
    """Pairs of one length, read side by side: (P,S)."""

    def __init__(self, model: Bert, asked: Sequence[_Asked]) -> None:
        self.model, self.asked, self.device = model, asked, model.embeddings.token.weight.device
        self.positions = torch.tensor([each.position for each in asked], device=self.device)
        self.words = torch.tensor([each.words for each in asked], device=self.device)  # (P,2)
        self.rows = torch.arange(len(asked), device=self.device)

    def measured(self, measure: HeadMeasure, usual: Callable[[], list[Tensor]], progress: ReportProgress) -> Arrays:
        """ "values" (P,L,N), "score" of the texts (P), and that of the "other" texts (P), where they are read."""
        texts = [each.text for each in self.asked]
        if measure == "gradient":
            return self._gradient(texts)
        states, probs = hidden_points(self.model.encoder.depth)[:-1], _points(self.model, "attention.probs")
        context = _points(self.model, "attention.context_heads")
        others = [each.other for each in self.asked if each.other is not None] if measure == "swap" else []
        with torch.inference_mode():
            record, of_other = Recorder({*states, *probs}.__contains__), Recorder(set(context).__contains__)
            score = self._contrast(self._read(texts, record), self.rows)  # (P)
            found = {"score": as_doubles(score)}
            if measure == "attention":
                differs = torch.from_numpy(np.stack([each.differs for each in self.asked])).to(score)  # (P,S)
                looks = [record[point][self.rows, :, self.positions] for point in probs]  # L x (P,N,S)
                return found | {"values": as_doubles(torch.stack([(x * differs[:, None]).sum(-1) for x in looks], 1))}
            if others:
                found["other"] = as_doubles(self._contrast(self._read(others, of_other), self.rows))
            instead = [of_other[point] for point in context] if others else usual() if measure == "mean" else None
            changed = []
            for layer, point in enumerate(states):
                added = None if instead is None else instead[layer].to(score)
                changed.append(self._without(layer, record[point], added))
                progress((layer + 1) / len(states))
            return found | {"values": np.stack(changed, axis=1) - found["score"][:, None, None]}

    def _read(self, texts: Sequence[Encoding], hook: Hook) -> Tensor:
        return Batch.of([as_text(self.model, each.ids, each.segments) for each in texts]).hidden(self.model, hook)

    def _without(self, layer: int, entering: Tensor, instead: Tensor | None) -> NDArray[np.float64]:
        """The score (P,N) where one head of the layer at a time adds that of the other text (P,N,S,D), the mean
        (1,N,1,D), or nothing."""
        heads, length, encoder = self.model.config.num_attention_heads, entering.shape[1], self.model.encoder
        found = []
        for part in chunks(len(self.asked) * heads, length, MAX_TOKENS):
            variants = torch.arange(part.start, part.stop, device=self.device)
            rows, chosen, here = variants // heads, variants % heads, variants - part.start

            def change(value: Tensor) -> Tensor:  # (B,N,S,D)
                value = value.clone()
                value[here, chosen] = 0 if instead is None else instead[rows % len(instead), chosen]  # noqa: B023
                return value

            x = encoder.layer(layer)(entering[rows], hook=Intervention({"attention.context_heads": change}))
            at_masks = here * length + self.positions[rows]
            found.append(as_doubles(self._contrast(encoder(x, rows=at_masks, start=layer + 1), rows)))
        return np.concatenate(found).reshape(-1, heads)

    def _contrast(self, hidden: Tensor, rows: Tensor) -> Tensor:
        """ln p(wanted) - ln p(unwanted), (B), from hidden states (B,S,H), or those of [MASK] alone (B,H): the
        difference of two logits, as the softmax' denominator is the same."""
        if hidden.dim() == 3:
            hidden = hidden[torch.arange(len(rows), device=self.device), self.positions[rows]]
        mlm, words = self.model.mlm, self.words[rows]
        assert mlm is not None
        wanted, against = self.model.embeddings.token.weight[words].unbind(1)  # (B,E)
        biases = mlm.bias[words]
        return (mlm.projected(hidden) * (wanted - against)).sum(-1) + biases[:, 0] - biases[:, 1]

    def _gradient(self, texts: Sequence[Encoding]) -> Arrays:
        """Minus the sum of each head's context times its gradient: (P,L,N)."""
        kept: list[Tensor] = []

        def leaf(point: str, value: Tensor) -> Tensor:
            if point.endswith("attention.context_heads"):
                value = value if value.requires_grad else value.requires_grad_()
                kept.append(value)
            return value

        with torch.inference_mode(False), torch.enable_grad():
            score = self._contrast(self._read(texts, Hook(leaf)), self.rows)
            gradients = torch.autograd.grad(score.sum(), kept)
        found = [-(value * gradient).sum((2, 3)) for value, gradient in zip(kept, gradients, strict=True)]  # L x (P,N)
        return {"values": as_doubles(torch.stack(found, dim=1)), "score": as_doubles(score)}
