"""Builds state and services once and hands them over by constructor; there are no globals to reach for."""

from __future__ import annotations

import sys
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from bertcore import locations

from ..compute.errors import ErrorReporter
from ..compute.inference import Inference
from ..compute.open_model import OpenModel
from ..compute.reader import Reader
from ..state import ModelInfo
from ..state.explore_state import ExploreState
from .garbage import GarbageCollector, SpareMemory, share_one_heap
from .settings import load_settings
from .time_machine import Playback, TimeMachine

if TYPE_CHECKING:
    from ..runs.service import RunsService
    from .notifications import RunNotifications

HAND_OVER_S = 0.0005  # Python lets a busy thread run on for 5 ms before another gets its turn: the window would feel it


class Services:
    """What the window works with; `owner` is the QObject parent of all that emits signals.

    remembers: False leaves the person's settings as they are, as the tour must.
    """

    def __init__(self, owner: QObject, remembers: bool = True) -> None:
        sys.setswitchinterval(HAND_OVER_S)
        share_one_heap()
        self._remembers, self.owner = remembers, owner
        self.state = ExploreState(owner)
        self.inference = Inference(owner)
        self.open_model = OpenModel(self.state, self.inference, owner)
        self.time_machine = TimeMachine(self.open_model, owner)
        self.reader = Reader(self.state, self.inference, owner)
        self.playback = Playback(self.state, self.inference, self.open_model, owner)
        self.settings_file = locations.home() / "settings.json"
        self.problems: list[str] = []  # sentences that the window shows once it is there
        self.settings = load_settings(self.settings_file, self.problems.append)
        self.errors = ErrorReporter(owner)
        self.garbage = GarbageCollector(owner)
        state = self.state
        changes = (state.model_changed, state.reading_changed, state.token_view_changed, self.inference.job_finished)
        self.spare_memory = SpareMemory(owner, changes)
        self.open_model.opened.connect(self._on_model_opened)

    @cached_property
    def runs(self) -> RunsService:
        """Made when the room Train is opened: nothing of it is needed for the first paint."""
        from ..runs.service import RunsService

        runs = RunsService(self.owner)
        self.time_machine.watch(runs)
        return runs

    @cached_property
    def run_notifications(self) -> RunNotifications:
        """Made with the room Train: a click on one opens that room."""
        from .notifications import RunNotifications

        return RunNotifications(self.runs, self.runs)

    def save_settings(self) -> None:
        if self._remembers:
            self.settings.save(self.settings_file)

    def stop(self) -> None:
        """Tells everything to end, without waiting. Runs go on: they are processes of their own."""
        self.save_settings()
        if "runs" in vars(self):
            self.runs.close()
        self.time_machine.close()
        self.spare_memory.close()
        self.inference.stop()

    def close(self, timeout_s: float = 10.0) -> bool:
        """Waits for the worker to end; False where it has not in that time."""
        self.stop()
        has_ended = self.inference.join(timeout_s)
        self.errors.close()
        self.garbage.close()
        return has_ended

    def _on_model_opened(self, model: ModelInfo, reference: str | None) -> None:
        is_snapshot = model.folder.parent.name == "snapshots"  # the time machine opens many of them
        is_chosen_step = is_snapshot and reference is not None and model.folder.name in reference
        if reference not in (None, *locations.NAMED) and not is_chosen_step:
            self.settings.remember_model(reference)
            self.save_settings()
