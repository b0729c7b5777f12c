"""A labelled grid of numbers as colours, with its scale: tokens by layers, tokens by tokens, uses of a word."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import theme
from app.widgets.raster import Raster, paint_scale

SCALE_PX = 56  # the colour scale at the right, with its numbers
LONGEST_PX = 112
LARGEST_PX = (110, 40)  # of a cell: width, height
TILT_DEGREES = 50
STEPS = {
    Qt.Key.Key_Left.value: (0, -1),
    Qt.Key.Key_Right.value: (0, 1),
    Qt.Key.Key_Up.value: (-1, 0),
    Qt.Key.Key_Down.value: (1, 0),
}


@dataclass(frozen=True)
class Labels:
    """The names along one side, and their colours."""

    texts: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)  # names in the theme; empty: all muted

    def kind(self, index: int) -> str:
        return self.kinds[index] if self.kinds else "muted"


class HeatGrid(QWidget):
    """values (R,C). The mouse reads a cell, a click or the arrow keys choose one."""

    hovered = Signal(object)  # (row, column), or None
    chosen = Signal(int, int)

    def __init__(
        self,
        name: str,
        *,
        square: bool = False,
        signed: bool = False,
        tilted: bool = False,
        numbers: bool = False,
        longest_px: int = LONGEST_PX,
    ) -> None:
        """square: cells are. tilted: column labels are words and stand aslant. numbers: in cells large enough, too.
        longest_px: room for a row's label."""
        super().__init__()
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._square, self._signed, self._tilted, self._numbers = square, signed, tilted, numbers
        self._longest_px = longest_px
        self._raster: Raster | None = None
        self._rows, self._columns = Labels(), Labels()
        self._row: int | None = None
        self._column: int | None = None
        self._hovered: tuple[int, int] | None = None

    @property
    def values(self) -> np.ndarray | None:
        """What is drawn, (R,C)."""
        return None if self._raster is None else self._raster.values

    @property
    def selected(self) -> tuple[int | None, int | None]:
        return self._row, self._column

    def set_grid(self, values: np.ndarray, rows: Labels, columns: Labels, low: float, high: float) -> None:
        """low, high: the values at the ends of the colour scale. An empty grid shows nothing."""
        self._raster = Raster(values, low, high, signed=self._signed) if values.size else None
        before = self.minimumSizeHint()
        self._rows, self._columns, self._hovered = rows, columns, None
        if self.minimumSizeHint() != before:  # other labels
            self.updateGeometry()
        self.update()

    def set_selected(self, row: int | None = None, column: int | None = None) -> None:
        """Frames a row, a column, or both."""
        self._row, self._column = row, column
        self.update()

    def grid_rect(self) -> QRectF:
        left, top = self._label_sizes()
        rows, columns = max(len(self._rows.texts), 1), max(len(self._columns.texts), 1)
        room_x = self.width() - left - theme.px(SCALE_PX) - theme.px(18)
        room_y = self.height() - top - theme.px(4)
        most_x, most_y = (theme.px(side) for side in LARGEST_PX)
        if self._square:
            side = max(min(room_x / columns, room_y / rows, most_y * 1.3), 0.2)
            return QRectF(left, top, side * columns, side * rows)
        return QRectF(left, top, max(min(room_x, most_x * columns), 10), max(min(room_y, most_y * rows), 10))

    def _label_sizes(self) -> tuple[float, float]:
        metrics = QFontMetrics(theme.font(12.5))
        most = theme.px(LONGEST_PX)
        widest = max((metrics.horizontalAdvance(text) for text in self._rows.texts), default=0)
        left = min(widest, theme.px(self._longest_px), round(self.width() * 0.4))
        if not self._tilted:
            return left + theme.px(14), theme.px(22)
        longest = min(max((metrics.horizontalAdvance(text) for text in self._columns.texts), default=0), most)
        return left + theme.px(14), longest * 0.77 + theme.px(18)

    def _spot(self, where: QPointF) -> tuple[int, int] | None:
        rect = self.grid_rect()
        if self._raster is None or not rect.contains(where):
            return None
        rows, columns = self._raster.values.shape
        row = min(int((where.y() - rect.y()) / rect.height() * rows), rows - 1)
        return row, min(int((where.x() - rect.x()) / rect.width() * columns), columns - 1)

    def _paint_rows(self, painter: QPainter, rect: QRectF) -> None:
        height = rect.height() / len(self._rows.texts)
        for i in _labelled(len(self._rows.texts), height, self._row):
            painter.setFont(theme.font(12.5, bold=i == self._row))
            painter.setPen(theme.color("accent" if i == self._row else self._rows.kind(i)))
            box = QRectF(0, rect.y() + (i + 0.5) * height - theme.px(9), rect.x() - theme.px(8), theme.px(18))
            text = QFontMetrics(painter.font()).elidedText(
                self._rows.texts[i], Qt.TextElideMode.ElideRight, int(box.width())
            )
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_columns(self, painter: QPainter, rect: QRectF) -> None:
        width = rect.width() / len(self._columns.texts)
        for i in _labelled(len(self._columns.texts), width, self._column):
            painter.setFont(theme.font(12.5, bold=i == self._column))
            painter.setPen(theme.color("accent" if i == self._column else self._columns.kind(i)))
            center = rect.x() + (i + 0.5) * width
            if not self._tilted:
                box = QRectF(center - theme.px(40), 0, theme.px(80), rect.y() - theme.px(3))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._columns.texts[i])
                continue
            metrics = QFontMetrics(painter.font())
            text = metrics.elidedText(self._columns.texts[i], Qt.TextElideMode.ElideRight, theme.px(LONGEST_PX))
            painter.save()
            painter.translate(center + 2, rect.y() - theme.px(6))
            painter.rotate(-TILT_DEGREES)
            painter.drawText(QPointF(0, metrics.ascent() / 3), text)
            painter.restore()

    def _paint_scale(self, painter: QPainter, rect: QRectF, raster: Raster) -> None:
        bar = QRectF(rect.right() + theme.px(16), rect.y(), theme.px(10), max(min(rect.height(), theme.px(200)), 40))
        paint_scale(painter, bar, signed=self._signed, upright=True)
        painter.setPen(theme.color("muted"))
        painter.setFont(theme.font(11))
        left = bar.right() + theme.px(5)
        painter.drawText(QPointF(left, bar.y() + theme.px(9)), scale_number(raster.high))
        if self._signed:
            painter.drawText(QPointF(left, bar.center().y() + theme.px(4)), "0")
        painter.drawText(QPointF(left, bar.bottom()), scale_number(raster.low))

    def _paint_numbers(self, painter: QPainter, rect: QRectF, raster: Raster) -> None:
        rows, columns = raster.values.shape
        width, height = rect.width() / columns, rect.height() / rows
        if width < theme.px(36) or height < theme.px(20):
            return
        painter.setFont(theme.font(12))
        for row in range(rows):
            for column in range(columns):
                fill = raster.image.pixelColor(column, row)
                painter.setPen((theme.DARK if fill.lightnessF() < 0.5 else theme.LIGHT).ink)
                cell = QRectF(rect.x() + column * width, rect.y() + row * height, width, height)
                text = f"{raster.values[row, column]:.2f}".replace("-", "−")
                painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_frames(self, painter: QPainter, rect: QRectF, shape: tuple[int, int]) -> None:
        height, width = rect.height() / shape[0], rect.width() / shape[1]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.color("accent"), 1.6))
        if self._row is not None and self._row < shape[0]:
            painter.drawRect(QRectF(rect.x(), rect.y() + self._row * height, rect.width(), max(height, 2)))
        if self._column is not None and self._column < shape[1]:
            painter.drawRect(QRectF(rect.x() + self._column * width, rect.y(), max(width, 2), rect.height()))
        if self._hovered is not None:
            row, column = self._hovered
            painter.setPen(QPen(theme.color("mask"), 2.0))
            cell = QRectF(rect.x() + column * width, rect.y() + row * height, max(width, 3), max(height, 3))
            painter.drawRect(cell)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(420), theme.px(420))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(230), theme.px(150) + round(self._label_sizes()[1]))

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._raster is None:
            return
        painter = QPainter(self)
        rect = self.grid_rect()
        self._raster.paint(painter, rect)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.color("line"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect)
        self._paint_rows(painter, rect)
        self._paint_columns(painter, rect)
        self._paint_scale(painter, rect, self._raster)
        if self._numbers:
            self._paint_numbers(painter, rect, self._raster)
        self._paint_frames(painter, rect, self._raster.values.shape)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        spot = self._spot(event.position())
        if spot != self._hovered:
            self._hovered = spot
            self.hovered.emit(spot)
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        spot = self._spot(event.position())
        if spot is not None:
            self.chosen.emit(*spot)

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = None
        self.hovered.emit(None)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() not in STEPS or self._raster is None:
            super().keyPressEvent(event)
            return
        rows, columns = self._raster.values.shape
        down, right = STEPS[event.key()]
        row = min(max((self._row or 0) + down, 0), rows - 1)
        self.chosen.emit(row, min(max((self._column or 0) + right, 0), columns - 1))


def scale_number(value: float) -> str:
    """Three digits: lengths after a LayerNorm lie close together."""
    return f"{value:.3g}".replace("-", "−")


def _labelled(count: int, length: float, chosen: int | None) -> list[int]:
    """Places that get a label: all, or every k-th, and always the chosen one."""
    every = max(1, int(np.ceil(theme.px(17) / max(length, 0.01))))
    places = list(range(0, count, every))
    if every > 1 and chosen is not None and chosen < count:
        places = [i for i in places if abs(i - chosen) >= every] + [chosen]
    return places
