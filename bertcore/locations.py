"""Where things are: the built-in model, the person's runs, and what a MODEL argument means. No torch."""

from __future__ import annotations

import contextlib
import math
import os
import re
from importlib import resources
from pathlib import Path

from bertcore.errors import BertcoreError

BUILT_IN, TINY = SHIPPED = ("bertscope-mini", "bertscope-tiny")  # the checkpoints that ship, and their runs, by name
_HUB_ID = re.compile(r"[\w.-]+(/[\w.-]+)?")


def home() -> Path:
    """The person's BERTscope folder: BERTSCOPE_HOME, or .bertscope in their home folder."""
    return Path(os.environ.get("BERTSCOPE_HOME") or Path.home() / ".bertscope")


def assets() -> Path:
    return Path(str(resources.files("assets")))


def built_in_checkpoint() -> Path:
    """The checkpoint that opens with BERTscope."""
    return assets() / "checkpoints" / BUILT_IN


def tiny_checkpoint() -> Path:
    """A smaller one that ships too, with a vocabulary of its own and the snapshots of its run."""
    return assets() / "checkpoints" / TINY


def sample_corpus() -> Path:
    return assets() / "corpus" / "stories.txt"


def runs_folder() -> Path:
    """Where the window puts its runs, and the shell those without --out."""
    return home() / "runs"


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
    """Run folders that exist: in runs_folder() and registered ones, newest first, then those that ship."""
    found = {Path(line) for line in _registered(home() / "known_runs.txt")}
    for folder in (runs_folder(), assets() / "runs"):
        with contextlib.suppress(OSError):
            found |= {path.resolve() for path in folder.iterdir()}
    runs = [path for path in found if is_run(path)]
    return sorted(runs, key=lambda run: (_began(run), run.name == TINY), reverse=True)


def is_run(folder: Path) -> bool:
    try:
        return (folder / "status.json").is_file() and (folder / "config.json").is_file()
    except OSError:  # a folder that may not be read is none of ours
        return False


def run_around(snapshot: Path) -> Path | None:
    """The run folder that a snapshot lies in; None for a checkpoint that lies elsewhere."""
    folder = snapshot.resolve().parent.parent
    return folder if is_run(folder) else None


def resolve_model(reference: str | Path | None) -> Path:
    """A checkpoint folder from what a person names: a checkpoint folder, a run folder (its newest snapshot), a hub id,
    the name of one that ships, or None for the built-in one.

    Raises BertcoreError where there is nothing of the kind.
    """
    if reference is None:
        return built_in_checkpoint()
    text = str(reference)
    if text in SHIPPED and not os.path.isdir(text):  # a folder of that name is meant before it
        return assets() / "checkpoints" / text
    try:
        path = Path(reference).expanduser()
        is_folder, exists = path.is_dir(), path.exists()
    except (RuntimeError, OSError, ValueError):  # no such person, a name too long, a NUL in it
        raise BertcoreError(f"There is no folder {text[:200]}.") from None
    if is_folder:
        return _newest_snapshot(path) if is_run(path) else path
    if exists:
        raise BertcoreError(f"{path} is a file; choose the folder that the checkpoint's files stand in.")
    if not _HUB_ID.fullmatch(text) or text.startswith("."):
        raise BertcoreError(f"There is no folder {text}.")
    from bertcore.checkpoint.hub import fetch

    return fetch(text)


def _began(run: Path) -> float:
    """When a run began; those that ship, whose files are as old as the copy, come last."""
    if run.parent == (assets() / "runs").resolve():
        return -math.inf
    try:
        return (run / "config.json").stat().st_mtime
    except OSError:  # deleted a moment ago
        return 0.0


def _newest_snapshot(run: Path) -> Path:
    from bertcore.runs.run_folder import RunFolder  # its lock library costs the window's start 50 ms

    newest = RunFolder(run).newest_snapshot()
    if newest is None:
        raise BertcoreError(f"The run {run} has no snapshot yet; wait a moment and open it again.")
    return newest


def _registered(file: Path) -> list[str]:
    try:
        return [line for line in file.read_text(encoding="utf-8", errors="surrogateescape").splitlines() if line]
    except OSError:
        return []
