"""The held-out sequences in which a pretrained model finds the masked words most easily, and those it finds hardest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.model.bert import Bert
from bertcore.tasks.metrics import ranked
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.objective import BatchTensors

EXAMPLES_SHOWN = 10


@dataclass(frozen=True)
class _Guesses:
    """Of the R masked places of a batch: probability of the right word, and the likeliest word with its own."""

    right: NDArray[np.float64]
    best: NDArray[np.int64]
    best_share: NDArray[np.float64]

    @classmethod
    def of(cls, logits: torch.Tensor, labels: torch.Tensor) -> _Guesses:
        shares = logits.float().softmax(dim=-1)  # (R,V)
        best_share, best = shares.max(dim=-1)
        right = shares.gather(1, labels[:, None])[:, 0]
        return cls(right.double().cpu().numpy(), best.cpu().numpy(), best_share.double().cpu().numpy())


@torch.no_grad()
def best_and_worst(
    model: Bert, batches: list[BatchTensors], tokenizer: Tokenizer, count: int = EXAMPLES_SHOWN
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The `count` sequences with the lowest mean loss over their masked words, best first, and the `count` with the
    highest, worst first, as JSON holds them: {"example": {"text_a", "text_b"}, "right", "given", "loss", "words"}.
    """
    was_training = model.training
    model.eval()
    guesses, losses, places = [], [], []
    for number, batch in enumerate(batches):
        hidden = model(batch.input_ids, batch.segment_ids, batch.attention_mask, rows=batch.rows)  # (R,H)
        guess = _Guesses.of(model.mlm_logits(hidden), batch.labels)
        guesses.append(guess)
        of_row = batch.rows.cpu().numpy() // batch.input_ids.shape[1]
        surprise = -np.log(np.maximum(guess.right, 1e-300))
        for sequence in range(len(batch.input_ids)):
            losses.append(float(surprise[of_row == sequence].mean()) if (of_row == sequence).any() else np.nan)
            places.append((number, sequence))
    model.train(was_training)

    def described(at: int) -> dict[str, Any]:
        number, sequence = places[at]
        return {**_described(batches[number], guesses[number], sequence, tokenizer), "loss": round(losses[at], 4)}

    best, worst = ranked(losses, count)
    return [described(at) for at in best], [described(at) for at in worst]


def _described(batch: BatchTensors, guesses: _Guesses, sequence: int, tokenizer: Tokenizer) -> dict[str, Any]:
    length = batch.input_ids.shape[1]
    ids, segments = batch.input_ids[sequence].tolist(), batch.segment_ids[sequence].tolist()
    rows, labels = batch.rows.tolist(), batch.labels.tolist()
    words = [
        {
            "position": row % length,
            "seen": tokenizer.label(ids[row % length]),  # [MASK], or what stood in its place
            "right": tokenizer.label(labels[at]),
            "probability": round(float(guesses.right[at]), 5),
            "given": tokenizer.label(int(guesses.best[at])),
            "given_probability": round(float(guesses.best_share[at]), 5),
        }
        for at, row in enumerate(rows)
        if row // length == sequence
    ]
    return {
        "example": _texts(ids, segments, tokenizer),
        "right": [word["right"] for word in words],
        "given": [word["given"] for word in words],
        "words": words,
    }


def _texts(ids: list[int], segments: list[int], tokenizer: Tokenizer) -> dict[str, str]:
    """Parts A and B as the model read them, with what is masked, without the tokens that frame them."""
    frame = (tokenizer.pad_id, tokenizer.cls_id, tokenizer.sep_id)
    parts: dict[str, str] = {}
    for segment, name in enumerate(("text_a", "text_b")):
        kept = [token for token, of in zip(ids, segments, strict=True) if of == segment and token not in frame]
        if kept:
            parts[name] = tokenizer.raw.decode(kept, skip_special_tokens=False).strip()
    return parts
