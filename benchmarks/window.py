"""The window: time to first paint, keystroke to redrawn room, and how long the event loop is ever held.

Each measurement is a process of its own, offscreen, with a random model of preset mini or base (vocabulary 8,192).
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.timing import Row

FIRST_PAINT_MS, KEYSTROKE_MS, SLOW_KEYSTROKE_MS, HELD_MS = 1000.0, 30.0, 50.0, 50.0
KEYSTROKE_TIMES = 1.6  # of the bare forward pass of base
STARTS = 5
_FIRST_PAINT = """
import os, sys, time
from app import __main__
from app.shell import window
def painted(self):
    print(time.time(), flush=True)
    os._exit(0)
window.Window._after_first_paint = painted
sys.exit(__main__.main([]))
"""


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "BERTSCOPE_HOME": folder}
        rows = [_first_paint(environment)]
        for while_training in (False, True):
            rows += _typing(environment, Path(folder), while_training)
        rows += _typing_on_base(environment, Path(folder))
    return rows


def _first_paint(environment: dict[str, str]) -> Row:
    times = []
    for _ in range(STARTS):
        started = time.time()
        child = subprocess.run(
            [sys.executable, "-c", _FIRST_PAINT], env=environment, capture_output=True, text=True, check=True
        )
        times.append((float(child.stdout.split()[-1]) - started) * 1000)
    return _row(f"first paint after process start, median of {STARTS}", statistics.median(times), FIRST_PAINT_MS)


def _typing(environment: dict[str, str], folder: Path, while_training: bool) -> list[Row]:
    measured = _measured(environment, folder, "mini", *(["train"] if while_training else []))
    when = ", while a run trains" if while_training else ""
    found = []
    for room, (median, slow) in measured["keystroke_ms"].items():
        what = f"keystroke to redrawn {room}, mini, 32 tokens"
        found.append(_row(f"{what}, median{when}", median, KEYSTROKE_MS))
        found.append(_row(f"{what}, 95 of 100{when}", slow, SLOW_KEYSTROKE_MS))
    return [*found, _row(f"event loop held, longest{when}", measured["held_ms"], HELD_MS)]


def _typing_on_base(environment: dict[str, str], folder: Path) -> list[Row]:
    measured = _measured(environment, folder, "base")
    forward, found = measured["forward_ms"], []
    for room, (median, _) in measured["keystroke_ms"].items():
        what = f"keystroke to redrawn {room}, base, 32 tokens, against its bare forward pass, medians"
        times = median / forward
        asked = f"<= {KEYSTROKE_TIMES}"
        found.append(Row(what, f"{median:.0f} ms", f"{forward:.0f} ms", times, asked, times <= KEYSTROKE_TIMES))
    return found


def _measured(environment: dict[str, str], folder: Path, *arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.typing_in_window", str(folder), *arguments]
    child = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    measured: dict[str, Any] = json.loads(child.stdout.splitlines()[-1])
    return measured


def _row(what: str, ms: float, limit_ms: float) -> Row:
    return Row(what, f"{ms:.0f} ms", f"{limit_ms:.0f} ms", ms / limit_ms, "<= 1.0", ms <= limit_ms)
