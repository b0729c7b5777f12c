"""The command list: finding, choosing, going to a head."""

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from app.rooms.room import Room
from app.shell.rooms import ROOMS, RoomSpec
from app.shell.window import Window
from app.widgets.command_list import Palette, match
from app.widgets.figure_button import FigureAction

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def palette(window: Window) -> Iterator[Palette]:
    window.services.settings.recent_models = ["somebody/some-model"]
    made = window.open_palette()
    yield made
    made.close_palette()


def titles(palette: Palette) -> list[str]:
    return [entry.title for entry in palette.shown]


def test_it_lists_commands_rooms_examples_and_models(palette: Palette, window: Window) -> None:
    from app.state.examples import load_examples

    shown = {entry.title: entry.kind for entry in palette.shown}
    assert shown["Attend"] == "Room" and shown["Save session…"] == "File"
    assert shown[load_examples()[0].title] == "Example" and shown["somebody/some-model"] == "Model"
    enabled = [command for command in window.commands.values() if command.isEnabled()]
    assert len([entry for entry in palette.shown if entry.shortcut]) == len(enabled) - 1  # all but the list itself


@pytest.mark.parametrize(
    ("typed", "first"),
    [("swap a", "Swap A and B"), ("lgtdk", "Light or dark theme"), ("dark", "Light or dark theme"), ("pre", "Predict")],
)
def test_a_few_letters_find_it(palette: Palette, typed: str, first: str) -> None:
    QTest.keyClicks(palette.line, typed)
    assert titles(palette)[0] == first


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("help", "What this room shows"),
        ("F1", "What this room shows"),
        ("pdf", FigureAction.SAVE_PICTURE.title),
        ("export", FigureAction.SAVE_PICTURE.title),
        ("csv", FigureAction.SAVE_NUMBERS.title),
        ("example", "The next sentence"),
    ],
)
def test_other_words_for_it_find_it_too(palette: Palette, typed: str, found: str) -> None:
    QTest.keyClicks(palette.line, typed)
    assert found in titles(palette) and not palette.nothing.isVisible()


def test_what_is_not_there_is_said(palette: Palette) -> None:
    QTest.keyClicks(palette.line, "xyzzy")
    assert titles(palette) == [] and palette.nothing.isVisible() and not palette.list.isVisible()
    palette.line.clear()
    assert palette.list.isVisible() and not palette.nothing.isVisible()


def test_better_matches_come_first() -> None:
    begins, within, scattered = (match("mask", title) for title in ("Mask a word", "Unmask it", "Many a sick cat"))
    assert begins and within and scattered and begins > within > scattered
    assert match("mask", "ksam") is None


def test_a_head_is_gone_to_by_its_numbers(palette: Palette, window: Window) -> None:
    QTest.keyClicks(palette.line, "2.4")
    assert titles(palette)[0] == "Layer 2, head 4"
    QTest.keyClick(palette.line, Qt.Key.Key_Return)
    assert (window.state.layer, window.state.head) == (1, 3) and window.room_key == "attend"
    assert palette.isHidden()


@pytest.mark.parametrize("typed", ["3.1", "0.1", "1.5", "1", "a.b"])
def test_a_head_that_is_not_there_is_not_offered(palette: Palette, typed: str) -> None:
    QTest.keyClicks(palette.line, typed)
    assert not [entry for entry in palette.shown if entry.kind == "Head"]


def test_arrows_choose_and_escape_leaves(palette: Palette, window: Window) -> None:
    window.state.set_focus(3)
    QTest.keyClick(palette.line, Qt.Key.Key_Down)
    QTest.keyClick(palette.line, Qt.Key.Key_Down)
    QTest.keyClick(palette.line, Qt.Key.Key_Up)
    assert palette.list.currentRow() == 1
    QTest.keyClick(palette.line, Qt.Key.Key_Escape)
    assert palette.isHidden() and window.state.focus == 3  # Escape was for the list


def test_letters_are_typed_and_no_commands(palette: Palette, window: Window) -> None:
    QTest.keyClicks(palette.line, "m")
    assert palette.line.text() == "m" and window.state.masked == frozenset()


def test_a_click_chooses(palette: Palette, window: Window) -> None:
    QTest.keyClicks(palette.line, "predict")
    place = palette.list.visualItemRect(palette.list.item(0)).center()
    QTest.mouseClick(palette.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.room_key == "predict" and palette.isHidden()


def test_the_keyboard_goes_back_to_where_it_was(window: Window) -> None:
    window.activateWindow()
    window.frame.strip.field.setFocus()
    QTest.keyClick(window.frame.strip.field, Qt.Key.Key_K, CONTROL)
    palette = window.findChild(Palette)
    assert isinstance(palette, Palette) and window.focusWidget() is palette.line
    QTest.keyClick(palette.line, Qt.Key.Key_Escape)
    assert window.focusWidget() is window.frame.strip.field
    QApplication.processEvents()


def test_it_closes_where_the_window_is_built_anew(window: Window) -> None:
    """The new frame covers it; it would keep the keyboard, and give it back to a widget that is gone."""
    window.activateWindow()
    window.frame.strip.field.setFocus()
    QTest.keyClick(window.frame.strip.field, Qt.Key.Key_K, CONTROL)
    palette = window.findChild(Palette)
    window.appearance.set_look(projector=True)
    assert palette.isHidden()


def test_it_closes_though_what_had_the_keyboard_is_gone(window: Window) -> None:
    line = QLineEdit(window)
    line.show()
    window.activateWindow()
    line.setFocus()
    palette = window.open_palette()
    line.deleteLater()
    QCoreApplication.sendPostedEvents(line, QEvent.Type.DeferredDelete)
    palette.close_palette()
    assert palette.isHidden()


@pytest.mark.parametrize("spec", [spec for spec in ROOMS if spec.views], ids=lambda spec: spec.key)
def test_every_view_is_found_by_its_title(window: Window, spec: RoomSpec) -> None:
    """Also those of rooms that have not been open yet."""
    for view in spec.views:
        palette = window.open_palette()
        QTest.keyClicks(palette.line, view.shown_title)
        [number] = [
            number
            for number, entry in enumerate(palette.shown)
            if (entry.title, entry.kind) == (view.shown_title, spec.shown_title)
        ]
        assert number < 4
        for _ in range(number):
            QTest.keyClick(palette.line, Qt.Key.Key_Down)
        QTest.keyClick(palette.line, Qt.Key.Key_Return)
        assert window.room_key == spec.key and palette.isHidden()
        room: Any = window.frame.room
        assert isinstance(room, Room) and view.key == room.views.key
