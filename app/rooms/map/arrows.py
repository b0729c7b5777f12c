"""Arrows between parts of the map: along the line of a token from sender to receiver, or below from one feed-forward
network to a later one. Places only, no painting but the shapes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainterPath, QPainterPathStroker, QPen

from ...look import numbers, theme
from ...widgets.charts.drawing import Box, Shape, Words
from .base_picture import CENTER, Path
from .plan import MapPart, Plan

if TYPE_CHECKING:
    from bertcore.analysis.circuit import Link, Part

WIDEST, FAINT = 8.0, 105  # pixels for all of the difference; alpha of what goes along a line
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
    tip: QPointF
    direction: QPointF  # of length 1
    width: float
    color: QColor
    text: str
    label: QRectF

    def is_under(self, point: QPointF) -> bool:
        stroker = QPainterPathStroker()
        stroker.setWidth(self.width + theme.px(5))
        return self.label.contains(point) or any(
            stroker.createStroke(path).contains(point) for path in (self.into, self.along)
        )

    def shapes(self, *, is_strong: bool = False) -> Iterator[Shape]:
        for path, alpha in ((self.along, 255 if is_strong else FAINT), (self.into, 255)):
            color = QColor(self.color)
            color.setAlpha(alpha)
            join = Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.RoundJoin
            yield Path(path, QPen(color, self.width + (theme.px(1.5) if is_strong else 0), *join))
        back, half = theme.px(5) + self.width * 0.7, theme.px(2.5) + self.width * 0.6
        across = QPointF(-self.direction.y(), self.direction.x()) * half
        start, head = self.tip - self.direction * back, QPainterPath(self.tip)
        head.addPolygon([self.tip, start + across, start - across, self.tip])
        yield Path(head, QPen(self.color, 0.5), self.color)

    def label_shapes(self) -> Iterator[Shape]:
        yield Box(self.label, "card", radius_px=3)
        yield Words(self.label, self.text, self.color, LABEL_PX, align=CENTER, medium=True)


def share_text(share: float) -> str:
    """ ".85" """
    return numbers.decimal(share, 2).replace("0", "", 1) if abs(share) < 0.995 else numbers.decimal(share, 1)


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
    """The largest first; numbers keep clear of each other where there is room."""
    width = QFontMetricsF(theme.font(LABEL_PX, medium=True)).horizontalAdvance
    into: Counter[Part] = Counter()
    taken, found = list[QRectF](), list[Arrow]()
    for number, link in enumerate(lit.links):
        place = lit.target if link.receiver.kind == "answer" else lit.places.get(_number(lit, link.sender), lit.target)
        along, last, tip, direction = _way(plan, lit, link, plan.line_y(place), into[link.receiver])
        into[link.receiver] += link.sender.kind != "feed-forward" or link.receiver.kind != "feed-forward"
        text, box = share_text(link.lost), QRectF(0, 0, width(share_text(link.lost)) + plan.px(4), plan.px(13))
        boxes = []
        for share in TRIES:
            box.moveCenter(last.pointAtPercent(share))
            boxes.append(QRectF(box))
        label = next((one for one in boxes if not any(one.intersects(other) for other in taken)), boxes[0])
        taken.append(label)
        thick = max(plan.px(WIDEST * abs(link.lost)), plan.px(1.2))
        found.append(Arrow(number, along, last, tip, direction, thick, theme.signed_color(link.lost), text, label))
    return found


def _number(lit: LitParts, part: Part) -> int:
    return lit.parts.index(part)


def _way(
    plan: Plan, lit: LitParts, link: Link, y: float, lane: int
) -> tuple[QPainterPath, QPainterPath, QPointF, QPointF]:
    """What is shared, the end, its tip and where that points. lane: how many arrows end there already."""
    px, sender, receiver = plan.px, link.sender, link.receiver
    start = rect_of(plan, lit, sender)
    if sender.kind == receiver.kind == "feed-forward":
        return _below(plan, start, rect_of(plan, lit, receiver), receiver.layer - sender.layer)
    along = QPainterPath()
    x = start.right()
    if sender.kind == "head":
        x = start.center().x() + min(px(4), start.width() * 0.2)
        along.moveTo(x, start.bottom())
        along.lineTo(x, y)
    elif sender.kind == "feed-forward":
        x = plan.layers[sender.layer].x(0.74)
        along.moveTo(x, start.top())
        along.lineTo(x, y)
    last = QPainterPath()
    if receiver.kind == "answer":
        tip = QPointF(plan.layer_zone.right() + px(10), y)
        if sender.kind == "words":
            along.moveTo(x, y)
            last.moveTo(x, y)
            last.lineTo(tip)
            return along, last, tip, QPointF(1, 0)
        end = QPainterPath(QPointF(x, y))
        end.lineTo(tip)
        return end, along, tip, QPointF(1, 0)  # its own end is where it comes from
    there = rect_of(plan, lit, receiver)
    is_head = receiver.kind == "head"
    offset = -min(px(4), there.width() * 0.2) if is_head else 0.0
    read = there.center().x() + offset if is_head else plan.layers[receiver.layer].x(0.42)
    read = min(read + lane * px(7), there.right() - 2)
    if along.isEmpty():
        along.moveTo(x, y)
    along.lineTo(read, y)
    tip = QPointF(read, there.bottom() if is_head else there.top())
    last.moveTo(read, y)
    last.lineTo(tip)
    return along, last, tip, QPointF(0, -1 if is_head else 1)


def _below(
    plan: Plan, start: QRectF, there: QRectF, layers: int
) -> tuple[QPainterPath, QPainterPath, QPointF, QPointF]:
    """An arc, the deeper the farther it goes."""
    deep = plan.px(9) + plan.px(18) * min(layers / max(plan.sizes.layers - 1, 1), 1.0)
    begin = QPointF(start.left() + start.width() * 0.62, start.bottom())
    tip = QPointF(there.left() + there.width() * 0.38, there.bottom())
    path, down = QPainterPath(begin), QPointF(0, deep * 1.3)
    path.cubicTo(begin + down, tip + down, tip)
    return QPainterPath(), path, tip, QPointF(0, -1)
