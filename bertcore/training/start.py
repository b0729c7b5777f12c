"""Starts or resumes a run of any kind."""

from __future__ import annotations

from pathlib import Path

import torch

from bertcore.errors import BertcoreError
from bertcore.runs.run_folder import RunFolder
from bertcore.training.distil import Distilling
from bertcore.training.distil_options import DistilOptions
from bertcore.training.distributed import process_group
from bertcore.training.finetune import FineTuning
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.loop import run_training
from bertcore.training.options import RunOptions
from bertcore.training.pretrain import NO_TEXT, Pretraining
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.run_settings import has_run, options_of, resume_settings
from bertcore.training.trainable import OnEvent, Trainable

TRAINABLES: dict[str, type[Trainable]] = {
    PretrainOptions.kind: Pretraining,
    FinetuneOptions.kind: FineTuning,
    DistilOptions.kind: Distilling,
}


def start_run(options: RunOptions | None, run: Path, resume: bool, on_event: OnEvent | None = None) -> Path:
    """Train in the folder `run`; with `resume`, continue from its newest snapshot, or start if there is nothing yet.

    options: None for those of the run that is there. `on_event` is called with each metrics line as it is written.
    Returns the snapshot that the run ends with. Raises BertcoreError with a sentence for a folder that holds something
    else, cannot be written or is in use, and for what cannot be trained on.
    """
    threads = torch.get_num_threads()
    try:
        with process_group() as group:
            settings = options_of(group.broadcast(lambda: open_or_create(options, run, resume).to_dict()))
            return run_training(TRAINABLES[settings.kind](settings, group), RunFolder(run), on_event)
    finally:  # a run sets its own; whoever trains in their own process has theirs back
        torch.set_num_threads(threads)


def open_or_create(options: RunOptions | None, run: Path, resume: bool) -> RunOptions:
    """The settings of the run in this folder, resumed or created; its config.json has absolute paths.

    What cannot be trained on is refused before a folder is created. Raises BertcoreError for a folder that holds a run
    although `resume` is False, or that cannot be created; and as `resume_settings`.
    """
    options = options and options.with_absolute_paths()
    if has_run(run):
        refuse_run(run, resume)
        folder = RunFolder(run)
        config = folder.config()
        stored = options_of(config) if options is None else type(options).from_dict(config)
        return resume_settings(folder, stored.with_absolute_paths(), options)
    if options is None:
        raise BertcoreError(NO_TEXT)
    TRAINABLES[options.kind].refuse(options)
    RunFolder.create(run, options.to_dict())
    return options


def refuse_run(run: Path, resume: bool) -> None:
    """Raises BertcoreError for a folder that holds a run which is not to be resumed."""
    if not resume:
        raise BertcoreError(
            f"The folder {run} already holds a run; continue it with --resume (resume=True), or name another."
        )
