"""What a run writes into its folder while it trains: status, metrics and log. Of several processes only process 0."""

import time
from collections.abc import Mapping
from typing import Any

import torch

from bertcore.runs.environment import note_environment
from bertcore.runs.metrics_file import EVALUATION, HELD_OUT, held_out_in_words
from bertcore.runs.run_folder import RunFolder
from bertcore.training.control import TrainingClock
from bertcore.training.trainable import Event, OnEvent

STATUS_EVERY_S = 0.5


class RunWriter:
    """`on_event` is called with each event as it is written."""

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
