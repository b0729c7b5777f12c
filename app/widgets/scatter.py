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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy

from ..look import say, theme
from .charts.pointer import next_of
from .charts.zoom import Zoom, ZoomedDrawing

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
    tags: Sequence[str] = ()  # (P) names that some points have even where names are left out; "" for none
    squares: Sequence[bool] = ()  # (P) which points have another shape
    partners: Mapping[int, int] = field(default_factory=dict)  # whose path is shown with that of a selected point

    @property
    def paths(self) -> np.ndarray:
        """(T,P,2)"""
        return self.places if self.places.ndim == 3 else self.places[None]

    @property
    def choices(self) -> int:
        """How many of the points can be chosen."""
        return len(self.names) - sum(kind == WORD for kind in self.kinds)

    def kind(self, point: int) -> str:
        return "" if self.shades else self.kinds[point]

    def color(self, point: int) -> QColor:
        if self.shades:
            return theme.sequential_color(self.shades[point])
        return theme.color("faint" if self.kinds[point] == WORD else self.kinds[point])


class Scatter(ZoomedDrawing):
    """Points to hover and click. Left and Right select the one before or after."""

    arrows_click, arrows_move = True, False
    hint_px, least_px = (400, 120), (160, 90)

    def __init__(self, name: str, *, names: bool = True, axis_names: tuple[str, str] = ("", "")) -> None:
        """names: all are named where there is room; else only those selected or pointed at. axis_names: what right and
        up are, given through `mark`; then both have a scale of their own, and lines at 0."""
        super().__init__(name, Qt.FocusPolicy.TabFocus, Zoom(CLOSEST))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.points = Points()
        self.selected: list[int] = []
        self.stage = 0
        self._names, self._axis_names = names, axis_names
        self._zero = QPointF()
        self._paths = self.points.paths  # (T,P,2) in pixels
        self.spots: list[QPointF] = []  # where the points stand in the widget
        self.far: list[int] = []  # the points that stand at the edge, because they are farther away
        self._ends: list[QPointF] = []  # of the paths, where the points stand elsewhere on them
        self._named: dict[int, QRectF] = {}
        self._named_for: object = None

    def set_points(self, points: Points) -> None:
        """Others than before are shown whole; the same number of them stays zoomed."""
        if self.zoom is not None and len(points.names) != len(self.points.names):
            self.zoom.show_whole()
        self.points = points
        self.selected = [point for point in self.selected if point < points.choices]
        self.hovered_cell = None
        self.setAccessibleDescription(" ".join(points.names[:100]))
        self.values_changed()

    def set_selected(self, points: Sequence[int]) -> None:
        if list(points) != self.selected:
            self.selected = list(points)
            self.update()

    def set_stage(self, stage: int) -> None:
        """Where each point and its name stand on its path."""
        self.stage = stage
        self.values_changed()

    def lay_out(self) -> None:
        places, zoom = self.points.paths, self.zoom
        assert zoom is not None
        margin, names = theme.px(MARGIN_PX), theme.px(NAME_ROOM_PX) if self._names else 0
        size = np.array([self.width(), self.height()], dtype=float)
        room = np.maximum(size - 2 * margin - (names, 0), 1.0)
        has_axes = any(self._axis_names)
        may_be_far = len(places) == 1 and not self.points.shades and not has_axes
        near = near_points(places[0], room) if may_be_far else np.ones(places.shape[1], dtype=bool)
        self.far = np.flatnonzero(~near).tolist()
        if places.shape[1]:
            low, high = places[:, near].min(axis=(0, 1)), places[:, near].max(axis=(0, 1))
            if has_axes:
                low, high = np.minimum(low, 0), np.maximum(high, 0)
            span = np.maximum(high - low, 1e-6)
            scale = room / span if has_axes else np.full(2, (room / span).min())
            places = np.concatenate([places, np.zeros((len(places), 1, 2))], axis=1)  # and where 0 is
            near = np.append(near, True)
            spots = (places - low) * scale + margin + (room - span * scale) / 2
            spots[..., 1] = size[1] - spots[..., 1]  # up is larger
            spots[:, ~near] = spots[:, ~near].clip(margin / 2, size - margin / 2)
            places = (spots / np.maximum(size, 1) - (zoom.x, zoom.y)) / zoom.span * size
            self._zero, places = QPointF(*places[0, -1].tolist()), places[:, :-1]
        self._paths = places
        self.spots = [QPointF(x, y) for x, y in places[min(self.stage, len(places) - 1)].tolist()]
        self._ends = [QPointF(x, y) for x, y in places[-1].tolist()] if self.stage < len(places) - 1 else []

    def cell_at(self, point: QPointF) -> int | None:
        away = [abs(spot.x() - point.x()) + abs(spot.y() - point.y()) for spot in self.spots]
        nearest = int(np.argmin(away)) if away else 0
        return nearest if away and away[nearest] <= theme.px(REACH_PX) else None

    def clicked_at(self, point: QPointF) -> int | None:
        cell = self.cell_at(point)
        return cell if cell is not None and cell < self.points.choices else None

    def cell_after(self, cell: int | None, key: int) -> int | None:
        return next_of(self.points.choices, cell or 0, key, across=True)

    def selected_cell(self) -> int | None:
        return self.selected[0] if self.selected else None

    @property
    def _radius(self) -> float:
        return theme.px(2 * (DOT_PX if len(self.points.names) < MANY else SMALL_DOT_PX)) / 2

    def _paint_path(self, painter: QPainter, path: list[list[float]], point: int, is_selected: bool) -> None:
        color, is_fine = self.points.color(point), is_selected or len(self.points.names) < MANY_PATHS
        is_word = self.points.kind(point) == WORD
        if is_selected and is_word:
            color = theme.color("curve_mlm")
        faint = 30 if not is_fine or (self.points.partners and self.selected) else 70  # two of each: half as strong
        color.setAlpha(255 if is_selected else faint)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, is_fine)
        style = Qt.PenStyle.DashLine if is_word else Qt.PenStyle.SolidLine
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
        radius, kind, color = self._radius, self.points.kind(point), self.points.color(point)
        no_line = QPen(theme.color("muted"), 0.8) if self.points.shades else QPen(Qt.PenStyle.NoPen)
        painter.setPen(QPen(color, 1.4) if kind == WORD else no_line)
        painter.setBrush(Qt.BrushStyle.NoBrush if kind == WORD else color)
        if kind == WORD:
            painter.drawEllipse(spot, radius * 0.6, radius * 0.6)
        elif is_far:
            painter.drawPolygon(_pointing_out(spot, radius * 1.4, self.rect()))
        elif kind == "segment_b" or (
            len(self.points.squares) and self.points.squares[point]
        ):  # a shape says it too, not only a colour
            painter.drawRect(QRectF(spot.x() - radius + 1, spot.y() - radius + 1, 2 * radius - 2, 2 * radius - 2))
        else:
            painter.drawEllipse(spot, radius, radius)

    def _name(self, point: int) -> str:
        """Its tag where it has one and is not pointed at."""
        is_here = point == self.hovered_cell or point in self.selected
        tag = self.points.tags[point] if self.points.tags and not is_here else ""
        return tag or self.points.names[point]

    def _named_places(self, path: list[QPointF]) -> dict[int, QRectF]:
        """Where names fit, points first, then the stages of `path` and where all paths end; found anew only when
        something has moved."""
        zoom, names, count = self.zoom, [self._name(point) for point in range(len(self.spots))], len(self.spots)
        assert zoom is not None
        here = [point for point in (*self.selected, self.hovered_cell) if point is not None and point < count]
        leads = here[:1] if path or not self._names else []
        key = (self.points, self.size(), zoom.x, zoom.y, zoom.span, self.stage, theme.scale(), *leads)
        if self._names and key == self._named_for:
            return self._named
        named = range(min(len(path), len(self.points.stage_names)))
        first = [*leads, *(count + stage for stage in named if stage != self.stage)]  # there the name stands
        others = list(dict.fromkeys([*here, *(point for point, tag in enumerate(self.points.tags) if tag)]))
        if self._names:  # each name once, then what is called the same: in a long text one word would take all the room
            begins = {name: point for point, name in reversed(list(enumerate(names)))}
            others = sorted(range(count), key=lambda point: begins[names[point]] != point)[:MOST_NAMES]
        ends = range(count + len(path), count + len(path) + len(self._ends)) if self._names else ()
        order = [*first, *(point for point in others if point not in first), *ends[:MOST_NAMES]]
        all_names = [*names, *self.points.stage_names[: len(path)], *names]
        self._named_for = key
        edge = theme.px(15) if any(self._axis_names) else 0  # there the axes have their names
        room = self.rect().adjusted(0, edge, 0, -edge)
        self._named = place_names([*self.spots, *path, *self._ends], all_names, room, self._radius, order)
        return self._named

    def _paint_names(self, painter: QPainter, path: list[QPointF]) -> None:
        points, named, center = self.points, dict(self._named_places(path)), Qt.AlignmentFlag.AlignCenter
        count, metrics = len(self.spots), QFontMetrics(theme.font(NAME_PX, bold=True))
        for point in (*self.selected[:1], self.hovered_cell):
            if point is not None and point < count and point not in named:  # in the widget, in the place of others
                places = list(_around(self.spots[point], metrics, points.names[point], self._radius))
                own = next((place for place in places if QRectF(self.rect()).contains(place)), places[0])
                named = {one: box for one, box in named.items() if not box.intersects(own)} | {point: own}
        few = sum(place < count + len(path) for place in named) < MANY_PATHS
        for place, box in named.items():
            is_small, is_here = place >= count, place in self.selected or place == self.hovered_cell
            if count <= place < count + len(path):
                text, kind = points.stage_names[place - count], ""
            else:
                point = place - count - len(path) if is_small else place
                text, kind = self._name(point), "" if points.tags else points.kind(point)
            font = theme.font(10.5 if is_small else NAME_PX, bold=is_here)
            painter.setFont(font)
            if is_here or (path and few):  # what keeps it apart from the lines below it
                sized, outline = painter.fontMetrics(), QPainterPath()
                left = box.center().x() - sized.horizontalAdvance(text) / 2
                outline.addText(QPointF(left, box.center().y() + (sized.ascent() - sized.descent()) / 2), font, text)
                halo = QPen(theme.color("card"), theme.px(HALO_PX), j=Qt.PenJoinStyle.RoundJoin)
                painter.strokePath(outline, halo)
            painter.setPen(theme.color("ink" if is_here or not kind else "muted" if kind == WORD else kind))
            painter.drawText(box, center | Qt.TextFlag.TextDontClip, text)

    def paintEvent(self, event: QPaintEvent) -> None:
        spots, points, path = self.spots, self.points, list[QPointF]()
        if not points.names:
            return
        painter = theme.painter(self)
        if any(self._axis_names):
            painter.setPen(QPen(theme.color("line"), 1))
            painter.drawLine(QPointF(0, self._zero.y()), QPointF(self.width(), self._zero.y()))
            painter.drawLine(QPointF(self._zero.x(), 0), QPointF(self._zero.x(), self.height()))
            right, up = map(say, self._axis_names)
            rect = QRectF(self.rect()).adjusted(2, 0, -2, 0)
            bottom = rect.adjusted(0, rect.height() - theme.px(15), 0, 0)
            theme.draw_text(painter, bottom, right, "muted", 11, align=theme.RIGHT)
            theme.draw_text(
                painter,
                rect.adjusted(self._zero.x() + theme.px(28), 0, 0, theme.px(15) - rect.height()),
                up,
                "muted",
                11,
            )
        if points.places.ndim == 3:
            paths = self._paths.transpose(1, 0, 2).tolist()  # (T,P,2) -> (P,T,2)
            for point, one in enumerate(paths):
                self._paint_path(painter, one, point, False)
            for first in self.selected[:1]:
                path = [QPointF(x, y) for x, y in paths[first]]
                self._paint_path(painter, paths[first], first, True)
                if first in points.partners:
                    self._paint_path(painter, paths[points.partners[first]], points.partners[first], True)
        painter.setPen(QPen(theme.color("accent"), theme.stroke(1.4), Qt.PenStyle.DotLine))
        for one, other in points.links:
            painter.drawLine(spots[one], spots[other])
        for point in (*range(points.choices, len(spots)), *range(points.choices)):  # the text on top of the words
            self._paint_point(painter, spots[point], point, point in self.far)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        pointed = [] if self.hovered_cell is None or self.hovered_cell >= len(spots) else [self.hovered_cell]
        for color, ringed in (("accent", self.selected), ("mask", pointed)):
            painter.setPen(QPen(theme.color(color), theme.stroke(2)))
            for point in ringed:
                painter.drawEllipse(spots[point], self._radius + 2, self._radius + 2)
        self._paint_names(painter, path)


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


def place_names(
    spots: Sequence[QPointF], names: Sequence[str], area: QRect, radius: float, order: Sequence[int] | None = None
) -> dict[int, QRectF]:
    """A place beside, above or below each point, as far as there is one that covers nothing.

    order: which points choose first; those not in it stay without a name. Points outside of `area` have none.
    """
    inside, dot = QRectF(area), 2 * radius
    taken = [0] * (area.height() // GRID_PX + 2)  # a row of the grid each, a square a bit

    def squares(left: float, top: float, width: float, height: float) -> tuple[range, int]:
        first, last = int(max(left, 0)) // GRID_PX, int(max(left + width, 0)) // GRID_PX
        rows = range(int(max(top, 0)) // GRID_PX, min(int(max(top + height, 0)) // GRID_PX + 1, len(taken)))
        return rows, (2 << last) - (1 << first)

    def take(rows: range, bits: int) -> None:
        for row in rows:
            taken[row] |= bits

    for spot in spots:
        x, y = spot.x() - radius, spot.y() - radius
        if inside.intersects(QRectF(x, y, dot, dot)):
            take(*squares(x, y, dot, dot))
    metrics, places = QFontMetrics(theme.font(NAME_PX, bold=True)), dict[int, QRectF]()
    for i in range(len(names)) if order is None else order:
        for place in _around(spots[i], metrics, names[i], radius) if inside.contains(spots[i]) else ():
            rows, bits = squares(place.x(), place.y(), place.width(), place.height())
            if not any(taken[row] & bits for row in rows) and inside.contains(place):
                take(rows, bits)
                places[i] = place
                break
    return places


def _around(spot: QPointF, metrics: QFontMetrics, name: str, radius: float) -> Iterator[QRectF]:
    """Places for a name: right, left, above, below; then aslant."""
    width, height, gap = metrics.horizontalAdvance(name) + 2, metrics.height() - 2, GRID_PX + 1
    right, left = radius + gap, -radius - gap - width
    straight = (
        (right, -height / 2),
        (left, -height / 2),
        (-width / 2, -radius - gap - height),
        (-width / 2, radius + gap),
    )
    aslant = ((x, y) for x in (right, left) for y in (gap, -gap - height))
    return (QRectF(spot.x() + x, spot.y() + y, width, height) for x, y in chain(straight, aslant))
