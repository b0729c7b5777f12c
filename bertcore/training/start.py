"""Starts or resumes a run of any kind."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import assert_never

import torch

from bertcore.training.distil import start_or_resume_distilling
from bertcore.training.distil_options import DistilOptions
from bertcore.training.finetune import start_or_resume_finetuning
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.pretrain import start_or_resume
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.trainable import OnEvent


@contextlib.contextmanager
def own_threads() -> Iterator[None]:
    """A run sets torch's number of CPU threads; whoever trains in their own process has theirs back afterwards."""
    threads = torch.get_num_threads()
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def start_run(
    options: PretrainOptions | FinetuneOptions | DistilOptions, run: Path, resume: bool, on_event: OnEvent | None = None
) -> Path:
    """As `start_or_resume`, for the kind that the settings are of."""
    match options:
        case FinetuneOptions():
            return start_or_resume_finetuning(options, run, resume, on_event)
        case PretrainOptions():
            return start_or_resume(options, run, resume, on_event)
        case DistilOptions():
            return start_or_resume_distilling(options, run, resume, on_event)
        case _:
            assert_never(options)
