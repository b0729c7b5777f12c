"""Builds state and services once and hands them over by constructor; there are no globals to reach for."""

from __future__ import annotations

import sys
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.compute.errors import ErrorReporter
from app.compute.inference import Inference
from app.shell.garbage import GarbageCollector
from app.shell.settings import load_settings
from app.shell.spare_memory import SpareMemory, share_one_heap
from app.state.state import ExploreState
from bertcore import locations

if TYPE_CHECKING:
    from app.runs.service import RunsService

HAND_OVER_S = 0.0005  # Python lets a busy thread run on for 5 ms before another gets its turn: the window would feel it


class Services:
    """What the window works with; `owner` is the QObject parent of all that emits signals.

    remembers: False leaves the person's settings as they are, as the tour must.
    """

    def __init__(self, owner: QObject, remembers: bool = True) -> None:
        self._remembers = remembers
        self.owner = owner
        self.state = ExploreState(owner)
        self.inference = Inference(owner)
        self.settings_file = locations.home() / "settings.json"
        self.settings = load_settings(self.settings_file)
        self.errors = ErrorReporter(owner)
        self.garbage = GarbageCollector(owner)
        state, inference = self.state, self.inference
        changes = (state.model_changed, state.reading_changed, state.token_view_changed, inference.answer_ready)
        self.spare_memory = SpareMemory(owner, changes)

    @cached_property
    def runs(self) -> RunsService:
        """Made when the room Train is opened: nothing of it is needed for the first paint."""
        from app.runs.service import RunsService

        return RunsService(self.owner)

    def save_settings(self) -> None:
        if self._remembers:
            self.settings.save(self.settings_file)

    def close(self) -> None:
        """Ends the worker thread. Runs go on: they are processes of their own."""
        if "runs" in vars(self):
            self.runs.close()
        self.inference.close()
        self.errors.close()
        self.garbage.close()
        self.spare_memory.close()


def build_services(owner: QObject, remembers: bool = True) -> Services:
    """State and services for one window, parented on `owner`."""
    sys.setswitchinterval(HAND_OVER_S)
    share_one_heap()
    return Services(owner, remembers)
