"""Play: how long a snapshot takes from its turn to the painted room, once all of them are read ahead, offscreen.

A run of random snapshots of preset mini (vocabulary 8,192), and the ten of the tiny model that ship. Beside the time
it stands the processor time of the window's thread, which other work on the machine hardly changes.
"""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from benchmarks.offscreen import open_window, wait
from benchmarks.timing import Row

if TYPE_CHECKING:
    from app.shell.window import Window

STEP_MS, TINY_MS = 1000 / 30, 100.0
SNAPSHOTS = 30
ROOMS = ("map", "embed", "attend", "predict", "layers", "film")


def rows() -> list[Row]:
    from bertcore.locations import TINY

    with tempfile.TemporaryDirectory() as folder:
        mini = _run_of_mini(Path(folder) / "runs" / "mini")
        return [*_played(str(mini), "mini", STEP_MS), *_played(TINY, "tiny, the ten that ship", TINY_MS)]


def _run_of_mini(path: Path) -> Path:
    """The last of its snapshots."""
    from benchmarks.typing_in_window import random_checkpoint
    from bertcore.runs.run_folder import RunFolder
    from bertcore.training.pretrain_options import PretrainOptions

    checkpoint = random_checkpoint(path.parent.parent / "checkpoint", "mini")
    run = RunFolder.create(path, PretrainOptions(name="mini", preset="mini").to_dict())
    for step in range(SNAPSHOTS):
        with run.begin_snapshot(step) as folder:
            shutil.copytree(checkpoint, folder, dirs_exist_ok=True)
    run.write_status(state="done", step=SNAPSHOTS - 1, fraction=1.0)
    return run.snapshot_path(SNAPSHOTS - 1)


def _played(model: str, name: str, asked_ms: float) -> list[Row]:
    from benchmarks.typing_in_window import TEXT_A, TEXT_B

    with open_window(model) as window:
        window.state.set_text(TEXT_A, TEXT_B)
        window.state.set_masks((3,))
        wait(window.is_settled)
        return [_in_room(window, room, name, asked_ms) for room in ROOMS]


def _in_room(window: Window, room: str, name: str, asked_ms: float) -> Row:
    player, steps = window.services.playback, window.services.time_machine.steps
    assert steps is not None and window.state.reading is not None
    window.open_room(room)
    wait(window.is_settled)
    player.start(steps.snapshots, 1_000_000)  # turned by hand
    wait(lambda: not player._question.is_running)
    wall_ms, processor_ms, painted = list[float](), list[float](), list[float]()
    window.room_drawn.connect(lambda _room, ms: painted.append(ms))
    for number in range(len(steps.snapshots)):
        started, used = time.perf_counter(), time.thread_time()
        player._on_timer_timeout()
        wait(lambda so_far=number: len(painted) > so_far)  # type: ignore[misc]
        processor_ms.append((time.thread_time() - used) * 1000)
        wall_ms.append((time.perf_counter() - started) * 1000)
        wait(window.is_settled)  # what the room asks of the worker meanwhile
    player.stop()
    wall, processor = statistics.median(wall_ms), statistics.median(processor_ms)
    tokens = len(window.state.reading.encoding) if window.state.reading is not None else 0
    what = f"a played snapshot to the painted room, {room}, {name}, {tokens} tokens, median"
    said = f"{wall:.0f} ms ({processor:.0f} ms of the processor)"
    return Row(what, said, f"{asked_ms:.0f} ms", wall / asked_ms, "<= 1.0", wall <= asked_ms)
