"""What each head does, over many pairs of texts: looked at, switched off, or swapped in from the other text.

Of one pair a head may seem to carry everything; over 64 pairs it may do nothing. P pairs, L layers, N heads, S tokens,
H hidden, D head size.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertcore.analysis.effects import SMALLEST_DIFFERENCE
from bertcore.analysis.passes import Batch, as_text, chunks, grouped
from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.errors import BertcoreError
from bertcore.evidence.collection import Collection, Pair
from bertcore.evidence.intervals import Intervals, mean_intervals
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
    "attention": "attention from [MASK] to the word in which the texts differ",
    "gradient": "change where the head adds nothing, to first order: one backward pass for all heads",
}
MAX_TOKENS = 4096  # in one batch


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
        return [
            {
                "layer": layer,
                "head": head,
                **vars(self.means[layer, head]),
                "clear": bool(self.means.is_clear[layer, head]),
            }
            for layer, head in self.order()
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
    progress: ReportProgress = no_progress,
) -> HeadEvidence:
    """One number for each head and pair, and their means.

    Pairs that cannot be asked are left out and counted: a word of several tokens, texts of different length.
    Raises BertcoreError where none is left, or the model has no masked-word head.
    """
    if measure not in get_args(HeadMeasure):
        raise BertcoreError(f"There is no measure {measure!r}; choose one of {', '.join(get_args(HeadMeasure))}.")
    if "mlm" in checkpoint.missing:
        raise BertcoreError(checkpoint.missing["mlm"])
    asked, left = _askable(checkpoint, collection, needs_other=measure in ("swap", "attention"))
    model = checkpoint.model
    shape = model.encoder.depth, model.config.num_attention_heads
    values, scores, aims = np.zeros((len(asked), *shape)), np.zeros(len(asked)), np.zeros(len(asked))
    means = _mean_contexts(model, asked) if measure == "mean" else None
    done = 0
    for numbers in grouped([len(each.text) for each in asked], [len(each.text) for each in asked], alike=True):
        group = _Group(model, [asked[number] for number in numbers])
        found = group.measured(measure, means, partial(_part, progress, done, len(numbers), len(asked)))
        values[numbers], scores[numbers], aims[numbers] = found
        done += len(numbers)
    if measure == "swap":
        # of the mean difference, not of each pair's own, which may be next to nothing
        difference = float((aims - scores).mean())
        if abs(difference) < SMALLEST_DIFFERENCE:
            raise BertcoreError(f"On average the texts and the other texts of {collection.name} give the same score.")
        values /= difference
    about = collection.name, collection.sha256, seed
    pairs = tuple(each.pair for each in asked)
    return HeadEvidence(measure, *about, values, pairs, scores, (*collection.left_out, *left))


def _part(progress: ReportProgress, done: int, size: int, total: int, share: float) -> None:
    progress((done + share * size) / total)


@dataclass(frozen=True)
class _Asked:
    pair: Pair
    text: Encoding
    other: Encoding | None
    position: int  # of [MASK]
    differs: list[int]  # the tokens in which the texts differ
    wanted: int
    against: int


def _askable(
    checkpoint: Checkpoint, collection: Collection[Pair], *, needs_other: bool
) -> tuple[list[_Asked], list[str]]:
    tokenizer, most = checkpoint.tokenizer, checkpoint.config.max_length
    asked, why = list[_Asked](), dict[str, int]()
    for pair in collection.rows:
        text = tokenizer.encode(pair.text, max_length=most)
        other = tokenizer.encode(pair.other, max_length=most) if pair.other else None
        reason = ""
        if text.dropped or tokenizer.mask_id not in text.ids:
            reason = "texts longer than the model reads"
        elif needs_other and other is None:
            reason = "pairs without another text"
        elif needs_other and other is not None and len(other) != len(text):
            reason = "pairs whose texts differ in their number of tokens"
        else:
            position = text.ids.index(tokenizer.mask_id or 0)
            try:
                wanted, against = (word_id_at(word, tokenizer, text, position) for word in (pair.wanted, pair.against))
            except BertcoreError:
                reason = "words of several tokens"
            else:
                same = other is not None and len(other) == len(text)
                differs = [at for at in range(len(text)) if same and other and text.ids[at] != other.ids[at]]
                asked.append(_Asked(pair, text, other if same else None, position, differs, wanted, against))
        if reason:
            why[reason] = why.get(reason, 0) + 1
    left = [f"{count:,} {reason}" for reason, count in why.items()]
    if not asked:
        raise BertcoreError(f"No pair of {collection.name} can be asked: {'; '.join(left)}.")
    return asked, left


class _Group:
    """Pairs of one length, read side by side: (P,S)."""

    def __init__(self, model: Bert, asked: Sequence[_Asked]) -> None:
        self.model, self.asked = model, asked
        self.positions = torch.tensor([each.position for each in asked])
        self.words = torch.tensor([[each.wanted, each.against] for each in asked])  # (P,2)
        self.texts = Batch.of([as_text(model, each.text.ids, each.text.segments) for each in asked])

    def measured(
        self, measure: HeadMeasure, means: Tensor | None, progress: ReportProgress
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """(P,L,N), the score of the texts (P), and that of the other texts (P), 0 where they are not read."""
        depth, aim = self.model.encoder.depth, np.zeros(len(self.asked))
        if measure == "gradient":
            return *self._gradient(), aim
        contexts = [f"layer.{layer}.attention.context_heads" for layer in range(depth)]
        entering = hidden_points(depth)[:-1]
        probs = [f"layer.{layer}.attention.probs" for layer in range(depth)]
        record = Recorder({*entering, *probs}.__contains__)
        with torch.inference_mode():
            score = self._score(self.texts.hidden(self.model, record))
            if measure == "attention":
                return self._attention([record[point] for point in probs]), score, aim
            instead: list[Tensor] | None = None
            if measure == "swap":
                others = [each.other for each in self.asked if each.other is not None]
                batch = Batch.of([as_text(self.model, each.ids, each.segments) for each in others])
                of_other = Recorder(set(contexts).__contains__)
                aim = self._score(batch.hidden(self.model, of_other))
                instead = [of_other[point] for point in contexts]  # L x (P,N,S,D)
            elif means is not None:
                instead = [each[None, :, None, :] for each in means]  # L x (1,N,1,D)
            states = [record[point] for point in entering]
            found = np.stack(list(self._without(states, instead, progress)), axis=1) - score[:, None, None]
        return found, score, aim

    def _without(
        self, states: Sequence[Tensor], instead: Sequence[Tensor] | None, progress: ReportProgress
    ) -> Iterator[NDArray[np.float64]]:
        """For each layer, the score (P,N) where one head at a time adds something else."""
        count, heads = len(self.asked), self.model.config.num_attention_heads
        length = states[0].shape[1]
        for layer, entering in enumerate(states):
            found = np.empty(count * heads)
            for part in chunks(count * heads, length, MAX_TOKENS):
                variants = torch.arange(part.start, part.stop)
                rows, chosen = variants // heads, variants % heads
                change = partial(_replaced, rows, chosen, None if instead is None else instead[layer])
                x = self.model.encoder.layer(layer)(
                    entering[rows], hook=Intervention({"attention.context_heads": change})
                )
                found[part] = self._score(self._rest(x, layer + 1, rows), rows, at_mask=layer + 1 < len(states))
                progress((layer + part.stop / len(found)) / len(states))
            yield found.reshape(count, heads)

    def _rest(self, x: Tensor, start: int, rows: Tensor) -> Tensor:
        """The layers behind a changed one; of the last, only [MASK] (B,H), where one of them is left."""
        if start == self.model.encoder.depth:
            return self.model.encoder(x, start=start)
        wanted = torch.arange(len(x)) * x.shape[1] + self.positions[rows]
        return self.model.encoder(x, rows=wanted.to(x.device), start=start)

    def _score(self, hidden: Tensor, rows: Tensor | None = None, *, at_mask: bool = False) -> NDArray[np.float64]:
        """ln p(wanted) - ln p(unwanted), (B), from hidden states (B,S,H), or those of [MASK] alone (B,H)."""
        return self._contrast(hidden, rows, at_mask=at_mask).cpu().double().numpy()

    def _contrast(self, hidden: Tensor, rows: Tensor | None = None, *, at_mask: bool = False) -> Tensor:
        rows = torch.arange(len(self.asked)) if rows is None else rows
        if not at_mask:
            hidden = hidden[torch.arange(len(hidden)), self.positions[rows]]
        # the difference of two logits: the softmax' denominator, over the whole vocabulary, is the same for both
        mlm, words = self.model.mlm, self.words[rows].to(hidden.device)
        assert mlm is not None
        wanted, against = self.model.embeddings.token.weight[words].unbind(1)  # (B,E)
        biases = mlm.bias[words]
        return (mlm.projected(hidden) * (wanted - against)).sum(-1) + biases[:, 0] - biases[:, 1]

    def _attention(self, probs: Sequence[Tensor]) -> NDArray[np.float64]:
        """From [MASK] to the words in which the texts differ: (P,L,N)."""
        found = []
        for number, each in enumerate(self.asked):
            rows = torch.stack([layer[number, :, each.position] for layer in probs])  # (L,N,S)
            found.append(rows[..., each.differs].sum(-1).cpu().double().numpy())
        return np.stack(found)

    def _gradient(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Minus the sum of each head's context times its gradient: (P,L,N)."""
        kept: list[Tensor] = []

        def leaf(point: str, value: Tensor) -> Tensor:
            if point.endswith("attention.context_heads"):
                value = value.requires_grad_() if not value.requires_grad else value
                value.retain_grad()
                kept.append(value)
            return value

        with torch.inference_mode(False), torch.enable_grad():
            score = self._contrast(self.texts.hidden(self.model, Hook(leaf)))
            gradients = torch.autograd.grad(score.sum(), kept)
        found = [-(value * gradient).sum((2, 3)) for value, gradient in zip(kept, gradients, strict=True)]  # L x (P,N)
        stacked = torch.stack(found, dim=1).detach().cpu().double().numpy()
        return stacked, score.detach().cpu().double().numpy()


def _replaced(rows: Tensor, heads: Tensor, instead: Tensor | None, value: Tensor) -> Tensor:
    """Variant b (B,N,S,D): its head becomes that of its pair's other text (P,N,S,D), the mean (1,N,1,D), or 0."""
    value = value.clone()
    here = torch.arange(len(rows))
    if instead is None:
        value[here, heads] = 0
    else:
        value[here, heads] = instead[rows if len(instead) > 1 else torch.zeros_like(rows), heads]
    return value


@torch.inference_mode()
def _mean_contexts(model: Bert, asked: Sequence[_Asked]) -> Tensor:
    """What each head adds on average over all tokens of all texts: (L,N,D)."""
    total, tokens = None, 0
    for numbers in grouped([len(each.text) for each in asked], [len(each.text) for each in asked], alike=True):
        batch = Batch.of([as_text(model, asked[number].text.ids, asked[number].text.segments) for number in numbers])
        record = Recorder(lambda point: point.endswith("attention.context_heads"))
        batch.hidden(model, record)
        points = [f"layer.{layer}.attention.context_heads" for layer in range(model.encoder.depth)]
        sums = torch.stack([record[point].sum((0, 2)) for point in points])  # (L,N,D)
        total = sums if total is None else total + sums
        tokens += batch.ids.numel()
    assert total is not None
    return total / tokens
