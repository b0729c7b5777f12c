"""What is said of colours holds in both themes: a strong colour is dark in one and bright in the other."""

from __future__ import annotations

import re

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.shell.tour import ROOMS, VIEWS
from app.shell.window import Window
from app.widgets.help_panel import help_text
from tests.app.conftest import settle

OF_ONE_THEME = re.compile(r"\b(white|black|pale|bright|dark|light)(r|er|st|est)?\b", re.IGNORECASE)


@pytest.mark.parametrize("room_id", ROOMS)
def test_help(room_id: str) -> None:
    assert OF_ONE_THEME.findall(help_text(room_id)) == []


@pytest.mark.parametrize("room_id", ROOMS)
def test_labels(room_id: str, window: Window, qtbot: QtBot) -> None:
    """Those of pages and tabs that are not open, too."""
    for view in VIEWS.get(room_id, ("",)):
        room = window.open_room(room_id)
        if view:
            room.open_view(view)  # type: ignore[attr-defined]
        settle(window, qtbot)
        said = [label.text() for label in room.findChildren(QLabel)]
        assert [text for text in said if OF_ONE_THEME.search(text)] == []
