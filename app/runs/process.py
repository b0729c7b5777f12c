"""A run to start, as data; and the process that trains it: detached, so that it goes on when the window ends."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bertcore
from bertcore import locations
from bertcore.errors import BertcoreError
from bertcore.files import open_regular
from bertcore.runs.run_folder import KILLED
from bertcore.training.options import RunOptions
from bertcore.training.sweep_plan import PlannedRun, Varied, plan_sweep


@dataclass(frozen=True)
class RunCommand:
    """A run to start; with `varied` a sweep of such runs, in one process."""

    options: RunOptions
    varied: Varied | None = None

    @property
    def kind(self) -> str:
        """The command that trains it, which is also the kind in the run's config.json."""
        return self.options.kind

    def arguments(self, recipe: Path) -> list[str]:
        """What follows `bertcore` on the command line; `recipe` is the file with the options."""
        return [self.kind, "--recipe", str(recipe), *(self.varied.flags if self.varied else ())]

    def runs(self, base: Path) -> list[PlannedRun]:
        """The folder and the settings of each run that this starts. Raises BertcoreError for values that cannot be."""
        if self.varied is None:
            return [PlannedRun(base, self.options)]
        return plan_sweep(self.options, base, self.varied, download=False)


_LOG_BYTES = 1 << 16
_NICER = 5  # steps of niceness: the window comes first, the training takes what is left
_OWN_PREFIX = "bertcore: "


class RunChild:
    """A `bertcore` command in a session of its own. It prints into a launch log, never into a pipe that could end."""

    def __init__(self, run: Path, arguments: list[str]) -> None:
        """Starts `bertcore ARGUMENTS --out RUN`. Raises BertcoreError where no process can be started."""
        self.run = run
        self.started_at = time.time()  # unix seconds
        self.was_told_to_end = False
        self._log = launch_folder() / f"{run.name}.txt"
        try:
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "bertcore", *arguments, "--out", str(run)],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    cwd=self._log.parent,
                    env=child_environment(),
                    **_detached(),
                )
        except OSError as error:
            raise BertcoreError(f"The training process cannot be started: {error.strerror or error}.") from error
        make_nice(self._process.pid)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    @property
    def ended_well(self) -> bool:
        return self._process.poll() == 0

    def terminate(self) -> None:
        """Ends it at once: for a process that does not look at its folder yet."""
        self.was_told_to_end = True
        with contextlib.suppress(OSError):
            self._process.terminate()

    def last_words(self) -> str:
        """A sentence on how it ended: the signal that killed it, or the last line it printed."""
        code = self._process.poll()
        if code is not None and code < 0:
            if -code == getattr(signal, "SIGKILL", 9):
                return f"{KILLED}. Its snapshots remain."
            names = {each.value: each.name for each in signal.Signals}
            return f"The training process was ended by {names.get(-code, f'signal {-code}')}. Its snapshots remain."
        printed = ""
        with contextlib.suppress(OSError), open_regular(self._log) as stream:
            stream.seek(max(stream.seek(0, os.SEEK_END) - _LOG_BYTES, 0))  # a run from a notebook may have printed much
            printed = stream.read(_LOG_BYTES).decode("utf-8", errors="replace")
        lines = [line.strip() for line in printed.splitlines() if line.strip()]
        if lines:
            return lines[-1].removeprefix(_OWN_PREFIX)
        return f"The training process ended unexpectedly (exit code {code})."


def launch_folder() -> Path:
    """Where launch logs and recipes of the window's runs lie. Raises BertcoreError where it cannot be made."""
    folder = locations.home() / "launched"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BertcoreError(f"Cannot write in {folder}: {error.strerror or error}.") from error
    return folder


def remove_launch_files(run: Path) -> None:
    """Those of a run that was deleted; those of its sweep with the last of its runs. Their name is free again then."""
    rest = [folder.name for folder in run.parent.glob("*") if folder != run]
    for file in (locations.home() / "launched").glob("*"):
        name = file.stem
        is_last = run.name.startswith(f"{name}-") and not any(f"{other}-".startswith(f"{name}-") for other in rest)
        if file.suffix in (".txt", ".json") and (name == run.name or is_last):
            with contextlib.suppress(OSError):
                file.unlink()


def child_environment() -> dict[str, str]:
    """Ours, with the place `bertcore` was imported from, so that the child finds the same one, and UTF-8.

    The child downloads no model: its settings may come from a file that was dropped on the window.
    """
    root = str(Path(bertcore.__file__).resolve().parents[1])
    paths = [root, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    utf_8 = {"PYTHONUTF8": "1", "PYTHONIOENCODING": "utf-8"}  # the launch log is read as UTF-8
    ours = {"PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)), "PYTHONUNBUFFERED": "1"}
    return {**os.environ, **ours, **utf_8, "HF_HUB_OFFLINE": "1"}


if sys.platform == "win32":

    def _detached() -> dict[str, Any]:
        quiet = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
        return {"creationflags": quiet | subprocess.BELOW_NORMAL_PRIORITY_CLASS}

    def make_nice(pid: int) -> None:
        """Done by its creation flags."""
else:

    def _detached() -> dict[str, Any]:
        return {"start_new_session": True}

    def make_nice(pid: int) -> None:
        """The window comes first."""
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, 0) + _NICER)
            # Linux may share its time out by session first; the child has one of its own, so that must be nice too.
            group = Path(f"/proc/{pid}/autogroup")
            if group.exists():
                group.write_text(str(_NICER), encoding="ascii")
