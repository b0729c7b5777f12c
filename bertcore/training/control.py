"""How far a run is, and what it is commanded to do: the same in all of its processes between two steps. And what it
writes meanwhile: status, metrics and log."""

import math
import time
from collections import deque
from collections.abc import Mapping
from typing import Any

import torch

from bertcore.runs.environment import note_environment
from bertcore.runs.metrics_file import EVALUATION, HELD_OUT, held_out_in_words
from bertcore.runs.run_folder import COMMANDS, RunFolder
from bertcore.training.distributed import ProcessGroup
from bertcore.training.failures import StopRequestedError
from bertcore.training.options import Budget, LoopOptions
from bertcore.training.trainable import Event, OnEvent

STATUS_EVERY_S = 0.5
MEASURING_SHARE = 0.1  # of a run's work or time goes to measurements on held-out data, at most


class TrainingClock:
    """Seconds are of training: with measurements, without pauses. They are the same in all processes between steps."""

    def __init__(self, options: LoopOptions) -> None:
        self.budget = Budget(options.steps, None)  # the whole of it is known when the data is read
        self.step, self.tokens, self.elapsed_s = 0, 0, 0.0
        self.now_s = 0.0  # monotonic seconds, of process 0
        self._evaluations = options.evaluations
        self._began_at_s = 0.0  # `elapsed_s` when this sitting began
        self._first_measuring_s = self._measuring_s = self._last_measuring_s = 0.0

    def resume(self, step: int, tokens: int, elapsed_s: float) -> None:
        self.step, self.tokens, self.elapsed_s, self._began_at_s = step, tokens, elapsed_s, elapsed_s

    @property
    def fraction(self) -> float:
        """Share of the budget spent, 0..1."""
        return self.budget.fraction(self.step, self.elapsed_s)

    @property
    def next_fraction(self) -> float:
        """By the middle of the next step; of a budget in minutes what is spent now."""
        return (self.step + 0.5) / self.budget.steps if self.budget.steps else self.fraction

    @property
    def measurements_due(self) -> int:
        """By now; the last of them at the end of the budget."""
        if self.budget.steps:
            return min(self.step, self.budget.steps) * self._evaluations // self.budget.steps
        return math.floor(self.fraction * self._evaluations)

    @property
    def is_measuring_affordable(self) -> bool:
        """Of a budget in minutes all measurements but the last take a tenth at most: one that would take more is left
        out. What a run with a budget in steps does must not depend on a clock."""
        if self.budget.seconds is None or self.fraction >= 1.0:
            return True
        sitting_s, spent_s = self.budget.seconds - self._began_at_s, self.elapsed_s - self._began_at_s
        allowed_s = (MEASURING_SHARE * sitting_s - self._first_measuring_s) * spent_s / sitting_s
        return self._measuring_s + self._last_measuring_s <= allowed_s

    def add_measuring(self, seconds: float, is_first: bool) -> None:
        """What a measurement took. The one before the first step is allowed for apart."""
        self._last_measuring_s = seconds
        if is_first:
            self._first_measuring_s = seconds
        else:
            self._measuring_s += seconds


class Control:
    """Processes take the same steps because they synchronise after each: what depends on a clock, a signal or the
    folder is decided in `synchronise`, and by process 0."""

    def __init__(self, group: ProcessGroup, clock: TrainingClock, folder: RunFolder) -> None:
        self.group, self.clock, self.folder = group, clock, folder
        self.stop_requested = self.is_out_of_patience = self.is_paused = False
        self.slow_steps = 0  # to take in slow motion before it waits again
        self._is_signalled = False  # this process got a signal to stop
        self._taken: deque[str] = deque()  # from the folder, by process 0
        self._command: str | None = None  # for all processes, not yet obeyed

    def on_signal(self) -> None:
        self._is_signalled = True

    def refuse_stop(self) -> None:
        """Before the first step: a stop that is requested ends the run here, any other command waits for the loop."""
        self._take_from_folder()
        if self._is_signalled or "stop" in self._taken:
            raise StopRequestedError("Stopped before the first step.")

    def synchronise(self, now_s: float, is_out_of_patience: bool) -> None:
        """One clock, one command and one stop for all processes. now_s: monotonic seconds."""
        clock, numbers = self.clock, [0.0] * 4
        if self.group.is_first:
            self._take_from_folder()
            if self._command is None and self._taken:
                self._command = self._taken.popleft()
            command = COMMANDS.index(self._command) + 1 if self._command else 0
            numbers = [command, now_s, clock.elapsed_s, is_out_of_patience]
        signals, number, clock.now_s, clock.elapsed_s, over = self.group.all_reduce(self._is_signalled, *numbers)
        self.stop_requested, self.is_out_of_patience = self.stop_requested or signals > 0, over > 0
        self._command = COMMANDS[int(number) - 1] if number else None

    def next_command(self) -> str | None:
        """To be obeyed now."""
        command, self._command = self._command, None
        return command

    def _take_from_folder(self) -> None:
        if self.group.is_first and (command := self.folder.take_command()) is not None:
            self._taken.append(command)


class RunWriter:
    """Of several processes only process 0 writes. `on_event` is called with each event as it is written."""

    def __init__(self, folder: RunFolder, clock: TrainingClock, on_event: OnEvent, writes: bool) -> None:
        self.folder, self.clock, self.on_event, self.writes = folder, clock, on_event, writes
        self._last_status = 0.0  # monotonic seconds
        self._state: str | None = None

    def metric(self, line: Event) -> None:
        if self.writes:
            self.folder.append_metric(line)
            if line["kind"] == "phase":
                self.folder.log(f"step {line['step']:,}: {line['message']}")
            if line["kind"] in (HELD_OUT, EVALUATION):
                self.folder.log(f"step {line['step']:,}, {held_out_in_words(line)}")
            self.on_event(line)

    def log(self, text: str) -> None:
        if self.writes:
            self.folder.log(text)

    def status(self, state: str, message: str | None = None, **more: Any) -> None:
        """`more`: ends_with, where that changes."""
        if not self.writes:
            return
        step, fraction, elapsed_s = self.clock.step, self.clock.fraction, round(self.clock.elapsed_s, 3)
        if state == "paused" and self._state != "paused":
            self.folder.log(f"paused at step {step:,}")
        if state == "running" and self._state == "paused":
            self.folder.log(f"continues after the pause, from step {step:,}")
        self._state = state
        known = state in ("running", "paused") and fraction > 0
        self.folder.write_status(
            state=state,
            fraction=fraction,
            remaining_s=elapsed_s * (1 - fraction) / fraction if known else None,
            message=message,
            step=step,
            total_steps=self.clock.budget.steps,
            elapsed_s=elapsed_s,
            **more,
        )
        self._last_status = time.monotonic()
        self.on_event({"kind": "status", "state": state, "step": step, "fraction": fraction, "message": message})

    @property
    def status_is_old(self) -> bool:
        return self.writes and time.monotonic() - self._last_status > STATUS_EVERY_S

    def environment(self, seed: int, device: torch.device, choices: Mapping[str, Any]) -> None:
        if self.writes:
            note_environment(self.folder.path, seed, device, choices)
