"""Every page of every lesson that ships, in a real window: it opens, and nothing goes wrong. How fast: `make bench`."""

from pathlib import Path

import pytest

from app.lessons.shipped import shipped_files
from app.rooms.room import Room
from bertcore.locations import built_in_checkpoint
from tests.app.conftest import Opener, settle, wait_until


@pytest.mark.parametrize("file", shipped_files(), ids=lambda file: file.stem)
def test_every_page_opens(file: Path, open_window: Opener) -> None:
    window = open_window(built_in_checkpoint())
    wait_until(lambda: window.state.reading is not None)
    problems: list[str] = []
    window.lessons.open(file)
    player = window.lessons.player
    assert player is not None and player.lesson is not None
    player.problem_found.connect(problems.append)
    for number in range(len(player.lesson.pages)):
        player.go(number)
        wait_until(lambda: player.start is not None)
        room = window.frame.room
        wait_until(lambda room=room: not isinstance(room, Room) or room.is_drawn)
        settle(window)
    assert problems == [] and not window.frame.banner.is_shown
