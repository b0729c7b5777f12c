"""Runs of several processes for test_scale_out.py: `torchrun ... THIS_FILE FOLDER NAME ...` trains them in turn.

Imported, it gives the same runs to one process.
"""

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from bertcore.errors import BertcoreError
from bertcore.runs.run_folder import RunFolder
from bertcore.training import distributed, pretrain
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions, TuningOptions
from bertcore.training.start import start_run
from tests.engine.training_runs import stop_at, tiny_run

STEPS, STOP = 20, 9


def pretraining(folder, **training):
    """Causal and masked steps, a long last part; 9 sequences, which two processes cannot share evenly; no dropout."""
    options = tiny_run(folder / "animals.txt", **{"steps": STEPS, "batch_size": 9, "evaluations": 2, **training})
    return replace(options, model={**options.model, "num_hidden_layers": 2, **NO_DROPOUT})


NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}


def fine_tuning(folder, task, **training):
    settings = {"steps": 10, "batch_size": 5, "learning_rate": 3e-3, "precision": "fp32", "threads": 1, "dropout": 0.0}
    return FinetuneOptions(
        name=task,
        model=str(folder / "model"),
        data=TaskDataOptions(task=task, train=str(folder / task), max_length=24),
        training=TuningOptions(**{**settings, "accumulate": 2, "evaluations": 1, **training}),
        crf=task == "conll2003",
    )


def stops(folder, run, **training):
    """Half of the run; the other half with one process is up to the test."""
    start_run(pretraining(folder, **training), run, resume=False, on_event=stop_at(run, STOP))


def is_signalled(folder, run):
    """Process 1 alone gets SIGTERM; process 0 is told to pause before."""

    def watch(event):
        if event["kind"] == "train" and event["step"] == 4:
            RunFolder(run).send("pause")
        if event["kind"] == "status" and event["state"] == "paused":
            (run / "paused").touch()

    if os.environ["RANK"] == "1":

        def kill():
            while not (run / "paused").exists():
                time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGTERM)

        threading.Thread(target=kill, daemon=True).start()
    start_run(pretraining(folder), run, resume=False, on_event=watch)


def fails(folder, run, hangs=False):
    """The memory of process 1 is full at step 4; with `hangs`, process 0 does not notice by itself."""
    whole, calls = pretrain.pretraining_loss, []

    def loss(*given):
        calls.append(1)
        if len(calls) == 4 and os.environ["RANK"] == "1":
            raise MemoryError
        if len(calls) == 4 and hangs:
            signal.pause()
        return whole(*given)

    pretrain.pretraining_loss = loss  # type: ignore[assignment]
    if hangs:
        distributed.FAILURE_GRACE_S = 0.5
    start_run(pretraining(folder, evaluations=1, held_out_sequences=1), run, resume=False)


RUNS: dict[str, Callable[[Path, Path], object]] = {
    "pretrain": lambda folder, run: start_run(pretraining(folder), run, resume=False),
    "stop": stops,
    "resume": lambda folder, run: start_run(None, run, resume=True),
    "signal": is_signalled,
    "fail": fails,
    "hang": lambda folder, run: fails(folder, run, hangs=True),
    "small": lambda folder, run: start_run(pretraining(folder, batch_size=1), run, resume=False),
    "sst2": lambda folder, run: start_run(fine_tuning(folder, "sst2"), run, resume=False),
    "conll2003": lambda folder, run: start_run(fine_tuning(folder, "conll2003"), run, resume=False),
    "unfreeze": lambda folder, run: start_run(fine_tuning(folder, "sst2", gradual_unfreezing=True), run, resume=False),
}


if __name__ == "__main__":
    place = Path(sys.argv[1])
    for name in sys.argv[2:]:
        with contextlib.suppress(*((BertcoreError, SystemExit) if name == "small" else ())):
            RUNS[name](place, place / f"two-{name}")
