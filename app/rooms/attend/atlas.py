"""All heads of the model as one picture: rows are layers, columns heads. A click chooses one."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app import theme
from app.widgets.raster import Raster

SIDE_PX = 18  # for the numbers of layers and heads
TOP_PX = 15
LARGEST_CELL_PX = 84


class HeadAtlas(QWidget):
    """One image of (L*T) x (N*T) values, drawn cell by cell so that gaps stay sharp."""

    chosen = Signal(int, int)  # layer, head, from 0
    hovered = Signal(object)  # (layer, head), or None

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Every head: rows are layers, columns heads")
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._raster: Raster | None = None
        self._layers, self._heads, self._side = 1, 1, 1
        self._selected = (0, 0)
        self._hovered: tuple[int, int] | None = None

    def set_heads(self, thumbnails: np.ndarray) -> None:
        """thumbnails (L,N,T,T); every head is scaled to its own highest value."""
        layers, heads, side, _ = thumbnails.shape
        highest = thumbnails.max(axis=(2, 3), keepdims=True)
        scaled = thumbnails / np.where(highest > 0, highest, 1)
        sheet = scaled.transpose(0, 2, 1, 3).reshape(layers * side, heads * side)  # (L*T, N*T)
        self._raster = Raster(sheet, 0, 1)
        if (layers, heads) != (self._layers, self._heads):
            self._layers, self._heads = layers, heads
            self.updateGeometry()
        self._side = side
        self.update()

    def set_selected(self, layer: int, head: int) -> None:
        self._selected = (layer, head)
        self.update()

    def cell_rect(self, layer: int, head: int) -> QRectF:
        cell, gap = self._cell(), self._gap()
        return QRectF(theme.px(SIDE_PX) + head * (cell + gap), theme.px(TOP_PX) + layer * (cell + gap), cell, cell)

    def _gap(self) -> int:
        return theme.px(6) if self._heads <= 6 else theme.px(3) if self._heads <= 12 else theme.px(2)

    def _cell(self, width: int | None = None) -> int:
        """Whole pixels: with fractions a cell would show a sliver of its neighbour."""
        room = (width or self.width()) - theme.px(SIDE_PX) - 3
        fits = (room - (self._heads - 1) * self._gap()) / self._heads
        return max(min(int(fits), theme.px(LARGEST_CELL_PX)), 4)

    def _at(self, event: QMouseEvent) -> tuple[int, int] | None:
        step = self._cell() + self._gap()
        head = int((event.position().x() - theme.px(SIDE_PX)) // step)
        layer = int((event.position().y() - theme.px(TOP_PX)) // step)
        return (layer, head) if 0 <= head < self._heads and 0 <= layer < self._layers else None

    def _paint_numbers(self, painter: QPainter) -> None:
        painter.setFont(theme.font(10.5))
        painter.setPen(theme.color("muted"))
        cell = self._cell()
        every = max(1, round(theme.px(13) / (cell + self._gap()) + 0.49))
        for layer in range(0, self._layers, every):
            rect = self.cell_rect(layer, 0)
            box = QRectF(0, rect.y(), rect.x() - theme.px(6), cell)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(layer + 1))
        for head in range(0, self._heads, max(every, 2 if cell < theme.px(16) else 1)):
            rect = self.cell_rect(0, head)
            box = QRectF(rect.x() - 4, 0, cell + 8, theme.px(TOP_PX) - 2)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(head + 1))

    def _frame(self, painter: QPainter, spot: tuple[int, int], color: str, width: float) -> None:
        painter.setPen(QPen(theme.color(color), width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        reach = 1 if self._gap() > 3 else 0
        painter.drawRoundedRect(self.cell_rect(*spot).adjusted(-reach, -reach, reach, reach), 3, 3)

    def sizeHint(self) -> QSize:
        width = theme.column_px(280)
        return QSize(width, self.heightForWidth(width))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        cells = self._layers * self._cell(width) + (self._layers - 1) * self._gap()
        return cells + theme.px(TOP_PX) + 3

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._raster is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for layer in range(self._layers):
            for head in range(self._heads):
                source = QRectF(head * self._side, layer * self._side, self._side, self._side)
                self._raster.paint(painter, self.cell_rect(layer, head), source)
        self._paint_numbers(painter)
        if self._gap() > 3:
            for layer in range(self._layers):
                for head in range(self._heads):
                    self._frame(painter, (layer, head), "line", 1)
        if self._hovered:
            self._frame(painter, self._hovered, "muted", 1.5)
        self._frame(painter, self._selected, "accent", 2.4)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hovered = self._at(event)
        self.hovered.emit(self._hovered)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        spot = self._at(event)
        if spot is not None:
            self.chosen.emit(*spot)

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = None
        self.hovered.emit(None)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Left.value: (0, -1),
            Qt.Key.Key_Right.value: (0, 1),
            Qt.Key.Key_Up.value: (-1, 0),
            Qt.Key.Key_Down.value: (1, 0),
        }
        if event.key() not in steps:
            super().keyPressEvent(event)
            return
        down, right = steps[event.key()]
        layer, head = self._selected
        self.chosen.emit(min(max(layer + down, 0), self._layers - 1), min(max(head + right, 0), self._heads - 1))
