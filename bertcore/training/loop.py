"""The loop that every kind of training shares: steps, measurements, snapshots, and what it writes and obeys.

What is trained, and on what, is a `Trainable`. Every random choice of a step follows from the seed and the step's
number alone, so a snapshot needs no generator's state.
"""

import contextlib
import gc
import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from bertcore.checkpoint.checkpoint import load_checkpoint, save_checkpoint
from bertcore.errors import BertcoreError
from bertcore.garbage_collection import garbage_collected_by_hand
from bertcore.runs.environment import CoresAtWork, memory_mib
from bertcore.runs.known_runs import register_run
from bertcore.runs.metrics_file import EVALUATION, HELD_OUT
from bertcore.runs.run_folder import COMMANDS, RESUME, RunFolder
from bertcore.runs.snapshots import can_resume, is_mark, keep, thin
from bertcore.runs.sources import changed_since
from bertcore.training import update_sizes
from bertcore.training.failures import (
    StopRequestedError,
    UncheckedStep,
    WriteBatch,
    as_sentence,
    refuse_infinite_steps,
    refuse_infinite_weights,
    stop_signals,
)
from bertcore.training.optimizer import optimizer_tensors
from bertcore.training.options import Budget
from bertcore.training.records import Records, TrainingState, load_newest, save_training_state
from bertcore.training.slow_motion import SLOW_STEP, STEPS, SlowStep
from bertcore.training.trainable import OnEvent, RunEnd, Trainable, TrainingSetup

SHORT_RUN_STEPS = 1000  # up to here every step is logged
MEASURING_SHARE = 0.1  # of a run's work or time goes to measurements on held-out data, at most
LOG_EVERY_S = 0.5  # runs with a budget in minutes log a step this often
COMMAND_WAIT_S = 0.1  # a paused run looks for a command this often


def run_training(trainable: Trainable, folder: RunFolder, on_event: OnEvent | None = None) -> Path:
    """Train in the folder from where it stands to the end of the budget; returns the snapshot that the run ends with.

    Raises BertcoreError, one sentence, for what cannot be trained on or goes wrong.
    """
    with folder.acquire() if trainable.group.is_first else contextlib.nullcontext():
        if trainable.group.is_first:
            register_run(folder.path)
        return TrainingLoop(trainable, folder, on_event or (lambda event: None)).run()


class TrainingLoop:
    """One run, from where its folder stands to the end of its budget; in several processes, one of these in each.

    They take the same steps because they synchronise at the end of each, in `_synchronise`: what depends on a clock, a
    signal or the folder is decided there, and by process 0.
    """

    setup: TrainingSetup

    def __init__(self, trainable: Trainable, folder: RunFolder, on_event: OnEvent) -> None:
        self.trainable, self.folder, self.group = trainable, folder, trainable.group
        self.records = Records(folder, on_event, trainable.group.is_first)
        self.options = trainable.loop_options
        self.budget = Budget(self.options.steps, None)  # the whole of it is known when the data is read
        self.step, self.tokens, self.elapsed_s = 0, 0, 0.0
        self.stop_requested = False
        self._signalled = False  # this process got a signal to stop
        self._command: str | None = None  # taken from the folder, not yet obeyed
        self._is_paused = False
        self._slow_steps = 0  # to take in slow motion before it waits again
        self._now = 0.0  # monotonic seconds, of process 0
        self.phases: list[str] = []
        self._best: Mapping[str, Any] | None = None  # the line of the best measurement
        self._measured: Mapping[str, Any] = {}  # that of the last one
        self._worse = 0  # measurements since the best one
        self._began_at_s = 0.0  # `elapsed_s` when this sitting began
        self._first_measuring_s = self._measuring_s = self._last_measuring_s = 0.0
        self._out_of_patience = False  # nothing got better for so long that the run ends early
        self._last_log = self._last_snapshot = 0.0
        self._saved_step = -1
        self._unchecked: list[UncheckedStep] = []  # since a step was last logged
        self._write_batch: WriteBatch | None = None  # that of the last step
        self._tokens_at_log, self._elapsed_at_log = 0, 0.0
        self._cores = CoresAtWork()

    def run(self) -> Path:
        with stop_signals(self._on_signal):  # around all: a late one must not cut off the last status
            return self._run()

    def _run(self) -> Path:
        self._status("starting", "Reading the text.")
        try:
            with self.group.watch_others(self._fail):
                self.setup = self.trainable.prepare(self.folder.path, self._report)
                self.budget = self.setup.budget
                self.records.log(self.setup.summary)
                self.records.environment(self.options.seed, self.setup.device, self.setup.choices)
                self._resume_or_begin()
                with garbage_collected_by_hand():
                    state = self._train()
                self._snapshot()
                if self.group.is_first:
                    self._finish(state == "done")
        except StopRequestedError as error:
            self._status("stopped", str(error))
            raise
        except BaseException as error:
            cause = self._cause(error)
            message = as_sentence(cause, self.folder.path)
            self._fail(message)
            if cause is error and (isinstance(error, BertcoreError) or not isinstance(error, Exception)):
                raise
            raise BertcoreError(message) from error
        finally:
            self.trainable.close()
        why, step = self._why_this_step(state == "done"), self._step_to_end_with(state == "done")
        self._status(state, why, ends_with=None if step == self.step else step)
        minutes = f"after {self.elapsed_s / 60:.1f} minutes of training"
        self.records.log(". ".join(filter(None, (f"{state} at step {self.step:,}, {minutes}", why))))
        return self.folder.snapshot_path(step)

    def _cause(self, error: BaseException) -> BaseException:
        """What ended the run: a folder that is gone explains every error that followed from it."""
        try:
            self.folder.refuse_moved()
        except BertcoreError as moved:
            return moved
        return self.group.cause(error)

    def _fail(self, message: str) -> None:
        with contextlib.suppress(BertcoreError, OSError):  # a full disk may take no last status either
            self._status("failed", message)
            self.records.log(message)

    def _resume_or_begin(self) -> None:
        resumable = [Path(path) for path in self.group.broadcast(self._resumable)]
        if not resumable:
            if self.group.is_first:
                self.folder.truncate_metrics(-1)
            self._measure()  # first: a run that is killed between the two begins anew, and measures here again
            self._first_measuring_s, self._measuring_s = self._measuring_s, 0.0
            self._snapshot()
            return
        setup = self.setup
        state = load_newest(resumable, setup.model, setup.optimizer, setup.data_key)
        if state is None:
            raise changed_since(self.folder.path)
        if state.precision != setup.precision.name:  # a fresh probe on a busy machine may find another
            self.setup = self.trainable.use_precision(state.precision)
        self.step, self.tokens, self.elapsed_s = state.step, state.tokens, state.elapsed_s
        self._saved_step, self._tokens_at_log, self._elapsed_at_log = self.step, self.tokens, self.elapsed_s
        self._began_at_s = self.elapsed_s
        self.trainable.restore_data_position(state.samplers)
        if self.group.is_first:
            self._read_records()

    def _resumable(self) -> list[str]:
        """The snapshots that hold a training state, the oldest first; none where the run is to begin."""
        snapshots = self.folder.snapshots()
        resumable = [str(path) for _, path in snapshots if can_resume(path)]
        if not resumable and any(step > 0 for step, _ in snapshots):
            raise BertcoreError(
                f"No snapshot in {self.folder.path} holds a training state to resume from; start a new run."
            )
        return resumable

    def _read_records(self) -> None:
        """What the folder has of the steps so far; what it has of later ones is removed."""
        self.folder.truncate_metrics(self.step)
        self.folder.set_snapshots_aside(self.step)
        for line in self.folder.tail().read_new():
            if line.get("kind") == "phase":
                self.phases.append(str(line.get("phase")))
            if line.get("kind") == HELD_OUT:
                self._compare_with_best(line)
        self.records.metric({"kind": RESUME, "step": self.step})
        self.records.log(f"resumed at step {self.step:,}")

    # --- the loop

    def _train(self) -> str:
        """Until the budget is spent ("done") or a stop is requested ("stopped")."""
        self._status("running", ends_with=None)
        self._synchronise()
        self._last_snapshot = self._now
        self._cores.since_last()
        measured = self._measurements_due()
        while self.fraction < 1.0 and not self._out_of_patience:
            self._obey()
            if self.stop_requested:
                return "stopped"
            self._take_step()
            if self._measurements_due() > measured:
                measured = self._measurements_due()
                if self._is_measuring_affordable():
                    self._measure()
                    if self._is_best_kept and self._worse == 0:
                        self._snapshot()
                gc.collect()
            if is_mark(self.step) or self._now - self._last_snapshot > 60 * self.options.save_minutes:
                self._snapshot()
            if self.records.status_is_old:
                self._status("paused" if self._is_paused else "running")
        return "done"

    def _take_step(self) -> None:
        """One batch, one update. Between logged steps nothing waits for the device."""
        started = time.perf_counter()
        model, optimizer, step = self.setup.model, self.setup.optimizer, self.step + 1
        seed_dropout(self.options.seed * 1_000_003 + step + self.group.rank * 1_000_000_007, self.setup.device)
        fraction = (step - 0.5) / self.budget.steps if self.budget.steps else self.fraction
        rate = self.trainable.learning_rate(fraction)
        for parameters in optimizer.param_groups:
            parameters["lr"] = rate * parameters.get("rate_share", 1.0)
        optimizer.zero_grad(set_to_none=True)
        result = self.trainable.forward_backward(step, fraction, log=self._is_paused or self._is_logged(step))
        norm = nn.utils.clip_grad_norm_(model.parameters(), self.options.gradient_clip)
        self._write_batch = result.write_batch if self.group.is_first else None
        self._unchecked.append(UncheckedStep(step, norm, result.loss, self._write_batch))
        if result.metrics is not None:
            self._check_steps()  # before they could change a weight
        is_measured = self.group.is_first and (self._is_paused or update_sizes.is_measured(step))
        sizes = update_sizes.UpdateSizes(model, norm, self.options.gradient_clip) if is_measured else None
        slow = SlowStep(model, result.batch_loss) if self._is_paused else None
        optimizer.step()
        self.step, self.tokens = step, self.tokens + result.tokens
        self.elapsed_s += time.perf_counter() - started - (slow.seconds if slow else 0.0)
        for event in self.trainable.events(step, fraction, self.phases):
            self.phases.append(event["phase"])
            self.records.metric(event)
        if result.metrics is not None:
            self._log_step(result.metrics, result.phase, rate, float(norm))
        if sizes is not None:
            self.records.metric({"kind": update_sizes.UPDATES, "step": step, **sizes.finish()})
        if slow is not None:
            numbers = {**slow.finish(), "learning_rate": rate, "gradient_norm": float(norm)}
            self._status("paused")  # first: whoever reads the line may ask for the step's batch
            self.records.metric({"kind": SLOW_STEP, "step": step, **numbers})
            self._slow_steps -= 1
        self._synchronise()

    def _check_steps(self) -> None:
        steps, self._unchecked = self._unchecked, []
        refuse_infinite_steps(steps, self.folder.path)

    def _synchronise(self) -> None:
        """One clock, one command and one stop for all processes."""
        numbers = [0.0] * 4
        if self.group.is_first:
            self._command = self._command or self.records.take_command()
            command = COMMANDS.index(self._command) + 1 if self._command else 0
            patience = self.options.patience
            numbers = [command, time.monotonic(), self.elapsed_s, patience is not None and self._worse >= patience]
        signals, number, self._now, self.elapsed_s, over = self.group.all_reduce(self._signalled, *numbers)
        self.stop_requested, self._out_of_patience = self.stop_requested or signals > 0, over > 0
        self._command = COMMANDS[int(number) - 1] if number else None

    def _obey(self) -> None:
        """Do what the folder's control file commands; while paused, wait here for a command to take steps or go on."""
        while not self.stop_requested:
            command, self._command = self._command, None
            if command == "stop":
                self.stop_requested = True
            elif command == "snapshot":
                snapshot = self._snapshot()
                if self.group.is_first:
                    keep(snapshot)
                    self.records.log(f"snapshot of step {self.step:,} taken on request; it is kept")
            elif command == "pause" or command in STEPS:
                if not self._is_paused:
                    self._snapshot()
                    self._is_paused = True
                    self._status("paused")
                self._slow_steps = STEPS.get(command, 0)
            elif command == "resume" and self._is_paused:
                self._is_paused, self._slow_steps = False, 0
                self._status("running")
            if not self._is_paused or self._slow_steps:
                return
            time.sleep(COMMAND_WAIT_S)
            self._cores.since_last()
            self._synchronise()

    @property
    def fraction(self) -> float:
        """Share of the budget spent, 0..1."""
        return self.budget.fraction(self.step, self.elapsed_s)

    def _measurements_due(self) -> int:
        return math.floor(self.fraction * self.options.evaluations + 1e-9)

    def _is_measuring_affordable(self) -> bool:
        """Of a budget in minutes all measurements but the last take a tenth at most: one that would take more is left
        out. What a run with a budget in steps does must not depend on a clock."""
        if self.budget.seconds is None or self.fraction >= 1.0:
            return True
        sitting_s, spent_s = self.budget.seconds - self._began_at_s, self.elapsed_s - self._began_at_s
        allowed_s = (MEASURING_SHARE * sitting_s - self._first_measuring_s) * spent_s / sitting_s
        return self._measuring_s + self._last_measuring_s <= allowed_s

    # --- what it writes

    def _is_logged(self, step: int) -> bool:
        steps = self.budget.steps
        if steps is None:
            return step <= 20 or self._now - self._last_log >= LOG_EVERY_S
        return steps <= SHORT_RUN_STEPS or step % 10 == 0

    def _log_step(self, metrics: Mapping[str, float | None], phase: str, rate: float, norm: float) -> None:
        seconds = self.elapsed_s - self._elapsed_at_log
        line = {
            "kind": "train",
            "step": self.step,
            **metrics,
            "learning_rate": rate,
            "gradient_norm": norm,
            "tok_per_s": (self.tokens - self._tokens_at_log) / seconds if seconds > 0 else None,
            "tokens": self.tokens,
            "phase": phase,
            "elapsed_s": round(self.elapsed_s, 3),
            "memory_mib": memory_mib(),
            "cores": self._cores.since_last(),
        }
        self.records.metric(line)
        self._last_log, self._tokens_at_log, self._elapsed_at_log = self._now, self.tokens, self.elapsed_s

    def _measure(self) -> None:
        """Measure on held-out data. It counts as training time, but not in the tokens per second."""
        started, elapsed_before_s = time.perf_counter(), self.elapsed_s
        self._check_steps()
        numbers = self.trainable.measure(self.fraction)
        line = {"kind": HELD_OUT, "step": self.step, "tokens": self.tokens, **numbers}
        self.records.metric(line)
        self._compare_with_best(line)
        seconds = time.perf_counter() - started
        self.elapsed_s += seconds
        self._elapsed_at_log += seconds
        self._cores.since_last()
        self._synchronise()
        self._last_measuring_s = self.elapsed_s - elapsed_before_s  # the same in all processes
        self._measuring_s += self._last_measuring_s

    def _compare_with_best(self, numbers: Mapping[str, Any]) -> None:
        """Keep the best measurement, and count those since."""
        self._measured = numbers
        if self._best is None or self.trainable.is_better(numbers, self._best):
            self._best, self._worse = numbers, 0
        else:
            self._worse += 1

    def _snapshot(self) -> Path:
        """Write a snapshot, then thin the older ones."""
        path = self.folder.snapshot_path(self.step)
        if self._saved_step == self.step:  # it stands already: rewriting it would put the one good copy at risk
            return path
        if self.group.is_first:
            self._write_snapshot(path)
        self._saved_step, self._last_snapshot = self.step, self._now
        return path

    def _write_snapshot(self, path: Path) -> None:
        self._check_steps()
        setup, limit_mib = self.setup, self.options.snapshots_mib
        model, optimizer = setup.model, setup.optimizer
        refuse_infinite_weights(model, optimizer, self.step, self.folder.path, self._write_batch)
        state = TrainingState(
            step=self.step,
            tokens=self.tokens,
            elapsed_s=self.elapsed_s,
            corpus_key=setup.data_key,
            samplers=self.trainable.data_position(),
            precision=setup.precision.name,
        )
        with self.folder.begin_snapshot(self.step) as folder:
            save_checkpoint(
                model, setup.tokenizer, folder, name=self.trainable.name, step=self.step, tokens_seen=self.tokens
            )
            save_training_state(folder, state, optimizer_tensors(optimizer, model))
        best = self._best["step"] if self._is_best_kept and self._best else None
        if deleted := thin(self.folder, self.step, limit_mib, best):
            steps = ", ".join(f"{step:,}" for step in deleted)
            self.records.log(f"snapshots of step {steps} removed, to keep to {limit_mib:g} MiB")
        relative = path.relative_to(self.folder.path).as_posix()
        self.records.metric({"kind": "snapshot", "step": self.step, "path": relative})

    # --- the end

    @property
    def _is_best_kept(self) -> bool:
        """Where a run is to end once it gets no better, the best is a snapshot, and what the run ends with."""
        return self.options.patience is not None

    def _step_to_end_with(self, done: bool) -> int:
        """The best, where the run has come to its end and has kept it; else the last."""
        if not done or not self._is_best_kept or self._best is None:
            return self.step
        best = int(self._best["step"])
        return best if self.folder.snapshot_path(best).is_dir() else self.step

    def _finish(self, done: bool) -> None:
        """Measures and describes the model that the run ends with; that of an earlier step is opened first."""
        step, held_out = self._step_to_end_with(done), None
        if step != self.step:
            self.setup.model.load_state_dict(load_checkpoint(self.folder.snapshot_path(step)).model.state_dict())
            held_out = self.trainable.measure(1.0)
        numbers = self.trainable.finish(self.folder, RunEnd(done, step, self.step, held_out))
        last = self._measured
        if numbers is not None and (step, numbers.get("examples")) != (last.get("step"), last.get("examples")):
            self.records.metric({"kind": EVALUATION, "step": step, **numbers})

    def _why_this_step(self, done: bool) -> str | None:
        """Why the run ends with another step than the last, or without it; None where it ends as its budget does."""
        best = None if self._best is None else int(self._best["step"])
        if not done or not self._is_best_kept or best is None or best == self.step:
            return None
        begin = f"tep {best:,} was the best of {self.step:,} steps"
        begin = f"Stopped early: s{begin}" if self._out_of_patience else f"S{begin}"
        go_on = " More --patience with --resume goes on." if self._out_of_patience else ""
        if self._step_to_end_with(done) == best:
            return f"{begin}; the run ends with it.{go_on}"
        return f"{begin}, but no snapshot of it was kept; the run ends with step {self.step:,}.{go_on}"

    def _status(self, state: str, message: str | None = None, **more: Any) -> None:
        self.records.status(
            state,
            message,
            self.fraction,
            step=self.step,
            total_steps=self.budget.steps,
            elapsed_s=round(self.elapsed_s, 3),
            **more,
        )

    # --- before the first step

    def _report(self, sentence: str) -> None:
        """What takes time before the first step; a stop that was requested meanwhile ends the run here."""
        if self._signalled or self.records.take_command() == "stop":
            raise StopRequestedError("Stopped before the first step.")
        self._status("starting", sentence)

    def _on_signal(self) -> None:
        self._signalled = True


def seed_dropout(seed: int, device: torch.device) -> None:
    """torch.manual_seed also queues a call for GPUs that are not there: 3 ms and some memory at every step."""
    (torch.manual_seed if device.type == "cuda" else torch.default_generator.manual_seed)(seed)
