"""What a run writes into its folder besides snapshots. The followers of a run of several processes write nothing."""

from __future__ import annotations

import time
from typing import Any

import torch

from bertcore.runs.environment import note_environment
from bertcore.runs.run_folder import RunFolder
from bertcore.training.log_words import in_words, of_state
from bertcore.training.work import Event, Watch

STATUS_EVERY_S = 0.5


class Records:
    """Status, metrics and log of one run; `watch` is told each event as it is written."""

    def __init__(self, folder: RunFolder, watch: Watch, writes: bool) -> None:
        self.folder, self.watch, self.writes = folder, watch, writes
        self._last_status = 0.0  # monotonic seconds
        self._state: str | None = None

    def metric(self, line: Event) -> None:
        if self.writes:
            self.folder.append_metric(line)
            if words := in_words(line):
                self.folder.log(words)
            self.watch(line)

    def log(self, text: str) -> None:
        if self.writes:
            self.folder.log(text)

    def status(self, state: str, message: str | None, fraction: float, **more: Any) -> None:
        """`more`: step, total_steps, elapsed_s."""
        if not self.writes:
            return
        if words := of_state(self._state, state, more["step"]):
            self.folder.log(words)
        self._state = state
        known = state in ("running", "paused") and fraction > 0
        remaining_s = more["elapsed_s"] * (1 - fraction) / fraction if known else None
        self.folder.write_status(state=state, fraction=fraction, remaining_s=remaining_s, message=message, **more)
        self._last_status = time.monotonic()
        self.watch({"kind": "status", "state": state, "step": more["step"], "fraction": fraction, "message": message})

    @property
    def status_is_old(self) -> bool:
        return self.writes and time.monotonic() - self._last_status > STATUS_EVERY_S

    def environment(self, seed: int, device: torch.device) -> None:
        if self.writes:
            note_environment(self.folder.path, seed, device)

    def take_command(self) -> str | None:
        return self.folder.take_command() if self.writes else None
