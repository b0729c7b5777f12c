"""What a run does beside its steps: metrics, status, control and snapshots, as a share of its processor time.

A run of 4 x 256 on the sample stories on one thread, with everything at its defaults; as many steps as take about a
minute. Processor time from the first measurement to the last step, less what forward and backward passes, clipping, the
optimiser and measurements on held-out text take; all else counts. Memory is kept as `bertcore pretrain` keeps it.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

from benchmarks.timing import Row
from bertcore.locations import sample_corpus
from bertcore.memory import keep_freed_memory
from bertcore.training.loop import TrainingLoop
from bertcore.training.pretrain import Pretraining
from bertcore.training.pretrain_options import DataOptions, PretrainOptions, TrainingOptions
from bertcore.training.start import start_run

STEPS, ASKED = 150, 0.02
WHOLE = ((TrainingLoop, "_resume_or_begin"), (TrainingLoop, "_train"))
TRAINING = (
    (Pretraining, "forward_backward"),
    (Pretraining, "measure"),
    (nn.utils, "clip_grad_norm_"),
    (torch.optim.AdamW, "step"),
    (torch.optim.AdamW, "zero_grad"),
)


def rows() -> list[Row]:
    options = PretrainOptions(
        preset="mini",
        data=DataOptions(corpus=(str(sample_corpus()),)),
        training=TrainingOptions(steps=STEPS, batch_size=32, threads=1, precision="fp32"),
    )
    keep_freed_memory()
    seconds: dict[str, float] = {}
    before = [(owner, name, getattr(owner, name)) for owner, name in (*WHOLE, *TRAINING)]
    try:
        for owner, name, function in before:
            setattr(owner, name, _timed(function, name, seconds))
        with tempfile.TemporaryDirectory() as folder:
            start_run(options, Path(folder) / "run", resume=False)
    finally:
        for owner, name, function in before:
            setattr(owner, name, function)
    whole = sum(seconds.pop(name) for _, name in WHOLE)
    beside = whole - sum(seconds.values())
    share = beside / whole
    what = f"metrics, snapshots and control of a run of {STEPS} steps, mini, processor time"
    ours = f"{1000 * beside:.0f} ms, {share:.1%}"
    return [Row(what, ours, f"{whole:.1f} s", share, f"<= {ASKED:.0%}", share <= ASKED)]


def _timed(function: Callable[..., Any], name: str, seconds: dict[str, float]) -> Callable[..., Any]:
    """Adds the processor time of each call to `seconds`."""

    def timed(*given: Any, **named: Any) -> Any:
        start = time.process_time()
        try:
            return function(*given, **named)
        finally:
            seconds[name] = seconds.get(name, 0.0) + time.process_time() - start

    return timed
