"""Training runs: starts them as child processes, follows their folders, sends them commands. No torch.

The window only follows folders, so a run from the shell, or one that outlived the window, is a run like any other.
Everything happens on the window's thread in small bites: a status is a read of 300 bytes, metrics come in pieces.
"""

import contextlib
import os
import re
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Slot

from bertcore import locations
from bertcore.errors import BertcoreError
from bertcore.files import write_json
from bertcore.runs import known_runs as registry
from bertcore.runs.metrics_file import METRICS, MetricsTail
from bertcore.runs.run_folder import CONFIG, NO_WORD, SNAPSHOTS, STATUS, RunFolder, RunStatus
from bertcore.runs.sweep_results import SWEEP

from ..look import say
from .process import RunChild, RunCommand, launch_folder, remove_launch_files
from .run_info import LABEL, RunInfo, describe, newest_held_out, read_result, read_run, with_kind
from .run_keeping import RunKeeper
from .run_state import RunState

POLL_MS = 250  # the run that is looked at
REFRESH_EVERY_POLLS = 4  # the list of all runs
READ_BYTES = 1 << 17  # of metrics in one go: some 400 lines, a few milliseconds
FILES = (CONFIG, LABEL, SWEEP, SNAPSHOTS)  # what a row of the list is read from
PROGRESS = (STATUS, METRICS)  # and what a run at work writes all the time
ALIVE_S = 0.9  # so long after its last look at a run's lock, the poll looks at it again only where a file has changed


@dataclass(frozen=True)
class _Known:
    """A row, and the files as they were when it was read."""

    files: object
    progress: object
    looked_at: float  # of time.monotonic()
    info: RunInfo


class RunsService(RunState):
    """Follows the known runs while somebody looks, and one of them closely. The runs themselves never depend on it."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._children: dict[Path, RunChild] = {}
        self._pending: dict[Path, RunInfo] = {}  # started here, but no folder yet
        self._held_out: dict[Path, tuple[int, dict[str, Any] | None]] = {}  # by the size of the metrics file
        self._known: dict[Path, _Known] = {}
        self._tail: MetricsTail | None = None
        self._compared: dict[Path, MetricsTail] = {}
        self._snapshots_stamp: object = None
        self._stopgap: Path | None = None  # the built-in run, looked at only because there was no other
        self._polls = 0
        self.keeper = RunKeeper(self, self.forget, self.refresh)
        self._timer = QTimer(self, interval=POLL_MS)
        self._timer.timeout.connect(self._on_timer_timeout)
        self.start_requested.connect(self.start)
        self.control_requested.connect(self.control)
        self.sweep_resume_requested.connect(self.resume_sweep)
        self.select_requested.connect(self.select)
        self.compared_changed.connect(self._read_compared)

    def set_following(self, follows: bool) -> None:
        """Lists the runs, selects the one that is running (or the newest) and polls; or rests until it is wanted."""
        if not follows:
            self._timer.stop()
        elif not self._timer.isActive():
            self.refresh()
            self._select_one()
            self._poll_selected()
            self._timer.start()

    def close(self) -> None:
        """Stops following. Runs that are at work go on; the next window finds them."""
        self._timer.stop()
        self._tail = None
        self.estimator.close()
        self.keeper.close()
        for path in self._pending:  # one that failed before it had a folder; what it printed was shown
            child = self._children.get(path)
            if child is not None and child.has_ended and not path.exists():
                remove_launch_files(path)

    def start(self, command: RunCommand) -> Path | None:
        """Starts a run in a folder of its own under runs_folder() and selects it; None where it cannot start.

        Of a sweep, the first of its runs is selected: one process trains them all.
        """
        base = _new_run_path(command.options.name)
        try:
            planned = command.runs(base)
            recipe = launch_folder() / f"{base.name}.json"
            write_json(recipe, command.options.with_absolute_paths().to_dict())  # it is read in another folder
            child = RunChild(base, command.arguments(recipe))
        except (BertcoreError, OSError) as error:
            remove_launch_files(base)
            self.problem_found.emit(str(error))
            return None
        self._children |= {each.path: child for each in planned}
        run, name, config = planned[0].path, planned[0].options.name, planned[0].options.to_dict()
        status = RunStatus("starting", updated_at=time.time())
        self._pending[run] = with_kind(RunInfo(run, name, describe(config), status), config)
        self.refresh()
        self.select(run)
        return run

    def control(self, path: Path, command: str) -> None:
        """pause, resume, stop or snapshot; a run without a process is resumed by a new one."""
        run, child = RunFolder(path), self._children.get(path)
        try:
            if run.is_alive():
                run.send(command)
            elif command == "resume" and (child is None or child.has_ended):
                self._children[path] = RunChild(path, [self._info(path).kind, "--resume"])
            elif command == "stop" and child is not None:
                child.terminate()
        except BertcoreError as error:
            self.problem_found.emit(str(error))
        self._poll_selected()

    def resume_sweep(self, runs: list[Path]) -> None:
        """Trains those of these runs that are not done, one after the other."""
        try:
            child = RunChild(runs[0], ["sweep", "--resume"])
        except BertcoreError as error:
            self.problem_found.emit(str(error))
            return
        self._children |= {run: child for run in runs if RunFolder(run).status().state != "done"}
        self.refresh()

    def select(self, path: Path | None) -> None:
        """Follows this run closely: its metrics come from the first line on."""
        if path != self.selected:
            self._stopgap = None
        self._tail = MetricsTail(path) if path else None
        self._snapshots_stamp = None
        self.show_run(self._info(path) if path else None)
        self._poll_selected()

    @property
    def is_reading(self) -> bool:
        """There are lines of metrics that have not been read yet."""
        return any(tail.more for tail in (self._tail, *self._compared.values()) if tail is not None)

    def forget(self, path: Path) -> None:
        """A run that was deleted; where it was the one looked at, another takes its place."""
        remove_launch_files(path)
        for known in (self._known, self._children, self._pending, self._held_out):
            known.pop(path, None)
        self.refresh()
        if path == self.selected:
            self.select(self.runs[0].path if self.runs else None)

    def refresh(self) -> None:
        """Reads the state of every known run."""
        found = registry.known_runs()
        runs = [self._info(path) for path in found]
        waiting = [self._info(path) for path in self._pending if path not in found]
        for path in found:
            self._pending.pop(path, None)
        runs = waiting[::-1] + runs
        if runs != self.runs:
            self.set_runs(runs)

    def read_again(self) -> None:
        """Reads all runs anew: what they are called is written in the language of now."""
        self._known.clear()
        self.refresh()

    def _info(self, path: Path, known_for_s: float = 0.0) -> RunInfo:
        """known_for_s: a run that has written nothing for less is taken to have its process still."""
        if path in self._pending and not registry.is_run(path):
            info = self._pending[path]
            return replace(info, status=self._with_fate(path, info.status))
        files, progress = _stamp(path, FILES), _stamp(path, PROGRESS)
        known, child, now = self._known.get(path), self._children.get(path), time.monotonic()
        if known is not None and known.files != files:
            known = None
        if known is not None and known.progress == progress and (child is None or not child.has_ended):
            is_over = child is None and not known.info.status.active
            if is_over or now - known.looked_at < known_for_s:  # a hundred folders a second would take a tenth of it
                return known.info
        status, held_out = self._with_fate(path, RunFolder(path).status()), None
        with contextlib.suppress(OSError):
            size = (path / METRICS).stat().st_size
            if path not in self._held_out or self._held_out[path][0] != size:
                self._held_out[path] = size, newest_held_out(path)
            held_out = self._held_out[path][1]
        if known is not None and known.info.status.active and status.active:
            info = replace(known.info, status=status, held_out=held_out)
        else:
            info = read_run(path, status, held_out)
        self._known[path] = _Known(files, progress, now, info)
        return info

    def _with_fate(self, path: Path, status: RunStatus) -> RunStatus:
        """The status; where our child has not written one yet, or died without, what we know of the child."""
        child = self._children.get(path)
        if child is None:
            return status
        has_written = status.updated_at >= child.started_at
        if not child.has_ended:
            waits = not has_written and not status.active  # a resumed run: its last status is from the time before
            return replace(status, state="starting", remaining_s=None, message=None) if waits else status
        if status.state in ("running", "paused"):  # another process trains: a status says so only of a live one
            return status
        if child.ended_well or (has_written and not status.active and status.message != NO_WORD):
            return status
        if child.was_told_to_end:
            return replace(status, state="stopped", remaining_s=None, message=say("Stopped while it was starting."))
        return replace(status, state="failed", remaining_s=None, message=child.last_words())

    def _select_one(self) -> None:
        """Where nobody has selected one yet: the run at work, else the newest; the built-in one until there is any."""
        if self.selected != self._stopgap or not self.runs:
            return
        at_work = [run for run in self.runs if run.status.active]
        best = min(at_work, key=lambda run: run.status.state == "waiting", default=self.runs[0])
        if best.path != self.selected:
            self.select(best.path)
            self._stopgap = best.path if best.is_built_in else None

    def _poll_selected(self) -> None:
        path = self.selected
        if path is None:
            return
        info = self._info(path, ALIVE_S)
        if info.status != self.run.status:
            self.set_status(info)
        stamp = _stamp(path, (SNAPSHOTS,))
        if stamp != self._snapshots_stamp:
            self._snapshots_stamp = stamp
            snapshots = RunFolder(path).snapshots()
            if snapshots != self.snapshots:
                self.set_snapshots(snapshots)
        result = read_result(path, self.result) if info.run_kind.has_result else None
        if result is not self.result:
            self.set_result(result)
        self._read_metrics()

    @Slot()
    def _read_metrics(self) -> None:
        tail = self._tail
        if tail is None:
            return
        lines = tail.read_new(READ_BYTES)
        if tail.restarted:
            self.metrics.clear()
            self.metrics_restarted.emit()
        if lines:
            self.append_metrics(lines)
        if tail.more and tail is self._tail:
            QTimer.singleShot(0, self._read_metrics)

    @Slot()
    def _read_compared(self) -> None:
        self._compared = {path: self._compared.get(path) or MetricsTail(path) for path in self.compared}
        for path, tail in self._compared.items():
            lines = tail.read_new(READ_BYTES)
            if tail.restarted:
                self.compared[path].clear()
            self.compared[path].append(lines)
            if lines:
                self.compared_read.emit()
        if any(tail.more for tail in self._compared.values()):
            QTimer.singleShot(0, self._read_compared)

    @Slot()
    def _on_timer_timeout(self) -> None:
        self._polls += 1
        if self._polls % REFRESH_EVERY_POLLS == 0:
            self.refresh()
            self._select_one()
        self._poll_selected()
        self._read_compared()


def _stamp(run: Path, names: tuple[str, ...]) -> object:
    """Another one when a file of these names has changed; of the snapshots, when one has come or gone."""
    folder, stamps = os.fspath(run), []
    for name in names:
        files = [f"{folder}/{name}"]
        with contextlib.suppress(OSError, ValueError):
            if name == SNAPSHOTS:
                files.append(f"{files[0]}/{max(os.listdir(files[0]))}")  # which a run can resume from
        for file in files:
            with contextlib.suppress(OSError):
                about = os.stat(file)
                stamps.append((file, about.st_size, about.st_mtime_ns))
    return tuple(stamps)


def _new_run_path(name: str) -> Path:
    """runs/<date>-<name>, with a number where that is taken."""
    slug = re.sub(r"[^\w-]+", "-", name.strip().lower()).strip("-") or "run"
    base = locations.runs_folder().resolve() / f"{time.strftime('%Y-%m-%d')}-{slug[:60]}"
    path, number = base, 2
    while path.exists() or (locations.home() / "launched" / f"{path.name}.txt").exists():
        path, number = base.with_name(f"{base.name}-{number}"), number + 1
    return path
