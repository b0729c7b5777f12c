"""Arrows between parts of the map: along the line of a token from sender to receiver, or below from one feed-forward
network to a later one. Places only, no painting but the shapes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainterPath, QPainterPathStroker, QPen, QTransform

from ...look import numbers, theme
from ...widgets.charts.drawing import Box, Path, Shape, Words
from .base_picture import CENTER
from .plan import MapPart, Plan

if TYPE_CHECKING:
    from bertcore.analysis.circuit import Link, Part

WIDEST, FAINT = 8.0, 105  # pixels for all of the difference; alpha of what goes along a line
LEAST_WRITTEN, LEAST_TOLD = 0.005, 0.1  # shares: of a number, and of a part that is spoken of
LABEL_PX, TRIES = 10.5, (0.5, 0.3, 0.7, 0.15, 0.85)  # type; places of a number along its arrow


@dataclass(frozen=True)
class LitParts:
    """What is drawn above the faint map."""

    parts: Sequence[Part] = ()  # (P) all, in the engine's order
    lost: Sequence[float] = ()  # (P)
    chosen: frozenset[int] = frozenset()  # numbers of those that are lit
    links: Sequence[Link] = ()  # those that are drawn, the largest first
    places: Mapping[int, int] = field(default_factory=dict)  # of parts, by number: their token
    target: int = 0  # the token asked about
    answer: str = ""  # what stands at its end


@dataclass(frozen=True)
class Arrow:
    link: int  # its number among those that are drawn
    along: QPainterPath  # what may share its way with others
    into: QPainterPath  # the end, which does not
    width: float
    color: QColor
    text: str
    label: QRectF

    def is_under(self, point: QPointF) -> bool:
        stroker = QPainterPathStroker()
        stroker.setWidth(self.width + theme.px(5))
        strokes = (stroker.createStroke(path) for path in (self.into, self.along))
        return (bool(self.text) and self.label.contains(point)) or any(stroke.contains(point) for stroke in strokes)

    def shapes(self, *, is_strong: bool = False) -> Iterator[Shape]:
        for path, alpha in ((self.along, 255 if is_strong else FAINT), (self.into, 255)):
            color = QColor(self.color)
            color.setAlpha(alpha)
            join = Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.RoundJoin
            yield Path(path, QPen(color, self.width + (theme.px(1.5) if is_strong else 0), *join))
        turned, size = QTransform(), self.width * 0.65
        turned.translate(self.into.currentPosition().x(), self.into.currentPosition().y())
        turned.rotate(-self.into.angleAtPercent(1))
        back, half, head = -theme.px(5) - size, theme.px(2.5) + size, QPainterPath()
        head.addPolygon([QPointF(0, 0), QPointF(back, half), QPointF(back, -half), QPointF(0, 0)])
        yield Path(turned.map(head), QPen(self.color, 0.5), self.color)

    def label_shapes(self) -> Iterator[Shape]:
        if self.text:
            yield Box(self.label, "card", radius_px=3)
        yield Words(self.label, self.text, self.color, LABEL_PX, align=CENTER, medium=True)


def share_text(share: float) -> str:
    """ ".85"; empty where it rounds to nothing."""
    text = numbers.decimal(share, 2 if abs(share) < 0.995 else 1)
    return "" if abs(share) < LEAST_WRITTEN else text.replace("0.", ".", 1)


def number_of(plan: Plan, part: MapPart) -> int | None:
    """The engine's number of a part of the map; words and embeddings are one."""
    heads, layers = plan.sizes.heads, plan.sizes.layers
    match part.kind:
        case "head":
            return 1 + part.layer * heads + part.head
        case "feed_forward":
            return 1 + layers * heads + part.layer
        case "embedding" | "token" | "word":
            return 0
    return None


def is_written(plan: Plan, share: float) -> bool:
    """Whether there is room for the number; in large type for those alone that are spoken of."""
    return abs(share) >= LEAST_TOLD or not plan.has_large_type


def rect_of(plan: Plan, lit: LitParts, part: Part) -> QRectF:
    """Where a part is drawn; of the words, the row of the token where they matter most."""
    if part.kind == "head":
        return plan.parts[MapPart("head", part.layer, part.head)]
    if part.kind == "feed-forward":
        return plan.layers[part.layer].feed_forward
    strip, height = plan.embeddings["sum"], plan.row_height
    y = plan.line_y(lit.places.get(0, lit.target))
    return QRectF(strip.left(), y - height / 2, strip.width(), height)


def arrows_of(plan: Plan, lit: LitParts) -> list[Arrow]:
    """The largest first; where there is no room for another number, it is said under the mouse alone."""
    width = QFontMetricsF(theme.font(LABEL_PX, medium=True)).horizontalAdvance
    ends: Counter[Part] = Counter()
    taken, found = list[QRectF](), list[Arrow]()
    for number, link in enumerate(lit.links):
        place = lit.places.get(lit.parts.index(link.sender), lit.target)
        place = lit.target if link.receiver.kind == "answer" else place
        along, into = _way(plan, lit, link, plan.line_y(place), ends[link.receiver])
        ends[link.receiver] += 1
        text, box, boxes = share_text(link.lost), QRectF(0, 0, 0, plan.px(13)), list[QRectF]()
        text = text if is_written(plan, link.lost) else ""
        box.setWidth(width(text) + plan.px(4))
        for share in TRIES:
            box.moveCenter((along if link.receiver.kind == "answer" and along.length() else into).pointAtPercent(share))
            boxes.append(QRectF(box))
        free = [one for one in boxes if text and not any(one.intersects(other) for other in taken)]
        text, label = (text, free[0]) if free else ("", boxes[0])
        taken += free[:1]
        thick = max(plan.px(WIDEST * abs(link.lost)), plan.px(1.2))
        found.append(Arrow(number, along, into, thick, theme.signed_color(link.lost), text, label))
    return found


def _way(plan: Plan, lit: LitParts, link: Link, y: float, lane: int) -> tuple[QPainterPath, QPainterPath]:
    """Along the line of a token, and from there into the receiver. lane: how many arrows end there already."""
    start, x = rect_of(plan, lit, link.sender), 0.0
    if link.sender.kind == link.receiver.kind == "feed-forward":
        return QPainterPath(), _below(plan, start, rect_of(plan, lit, link.receiver), link)
    if link.sender.kind == "words":
        points = [QPointF(start.right(), y)]
    elif link.sender.kind == "head":
        x = start.center().x() + min(plan.px(4), start.width() * 0.2)
        points = [QPointF(x, start.bottom()), QPointF(x, y)]
    else:
        x = plan.layers[link.sender.layer].x(0.74)
        points = [QPointF(x, start.top()), QPointF(x, y)]
    if link.receiver.kind == "answer":
        return _line(points), _line([points[-1], QPointF(plan.layer_zone.right() + plan.px(10), y)])
    there, is_head = rect_of(plan, lit, link.receiver), link.receiver.kind == "head"
    x = plan.layers[link.receiver.layer].x(0.42)
    if is_head:
        x = there.center().x() - min(plan.px(4), there.width() * 0.2)
    x = min(x + lane * plan.px(7), there.right() - 2)
    end = QPointF(x, there.bottom() if is_head else there.top())
    return _line([*points, QPointF(x, y)]), _line([QPointF(x, y), end])


def _line(points: Sequence[QPointF]) -> QPainterPath:
    path = QPainterPath(points[0])
    for point in points[1:]:
        path.lineTo(point)
    return path


def _below(plan: Plan, start: QRectF, there: QRectF, link: Link) -> QPainterPath:
    """An arc, the deeper the farther it goes."""
    share = (link.receiver.layer - link.sender.layer) / max(plan.sizes.layers - 1, 1)
    free = (plan.sizes.height - start.bottom() - plan.px(8)) / 0.75  # an arc goes down three quarters of its handles
    down = QPointF(0, (0.35 + 0.65 * share) * min(plan.px(35), free))
    begin = QPointF(start.left() + start.width() * 0.62, start.bottom())
    tip = QPointF(there.left() + there.width() * 0.38, there.bottom())
    path = QPainterPath(begin)
    path.cubicTo(begin + down, tip + down, tip)
    return path
