"""A function of somebody's file, called in a process of its own with limits of time and memory. No torch.

The limits and what is refused there are against accidents, not against malice: such a file is run, as by its author
([0078](../docs/decisions/0078-running-a-students-code.md)).
"""

import contextlib
import os
import runpy
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertcore.trial import TrialFailed, try_file

SECONDS, WAITING_S = 5, 30.0  # of a core, and in all
MOST_NUMBERS = 1_000_000  # in an answer
Given = Mapping[str, NDArray]  # a function's arguments
_ALLOWED = ("os.listdir", "os.scandir", "os.putenv", "os.unsetenv")  # of what `os` does; imports need the first two


class NoAnswer(Exception):
    """What a function did in place of answering: "nothing", "copy NAME", "large SHAPE" or "refused EVENT"."""


def call(code: bytes, name: str, given: Given, draws: int) -> NDArray:
    """What function `name` of the code answers, (draws, ...); called so often. Raises TrialFailed.

    With more than one draw it gets `rng`, a generator of random numbers, as well.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "code.py").write_bytes(code)
        np.savez(place / "given.npz", allow_pickle=False, **given)
        np.savez(place / "asked.npz", allow_pickle=False, name=np.array(name), draws=np.array(draws))
        try_file(answer, place, seconds=SECONDS, waiting_s=WAITING_S)
        try:
            answers: NDArray = np.load(place / "answers.npy", allow_pickle=False)
        except (EOFError, ValueError, OSError):  # the code has ended the process
            raise TrialFailed from None
        return answers


def answer(folder: str) -> None:
    """What that process does; what the code prints goes nowhere. Raises ValueError: what went wrong, and where."""
    place, said = Path(folder), os.dup(1)
    code = str(place / "code.py")
    with np.load(place / "given.npz") as given, np.load(place / "asked.npz") as asked:
        arrays, name, draws = dict(given), str(asked["name"]), int(asked["draws"])
    with (place / "answers.npy").open("wb") as written, open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        if hasattr(signal, "alarm"):  # also where whoever waits has been ended
            signal.alarm(int(WAITING_S) + 1)
        sys.addaudithook(_refuse)
        try:
            np.save(written, answers_of(runpy.run_path(code)[name], arrays, draws), allow_pickle=False)
        except BaseException as error:  # SystemExit, too
            raise ValueError(_in_words(error, code)) from None
        finally:
            with contextlib.suppress(OSError, ValueError):  # where the code has closed it
                sys.stdout.flush()  # what is still to be written goes nowhere, too
            os.dup2(said, 1)


def answers_of(function: Callable[..., Any], given: Given, draws: int) -> NDArray:
    """(draws, ...). Raises NoAnswer, and what the function raises."""
    found, more = [], {"rng": np.random.default_rng(0)} if draws > 1 else {}
    for _ in range(draws):
        copies = {key: value.copy() for key, value in given.items()}
        answer = np.asarray(function(**copies, **more))
        if answer.dtype.kind not in "biuf":
            raise NoAnswer("nothing")
        if answer.size > MOST_NUMBERS:
            raise NoAnswer(f"large {answer.shape}")
        for key, value in given.items():
            if not np.array_equal(value, copies[key]):
                raise NoAnswer(f"copy {key}")
        found.append(answer)
    return np.stack(found)


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    writes = event == "open" and bool((arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
    if writes or (event.startswith(("os.", "shutil.", "socket.", "subprocess.")) and event not in _ALLOWED):
        raise NoAnswer(f"refused {event}")


def _in_words(error: BaseException, code: str) -> str:
    """Kind, words and line of an error; NoAnswer's own words."""
    if isinstance(error, NoAnswer):
        return f"{NoAnswer.__name__} {error}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == code]
    said, line = str(error), lines[-1] if lines else None
    if isinstance(error, SyntaxError):
        said, line = error.msg, error.lineno
    return f"{type(error).__name__}: {' '.join(said.split())}" + (f" (line {line})" if line else "")
