"""What can be done with a token of the strip."""

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from app.shell.window import Window


def test_a_right_click_on_a_token_offers_what_can_be_done_with_it(window: Window) -> None:
    state, field = window.state, window.frame.strip.field
    at = field.rect_of(2).center().toPoint()
    QTest.mouseClick(field, Qt.MouseButton.RightButton, pos=at)
    assert state.focus is None and state.masked == frozenset()
    seen: list[list[str]] = []

    def choose(words: str) -> None:
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
