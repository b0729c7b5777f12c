"""What each head does, over many pairs of texts: looked at, switched off, or swapped in from the other text.

Of one pair a head may seem to carry everything; over 64 pairs it may do nothing. P pairs, L layers, N heads, S tokens,
H hidden, D head size.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertcore.analysis.effects import SMALLEST_DIFFERENCE, head_effects
from bertcore.analysis.passes import Text, as_doubles, as_text
from bertcore.analysis.targets import Target
from bertcore.analysis.trace import mean_activations
from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.errors import BertcoreError
from bertcore.evidence.collection import Collection, Pair
from bertcore.evidence.intervals import Intervals, mean_intervals
from bertcore.evidence.shards import Arrays, Shard
from bertcore.model.bert import Bert
from bertcore.model.hooks import Hook, Recorder
from bertcore.progress import ReportProgress, no_progress
from bertcore.table import Table
from bertcore.tokenizer.tokenizer import Encoding, word_id_at

AT_ONCE = 8  # pairs, of what shards share
HeadMeasure = Literal["swap", "zero", "mean", "attention", "gradient"]
MEASURES: dict[HeadMeasure, str] = {
    "swap": "share of the mean difference between the texts that the head brings along from the other",
    "zero": "change of ln p(wanted) - ln p(unwanted) where the head adds nothing",
    "mean": "change of ln p(wanted) - ln p(unwanted) where the head adds what it adds on average",
    "attention": "attention from [MASK] to the tokens in which the texts differ",
    "gradient": "change where the head adds nothing, to first order: one backward pass for all heads",
}


class PairEffect(NamedTuple):
    """What one head does in one pair."""

    pair: Pair
    effect: float
    score: float  # ln p(wanted) - ln p(unwanted) of the text as it is
    is_counter: bool  # the effect has the other sign than on average


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

    def pairs_by_effect(self, layer: int, head: int) -> list["PairEffect"]:
        """The pairs, that in which this head does most, in the direction of its mean, first; counter-examples last."""
        sign = float(np.sign(self.means.value[layer, head])) or 1.0
        each = zip(self.pairs, self.values[:, layer, head].tolist(), self.score.tolist(), strict=True)
        found = [PairEffect(pair, effect, score, effect * sign < 0) for pair, effect, score in each]
        return sorted(found, key=lambda one: -one.effect * sign)


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
    model, usual = checkpoint.model, list[Tensor]()
    if measure == "mean":  # of all texts, whatever the shard
        means = mean_activations(model, [each.text for each in asked], _contexts(model))
        usual = [torch.from_numpy(each)[None, :, None].to(model.embeddings.token.weight) for each in means.values()]

    def measured(numbers: range, part: ReportProgress) -> Arrays:
        found = []
        for done, number in enumerate(numbers, 1):
            found.append(asked[number].measured(model, measure, usual))
            part(done / len(numbers))
        values, score, other = map(np.array, zip(*found, strict=True))
        return {"values": values, "score": score, "other": other, "pair": np.array(numbers)}

    shard, about = shard or Shard(), ("heads", measure, collection.sha256)
    found = shard.over(checkpoint, about, len(asked), measured, progress, size=AT_ONCE)
    values = found["values"]
    if measure == "swap":
        # of the mean difference, not of each pair's own, which may be next to nothing
        difference = float((found["other"] - found["score"]).mean())
        if abs(difference) < SMALLEST_DIFFERENCE and not shard.is_part:
            raise BertcoreError(f"On average the texts and the other texts of {collection.name} give the same score.")
        values = values / difference
    pairs = tuple(asked[number].pair for number in found["pair"].tolist())
    of = measure, collection.name, collection.sha256, seed
    return HeadEvidence(*of, values, pairs, found["score"], (*collection.left_out, *left))


def _contexts(model: Bert) -> list[str]:
    """Where what each layer's heads add passes."""
    return [f"layer.{layer}.attention.context_heads" for layer in range(model.encoder.depth)]


class _Contrast(Target):
    """ln p(index) - ln p(against) at [MASK]: the difference of two logits, as both have one denominator."""

    def read(self, model: Bert, hidden: Tensor) -> Tensor:
        """Hidden states of [MASK] (B,H) -> (B), without the logits of all other words."""
        assert model.mlm is not None and self.against is not None
        words = [self.index, self.against]
        (wanted, against), biases = model.embeddings.token.weight[words], model.mlm.bias[words]
        return model.mlm.projected(hidden) @ (wanted - against) + biases[0] - biases[1]


@dataclass(frozen=True)
class _Asked:
    pair: Pair
    text: Encoding
    other: Encoding | None  # of the same number of tokens
    target: Target

    def measured(
        self, model: Bert, measure: HeadMeasure, usual: Sequence[Tensor]
    ) -> tuple[NDArray[np.float64], float, float]:
        """(L,N), the score of the text, and that of the other, where it is read."""
        text, points = as_text(model, self.text.ids, self.text.segments), _contexts(model)
        if measure == "gradient":
            return *self._gradient(model, text), 0.0
        other, instead, aim = self.other, list(usual), 0.0
        if measure == "attention":
            record = Recorder(lambda point: point.endswith("attention.probs"))
            with torch.inference_mode():
                score = float(self.target.of(model, text.hidden(model, record)))
            rows = [record[point.replace("context_heads", "probs")][0, :, self.target.position] for point in points]
            differs = np.not_equal(self.text.ids, [] if other is None else other.ids)
            return as_doubles(torch.stack(rows))[..., differs].sum(-1), score, aim  # of (L,N,S)
        if measure == "swap" and other is not None:
            record = Recorder(points.__contains__)
            with torch.inference_mode():
                hidden = as_text(model, other.ids, other.segments).hidden(model, record)
                aim, instead = float(self.target.of(model, hidden)), [record[point] for point in points]
        score, effects = head_effects(model, text, self.target, instead=instead)
        return effects, score, aim

    def _gradient(self, model: Bert, text: Text) -> tuple[NDArray[np.float64], float]:
        """Minus the sum of each head's context times its gradient: (L,N), and the score."""
        kept: list[Tensor] = []

        def leaf(point: str, value: Tensor) -> Tensor:
            if point.endswith("attention.context_heads"):
                kept.append(value if value.requires_grad else value.requires_grad_())
            return value

        with torch.inference_mode(False), torch.enable_grad():
            score = self.target.of(model, text.hidden(model, Hook(leaf))).sum()
            gradients = torch.autograd.grad(score, kept)
        found = [-(value * each).sum((0, 2, 3)) for value, each in zip(kept, gradients, strict=True)]  # L x (N)
        return as_doubles(torch.stack(found)), float(score.detach())


def _askable(
    checkpoint: Checkpoint, collection: Collection[Pair], *, needs_other: bool
) -> tuple[list[_Asked], list[str]]:
    tokenizer = checkpoint.tokenizer
    asked, why = list[_Asked](), Counter[str]()
    for pair in collection.rows:
        text = checkpoint.encode(pair.text)
        other = checkpoint.encode(pair.other) if pair.other else None
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
                target = _Contrast("mlm", wanted, at, against=against)
                asked.append(_Asked(pair, text, other if is_alike else None, target))
    left = [f"{count:,} {reason}" for reason, count in why.items()]
    if not asked:
        raise BertcoreError(f"No pair of {collection.name} can be asked: {'; '.join(left)}.")
    return asked, left
