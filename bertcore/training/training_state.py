"""What stands beside a checkpoint so that a run can go on from it: where the run was, and its optimiser."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.checkpoint.weights import read_safetensors, write_tensors
from bertcore.errors import BertcoreError, UnreadableError
from bertcore.files import read_json, write_json
from bertcore.runs.snapshots import OPTIMIZER_FILE, TRAINING_STATE_FILE
from bertcore.training.optimizer import restore_optimizer


@dataclass(frozen=True)
class TrainingState:
    """Where a run stands. Every random choice of a step follows from the seed and the step's number alone."""

    step: int
    tokens: int  # real tokens seen
    elapsed_s: float  # of training, pauses not counted
    corpus_key: str
    samplers: Mapping[str, Any]  # where in the text the run is, as the sampler of each sequence length says it
    precision: str = "fp32"  # what the steps so far were computed in


def save_training_state(folder: Path, state: TrainingState, moments: dict[str, Tensor]) -> None:
    """Write what `optimizer_tensors` gave and the training state beside a checkpoint."""
    write_tensors(moments, folder / OPTIMIZER_FILE)
    write_json(folder / TRAINING_STATE_FILE, asdict(state))


def read_training_state(folder: Path) -> TrainingState:
    """Where the run stood at a snapshot. Raises BertcoreError where the file is damaged or cannot be read."""
    values = read_json(folder / TRAINING_STATE_FILE)
    try:
        samplers = {name: _whole(place) for name, place in values["samplers"].items()}
        return TrainingState(**{**values, "samplers": samplers})
    except (AttributeError, KeyError, TypeError, ValueError):
        raise _damaged(folder, "it lacks what a run goes on from") from None


def load_training_state(folder: Path, model: nn.Module, optimizer: torch.optim.Optimizer) -> TrainingState:
    """Put the optimiser back and say where the run stands. Raises BertcoreError where the files are damaged."""
    state = read_training_state(folder)
    tensors = read_safetensors(folder / OPTIMIZER_FILE)
    try:
        restore_optimizer(optimizer, model, tensors)
    except (KeyError, ValueError):
        raise _damaged(folder, "it is of another model") from None
    return state


def _damaged(folder: Path, why: str) -> BertcoreError:
    return BertcoreError(f"The training state in {folder} is damaged ({why}); start a new run.")


def _whole(state: Any) -> Any:
    """Whole numbers in lists of any depth, as tuples; anything else raises."""
    return tuple(map(_whole, state)) if isinstance(state, list) else int(state)


def load_newest(
    resumable: Sequence[Path], model: nn.Module, optimizer: torch.optim.Optimizer, data_key: str
) -> TrainingState | None:
    """Put model and optimiser where the newest of these snapshots stands that is whole; the oldest is first.

    None where all that are whole are of other data. Raises BertcoreError where all are damaged, and UnreadableError
    where one that is newer than the first whole one cannot be read just now: it may be whole, too.
    """
    is_of_other_data = False
    for snapshot in reversed(resumable):
        try:
            if read_training_state(snapshot).corpus_key != data_key:
                is_of_other_data = True
                continue
            weights = load_checkpoint(snapshot).model.state_dict()
            state = load_training_state(snapshot, model, optimizer)
        except UnreadableError:
            raise
        except BertcoreError:
            continue
        model.load_state_dict(weights)
        return state
    if is_of_other_data:
        return None
    raise BertcoreError(
        f"The snapshot {resumable[-1]} is damaged, and no other holds a training state to resume from; start a new "
        "run, from an older snapshot if there is one (--from)."
    )
