"""What a run writes into its folder: status, metrics and log; and, beside a checkpoint, what it goes on from.

Of several processes only process 0 writes.
"""

import time
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
from bertcore.runs.environment import note_environment
from bertcore.runs.event_words import held_out_in_words
from bertcore.runs.metrics_file import EVALUATION, HELD_OUT
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.snapshots import OPTIMIZER_FILE, TRAINING_STATE_FILE
from bertcore.training.optimizer import restore_optimizer
from bertcore.training.trainable import Event, OnEvent

STATUS_EVERY_S = 0.5


class Records:
    """Status, metrics and log of one run; `on_event` is called with each event as it is written."""

    def __init__(self, folder: RunFolder, on_event: OnEvent, writes: bool) -> None:
        self.folder, self.on_event, self.writes = folder, on_event, writes
        self._last_status = 0.0  # monotonic seconds
        self._state: str | None = None

    def metric(self, line: Event) -> None:
        if self.writes:
            self.folder.append_metric(line)
            if words := _event_in_words(line):
                self.folder.log(words)
            self.on_event(line)

    def log(self, text: str) -> None:
        if self.writes:
            self.folder.log(text)

    def status(self, state: str, message: str | None, fraction: float, **more: Any) -> None:
        """`more`: step, total_steps, elapsed_s, and ends_with where that changes."""
        if not self.writes:
            return
        if words := _state_in_words(self._state, state, more["step"]):
            self.folder.log(words)
        self._state = state
        known = state in ("running", "paused") and fraction > 0
        remaining_s = more["elapsed_s"] * (1 - fraction) / fraction if known else None
        self.folder.write_status(state=state, fraction=fraction, remaining_s=remaining_s, message=message, **more)
        self._last_status = time.monotonic()
        self.on_event(
            {"kind": "status", "state": state, "step": more["step"], "fraction": fraction, "message": message}
        )

    @property
    def status_is_old(self) -> bool:
        return self.writes and time.monotonic() - self._last_status > STATUS_EVERY_S

    def environment(self, seed: int, device: torch.device, choices: Mapping[str, Any]) -> None:
        if self.writes:
            note_environment(self.folder.path, seed, device, choices)

    def take_command(self) -> str | None:
        return self.folder.take_command() if self.writes else None


def _event_in_words(event: Mapping[str, Any]) -> str | None:
    """A line of the log for a phase or a measurement; None for other events."""
    if event["kind"] == "phase":
        return f"step {event['step']:,}: {event['message']}"
    if event["kind"] in (HELD_OUT, EVALUATION):
        return f"step {event['step']:,}, {held_out_in_words(event)}"
    return None


def _state_in_words(before: str | None, now: str, step: int) -> str | None:
    """A line of the log for a pause and its end."""
    if now == "paused" and before != "paused":
        return f"paused at step {step:,}"
    if before == "paused" and now == "running":
        return f"continues after the pause, from step {step:,}"
    return None


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
