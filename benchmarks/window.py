"""The window: time to first paint, keystroke to redrawn room, and how long the event loop is ever held.

Each measurement is a process of its own, offscreen, with a random model of preset mini (vocabulary 8,192).
"""

from __future__ import annotations

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

FIRST_PAINT_MS, KEYSTROKE_MS, HELD_MS = 1000.0, 40.0, 50.0
STARTS = 5
_FIRST_PAINT = """
import os, sys, time
from app import __main__, window
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
    command = [sys.executable, "-m", "benchmarks.typing_in_window", str(folder), *(["train"] if while_training else [])]
    child = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    measured: dict[str, Any] = json.loads(child.stdout.splitlines()[-1])
    when = ", while a run trains" if while_training else ""
    found = [
        _row(f"keystroke to redrawn {room}, mini, 32 tokens, median{when}", value, KEYSTROKE_MS)
        for room, value in measured["keystroke_ms"].items()
    ]
    return [*found, _row(f"event loop held, longest{when}", measured["held_ms"], HELD_MS)]


def _row(what: str, ms: float, limit_ms: float) -> Row:
    return Row(what, f"{ms:.0f} ms", f"{limit_ms:.0f} ms", ms / limit_ms, "<= 1.0", ms <= limit_ms)
