"""The run folder: what a training run writes, and how everyone else follows and controls it. No torch.

One writer (the training process, which holds the lock) and any number of readers (window, shell, another machine):

    run = RunFolder.create(path, config)          reader = RunFolder(path)
    with run.acquire():                           reader.status().state
        run.write_status(state="running")         reader.send("pause")
        run.append_metric({...})                  tail = reader.tail(); tail.read_new()
        with run.begin_snapshot(step) as folder:  reader.newest_snapshot()
            save_checkpoint(folder, ...)

Files that a reader may see half-written are written aside and moved into place; metrics.jsonl only grows by whole
lines.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from itertools import chain, count
from pathlib import Path
from typing import Any, BinaryIO

from filelock import FileLock, Timeout

from bertcore.errors import MOST_SENTENCE, BertcoreError, UnreadableError, printable, shortened
from bertcore.files import (
    append_to,
    is_temporary,
    json_bytes,
    jsonable,
    open_regular,
    read_json_or_empty,
    reason_of,
    to_disk,
    write_atomic,
    write_errors,
    write_json,
    write_json_on_full_disk,
)
from bertcore.locations import checkpoint_of
from bertcore.runs.metrics_file import LARGEST_NUMBER, METRICS, MetricsTail, open_at_line_start, step_of, whole_lines

FORMAT_VERSION = 1
COMMANDS = ("pause", "resume", "stop", "snapshot", "step", "ten_steps")
STATES = ("waiting", "starting", "running", "paused", "stopped", "done", "failed")
ACTIVE_STATES = ("waiting", "starting", "running", "paused")

CONFIG, STATUS = "config.json", "status.json"
CONTROL, LOG, LOCK, SNAPSHOTS = "control.json", "log.txt", "lock", "snapshots"
STOP = "stop"  # an empty file: beside control.json, so that whoever sends another command cannot replace it
RESUME = "resume"  # kind of a metrics line: a later process goes on from this step, perhaps with other settings
QUESTIONS = "questions.jsonl"  # only where the run answers questions at each measurement

_START_GRACE_S = 30.0  # a run says "starting" before it holds the lock; torch may take this long on a cold disk
_LOCK_WAIT_S = 1.0  # a reader's look at the lock holds it for a moment; wait it out
_SNAPSHOT_NAME = re.compile(r"step-(\d+)")
_PARTIAL = ".partial"
DAMAGED = "damaged"  # so begins the name of a snapshot that was set aside
NEVER_BEGUN = "It never started: the process that was going to train it has ended."
NO_WORD = "The process ended unexpectedly. Its snapshots remain."
# How the sentence that a failed run leaves begins: the names further on in it may hold any word.
DIVERGED = "became infinite or undefined"
LOSS_DIVERGED, WEIGHTS_DIVERGED = f"The loss or its gradient {DIVERGED}", f"The weights {DIVERGED}"
NO_MEMORY = "There is not enough memory for this run"
KILLED = "The training process was killed; the machine may have run out of memory"
DISK_FULL = "The disk is full"  # see `files.why_unwritten`, and the token cache's and the hub's own sentences

_BEGINNINGS = {"diverged": (LOSS_DIVERGED, WEIGHTS_DIVERGED), "memory": (NO_MEMORY, KILLED), "disk": (DISK_FULL,)}


@dataclass(frozen=True)
class RunStatus:
    """What status.json says; `state` is one of STATES, or "unknown" where the file is missing or unreadable."""

    state: str
    step: int = 0
    total_steps: int | None = None  # None where the budget is in minutes
    fraction: float = 0.0  # 0..1 of the budget
    elapsed_s: float = 0.0  # time trained, without pauses
    remaining_s: float | None = None
    pid: int | None = None
    updated_at: float = 0.0  # unix seconds
    message: str | None = None  # one sentence for the person
    ends_with: int | None = None  # step of the snapshot that the run ends with, where it is not the newest

    @property
    def active(self) -> bool:
        """A process is at work on it, or holds it paused."""
        return self.state in ACTIVE_STATES


class RunFolder:
    """One run's folder. Building the object touches nothing; see the module's docstring for both sides."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._written: dict[str, Any] = {}  # what our status.json says
        self._metrics: BinaryIO | None = None
        self._held: int | None = None  # a descriptor of the folder that we train in

    # --- writer ---------------------------------------------------------------------------------------------------

    @classmethod
    def create(cls, path: str | Path, config: dict[str, Any]) -> RunFolder:
        """Makes the folder with its config and a status "starting".

        Raises BertcoreError where it cannot be written, or holds a run or something else already.
        """
        run = cls(path)
        with write_errors(run.path):
            run.path.mkdir(parents=True, exist_ok=True)
            run._refuse_used()
            (run.path / SNAPSHOTS).mkdir(exist_ok=True)
            write_atomic(run.path / CONFIG, json_bytes({"format_version": FORMAT_VERSION, **config}), durable=True)
        run.write_status(state="starting")
        return run

    @contextmanager
    def acquire(self) -> Iterator[RunFolder]:
        """Holds the lock: one training process a folder. Clears what a killed one left half done.

        Raises BertcoreError where another process holds it.
        """
        lock = FileLock(self.path / LOCK)
        with write_errors(self.path):
            self.refuse_links()
            _refuse_odd_lock(self.path / LOCK)
            try:
                lock.acquire(timeout=_LOCK_WAIT_S)
            except Timeout:
                pid = self._read_status().pid
                raise BertcoreError(
                    f"Another process ({pid}) is already training in this folder: {self.path}."
                ) from None
        try:
            self._refuse_unlisted()
            if os.name != "nt":  # open, so that no other folder can have its inode; Windows moves no folder in use
                self._held = os.open(self.path, os.O_RDONLY)
            self._clear_leftovers()
            yield self
        finally:
            if self._held is not None:
                os.close(self._held)
                self._held = None
            self._close_metrics()
            lock.release()

    def refuse_moved(self) -> None:
        """Raises BertcoreError where the folder that we hold was moved or deleted: a run is never in two places.

        Also where it has lost its config: whoever deletes a folder in use may leave it with what was written since.
        """
        if self._is_moved():
            raise BertcoreError(
                f"The run folder {self.path} was moved or deleted during the training, so the run has stopped; from "
                "its new place, it continues with --resume --out FOLDER."
            )
        try:
            if self._held is not None:
                os.stat(CONFIG, dir_fd=self._held, follow_symlinks=False)
        except FileNotFoundError:
            raise BertcoreError(
                f"The files of the run {self.path} were deleted during the training (its {CONFIG} is gone), so the run "
                "has stopped; put them back to go on with --resume."
            ) from None
        except OSError:  # it cannot be seen just now
            pass

    def refuse_links(self) -> None:
        """Raises BertcoreError where a folder in it is a link: what is saved or deleted would be so elsewhere."""
        for name in (SNAPSHOTS, "tokenizer"):
            if (self.path / name).is_symlink():
                raise BertcoreError(
                    f"In the run {self.path}, the folder {name} is a link to elsewhere; put the folder itself there."
                )

    def write_status(self, **changes: Any) -> None:
        """Changes these fields of RunStatus and keeps the others; `message` is dropped unless it is given again."""
        unknown = set(changes) - _STATUS_FIELDS
        if unknown or changes.get("state", "running") not in STATES:
            raise ValueError(f"no such status: {changes}")
        if not self._written:
            self._written = self._read_status_fields()
        self._written |= {"message": None, **changes, "pid": os.getpid(), "updated_at": time.time()}
        write = write_json_on_full_disk if changes.get("state") == "failed" else write_json
        self.refuse_moved()
        with write_errors(self.path):
            write(self.path / STATUS, self._written)

    def append_metric(self, metric: dict[str, Any]) -> None:
        """Adds one line to metrics.jsonl and flushes it. NaN and infinity become null; array scalars become numbers."""
        line = json.dumps(jsonable(metric), ensure_ascii=False, allow_nan=False)
        self.refuse_moved()
        with write_errors(self.path):
            if self._metrics is not None and os.fstat(self._metrics.fileno()).st_nlink == 0:
                self._close_metrics()  # somebody has deleted it: what comes is worth keeping all the same
            if self._metrics is None:
                self._metrics = open_at_line_start(self.path / METRICS)
            self._metrics.write(line.encode("utf-8", "backslashreplace") + b"\n")
            self._metrics.flush()

    def truncate_metrics(self, after_step: int) -> None:
        """Drops the lines of later steps, so that a run resumed from a snapshot has no doubled part in its curve."""
        self._close_metrics()
        file = self.path / METRICS
        if not file.exists():
            return
        with write_errors(self.path):
            with open_regular(file) as stream:
                kept = [line for line in whole_lines(stream) if step_of(line) <= after_step]
            write_atomic(file, b"".join(line + b"\n" for line in kept))

    def set_snapshots_aside(self, after_step: int) -> None:
        """Those of later steps: they are damaged, or the run would go on from there; it writes them again."""
        for step, path in self.snapshots():
            if step > after_step:
                aside = self._set_aside(path)
                self.log(f"The snapshot {path.name} is damaged, and will be written again; it is kept as {aside.name}.")

    def log(self, text: str) -> None:
        """Adds a line to log.txt, with the time."""
        self.refuse_moved()
        line = f"{time.strftime('%Y-%m-%d %H:%M:%S')}  {shortened(printable(text), MOST_SENTENCE)}\n"
        with write_errors(self.path), append_to(self.path / LOG) as stream:
            stream.write(line.encode())

    def take_command(self) -> str | None:
        """The command that waits, once; None where there is none (or garbage). Before any other a "stop"."""
        self.refuse_moved()  # a paused run writes nothing, and would wait for ever
        taken = self.path / f"{CONTROL}.taken"
        command = None
        with suppress(OSError):  # none waits; or a folder has its name, which is not ours to remove
            os.replace(self.path / CONTROL, taken)  # moved first: what is sent from now on is the next command
            found = read_json_or_empty(taken).get("command")
            command = found if isinstance(found, str) and found in COMMANDS else None
            taken.unlink(missing_ok=True)
        if os.path.isfile(self.path / STOP):
            with suppress(OSError):
                (self.path / STOP).unlink()
            return "stop"
        return command

    def snapshot_path(self, step: int) -> Path:
        return self.path / SNAPSHOTS / f"step-{step:08d}"

    @contextmanager
    def begin_snapshot(self, step: int) -> Iterator[Path]:
        """An empty folder to save a checkpoint into; it becomes `snapshot_path(step)` when the block ends well."""
        final = self.snapshot_path(step)
        partial = final.with_name(final.name + _PARTIAL)
        self.refuse_moved()
        with write_errors(self.path):
            shutil.rmtree(partial, ignore_errors=True)
            final.parent.mkdir(exist_ok=True)
            partial.mkdir()
            try:
                yield partial
                self.refuse_moved()
                to_disk(partial)
                if os.path.lexists(final):  # what no list of snapshots shows: a file of it is missing
                    self._set_aside(final)
                os.replace(partial, final)
            except BaseException:
                shutil.rmtree(partial, ignore_errors=True)
                if self._is_moved():  # meanwhile; it may have been made again, empty, at its old place
                    for folder in (self.path / SNAPSHOTS, self.path):
                        with suppress(OSError):
                            folder.rmdir()
                raise

    # --- reader ---------------------------------------------------------------------------------------------------

    def config(self) -> dict[str, Any]:
        """config.json. Raises BertcoreError where it is missing or unreadable."""
        config = read_json_or_empty(self.path / CONFIG)
        if not config:
            newest = self.newest_snapshot()
            rest = (
                f"; its snapshots remain, and a new run can begin with one of them: --from {newest}" if newest else ""
            )
            why = _why_unreadable(self.path / CONFIG)
            raise BertcoreError(f"{self.path} is not a run folder: its {CONFIG} {why}{rest}.")
        return config

    def status(self) -> RunStatus:
        """What the run says of itself; "stopped" where its process died without a word. Never raises."""
        status = self._read_status()
        starting = status.state == "starting" and time.time() - status.updated_at < _START_GRACE_S
        if not status.active or starting or self.is_alive():
            return status
        status = self._read_status()  # it may have ended, with a word, between the two looks
        if not status.active:
            return status
        why = NEVER_BEGUN if status.state == "waiting" else NO_WORD
        return RunStatus(**{**vars(status), "state": "stopped", "remaining_s": None, "message": why})

    def is_alive(self) -> bool:
        """Whether a process holds the lock."""
        file = self.path / LOCK
        if not os.path.lexists(file):
            return False
        lock = FileLock(file)
        try:
            _refuse_odd_lock(file)
            lock.acquire(timeout=0)
        except Timeout:
            return True
        except OSError:  # a folder we may only read: go by the time of the last word
            return time.time() - self._read_status().updated_at < _START_GRACE_S
        lock.release()
        return False

    def send(self, command: str) -> None:
        """Leaves a command for the run; the newest counts, but nobody can undo a "stop"."""
        if command not in COMMANDS:
            raise ValueError(f"no such command: {command!r}")
        with write_errors(self.path):
            if command == "stop":
                write_atomic(self.path / STOP, b"")
            write_json(self.path / CONTROL, {"command": command})  # a "stop" too: for a run of an earlier version

    def snapshots(self) -> list[tuple[int, Path]]:
        """(step, checkpoint folder) of every complete snapshot, by step. A link is none: see `refuse_links`.

        Those of a run that ships end with the model that ships, which is not stored twice.
        """
        snapshots = []
        for folder in _folders_in(self.path / SNAPSHOTS):
            match = _SNAPSHOT_NAME.fullmatch(folder.name)
            if match and all(os.path.isfile(folder / name) for name in ("config.json", "model.safetensors")):
                snapshots.append((int(match[1]), folder))
        last = checkpoint_of(self.path)
        if snapshots and last is not None:
            snapshots.append((self._read_status().step, last))
        return sorted(snapshots)

    def newest_snapshot(self) -> Path | None:
        snapshots = self.snapshots()
        return snapshots[-1][1] if snapshots else None

    def final_snapshot(self) -> Path | None:
        """What the run ends with: the newest snapshot; of one that `--patience` watched, its best."""
        best = self._read_status().ends_with
        return dict(self.snapshots()).get(-1 if best is None else best) or self.newest_snapshot()

    def tail(self) -> MetricsTail:
        return MetricsTail(self.path)

    # --- inside ---------------------------------------------------------------------------------------------------

    def _is_moved(self) -> bool:
        try:
            return self._held is not None and not os.path.samestat(os.fstat(self._held), self.path.stat())
        except OSError:
            return True

    def _set_aside(self, snapshot: Path) -> Path:
        """Where it is now: under a name that is no snapshot's. What looks damaged is a person's all the same."""
        names = (f"{DAMAGED}-{snapshot.name}{number}" for number in chain([""], map("-{}".format, count(2))))
        aside = next(path for path in map(snapshot.with_name, names) if not os.path.lexists(path))
        with write_errors(self.path):
            os.rename(snapshot, aside)
        return aside

    def _refuse_unlisted(self) -> None:
        """Raises BertcoreError where the snapshots are there and cannot be listed: the run would begin anew."""
        snapshots = self.path / SNAPSHOTS
        try:
            for folder in snapshots.iterdir() if snapshots.exists() else ():
                if folder.is_dir():
                    os.stat(f"{folder}/.")  # whether its files can be seen
        except OSError as error:
            raise UnreadableError(
                f"The snapshots of the run {self.path} cannot be read: {reason_of(error)}; nothing in it was changed."
            ) from None

    def _refuse_used(self) -> None:
        if (self.path / CONFIG).exists():
            raise BertcoreError(f"{self.path} already holds a run: resume it, or choose another folder.")
        others = {entry.name for entry in self.path.iterdir() if not is_temporary(entry)}
        others -= {STATUS, METRICS, LOG, LOCK, SNAPSHOTS, CONTROL, STOP}
        if self.snapshots():
            raise BertcoreError(
                f"{self.path} holds the snapshots of a run whose {CONFIG} is gone; choose another folder, "
                "or start from one of them (--from)."
            )
        if others:
            raise BertcoreError(f"{self.path} holds other files ({min(others)}); choose a new or empty folder.")

    def _clear_leftovers(self) -> None:
        for folder in _folders_in(self.path / SNAPSHOTS):
            if _SNAPSHOT_NAME.fullmatch(folder.name.removesuffix(_PARTIAL)) and folder.name.endswith(_PARTIAL):
                shutil.rmtree(folder, ignore_errors=True)
        for name in (CONTROL, f"{CONTROL}.taken", STOP):
            with suppress(OSError):  # a folder of that name
                (self.path / name).unlink(missing_ok=True)  # meant for the process that is gone
        for file in (*self.path.glob(".*"), *self.path.glob("tokenizer/.*")):
            is_command = file.name.startswith(f".{CONTROL}")  # others may be sending one just now
            if is_temporary(file) and not is_command:
                file.unlink(missing_ok=True)

    def _read_status(self) -> RunStatus:
        with suppress(TypeError, ValueError, OverflowError):
            return _checked_status(self._read_status_fields())
        return RunStatus("unknown", message=f"The run's {STATUS} {_why_unreadable(self.path / STATUS)}.")

    def _read_status_fields(self) -> dict[str, Any]:
        return {k: v for k, v in read_json_or_empty(self.path / STATUS).items() if k in _STATUS_FIELDS}

    def _close_metrics(self) -> None:
        stream, self._metrics = self._metrics, None
        if stream is not None:
            with suppress(OSError):  # each line was flushed; what a full disk did not take was said then
                stream.close()


_STATUS_FIELDS = frozenset(field.name for field in fields(RunStatus))


def cause_of(message: str | None) -> str | None:
    """ "diverged", "memory", "disk", or None for any other sentence."""
    return next((cause for cause, words in _BEGINNINGS.items() if (message or "").startswith(words)), None)


def _checked_status(values: dict[str, Any]) -> RunStatus:
    """RunStatus with every number a number. Raises TypeError, ValueError or OverflowError."""
    texts = {name: values.pop(name, None) for name in ("state", "message")}
    numbers = {name: float(value) for name, value in values.items() if value is not None}
    if texts["state"] not in STATES or not all(abs(number) <= LARGEST_NUMBER for number in numbers.values()):
        raise ValueError("no such status")
    whole: dict[str, Any] = {
        name: int(numbers[name]) for name in ("step", "total_steps", "pid", "ends_with") if name in numbers
    }
    numbers["fraction"] = min(max(numbers.get("fraction", 0.0), 0.0), 1.0)
    message = None if texts["message"] is None else shortened(str(texts["message"]), MOST_SENTENCE)
    return RunStatus(texts["state"], message=message, **(numbers | whole))


def _refuse_odd_lock(file: Path) -> None:
    """FileLock empties what it opens: a link in a run folder from elsewhere must not lead it to another file."""
    if os.path.lexists(file) and (file.is_symlink() or not file.is_file()):
        raise FileExistsError(errno.EEXIST, f"its {LOCK} is not a regular file", str(file))


def _why_unreadable(file: Path) -> str:
    """ "is missing", "is damaged" or "cannot be read: permission denied"."""
    try:
        with open_regular(file):
            return "is damaged"
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read: {reason_of(error)}"


def _folders_in(path: Path) -> list[Path]:
    """Without links, which lead elsewhere."""
    try:
        if path.is_symlink():
            return []
        return [entry for entry in path.iterdir() if entry.is_dir() and not entry.is_symlink()]
    except OSError:
        return []
