"""What the tests of the room Attend share."""

import numpy as np

from app.rooms.attend.matrix_view import MatrixView
from app.rooms.attend.room import AttendRoom
from app.shell.window import Window
from bertcore.analysis.trace import Trace
from tests.app.conftest import settle


def attend(window: Window) -> AttendRoom:
    """The room, open and drawn, on the first head whichever is the clearest."""
    made = window.open_room("attend")
    settle(window)
    window.state.set_head(0, 0)
    return made


def values(room: AttendRoom) -> np.ndarray:
    """What the matrix on show draws."""
    assert isinstance(room.view, MatrixView) and room.view.grid.values is not None
    return room.view.grid.values


def set_weight(room: AttendRoom, row: int, column: int, weight: float) -> None:
    """Of the head on show; units."""
    room.shared.edit_weight((room.state.layer, room.state.head), row, column, weight)


def traced(window: Window) -> Trace:
    return window.state.reading.trace
