"""A matrix as numbers: one row for each token, coloured cells, exact values on hover. Only what is seen is drawn."""

import math
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from ...figures.figure import Picture
from ...look import numbers, say, theme

Index = QModelIndex | QPersistentModelIndex
COLUMN_PX, ROW_PX, HEADER_PX = 62, 22, 96
FONT_PX, NAME_PX = 11.5, 11
MOST_WHOLE = 32  # columns of a table that a picture shows whole: wider, nothing of it could be read on a page
MIDDLE = Qt.AlignmentFlag.AlignCenter
NONE = QModelIndex()


class NumberModel(QAbstractTableModel):
    """values (R,C) with the names of rows and columns."""

    def __init__(self) -> None:
        super().__init__()
        self.values = np.zeros((0, 0), dtype=np.float32)
        self._rows: list[str] = []
        self._columns: list[str] = []
        self._limit, self._signed = 1.0, True

    def set_values(self, values: np.ndarray, rows: list[str], columns: list[str]) -> None:
        """columns: names; empty, they are numbered from 0."""
        self.beginResetModel()
        self.values, self._rows, self._columns = values, rows, columns
        some = np.abs(values.ravel()[:: max(values.size // 20_000, 1)]) if values.size else np.ones(1)
        self._limit = float(np.quantile(some, 0.995)) or 1.0  # a few dimensions stand out in every BERT
        self._signed = bool(values.size and values.min() < 0)
        self.endResetModel()

    def fill(self, value: float) -> QColor:
        """The cell's colour on the signed or the sequential scale."""
        if self._signed:
            share = min(max(value / self._limit, -1.0), 1.0)
            return QColor.fromRgb(theme.diverging_table()[round((share + 1) / 2 * 255)])
        return theme.sequential_color(value / self._limit)

    def rowCount(self, parent: Index = NONE) -> int:
        return 0 if parent.isValid() else self.values.shape[0]

    def columnCount(self, parent: Index = NONE) -> int:
        return 0 if parent.isValid() else self.values.shape[1]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        value = float(self.values[index.row(), index.column()])
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return short(value)
            case Qt.ItemDataRole.ToolTipRole:
                row, column = self._name(self._rows, index.row()), self._name(self._columns, index.column())
                return f"{row} · {column}: {numbers.number(value, 9)}"
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        names = self._columns if orientation == Qt.Orientation.Horizontal else self._rows
        return self._name(names, section) if role == Qt.ItemDataRole.DisplayRole else None

    def _name(self, names: list[str], index: int) -> str:
        return names[index] if index < len(names) else str(index)


class _Cells(QStyledItemDelegate):
    """A number on its colour, which the chosen one keeps: a fill of its own would say another value."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model = index.model()
        assert isinstance(model, NumberModel)
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        paint_cell(painter, option.rect, model, index.row(), index.column(), is_chosen)


def paint_cell(
    painter: QPainter, place: QRect, model: NumberModel, row: int, column: int, is_chosen: bool = False
) -> None:
    """The chosen one is framed, in two lines that stand out from any colour."""
    value = float(model.values[row, column])
    fill = model.fill(value)
    edges = [(theme.color("ink"), theme.px(2)), (theme.color("card"), theme.px(1))] if is_chosen else []
    inside = place
    for color, line in edges:
        painter.fillRect(inside, color)
        inside = inside.adjusted(line, line, -line, -line)
    painter.fillRect(inside, fill)
    theme.draw_text(painter, QRectF(place), short(value), theme.ink_on(fill), FONT_PX, align=MIDDLE)


class NumberTable(QTableView):
    """Click or arrow keys choose a number."""

    chosen = Signal(int, int)
    context_menu_requested = Signal(object, QPoint)  # (row, column) or None, point of the screen

    def __init__(self) -> None:
        super().__init__()
        self.numbers = NumberModel()
        self.setModel(self.numbers)
        self.setAccessibleName(say("The numbers of this step: rows are tokens"))
        self.setShowGrid(False)
        self.setFont(theme.font(FONT_PX))
        self.setItemDelegate(_Cells(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setFrameShape(QTableView.Shape.NoFrame)
        for header, size in ((self.horizontalHeader(), COLUMN_PX), (self.verticalHeader(), ROW_PX)):
            header.setFont(theme.font(NAME_PX))
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
            header.setMinimumSectionSize(1)
            header.setDefaultSectionSize(theme.px(size))
            header.setHighlightSections(True)
        self.verticalHeader().setFixedWidth(theme.px(HEADER_PX))
        self.selectionModel().currentChanged.connect(self._on_current_changed)

    def choose(self, row: int, column: int) -> None:
        """Selects a number; `chosen` is not emitted."""
        index = self.numbers.index(row, column)
        self.selectionModel().blockSignals(True)
        self.setCurrentIndex(index)
        self.selectionModel().blockSignals(False)
        self.scrollTo(index)
        self.viewport().update()

    def fit(self, most: int) -> None:
        """As high as all rows, with header and scroll bar, or as it may be with whole rows only."""
        header, row = self.horizontalHeader().sizeHint().height(), theme.px(ROW_PX)
        around = header + self.horizontalScrollBar().sizeHint().height() + 2 * self.frameWidth()
        whole = header + self.numbers.rowCount() * row + theme.px(12)
        self.setFixedHeight(min(whole, around + (most - around) // row * row))

    @property
    def pictured_columns(self) -> range:
        """What a picture shows: all columns if they are few, else those that stand wholly in sight."""
        count, size = self.numbers.columnCount(), theme.px(COLUMN_PX)
        if count <= MOST_WHOLE:
            return range(count)
        left = self.horizontalScrollBar().value()
        first = min(math.ceil(left / size), count - 1)
        return range(first, min(max((left + self.viewport().width()) // size, first + 1), count))

    def picture(self) -> Picture:
        """All rows of these columns, cell by cell: without scroll bars, and nothing of it cut."""
        columns = self.pictured_columns
        rows, width, height = self.numbers.rowCount(), theme.px(COLUMN_PX), theme.px(ROW_PX)
        names = theme.px(HEADER_PX)

        def paint(painter: QPainter) -> None:
            for top, row in enumerate((None, *range(rows))):
                for left, column in enumerate((None, *columns)):
                    at = QRect(
                        names + (left - 1) * width if left else 0, top * height, width if left else names, height
                    )
                    if row is not None and column is not None:
                        paint_cell(painter, at, self.numbers, row, column, (row, column) == self.current)
                    elif row is not None or column is not None:
                        self._paint_name(painter, at, row, column)

        return Picture(names + len(columns) * width, (rows + 1) * height, paint)

    def _paint_name(self, painter: QPainter, place: QRect, row: int | None, column: int | None) -> None:
        """Of a row, or of a column, as its header shows it."""
        name, align = self.numbers.headerData(row or 0, Qt.Orientation.Vertical), theme.LEFT
        if column is not None:
            name, align = self.numbers.headerData(column, Qt.Orientation.Horizontal), MIDDLE
        is_chosen = self.current is not None and (row if column is None else column) == self.current[column is not None]
        padded, color = QRectF(place.adjusted(theme.px(4), 0, -theme.px(4), 0)), "accent" if is_chosen else "muted"
        theme.draw_text(painter, padded, name, color, NAME_PX, align=align, bold=is_chosen)

    @property
    def current(self) -> tuple[int, int] | None:
        index = self.currentIndex()
        return (index.row(), index.column()) if index.isValid() else None

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.indexAt(event.pos())
        cell = (index.row(), index.column()) if index.isValid() else None
        self.context_menu_requested.emit(cell, event.globalPos())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A right click asks for a menu and selects nothing."""
        if event.button() == Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)

    def _on_current_changed(self, current: QModelIndex, _before: QModelIndex) -> None:
        if current.isValid():
            self.chosen.emit(current.row(), current.column())


def short(value: float) -> str:
    """Fits a cell."""
    digits = 4 if abs(value) < 10 else 3 if abs(value) < 100 else 2  # as in the derivation beside the table
    return numbers.decimal(value, digits)
