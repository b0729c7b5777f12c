"""What of the map does not change under the pointer: words, embeddings, layers, the verdict, captions, the key."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QLinearGradient, QPainter, QPainterPath, QPen

from ...look import numbers, say, theme
from ...look.fitting import whole_parts
from ...state.token_units import TokenView
from ...widgets.charts.drawing import Box, Line, Path, Shape, Words
from ...widgets.charts.raster import Heat, Raster, color_limit, paint_scale
from .content import Content, embedding
from .plan import HEADINGS, Layer, MapPart, Plan

FADED = 0.2  # opacity of heads that are off
LINE_ALPHA = 110  # of 255: the lines that are not followed
WIDER = 3.4  # by how much a line is wider that is as far from the baseline's as any
SLANTED = 62  # height of the slanted names of embeddings
BAR, LINE = 72, 17  # of the key: width of a scale, height of a line
CENTER = Qt.AlignmentFlag.AlignCenter
TOP = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
WRAPPED = TOP | Qt.TextFlag.TextWordWrap
COLORS = {"token": "segment_a", "segment": "segment_b", "position": "good_text", "sum": "ink"}  # of names


@dataclass(frozen=True)
class Slanted:
    """Words that begin at a point and rise to the right."""

    start: QPointF
    words: Words

    def paint(self, painter: QPainter) -> None:
        painter.save()
        painter.translate(self.start)
        painter.rotate(-45)
        self.words.paint(painter)
        painter.restore()


@dataclass(frozen=True)
class Scale:
    """A scale of colours."""

    rect: QRectF
    colors: Literal["distance", "signed", "sequential"]

    def paint(self, painter: QPainter) -> None:
        if self.colors != "distance":
            paint_scale(painter, self.rect, signed=self.colors == "signed")
            return
        gradient = QLinearGradient(self.rect.topLeft(), self.rect.topRight())
        gradient.setStops([(place / 16, distance_color(place / 16)) for place in range(17)])
        painter.setPen(QPen(theme.color("line"), 1))
        painter.setBrush(QBrush(gradient))
        painter.drawRect(self.rect)


def line_between(left: float, right: float, y: float) -> QPainterPath:
    path = QPainterPath(QPointF(left, y))
    path.lineTo(right, y)
    return path


def curve_between(start: QPointF, end: QPointF) -> QPainterPath:
    """From a line to what is read from it."""
    path, middle = QPainterPath(start), (start.x() + end.x()) / 2
    path.cubicTo(QPointF(middle, start.y()), QPointF(middle, end.y()), end)
    return path


def fitting(box: QRectF, text: str, size_px: float) -> tuple[str, QRectF]:
    """As many whole sentences of a text as fit into a box, in lines, and what they take."""
    metrics, free = QFontMetricsF(theme.font(size_px)), QRectF(box.left(), box.top(), box.width(), 9999)
    words = whole_parts(text, lambda part: metrics.boundingRect(free, WRAPPED, part).height() <= box.height())
    return words, metrics.boundingRect(box, WRAPPED, words)


def paragraph(box: QRectF, text: str, size_px: float = 11) -> Words:
    """As much of a text as fits."""
    return Words(box, fitting(box, text, size_px)[0], "muted", size_px, align=TOP, wraps=True)


def base_shapes(plan: Plan, content: Content) -> Iterator[Shape]:
    """The picture without what is followed, selected or pointed at."""
    kinds = content.reading.units(TokenView()).kinds  # (S) names of colours
    if not plan.sizes.is_bare:
        yield from _title(plan, content)
    yield from _words(plan, content, kinds)
    yield from _embeddings(plan, content)
    yield from _lines(plan, content, kinds)
    for layer in plan.layers:
        yield from _layer(plan, content, layer)
    for first, last in plan.numbered:  # above each stack of folded layers
        place = plan.parts[MapPart("layer", first.number)] | plan.parts[MapPart("layer", last.number)]
        text = str(first.number + 1) if first is last else f"{first.number + 1}–{last.number + 1}"
        wide = place.adjusted(-plan.px(20), 0, plan.px(20), 0)
        yield Words(wide, text, "muted", 10, align=CENTER)
    yield from _feed_forward(plan, content)
    if not plan.sizes.is_bare:
        yield from _verdict(plan, content)
    yield from _captions(plan, content)


def _title(plan: Plan, content: Content) -> Iterator[Shape]:
    px, has_sections, bottom = plan.px, plan.has_sections, plan.top - plan.px(HEADINGS + 24)
    box = QRectF(plan.words.left(), px(10), plan.layer_zone.left() - plan.words.left() - px(12), px(28))
    yield Words(box, content.title.title, "ink", 19 if has_sections else 14, bold=True)
    text = QRectF(box.left(), box.bottom() + px(2), box.width(), bottom - box.bottom())
    size, taken, entries = 13 if has_sections else 11, box, key_of(plan, content)
    text.setHeight(max(text.height() - len(entries) * key_line_px(plan), 0))
    words, needs = fitting(text, content.title.text, size)
    if has_sections or words == content.title.text:
        yield Words(text, words, "muted", size, align=TOP, wraps=True)
        taken = box.united(needs)
    free = QRectF(text.left(), taken.bottom() + px(2), text.width(), bottom - taken.bottom())
    shapes, key = key_shapes(plan, entries, free)
    yield from shapes
    beside = plan.top - px(HEADINGS + SLANTED - 15) if plan.is_tight else plan.heads_top + plan.heads_height
    label = QRectF(plan.layer_zone.left() - px(150), beside - px(15), px(146), px(15))
    if not label.intersects(taken) and not label.intersects(key):
        yield Words(label, say("attention heads"), "muted", 11, align=theme.RIGHT)
    if plan.layers[0].is_open or not plan.is_folded:
        label = QRectF(plan.embeddings["sum"].left() - px(60), plan.feed_forward_top, 0, px(30))
        label.setRight(plan.layer_zone.left() - px(4))
        yield Words(label, say("feed-forward"), "muted", 11, align=theme.RIGHT)


def _words(plan: Plan, content: Content, kinds: Sequence[str]) -> Iterator[Shape]:
    px, tokens, height = plan.px, content.reading.shown_tokens, plan.row_height
    words = {position: (found, word) for found, word in content.words.items() for position in found}
    heading = QRectF(plan.words.left(), plan.top - px(HEADINGS), plan.words.width(), px(HEADINGS - 3))
    if plan.has_words:
        yield Words(heading, say("Words"), "ink", 11, align=theme.RIGHT, bold=True)
    heading = QRectF(plan.tokens.left(), heading.top(), plan.tokens.width(), heading.height())
    yield Words(heading, say("Tokens"), "ink", 11, align=CENTER, bold=True)
    size = min(height / plan.sizes.scale * 0.7, 13.5)
    for number, row in enumerate(plan.rows):
        y = plan.row_y(number)
        box = QRectF(plan.tokens.left(), y - height / 2, plan.tokens.width(), height)
        if isinstance(row, range):
            more = f"⋮ {len(row)}" if plan.is_tight else say("⋮ %n more", n=len(row))
            yield Words(box, more, "muted", min(size, 11), align=CENTER)
            continue
        kind = kinds[row]
        yield Box(box.adjusted(0, 1, 0, -1), f"{kind}_tint", radius_px=px(4))
        yield Words(box.adjusted(2, 1, -2, -1), tokens[row], kind, size, align=CENTER, bold=kind == "mask")
        if row not in words or not plan.has_words:
            continue
        positions, word = words[row]
        own = [plan.row_y(plan.row_of[position]) for position in positions if position in plan.row_of]
        middle = (own[0] + own[-1]) / 2
        if y == own[0]:
            box = QRectF(plan.words.left(), middle - height / 2, plan.words.width(), height)
            yield Words(box, word, kind if kind == "mask" else "ink", size, align=theme.RIGHT)
        here, there = QPointF(plan.words.right() + px(3), middle), QPointF(plan.tokens.left() - px(2), y)
        yield Line(here, there, theme.color(kind, LINE_ALPHA), 1, snaps=False)


def _embeddings(plan: Plan, content: Content) -> Iterator[Shape]:
    """The first few numbers of each; one scale for those that are added, with their sum."""
    px, count, dropped = plan.px, plan.columns_per_strip, content.reading.request.what_if.dropped
    limit, strips = embedding_limit(plan, content), list(plan.embeddings.values())
    of_rows = [i for i, row in enumerate(plan.rows) if isinstance(row, int)]
    names = {"token": say("token"), "segment": say("segment"), "position": say("position"), "sum": say("sum")}
    whole = width = 0
    for name, strip in plan.embeddings.items():
        values = embedding(content.reading, name)
        assert values is not None
        shown, whole = values[plan.positions, :count], values.shape[1]
        width = shown.shape[1]
        picture = np.zeros((len(plan.rows), width), dtype=np.float32)
        if name not in dropped:
            picture[of_rows] = shown
        yield Heat(strip, Raster(picture, -limit, limit, signed=True))
        yield Box(strip, line="line")
        if plan.is_tight:
            words = Words(QRectF(0, -px(8), plan.name_width + px(16), px(16)), names[name], COLORS[name], 11, bold=True)
            yield Slanted(QPointF(strip.center().x(), plan.top - px(4)), words)
            continue
        heading = QRectF(0, plan.top - px(HEADINGS), plan.name_width, px(HEADINGS - 3))
        heading.moveLeft(strip.center().x() - plan.name_width / 2)
        needed = QFontMetricsF(theme.font(11, bold=True)).horizontalAdvance(names[name])
        yield Words(heading, names[name], COLORS[name], 11 * min(1, heading.width() / needed), align=CENTER, bold=True)
    for number, (strip, after) in enumerate(pairwise(strips)):
        box = QRectF(strip.right(), strip.center().y() - px(10), after.left() - strip.right(), px(20))
        yield Words(box, "=" if number == len(strips) - 2 else "+", "muted", 13, align=CENTER)
    if plan.sizes.is_bare:
        return
    text = say("the first {count} of {width} numbers", count=width, width=numbers.count(whole))
    wider, left, right = px(20 if plan.is_tight else 0), strips[0].left() - px(30), strips[-1].right() + px(8)
    below = QRectF(left - wider, plan.bottom + px(3), right - left + 2 * wider, px(16))
    yield Words(below, text, "muted", 11, align=CENTER)


def _lines(plan: Plan, content: Content, kinds: Sequence[str]) -> Iterator[Shape]:
    """Of each token; beside a baseline the stronger and thicker, layer by layer, the farther it is from there, and
    dashed where the baseline has no such token."""
    px, first, start = plan.px, next(iter(plan.embeddings.values())).left() - 2, plan.embeddings["sum"].right()
    end, distances = plan.layer_zone.right(), content.distances
    for position, number in plan.row_of.items():
        y, color = plan.row_y(number), theme.color(kinds[position], LINE_ALPHA)
        if distances is None:
            gradient = QLinearGradient(end - px(10), 0, end + px(14), 0)
            gradient.setColorAt(0, color)
            gradient.setColorAt(1, QColor(color.red(), color.green(), color.blue(), 0))
            yield Path(line_between(start, end + px(14), y), QPen(QBrush(gradient), 1.2))
        else:
            places = [start, *(plan.stage_x(stage) for stage in range(plan.sizes.layers + 1))]
            for stage, (left, right) in enumerate(pairwise(places)):
                share = distances.share(position, stage)
                faint = theme.color("line" if share is None else "faint", 150)
                yield Line(QPointF(left, y), QPointF(right, y), faint, 1.2, dashed=share is None, snaps=False)
                if share is not None:
                    look = px(1.2 + WIDER * share), Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap
                    yield Path(line_between(left, right, y), QPen(distance_color(share), *look))
        yield Line(QPointF(plan.tokens.right() + 2, y), QPointF(first, y), color, 1.2, snaps=False)


def _layer(plan: Plan, content: Content, layer: Layer) -> Iterator[Shape]:
    px, number, what_if = plan.px, layer.number, content.reading.request.what_if
    if layer.is_open:
        text = say("Layer {layer}", layer=number + 1)
        yield Words(plan.parts[MapPart("layer", number)], text, "ink", 11, align=CENTER, bold=True)
    cells = [plan.parts[MapPart("head", number, head)] for head in range(plan.sizes.heads)]
    for head, cell in enumerate(cells):
        is_off = (number, head) in what_if.heads_off or number in what_if.layers_off
        yield content.sheet.shape(cell, number, head, FADED if is_off else 1)
    bar, tint = QRectF(0, plan.top, px(5), plan.bottom - plan.top), theme.color("accent_tint", 150)
    if not layer.is_open:
        bar.setWidth(max(layer.width * 0.3, 1.5))
        bar.moveCenter(QPointF(layer.x(0.5), bar.center().y()))
        yield Box(bar, tint, "line", radius_px=2)
        return
    yield from (Box(cell, line="line") for cell in cells)
    into, out = layer.sums_x
    for x in (into, out):
        yield Box(bar.translated(x - px(2.5), 0), tint, "line", radius_px=2)
    up, down, muted = layer.x(0.14), layer.x(0.48), QPen(theme.color("muted"), 1.2)
    top, bottom = layer.heads.bottom() + px(3), plan.feed_forward_top - px(2)
    for x, start, end, back in ((up, plan.top, top, px(4.8)), (down, plan.bottom, bottom, -px(4.8))):
        tip, arrow = QPointF(x, end), QPainterPath(QPointF(x, start))
        arrow.lineTo(tip)
        arrow.addPolygon([tip, tip + QPointF(-px(3), back), tip + QPointF(px(3), back), tip])
        yield Path(arrow, muted, theme.color("muted"))
    for x, start, end in ((into, top - px(1), plan.top), (out, plan.bottom, plan.feed_forward_top)):
        yield Line(QPointF(x, start), QPointF(x, end), "muted", 1.2, snaps=False)
    for kind in ("attention_sum", "feed_forward_sum"):
        center, plus = plan.parts[MapPart(kind, number)].center(), QPainterPath()
        plus.addEllipse(center, px(6.5), px(6.5))
        for half in (QPointF(px(3.25), 0), QPointF(0, px(3.25))):
            plus.moveTo(center - half)
            plus.lineTo(center + half)
        yield Path(plus, muted, theme.color("card"))


def _feed_forward(plan: Plan, content: Content) -> Iterator[Shape]:
    """One scale for all layers, from 0 to the highest activation but a few."""
    activity = content.activity if content.activity_rows == plan.positions else None
    limit = 1.0 if activity is None else float(np.quantile(activity.activations, 0.998)) or 1.0
    for layer in plan.layers:
        if activity is not None:
            yield Heat(layer.feed_forward, Raster(activity.activations[layer.number], 0, limit))
        yield Box(layer.feed_forward, line="line")


def _verdict(plan: Plan, content: Content) -> Iterator[Shape]:
    px, box, verdict, text = plan.px, plan.verdict_box, content.verdict, content.pair.text
    if not content.pair.title:
        return
    start, end = QPointF(plan.layer_zone.right(), plan.row_y(0)), QPointF(box.left() - px(6), box.top() + px(9))
    yield Path(curve_between(start, end), QPen(theme.color("special"), 1.4))
    heading = QRectF(box.left(), box.top(), box.width(), px(18))
    yield Words(heading, content.pair.title, "ink", 12, bold=True)
    if verdict is None:
        yield paragraph(box.adjusted(0, heading.height(), 0, 0), text)
        return
    color = {"verdict": "good_text", "verdict-no": "bad_text"}.get(verdict.role, "muted")
    line = QRectF(box.left(), heading.bottom() + px(1), box.width(), px(25))
    yield Words(line, verdict.answer, color, 19, bold=True)
    width = QFontMetricsF(theme.font(19, bold=True)).horizontalAdvance(verdict.answer) + px(8)
    bar = QRectF(line.left() + width, line.center().y() - px(4), line.width() - width, px(8))
    if bar.width() > px(20):
        yield Box(bar, "track", radius_px=px(4))
        known = QRectF(bar.left(), bar.top(), max(bar.width() * verdict.share, px(4)), bar.height())
        yield Box(known, {"good_text": "good", "bad_text": "bad"}.get(color, "bar_strong"), radius_px=px(4))
    note = QRectF(box.left(), line.bottom(), box.width(), px(16))
    fits = QFontMetricsF(theme.font(11)).horizontalAdvance(text) <= note.width()
    yield Words(note, text if fits else verdict.number, "muted", 11)


def _captions(plan: Plan, content: Content) -> Iterator[Shape]:
    px = plan.px
    for name, caption in content.captions.items() if plan.has_sections else ():
        box = plan.parts[MapPart("section", name=name)]
        yield Line(box.topLeft(), box.topRight(), "line", 1.5, snaps=False)
        line, link = QRectF(box.left(), box.top() + px(6), box.width(), px(18)), f"{caption.link} ›"
        yield Words(line, link, "accent", 12, align=theme.RIGHT, medium=True)
        used = QFontMetricsF(theme.font(12, medium=True)).horizontalAdvance(link) + px(6)
        yield Words(line.adjusted(0, 0, -used, 0), caption.title, "ink", 12, bold=True)
        yield paragraph(box.adjusted(0, px(25), 0, 0), caption.text, 11.5)


# The key: what colours mean.


@dataclass(frozen=True)
class KeyEntry:
    """What a scale of colours stands for, and its two ends."""

    name: str
    low: str
    high: str
    colors: Literal["distance", "signed", "sequential"]


def key_of(plan: Plan, content: Content) -> list[KeyEntry]:
    """Of a comparison always; of the rest where there is no room for captions that say it."""
    entries = []
    if content.distances is not None:
        far = numbers.decimal(content.distances.limit)
        entries.append(KeyEntry(say("distance (1 − cosine)"), "0", far, "distance"))
    if not plan.has_sections:
        limit = embedding_limit(plan, content)
        entries.append(KeyEntry(say("embeddings"), numbers.signed(-limit), numbers.signed(limit), "signed"))
        entries.append(KeyEntry(say("attention, neurons"), "0", say("high"), "sequential"))
    return entries


def key_line_px(plan: Plan) -> float:
    """The height of a line of the key."""
    return max(plan.px(LINE), theme.type_px(11) * 1.25)


def key_shapes(plan: Plan, entries: Sequence[KeyEntry], free: QRectF) -> tuple[list[Shape], QRectF]:
    """As many lines as fit, and what they take."""
    px, height, shapes = plan.px, key_line_px(plan), list[Shape]()
    width = QFontMetricsF(theme.font(11)).horizontalAdvance
    fitting_entries = entries[: max(int(free.height() / height), 0)]
    names = max((width(one.name) for one in fitting_entries), default=0) + px(10)
    lows = max((width(one.low) for one in fitting_entries), default=0) + px(4)
    highs = max((width(one.high) for one in fitting_entries), default=0)
    room = free.width() - names - highs - px(17)
    lows = lows if room - lows > px(BAR / 2) else 0.0  # beside a lesson: 0, or the other end below 0
    bar_px = min(px(BAR), max(room - lows, px(BAR / 4)))
    for number, one in enumerate(fitting_entries):
        line = QRectF(free.left(), free.top() + number * height, free.width(), height)
        low = QRectF(line.left() + names, line.top(), lows, height)
        bar = QRectF(low.right() + px(5), line.center().y() - px(4), bar_px, px(8))
        high = QRectF(bar.right() + px(6), line.top(), max(line.right() - bar.right() - px(6), 0), height)
        shapes += [
            Words(line, one.name, "muted", 11),
            Words(low, one.low if lows else "", "muted", 11, align=theme.RIGHT),
        ]
        shapes += [Scale(bar, one.colors), Words(high, one.high, "muted", 11)]
    needs = min(names + lows + px(11) + bar_px + highs, free.width())
    return shapes, QRectF(free.left(), free.top(), needs, len(fitting_entries) * height)


def embedding_limit(plan: Plan, content: Content) -> float:
    """The value of the strongest colour of the embeddings."""
    values = (embedding(content.reading, name) for name in plan.embeddings)
    return color_limit([value[plan.positions, : plan.columns_per_strip] for value in values if value is not None])


def distance_color(share: float) -> QColor:
    """Of a line at a place 0..1 on the scale: from unseen to red."""
    red = theme.diverging_color(share)
    red.setAlphaF(min(share * 3, 1.0))
    return red
