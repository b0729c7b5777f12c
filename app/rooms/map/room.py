"""Room Map: the whole model for this text in one picture, which leads to all other rooms."""

from PySide6.QtCore import Signal

from ...look.say import mark
from ..room import Room
from ..view import View, ViewSpec
from .view import MapView


class MapRoom(Room):
    """One view, so there are no tabs; it says itself what it is."""

    room_requested = Signal(str, str)  # room, view

    key = "map"
    specs = (
        ViewSpec(
            "model",
            mark("The whole model"),
            mark("Words, tokens, embeddings, layers and answers in one picture"),
            MapView,
        ),
    )

    def connect_view(self, view: View) -> None:
        assert isinstance(view, MapView)
        view.room_requested.connect(self.room_requested)
