"""For runs that tests make by the dozen."""

import gc

import pytest

from tests.engine.elsewhere import Elsewhere
from tests.engine.training_runs import write_text


@pytest.fixture(scope="session")
def elsewhere():
    server = Elsewhere()
    yield server
    server.close()


@pytest.fixture
def fast_disk(monkeypatch):
    """Snapshots survive the end of a process all the same; only a power cut could tell."""
    monkeypatch.setattr("bertcore.runs.run_folder.to_disk", lambda folder: None)
    gc.freeze()  # a run collects garbage three times: it need not look through all that was imported


@pytest.fixture
def folder(tmp_path, fast_disk):
    """For a run, and what it begins with."""
    return tmp_path


@pytest.fixture
def run(tmp_path, fast_disk):
    return tmp_path / "run"


@pytest.fixture
def text(tmp_path, fast_disk):
    return write_text(tmp_path)
