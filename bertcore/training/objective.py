"""From a pretraining batch to a loss with named parts, and what is logged of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from bertcore.data.batches import Batch
from bertcore.data.pairs import NO_LABEL
from bertcore.model.bert import Bert
from bertcore.model.torch_parts import divided_cross_entropy


@dataclass(frozen=True)
class Losses:
    """`parts` are unweighted, by the name of the head ("mlm", "nsp", ...); `total` is their weighted sum."""

    total: Tensor
    parts: dict[str, Tensor]
    logits: dict[str, Tensor]

    @classmethod
    def of(
        cls, parts: dict[str, Tensor], logits: dict[str, Tensor], weights: Mapping[str, float] | None = None
    ) -> Losses:
        """A part that `weights` does not name counts once."""
        weighted = [part * (weights or {}).get(name, 1.0) for name, part in parts.items()]
        return cls(sum(weighted[1:], weighted[0]), parts, logits)


Numbers = dict[str, float | None]  # by name; None: a batch of this kind has no such number
Totals = tuple[int, int]  # words to predict and labelled pairs, of all parts and processes together
LossesOfHeads = Callable[[Bert, Batch, dict[str, Tensor]], tuple[dict[str, Tensor], dict[str, Tensor]]]
_MOST_SHAPES = 32  # of batches: three lengths, causal or not, padded or not, in the usual and in the last part


def losses_of_heads(
    model: Bert, batch: Batch, counts: dict[str, Tensor]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Cross-entropy over all words, and over all pairs, by the name of the head; and the logits, without gradient.

    Each is divided by its head's count (), which is a tensor, so that torch.compile makes one graph for all batches of
    a shape. Only the rows that a loss reads leave the last layer: the chosen words, and each sequence's [CLS].
    """
    pair_head = model.pair_head
    batch_size, length = batch.input_ids.shape
    here = len(batch.rows)
    first = torch.arange(0, batch_size * length, length, device=batch.rows.device)  # [CLS] of each sequence
    rows = batch.rows if batch.causal else torch.cat([batch.rows, first])
    hidden = model(
        batch.input_ids, batch.segment_ids, batch.attention_mask, causal=batch.causal, rows=rows
    )  # (R,H) or (R+B,H)
    logits = {"mlm": model.mlm_logits(hidden[:here])}  # (R,V)
    labels = {"mlm": batch.labels}
    if pair_head is not None and not batch.causal:
        logits[pair_head] = model.logits(pair_head, hidden[here:])  # (B,2)
        labels[pair_head] = batch.next_sentence
    parts = {
        name: divided_cross_entropy(values, labels[name], counts[name], NO_LABEL) for name, values in logits.items()
    }
    return parts, {name: values.detach() for name, values in logits.items()}


def pretraining_loss(
    model: Bert,
    batch: Batch,
    next_sentence_weight: float = 1.0,
    totals: Totals | None = None,
    losses: LossesOfHeads = losses_of_heads,
) -> Losses:
    """Masked words (or, in a causal batch, next words) plus what the model has a head for: next sentence or order.

    In a causal batch the part "mlm" is the loss of the next word, and there is no "nsp" or "sop".
    `totals`: of a larger batch that this one is a part of; the losses are then this part's shares of the whole one's.
    `losses`: `losses_of_heads`, perhaps compiled.
    """
    words, pairs = totals or (batch.words, batch.pairs)
    words_count, pairs_count = (torch.full((), max(each, 1.0), device=batch.rows.device) for each in (words, pairs))
    counts = {"mlm": words_count, "nsp": pairs_count, "sop": pairs_count}
    parts, logits = losses(model, batch, counts)
    return Losses.of(parts, logits, {"nsp": next_sentence_weight, "sop": next_sentence_weight})


def compiled_losses() -> LossesOfHeads:
    """`losses_of_heads` in one graph with everything that the model does; a graph for each shape."""
    import torch._dynamo.config as compiler  # takes two seconds

    compiler.recompile_limit = max(compiler.recompile_limit, _MOST_SHAPES)
    return torch.compile(losses_of_heads, dynamic=False)


def word_accuracy(logits: Tensor, labels: Tensor, top: int = 1) -> float:
    """Share of rows (R,V) whose label is among the `top` highest logits."""
    if top == 1:
        return float((logits.argmax(dim=-1) == labels).float().mean())
    best = logits.topk(min(top, logits.shape[-1]), dim=-1).indices  # (R,top)
    return float((best == labels[:, None]).any(dim=-1).float().mean())


def next_sentence_accuracy(logits: Tensor, labels: Tensor) -> float | None:
    """Share of pairs (B,2) judged rightly; None where no sequence has a second part."""
    labelled = labels != NO_LABEL
    if not bool(labelled.any()):
        return None
    return float((logits.argmax(dim=-1) == labels)[labelled].float().mean())


def step_metrics(loss: Losses, batch: Batch, totals: Totals | None = None) -> Numbers:
    """A training step's losses and accuracies by name; None for what a batch of its kind does not have.

    Sentence order ("sop") is named only where the model learns it. With the `totals` of a larger batch, this part's
    share of each number: the shares of all parts add up to the number of the whole batch.
    """
    words, pairs = totals or (batch.words, batch.pairs)
    name = "next_word" if batch.causal else "mlm"
    values: Numbers = dict.fromkeys(
        ("loss", "mlm_loss", "mlm_accuracy", "next_word_loss", "next_word_accuracy", "nsp_loss", "nsp_accuracy")
    )
    values["loss"] = float(loss.total.detach())
    values[f"{name}_loss"] = float(loss.parts["mlm"].detach())
    accuracy = word_accuracy(loss.logits["mlm"].detach(), batch.labels)
    values[f"{name}_accuracy"] = accuracy * len(batch.labels) / words
    for head in sorted({"nsp", "sop"} & set(loss.parts)):
        values[f"{head}_loss"] = float(loss.parts[head].detach())
        right = next_sentence_accuracy(loss.logits[head].detach(), batch.next_sentence)
        values[f"{head}_accuracy"] = None if right is None else right * batch.pairs / max(pairs, 1)
    return values
