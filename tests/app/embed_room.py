"""The room Embed as tests open it."""

from pytestqt.qtbot import QtBot

from app.rooms.embed.parts_view import PartsView
from app.rooms.embed.room import EmbedRoom
from app.shell.window import Window
from tests.app.conftest import settle


def opened(window: Window, qtbot: QtBot) -> EmbedRoom:
    found = window.open_room("embed")
    assert isinstance(found, EmbedRoom)
    settle(window, qtbot)
    return found


def overview(room: EmbedRoom) -> PartsView:
    view = room.get_view("parts")
    assert isinstance(view, PartsView)
    return view
