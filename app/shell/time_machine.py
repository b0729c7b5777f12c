"""The open model at other steps of its run, in every room: opened, followed while it trains, or played one by one."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from ..compute.inference import Inference
from ..compute.open_checkpoints import Kept
from ..compute.open_model import OpenModel
from ..compute.over_time import Text, read_snapshots
from ..compute.question import Question, ReportOrCancel
from ..runs.run_state import RunState
from ..runs.stages import Snapshots, Steps
from ..state import ModelInfo, Reading, WhatIf
from ..state.explore_state import ExploreState

if TYPE_CHECKING:
    from bertcore.tokenizer.tokenizer import Encoding


LOOK_MS = 1000  # at a run that is followed
WHOLE_MS, LEAST_MS, MOST_MS = 6000, 33, 600  # all snapshots together; each, at least and at most
LAST_MS = 1500  # the last one stays that long
MOST_KEPT_BYTES = 1 << 30  # of weights; snapshots beyond are opened one by one, which is slower


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


@dataclass(frozen=True, eq=False)
class _Before:
    """What was open and selected when playing began."""

    model: ModelInfo
    reference: str | None
    reading: Reading | None
    head: tuple[int, int]
    at_embeddings: bool
    what_if: WhatIf


class Playback(QObject):
    """What a person opens while it plays stays open."""

    changed = Signal(bool)  # whether it plays now
    shown = Signal(float)  # another snapshot is on show; when it came, by time.perf_counter()

    def __init__(
        self, state: ExploreState, inference: Inference, open_model: OpenModel, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._state, self._inference, self._open_model = state, inference, open_model
        self._before: _Before | None = None  # None: nothing plays
        self._ready: list[Reading] = []  # of the first of them, as far as the worker has come
        self._too_large: tuple[Path, ...] = ()  # the rest, where memory does not hold all of them
        self._number = 0  # of the one that comes next
        self._opens: Path | None = None  # one of `_too_large`, on its way
        self.is_going_back = False  # what is opened now was open before: nobody has chosen it
        self._question = Question[tuple[Path, ...]](
            self, self._on_question_answered, lambda one: self._ready.append(one)
        )
        self._question.requested.connect(inference.ask)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_timer_timeout)
        open_model.requested.connect(self._on_open_model_requested)

    @property
    def is_playing(self) -> bool:
        return self._before is not None

    def toggle(self, snapshots: Snapshots) -> None:
        """Starts, or stops whatever plays."""
        if not self.stop():
            self.start(snapshots)

    def start(self, snapshots: Snapshots, pause_ms: int | None = None) -> None:
        """From the first to the last. pause_ms: between two; left out: so that all take a few seconds."""
        self.stop()
        state, opener = self._state, self._open_model
        if state.model is None or opener.is_opening or not snapshots:
            return
        head, text = (state.layer, state.head), Text(state.text_a, state.text_b, state.mask_places)
        self._before = _Before(state.model, opener.reference, state.reading, head, state.at_embeddings, state.what_if)
        self._ready, self._too_large, self._number = [], (), 0
        kept, folders = self._inference.checkpoints.start_keeping(), tuple(path for _, path in snapshots)
        self._question.ask(keep_snapshots, kept, folders, text, state.encoding, pause_ms=0)
        even = min(max(WHOLE_MS // len(snapshots), LEAST_MS), MOST_MS)
        self._timer.start(even if pause_ms is None else pause_ms)
        self.changed.emit(self.is_playing)

    def stop(self) -> bool:
        """Gives back what was open before; False where nothing plays."""
        before = self._before
        if before is None:
            return False
        has_opened = self._number > len(self._ready)
        self._end()
        if has_opened or self._open_model.is_opening:
            self.is_going_back = True
            self._open_model.open(before.reference)
            self.is_going_back = False
        else:
            self._open_model.show(before.model, before.reference, before.reading)
        state = self._state
        state.set_what_if(before.what_if)
        state.set_head(*before.head)
        if before.at_embeddings:
            state.set_stage(0)
        return True

    def _end(self) -> None:
        self._timer.stop()
        self._question.clear()
        self._before = self._opens = None
        self._ready = []
        self._inference.checkpoints.release()
        self.changed.emit(self.is_playing)

    def _on_question_answered(self, too_large: tuple[Path, ...]) -> None:
        """All is ready; the timer goes on from here."""
        self._too_large = too_large

    def _on_timer_timeout(self) -> None:
        """Each is seen before the next."""
        if self._open_model.is_opening or self._state.reading is None:
            return
        rest = self._number - len(self._ready)
        if rest < 0:
            reading, arrived = self._ready[self._number], time.perf_counter()
            model = reading.request.model
            self._number += 1
            self._open_model.show(model, str(model.folder), reading)
            self.shown.emit(arrived)
        elif self._question.is_running:
            return
        elif rest < len(self._too_large):
            self._number += 1
            self._opens = self._too_large[rest]
            self._open_model.open(self._opens)
        else:
            self.stop()
            return
        if self._number == len(self._ready) + len(self._too_large) and not self._question.is_running:
            self._timer.setInterval(max(self._timer.interval(), LAST_MS))

    def _on_open_model_requested(self, reference: str) -> None:
        """Playing on would take away a model that somebody else has asked for."""
        if self._before is not None and (self._opens is None or Path(reference).resolve() != self._opens.resolve()):
            self._end()


def keep_snapshots(
    kept: Kept, folders: tuple[Path, ...], text: Text, encoding: Encoding | None, progress: ReportOrCancel
) -> Generator[Reading, None, tuple[Path, ...]]:
    """On the worker: opens and reads one after the other, as many as there is memory for; gives those that are left."""
    size = 0
    for opened in read_snapshots(folders, text, progress, encoding):
        size += 4 * opened.model.parameters
        if size > MOST_KEPT_BYTES:
            return folders[folders.index(opened.model.folder) :]
        kept.models.append((opened.model, opened.checkpoint))
        yield opened.reading
    return ()
