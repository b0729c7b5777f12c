"""What is said of colours holds in both themes: a strong colour is dark in one and bright in the other."""

import re

import pytest
from PySide6.QtWidgets import QLabel

from app.shell.rooms import ROOMS, RoomSpec, open_view
from app.shell.window import Window
from app.widgets.help_panel import help_text
from tests.app.conftest import settle

OF_ONE_THEME = re.compile(r"\b(white|black|pale|bright|dark|light)(r|er|st|est)?\b", re.IGNORECASE)


@pytest.mark.parametrize("spec", ROOMS, ids=lambda spec: spec.key)
def test_help(spec: RoomSpec) -> None:
    assert OF_ONE_THEME.findall(help_text(spec.key)) == []


@pytest.mark.parametrize("spec", ROOMS, ids=lambda spec: spec.key)
def test_labels(spec: RoomSpec, window: Window) -> None:
    """Those of pages and tabs that are not open, too."""
    for view in spec.view_keys:
        room = window.open_room(spec.key)
        open_view(room, view)
        settle(window)
        said = [label.text() for label in room.findChildren(QLabel)]
        assert [text for text in said if OF_ONE_THEME.search(text)] == []
