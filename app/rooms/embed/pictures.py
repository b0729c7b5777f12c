"""The smaller pictures of the room Embed: similar positions, and the two segments."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.compute.geometry import Tables
from app.look import theme
from app.widgets.raster import Raster


class PositionPicture(QWidget):
    """Cosine of every two position vectors (P,P), as a square."""

    told = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Cosine of every two position vectors")
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._raster: Raster | None = None
        self._cell: tuple[int, int] | None = None  # where the keyboard is: row, column

    def set_tables(self, tables: Tables) -> None:
        self._raster, self._cell = Raster(tables.position_cosines, -1, 1, signed=True), None
        self.update()

    def _tell(self, row: int, column: int) -> None:
        if self._raster is not None:
            self.told.emit(f"positions {row} and {column}: cosine {self._raster.values[row, column]:.4f}")

    def _paint_cell(self, painter: QPainter, raster: Raster, row: int, column: int) -> None:
        side = self._square().width() / len(raster.values)
        center = QPointF((column + 0.5) * side, (row + 0.5) * side)
        painter.setPen(QPen(theme.color("ink"), 1.4))
        painter.drawRect(
            QRectF(center.x() - max(side, 6) / 2, center.y() - max(side, 6) / 2, max(side, 6), max(side, 6))
        )

    def _square(self) -> QRectF:
        side = min(self.width(), self.height()) - 1
        return QRectF(0, 0, side, side)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(180), theme.px(180))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(90), theme.px(90))

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._raster is None:
            return
        painter = QPainter(self)
        self._raster.paint(painter, self._square())
        painter.setPen(theme.color("line"))
        painter.drawRect(self._square())
        if self._cell is not None:
            self._paint_cell(painter, self._raster, *self._cell)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        square = self._square()
        if self._raster is None or not square.contains(event.position()):
            self.told.emit("")
            return
        size = self._raster.values.shape[0]
        column = min(int(event.position().x() / square.width() * size), size - 1)
        row = min(int(event.position().y() / square.height() * size), size - 1)
        self._tell(row, column)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0), Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1)}
        step = steps.get(Qt.Key(event.key()))
        if step is None or self._raster is None:
            super().keyPressEvent(event)
            return
        last = len(self._raster.values) - 1
        row, column = (min(max(at + by, 0), last) for at, by in zip(self._cell or (0, 0), step, strict=True))
        self._cell = row, column
        self._tell(row, column)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._cell = None
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self.told.emit("")


class SegmentPicture(QWidget):
    """The vectors of segment A and B, one above the other, on one scale."""

    told = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("The vectors of segment A and segment B")
        self.setMouseTracking(True)
        self.setMinimumHeight(theme.px(56))
        self.setMaximumHeight(theme.px(110))
        self._rasters: list[Raster] = []
        self.limit = 1.0  # the value at the ends of the colour scale

    def set_segments(self, segments: np.ndarray) -> None:
        """segments (2,E)."""
        limit = float(np.abs(segments).max()) or 1.0
        self.limit = limit
        self._rasters = [Raster(row[None, :], -limit, limit, signed=True) for row in segments]
        self.update()

    def _row_rect(self, row: int) -> QRectF:
        left, height = theme.px(18), (self.height() - theme.px(5)) / 2
        return QRectF(left, row * (height + theme.px(4)), self.width() - left - 1, height)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(theme.font(12, medium=True))
        for row, raster in enumerate(self._rasters):
            rect = self._row_rect(row)
            raster.paint(painter, rect)
            painter.setPen(theme.color("line"))
            painter.drawRect(rect)
            painter.setPen(theme.color("segment_b" if row else "segment_a"))
            beside = QRectF(0, rect.y(), rect.x(), rect.height())
            painter.drawText(beside, Qt.AlignmentFlag.AlignVCenter, "AB"[row])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        text = ""
        for row, raster in enumerate(self._rasters):
            rect, columns = self._row_rect(row), raster.values.shape[1]
            if rect.contains(event.position()):
                column = min(int((event.position().x() - rect.x()) / rect.width() * columns), columns - 1)
                text = f"segment {'AB'[row]}, dimension {column}: {raster.values[0, column]:.4f}"
        self.told.emit(text)

    def leaveEvent(self, event: QEvent) -> None:
        self.told.emit("")
