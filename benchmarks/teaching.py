"""What a class waits for: the first picture after the window, a page of a lesson, the map of a large model, all of its
heads on a contact sheet.

The first is a process of its own; it and the lesson have the model that ships. The others draw a random model of base
size, 12 x 12 heads, at 32 tokens, offscreen.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from benchmarks.offscreen import open_window, wait
from benchmarks.timing import Row

if TYPE_CHECKING:
    from app.shell.window import Window

PICTURE_MS, PAGE_MS, MAP_MS, SHEET_S = 1000.0, 100.0, 30.0, 5.0
STARTS, DRAWINGS = 5, 15
_FIRST_PICTURE = """
import os, sys, time
from app import __main__
from app.shell import window
paint = window.Window._after_first_paint
def painted(self):
    started = time.perf_counter()
    def drawn(*_):
        print((time.perf_counter() - started) * 1000, flush=True)
        os._exit(0)
    self.room_drawn.connect(drawn)
    paint(self)
window.Window._after_first_paint = painted
sys.exit(__main__.main([]))
"""


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        return [_first_picture(), *_in_window(Path(folder))]


def _first_picture() -> Row:
    times = []
    for _ in range(STARTS):
        child = subprocess.run([sys.executable, "-c", _FIRST_PICTURE], capture_output=True, text=True, check=True)
        times.append(float(child.stdout.split()[-1]))
    ms = statistics.median(times)
    return _row(f"from first paint to the map of the example, built-in model, median of {STARTS}", ms, PICTURE_MS)


def _in_window(folder: Path) -> list[Row]:
    from benchmarks.typing_in_window import TEXT_A, TEXT_B, random_checkpoint

    with open_window(str(random_checkpoint(folder / "base", "base"))) as window:
        window.state.set_text(TEXT_A, TEXT_B)
        window.state.set_masks((3,))
        wait(window.is_settled)
        return [_map(window), _sheet(window, folder / "sheet"), _pages(window)]


def _map(window: Window) -> Row:
    from app.rooms.map.view import MapView

    room: object = window.open_room("map")
    view = room.view  # type: ignore[attr-defined]
    assert isinstance(view, MapView)
    wait(window.is_settled)
    times = []
    for _ in range(DRAWINGS):
        started = time.perf_counter()
        view.map._lay_out()
        view.map.repaint()
        times.append((time.perf_counter() - started) * 1000)
    assert window.state.reading is not None
    tokens = len(window.state.reading.encoding)
    return _row(
        f"the map drawn anew, {tokens} tokens x 144 heads, median of {DRAWINGS}", statistics.median(times), MAP_MS
    )


def _sheet(window: Window, folder: Path) -> Row:
    from app.lessons.lab_sheet import lab_sheet

    assert window.state.reading is not None
    started = time.perf_counter()
    files = lab_sheet(window.state.reading, window.state.selection).write(folder)
    took = time.perf_counter() - started
    what = f"lab sheet of base: contact sheet, {len(files)} files, 2 of them PDF"
    return Row(what, f"{took:.1f} s", f"{SHEET_S:.0f} s", took / SHEET_S, "<= 1.0", took <= SHEET_S)


def _pages(window: Window) -> Row:
    """Of all lessons, each page twice: rooms are built the first time."""
    from app.lessons.shipped import shipped_files
    from app.rooms.room import Room

    times: list[float] = []
    files = shipped_files()
    window.lessons.open(files[0])
    player = window.lessons.player
    assert player is not None
    for file in files:
        window.lessons.open(file)
        assert player.lesson is not None
        for is_measured in (False, True):
            for number in range(len(player.lesson.pages)):
                started = time.perf_counter()
                player.go(number)
                wait(lambda: player.start is not None)
                room = window.frame.room
                wait(lambda room=room: not isinstance(room, Room) or room.is_drawn)  # type: ignore[misc]
                if is_measured:
                    times.append((time.perf_counter() - started) * 1000)
                wait(window.is_settled)
    window.lessons.close()
    what = f"a page of a lesson, from the key to the drawn room, median of {len(times)}"
    return _row(what, statistics.median(times), PAGE_MS)


def _row(what: str, ms: float, limit_ms: float) -> Row:
    return Row(what, f"{ms:.0f} ms", f"{limit_ms:.0f} ms", ms / limit_ms, "<= 1.0", ms <= limit_ms)
