"""A map of the text: tokens as points on a plane, and words of the token table around them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import theme

DOT_PX = 5
NAME_PX = 12
GRID_PX = 3  # places are kept free on a grid of squares of this size
WORD = "word"  # the kind of a point that is no token of the text
MOST_NAMES = 250  # that are tried for a place


@dataclass(frozen=True, eq=False)
class Points:
    """What is on the map: the text's units, then the words around."""

    places: np.ndarray  # (P,2)
    names: list[str]
    kinds: list[str]  # the theme's colour name of each, or WORD
    hints: list[str]  # what the status line says of each

    @property
    def units(self) -> int:
        """How many of them are of the text."""
        return len(self.kinds) - self.kinds.count(WORD)


EMPTY = Points(np.zeros((0, 2)), [], [], [])


class MapPicture(QWidget):
    """A name is left out where it would cover another; the mouse still finds it. Arrow keys choose a token."""

    told = Signal(str)
    clicked = Signal(int)  # unit

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Map of this text")
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._points = EMPTY
        self._current: int | None = None
        self._placed: dict[int, QRectF] = {}
        self._placed_for: object = None

    @property
    def points(self) -> Points:
        return self._points

    def set_points(self, points: Points) -> None:
        self._points = points
        self.setAccessibleDescription(" ".join(points.names[:100]))
        self.update()

    def set_current(self, unit: int | None) -> None:
        if unit != self._current:
            self._current = unit
            self.update()

    def spots(self) -> list[QPointF]:
        """Where the points stand in the widget; the plane keeps its proportions."""
        places = self._points.places
        if not len(places):
            return []
        low, high = places.min(axis=0), places.max(axis=0)
        margin = theme.px(14)
        room_x, room_y = self.width() - 2 * margin - theme.px(50), self.height() - 2 * margin
        span = np.maximum(high - low, 1e-6)
        scale = min(room_x / span[0], room_y / span[1])
        left = margin + (room_x - span[0] * scale) / 2
        top = margin + (room_y - span[1] * scale) / 2
        return [QPointF(left + (x - low[0]) * scale, top + (high[1] - y) * scale) for x, y in places.tolist()]

    def _nearest(self, where: QPointF) -> int | None:
        reach = theme.px(12)
        distances = [(abs(p.x() - where.x()) + abs(p.y() - where.y()), i) for i, p in enumerate(self.spots())]
        near = min(distances, default=(reach + 1, -1))
        return near[1] if near[0] <= reach else None

    def _places(self) -> dict[int, QRectF]:
        """Where a name fits without covering a point or another name; found anew only when map or size change."""
        key = (self._points, self.width(), self.height())
        if self._placed_for != key:
            self._placed_for = key
            order = naming_order(self._points.names)[:MOST_NAMES]
            self._placed = place_names(self.spots(), self._points.names, self.rect(), theme.px(DOT_PX), order)
        return self._placed

    def _paint_point(self, painter: QPainter, spot: QPointF, kind: str, is_current: bool) -> None:
        radius = theme.px(DOT_PX)
        if kind == WORD:  # hollow: no token of the text
            painter.setPen(QPen(theme.color("faint"), 1.4))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(spot, radius * 0.6, radius * 0.6)
            return
        painter.setPen(QPen(theme.color("ink"), 1.6) if is_current else Qt.PenStyle.NoPen)
        painter.setBrush(theme.color(kind))
        if kind == "segment_b":
            painter.drawRect(QRectF(spot.x() - radius + 1, spot.y() - radius + 1, 2 * radius - 2, 2 * radius - 2))
        else:
            painter.drawEllipse(spot, radius, radius)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(400), theme.px(180))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(160), theme.px(90))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        kinds = self._points.kinds
        spots = self.spots()
        for i in [*range(self._points.units, len(spots)), *range(self._points.units)]:  # the text on top
            self._paint_point(painter, spots[i], kinds[i], i == self._current)
        for i, place in self._places().items():
            is_current = i == self._current
            painter.setFont(theme.font(NAME_PX, bold=is_current))
            color = "ink" if is_current else "muted" if kinds[i] == WORD else kinds[i]
            painter.setPen(theme.color(color))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip
            painter.drawText(place, flags, self._points.names[i])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        i = self._nearest(event.position())
        self.told.emit("" if i is None else self._points.hints[i])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        i = self._nearest(event.position())
        if i is not None and i < self._points.units:
            self.clicked.emit(i)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None or not self._points.units:
            super().keyPressEvent(event)
            return
        unit = min(max((self._current or 0) + step, 0), self._points.units - 1)
        self.clicked.emit(unit)
        self.told.emit(self._points.hints[unit])

    def leaveEvent(self, event: QEvent) -> None:
        self.told.emit("")


def naming_order(names: list[str]) -> list[int]:
    """Each name once, then what is called the same: in a long text one word would take all the room."""
    first = list(dict(zip(reversed(names), range(len(names) - 1, -1, -1), strict=True)).values())
    chosen = set(first)
    return [*sorted(first), *(i for i in range(len(names)) if i not in chosen)]


def place_names(
    spots: list[QPointF], names: list[str], area: QRect, radius: int, order: list[int] | None = None
) -> dict[int, QRectF]:
    """A place beside, above or below each point, as far as there is one that covers nothing.

    order: which points choose first; those not in it stay without a name.
    """
    taken = np.zeros((area.height() // GRID_PX + 1, area.width() // GRID_PX + 1), dtype=bool)

    def cells(rect: QRectF) -> tuple[slice, slice]:
        edges = (rect.top(), rect.bottom(), rect.left(), rect.right())
        top, bottom, left, right = (int(edge // GRID_PX) for edge in edges)
        return slice(max(top, 0), bottom + 1), slice(max(left, 0), right + 1)

    for spot in spots:
        taken[cells(QRectF(spot.x() - radius, spot.y() - radius, 2 * radius, 2 * radius))] = True
    metrics, inside = QFontMetrics(theme.font(NAME_PX)), QRectF(area)
    places: dict[int, QRectF] = {}
    for i in range(len(names)) if order is None else order:
        for place in _around(spots[i], metrics.horizontalAdvance(names[i]) + 2, metrics.height() - 2, radius):
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
