"""For runs that tests make by the dozen."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.elsewhere import Elsewhere
from tests.engine.training_runs import write_text


@pytest.fixture(scope="session")
def elsewhere() -> Iterator[Elsewhere]:
    server = Elsewhere()
    yield server
    server.close()


@pytest.fixture
def fast_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Snapshots survive the end of a process all the same; only a power cut could tell."""
    monkeypatch.setattr("bertcore.runs.run_folder.to_disk", lambda folder: None)
    gc.freeze()  # a run collects garbage three times: it need not look through all that was imported


@pytest.fixture
def folder(tmp_path: Path, fast_disk: None) -> Path:
    """For a run, and what it begins with."""
    return tmp_path


@pytest.fixture
def run(tmp_path: Path, fast_disk: None) -> Path:
    return tmp_path / "run"


@pytest.fixture
def text(tmp_path: Path, fast_disk: None) -> Path:
    return write_text(tmp_path)
