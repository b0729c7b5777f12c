"""Fine-tuning steps on short sentences: batches of like length, against batches padded to their longest sentence.

Lengths are distributed as SST-2's (exponential, mean 9.4 words, at most 52). Both train the same weights on the same
examples: an epoch each, in turns. The peer is `transformers` with SDPA and fused AdamW in the plainest loop, which its
Trainer can only add to.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from benchmarks.peer import random_model, same_in_transformers
from benchmarks.timing import Row
from bertcore.model.bert import Bert
from bertcore.tasks.batches import TaskBatches
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tasks.kinds.base import Features, TaskBatch
from bertcore.tasks.packed import Ragged
from bertcore.tasks.predict import task_loss
from bertcore.training.optimizer import make_optimizer

VOCAB, EXAMPLES, BATCH, ROUNDS = 8192, 1920, 32, 3
MEAN_WORDS, MOST_WORDS = 9.4, 52
ASKED = 1.5


def rows() -> list[Row]:
    features = short_sentences(EXAMPLES)
    ours, peer = our_epoch(features), peer_epoch(features)
    seconds = [(ours(number), peer(number)) for number in range(ROUNDS)]
    ours_s, peer_s = (float(np.median(column)) for column in zip(*seconds, strict=True))
    ratio = peer_s / ours_s
    what = f"fine-tuning examples/s, mini {VOCAB:,}, {BATCH} short sentences a batch, fp32"
    return [Row(what, f"{EXAMPLES / ours_s:.0f}", f"{EXAMPLES / peer_s:.0f}", ratio, f">= {ASKED}", ratio >= ASKED)]


def short_sentences(count: int) -> Features:
    """Random words, labels 0 and 1."""
    rng = np.random.default_rng(0)
    lengths = np.clip(rng.exponential(MEAN_WORDS, count).astype(int), 1, MOST_WORDS) + 2  # [CLS] and [SEP]
    ids = [rng.integers(5, VOCAB, length) for length in lengths]
    return Features(
        kind=TASK_KINDS["classify"],
        head="classify",
        examples=(),
        labels=("0", "1"),
        ids=Ragged.of(row.tolist() for row in ids),
        segments=Ragged.of([0] * length for length in lengths),
        cut=np.zeros(count, dtype=np.int64),
        example_of=np.arange(count),
        unit_starts=np.arange(count + 1),
        labelled=True,
        answers=rng.integers(0, 2, count),
    )


def our_epoch(features: Features) -> Callable[[int], float]:
    start = random_model("mini", VOCAB, 0.1)
    model = Bert(
        start.config.with_changes(labels=features.labels), ["classify"], generator=torch.Generator().manual_seed(0)
    ).train()
    batches = TaskBatches(features, BATCH, pad_id=0)
    optimizer = make_optimizer(model, 1e-4, 0.01)

    def epoch(number: int) -> float:
        started = time.perf_counter()
        for units in batches.order(number):
            task_loss(model, batches.batch(units)).backward()
            _update(model, optimizer)
        return time.perf_counter() - started

    return epoch


def peer_epoch(features: Features) -> Callable[[int], float]:
    from transformers import BertForSequenceClassification

    encoder: Any = same_in_transformers(random_model("mini", VOCAB, 0.1), attention="sdpa")
    model: Any = BertForSequenceClassification(encoder.config).train()
    batches = TaskBatches(features, BATCH, pad_id=0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0.01, fused=True)

    def epoch(number: int) -> float:
        order = np.random.default_rng(number).permutation(len(features.ids))
        started = time.perf_counter()
        for first in range(0, len(order), BATCH):
            batch: TaskBatch = batches.batch(order[first : first + BATCH])
            output = model(input_ids=batch.input_ids, attention_mask=batch.attention_mask, labels=batch.labels)
            output.loss.backward()
            _update(model, optimizer)
        return time.perf_counter() - started

    return epoch


def _update(model: torch.nn.Module, optimizer: torch.optim.Optimizer) -> None:
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
