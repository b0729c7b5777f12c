"""What a checkpoint makes of a batch: the loss of each token to predict, and what it would have put there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional as F

from bertcore.data.batches import in_parts
from bertcore.data.pairs import NO_LABEL
from bertcore.model.bert import Bert
from bertcore.model.torch_parts import evaluation_mode
from bertcore.progress import ReportProgress
from bertcore.training.drawn_batches import DrawnBatch

TOP = 4  # guesses that are kept of each token
_TOKENS_AT_ONCE = 2048


@dataclass(frozen=True, eq=False)
class BatchLosses:
    """Of B sequences of S tokens; where nothing is predicted losses are NaN, ranks and guesses 0.

    `losses` (B,S) in nats. `ranks` (B,S): 1 where the model's first guess is right. `guesses` and `probabilities`
    (B,S,TOP): ids, the most likely first. `second` (B): the probability of pair label 1 (random, swapped); NaN where
    the model was not asked. `pair_losses` (B) in nats. The mean losses are those that a step of training logs.
    """

    losses: NDArray[np.float32]
    ranks: NDArray[np.int64]
    guesses: NDArray[np.int64]
    probabilities: NDArray[np.float32]
    second: NDArray[np.float32]
    pair_losses: NDArray[np.float32]

    @property
    def word_loss(self) -> float:
        """Mean over the tokens to predict: "mlm_loss", or "next_word_loss", of the log."""
        return float(np.nanmean(self.losses))

    @property
    def pair_loss(self) -> float | None:
        """Mean over the pairs: "nsp_loss" or "sop_loss" of the log; None where there are none."""
        return None if np.isnan(self.pair_losses).all() else float(np.nanmean(self.pair_losses))

    @property
    def accuracy(self) -> float:
        """Share of the tokens to predict whose first guess is right."""
        return float((self.ranks == 1).sum() / max(1, (self.ranks > 0).sum()))


@torch.inference_mode()
def batch_losses(model: Bert, drawn: DrawnBatch, progress: ReportProgress = lambda share: None) -> BatchLosses:
    """In fp32 and without dropout, some sequences at a time."""
    count, length = drawn.ids.shape
    result = BatchLosses(
        np.full((count, length), np.nan, dtype=np.float32),
        np.zeros((count, length), dtype=np.int64),
        np.zeros((count, length, TOP), dtype=np.int64),
        np.zeros((count, length, TOP), dtype=np.float32),
        np.full(count, np.nan, dtype=np.float32),
        np.full(count, np.nan, dtype=np.float32),
    )
    first = 0
    with evaluation_mode(model):
        for part in in_parts(drawn.batch, max(1, -(-count * length // _TOKENS_AT_ONCE))):
            progress(first / count)
            hidden = model(part.input_ids, part.segment_ids, part.attention_mask, causal=part.causal)  # (B,S,H)
            rows, labels = part.rows, part.labels
            logits = model.mlm_logits(hidden.flatten(0, 1)[rows]).float()  # (R,V)
            places = first * length + rows.numpy()
            result.losses.reshape(-1)[places] = F.cross_entropy(logits, labels, reduction="none").numpy()
            top = logits.softmax(dim=-1).topk(min(TOP, logits.shape[-1]))
            better = logits > logits.gather(1, labels[:, None])
            result.ranks.reshape(-1)[places] = 1 + better.sum(dim=-1).numpy()
            result.guesses.reshape(-1, TOP)[places, : top.indices.shape[1]] = top.indices.numpy()
            result.probabilities.reshape(-1, TOP)[places, : top.values.shape[1]] = top.values.numpy()
            if model.pair_head is not None and not part.causal:
                answers = model.logits(model.pair_head, hidden[:, 0]).float()  # (B,2)
                asked = part.next_sentence != NO_LABEL
                here = first + np.flatnonzero(asked.numpy())
                result.second[here] = answers.softmax(dim=-1)[asked, 1].numpy()
                result.pair_losses[here] = F.cross_entropy(
                    answers[asked], part.next_sentence[asked], reduction="none"
                ).numpy()
            first += len(part.input_ids)
    return result
