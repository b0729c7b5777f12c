"""What a library makes of a file from elsewhere, tried in a process of its own with limits of memory and time.

Some libraries end the process on a damaged file, or take all its memory: no `except` helps against that.
"""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from bertcore.errors import MOST_SENTENCE
from bertcore.limits import TRIAL_BYTES, TRIAL_SECONDS

_MOST_WAITING_S = 300.0  # on a machine that does other things besides
_SAID = 3  # the exit code where the library raised an error
_PROGRAM = "import sys; sys.path[:] = sys.argv[6:]; from bertcore.trial import run; run(*sys.argv[1:6])"


class TrialFailed(Exception):
    """`why`: what the library said; empty where the process ended before it could, or at a limit.

    was_late: that of time.
    """

    def __init__(self, why: str = "", was_late: bool = False) -> None:
        super().__init__(why)
        self.why, self.was_late = why, was_late


def try_file(
    read: Callable[[str], object],
    file: Path,
    more_bytes: int = 0,
    seconds: int = TRIAL_SECONDS,
    waiting_s: float = 0,
) -> None:
    """Calls `read`, a function of a module, with the file's name in another process; raises TrialFailed.

    more_bytes: memory that it may take beyond TRIAL_BYTES. seconds: of a core; waiting_s: in all.
    """
    waiting_s = waiting_s or _MOST_WAITING_S
    limits = str(more_bytes), str(seconds)
    command = [sys.executable, "-c", _PROGRAM, read.__module__, read.__name__, str(file), *limits, *sys.path]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=waiting_s)
    except subprocess.TimeoutExpired:
        raise TrialFailed(was_late=True) from None
    if done.returncode:
        why = done.stdout.decode("utf-8", "replace").strip() if done.returncode == _SAID else ""
        raise TrialFailed(why, was_late=-done.returncode == getattr(signal, "SIGXCPU", None))


def run(module: str, name: str, file: str, more_bytes: str, seconds: str) -> None:
    """What that process does."""
    memory = TRIAL_BYTES + int(more_bytes)
    with contextlib.suppress(ImportError, OSError, ValueError):  # Windows has no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))  # SIGXCPU first
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    try:
        getattr(import_module(module), name)(file)
    except BaseException as error:  # a panic of a library in Rust is no Exception
        print(str(error).splitlines()[0][:MOST_SENTENCE] if str(error).strip() else "it cannot be read")
        sys.stdout.flush()
        os._exit(_SAID)
