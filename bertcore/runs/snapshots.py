"""Which snapshots of a run are kept: log-spaced ones, fewer of them in the middle where the disk space is used up.

A small model changes most in its first steps, and once more where it leaves the plateau, some thousands of steps later.
The built-in model's way from a held-out loss of 6.1 to 4.3 took 1,200 steps (1,930 to 3,130): with three a decade,
there would be one snapshot in it. So there are three a decade below 100, five below 1,000 and ten from there on. More
of them early would cost time: one takes 0.5 s for that model on a slow disk, its first 1,000 steps take four minutes.
Later, a run writes one every `save_minutes` anyway; what those that stay cost is disk, and that has a limit.
"""

import contextlib
import math
import os
import shutil
from collections.abc import Collection, Iterable
from pathlib import Path

from bertcore.runs.run_folder import SNAPSHOTS, RunFolder

# What a run needs beside the checkpoint to go on from a snapshot.
TRAINING_STATE_FILE = "training_state.json"
OPTIMIZER_FILE = "training_state.safetensors"
KEEP_FILE = "keep"  # a snapshot that holds a file of this name was requested, and stays
_MARKS = {  # from this step on, steps with these digits before the zeros (from 100 on: ISO 3, series R5 and R10)
    1: ("1", "2", "5"),
    100: ("1", "16", "25", "4", "63"),
    1000: ("1", "125", "16", "2", "25", "315", "4", "5", "63", "8"),
}
_MIB = 2**20


def can_resume(snapshot: Path) -> bool:
    return (snapshot / TRAINING_STATE_FILE).is_file() and (snapshot / OPTIMIZER_FILE).is_file()


def snapshot_before(run: RunFolder, step: int) -> tuple[int, Path] | None:
    """(step, folder) of the newest snapshot that had not read this step's batch yet: exactly the weights that met it
    where its step is the one before. None while the run has none."""
    return max((one for one in run.snapshots() if one[0] < step), default=None)


def delete_training_state(snapshot: Path) -> None:
    """Drop the training state of a snapshot that a newer one has replaced: it is twice the size of the model."""
    for name in (TRAINING_STATE_FILE, OPTIMIZER_FILE):
        (snapshot / name).unlink(missing_ok=True)


def is_mark(step: int) -> bool:
    """Whether a snapshot of this step is taken, and stays while there is room."""
    if step == 0:
        return True
    return str(step).rstrip("0") in _MARKS[max(start for start in _MARKS if start <= step)]


def surplus(snapshots: Iterable[tuple[int, int]], limit: float, requested: Collection[int] = ()) -> list[int]:
    """Steps whose snapshots have to go so that the others take at most `limit` bytes, in the order of their going.

    `snapshots`: (step, bytes) of each. The first, the newest and those requested never go, even beyond the limit; the
    last one before the newest goes only when no other is left. Else the one goes whose absence leaves the smallest
    gap between its neighbours, in the logarithm of the step; among (nearly) equal gaps the one nearest to the middle.
    """
    kept = sorted(snapshots)
    used = sum(size for _, size in kept)
    gone = []
    while used > limit:
        places = [math.log1p(step) for step, _ in kept]
        free = [i for i in range(1, len(kept) - 1) if kept[i][0] not in requested]
        if not free:
            break
        middle, before_newest = places[-1] / 2, len(kept) - 2
        at = min(
            free, key=lambda i: (i == before_newest, round(places[i + 1] - places[i - 1], 1), abs(places[i] - middle))
        )
        step, size = kept.pop(at)
        used -= size
        gone.append(step)
    return gone


def thin(run: RunFolder, newest: int, limit_mib: float, best: int | None = None) -> list[int]:
    """Once the snapshot of step `newest` stands: older ones lose their training state, or go.

    The last before the newest keeps its own, to go on from should the newest be damaged. Those that were taken for
    safety alone go at once. Returns the steps of the others that went for want of room. That of step `best` stays.
    The newest itself is never touched, nor is any training state while the newest has none.
    """
    snapshots = dict(run.snapshots())
    if newest not in snapshots or not can_resume(snapshots[newest]):
        return []
    older = {step: path for step, path in snapshots.items() if step < newest}
    requested = {step for step, path in older.items() if step == best or (path / KEEP_FILE).exists()}
    spare = max((step for step, path in older.items() if can_resume(path)), default=None)
    for step, path in older.items():
        if step == spare:
            continue
        delete_training_state(path)
        if not is_mark(step) and step not in requested:
            shutil.rmtree(path, ignore_errors=True)
    files = {step: filter(Path.is_file, snapshots[step].rglob("*")) for step in (*older, newest)}
    sizes = [(step, sum(file.stat().st_size for file in found)) for step, found in files.items()]  # 0: it is gone
    gone = surplus([(step, size) for step, size in sizes if size], limit_mib * _MIB, requested)
    for step in gone:
        shutil.rmtree(snapshots[step], ignore_errors=True)
    return gone


def keep(snapshot: Path) -> None:
    """Mark a snapshot as one that somebody requested."""
    if not os.path.lexists(snapshot / KEEP_FILE):  # it may be a link to elsewhere
        (snapshot / KEEP_FILE).touch()


def keep_source(checkpoint: str | None) -> None:
    """Mark what another run begins with, where it is a run's snapshot: that run may still thin its own."""
    if checkpoint and Path(checkpoint).parent.name == SNAPSHOTS:
        with contextlib.suppress(OSError):  # somebody else's, or on a disk that takes nothing
            keep(Path(checkpoint))
