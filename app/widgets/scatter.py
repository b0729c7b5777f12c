"""Named points on a plane, and their paths where they have some. The wheel zooms, dragging moves, 0 shows all again.

    picture = Scatter("Map of this text")
    picture.set_points(Points(places, names, kinds))     places (P,2), or (T,P,2): where each point is at T stages
    picture.set_stage(3)                                 where points and names stand on their paths
    picture.set_selected([4])                            ringed, bold, and with its path; the first leads the arrow keys
    picture.clicked.connect(lambda point: ...)           also Left and Right; words around the text are not clicked
    picture.hovered.connect(lambda point: ...)           the nearest point within reach, or None

The plane keeps its proportions. Where one or two points are so far off that all others would crowd in a corner, they
stand at the edge, as triangles that point to where they are. A name is left out where it would cover a point or another
name, unless it is selected or the mouse is at its point; zoomed in, there is room for more. With `names=False` only
what is selected or pointed at is named.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPolygonF,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy

from ..look import theme
from .charts.pointer import PointerWidget
from .charts.zoom import Zoom

DOT_PX, SMALL_DOT_PX = 4.5, 3.0
NAME_PX, HALO_PX = 12, 4
GRID_PX = 3  # places are kept free on a grid of squares of this size
MARGIN_PX, NAME_ROOM_PX, REACH_PX = 16, 56, 13
WORD = "word"  # the kind of a point around the text that is no token of it: hollow, and not clicked
MANY = 150  # points; from here on they are smaller
MANY_PATHS = 60  # from here on they are fainter and not smoothed: hundreds of smooth lines take a second
MOST_NAMES = 250  # that are tried for a place
CLOSEST = 1 / 24  # of the plane, at the highest zoom
MOST_FAR = 2  # points at the edge
FAR_GAIN = 1.6  # how much larger the others must become by that


@dataclass(frozen=True, eq=False)
class Points:
    """What is on the plane: first what can be chosen, then the words around it."""

    places: np.ndarray = field(default_factory=lambda: np.zeros((0, 2)))  # (P,2) or (T,P,2)
    names: Sequence[str] = ()
    kinds: Sequence[str] = ()  # the theme's colour name of each, or WORD
    shades: Sequence[float] = ()  # in the place of kinds: 0..1 on the sequential scale
    stage_names: Sequence[str] = ()  # (T) beside the path of the first selected point
    links: Sequence[tuple[int, int]] = ()  # points that a dotted line connects, where they are at the stage on show
    partners: Mapping[int, int] = field(default_factory=dict)  # whose path is shown with that of a selected point

    @property
    def paths(self) -> np.ndarray:
        """(T,P,2)"""
        return self.places if self.places.ndim == 3 else self.places[None]

    @property
    def choices(self) -> int:
        """How many of the points can be chosen."""
        return len(self.names) - sum(kind == WORD for kind in self.kinds)


class Scatter(PointerWidget):
    """Points to hover and click. Left and Right select the one before or after."""

    arrows_click = True

    def __init__(self, name: str, *, names: bool = True) -> None:
        """names: all are named where there is room; else only those selected or pointed at."""
        super().__init__(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.points = Points()
        self.selected: list[int] = []
        self.stage = 0
        self._zoom = Zoom(CLOSEST)
        self._names = names
        self._last: QPointF | None = None  # where the mouse was while the picture is dragged
        self._named: dict[int, QRectF] = {}
        self._named_for: object = None

    def set_points(self, points: Points) -> None:
        """Others than before are shown whole; the same number of them stays zoomed."""
        if len(points.names) != len(self.points.names):
            self._zoom.show_whole()
        self.points = points
        self.selected = [point for point in self.selected if point < points.choices]
        self.hovered_cell = None
        self.setAccessibleDescription(" ".join(points.names[:100]))
        self.update()

    def set_selected(self, points: Sequence[int]) -> None:
        if list(points) != self.selected:
            self.selected = list(points)
            self.update()

    def set_stage(self, stage: int) -> None:
        """Where each point and its name stand on its path."""
        self.stage = stage
        self.update()

    def show_whole(self) -> None:
        self._zoom.show_whole()
        self.update()

    def paths(self) -> np.ndarray:
        """(T,P,2) in pixels of the widget."""
        places = self.points.paths
        if not places.shape[1]:
            return places
        margin, names = theme.px(MARGIN_PX), theme.px(NAME_ROOM_PX) if self._names else 0
        size = np.array([self.width(), self.height()], dtype=float)
        room = np.maximum(size - 2 * margin - (names, 0), 1.0)
        near = self._near(room)
        low, high = places[:, near].min(axis=(0, 1)), places[:, near].max(axis=(0, 1))
        span = np.maximum(high - low, 1e-6)
        scale = float((room / span).min())
        corner = margin + (room - span * scale) / 2
        spots = (places - low) * scale + corner
        spots[..., 1] = size[1] - spots[..., 1]  # up is larger
        spots[:, ~near] = spots[:, ~near].clip(margin / 2, size - margin / 2)
        return (spots / size - (self._zoom.x, self._zoom.y)) / self._zoom.span * size

    @property
    def far(self) -> list[int]:
        """The points that stand at the edge, because they are farther away."""
        names = theme.px(NAME_ROOM_PX) if self._names else 0
        room = np.array([self.width(), self.height()], dtype=float) - 2 * theme.px(MARGIN_PX) - (names, 0)
        return np.flatnonzero(~self._near(np.maximum(room, 1.0))).tolist()

    def _near(self, room: np.ndarray) -> np.ndarray:
        """(P) which points the picture reaches to, in a room of so many pixels."""
        places = self.points.paths
        if len(places) > 1 or self.points.shades:
            return np.ones(places.shape[1], dtype=bool)
        return near_points(places[0], room)

    def spots(self) -> list[QPointF]:
        """Where the points stand in the widget."""
        paths = self.paths()
        return [QPointF(x, y) for x, y in paths[min(self.stage, len(paths) - 1)].tolist()]

    def cell_at(self, point: QPointF) -> int | None:
        paths = self.paths()
        if not paths.shape[1]:
            return None
        away = np.abs(paths[min(self.stage, len(paths) - 1)] - (point.x(), point.y())).sum(axis=1)
        nearest = int(away.argmin())
        return nearest if away[nearest] <= theme.px(REACH_PX) else None

    def cell_after(self, cell: int | None, key: int) -> int | None:
        step = {Qt.Key.Key_Left.value: -1, Qt.Key.Key_Right.value: 1}.get(key)
        if step is None or not self.points.choices:
            return None
        return min(max((cell or 0) + step, 0), self.points.choices - 1)

    def selected_cell(self) -> int | None:
        return self.selected[0] if self.selected else None

    @property
    def _radius(self) -> float:
        return theme.px(2 * (DOT_PX if len(self.points.names) < MANY else SMALL_DOT_PX)) / 2

    def _color(self, point: int) -> QColor:
        if self.points.shades:
            return theme.sequential_color(self.points.shades[point])
        kind = self.points.kinds[point]
        return theme.color("faint" if kind == WORD else kind)

    def _kind(self, point: int) -> str:
        return "" if self.points.shades else self.points.kinds[point]

    def _paint_path(self, painter: QPainter, path: list[list[float]], point: int, is_selected: bool) -> None:
        color, is_fine = self._color(point), is_selected or len(self.points.names) < MANY_PATHS
        if is_selected and self._kind(point) == WORD:
            color = theme.color("curve_mlm")
        faint = 30 if not is_fine or (self.points.partners and self.selected) else 70  # two of each: half as strong
        color.setAlpha(255 if is_selected else faint)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, is_fine)
        style = Qt.PenStyle.DashLine if self._kind(point) == WORD else Qt.PenStyle.SolidLine
        painter.setPen(QPen(color, theme.px(2.6) if is_selected else 1.2 * is_fine, style))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in path]))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if is_selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("ink"))
            for x, y in path:
                painter.drawEllipse(QPointF(x, y), theme.px(2.2), theme.px(2.2))

    def _paint_point(self, painter: QPainter, spot: QPointF, point: int, is_far: bool) -> None:
        radius, kind = self._radius, self._kind(point)
        if kind == WORD:
            painter.setPen(QPen(self._color(point), 1.4))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(spot, radius * 0.6, radius * 0.6)
            return
        painter.setPen(QPen(theme.color("muted"), 0.8) if self.points.shades else Qt.PenStyle.NoPen)
        painter.setBrush(self._color(point))
        if is_far:
            painter.drawPolygon(_pointing_out(spot, radius * 1.4, self.rect()))
        elif kind == "segment_b":  # a shape says it too, not only a colour
            painter.drawRect(QRectF(spot.x() - radius + 1, spot.y() - radius + 1, 2 * radius - 2, 2 * radius - 2))
        else:
            painter.drawEllipse(spot, radius, radius)

    def _paint_rings(self, painter: QPainter, spots: list[QPointF]) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        radius = self._radius + 2
        for point in self.selected:
            painter.setPen(QPen(theme.color("accent"), theme.stroke(2)))
            painter.drawEllipse(spots[point], radius, radius)
        if self.hovered_cell is not None and self.hovered_cell < len(spots):
            painter.setPen(QPen(theme.color("mask"), theme.stroke(2)))
            painter.drawEllipse(spots[self.hovered_cell], radius, radius)

    def _named_places(self, spots: list[QPointF], path: list[QPointF]) -> dict[int, QRectF]:
        """Where names fit, points first, then the stages of `path`; found anew only when something has moved."""
        zoom, names, count = self._zoom, list(self.points.names), len(spots)
        here = [point for point in (*self.selected, self.hovered_cell) if point is not None and point < count]
        leads = here[:1] if path or not self._names else []
        key = (self.points, self.size(), zoom.x, zoom.y, zoom.span, self.stage, theme.scale(), *leads)
        if self._names and key == self._named_for:
            return self._named
        named = range(min(len(path), len(self.points.stage_names)))
        first = [*leads, *(count + stage for stage in named if stage != self.stage)]  # there the name stands
        others = naming_order(names)[:MOST_NAMES] if self._names else list(dict.fromkeys(here))
        order = [*first, *(point for point in others if point not in first)]
        all_names = [*names, *self.points.stage_names]
        self._named_for = key
        self._named = place_names([*spots, *path], all_names, self.rect(), self._radius, order)
        return self._named

    def _paint_names(self, painter: QPainter, spots: list[QPointF], path: list[QPointF]) -> None:
        count, named = len(spots), self._named_places(spots, path)
        hovered = self.hovered_cell
        for point in (*self.selected[:1], hovered):
            if point is not None and point < count and point not in named:  # on top of the others
                named = named | {point: self._box_inside(spots[point], self.points.names[point])}
        for place, box in named.items():
            is_stage, is_here = place >= count, place in self.selected or place == hovered
            font = theme.font(10.5 if is_stage else NAME_PX, bold=is_here)
            painter.setFont(font)
            text = self.points.stage_names[place - count] if is_stage else self.points.names[place]
            if is_here or (path and len(named) < MANY_PATHS):  # on lines
                _paint_halo(painter, box, font, text)
            kind = "" if is_stage else self._kind(place)
            painter.setPen(theme.color("ink" if is_here or not kind else "muted" if kind == WORD else kind))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, text)

    def _box_inside(self, spot: QPointF, name: str) -> QRectF:
        """A place for its name in the widget, whatever it covers."""
        metrics = QFontMetrics(theme.font(NAME_PX, bold=True))
        places = _around(spot, metrics.horizontalAdvance(name) + 2, metrics.height() - 2, self._radius)
        return next((place for place in places if QRectF(self.rect()).contains(place)), places[0])

    def sizeHint(self) -> QSize:
        return QSize(theme.px(400), theme.px(120))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(160), theme.px(90))

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.points.names:
            return
        painter = theme.painter(self)
        spots, path = self.spots(), []
        if self.points.places.ndim == 3:
            paths = self.paths().transpose(1, 0, 2).tolist()  # (T,P,2) -> (P,T,2)
            for point, one in enumerate(paths):
                self._paint_path(painter, one, point, False)
            if self.selected:
                path = [QPointF(x, y) for x, y in paths[self.selected[0]]]
                partner = self.points.partners.get(self.selected[0])
                for point in (self.selected[0], *([] if partner is None else [partner])):
                    self._paint_path(painter, paths[point], point, True)
        painter.setPen(QPen(theme.color("accent"), theme.stroke(1.4), Qt.PenStyle.DotLine))
        for one, other in self.points.links:
            painter.drawLine(spots[one], spots[other])
        choices, far = self.points.choices, set(self.far)
        for point in (*range(choices, len(spots)), *range(choices)):  # the text on top of the words around it
            self._paint_point(painter, spots[point], point, point in far)
        self._paint_rings(painter, spots)
        self._paint_names(painter, spots, path)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self.cell_at(event.position())
        if cell is not None and cell < self.points.choices:
            super().mousePressEvent(event)
        elif event.button() == Qt.MouseButton.LeftButton and self._zoom.span < 1:
            self._last = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._last is None:
            super().mouseMoveEvent(event)
            return
        moved, self._last = self._last - event.position(), event.position()
        self._zoom.move(moved.x() / self.width() * self._zoom.span, moved.y() / self.height() * self._zoom.span)
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._last = None

    def wheelEvent(self, event: QWheelEvent) -> None:
        at = event.position()
        self._zoom.zoom(event.angleDelta().y() / 120, at.x() / max(self.width(), 1), at.y() / max(self.height(), 1))
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            self._zoom.zoom(-1 if event.key() == Qt.Key.Key_Minus else 1, 0.5, 0.5)
            self.update()
        elif event.key() == Qt.Key.Key_0:
            self.show_whole()
        else:
            super().keyPressEvent(event)


def near_points(places: np.ndarray, room: np.ndarray) -> np.ndarray:
    """(P) False for the few of these places (P,2) without which all others could be drawn much larger."""

    def scale(kept: np.ndarray) -> float:
        return float((room / np.maximum(np.ptp(places[kept], axis=0), 1e-6)).min())

    near = np.ones(len(places), dtype=bool)
    wanted = FAR_GAIN * scale(near) if len(places) else 0.0
    for _ in range(min(MOST_FAR, len(places) // 6)):
        left = np.flatnonzero(near)
        ends = {int(left[end]) for axis in places[left].T for end in (axis.argmin(), axis.argmax())}
        near[max(ends, key=lambda end: scale(left[left != end]))] = False
        if scale(np.flatnonzero(near)) >= wanted:
            return near
    return np.ones(len(places), dtype=bool)


def _pointing_out(spot: QPointF, radius: float, area: QRect) -> QPolygonF:
    """A triangle at the edge of `area` that points away from its middle."""
    away = spot - QPointF(area.center())
    x, y = away.x() / max(area.width(), 1), away.y() / max(area.height(), 1)
    out = QPointF(np.sign(x), 0) if abs(x) > abs(y) else QPointF(0, np.sign(y))
    side = QPointF(out.y(), out.x())
    return QPolygonF([spot + out * radius, spot - out * radius + side * radius, spot - out * radius - side * radius])


def _paint_halo(painter: QPainter, box: QRectF, font: QFont, text: str) -> None:
    """What keeps a name apart from the lines below it."""
    metrics, outline = QFontMetrics(font), QPainterPath()
    left = box.center().x() - metrics.horizontalAdvance(text) / 2
    outline.addText(QPointF(left, box.center().y() + (metrics.ascent() - metrics.descent()) / 2), font, text)
    pen = QPen(theme.color("card"), theme.px(HALO_PX))
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.strokePath(outline, pen)


def naming_order(names: Sequence[str]) -> list[int]:
    """Each name once, then what is called the same: in a long text one word would take all the room."""
    first = list(dict(zip(reversed(names), range(len(names) - 1, -1, -1), strict=True)).values())
    chosen = set(first)
    return [*sorted(first), *(i for i in range(len(names)) if i not in chosen)]


def place_names(
    spots: Sequence[QPointF], names: Sequence[str], area: QRect, radius: float, order: Sequence[int] | None = None
) -> dict[int, QRectF]:
    """A place beside, above or below each point, as far as there is one that covers nothing.

    order: which points choose first; those not in it stay without a name. Points outside of `area` have none.
    """
    inside = QRectF(area)
    taken = np.zeros((area.height() // GRID_PX + 2, area.width() // GRID_PX + 2), dtype=bool)

    def cells(rect: QRectF) -> tuple[slice, slice]:
        edges = (rect.top(), rect.bottom(), rect.left(), rect.right())
        top, bottom, left, right = (max(int(edge // GRID_PX), 0) for edge in edges)
        return slice(top, bottom + 1), slice(left, right + 1)

    for spot in spots:
        dot = QRectF(spot.x() - radius, spot.y() - radius, 2 * radius, 2 * radius)
        if inside.intersects(dot):
            taken[cells(dot)] = True
    metrics, places = QFontMetrics(theme.font(NAME_PX, bold=True)), dict[int, QRectF]()
    for i in range(len(names)) if order is None else order:
        if not inside.contains(spots[i]):
            continue
        for place in _around(spots[i], metrics.horizontalAdvance(names[i]) + 2, metrics.height() - 2, radius):
            if inside.contains(place) and not taken[cells(place)].any():
                taken[cells(place)] = True
                places[i] = place
                break
    return places


def _around(spot: QPointF, width: float, height: float, radius: float) -> list[QRectF]:
    """Right, left, above, below; then aslant."""
    x, y, gap = spot.x(), spot.y(), GRID_PX + 1
    return [
        QRectF(x + radius + gap, y - height / 2, width, height),
        QRectF(x - radius - gap - width, y - height / 2, width, height),
        QRectF(x - width / 2, y - radius - gap - height, width, height),
        QRectF(x - width / 2, y + radius + gap, width, height),
        *(
            QRectF(x + right, y + down, width, height)
            for right in (radius + gap, -radius - gap - width)
            for down in (gap, -gap - height)
        ),
    ]
