"""Where things are: the built-in model, the person's runs, and what a MODEL argument means. No torch."""

from __future__ import annotations

import os
import re
from importlib import resources
from pathlib import Path

from bertcore.errors import BertcoreError
from bertcore.training.run_folder import RunFolder

_HUB_ID = re.compile(r"[\w.-]+(/[\w.-]+)?")


def home() -> Path:
    """The person's BERTscope folder: BERTSCOPE_HOME, or .bertscope in their home folder."""
    return Path(os.environ.get("BERTSCOPE_HOME") or Path.home() / ".bertscope")


def assets() -> Path:
    return Path(str(resources.files("assets")))


def built_in_checkpoint() -> Path:
    """The checkpoint that ships with BERTscope."""
    return assets() / "checkpoints" / "bertscope-mini"


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
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as stream:
        stream.write(line + "\n")


def known_runs() -> list[Path]:
    """Run folders that exist: those in runs_folder() and the registered ones, newest first."""
    found = set()
    if runs_folder().is_dir():
        found = {path.resolve() for path in runs_folder().iterdir()}
    found |= {Path(line) for line in _registered(home() / "known_runs.txt")}
    runs = [path for path in found if is_run(path)]
    return sorted(runs, key=lambda path: (path / "config.json").stat().st_mtime, reverse=True)


def is_run(folder: Path) -> bool:
    return (folder / "status.json").is_file() and (folder / "config.json").is_file()


def resolve_model(reference: str | Path | None) -> Path:
    """A checkpoint folder from what a person names: a checkpoint folder, a run folder (its newest snapshot),
    a hub id, or None for the built-in one. Raises BertcoreError where there is nothing of the kind."""
    if reference is None:
        return built_in_checkpoint()
    path = Path(reference).expanduser()
    if path.is_dir():
        return _newest_snapshot(path) if is_run(path) else path
    if path.exists():
        raise BertcoreError(f"{path} is a file; choose the folder that the checkpoint's files stand in.")
    text = str(reference)
    if not _HUB_ID.fullmatch(text) or text.startswith("."):
        raise BertcoreError(f"There is no folder {text}.")
    from bertcore.hub import fetch

    return fetch(text)


def _newest_snapshot(run: Path) -> Path:
    newest = RunFolder(run).newest_snapshot()
    if newest is None:
        raise BertcoreError(f"The run {run} has no snapshot yet; wait a moment and open it again.")
    return newest


def _registered(file: Path) -> list[str]:
    try:
        return [line for line in file.read_text(encoding="utf-8").splitlines() if line]
    except (OSError, UnicodeDecodeError):
        return []
