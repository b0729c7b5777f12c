"""Five strips: token + segment + position = sum, then LayerNorm. Rows: tokens, columns: dimensions."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app import theme
from app.widgets.raster import Raster

LABEL_PX = 88
MARK_PX = 26
GAP_PX = 7
PARTS = ("token", "segment", "position", "sum", "LayerNorm")
MARKS = ("+", "+", "=", "norm", "")


class Strips(QWidget):
    """Paints the five matrices (S,H); says what is under the mouse."""

    hovered = Signal(object)  # (part 0..4, row, column), or None
    clicked = Signal(int)  # row

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Input embedding, piece by piece: rows are tokens, columns dimensions")
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._rasters: list[Raster] = []
        self._row: int | None = None
        self._spot: tuple[int, int, int] | None = None

    @property
    def rasters(self) -> list[Raster]:
        return self._rasters

    def set_parts(self, parts: list[np.ndarray], limit: float, norm_limit: float) -> None:
        """parts: five matrices (S,H) in the order of PARTS; colours reach from -limit to limit, LayerNorm's apart."""
        limits = [limit] * 4 + [norm_limit]
        self._rasters = [Raster(values, -most, most, signed=True) for values, most in zip(parts, limits, strict=True)]
        self.update()

    def set_row(self, row: int | None) -> None:
        """The token that is looked at: its row is framed in every strip."""
        self._row = row
        self.update()

    def strip_rect(self, part: int) -> QRectF:
        gap = theme.px(GAP_PX)
        height = (self.height() - gap * (len(PARTS) - 1)) / len(PARTS)
        left, right = theme.px(LABEL_PX), theme.px(MARK_PX) + theme.px(8)
        return QRectF(left, part * (height + gap), max(self.width() - left - right, 1), height)

    def _spot_at(self, x: float, y: float) -> tuple[int, int, int] | None:
        for part, raster in enumerate(self._rasters):
            rect = self.strip_rect(part)
            if rect.contains(x, y):
                rows, columns = raster.values.shape
                row = min(int((y - rect.y()) / rect.height() * rows), rows - 1)
                return part, row, min(int((x - rect.x()) / rect.width() * columns), columns - 1)
        return None

    def _paint_part(self, painter: QPainter, part: int) -> None:
        rect = self.strip_rect(part)
        self._rasters[part].paint(painter, rect)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(theme.color("line"))
        painter.drawRect(rect)
        painter.setPen(theme.color("ink"))
        painter.setFont(theme.font(13, bold=True))
        side = QRectF(0, rect.y(), rect.x() - theme.px(12), rect.height())
        painter.drawText(side, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, PARTS[part])
        self._paint_mark(painter, part, rect)

    def _paint_mark(self, painter: QPainter, part: int, rect: QRectF) -> None:
        box = QRectF(rect.right() + theme.px(6), rect.y(), theme.px(MARK_PX), rect.height())
        painter.setPen(theme.color("muted"))
        if MARKS[part] != "norm":
            painter.setFont(theme.font(17))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, MARKS[part])
            return
        painter.setPen(QPen(theme.color("muted"), 1.5))
        reach = theme.px(7)
        tip = box.center() + QPointF(0, reach)
        for start in (QPointF(0, -2 * reach), QPointF(-reach / 2, -reach / 2), QPointF(reach / 2, -reach / 2)):
            painter.drawLine(tip + start, tip)

    def _paint_row(self, painter: QPainter, part: int, row: int) -> None:
        rect, rows = self.strip_rect(part), self._rasters[part].values.shape[0]
        height = rect.height() / rows
        frame = QRectF(rect.x(), rect.y() + row * height, rect.width(), max(height, 2))
        painter.setPen(QPen(theme.color("ink"), 1.2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(frame)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(700), theme.px(400))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(320), theme.px(190))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        for part in range(len(self._rasters)):
            self._paint_part(painter, part)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for part, raster in enumerate(self._rasters):
            if self._row is not None and self._row < raster.values.shape[0]:
                self._paint_row(painter, part, self._row)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        spot = self._spot_at(event.position().x(), event.position().y())
        if spot != self._spot:
            self._spot = spot
            self.hovered.emit(spot)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        spot = self._spot_at(event.position().x(), event.position().y())
        if spot is not None:
            self.clicked.emit(spot[1])

    def leaveEvent(self, event: QEvent) -> None:
        self._spot = None
        self.hovered.emit(None)
