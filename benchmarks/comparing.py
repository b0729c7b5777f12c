"""Typing with something to compare with: the keystroke to the redrawn room, against the same without, offscreen.

Two random models of preset mini (vocabulary 8,192). Each round types some keys without a baseline, some with another
text and some with another model, so that all three meet the same noise; medians over all rounds, wall time.
"""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from benchmarks.timing import Row

if TYPE_CHECKING:
    from app.shell.window import Window
    from app.state.baseline import Baseline

MOST_TIMES = 1.9  # of a keystroke without a baseline
ROOMS = ("embed", "attend", "predict", "layers")
ROUNDS, PRESSES = 7, 10


def rows() -> list[Row]:
    from app.state.baseline import OtherModel, OtherText
    from benchmarks.offscreen import open_window, wait
    from benchmarks.typing_in_window import TEXT_A, TEXT_B, key_times, random_checkpoint

    with tempfile.TemporaryDirectory() as folder:
        model, other = random_checkpoint(Path(folder) / "mini", "mini"), Path(folder) / "other"
        shutil.copytree(model, other)
        with open_window(str(model)) as window:
            baselines: dict[str, Baseline | None] = {
                "none": None,
                "another text": OtherText(TEXT_A.replace("cat", "dog"), TEXT_B),
                "another model": OtherModel(str(other)),
            }
            found = []
            for room in ROOMS:
                window.open_room(room)
                window.state.set_text(TEXT_A, TEXT_B)
                window.state.set_masks((3, 9))
                times: dict[str, list[float]] = {name: [] for name in baselines}
                for _ in range(ROUNDS):
                    for name, baseline in baselines.items():
                        window.state.set_baseline(baseline)
                        wait(lambda baseline=baseline: _is_settled(window, baseline))  # type: ignore[misc]
                        times[name] += key_times(window, PRESSES)
                without, *compared = ((name, statistics.median(each)) for name, each in times.items())
                found += [_row(room, name, ms, without[1]) for name, ms in compared]
    return found


def _is_settled(window: Window, baseline: Baseline | None) -> bool:
    reading = window.state.reading
    return window.is_settled() and reading is not None and reading.request.baseline == baseline


def _row(room: str, name: str, ms: float, without_ms: float) -> Row:
    what = f"keystroke to redrawn {room}, mini, 32 tokens, compared with {name}, against none, medians in turns"
    times = ms / without_ms
    return Row(what, f"{ms:.0f} ms", f"{without_ms:.0f} ms", times, f"<= {MOST_TIMES}", times <= MOST_TIMES)
