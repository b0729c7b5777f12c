"""Starts or resumes a run of any kind."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import torch

from bertcore.training.distil import Distilling
from bertcore.training.finetune import FineTuning
from bertcore.training.loop import start_training
from bertcore.training.options import RunOptions
from bertcore.training.pretrain import Pretraining
from bertcore.training.trainable import OnEvent, Trainable

TRAINABLES: dict[str, type[Trainable]] = {
    each.options_kind.kind: each for each in (Pretraining, FineTuning, Distilling)
}


@contextlib.contextmanager
def own_threads() -> Iterator[None]:
    """A run sets torch's number of CPU threads; whoever trains in their own process has theirs back afterwards."""
    threads = torch.get_num_threads()
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def start_run(options: RunOptions, run: Path, resume: bool, on_event: OnEvent | None = None) -> Path:
    """As `start_training`, for the kind that the settings are of."""
    return start_training(TRAINABLES[options.kind], options, run, resume, on_event)
