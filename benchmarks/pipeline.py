"""How long a training step waits for its batch: batches are made on a thread beside, while the step computes.

Preset mini, a vocabulary of 8,192 learned from invented words, packed next-sentence pairs, every step masked, the
precision and threads that a run would choose. "Waiting" is what the step spends in taking its batch. What the thread
beside takes away from the step shows in the other figure: steps with it against steps on batches that lie ready, in
turns.
"""

import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from benchmarks.timing import Row
from bertcore.data.batches import Batch
from bertcore.training.objective import pretraining_loss
from bertcore.training.pretrain import Pretraining
from bertcore.training.pretrain_options import DataOptions, PretrainOptions, TrainingOptions

ROWS, VOCAB = 32, 8192
STEPS, TURN = 20, 5  # steps of each kind, so many in a turn
ASKED = 0.03
CASES = [(masking, length) for masking in ("tokens", "words", "spans") for length in (64, 128)]


def rows() -> list[Row]:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "words.txt"
        text.write_text(invented_text(), encoding="utf-8")
        for masking, length in CASES:
            waiting, fed_s, ready_s = _measured(text, masking, length)
            found.append(
                Row(
                    f"waiting for data, share of a step, mini 8,192, {ROWS} x {length}, {masking}",
                    f"{waiting:.2%}, {1000 * fed_s:.1f} ms a step",
                    f"{1000 * ready_s:.1f} ms on batches that lie ready",
                    fed_s / ready_s,
                    f"< {ASKED:.0%} waiting",
                    waiting < ASKED,
                )
            )
    return found


def invented_text(words: int = 30_000, documents: int = 600, seed: int = 0) -> str:
    """Words of random letters, used as often as words are (Zipf), in sentences of 5 to 30 and documents of 10 to 60."""
    rng = np.random.default_rng(seed)
    letters = np.array(list("etaoinshrdlucmfwypvbgk"))
    known = ["".join(rng.choice(letters, rng.integers(2, 11))) for _ in range(words)]
    often = 1 / np.arange(1, words + 1)
    often /= often.sum()

    def sentence() -> str:
        return " ".join(known[word] for word in rng.choice(words, rng.integers(5, 30), p=often)).capitalize() + "."

    return "\n\n".join(" ".join(sentence() for _ in range(rng.integers(10, 60))) for _ in range(documents))


def _measured(text: Path, masking: str, length: int) -> tuple[float, float, float]:
    """Share of a step spent waiting; median seconds of a step with batches made ahead, and with ready ones."""
    data = DataOptions((str(text),), vocab_size=VOCAB, sequence_length=length, long_sequence_length=length)
    options = PretrainOptions(
        data=replace(data, masking=masking), training=TrainingOptions(steps=10**6, batch_size=ROWS, causal_share=0.0)
    )
    training, run = Pretraining(options), text.parent / f"{masking}-{length}"
    run.mkdir()
    training.prepare(run, lambda sentence: None)
    ready = [training.planned.take(step, 0.5)[1] for step in range(1, TURN + 1)]
    waits, fed, lying = [], [], []
    step = len(ready)
    for turn in range(1 + STEPS // TURN):
        for _ in range(TURN):
            step += 1
            started = time.perf_counter()
            _, batch = training.planned.take(step, 0.5)
            waited = time.perf_counter() - started
            _update(training, batch)
            if turn:  # the first one warms up
                waits.append(waited)
                fed.append(time.perf_counter() - started)
        for batch in ready:
            started = time.perf_counter()
            _update(training, batch)
            if turn:
                lying.append(time.perf_counter() - started)
    training.close()
    return sum(waits) / sum(fed), statistics.median(fed), statistics.median(lying)


def _update(training: Pretraining, batch: Batch) -> None:
    """A step as the loop takes it."""
    training.optimizer.zero_grad(set_to_none=True)
    with training.precision.autocast(training.device):
        loss = pretraining_loss(training.model, batch)
    loss.total.backward()
    torch.nn.utils.clip_grad_norm_(training.model.parameters(), 1.0)
    training.optimizer.step()
