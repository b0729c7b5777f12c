"""What the tests of the room Attend share."""

from typing import TypeVar

import numpy as np
from pytestqt.qtbot import QtBot

from app.compute.question import Question
from app.rooms.attend.matrix_view import MatrixView
from app.rooms.attend.room import AttendRoom
from app.rooms.attend.view import AttendView
from app.shell.window import Window
from bertcore.analysis.trace import Trace
from tests.app.conftest import TIMEOUT_MS, settle

AnyView = TypeVar("AnyView", bound=AttendView)


def attend(window: Window, qtbot: QtBot) -> AttendRoom:
    """The room, open and drawn, on the first head whichever is the clearest."""
    made = window.open_room("attend")
    assert isinstance(made, AttendRoom)
    settle(window, qtbot)
    window.state.set_head(0, 0)
    return made


def panel(room: AttendRoom, key: str, kind: type[AnyView], window: Window, qtbot: QtBot) -> AnyView:
    """A view or a panel, with the answer to what it asks."""
    view = open_view(room, key, kind)
    answered(window, room, qtbot)
    return view


def is_asking(room: AttendRoom) -> bool:
    return any(question.is_running for question in room.findChildren(Question))


def answered(window: Window, room: AttendRoom, qtbot: QtBot) -> None:
    """The text is read, and nothing that was asked for is still under way."""
    settle(window, qtbot)
    qtbot.waitUntil(lambda: not is_asking(room) and not window.services.inference.is_busy, timeout=TIMEOUT_MS)


def open_view(room: AttendRoom, key: str, kind: type[AnyView]) -> AnyView:
    """A large view or a panel, on show."""
    view = room.open_view(key)
    assert isinstance(view, kind)
    return view


def values(room: AttendRoom) -> np.ndarray:
    """What the matrix on show draws."""
    assert isinstance(room.view, MatrixView) and room.view.grid.values is not None
    return room.view.grid.values


def set_weight(room: AttendRoom, row: int, column: int, weight: float) -> None:
    """Of the head on show; units."""
    room.shared.edit_weight((room.state.layer, room.state.head), row, column, weight)


def traced(window: Window) -> Trace:
    assert window.state.reading is not None
    return window.state.reading.trace
