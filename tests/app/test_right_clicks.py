"""A right click chooses nothing; it opens a menu of what can be done with the token and the picture under the mouse."""

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from app.widgets.figure_button import WITHOUT_FRAMES
from tests.app.conftest import settle, shown_room

FIGURE = [action.title for action in WITHOUT_FRAMES]
TOKEN = 4  # "on"


def dot(view):
    return view.charts["map"], view.charts["map"].spots[TOKEN]


def strip(view):
    view.which.setCurrentIndex(1)  # all tokens
    strips = view.charts["strips"]
    rect, rows = strips.strip_rect(0), strips.parts[0].values.shape[0]
    return strips, QPointF(rect.center().x(), rect.y() + rect.height() * (TOKEN + 0.5) / rows)


def letter(view):
    return view.tiles, view.tiles.letter_rect(TOKEN).center()


def span(view):
    return view.picture, view.picture.boxes[TOKEN - 1].center()


def number(view):
    view.open_step("entering")
    table = view.table
    return table.viewport(), QPointF(table.visualRect(table.numbers.index(TOKEN, 2)).center())


def square(view):
    return view.grid, view.grid.cell_rect(TOKEN, 1).center()


def line_end(view):
    return view.picture, QPointF(20, view.picture.row_y(TOKEN))


PLACES = {
    ("attend", "matrix"): square,
    ("attend", "mean"): square,
    ("attend", "lines"): line_end,
    ("layers", "steps"): number,
    ("embed", "parts"): strip,
    ("embed", "map"): dot,
    ("embed", "what_if"): letter,
    ("embed", "vocabularies"): span,
}


def right_click(widget, where):
    at = where.toPoint()
    QTest.mouseClick(widget, Qt.MouseButton.RightButton, pos=at)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, widget.mapToGlobal(at))
    QApplication.sendEvent(widget, event)


@pytest.mark.parametrize(("room_key", "view_key"), PLACES, ids=[" ".join(place) for place in PLACES])
def test_a_right_click_opens_a_menu_and_chooses_nothing(room_key, view_key, window):
    view = window.open_room(room_key).open_view(view_key)
    window.state.set_focus(2)
    settle(window)
    widget, where = PLACES[room_key, view_key](view)
    before = window.state.focus, window.state.layer, window.state.what_if
    menus = set(window.findChildren(QMenu))
    right_click(widget, where)
    assert (window.state.focus, window.state.layer, window.state.what_if) == before
    menu = next(menu for menu in window.findChildren(QMenu) if menu not in menus)
    actions = {action.text(): action for action in menu.actions()}
    assert {"Pin “on”", "Mask", "Move to segment B", "Copy “on”"} <= actions.keys()
    assert (list(actions)[-len(FIGURE) :] == FIGURE) == (view_key != "what_if")  # its tiles are no picture to save
    actions["Mask"].trigger()
    assert window.state.masked == {TOKEN}
    menu.close()
    settle(window)


def test_a_right_click_does_not_move_the_layer_slider(window):
    window.state.set_head(0, 0)
    room = shown_room(window, "layers")
    track, layer = room.slider.track, window.state.layer
    right_click(track, QPointF(track.width() - 2, track.height() / 2))
    assert window.state.layer == layer
    QTest.mouseClick(track, Qt.MouseButton.LeftButton, pos=QPoint(track.width() - 2, track.height() // 2))
    assert window.state.layer > layer


def test_a_right_click_on_a_token_offers_what_can_be_done_with_it(window):
    state, field = window.state, window.frame.strip.field
    at = field.rect_of(2).center().toPoint()
    QTest.mouseClick(field, Qt.MouseButton.RightButton, pos=at)
    assert state.focus is None and state.masked == frozenset()
    seen = []

    def choose(words):
        """The entry that begins so."""
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, field.mapToGlobal(at))
        QApplication.sendEvent(field, event)
        menu = next(menu for menu in field.findChildren(QMenu) if menu.isVisible())
        seen.append([action.text() for action in menu.actions() if action.text()])
        next(action for action in menu.actions() if action.text().startswith(words)).trigger()
        menu.close()
        menu.deleteLater()
        QCoreApplication.sendPostedEvents(menu, QEvent.Type.DeferredDelete)

    choose("Pin")
    assert state.focus == 2
    choose("Mask")
    assert state.masked == {2}
    choose("Remove the mask")
    choose("Move to segment B")
    assert state.masked == frozenset() and dict(state.what_if.segments) == {2: 1}
    choose("Move to segment A")
    assert not state.what_if
    choose("Copy")
    choose("Deselect")
    assert state.focus is None and QApplication.clipboard().text() == "cat"
    assert seen[0] == ["Pin “cat”", "Mask", "Move to segment B", "Copy “cat”"]
