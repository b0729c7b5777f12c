"""The path of each token from the embeddings to the last layer, on a plane; one stage is marked on all of them."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import theme

DOT_PX = 4.5
MARGIN_PX = 22
NAME_ROOM_PX = 60
REACH_PX = 14
GRID_PX = 4  # places are kept free on a grid of squares of this size
MANY = 60  # tokens; from here on the other paths are fainter
MOST_NAMES = 120  # of tokens, tried for a place beside their dots


class PathPicture(QWidget):
    """points (L+1,U,2). The mouse finds the nearest dot; a click or the arrow keys choose a token."""

    hovered = Signal(object)  # unit, or None
    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Path of each token through the layers")
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._points = np.zeros((1, 0, 2))
        self._names: list[str] = []
        self._kinds: list[str] = []
        self._current: int | None = None
        self._stage = 0

    @property
    def points(self) -> np.ndarray:
        return self._points

    def set_paths(self, points: np.ndarray, names: list[str], kinds: list[str]) -> None:
        """names, kinds (U): labels and the theme's colour names."""
        self._points, self._names, self._kinds = points, names, kinds
        self.update()

    def set_current(self, unit: int | None) -> None:
        self._current = unit
        self.update()

    def set_stage(self, stage: int) -> None:
        """The stage where each token's dot and name stand."""
        self._stage = stage
        self.update()

    def spots(self) -> np.ndarray:
        """(L+1,U,2) in the widget; the plane keeps its proportions."""
        points = self._points
        if not points.shape[1]:
            return points
        low, high = points.min(axis=(0, 1)), points.max(axis=(0, 1))
        margin = theme.px(MARGIN_PX)
        room = np.array([self.width() - 2 * margin - theme.px(NAME_ROOM_PX), self.height() - 2 * margin], dtype=float)
        span = np.maximum(high - low, 1e-6)
        scale = max(float((room / span).min()), 1e-6)
        corner = margin + (room - span * scale) / 2
        spots = (points - low) * scale + corner
        spots[..., 1] = self.height() - spots[..., 1]
        return spots

    def _dots(self) -> list[QPointF]:
        spots = self.spots()
        stage = min(self._stage, len(spots) - 1)
        return [QPointF(x, y) for x, y in spots[stage].tolist()]

    def _paint_path(self, painter: QPainter, path: list[list[float]], unit: int) -> None:
        is_current = unit == self._current
        alpha = 255 if is_current else 70 if len(self._names) < MANY else 30
        is_fine = is_current or len(self._names) < MANY  # smooth lines of hundreds of tokens take a second
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, is_fine)
        painter.setPen(QPen(theme.color(self._kinds[unit], alpha), theme.px(2.6) if is_current else 1.2 * is_fine))
        painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in path]))

    def _paint_current(self, painter: QPainter, path: list[list[float]]) -> None:
        """A point for each layer along the path that is looked at."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("ink"))
        for x, y in path:
            painter.drawEllipse(QPointF(x, y), theme.px(2.2), theme.px(2.2))

    @property
    def _radius(self) -> float:
        return theme.px(DOT_PX * 2) / 2 if len(self._names) < MANY else theme.px(DOT_PX * 1.2) / 2

    def _paint_dots(self, painter: QPainter, dots: list[QPointF]) -> None:
        radius = self._radius
        for unit, dot in enumerate(dots):
            is_current = unit == self._current
            painter.setPen(QPen(theme.color("ink"), 1.6) if is_current else Qt.PenStyle.NoPen)
            painter.setBrush(theme.color(self._kinds[unit]))
            if self._kinds[unit] == "segment_b":
                painter.drawRect(QRectF(dot.x() - radius + 1, dot.y() - radius + 1, 2 * radius - 2, 2 * radius - 2))
            else:
                painter.drawEllipse(dot, radius, radius)

    def _paint_names(self, painter: QPainter, dots: list[QPointF], path: list[list[float]]) -> None:
        """The tokens' names beside their dots, and the layers' numbers along the path that is looked at."""
        count = len(dots)
        names = [*self._names, *("emb." if not stage else str(stage) for stage in range(len(path)))]
        spots = [*dots, *(QPointF(x, y) for x, y in path)]
        here = [count + stage for stage in range(len(path)) if stage != self._stage]  # there the name stands
        first = [*([self._current] if path and self._current is not None else []), *here]
        others = range(0, count, max(1, count // MOST_NAMES))
        order = [*first, *(unit for unit in others if unit not in first)]
        for place, box in name_places(spots, names, order, QRectF(self.rect()), self._radius).items():
            is_current = place == self._current or place >= count
            painter.setFont(theme.font(10.5 if place >= count else 12, bold=place == self._current))
            painter.setPen(theme.color("ink" if is_current else self._kinds[place]))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, names[place])

    def _nearest(self, where: QPointF) -> int | None:
        dots = self._dots()
        distances = [(abs(dot.x() - where.x()) + abs(dot.y() - where.y()), unit) for unit, dot in enumerate(dots)]
        near = min(distances, default=(1e9, -1))
        return near[1] if near[0] <= theme.px(REACH_PX) else None

    def sizeHint(self) -> QSize:
        return QSize(theme.px(800), theme.px(460))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(300), theme.px(200))

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._names:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        spots = self.spots().transpose(1, 0, 2).tolist()  # (L+1,U,2) -> (U,L+1,2)
        for unit, one in enumerate(spots):
            self._paint_path(painter, one, unit)
        dots = self._dots()
        path: list[list[float]] = []
        if self._current is not None and self._current < len(spots):
            path = spots[self._current]
            self._paint_path(painter, path, self._current)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_dots(painter, dots)
        self._paint_current(painter, path)
        self._paint_names(painter, dots, path)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hovered.emit(self._nearest(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        unit = self._nearest(event.position())
        if unit is not None:
            self.chosen.emit(unit)

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left.value: -1, Qt.Key.Key_Right.value: 1}
        if event.key() not in steps or not self._names:
            super().keyPressEvent(event)
            return
        self.chosen.emit(min(max((self._current or 0) + steps[event.key()], 0), len(self._names) - 1))


def name_places(
    dots: list[QPointF], names: list[str], order: list[int], area: QRectF, radius: float
) -> dict[int, QRectF]:
    """Where names fit beside their dots without covering a dot or another name; those first in `order` choose first."""
    taken = np.zeros((int(area.height() // GRID_PX) + 2, int(area.width() // GRID_PX) + 2), dtype=bool)

    def cells(rect: QRectF) -> tuple[slice, slice]:
        top, bottom, left, right = (int(e // GRID_PX) for e in (rect.top(), rect.bottom(), rect.left(), rect.right()))
        return slice(max(top, 0), max(bottom, 0) + 1), slice(max(left, 0), max(right, 0) + 1)

    for dot in dots:
        taken[cells(QRectF(dot.x() - radius, dot.y() - radius, 2 * radius, 2 * radius))] = True
    metrics, places = QFontMetrics(theme.font(12, bold=True)), dict[int, QRectF]()
    for unit in order:
        width, height = metrics.horizontalAdvance(names[unit]) + 4.0, metrics.height() - 2.0
        x, y, gap = dots[unit].x(), dots[unit].y(), radius + GRID_PX
        around = [
            QRectF(x + gap, y - height / 2, width, height),
            QRectF(x - gap - width, y - height / 2, width, height),
            QRectF(x - width / 2, y + gap, width, height),
            QRectF(x - width / 2, y - gap - height, width, height),
        ]
        fits = next((place for place in around if area.contains(place) and not taken[cells(place)].any()), None)
        if fits is not None:
            taken[cells(fits)] = True
            places[unit] = fits
    return places
