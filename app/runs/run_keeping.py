"""What a person does with runs that are there: names, notes, the bin, one file to take along. No torch, no widgets."""

import contextlib
import errno
import re
import secrets
import shutil
import sys
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QFile, QObject, QStandardPaths, Qt, Signal, Slot

from bertcore.errors import BertcoreError
from bertcore.files import is_temporary, reason_of
from bertcore.runs.known_runs import is_own
from bertcore.runs.run_folder import LOCK, SNAPSHOTS, RunFolder

from ..look import say
from .run_info import RunInfo, RunLabel, is_built_in, write_label
from .run_state import RunState
from .sweeps import SweepRow

STORED = (".safetensors", ".bin")  # these do not get smaller
MOST_NAME = 60  # characters of a file's name


class RunKeeper(QObject):
    """Everything but the export is done at once, and the list of runs then read anew; what cannot be done is said."""

    _exported = Signal(str, object, str)  # name of the run, the file, why it could not be written

    def __init__(self, runs: RunState, forget: Callable[[Path], object], refresh: Callable[[], object]) -> None:
        """forget: what was known of a run that is gone; refresh: reads all runs anew."""
        super().__init__(runs)
        self._runs, self._forget, self._refresh = runs, forget, refresh
        self._binned: list[tuple[Path, Path]] = []  # of each run: where it was, and where it is in the bin
        self._exports: list[threading.Thread] = []
        self._is_closing = threading.Event()
        self._exported.connect(self._on_exported, Qt.ConnectionType.QueuedConnection)
        runs.label_given.connect(self.set_label)
        runs.delete_requested.connect(self.move_to_bin)
        runs.export_requested.connect(self.export)
        runs.put_back_requested.connect(self.put_back)

    def close(self) -> None:
        """Ends exports that are at work, and waits for their threads; an unfinished file is removed."""
        self._is_closing.set()
        for thread in self._exports:
            thread.join()

    def set_label(self, run: Path, label: RunLabel) -> None:
        try:
            write_label(run, label)
        except BertcoreError as error:
            self._runs.problem_found.emit(str(error))
        self._refresh()

    def move_to_bin(self, info: RunInfo | SweepRow) -> None:
        """A run, or all runs of a sweep: into the bin of the system, from where `put_back` or a person can take them.

        Runs at work are left alone.
        """
        runs = info.runs if isinstance(info, SweepRow) else (info,)
        if problem := next(filter(None, map(self.why_kept, runs)), ""):
            self._runs.problem_found.emit(problem)
            return
        if sys.platform.startswith("linux"):  # Qt makes the bin of a desktop, but not the folder that it is in
            place = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericDataLocation)
            with contextlib.suppress(OSError):  # then it cannot be moved there, which is said
                Path(place).mkdir(parents=True, exist_ok=True)
        binned = []
        for run in runs:
            file = QFile(str(run.path))
            if not file.moveToTrash():
                problem = say(
                    "“{name}” could not be moved to the bin; delete the folder {folder} yourself.",
                    name=run.name,
                    folder=run.path,
                )
                self._runs.problem_found.emit(problem)
                break
            binned.append((run.path, Path(file.fileName())))
            self._forget(run.path)
        if binned:
            self._binned = binned
            self._runs.binned.emit(info.name)

    def why_kept(self, info: RunInfo) -> str:
        """A sentence where this run cannot be deleted; empty where it can."""
        if is_built_in(info.path):
            return say("“{name}” comes with BERTscope and cannot be deleted.", name=info.name)
        if not is_own(info.path) or info.path.is_symlink():
            name, folder = info.name, info.path
            return say("“{name}” is only a link to {folder}. Delete that folder yourself.", name=name, folder=folder)
        if info.status.active or RunFolder(info.path).is_alive():
            return say("“{name}” is still running. Stop it first, then delete it.", name=info.name)
        return ""

    def put_back(self) -> None:
        """What was moved to the bin last."""
        binned, self._binned, found = self._binned, [], []
        for run, in_bin in binned:
            try:
                if run.exists():
                    raise FileExistsError(errno.EEXIST, say("another run is there now"), str(run))
                shutil.move(in_bin, run)
            except OSError as error:
                problem = say(
                    "The run could not be put back ({why}). It is in {folder}.", why=reason_of(error), folder=in_bin
                )
                self._runs.problem_found.emit(problem)
                continue
            note = in_bin.parent.parent / "info" / f"{in_bin.name}.trashinfo"  # of freedesktop.org's bins
            note.unlink(missing_ok=True)
            found.append(run)
        if found:
            self._refresh()
            self._runs.select_requested.emit(found[0])

    def export(self, info: RunInfo, file: Path) -> None:
        """Everything of a run but its older snapshots and its locks, in one file; on a thread of its own."""
        thread = threading.Thread(target=self._export, args=(info, file), name="export of a run", daemon=True)
        self._exports.append(thread)
        thread.start()

    def _export(self, info: RunInfo, file: Path) -> None:
        """On the thread."""
        try:
            write_run(info.path, file, self._is_closing)
            self._exported.emit(info.name, file, "")
        except OSError as error:
            self._exported.emit(info.name, file, reason_of(error))

    @Slot(str, object, str)
    def _on_exported(self, name: str, file: Path, why_not: str) -> None:
        if why_not:
            problem = say("“{name}” could not be exported to {file}: {why}.", name=name, file=file, why=why_not)
            self._runs.problem_found.emit(problem)
        else:
            self._runs.done.emit(say("Saved: {file}", file=file))


def export_name(name: str) -> str:
    """A file's name for a run of any name: no slashes, no 300 letters."""
    words = re.sub(r"[^\w-]+", "-", name).strip("-")
    return f"{words[:MOST_NAME] or 'run'}.zip"


def write_run(run: Path, file: Path, cancelled: threading.Event | None = None) -> None:
    """A zip with the run folder as it is, but of its snapshots only the newest, and the one that it ends with where
    that is another: unpacked, it is a run folder again. Of a run that ships the model that ships is the newest.

    Its model card is README.md in the snapshot, its curves are metrics.jsonl. A file of the same name is replaced when
    all is written; none where it is cancelled before that. Raises OSError.
    """
    kept = {path.name for path in (RunFolder(run).newest_snapshot(), RunFolder(run).final_snapshot()) if path}
    ships = [(step, path) for step, path in RunFolder(run).snapshots() if not path.is_relative_to(run)]
    part = file.with_name(f".{file.name[:40]}.{secrets.randbelow(10**18)}")
    try:
        with zipfile.ZipFile(part, "x", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
            archive.mkdir(f"{run.name}/{SNAPSHOTS}")
            for path in sorted(run.rglob("*")):
                inside = path.relative_to(run)
                is_older = inside.parts[0] == SNAPSHOTS and not kept.intersection(inside.parts)
                if path.is_symlink() or not path.is_file() or is_older or is_temporary(path) or inside.name == LOCK:
                    continue
                if cancelled is not None and cancelled.is_set():
                    raise OSError(errno.ECANCELED, "the window was closed", str(file))
                kind = zipfile.ZIP_STORED if path.suffix in STORED else zipfile.ZIP_DEFLATED
                archive.write(path, f"{run.name}/{inside.as_posix()}", kind)
            for step, folder in ships:
                place = RunFolder(run).snapshot_path(step).relative_to(run).as_posix()
                for path in sorted(folder.iterdir()):
                    archive.write(path, f"{run.name}/{place}/{path.name}", zipfile.ZIP_STORED)
        part.replace(file)
    except UnicodeEncodeError:
        raise OSError(errno.EINVAL, "the name of a file in it is not UTF-8", str(run)) from None
    finally:
        part.unlink(missing_ok=True)
