"""What the tests of the room Attend share."""

from tests.app.conftest import shown_room


def attend(window):
    """The room, open and drawn, on the first head whichever is the clearest."""
    made = shown_room(window, "attend")
    window.state.set_head(0, 0)
    return made


def values(room):
    """What the matrix on show draws."""
    return room.view.grid.values


def set_weight(room, row, column, weight):
    """Of the head on show; units."""
    room.shared.edit_weight((room.state.layer, room.state.head), row, column, weight)


def traced(window):
    return window.state.reading.trace
