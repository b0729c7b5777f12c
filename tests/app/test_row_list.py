"""A list of rows: the mouse and the keyboard choose, screen readers read, and each row is drawn in its place."""

from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QContextMenuEvent, QPainter
from PySide6.QtWidgets import QApplication, QStyle
from pytestqt.qtbot import QtBot

from app.widgets.table import RowList
from tests.app.conftest import handle_events


class Names(RowList):
    row_px = 30

    def __init__(self) -> None:
        super().__init__("Names")
        self.painted: dict[str, float] = {}

    def row_text(self, row: str) -> str:
        return row

    def row_tip(self, row: str) -> str:
        return f"<b>{row}"

    def paint_row(self, painter: QPainter, box: QRectF, row: str, state: QStyle.StateFlag) -> None:
        self.painted[row] = box.top()


def test_rows_are_chosen_by_mouse_and_keys(qtbot: QtBot) -> None:
    names, chosen, menus = Names(), list[str](), list[str]()
    qtbot.addWidget(names)
    names.row_chosen.connect(chosen.append)
    names.row_menu_requested.connect(lambda row, _at: menus.append(row))
    names.set_rows(["one", "two", "three"])
    names.show()
    assert names.sizeHint().height() == names.minimumHeight() == 90, "it is as high as its rows: nothing scrolls in it"
    names.set_current(0)
    assert chosen == [], "only a person chooses"
    middle = names.row_rect(2).center().toPoint()
    qtbot.mouseClick(names.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    qtbot.mouseClick(names.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Return, Qt.Key.Key_Down, Qt.Key.Key_Down):
        qtbot.keyClick(names, key)
    assert chosen == ["three", "three", "two", "two", "three"]
    for reason, at in ((QContextMenuEvent.Reason.Mouse, QPoint(5, 5)), (QContextMenuEvent.Reason.Keyboard, QPoint())):
        QApplication.sendEvent(names.viewport(), QContextMenuEvent(reason, at, at))
    assert menus == ["one", "three"]


def test_rows_are_drawn_and_read_as_they_are_now(qtbot: QtBot) -> None:
    names = Names()
    qtbot.addWidget(names)
    names.set_rows(["one", "two"])
    names.show()
    handle_events()
    names.grab()
    assert names.painted == {"one": 0, "two": 30}
    names.set_rows(["one", "three"])
    names.grab()
    data = names.model().index(1, 0).data
    assert names.painted["three"] == 30 and data() == "three" and data(Qt.ItemDataRole.UserRole) == "three"
    assert "&lt;b&gt;three" in data(Qt.ItemDataRole.ToolTipRole), "a name is no markup"
