"""The loop that every kind of training shares: steps, measurements, snapshots, and what it writes and obeys.

What is trained, and on what, is a `Trainable`. Every random choice of a step follows from the seed and the step's
number alone, so a snapshot needs no generator's state.
"""

import contextlib
import gc
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.errors import BertcoreError
from bertcore.memory import garbage_collected_by_hand
from bertcore.runs.known_runs import register_run
from bertcore.runs.metrics_file import EVALUATION, HELD_OUT
from bertcore.runs.run_folder import RESUME, RunFolder
from bertcore.runs.snapshots import can_resume, keep
from bertcore.runs.sources import changed_since
from bertcore.training.control import Control, RunWriter, TrainingClock
from bertcore.training.failures import StopRequestedError, as_sentence, stop_signals
from bertcore.training.kept_steps import KeptSteps, load_newest
from bertcore.training.step_observers import (
    ComputedStep,
    FiniteNumbers,
    SlowMotion,
    StepObserver,
    TrainLines,
    UpdateSizes,
)
from bertcore.training.trainable import OnEvent, RunEnd, StepPlan, Trainable

SHORT_RUN_STEPS = 1000  # up to here every step is logged
LOG_EVERY_S = 0.5  # runs with a budget in minutes log a step this often
COMMAND_WAIT_S = 0.1  # a paused run looks for a command this often
SLOW_STEPS = {"step": 1, "ten_steps": 10}  # how many a command takes in slow motion


def run_training(trainable: Trainable, folder: RunFolder, on_event: OnEvent | None = None) -> Path:
    """Train in the folder from where it stands to the end of the budget; returns the snapshot that the run ends with.

    Raises BertcoreError, one sentence, for what cannot be trained on or goes wrong.
    """
    with folder.acquire() if trainable.group.is_first else contextlib.nullcontext():
        if trainable.group.is_first:
            register_run(folder.path)
        return TrainingLoop(trainable, folder, on_event or (lambda event: None)).run()


class TrainingLoop:
    """One run, from where its folder stands to the end of its budget; in several processes, one of these in each."""

    # from `prepare` on
    finite: FiniteNumbers
    lines: TrainLines
    observers: tuple[StepObserver, ...]

    def __init__(self, trainable: Trainable, folder: RunFolder, on_event: OnEvent) -> None:
        self.trainable, self.folder, self.group = trainable, folder, trainable.group
        self.options = trainable.loop_options
        self.clock = TrainingClock(self.options)
        self.writer = RunWriter(folder, self.clock, on_event, self.group.is_first)
        self.control = Control(self.group, self.clock, folder)
        self.kept = KeptSteps(folder, trainable, self.writer)

    def run(self) -> Path:
        with stop_signals(self.control.on_signal):  # around all: a late one must not cut off the last status
            return self._run()

    def _run(self) -> Path:
        clock, kept = self.clock, self.kept
        self.writer.status("starting", "Reading the text.")
        try:
            with self.group.watch_others(self._fail):
                self.prepare()
                self.writer.log(self.trainable.summary)
                self.writer.environment(self.options.seed, self.trainable.device, self.trainable.choices)
                self._resume_or_begin()
                with garbage_collected_by_hand():
                    is_done = self._train()
                self._save()
                if self.group.is_first:
                    self._finish(is_done)
        except StopRequestedError as error:
            self.writer.status("stopped", str(error))
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
        state, step = "done" if is_done else "stopped", kept.step_to_end_with(is_done)
        why = kept.why_this_step(is_done, self.control.is_out_of_patience)
        self.writer.status(state, why, ends_with=None if step == clock.step else step)
        minutes = f"after {clock.elapsed_s / 60:.1f} minutes of training"
        self.writer.log(". ".join(filter(None, (f"{state} at step {clock.step:,}, {minutes}", why))))
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
            self.writer.status("failed", message)
            self.writer.log(message)

    # --- before the first step

    def prepare(self) -> None:
        """Everything ready for the first step of a run from its beginning."""
        trainable, writer = self.trainable, self.writer
        trainable.prepare(self.folder.path, self._report)
        self.clock.budget = trainable.budget
        self.finite, self.lines = FiniteNumbers(trainable, self.folder), TrainLines(trainable, writer)
        more = UpdateSizes(trainable, writer, self.control), SlowMotion(trainable, writer, self.control)
        self.observers = (self.lines, self.finite, *more)

    def _report(self, sentence: str) -> None:
        """What takes time before the first step; a stop that was requested meanwhile ends the run here."""
        self.control.refuse_stop()
        self.writer.status("starting", sentence)

    def _resume_or_begin(self) -> None:
        resumable = [Path(path) for path in self.group.broadcast(self._resumable)]
        if not resumable:
            if self.group.is_first:
                self.folder.truncate_metrics(-1)
            self._measure(is_first=True)  # before the snapshot: killed between the two it begins, and measures, anew
            self._save()
            return
        trainable = self.trainable
        state = load_newest(resumable, trainable.model, trainable.optimizer, trainable.data_key)
        if state is None:
            raise changed_since(self.folder.path)
        if state.precision != trainable.precision.name:  # it goes on as it began, perhaps on another machine
            trainable.use_precision(state.precision)
        self.clock.resume(state.step, state.tokens, state.elapsed_s)
        self.lines.begin()
        self.kept.saved_step = state.step
        trainable.restore_data_position(state.samplers)
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
        step = self.clock.step
        self.folder.truncate_metrics(step)
        self.folder.set_snapshots_aside(step)
        for line in self.folder.tail().read_new():
            if line.get("kind") == "phase":
                self.lines.phases.append(str(line.get("phase")))
            if line.get("kind") == HELD_OUT:
                self.kept.compare(line)
        self.writer.metric({"kind": RESUME, "step": step})
        self.writer.log(f"resumed at step {step:,}")

    # --- the loop

    def _train(self) -> bool:
        """Until the budget is spent (True) or a stop is requested (False)."""
        clock, control = self.clock, self.control
        self.writer.status("running", ends_with=None)
        self.control.synchronise(time.monotonic(), self.kept.is_out_of_patience)
        self.kept.saved_at_s = clock.now_s
        self.lines.cores.since_last()
        measured = clock.measurements_due
        while clock.fraction < 1.0 and not control.is_out_of_patience:
            self._obey()
            if control.stop_requested:
                return False
            self.take_step()
            if clock.measurements_due > measured:
                measured = clock.measurements_due
                if clock.is_measuring_affordable:
                    self._measure()
                gc.collect()
            if self.kept.is_due:
                self._save()
            if self.writer.status_is_old:
                self.writer.status("paused" if control.is_paused else "running")
        return True

    def take_step(self, planned: tuple[StepPlan, Any] | None = None) -> None:
        """One batch, one update: the next of the run, if no other is given. Between logged steps nothing waits for the
        device."""
        started = time.perf_counter()
        trainable, clock, options = self.trainable, self.clock, self.options
        plan, batch = planned or trainable.planned.take(clock.step + 1, clock.next_fraction)
        plan = replace(plan, is_logged=plan.is_logged or self._is_logged(plan.step))
        seed_dropout(options.seed * 1_000_003 + plan.step + self.group.rank * 1_000_000_007, trainable.device)
        rate = trainable.learning_rate(clock.next_fraction)
        for parameters in trainable.optimizer.param_groups:
            parameters["lr"] = rate * parameters.get("rate_share", 1.0)
        trainable.optimizer.zero_grad(set_to_none=True)
        trainable.begin_step(plan)
        result = trainable.forward_backward(plan, batch)
        norm = nn.utils.clip_grad_norm_(trainable.model.parameters(), options.gradient_clip)
        step = ComputedStep(plan, batch, result, rate, norm)
        for observer in self.observers:
            observer.before_update(step)
        trainable.optimizer.step()
        clock.step, clock.tokens = plan.step, clock.tokens + result.tokens
        clock.elapsed_s += time.perf_counter() - started
        for observer in self.observers:
            observer.after_update(step)
        self.control.synchronise(time.monotonic(), self.kept.is_out_of_patience)

    def _is_logged(self, step: int) -> bool:
        steps = self.clock.budget.steps
        if self.control.is_paused:
            return True
        if steps is None:
            return step <= 20 or self.clock.now_s - self.lines.logged_at_s >= LOG_EVERY_S
        return steps <= SHORT_RUN_STEPS or step % 10 == 0

    def _obey(self) -> None:
        """Do what the folder's control file commands; while paused, wait here for a command to take steps or go on."""
        control = self.control
        while not control.stop_requested:
            command = control.next_command()
            if command == "stop":
                control.stop_requested = True
            elif command == "snapshot":
                snapshot = self._save()
                if self.group.is_first:
                    keep(snapshot)
                    self.writer.log(f"snapshot of step {self.clock.step:,} taken on request; it is kept")
            elif command == "pause" or command in SLOW_STEPS:
                if not control.is_paused:
                    self._save()
                    control.is_paused = True
                    self.writer.status("paused")
                control.slow_steps = SLOW_STEPS.get(command, 0)
            elif command == "resume" and control.is_paused:
                control.is_paused, control.slow_steps = False, 0
                self.writer.status("running")
            if control.slow_steps or (command is None and not control.is_paused):
                return
            if command is None:
                time.sleep(COMMAND_WAIT_S)
            self.lines.cores.since_last()
            self.control.synchronise(time.monotonic(), self.kept.is_out_of_patience)

    def _measure(self, is_first: bool = False) -> None:
        """Measure on held-out data. It counts as training time, but not in the tokens per second."""
        clock, started = self.clock, time.perf_counter()
        elapsed_before_s = clock.elapsed_s
        self.finite.check()
        line = {"kind": HELD_OUT, "step": clock.step, "tokens": clock.tokens, **self.trainable.measure(clock.fraction)}
        self.writer.metric(line)
        self.kept.compare(line)
        seconds = time.perf_counter() - started
        clock.elapsed_s += seconds
        self.lines.leave_out(seconds)
        self.control.synchronise(time.monotonic(), self.kept.is_out_of_patience)
        clock.add_measuring(clock.elapsed_s - elapsed_before_s, is_first)  # the same in all processes

    def _save(self) -> Path:
        if self.kept.saved_step != self.clock.step and self.group.is_first:
            self.finite.check_weights(self.clock.step)
        return self.kept.save()

    # --- the end

    def _finish(self, is_done: bool) -> None:
        """Measures and describes the model that the run ends with; that of an earlier step is opened first."""
        step, held_out = self.kept.step_to_end_with(is_done), None
        if step != self.clock.step:
            self.trainable.model.load_state_dict(load_checkpoint(self.folder.snapshot_path(step)).model.state_dict())
            held_out = self.trainable.measure(1.0)
        numbers = self.trainable.finish(self.folder, RunEnd(is_done, step, self.clock.step, held_out))
        last = self.kept.last_measured
        if numbers is not None and (step, numbers.get("examples")) != (last.get("step"), last.get("examples")):
            self.writer.metric({"kind": EVALUATION, "step": step, **numbers})


def seed_dropout(seed: int, device: torch.device) -> None:
    """torch.manual_seed also queues a call for GPUs that are not there: 3 ms and some memory at every step."""
    (torch.manual_seed if device.type == "cuda" else torch.default_generator.manual_seed)(seed)
