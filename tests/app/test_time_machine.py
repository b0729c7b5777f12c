"""The first start: a run that ships is there to be wound back, before anybody has trained anything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from app.rooms.train import TrainRoom
from app.window import Window
from bertcore.locations import BUILT_IN, TINY, assets, built_in_checkpoint
from bertcore.training.run_folder import RunFolder

WAIT_MS = 60_000


def test_the_run_that_ships_can_be_wound_back(open_window: Callable[[Path | str], Window], qtbot: QtBot) -> None:
    snapshots = RunFolder(assets() / "runs" / TINY).snapshots()
    window = open_window(built_in_checkpoint())
    room = window.open_room("train")
    assert isinstance(room, TrainRoom)
    qtbot.waitUntil(lambda: room.slider.isEnabled() and room.chosen_step == snapshots[-1][0], timeout=WAIT_MS)
    assert [run.path.name for run in room.runs._runs] == [TINY, BUILT_IN]
    qtbot.waitUntil(lambda: len(room.watch.list._guesses) == len(snapshots), timeout=WAIT_MS)
    said = [room.watch.list._guesses[path] for _, path in snapshots]
    assert said[0].probability < 0.05 and len({guess.token for guess in said}) > 2
    for index in (0, len(snapshots) - 1):
        place = QPointF(room.slider.x_of(index), room.slider.height() / 2).toPoint()
        qtbot.mouseClick(room.slider, Qt.MouseButton.LeftButton, pos=place)
        step, folder = snapshots[index]
        qtbot.waitUntil(
            lambda f=folder: window.state.model is not None and window.state.model.folder == f, timeout=WAIT_MS
        )
        assert window.state.model is not None and window.state.model.step == step
