"""From a batch to a loss with named parts."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from bertcore.data.batches import Batch
from bertcore.data.pairs import NO_LABEL
from bertcore.model.bert import Bert
from bertcore.model.losses import Losses, labelled_mean

Numbers = dict[str, float | None]  # by name; None: a batch of this kind has no such number


@dataclass(frozen=True)
class BatchTensors:
    """A Batch on the model's device; see there for the shapes."""

    input_ids: Tensor
    segment_ids: Tensor
    attention_mask: Tensor | None
    rows: Tensor
    labels: Tensor
    next_sentence: Tensor
    causal: bool

    @classmethod
    def of(cls, batch: Batch, device: torch.device | str = "cpu") -> BatchTensors:
        mask = None if batch.attention_mask is None else torch.from_numpy(batch.attention_mask)
        return cls(
            input_ids=torch.from_numpy(batch.input_ids),
            segment_ids=torch.from_numpy(batch.segment_ids),
            attention_mask=mask,
            rows=torch.from_numpy(batch.rows),
            labels=torch.from_numpy(batch.labels),
            next_sentence=torch.from_numpy(batch.next_sentence),
            causal=batch.causal,
        ).to(torch.device(device))

    def to(self, device: torch.device) -> BatchTensors:
        mask = None if self.attention_mask is None else self.attention_mask.to(device)
        return BatchTensors(
            input_ids=self.input_ids.to(device),
            segment_ids=self.segment_ids.to(device),
            attention_mask=mask,
            rows=self.rows.to(device),
            labels=self.labels.to(device),
            next_sentence=self.next_sentence.to(device),
            causal=self.causal,
        )


def pretraining_loss(
    model: Bert, batch: BatchTensors, next_sentence_weight: float = 1.0, totals: tuple[int, int] | None = None
) -> Losses:
    """Masked words (or, in a causal batch, next words) plus what the model has a head for: next sentence or order.

    Only the rows that a loss reads leave the last layer: the chosen words, and each sequence's [CLS].
    In a causal batch the part "mlm" is the loss of the next word, and there is no "nsp" or "sop".
    `totals`: the words to predict and the labelled pairs of a larger batch that this one is a part of; the losses are
    then this part's shares of the whole one's.
    """
    pair_head = "nsp" if model.nsp is not None else "sop" if model.sop is not None else None
    batch_size, length = batch.input_ids.shape
    words = len(batch.rows)
    first = torch.arange(0, batch_size * length, length, device=batch.rows.device)  # [CLS] of each sequence
    rows = batch.rows if batch.causal else torch.cat([batch.rows, first])
    hidden = model(
        batch.input_ids, batch.segment_ids, batch.attention_mask, causal=batch.causal, rows=rows
    )  # (R,H) or (R+B,H)
    word_logits = model.mlm_logits(hidden[:words])
    if totals is None:
        mlm = F.cross_entropy(word_logits.float(), batch.labels)
    else:
        mlm = F.cross_entropy(word_logits.float(), batch.labels, reduction="sum") / totals[0]
    if batch.causal or pair_head is None:
        return Losses.of({"mlm": mlm}, {"mlm": word_logits})
    pooled = model.pool(hidden[words:])
    pair_logits = model.nsp_logits(pooled) if pair_head == "nsp" else model.sop_logits(pooled)
    losses = F.cross_entropy(pair_logits.float(), batch.next_sentence, ignore_index=NO_LABEL, reduction="none")
    pair = labelled_mean(losses, batch.next_sentence) if totals is None else losses.sum() / max(totals[1], 1)
    logits = {"mlm": word_logits, pair_head: pair_logits}
    return Losses.of({"mlm": mlm, pair_head: pair}, logits, {pair_head: next_sentence_weight})


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


def step_metrics(loss: Losses, batch: BatchTensors) -> Numbers:
    """A training step's losses and accuracies by name; None for what a batch of its kind does not have.

    Sentence order ("sop") is named only where the model learns it.
    """
    words = "next_word" if batch.causal else "mlm"
    values: Numbers = dict.fromkeys(
        ("loss", "mlm_loss", "mlm_accuracy", "next_word_loss", "next_word_accuracy", "nsp_loss", "nsp_accuracy")
    )
    values["loss"] = float(loss.total.detach())
    values[f"{words}_loss"] = float(loss.parts["mlm"].detach())
    values[f"{words}_accuracy"] = word_accuracy(loss.logits["mlm"].detach(), batch.labels)
    for head in sorted({"nsp", "sop"} & set(loss.parts)):
        values[f"{head}_loss"] = float(loss.parts[head].detach())
        values[f"{head}_accuracy"] = next_sentence_accuracy(loss.logits[head].detach(), batch.next_sentence)
    return values


def shares_of_metrics(loss: Losses, batch: BatchTensors, totals: tuple[int, int] | None) -> Numbers:
    """`step_metrics` of a part of a larger batch of `totals` words and pairs: what all parts add up to is the whole's.

    Losses are shares already; None for `totals`: the batch is the whole one.
    """
    own = step_metrics(loss, batch)
    if totals is None:
        return own
    words, pairs = totals
    labelled = int((batch.next_sentence != NO_LABEL).sum())
    shares = {f"{head}_accuracy": len(batch.labels) / words for head in ("mlm", "next_word")}
    shares |= {f"{head}_accuracy": labelled / max(pairs, 1) for head in ("nsp", "sop")}
    return {name: None if value is None else value * shares.get(name, 1.0) for name, value in own.items()}
