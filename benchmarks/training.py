"""Tokens per second of a training step, against `transformers` BertForPreTraining + AdamW.

Preset mini, vocabulary 30,522, batch 32 x 128, 15% masked, dropout 0.1, AdamW, clipping at 1.0. The same batches and
the same starting weights; without dropout both must give the same losses for the first steps.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from benchmarks.peer import random_model, same_in_transformers
from benchmarks.timing import Row, medians_in_turns
from bertcore.data.batches import Batch
from bertcore.training.objective import BatchTensors, pretraining_loss
from bertcore.training.optimizer import make_optimizer
from bertcore.training.precision import choose_precision

BATCH, LENGTH, VOCAB, MASK_ID = 32, 128, 30_522, 4
LEARNING_RATE = 1e-4
ASKED = {"fp32": 3.0, "bf16": 4.0}


def rows() -> list[Row]:
    difference = worst_loss_difference(steps=3)
    rows = [Row("training loss, 3 steps, largest difference", f"{difference:.1e}", "-", 0, "< 1e-3", difference < 1e-3)]
    auto = choose_precision("auto", torch.device("cpu"))
    precisions: list[torch.dtype | None] = [None, torch.bfloat16]
    for dtype in precisions:
        name = "fp32" if dtype is None else "bf16"
        rounds = 5 if dtype is None or auto.dtype is not None else 1  # where bf16 is emulated a step takes minutes
        if dtype is not None and auto.dtype is None:
            rows.append(Row("training tokens/s, bf16", auto.reason, "-", 0, ">= 4.0", False))
            continue
        ours, peer = _steppers(dropout=0.1, dtype=dtype)
        ours_s, peer_s = medians_in_turns(lambda: ours(0), lambda: peer(0), rounds)  # noqa: B023
        tokens = BATCH * LENGTH
        ratio = peer_s / ours_s
        rows.append(
            Row(
                f"training tokens/s, mini 30,522, {BATCH} x {LENGTH}, {name}",
                f"{tokens / ours_s:,.0f}",
                f"{tokens / peer_s:,.0f}",
                ratio,
                f">= {ASKED[name]}",
                ratio >= ASKED[name],
            )
        )
    return rows


def worst_loss_difference(steps: int) -> float:
    ours, peer = _steppers(dropout=0.0, dtype=None)
    return max(abs(ours(seed) - peer(seed)) for seed in range(steps))


def _steppers(dropout: float, dtype: torch.dtype | None) -> tuple[Callable[[int], float], Callable[[int], float]]:
    """Two functions of a batch's seed: one optimiser step each, giving the loss before it."""
    model = random_model("mini", VOCAB, dropout)
    peer = same_in_transformers(model, attention="sdpa").train()
    model.train()
    optimizer = make_optimizer(model, LEARNING_RATE, 0.01)
    peer_optimizer = torch.optim.AdamW(_decay_groups(peer), lr=LEARNING_RATE, eps=1e-6)

    def our_step(seed: int) -> float:
        batch = BatchTensors.of(make_batch(seed))
        with torch.autocast("cpu", dtype, enabled=dtype is not None):
            loss = pretraining_loss(model, batch).total
        return _update(loss, model, optimizer)

    def peer_step(seed: int) -> float:
        batch = BatchTensors.of(make_batch(seed))
        labels = torch.full((BATCH * LENGTH,), -100)
        labels[batch.rows] = batch.labels
        with torch.autocast("cpu", dtype, enabled=dtype is not None):
            loss = peer(
                input_ids=batch.input_ids,
                token_type_ids=batch.segment_ids,
                labels=labels.view(BATCH, LENGTH),
                next_sentence_label=batch.next_sentence,
            ).loss
        return _update(loss, peer, peer_optimizer)

    return our_step, peer_step


def _update(loss: Tensor, model: nn.Module, optimizer: torch.optim.Optimizer) -> float:
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return float(loss.detach())


def _decay_groups(model: nn.Module) -> list[dict[str, object]]:
    parameters = list(model.parameters())
    return [
        {"params": [p for p in parameters if p.ndim >= 2], "weight_decay": 0.01},
        {"params": [p for p in parameters if p.ndim < 2], "weight_decay": 0.0},
    ]


def make_batch(seed: int) -> Batch:
    """Random words, full sequences, half of each in segment B."""
    rng = np.random.default_rng(seed)
    ids = rng.integers(5, VOCAB, (BATCH, LENGTH))
    segments = np.zeros_like(ids)
    segments[:, LENGTH // 2 :] = 1
    rows = np.sort(rng.choice(BATCH * LENGTH, int(0.15 * BATCH * LENGTH), replace=False))
    labels = ids.reshape(-1)[rows]
    ids.reshape(-1)[rows] = MASK_ID
    next_sentence = rng.integers(0, 2, BATCH)
    return Batch(ids, segments, None, rows, labels, next_sentence, causal=False, real_tokens=ids.size)
