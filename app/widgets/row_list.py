"""A list as high as its rows, each drawn by one delegate: a click, Enter or the arrow keys choose a row.

class RunList(RowList):
    row_px = 58
    def row_text(self, row): ...                         what screen readers say
    def row_tip(self, row): ...                          the tool tip; left out: none
    def paint_row(self, painter, box, row, state): ...   row: one of those given to `set_rows`

runs.set_rows(rows); runs.set_current(2)
runs.row_chosen.connect(...); runs.row_menu_requested.connect(...)
"""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from ..look import theme
from .table import Column, Index, Rows

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class RowList(QListView):
    row_chosen = Signal(object)
    row_menu_requested = Signal(object, QPoint)  # the row, and a point of the screen
    row_px: float = 28

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._things = Rows(self, [Column("", lambda row: self.row_text(row), lambda row: self.row_tip(row))])
        self.setModel(self._things)
        self.setItemDelegate(_RowDelegate(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        for policy in (self.setVerticalScrollBarPolicy, self.setHorizontalScrollBarPolicy):
            policy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setMouseTracking(True)
        self.clicked.connect(lambda index: self.row_chosen.emit(self.rows[index.row()]))

    @property
    def rows(self) -> Sequence[Any]:
        return self._things.rows

    def set_rows(self, rows: Sequence[Any]) -> None:
        self._things.set_rows(rows)
        self.setMinimumHeight(self.sizeHint().height())
        self.updateGeometry()

    def set_current(self, place: int | None) -> None:
        """Where the arrow keys begin."""
        self.setCurrentIndex(QModelIndex() if place is None else self.model().index(place, 0))

    def row_rect(self, place: int) -> QRectF:
        """Where a row is drawn, in this widget's pixels."""
        return QRectF(self.visualRect(self.model().index(place, 0)))

    def row_text(self, row: Any) -> str:
        return ""

    def row_tip(self, row: Any) -> str:
        return ""

    def paint_row(self, painter: QPainter, box: QRectF, row: Any, state: QStyle.StateFlag) -> None:
        """state: State_MouseOver where the mouse is at it."""
        raise NotImplementedError

    def sizeHint(self) -> QSize:
        return QSize(theme.px(200), len(self.rows) * theme.px(self.row_px))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The arrow keys choose at once."""
        before = self.currentIndex().row()
        super().keyPressEvent(event)
        place = self.currentIndex().row()
        if place >= 0 and (place != before or event.key() in _ENTER):
            self.row_chosen.emit(self.rows[place])

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        index = self.indexAt(event.pos()) if by_mouse else self.currentIndex()
        if index.isValid():
            self.row_menu_requested.emit(self.rows[index.row()], event.globalPos())


class _RowDelegate(QStyledItemDelegate):
    def __init__(self, view: RowList) -> None:
        super().__init__(view)
        self._view = view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._view.paint_row(painter, QRectF(option.rect), self._view.rows[index.row()], option.state)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, round(theme.px(self._view.row_px)))
