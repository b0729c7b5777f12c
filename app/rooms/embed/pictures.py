"""The smaller pictures of the room Embed: similar positions, the two segments, and a map of the text."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app import theme
from app.geometry import Tables, TextMap
from app.widgets.raster import Raster

DOT_PX = 5
NAME_PX = 12
GRID_PX = 3  # places are kept free on a grid of squares of this size


class PositionPicture(QWidget):
    """Cosine of every two position vectors (P,P), as a square."""

    told = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Cosine of every two position vectors")
        self.setMouseTracking(True)
        self._raster: Raster | None = None

    def set_tables(self, tables: Tables) -> None:
        self._raster = Raster(tables.position_cosines, -1, 1, signed=True)
        self.update()

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

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        square = self._square()
        if self._raster is None or not square.contains(event.position()):
            self.told.emit("")
            return
        size = self._raster.values.shape[0]
        column = min(int(event.position().x() / square.width() * size), size - 1)
        row = min(int(event.position().y() / square.height() * size), size - 1)
        self.told.emit(f"positions {row} and {column}: cosine {self._raster.values[row, column]:.3f}")

    def leaveEvent(self, event: QEvent) -> None:
        self.told.emit("")


class SegmentPicture(QWidget):
    """The vectors of segment A and B, one above the other, on one scale."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("The vectors of segment A and segment B")
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

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(theme.font(12, medium=True))
        left, height = theme.px(18), (self.height() - theme.px(5)) / 2
        for row, raster in enumerate(self._rasters):
            rect = QRectF(left, row * (height + theme.px(4)), self.width() - left - 1, height)
            raster.paint(painter, rect)
            painter.setPen(theme.color("line"))
            painter.drawRect(rect)
            painter.setPen(theme.color("segment_b" if row else "segment_a"))
            painter.drawText(QRectF(0, rect.y(), left, height), Qt.AlignmentFlag.AlignVCenter, "AB"[row])


class MapPicture(QWidget):
    """Tokens as points on a plane; a name is left out where it would cover another, the mouse still finds it."""

    told = Signal(str)
    clicked = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Map of this text")
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._map: TextMap | None = None
        self._tokens: list[str] = []
        self._kinds: list[str] = []
        self._current: int | None = None
        self._placed: dict[int, QRectF] = {}
        self._placed_for: object = None

    def set_map(self, text_map: TextMap, tokens: list[str], kinds: list[str]) -> None:
        """tokens (S); kinds (S): the theme's colour name of each point."""
        self._map, self._tokens, self._kinds = text_map, tokens, kinds
        self.update()

    def set_current(self, position: int | None) -> None:
        self._current = position
        self.update()

    def spots(self) -> list[QPointF]:
        """Where the points stand in the widget; the plane keeps its proportions."""
        if self._map is None:
            return []
        points = self._map.points
        low, high = points.min(axis=0), points.max(axis=0)
        margin = theme.px(14)
        room_x, room_y = self.width() - 2 * margin - theme.px(50), self.height() - 2 * margin
        span = np.maximum(high - low, 1e-6)
        scale = min(room_x / span[0], room_y / span[1])
        left = margin + (room_x - span[0] * scale) / 2
        top = margin + (room_y - span[1] * scale) / 2
        return [QPointF(left + (x - low[0]) * scale, top + (high[1] - y) * scale) for x, y in points.tolist()]

    def _nearest(self, where: QPointF) -> int | None:
        reach = theme.px(12)
        distances = [(abs(p.x() - where.x()) + abs(p.y() - where.y()), i) for i, p in enumerate(self.spots())]
        near = min(distances, default=(reach + 1, -1))
        return near[1] if near[0] <= reach else None

    def _places(self) -> dict[int, QRectF]:
        """Where a name fits without covering a point or another name; found anew only when map or size change."""
        key = (self._map, self.width(), self.height())
        if self._placed_for != key:
            self._placed_for = key
            self._placed = place_names(self.spots(), self._tokens, self.rect(), theme.px(DOT_PX))
        return self._placed

    def sizeHint(self) -> QSize:
        return QSize(theme.px(400), theme.px(180))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(160), theme.px(90))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        spots, radius = self.spots(), theme.px(DOT_PX)
        for i, point in enumerate(spots):
            painter.setPen(theme.color("ink") if i == self._current else Qt.PenStyle.NoPen)
            painter.setBrush(theme.color(self._kinds[i]))
            if self._kinds[i] == "segment_b":
                painter.drawRect(QRectF(point.x() - radius + 1, point.y() - radius + 1, 2 * radius - 2, 2 * radius - 2))
            else:
                painter.drawEllipse(point, radius, radius)
        painter.setFont(theme.font(NAME_PX))
        for i, place in self._places().items():
            painter.setPen(theme.color("ink" if i == self._current else "muted"))
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, self._tokens[i])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        i = self._nearest(event.position())
        self.told.emit("" if i is None else f"{self._tokens[i]} at position {i}")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        i = self._nearest(event.position())
        if i is not None:
            self.clicked.emit(i)

    def leaveEvent(self, event: QEvent) -> None:
        self.told.emit("")


def place_names(spots: list[QPointF], names: list[str], area: QRect, radius: int) -> dict[int, QRectF]:
    """A place beside, above or below each point, as far as there is one that covers nothing."""
    taken = np.zeros((area.height() // GRID_PX + 1, area.width() // GRID_PX + 1), dtype=bool)

    def cells(rect: QRectF) -> tuple[slice, slice]:
        edges = (rect.top(), rect.bottom(), rect.left(), rect.right())
        top, bottom, left, right = (int(edge // GRID_PX) for edge in edges)
        return slice(max(top, 0), bottom + 1), slice(max(left, 0), right + 1)

    for spot in spots:
        taken[cells(QRectF(spot.x() - radius, spot.y() - radius, 2 * radius, 2 * radius))] = True
    metrics, inside = QFontMetrics(theme.font(NAME_PX)), QRectF(area)
    places: dict[int, QRectF] = {}
    for i, spot in enumerate(spots):
        for place in _around(spot, metrics.horizontalAdvance(names[i]) + 2, metrics.height() - 2, radius):
            if inside.contains(place) and not taken[cells(place)].any():
                taken[cells(place)] = True
                places[i] = place
                break
    return places


def _around(spot: QPointF, width: float, height: float, radius: int) -> list[QRectF]:
    x, y, gap = spot.x(), spot.y(), GRID_PX + 1
    return [
        QRectF(x + radius + gap, y - height / 2, width, height),
        QRectF(x - radius - gap - width, y - height / 2, width, height),
        QRectF(x - width / 2, y - radius - gap - height, width, height),
        QRectF(x - width / 2, y + radius + gap, width, height),
    ]
