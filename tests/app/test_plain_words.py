"""With plain words no label speaks of ln p or nats; with technical ones they are there."""

from typing import Any

import pytest
from PySide6.QtWidgets import QLabel

from app.look import numbers
from app.shell.window import Window
from app.widgets.card import Hint
from tests.app.conftest import handle_events, settle

VIEWS = (("attend", "effects"), ("attend", "check"), ("attend", "gradient"), ("predict", "attribution"))


def labels(window: Window, room_key: str, view_key: str) -> str:
    room: Any = window.open_room(room_key)
    room.open_view(view_key)
    settle(window)
    handle_events()
    return "\n".join(one.text() for one in room.findChildren(QLabel) if one.isVisible() or isinstance(one, Hint))


@pytest.mark.parametrize("words", ["plain", "technical"])
def test_notes_on_colours_and_numbers(words: str, window: Window) -> None:
    numbers.set_technical(words == "technical")
    window.state.set_masks([2])
    window.state.set_focus(2)
    settle(window)
    said = {view: labels(window, *view) for view in VIEWS}
    technical = {view for view, text in said.items() if "ln p" in text or "nats" in text}
    assert technical == (set(VIEWS) if words == "technical" else set())
