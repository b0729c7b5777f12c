"""Which steps a run keeps: its snapshots, the best of them by the held-out data, and the one that it ends with."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bertcore.checkpoint.checkpoint import save_checkpoint
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.snapshots import is_mark, thin
from bertcore.training.optimizer import optimizer_tensors
from bertcore.training.run_writer import RunWriter
from bertcore.training.trainable import Trainable, TrainingSetup
from bertcore.training.training_state import TrainingState, save_training_state


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

    def save(self, setup: TrainingSetup) -> Path:
        """Write a snapshot of this step, then thin the older ones."""
        clock, path = self.clock, self.folder.snapshot_path(self.clock.step)
        if self.saved_step == clock.step:  # it stands already: rewriting it would put the one good copy at risk
            return path
        if self.writer.writes:
            self._write(setup)
            relative = path.relative_to(self.folder.path).as_posix()
            self.writer.metric({"kind": "snapshot", "step": clock.step, "path": relative})
        self.saved_step, self.saved_at_s = clock.step, clock.now_s
        return path

    def _write(self, setup: TrainingSetup) -> None:
        clock, name, limit_mib = self.clock, self.trainable.name, self.options.snapshots_mib
        state = TrainingState(
            step=clock.step,
            tokens=clock.tokens,
            elapsed_s=clock.elapsed_s,
            corpus_key=setup.data_key,
            samplers=self.trainable.data_position(),
            precision=setup.precision.name,
        )
        with self.folder.begin_snapshot(clock.step) as folder:
            save_checkpoint(setup.model, setup.tokenizer, folder, name=name, step=clock.step, tokens_seen=clock.tokens)
            save_training_state(folder, state, optimizer_tensors(setup.optimizer, setup.model))
        if deleted := thin(self.folder, clock.step, limit_mib, self.best_step):
            steps = ", ".join(f"{step:,}" for step in deleted)
            self.writer.log(f"snapshots of step {steps} removed, to keep to {limit_mib:g} MiB")
