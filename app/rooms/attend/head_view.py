"""One head's attention, large: rows are the tokens that look, columns what they look at."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app import theme
from app.widgets.raster import Raster, paint_scale, short_number

SCALE_PX = 58  # the colour scale at the right, with its numbers
LARGEST_CELL_PX = 46
LONGEST_LABEL_PX = 110
TILT_DEGREES = 50
LONG_TEXT = 40  # tokens; from here on single high values would leave the rest of the picture white
USUAL = 0.995  # the share of values that the colours reach to in a long text


class HeadView(QWidget):
    """The matrix (S,S) with its tokens on both axes. Labels thin out where there are too many."""

    hovered = Signal(object)  # (row, column), or None
    clicked = Signal(int)  # row

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Attention of one head: rows look at columns")
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._raster: Raster | None = None
        self._tokens: list[str] = []
        self._kinds: list[str] = []
        self._row: int | None = None
        self._spot: tuple[int, int] | None = None
        self._is_cut = False

    @property
    def values(self) -> np.ndarray | None:
        """What is drawn, (S,S)."""
        return None if self._raster is None else self._raster.values

    def set_head(self, attention: np.ndarray, tokens: list[str], kinds: list[str]) -> None:
        """attention (S,S), tokens (S), kinds (S): colour names of the labels.

        Colours reach from 0 to the highest value; in long texts to what all but a few values stay below.
        """
        highest = float(attention.max())
        self._is_cut = len(tokens) > LONG_TEXT
        self._raster = Raster(attention, 0, min(highest, usual_high(attention)) if self._is_cut else highest)
        self._tokens, self._kinds = tokens, kinds
        self._spot = None
        self.update()

    def set_row(self, row: int | None) -> None:
        self._row = row
        self.update()

    def matrix_rect(self) -> QRectF:
        """Where the matrix stands: square, as large as labels and scale leave room for."""
        side_label, top_label = self._label_lengths()
        room_x = self.width() - side_label - theme.px(SCALE_PX) - theme.px(16)
        room_y = self.height() - top_label - theme.px(4)
        side = max(min(room_x, room_y, len(self._tokens) * theme.px(LARGEST_CELL_PX)), 10)
        left = side_label + max((room_x - side) / 2, 0)
        return QRectF(left, top_label + max((room_y - side) / 3, 0), side, side)

    def _label_lengths(self) -> tuple[float, float]:
        metrics = QFontMetrics(self._font())
        longest = min(max((metrics.horizontalAdvance(token) for token in self._tokens), default=0), self._longest())
        return longest + theme.px(12), longest * 0.77 + theme.px(20)

    def _longest(self) -> int:
        return theme.px(LONGEST_LABEL_PX)

    def _font(self) -> QFont:
        return theme.font(13 if len(self._tokens) <= 24 else 11.5 if len(self._tokens) <= 48 else 10)

    def _labelled(self, cell: float) -> list[int]:
        """Positions that get a label: all, or every k-th, and always the one that is looked at."""
        every = max(1, int(np.ceil(QFontMetrics(self._font()).height() * 1.1 / cell)))
        chosen = list(range(0, len(self._tokens), every))
        if every > 1 and self._row is not None:
            chosen = [i for i in chosen if abs(i - self._row) >= every] + [self._row]
        return chosen

    def _paint_labels(self, painter: QPainter, rect: QRectF, cell: float) -> None:
        column_of_mouse = self._spot[1] if self._spot else None
        for i in self._labelled(cell):
            is_row = i == self._row
            painter.setFont(self._font())
            if is_row or i == column_of_mouse:
                bold = painter.font()
                bold.setBold(True)
                painter.setFont(bold)
            metrics = QFontMetrics(painter.font())
            text = metrics.elidedText(self._tokens[i], Qt.TextElideMode.ElideRight, self._longest())
            painter.setPen(theme.color("accent" if is_row else self._kinds[i]))
            box = QRectF(0, rect.y() + (i + 0.5) * cell - 12, rect.x() - theme.px(8), 24)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
            painter.setPen(theme.color("accent" if i == column_of_mouse else self._kinds[i]))
            painter.save()
            painter.translate(rect.x() + (i + 0.5) * cell + 2, rect.y() - theme.px(6))
            painter.rotate(-TILT_DEGREES)
            painter.drawText(QPointF(0, metrics.ascent() / 3), text)
            painter.restore()

    def _paint_scale(self, painter: QPainter, rect: QRectF, high: float) -> None:
        bar = QRectF(rect.right() + theme.px(18), rect.y(), theme.px(10), min(rect.height(), theme.px(230)))
        paint_scale(painter, bar, upright=True)
        painter.setPen(theme.color("muted"))
        painter.setFont(theme.font(11))
        left = bar.right() + theme.px(5)
        painter.drawText(QPointF(left, bar.y() + theme.px(9)), short_number(high))
        if self._is_cut:
            painter.drawText(QPointF(left, bar.y() + theme.px(22)), "or more")
        painter.drawText(QPointF(left, bar.bottom()), "0")

    def _paint_cross(self, painter: QPainter, rect: QRectF, cell: float) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self._row is not None:
            painter.setPen(QPen(theme.color("accent"), 1.6))
            painter.drawRect(QRectF(rect.x(), rect.y() + self._row * cell, rect.width(), max(cell, 2)))
        if self._spot is not None:
            row, column = self._spot
            painter.setPen(QPen(theme.color("mask"), 1.2))
            painter.drawRect(QRectF(rect.x() + column * cell, rect.y(), max(cell, 2), rect.height()))
            painter.setPen(QPen(theme.color("mask"), 2.2))
            painter.drawRect(QRectF(rect.x() + column * cell, rect.y() + row * cell, max(cell, 3), max(cell, 3)))

    def sizeHint(self) -> QSize:
        return QSize(theme.px(600), theme.px(560))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(260), theme.px(240))

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._raster is None or not self._tokens:
            return
        painter = QPainter(self)
        rect = self.matrix_rect()
        cell = rect.width() / len(self._tokens)
        self._raster.paint(painter, rect)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.color("line"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect)
        self._paint_labels(painter, rect, cell)
        self._paint_scale(painter, rect, self._raster.high)
        self._paint_cross(painter, rect, cell)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        rect, size = self.matrix_rect(), len(self._tokens)
        spot = None
        if size and rect.contains(event.position()):
            column = min(int((event.position().x() - rect.x()) / rect.width() * size), size - 1)
            row = min(int((event.position().y() - rect.y()) / rect.height() * size), size - 1)
            spot = (row, column)
        if spot != self._spot:
            self._spot = spot
            self.hovered.emit(spot)
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._spot is not None:
            self.clicked.emit(self._spot[0])

    def leaveEvent(self, event: QEvent) -> None:
        self._spot = None
        self.hovered.emit(None)
        self.update()


def usual_high(attention: np.ndarray) -> float:
    """The value (S,S) that all but a few in a thousand stay below."""
    values = attention.ravel()[:: max(attention.size // 40_000, 1)]
    place = min(int(len(values) * USUAL), len(values) - 1)
    return float(np.partition(values, place)[place])
