"""A run of three snapshots, and a window on the last of them: for the film strip and for Play."""

import pytest

from tests.app.conftest import TEXT_A, TEXT_B, make_run, read_masked

STEPS = (0, 10, 40)


@pytest.fixture
def run(own_home):
    return make_run(own_home / "runs" / "stories", STEPS)


@pytest.fixture
def last_snapshot(open_window, run):
    """With a mask."""
    window = open_window(run.snapshot_path(STEPS[-1]), TEXT_A, TEXT_B)
    read_masked(window, [2])
    return window
