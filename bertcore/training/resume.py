"""What a snapshot holds besides the checkpoint, so that a run goes on as if it had never stopped."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.checkpoint.weights import write_tensors
from bertcore.errors import BertcoreError
from bertcore.files import read_json, write_json
from bertcore.runs.snapshots import OPTIMIZER_FILE, PROGRESS_FILE
from bertcore.training.optimizer import restore_optimizer


@dataclass(frozen=True)
class Progress:
    """Where a run stands. Every random choice of a step follows from the seed and the step's number alone."""

    step: int
    tokens: int  # real tokens seen
    elapsed_s: float  # of training, pauses not counted
    corpus_key: str
    samplers: Mapping[str, tuple[int, int]]  # sequence length -> (epoch, position)
    precision: str = "fp32"  # what the steps so far were computed in


def save_progress(folder: Path, progress: Progress, moments: dict[str, Tensor]) -> None:
    """Write what `optimizer_tensors` gave and the progress beside a checkpoint."""
    write_tensors(moments, folder / OPTIMIZER_FILE)
    write_json(folder / PROGRESS_FILE, asdict(progress))


def load_progress(folder: Path, model: nn.Module, optimizer: torch.optim.Optimizer) -> Progress:
    """Put the optimiser back and say where the run stands. Raises BertcoreError where the files are damaged."""
    try:
        values = read_json(folder / PROGRESS_FILE)
        samplers = {length: (int(epoch), int(position)) for length, (epoch, position) in values["samplers"].items()}
        progress = Progress(**{**values, "samplers": samplers})
        restore_optimizer(optimizer, model, load_file(folder / OPTIMIZER_FILE))
        return progress
    except Exception as error:
        raise BertcoreError(f"The training state in {folder} is damaged ({error}); start a new run.") from None


def load_newest(resumable: list[Path], model: nn.Module, optimizer: torch.optim.Optimizer) -> Progress:
    """Put model and optimiser where the newest of these snapshots stands that is whole; the oldest is first.

    Raises BertcoreError where all are damaged.
    """
    for snapshot in reversed(resumable):
        try:
            weights = load_checkpoint(snapshot).model.state_dict()
            progress = load_progress(snapshot, model, optimizer)
        except BertcoreError:
            continue
        model.load_state_dict(weights)
        return progress
    raise BertcoreError(
        f"The snapshot {resumable[-1]} is damaged, and no other holds a training state to resume from; start a new "
        "run, from an older snapshot if there is one (--from)."
    )
