"""A run of three snapshots, and a window on the last of them: for the film strip and for Play."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.shell.window import Window
from bertcore.runs.run_folder import RunFolder
from tests.app.conftest import TEXT_A, TEXT_B, TIMEOUT_MS, make_run, settle

STEPS = (0, 10, 40)
Opener = Callable[[Path | str], Window]


@pytest.fixture
def run(own_home: Path) -> RunFolder:
    return make_run(own_home / "runs" / "stories", STEPS)


@pytest.fixture
def last_snapshot(open_window: Opener, run: RunFolder, qtbot: QtBot) -> Window:
    """With a mask."""
    window = open_window(run.snapshot_path(STEPS[-1]))
    qtbot.waitUntil(lambda: window.state.reading is not None, timeout=TIMEOUT_MS)
    window.state.set_text(TEXT_A, TEXT_B)
    window.state.set_masks([2])
    settle(window, qtbot)
    return window
