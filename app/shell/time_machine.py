"""Takes the open model back to an earlier step of its run, and follows a run that is at work."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from ..compute.open_model import OpenModel

if TYPE_CHECKING:
    from ..runs.run_state import RunState
    from ..runs.stages import Steps

LOOK_MS = 1000


class TimeMachine(QObject):
    """Off until somebody asks for it; what a person opens meanwhile is never taken away."""

    changed = Signal()  # other steps, another one of them, or it can follow, or does, or not any more

    def __init__(self, open_model: OpenModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._open_model = open_model
        self._runs: RunState | None = None  # once there are runs
        self.live: Path | None = None  # the run at work that can be followed
        self.is_following = False
        self._followed: Path | None = None  # the snapshot that was opened last
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self._look)
        open_model.requested.connect(self._on_model_requested)
        open_model.opened.connect(self.changed)

    @property
    def steps(self) -> Steps | None:
        """Of the open model's run."""
        from ..runs.stages import steps_of  # the first paint needs nothing of runs

        model = self._open_model.model
        return None if model is None else steps_of(model.folder)

    @property
    def stage(self) -> str:
        """The one of STAGES that is open; empty for another step."""
        steps, model = self.steps, self._open_model.model
        return "" if steps is None or model is None else steps.stage_of(model.folder)

    def open_stage(self, name: str) -> None:
        """One of `runs.stages.STAGES`; a run that has no such step leaves the model as it is."""
        steps = self.steps
        if steps is not None and name in steps.stages:
            self.open_snapshot(steps.stages[name])

    def open_snapshot(self, folder: Path) -> None:
        from ..runs.stages import reference_to

        self._open_model.open(reference_to(folder))

    def watch(self, runs: RunState) -> None:
        """The run that is looked at in the room Train can be followed while it is at work."""
        self._runs = runs
        for changed in (runs.run_changed, runs.status_changed):
            changed.connect(self._on_run_changed)

    def set_following(self, is_on: bool) -> None:
        """Opens the newest snapshot now, and each that comes, in whichever room."""
        is_on = is_on and self.live is not None
        if is_on != self.is_following:
            self.is_following, self._followed = is_on, None
            self.changed.emit()
            self._look()

    def close(self) -> None:
        self._timer.stop()

    def _on_run_changed(self) -> None:
        """A run that is followed is followed to its end, whichever is looked at in Train."""
        if self.is_following or self._runs is None:
            return
        live = self._runs.run.path if self._runs.run.status.active else None
        if live != self.live:
            self.live = live
            self.changed.emit()
        if live is None:
            self._timer.stop()
        elif not self._timer.isActive():
            self._timer.start()

    def _look(self) -> None:
        """Whether there is a newer snapshot, and whether the run is still at work."""
        from bertcore.runs.run_folder import RunFolder

        if self.live is None:
            return
        run = RunFolder(self.live)
        is_over = not run.status().active
        newest = run.final_snapshot() if self.is_following else None  # the best, at its end, if it is not the newest
        if newest is not None and newest != self._followed and not self._open_model.is_opening:
            self._followed = newest
            self._open_model.open(newest)
        if is_over:
            self.live, self.is_following = None, False
            self._timer.stop()
            self.changed.emit()

    def _on_model_requested(self, reference: str) -> None:
        """Following on would take away a model that somebody else has asked for."""
        if self.is_following and (self._followed is None or Path(reference).resolve() != self._followed.resolve()):
            self.set_following(False)
