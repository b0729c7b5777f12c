"""Which run folders there are on this machine, wherever they lie. No torch."""

import contextlib
import math
import os
from pathlib import Path

from bertcore.errors import BertcoreError
from bertcore.files import read_bytes
from bertcore.locations import BUILT_IN, CLASS_DEMO, GERMAN, TINY, assets, home, runs_folder


def register_run(run: Path) -> None:
    """Remember a run, so that the window lists it wherever it lies."""
    file = home() / "known_runs.txt"
    line = str(run.resolve())
    if line in _registered(file):
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8", errors="surrogateescape") as stream:
            stream.write(line + "\n")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise BertcoreError(f"Cannot write {file}: {reason}; name another folder in BERTSCOPE_HOME.") from None


def known_runs() -> list[Path]:
    """Run folders that exist: in runs_folder() and registered ones, newest first, then those that ship.

    One whose files cannot be read is among them: whoever opens it learns why.
    """
    folders = {Path(line) for line in _registered(home() / "known_runs.txt")}
    ships = (assets() / "runs").resolve()
    for parent in (runs_folder().resolve(), ships):
        with contextlib.suppress(OSError), os.scandir(parent) as entries:
            folders |= {Path(entry.path).resolve() if entry.is_symlink() else Path(entry.path) for entry in entries}
    names = ("status.json", "config.json")  # of `is_run`, but a pipe or a broken link counts, too
    runs = [folder for folder in folders if all(os.path.lexists(f"{folder}/{name}") for name in names)]
    shipped = (GERMAN, BUILT_IN, CLASS_DEMO, TINY)  # the last comes first
    place = {name: number for number, name in enumerate(shipped)}
    return sorted(runs, key=lambda run: (_start_time(run, ships), place.get(run.name, -1)), reverse=True)


def is_run(folder: Path) -> bool:
    try:
        return (folder / "status.json").is_file() and (folder / "config.json").is_file()
    except OSError:  # a folder that may not be read is none of ours
        return False


def is_own(run: Path) -> bool:
    """Whether it lies in runs_folder() itself, or was trained elsewhere on this machine: not only linked there."""
    place = run.resolve()
    return place.parent == runs_folder().resolve() or str(place) in _registered(home() / "known_runs.txt")


def run_around(snapshot: Path | None) -> Path | None:
    """The run folder that a snapshot lies in; None for a checkpoint that lies elsewhere, or in no folder."""
    if snapshot is None:
        return None
    folder = snapshot.resolve().parent.parent
    return folder if is_run(folder) else None


def run_behind(checkpoint: Path | None) -> Path | None:
    """The run that a checkpoint comes from: the one around it, or the one of its name where both ship."""
    if checkpoint is None or checkpoint.resolve().parent != (assets() / "checkpoints").resolve():
        return run_around(checkpoint)
    run = (assets() / "runs" / checkpoint.name).resolve()
    return run if is_run(run) else None


def _start_time(run: Path, ships: Path) -> float:
    """Unix seconds; minus infinity for runs that ship (in this folder), whose files are as old as the copy."""
    if run.parent == ships:
        return -math.inf
    try:
        return os.stat(f"{run}/config.json").st_mtime
    except OSError:  # deleted a moment ago
        return 0.0


def _registered(file: Path) -> list[str]:
    try:
        return [line for line in read_bytes(file).decode("utf-8", errors="surrogateescape").split("\n") if line]
    except OSError:
        return []
