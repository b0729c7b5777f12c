"""Without a mouse: every command has a key, Tab reaches every part of a room, and everything has a name."""

from collections import Counter
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QScrollBar, QWidget

from app.shell.commands import MENUS
from app.shell.rooms import ROOMS, open_view
from app.shell.window import Window
from app.widgets.charts.bars import BarList
from tests.app.conftest import settle, wait_until

MOST_TABS = 400


@pytest.fixture
def rooms(window: Window) -> Window:
    """A window with all rooms built, a mask, the help and the command list open."""
    window.state.set_masks([2])
    for spec in ROOMS:
        window.open_room(spec.key)
        settle(window)
    window.toggle_help()
    return window


def focusable(within: QWidget) -> Iterator[QWidget]:
    """What takes the keyboard, or answers a click as a button does."""
    for widget in within.findChildren(QWidget):
        is_inner = widget.objectName().startswith("qt_") or isinstance(widget, QScrollBar)
        is_empty = isinstance(widget, QAbstractButton | QLabel) and not widget.text() and widget.isHidden()
        is_empty = is_empty or (isinstance(widget, QLabel) and not widget.text())
        if widget.focusPolicy() != Qt.FocusPolicy.NoFocus and not is_inner and not is_empty:
            yield widget


def name_of(widget: QWidget) -> str:
    """What a screen reader would say: the accessible name, or the words on a button or label."""
    return widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton | QLabel) else "")


def described(widget: QWidget) -> str:
    parents = []
    parent: QWidget | None = widget
    while parent is not None:
        parents.append(type(parent).__name__)
        parent = parent.parentWidget()
    return " < ".join(parents[:5])


def test_everything_that_takes_the_keyboard_has_a_name(rooms: Window) -> None:
    rooms.open_palette()
    nameless = {described(widget) for widget in focusable(rooms) if not name_of(widget).strip()}
    assert sorted(nameless) == []


def test_save_buttons_say_of_what(rooms: Window) -> None:
    from app.widgets.figure_button import FigureButton

    names = [made.accessibleName() for made in rooms.findChildren(FigureButton)]
    assert names and all(name.startswith("Save or copy: ") for name in names)


def test_every_command_has_a_menu_and_a_key_of_its_own(window: Window) -> None:
    commands = list(window.commands.values())
    keys = Counter(keys for command in commands for keys in command.keys)
    assert [command.key for command in commands if command.menu_key not in MENUS] == []
    assert [key for key, times in keys.items() if times > 1] == []
    assert [key for key in keys if QKeySequence(key).isEmpty()] == []


@pytest.mark.parametrize(
    "room",
    [
        *(f"{room.key} {view}" for room in ROOMS for view in (room.view_keys if room.key == "layers" else [""])),
    ],
)
def test_tab_reaches_all_of_a_room(window: Window, room: str) -> None:
    window.state.set_masks([2])
    room_key, _, view = room.partition(" ")
    shown = window.open_room(room_key)
    open_view(shown, view)
    settle(window)
    window.activateWindow()
    wait_until(lambda: QApplication.activeWindow() is window)
    window.frame.sentences.a.setFocus()
    first = widget = window.frame.sentences.a
    reached: set[QWidget] = set()
    for _ in range(MOST_TABS):  # a label with links keeps the keyboard for all of them
        reached.add(widget)
        QTest.keyClick(widget, Qt.Key.Key_Tab)
        widget = QApplication.focusWidget()
        if widget is first:
            break
    assert widget is first, "Tab does not come round"
    wanted = {
        widget
        for widget in focusable(window.frame)
        if widget.isVisible() and widget.isEnabled() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    }
    exclusive = {w for w in wanted if isinstance(w, QAbstractButton) and w.group() and not w.isChecked()}
    assert wanted & reached, "the room has nothing that Tab could reach"
    assert {described(widget) for widget in wanted - reached - exclusive} == set()


def test_a_word_is_put_in_from_the_keyboard(window: Window) -> None:
    window.state.set_masks([2])
    room = window.open_room("predict")
    settle(window)
    card = room.words_view.shown_cards[0]
    bars = next(widget for widget in focusable(card) if isinstance(widget, BarList))
    row = next(i for i, bar in enumerate(bars.bars) if i > 0 and bar.label.isalpha() and bar.label != "cat")
    word = bars.bars[row].label
    bars.setFocus(Qt.FocusReason.TabFocusReason)
    for _ in range(row):
        QTest.keyClick(bars, Qt.Key.Key_Down)
    QTest.keyClick(bars, Qt.Key.Key_Return)
    assert window.state.text_a == f"The {word} sat on the mat."


def test_rooms_open_by_their_numbers(window: Window) -> None:
    for number, room in enumerate(ROOMS, start=1):
        key = getattr(Qt.Key, f"Key_{number}")
        QTest.keyClick(window, key, Qt.KeyboardModifier.ControlModifier)
        assert window.room_key == room.key


def test_a_sentence_shows_its_beginning_when_nobody_types_in_it(window: Window) -> None:
    line = window.frame.sentences.a
    line.setFocus()
    QTest.keyClick(line, Qt.Key.Key_End)
    assert line.cursorPosition() == len(line.text()) > 0
    window.frame.strip.field.setFocus()
    assert line.cursorPosition() == 0
