"""Which steps a run keeps, and what stands beside a checkpoint so that it can go on from it.

Snapshots, the best of them by the held-out data, and the one that the run ends with.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.checkpoint.weights import read_safetensors, write_tensors
from bertcore.errors import BertcoreError, UnreadableError
from bertcore.files import read_json, write_json
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.snapshots import OPTIMIZER_FILE, TRAINING_STATE_FILE, is_mark, thin
from bertcore.training.control import RunWriter
from bertcore.training.optimizer import optimizer_tensors, restore_optimizer
from bertcore.training.trainable import Trainable


class KeptSteps:
    """Where a run is to end once it gets no better (`patience`), the best step is a snapshot, and what it ends with."""

    def __init__(self, folder: RunFolder, trainable: Trainable, writer: RunWriter) -> None:
        self.folder, self.trainable, self.writer, self.clock = folder, trainable, writer, writer.clock
        self.options = trainable.loop_options
        self.last_measured: Mapping[str, Any] = {}  # the line of the last measurement
        self._best: Mapping[str, Any] | None = None  # that of the best
        self._worse = 0  # measurements since the best one
        self.is_out_of_patience = False  # nothing has got better for so long that the run ends early
        self.saved_step = -1
        self.saved_at_s = 0.0  # by the clock's `now_s`

    # --- the best

    def compare(self, line: Mapping[str, Any]) -> None:
        """Keep the best measurement, and count those since."""
        self.last_measured = line
        if self._best is None or self.trainable.is_better(line, self._best):
            self._best, self._worse = line, 0
        else:
            self._worse += 1
        self.is_out_of_patience = self.options.patience is not None and self._worse >= self.options.patience

    @property
    def best_step(self) -> int | None:
        """None where it is not kept."""
        return None if self.options.patience is None or self._best is None else int(self._best["step"])

    def step_to_end_with(self, is_done: bool) -> int:
        """The best, where the run has come to its end and has kept it; else the last."""
        best = self.best_step if is_done else None
        return best if best is not None and self.folder.snapshot_path(best).is_dir() else self.clock.step

    def why_this_step(self, is_done: bool, is_early: bool) -> str | None:
        """Why the run ends with another step than the last, or without it; None where it ends as its budget does."""
        best, last = self.best_step, self.clock.step
        if not is_done or best is None or best == last:
            return None
        begin = f"tep {best:,} was the best of {last:,} steps"
        begin = f"Stopped early: s{begin}" if is_early else f"S{begin}"
        go_on = " More --patience with --resume goes on." if is_early else ""
        if self.step_to_end_with(is_done) == best:
            return f"{begin}; the run ends with it.{go_on}"
        return f"{begin}, but no snapshot of it was kept; the run ends with step {last:,}.{go_on}"

    # --- snapshots

    @property
    def is_due(self) -> bool:
        """For its step, for the time since the last one, or because the step is the best so far."""
        clock, best = self.clock, self.best_step
        is_late = clock.now_s - self.saved_at_s > 60 * self.options.save_minutes
        return is_mark(clock.step) or is_late or best == clock.step

    def save(self) -> Path:
        """Write a snapshot of this step, then thin the older ones."""
        clock, path = self.clock, self.folder.snapshot_path(self.clock.step)
        if self.saved_step == clock.step:  # it stands already: rewriting it would put the one good copy at risk
            return path
        if self.writer.writes:
            self._write()
            relative = path.relative_to(self.folder.path).as_posix()
            self.writer.metric({"kind": "snapshot", "step": clock.step, "path": relative})
        self.saved_step, self.saved_at_s = clock.step, clock.now_s
        return path

    def _write(self) -> None:
        clock, trained, limit_mib = self.clock, self.trainable, self.options.snapshots_mib
        data = trained.data_key, trained.data_position(), trained.precision.name
        state = TrainingState(clock.step, clock.tokens, clock.elapsed_s, *data)
        about: dict[str, Any] = {"name": trained.name, "step": clock.step, "tokens_seen": clock.tokens}
        with self.folder.begin_snapshot(clock.step) as folder:
            save_checkpoint(trained.model, trained.tokenizer, folder, **about)
            write_tensors(optimizer_tensors(trained.optimizer, trained.model), folder / OPTIMIZER_FILE)
            write_json(folder / TRAINING_STATE_FILE, asdict(state))
        if deleted := thin(self.folder, clock.step, limit_mib, self.best_step):
            steps = ", ".join(f"{step:,}" for step in deleted)
            self.writer.log(f"snapshots of step {steps} removed, to keep to {limit_mib:g} MiB")


@dataclass(frozen=True)
class TrainingState:
    """Where a run stands. Every random choice of a step follows from the seed and the step's number alone."""

    step: int
    tokens: int  # real tokens seen
    elapsed_s: float  # of training, pauses not counted
    corpus_key: str
    samplers: Mapping[str, Any]  # where in the text the run is, as the sampler of each sequence length says it
    precision: str = "fp32"  # what the steps so far were computed in


def read_training_state(folder: Path) -> TrainingState:
    """Where the run stood at a snapshot. Raises BertcoreError where the file is damaged or cannot be read."""
    values = read_json(folder / TRAINING_STATE_FILE)
    try:
        samplers = {name: _whole(place) for name, place in values["samplers"].items()}
        return TrainingState(**{**values, "samplers": samplers})
    except (AttributeError, KeyError, TypeError, ValueError):
        lacks = "it lacks what a run goes on from"
        raise BertcoreError(f"The training state in {folder} is damaged ({lacks}); start a new run.") from None


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
            state = read_training_state(snapshot)
            if state.corpus_key != data_key:
                is_of_other_data = True
                continue
            weights = load_checkpoint(snapshot).model.state_dict()
            restore_optimizer(optimizer, model, read_safetensors(snapshot / OPTIMIZER_FILE))
        except UnreadableError:
            raise
        except (BertcoreError, KeyError, ValueError):  # damaged, or the optimiser's state is of another model
            continue
        model.load_state_dict(weights)
        return state
    if is_of_other_data:
        return None
    raise BertcoreError(
        f"The snapshot {resumable[-1]} is damaged, and no other holds a training state to resume from; start a new "
        "run, from an older snapshot if there is one (--from)."
    )
