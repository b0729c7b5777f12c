"""One head's attention, large: rows are the tokens that look, columns what they look at."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import numbers, theme
from app.rooms.attend.head_labels import axis_labels, paint_columns, paint_rows
from app.widgets.raster import Raster, paint_scale
from app.widgets.zoom import Zoom

SCALE_PX = 58  # the colour scale at the right, with its numbers
LARGEST_CELL_PX = 46
LONGEST_LABEL_PX = 110
LONG_TEXT = 40  # tokens; from here on single high values would leave the rest of the picture white
LEAST_HIGH = 0.02  # of the highest value: less would make colours of rounding errors
USUAL = 0.995  # the share of values that the colours reach to in a long text
DRAG_PX = 4  # less is a click
FULL_DRAG_PX = 160  # dragged so far, a weight goes from 0 to 1


class HeadView(QWidget):
    """The matrix (S,S) with its tokens on both axes. Labels thin out where there are too many.

    The wheel zooms, dragging moves, a click chooses a square. While `edits` is on, dragging a square up or down gives
    it another weight.
    """

    hovered = Signal(object)  # (row, column), or None
    clicked = Signal(int)  # row
    picked = Signal(int, int)  # row, column
    zoomed = Signal()
    weight_dragged = Signal(int, int, float)  # row, column, the weight it would have
    weight_set = Signal(int, int, float)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Attention: rows look at columns")
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.zoom, self.edits = Zoom(), False
        self._raster: Raster | None = None
        self._tokens: list[str] = []
        self._kinds: list[str] = []
        self._row: int | None = None
        self._spot: tuple[int, int] | None = None
        self._is_cut, self._signed = False, False
        self._pressed: tuple[QPointF, tuple[int, int]] | None = None
        self._last = QPointF()
        self._is_dragged = False
        self._weight: float | None = None  # while a square is dragged
        self._lengths = (0.0, 0.0)

    @property
    def values(self) -> np.ndarray | None:
        """What is drawn, (S,S)."""
        return None if self._raster is None else self._raster.values

    @property
    def color_range(self) -> tuple[float, float] | None:
        """What the ends of the colour scale stand for."""
        return None if self._raster is None else (self._raster.low, self._raster.high)

    @property
    def tokens(self) -> list[str]:
        """(S) as they stand at rows and columns."""
        return self._tokens

    def set_head(self, attention: np.ndarray, tokens: list[str], kinds: list[str], *, signed: bool = False) -> None:
        """attention (S,S), tokens (S), kinds (S): colour names of the labels. signed: zero is in the middle.

        Colours reach to the highest value; in long texts to what all but a few values stay below.
        """
        sizes = np.abs(attention) if signed else attention
        highest = float(sizes.max(initial=0.0))
        high = usual_high(sizes) if len(tokens) > LONG_TEXT else highest
        self._is_cut = high < highest
        self._raster = Raster(attention, -high if signed else 0, high, signed=signed)
        if tokens != self._tokens:
            self._tokens, self._spot = tokens, None
        self._kinds, self._signed = kinds, signed
        self._lengths = self._label_lengths()
        self.zoom.set_size(len(tokens))
        self.update()

    def clear(self) -> None:
        """Nothing is there to be drawn yet."""
        self._raster, self._spot = None, None
        self.update()

    def set_row(self, row: int | None) -> None:
        if row != self._row:
            self._row = row
            if row is not None and not self.zoom.is_whole and not self.underMouse():
                self.zoom.show_cell(row)
            self.update()

    def show_whole(self) -> None:
        self.zoom.show_whole()
        self.zoomed.emit()
        self.update()

    def matrix_rect(self) -> QRectF:
        """Where the matrix stands: square, as large as labels and scale leave room for."""
        side_label, top_label = self._lengths
        room_x = self.width() - side_label - theme.px(SCALE_PX) - theme.px(16)
        room_y = self.height() - top_label - theme.px(4)
        side = max(min(room_x, room_y, len(self._tokens) * theme.px(LARGEST_CELL_PX)), 10)
        left = side_label + max((room_x - side) / 2, 0)
        return QRectF(left, top_label + max((room_y - side) / 3, 0), side, side)

    def cell_rect(self, row: int, column: int) -> QRectF:
        rect, zoom = self.matrix_rect(), self.zoom
        cell = rect.width() / zoom.span
        return QRectF(rect.x() + (column - zoom.x) * cell, rect.y() + (row - zoom.y) * cell, cell, cell)

    def _label_lengths(self) -> tuple[float, float]:
        metrics = QFontMetrics(self._font())
        longest = max(sorted(self._tokens, key=len)[-8:], key=metrics.horizontalAdvance, default="")
        length = min(metrics.horizontalAdvance(longest), theme.px(LONGEST_LABEL_PX))
        return length + theme.px(12), length * 0.77 + theme.px(20)

    def _font(self) -> QFont:
        shown = self.zoom.span if len(self._tokens) == self.zoom.size else len(self._tokens)
        return theme.font(13 if shown <= 24 else 11.5 if shown <= 48 else 10)

    def _labelled(self, cell: float, shown: range | None = None) -> list[int]:
        """Positions that get a label: all, or every k-th, and always the one that is looked at."""
        every = max(1, int(np.ceil(QFontMetrics(self._font()).height() * 1.1 / cell)))
        shown = range(len(self._tokens)) if shown is None else shown
        return axis_labels(shown, every, self._row)

    def _paint_labels(self, painter: QPainter, rect: QRectF, cell: float) -> None:
        rows, columns = self.zoom.visible()
        painter.setFont(self._font())
        longest = theme.px(LONGEST_LABEL_PX)
        spot = self._spot or (None, None)
        texts = (self._tokens, self._kinds)
        marked = (self._row, self._row if self._row is not None else spot[0])
        paint_rows(painter, rect, cell, self.zoom.y, self._labelled(cell, rows), texts, marked[0], longest)
        paint_columns(painter, rect, cell, self.zoom.x, self._labelled(cell, columns), texts, spot[1], longest)

    def _paint_scale(self, painter: QPainter, rect: QRectF, raster: Raster) -> None:
        bar = QRectF(rect.right() + theme.px(18), rect.y(), theme.px(10), min(rect.height(), theme.px(230)))
        paint_scale(painter, bar, upright=True, signed=self._signed)
        painter.setPen(theme.color("muted"))
        painter.setFont(theme.font(11))
        left = bar.right() + theme.px(5)
        painter.drawText(QPointF(left, bar.y() + theme.px(9)), numbers.number(raster.high, 2))
        if self._is_cut:
            painter.drawText(QPointF(left, bar.y() + theme.px(22)), "or more")
        if self._signed:
            painter.drawText(QPointF(left, bar.center().y() + theme.px(4)), "0")
            if self._is_cut:
                painter.drawText(QPointF(left, bar.bottom() + theme.px(13)), "or less")
        painter.drawText(QPointF(left, bar.bottom()), numbers.number(raster.low, 2))

    def _paint_cross(self, painter: QPainter, rect: QRectF, cell: float) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self._row is not None:
            painter.setPen(QPen(theme.color("accent"), 1.6))
            painter.drawRect(QRectF(rect.x(), self.cell_rect(self._row, 0).y(), rect.width(), max(cell, 2)))
        if self._spot is None:
            return
        square = self.cell_rect(*self._spot)
        painter.setPen(QPen(theme.color("mask"), 1.2))
        painter.drawRect(QRectF(square.x(), rect.y(), max(cell, 2), rect.height()))
        if self._row != self._spot[0]:
            painter.drawRect(QRectF(rect.x(), square.y(), rect.width(), max(cell, 2)))
        if self._weight is not None and self._raster is not None:
            share = self._weight / (self._raster.high or 1)
            painter.fillRect(square, theme.sequential_color(share))
        painter.setPen(QPen(theme.color("mask"), 2.2))
        painter.drawRect(QRectF(square.x(), square.y(), max(cell, 3), max(cell, 3)))

    def _spot_at(self, point: QPointF) -> tuple[int, int] | None:
        rect, size = self.matrix_rect(), len(self._tokens)
        if self._raster is None or not size or not rect.contains(point):
            return None
        cell = rect.width() / self.zoom.span
        row, column = (point.y() - rect.y()) / cell + self.zoom.y, (point.x() - rect.x()) / cell + self.zoom.x
        return min(int(row), size - 1), min(int(column), size - 1)

    def _drag(self, point: QPointF) -> None:
        assert self._pressed is not None and self._raster is not None
        start, spot = self._pressed
        if self.edits:
            lifted = (start.y() - point.y()) / theme.px(FULL_DRAG_PX)
            self._weight = min(max(float(self._raster.values[spot]) + lifted, 0.0), 1.0)
            self.weight_dragged.emit(*spot, self._weight)
        else:
            cell = self.matrix_rect().width() / self.zoom.span
            self.zoom.move((self._last.x() - point.x()) / cell, (self._last.y() - point.y()) / cell)
            self._last = point
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(600), theme.px(560))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(260), theme.px(280))

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._raster is None or not self._tokens:
            return
        painter = QPainter(self)
        rect, zoom = self.matrix_rect(), self.zoom
        cell = rect.width() / zoom.span
        painter.setClipRect(rect)
        self._raster.paint(painter, rect, QRectF(zoom.x, zoom.y, zoom.span, zoom.span))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(rect.adjusted(-2, -2, 2, 2))
        self._paint_cross(painter, rect, cell)
        painter.setClipping(False)
        painter.setPen(theme.color("line"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect)
        self._paint_labels(painter, rect, cell)
        self._paint_scale(painter, rect, self._raster)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position()
        if self._pressed is not None:
            self._is_dragged |= (point - self._pressed[0]).manhattanLength() >= DRAG_PX
            if self._is_dragged:
                self._drag(point)
            return
        spot = self._spot_at(point)
        if spot != self._spot:
            self._spot = spot
            self.hovered.emit(spot)
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        spot = self._spot_at(event.position())
        if spot is not None and event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._last, self._is_dragged = (event.position(), spot), event.position(), False

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            return
        (_, spot), self._pressed = self._pressed, None
        weight, self._weight = self._weight, None
        if not self._is_dragged:
            self.picked.emit(*spot)
            self.clicked.emit(spot[0])
        elif weight is not None:
            self.weight_set.emit(*spot, weight)
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        rect, point = self.matrix_rect(), event.position()
        share = [(point.x() - rect.x()) / rect.width(), (point.y() - rect.y()) / rect.height()]
        held = [min(max(value, 0.0), 1.0) for value in share]
        self.zoom.zoom(event.angleDelta().y() / 120, held[0], held[1])
        self.zoomed.emit()
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._spot = None
        self.hovered.emit(None)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """+ and - zoom, 0 shows all; the arrow keys move what is shown while it is zoomed in."""
        key, part = event.key(), self.zoom.span / 8
        moves = {
            Qt.Key.Key_Left: (-part, 0.0),
            Qt.Key.Key_Right: (part, 0.0),
            Qt.Key.Key_Up: (0.0, -part),
            Qt.Key.Key_Down: (0.0, part),
        }
        if key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            self.zoom.zoom(-1 if key == Qt.Key.Key_Minus else 1, 0.5, 0.5)
        elif key == Qt.Key.Key_0:
            self.zoom.show_whole()
        elif key in moves and not self.zoom.is_whole:
            self.zoom.move(*moves[Qt.Key(key)])
        else:
            super().keyPressEvent(event)
            return
        self.zoomed.emit()
        self.update()


def usual_high(sizes: np.ndarray) -> float:
    """What all but a few in a thousand of (S,S) sizes stay below; where only those few are of any size, more."""
    values = sizes.ravel()[:: max(sizes.size // 40_000, 1)]
    place = min(int(len(values) * USUAL), len(values) - 1)
    highest = float(sizes.max(initial=0.0))
    return min(max(float(np.partition(values, place)[place]), highest * LEAST_HIGH), highest)
