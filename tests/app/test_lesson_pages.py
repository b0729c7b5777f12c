"""Every page of every lesson that ships, in a real window: it opens, and nothing goes wrong. How fast: `make bench`."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.lessons.shipped import shipped_files
from app.rooms.room import Room
from app.shell.window import Window
from bertcore.locations import built_in_checkpoint
from tests.app.conftest import TIMEOUT_MS, settle


@pytest.mark.parametrize("file", shipped_files(), ids=lambda file: file.stem)
def test_every_page_opens(file: Path, open_window: Callable[[Path | str], Window], qtbot: QtBot) -> None:
    window = open_window(built_in_checkpoint())
    qtbot.waitUntil(lambda: window.state.reading is not None, timeout=TIMEOUT_MS)
    problems: list[str] = []
    window.lessons.open(file)
    player = window.lessons.player
    assert player is not None and player.lesson is not None
    player.problem_found.connect(problems.append)
    for number in range(len(player.lesson.pages)):
        player.go(number)
        qtbot.waitUntil(lambda: player.start is not None)
        room = window.frame.room
        qtbot.waitUntil(lambda room=room: not isinstance(room, Room) or room.is_drawn)
        settle(window, qtbot)
    assert problems == [] and not window.frame.banner.is_shown
