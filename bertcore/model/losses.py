"""What fine-tuning minimises, head by head, and the logits it came from. A label of -100 is not counted.

Pretraining has its own loss, on fewer rows: training/objective.py.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from bertcore.model.bert import Bert

NO_LABEL = -100


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
        total = weighted[0]
        for part in weighted[1:]:
            total = total + part
        return cls(total, parts, logits)


@dataclass(frozen=True)
class TaskBatch:
    """Sequences, and the right answers by head.

    labels: "classify" (B) labels, (B) numbers for regression or (B,K) 0 or 1 for several labels at once; "choice"
    (B/C), its sequences being the choices of one question on end; "tag" and "crf" (B,S); "span" (B,2) the answer's
    first and last token, or -100; "summarise" (R) 0 or 1, for the `rows` of that name.
    """

    input_ids: Tensor  # (B,S)
    segment_ids: Tensor | None
    attention_mask: Tensor | None
    labels: Mapping[str, Tensor]
    rows: Mapping[str, Tensor]  # "summarise": indices into B*S
    choices: int = 1


def task_losses(model: Bert, batch: TaskBatch) -> Losses:
    """One pass, and a loss for each head that `batch.labels` has answers for.

    Raises MissingHeadError for a head that the model does not have, ValueError for a name that is no head.
    """
    unknown = sorted(set(batch.labels) - set(_LOSSES))
    if unknown or not batch.labels:
        raise ValueError(
            f"no loss for {', '.join(unknown) or 'a batch without labels'}; there are {', '.join(_LOSSES)}"
        )
    rows = rows_read(batch, batch.labels)
    hidden = model(batch.input_ids, batch.segment_ids, batch.attention_mask, rows=rows)  # (B,S,H) or (R,H)
    parts, logits = {}, {}
    for head, labels in batch.labels.items():
        parts[head], logits[head] = _LOSSES[head](model, hidden, labels, batch)
    return Losses.of(parts, logits)


def rows_read(batch: TaskBatch, heads: Collection[str]) -> Tensor | None:
    """Indices into B*S of the hidden states that these heads read, so that the last layer computes no others.

    None where they read all of them.
    """
    length = batch.input_ids.shape[1]
    if set(heads) <= {"classify", "choice"}:  # [CLS] of each sequence
        return torch.arange(0, batch.input_ids.numel(), length, device=batch.input_ids.device)
    return batch.rows["summarise"] if set(heads) == {"summarise"} else None


def _cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    """Mean over the labels that count; 0 where none does."""
    losses = F.cross_entropy(logits.float(), labels, ignore_index=NO_LABEL, reduction="sum")
    return losses / (labels != NO_LABEL).sum().clamp(min=1)


def _firsts(hidden: Tensor) -> Tensor:
    """Hidden states of [CLS] (B,H), of all (B,S,H) or of the `rows_read`."""
    return hidden if hidden.ndim == 2 else hidden[:, 0]


def _classes(model: Bert, hidden: Tensor, labels: Tensor, batch: TaskBatch) -> tuple[Tensor, Tensor]:
    logits = model.classify_logits(_firsts(hidden))  # (B,K)
    problem = model.config.problem
    if problem == "regression":
        return F.mse_loss(logits.float().view(labels.shape), labels.float()), logits
    if problem == "multi_label_classification":
        return F.binary_cross_entropy_with_logits(logits.float(), labels.float()), logits
    return _cross_entropy(logits, labels), logits


def _choice(model: Bert, hidden: Tensor, labels: Tensor, batch: TaskBatch) -> tuple[Tensor, Tensor]:
    logits = model.choice_logits(_firsts(hidden), batch.choices)  # (B/C,C)
    return _cross_entropy(logits, labels), logits


def _tags(model: Bert, hidden: Tensor, labels: Tensor, batch: TaskBatch) -> tuple[Tensor, Tensor]:
    logits = model.tag_logits(hidden)  # (B,S,K)
    return _cross_entropy(logits.flatten(0, 1), labels.flatten()), logits


def _tag_sequences(model: Bert, hidden: Tensor, labels: Tensor, batch: TaskBatch) -> tuple[Tensor, Tensor]:
    """Negative log-likelihood of the whole tag sequences, by the word: on the scale of a tagger without a CRF."""
    logits = model.tag_logits(hidden)
    return -model.tag_log_likelihood(logits, labels).sum() / (labels >= 0).sum().clamp(min=1), logits


def _span(model: Bert, hidden: Tensor, labels: Tensor, batch: TaskBatch) -> tuple[Tensor, Tensor]:
    """Mean of two cross-entropies: where the answer begins and where it ends (Devlin et al. 2019, section 4.2)."""
    start, end = model.span_logits(hidden)  # 2 x (B,S)
    lowest = torch.finfo(start.dtype).min
    if batch.attention_mask is not None:
        start, end = (x.masked_fill(batch.attention_mask == 0, lowest) for x in (start, end))
    loss = (_cross_entropy(start, labels[:, 0]) + _cross_entropy(end, labels[:, 1])) / 2
    return loss, torch.stack([start, end], dim=-1)


def _sentences(model: Bert, hidden: Tensor, labels: Tensor, batch: TaskBatch) -> tuple[Tensor, Tensor]:
    if hidden.ndim == 3:
        hidden = hidden.flatten(0, 1)[batch.rows["summarise"]]  # (B,S,H) -> (R,H)
    logits = model.sentence_logits(hidden)  # (R)
    return F.binary_cross_entropy_with_logits(logits.float(), labels.float()), logits


_LOSSES: dict[str, Callable[[Bert, Tensor, Tensor, TaskBatch], tuple[Tensor, Tensor]]] = {
    "classify": _classes,
    "choice": _choice,
    "tag": _tags,
    "crf": _tag_sequences,
    "span": _span,
    "summarise": _sentences,
}
