"""The help beside the rooms: its texts, and that it follows."""

import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.shell.rooms import ROOMS
from app.shell.window import Window
from app.widgets.help_panel import help_text
from bertcore.locations import assets

KEYS = [room.key for room in ROOMS]


@pytest.mark.parametrize("room", KEYS)
def test_each_room_has_a_help_with_formula_and_sources(room: str) -> None:
    text = help_text(room)
    assert text.startswith(f"# {room.capitalize()}\n")
    assert 150 <= len(re.findall(r"\w+", text)) <= 350
    assert re.search(r"^> .*=", text, re.MULTILINE), "no formula"
    assert re.search(r"\*Sources\*:.* \d{4}", text), "no source with its year"


def test_every_room_of_the_window_has_a_help() -> None:
    missing = [key for key in KEYS if help_text(key) == help_text("no such room")]
    assert missing == []


def test_the_files_are_there_when_installed() -> None:
    """What is no package data would be missing outside of a checkout."""
    names = {file.name for file in (assets() / "help").iterdir()}
    assert {f"{room}.md" for room in KEYS} <= names


def test_f1_opens_it_and_it_follows_the_room(window: Window) -> None:
    window.open_room("attend")
    assert not window.frame.help.is_open
    QTest.keyClick(window, Qt.Key.Key_F1)
    panel = window.frame.help
    assert panel.isVisible()
    assert panel.text.toPlainText().startswith("Attend") and "score(i, j)" in panel.text.toPlainText()
    window.open_room("embed")
    assert panel.text.toPlainText().startswith("Embed")
    QTest.keyClick(window, Qt.Key.Key_F1)
    assert not panel.isVisible()


def test_it_stays_open_in_another_size(window: Window) -> None:
    window.open_room("embed")
    window.toggle_help()
    window.appearance.set_look(projector=True)
    assert window.frame.help.is_open and window.frame.help.text.toPlainText().startswith("Embed")


def test_its_colours_follow_the_theme(window: Window) -> None:
    window.open_room("embed")
    window.toggle_help()
    before = window.frame.help.text.toHtml()
    window.appearance.set_look("dark")
    assert window.frame.help.text.toHtml() != before
