"""What the tests of the room Attend share."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.rooms.attend.room import AttendRoom
from app.shell.window import Window
from bertcore.analysis.trace import Trace
from tests.app.conftest import TIMEOUT_MS, settle


def attend(window: Window, qtbot: QtBot) -> AttendRoom:
    """The room, open and drawn."""
    made = window.open_room("attend")
    assert isinstance(made, AttendRoom)
    settle(window, qtbot)
    return made


def answered(window: Window, room: AttendRoom, qtbot: QtBot) -> None:
    """Nothing that was asked for is still under way."""

    def is_done() -> bool:
        return not any(question.is_waiting for question in room.questions) and not window.services.inference.is_busy

    qtbot.waitUntil(is_done, timeout=TIMEOUT_MS)


def traced(window: Window) -> Trace:
    assert window.state.reading is not None
    return window.state.reading.trace
