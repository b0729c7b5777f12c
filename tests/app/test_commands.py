"""Without a mouse: every command has a key, Tab reaches every part of a room, and everything has a name."""

from collections import Counter

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QScrollBar, QWidget

from app.shell.commands import MENUS
from app.shell.rooms import ROOMS, open_view
from app.state.examples import load_examples
from app.widgets.charts.bars import BarList
from app.widgets.command_list import Palette, match
from app.widgets.figure_button import FigureAction, FigureButton
from tests.app.conftest import press, settle, shown_room, wait_until
from tests.app.predict_room import predict

MOST_TABS = 400


@pytest.fixture
def rooms(window):
    """A window with all rooms built, a mask, the help and the command list open."""
    window.state.set_masks([2])
    for spec in ROOMS:
        shown_room(window, spec.key)
    window.toggle_help()
    return window


def focusable(within):
    """What takes the keyboard, or answers a click as a button does."""
    for widget in within.findChildren(QWidget):
        is_inner = widget.objectName().startswith("qt_") or isinstance(widget, QScrollBar)
        is_empty = isinstance(widget, QAbstractButton | QLabel) and not widget.text() and widget.isHidden()
        is_empty = is_empty or (isinstance(widget, QLabel) and not widget.text())
        if widget.focusPolicy() != Qt.FocusPolicy.NoFocus and not is_inner and not is_empty:
            yield widget


def name_of(widget):
    """What a screen reader would say: the accessible name, or the words on a button or label."""
    return widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton | QLabel) else "")


def described(widget):
    parents = []
    while widget is not None:
        parents.append(type(widget).__name__)
        widget = widget.parentWidget()
    return " < ".join(parents[:5])


def test_everything_that_takes_the_keyboard_has_a_name_and_save_buttons_say_of_what(rooms):
    rooms.open_palette()
    nameless = {described(widget) for widget in focusable(rooms) if not name_of(widget).strip()}
    assert sorted(nameless) == []
    names = [made.accessibleName() for made in rooms.findChildren(FigureButton)]
    assert names and all(name.startswith("Save or copy: ") for name in names)


def test_every_command_has_a_menu_and_a_key_of_its_own(window):
    commands = list(window.commands.values())
    keys = Counter(keys for command in commands for keys in command.keys)
    assert [command.key for command in commands if command.menu_key not in MENUS] == []
    assert [key for key, times in keys.items() if times > 1] == []
    assert [key for key in keys if QKeySequence(key).isEmpty()] == []


PLACES = [(room.key, view) for room in ROOMS for view in (room.view_keys if room.key == "layers" else [""])]


@pytest.mark.parametrize(("room", "view"), PLACES)
def test_tab_reaches_all_of_a_room(window, room, view):
    window.state.set_masks([2])
    open_view(window.open_room(room), view)
    settle(window)
    window.activateWindow()
    wait_until(lambda: QApplication.activeWindow() is window)
    window.frame.sentences.a.setFocus()
    first = widget = window.frame.sentences.a
    reached = set()
    for _ in range(MOST_TABS):  # a label with links keeps the keyboard for all of them
        reached.add(widget)
        press(widget, "Tab")
        widget = QApplication.focusWidget()
        if widget is first:
            break
    assert widget is first, "Tab does not come round"
    able = {widget for widget in focusable(window.frame) if widget.isVisible() and widget.isEnabled()}
    wanted = {widget for widget in able if widget.focusPolicy() & Qt.FocusPolicy.TabFocus}
    exclusive = {w for w in wanted if isinstance(w, QAbstractButton) and w.group() and not w.isChecked()}
    assert wanted & reached, "the room has nothing that Tab could reach"
    assert {described(widget) for widget in wanted - reached - exclusive} == set()


def test_a_word_is_put_in_from_the_keyboard(window):
    card = predict(window, (2,)).words_view.shown_cards[0]
    bars = next(widget for widget in focusable(card) if isinstance(widget, BarList))
    row = next(i for i, bar in enumerate(bars.bars) if i > 0 and bar.label.isalpha() and bar.label != "cat")
    word = bars.bars[row].label
    bars.setFocus(Qt.FocusReason.TabFocusReason)
    for _ in range(row):
        press(bars, "Down")
    press(bars, "Return")
    assert window.state.text_a == f"The {word} sat on the mat."


def test_rooms_open_by_their_numbers(window):
    for number, room in enumerate(ROOMS[:9], start=1):
        key = getattr(Qt.Key, f"Key_{number}")
        QTest.keyClick(window, key, Qt.KeyboardModifier.ControlModifier)
        assert window.room_key == room.key


def test_a_sentence_shows_its_beginning_when_nobody_types_in_it(window):
    line = window.frame.sentences.a
    line.setFocus()
    press(line, "End")
    assert line.cursorPosition() == len(line.text()) > 0
    window.frame.strip.field.setFocus()
    assert line.cursorPosition() == 0


CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def palette(window):
    window.services.settings.recent_models = ["somebody/some-model"]
    made = window.open_palette()
    yield made
    made.close_palette()


def titles(palette):
    return [entry.title for entry in palette.shown]


def test_it_lists_commands_rooms_examples_and_models(palette, window):
    shown = {entry.title: entry.kind for entry in palette.shown}
    assert shown["Attend"] == "Room" and shown["Save session…"] == "File"
    assert shown[load_examples()[0].title] == "Example" and shown["somebody/some-model"] == "Model"
    enabled = [command for command in window.commands.values() if command.isEnabled()]
    assert len([entry for entry in palette.shown if entry.shortcut]) == len(enabled) - 1  # all but the list itself


def test_a_few_letters_find_it_and_other_words_for_it(palette):
    light, help_, save = "Light or dark theme", "What this room shows", FigureAction.SAVE_PICTURE.title
    firsts = {"swap a": "Swap A and B", "lgtdk": light, "dark": light, "pre": "Predict"}
    others = {"help": help_, "F1": help_, "pdf": save, "export": save, "csv": FigureAction.SAVE_NUMBERS.title}
    for typed, found in (firsts | others | {"example": "The next sentence"}).items():
        palette.line.clear()
        QTest.keyClicks(palette.line, typed)
        assert found in titles(palette)[: 1 if typed in firsts else None] and not palette.nothing.isVisible(), typed


def test_letters_are_typed_and_what_is_not_there_is_said(palette, window):
    QTest.keyClicks(palette.line, "xyzzy")
    assert titles(palette) == [] and palette.nothing.isVisible() and not palette.list.isVisible()
    palette.line.clear()
    assert palette.list.isVisible() and not palette.nothing.isVisible()
    QTest.keyClicks(palette.line, "m")
    assert palette.line.text() == "m" and window.state.masked == frozenset()


def test_better_matches_come_first():
    begins, within, scattered = (match("mask", title) for title in ("Mask a word", "Unmask it", "Many a sick cat"))
    assert begins and within and scattered and begins > within > scattered
    assert match("mask", "ksam") is None


def test_a_head_is_gone_to_by_its_numbers(palette, window):
    for typed in ("3.1", "0.1", "1.5", "1", "a.b"):
        palette.line.setText(typed)
        assert not [entry for entry in palette.shown if entry.kind == "Head"], "it is not there"
    palette.line.clear()
    QTest.keyClicks(palette.line, "2.4")
    assert titles(palette)[0] == "Layer 2, head 4"
    press(palette.line, "Return")
    assert (window.state.layer, window.state.head) == (1, 3) and window.room_key == "attend"
    assert palette.isHidden()


def test_arrows_choose_and_escape_leaves(palette, window):
    window.state.set_focus(3)
    press(palette.line, "Down", "Down", "Up")
    assert palette.list.currentRow() == 1
    press(palette.line, "Esc")
    assert palette.isHidden() and window.state.focus == 3  # Escape was for the list


def test_a_click_chooses(palette, window):
    QTest.keyClicks(palette.line, "predict")
    place = palette.list.visualItemRect(palette.list.item(0)).center()
    QTest.mouseClick(palette.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.room_key == "predict" and palette.isHidden()


def test_the_keyboard_goes_back_to_where_it_was(window):
    window.activateWindow()
    window.frame.strip.field.setFocus()
    QTest.keyClick(window.frame.strip.field, Qt.Key.Key_K, CONTROL)
    palette = window.findChild(Palette)
    assert window.focusWidget() is palette.line
    press(palette.line, "Esc")
    assert window.focusWidget() is window.frame.strip.field
    QTest.keyClick(window.frame.strip.field, Qt.Key.Key_K, CONTROL)
    window.appearance.set_look(projector=True)
    assert palette.isHidden(), "the new frame covers it; it would give the keyboard back to a widget that is gone"


def test_it_closes_though_what_had_the_keyboard_is_gone(window):
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
def test_every_view_is_found_by_its_title(window, spec):
    """Also those of rooms that have not been open yet."""
    for view in spec.views:
        palette = window.open_palette()
        QTest.keyClicks(palette.line, view.shown_title)
        number = [(entry.title, entry.kind) for entry in palette.shown].index((view.shown_title, spec.shown_title))
        assert number < 4
        for _ in range(number):
            press(palette.line, "Down")
        press(palette.line, "Return")
        assert window.room_key == spec.key and palette.isHidden()
        assert view.key == window.frame.room.views.key
