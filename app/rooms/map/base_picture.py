"""What of the map does not change under the pointer: words, embeddings, layers, the verdict, the captions."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QLinearGradient, QPainter, QPainterPath, QPen, QPolygonF

from ...look import numbers, theme
from ...look.say import say
from ...state.token_units import TokenView
from ...widgets.charts.raster import Raster
from .compared import ComparedLines
from .content import Content, embedding
from .key import distance_color, embedding_limit, key_line_px, key_of, paint_key
from .plan import HEADINGS, Gap, Layer, MapPart, Plan

FADED = 0.2  # opacity of heads that are off
LINE_ALPHA = 110  # of 255: the lines that are not followed
WIDER = 3.4  # by how much a line is wider that is as far from the baseline's as any
SLANTED = 62  # height of the slanted names of embeddings
CENTER = Qt.AlignmentFlag.AlignCenter
WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap


def draw_arrow(painter: QPainter, start: QPointF, end: QPointF, side: float) -> None:
    """Upright, its head at `end`."""
    painter.drawLine(QLineF(start, end))
    back = side * 1.6 if end.y() < start.y() else -side * 1.6
    head = [end, QPointF(end.x() - side, end.y() + back), QPointF(end.x() + side, end.y() + back)]
    painter.save()
    painter.setBrush(painter.pen().color())
    painter.drawPolygon(QPolygonF(head))
    painter.restore()


def curve_between(start: QPointF, end: QPointF) -> QPainterPath:
    """From a line to what is read from it."""
    path, middle = QPainterPath(start), (start.x() + end.x()) / 2
    path.cubicTo(QPointF(middle, start.y()), QPointF(middle, end.y()), end)
    return path


def draw_wrapped(painter: QPainter, box: QRectF, text: str) -> QRectF:
    """As many whole sentences of a text as fit into a box, in lines; of the first as many words as fit.

    Returns what they take.
    """
    sentences, free = text.split(". "), QRectF(box.left(), box.top(), box.width(), 9999)
    while len(sentences) > 1 and painter.boundingRect(free, WRAPPED, ". ".join(sentences)).height() > box.height():
        sentences = [*sentences[:-2], f"{sentences[-2].removesuffix('.')}."]
    words = ". ".join(sentences).split()
    while words and painter.boundingRect(free, WRAPPED, " ".join(words)).height() > box.height():
        words = [*words[: -2 if words[-1] == "…" else -1], "…"] if words != ["…"] else []
    painter.drawText(box, WRAPPED, " ".join(words))
    return painter.boundingRect(box, WRAPPED, " ".join(words))


def paint_base(painter: QPainter, plan: Plan, content: Content) -> None:
    """The picture without what is followed, selected or pointed at."""
    _Base(painter, plan, content).paint()


class _Base:
    def __init__(self, painter: QPainter, plan: Plan, content: Content) -> None:
        self._painter, self._plan, self._content = painter, plan, content
        self._kinds = content.reading.units(TokenView()).kinds  # (S) names of colours

    def paint(self) -> None:
        self._paint_title()
        self._paint_words()
        self._paint_embeddings()
        self._paint_lines()
        for layer in self._plan.layers:
            self._paint_layer(layer)
        self._paint_folded_numbers()
        self._paint_feed_forward()
        self._paint_verdict()
        self._paint_captions()

    def _paint_title(self) -> None:
        painter, plan, content = self._painter, self._plan, self._content
        px = plan.px
        box = QRectF(plan.words.left(), px(10), plan.layer_zone.left() - plan.words.left() - px(12), px(28))
        theme.draw_text(painter, box, content.title.title, "ink", 19 if plan.sizes.has_sections else 14, bold=True)
        text = QRectF(box.left(), box.bottom() + px(2), box.width(), plan.top - px(HEADINGS + 24) - box.bottom())
        painter.setFont(theme.font(13 if plan.sizes.has_sections else 11))
        painter.setPen(theme.color("muted"))
        needs, taken = painter.boundingRect(text, WRAPPED, content.title.text), box
        entries = key_of(plan, content)
        text.setHeight(max(text.height() - len(entries) * key_line_px(plan), 0))
        if needs.height() <= text.height():
            painter.drawText(text, WRAPPED, content.title.text)
            taken = box.united(needs)
        elif plan.sizes.has_sections:
            taken = box.united(draw_wrapped(painter, text, content.title.text))
        bottom = plan.top - px(HEADINGS + 24)
        free = QRectF(text.left(), taken.bottom() + px(2), text.width(), bottom - taken.bottom())
        key = paint_key(painter, plan, entries, free)
        bottom = plan.top - px(HEADINGS + SLANTED - 15) if plan.is_tight else plan.heads_top + plan.heads_height
        label = QRectF(plan.layer_zone.left() - px(150), bottom - px(15), px(146), px(15))
        if not label.intersects(taken) and not label.intersects(key):
            heads = say("attention heads")
            theme.draw_text(painter, label, heads, "muted", 11, align=theme.RIGHT)
        if plan.layers[0].is_open or not plan.is_folded:
            beside = QRectF(plan.embeddings["sum"].left() - px(60), plan.feed_forward_top, 0, px(30))
            beside.setRight(plan.layer_zone.left() - px(4))
            theme.draw_text(painter, beside, say("feed-forward"), "muted", 11, align=theme.RIGHT)

    def _paint_words(self) -> None:
        painter, plan, content = self._painter, self._plan, self._content
        px, tokens = plan.px, content.reading.shown_tokens
        words = {position: (found, word) for found, word in content.words.items() for position in found}
        heading = QRectF(plan.words.left(), plan.top - px(HEADINGS), plan.words.width(), px(HEADINGS - 3))
        if plan.sizes.has_words:
            theme.draw_text(painter, heading, say("Words"), "ink", 11, align=theme.RIGHT, bold=True)
        heading.setRect(plan.tokens.left(), heading.top(), plan.tokens.width(), heading.height())
        theme.draw_text(painter, heading, say("Tokens"), "ink", 11, align=CENTER, bold=True)
        size = min(plan.row_height / plan.sizes.scale * 0.7, 13.5)
        for number, row in enumerate(plan.rows):
            y, height = plan.row_y(number), plan.row_height
            if isinstance(row, Gap):
                text = say("⋮ %n more", n=len(row))
                box = QRectF(plan.tokens.left(), y - height / 2, plan.tokens.width(), height)
                theme.draw_text(painter, box, text, "muted", min(size, 11), align=CENTER)
                continue
            kind = self._kinds[row]
            chip = QRectF(plan.tokens.left(), y - height / 2 + 1, plan.tokens.width(), height - 2)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color(f"{kind}_tint"))
            painter.drawRoundedRect(chip, px(4), px(4))
            theme.draw_text(
                painter, chip.adjusted(2, 0, -2, 0), tokens[row], kind, size, align=CENTER, bold=kind == "mask"
            )
            if row not in words or not plan.sizes.has_words:
                continue
            positions, word = words[row]
            own = [plan.row_y(plan.row_of[position]) for position in positions if position in plan.row_of]
            middle = (own[0] + own[-1]) / 2
            if y == own[0]:
                box = QRectF(plan.words.left(), middle - height / 2, plan.words.width(), height)
                color = kind if kind == "mask" else "ink"
                theme.draw_text(painter, box, word, color, size, align=theme.RIGHT)
            painter.setPen(QPen(theme.color(kind, LINE_ALPHA), 1))
            here = QPointF(plan.words.right() + px(3), middle)
            painter.drawLine(QLineF(here, QPointF(plan.tokens.left() - px(2), y)))

    def _paint_embeddings(self) -> None:
        """The first few numbers of each; one scale for those that are added, with their sum."""
        painter, plan, content = self._painter, self._plan, self._content
        px, rows, count = plan.px, plan.rows, plan.columns_per_strip
        values = {name: embedding(content.reading, name) for name in plan.embeddings}
        shown = {name: value[plan.positions, :count] for name, value in values.items() if value is not None}
        limit = embedding_limit(plan, content)
        of_rows = [i for i, row in enumerate(rows) if isinstance(row, int)]
        dropped = content.reading.request.what_if.dropped
        names = {"token": say("token"), "segment": say("segment"), "position": say("position"), "sum": say("sum")}
        colors = {"token": "segment_a", "segment": "segment_b", "position": "good_text", "sum": "ink"}
        for name, strip in plan.embeddings.items():
            picture = np.zeros((len(rows), shown[name].shape[1]), dtype=np.float32)
            if name not in dropped:
                picture[of_rows] = shown[name]
            Raster(picture, -limit, limit, signed=True).paint(painter, strip)
            painter.setPen(QPen(theme.color("line"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(strip)
            if plan.is_tight:
                painter.save()
                painter.translate(strip.center().x(), plan.top - px(4))
                painter.rotate(-45)
                slanted = QRectF(0, -px(8), plan.name_width + px(16), px(16))
                theme.draw_text(painter, slanted, names[name], colors[name], 11, bold=True)
                painter.restore()
                continue
            side = plan.name_width / 2
            heading = QRectF(strip.center().x() - side, plan.top - px(HEADINGS), 2 * side, px(HEADINGS - 3))
            painter.setFont(theme.font(11, bold=True))
            if painter.fontMetrics().horizontalAdvance(names[name]) > heading.width():
                continue
            theme.draw_text(painter, heading, names[name], colors[name], 11, align=CENTER, bold=True)
        for number, strip in enumerate(list(plan.embeddings.values())[:-1]):
            mark = "=" if number == len(plan.embeddings) - 2 else "+"
            after = list(plan.embeddings.values())[number + 1]
            box = QRectF(strip.right(), strip.center().y() - px(10), after.left() - strip.right(), px(20))
            painter.setFont(theme.font(13))
            painter.setPen(theme.color("muted"))
            painter.drawText(box, CENTER, mark)
        left, right = next(iter(plan.embeddings.values())).left() - px(30), plan.embeddings["sum"].right() + px(8)
        width = next(iter(shown.values())).shape[1]
        whole = next(value.shape[1] for value in values.values() if value is not None)
        text = say("the first {count} of {width} numbers", count=width, width=numbers.count(whole))
        wider = px(20 if plan.is_tight else 0)
        below = QRectF(left - wider, plan.bottom + px(3), right - left + 2 * wider, px(16))
        theme.draw_text(painter, below, text, "muted", 11, align=CENTER)

    def _paint_lines(self) -> None:
        painter, plan, content = self._painter, self._plan, self._content
        start, end = plan.embeddings["sum"].right(), plan.layer_zone.right()
        for position, number in plan.row_of.items():
            y = plan.row_y(number)
            color = theme.color(self._kinds[position], LINE_ALPHA)
            gradient = QLinearGradient(end - plan.px(10), 0, end + plan.px(14), 0)
            gradient.setColorAt(0, color)
            gradient.setColorAt(1, QColor(color.red(), color.green(), color.blue(), 0))
            if content.compared is not None and content.compared.distances is not None:
                self._paint_compared_line(content.compared, position, y)
            else:
                painter.setPen(QPen(QBrush(gradient), 1.2))
                painter.drawLine(QLineF(start, y, end + plan.px(14), y))
            before = QLineF(plan.tokens.right() + 2, y, next(iter(plan.embeddings.values())).left() - 2, y)
            painter.setPen(QPen(color, 1.2))
            painter.drawLine(before)

    def _paint_compared_line(self, compared: ComparedLines, position: int, y: float) -> None:
        """Stronger and thicker, layer by layer, the farther it is from the baseline's; dashed where that has none."""
        painter, plan = self._painter, self._plan
        x = plan.embeddings["sum"].right()
        for stage in range(plan.sizes.layers + 1):
            share, right = compared.share(position, stage), plan.stage_x(stage)
            style = Qt.PenStyle.DashLine if share is None else Qt.PenStyle.SolidLine
            painter.setPen(QPen(theme.color("line" if share is None else "faint", 150), 1.2, style))
            painter.drawLine(QLineF(x, y, right, y))
            if share is not None:
                flat = Qt.PenCapStyle.FlatCap
                width = plan.px(1.2 + WIDER * share)
                painter.setPen(QPen(distance_color(share), width, Qt.PenStyle.SolidLine, flat))
                painter.drawLine(QLineF(x, y, right, y))
            x = right

    def _paint_layer(self, layer: Layer) -> None:
        painter, plan, content = self._painter, self._plan, self._content
        px, number = plan.px, layer.number
        what_if, box = content.reading.request.what_if, plan.head_boxes[layer.number]
        if layer.is_open:
            title = plan.parts[MapPart("layer", number)]
            text = say("Layer {layer}", layer=number + 1)
            theme.draw_text(painter, title, text, "ink", 11, align=CENTER, bold=True)
        for head in range(plan.sizes.heads):
            cell = plan.parts[MapPart("head", number, head)]
            is_off = (number, head) in what_if.heads_off or number in what_if.layers_off
            painter.setOpacity(FADED if is_off else 1)
            content.sheet.paint(painter, cell, number, head)
        painter.setOpacity(1)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.color("line"), 1))
        if layer.is_open:
            for head in range(plan.sizes.heads):
                painter.drawRect(plan.parts[MapPart("head", number, head)])
        rows = QRectF(0, plan.top, px(5), plan.bottom - plan.top)
        painter.setPen(QPen(theme.color("line"), 1))
        painter.setBrush(theme.color("accent_tint", 150))
        if not layer.is_open:
            rows.setWidth(max(layer.width * 0.3, 1.5))
            rows.moveCenter(QPointF(layer.center, rows.center().y()))
            painter.drawRoundedRect(rows, 2, 2)
            return
        into, out = plan.sums_x(layer)
        for x in (into, out):
            rows.moveCenter(QPointF(x, rows.center().y()))
            painter.drawRoundedRect(rows, 2, 2)
        up, down = layer.left + 0.14 * layer.width, layer.left + 0.48 * layer.width
        sums = [plan.parts[MapPart(kind, number)].center() for kind in ("attention_sum", "feed_forward_sum")]
        painter.setPen(QPen(theme.color("muted"), 1.2))
        draw_arrow(painter, QPointF(up, plan.top), QPointF(up, box.bottom() + px(3)), px(3))
        painter.drawLine(QLineF(into, box.bottom() + px(2), into, plan.top))
        draw_arrow(painter, QPointF(down, plan.bottom), QPointF(down, plan.feed_forward_top - px(2)), px(3))
        painter.drawLine(QLineF(out, plan.bottom, out, plan.feed_forward_top))
        for center in sums:
            radius = px(6.5)
            painter.setBrush(theme.color("card"))
            painter.drawEllipse(center, radius, radius)
            painter.drawLine(QLineF(center.x() - radius / 2, center.y(), center.x() + radius / 2, center.y()))
            painter.drawLine(QLineF(center.x(), center.y() - radius / 2, center.x(), center.y() + radius / 2))

    def _paint_folded_numbers(self) -> None:
        """Above each stack of folded layers."""
        painter, plan = self._painter, self._plan
        painter.setFont(theme.font(10))
        painter.setPen(theme.color("muted"))
        centered = CENTER | Qt.TextFlag.TextDontClip
        for first, last in plan.numbered:
            place = plan.parts[MapPart("layer", first.number)] | plan.parts[MapPart("layer", last.number)]
            text = str(first.number + 1) if first is last else f"{first.number + 1}–{last.number + 1}"
            painter.drawText(place, centered, text)

    def _paint_feed_forward(self) -> None:
        """One scale for all layers, from 0 to the highest activation but a few."""
        painter, plan, content = self._painter, self._plan, self._content
        activity = content.activity if content.activity_rows == plan.positions else None
        painter.setPen(QPen(theme.color("line"), 1))
        limit = 1.0
        if activity is not None:
            limit = float(np.quantile(activity.activations, 0.998)) or 1.0
        for layer, box in zip(plan.layers, plan.feed_forward_boxes, strict=True):
            if activity is not None:
                Raster(activity.activations[layer.number], 0, limit).paint(painter, box)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box)

    def _paint_verdict(self) -> None:
        painter, plan, content = self._painter, self._plan, self._content
        px, box = plan.px, plan.verdict_box
        cls = plan.row_y(0)
        painter.setPen(QPen(theme.color("special"), 1.4))
        end = QPointF(box.left() - px(6), box.top() + px(9))
        painter.drawPath(curve_between(QPointF(plan.layer_zone.right(), cls), end))
        heading = QRectF(box.left(), box.top(), box.width(), px(18))
        theme.draw_text(painter, heading, content.pair.title, "ink", 12, bold=True)
        if content.verdict is None:
            painter.setFont(theme.font(11))
            painter.setPen(theme.color("muted"))
            below = QRectF(box.left(), heading.bottom(), box.width(), box.height() - heading.height())
            draw_wrapped(painter, below, content.pair.text)
            return
        color = {"verdict": "good_text", "verdict-no": "bad_text"}.get(content.verdict.role, "muted")
        font = theme.font(19, bold=True)
        width = QFontMetricsF(font).horizontalAdvance(content.verdict.answer) + px(8)
        line = QRectF(box.left(), heading.bottom() + px(1), box.width(), px(25))
        theme.draw_text(painter, line, content.verdict.answer, color, 19, bold=True)
        bar = QRectF(line.left() + width, line.center().y() - px(4), line.width() - width, px(8))
        if bar.width() > px(20):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("track"))
            painter.drawRoundedRect(bar, px(4), px(4))
            bar.setWidth(max(bar.width() * content.verdict.share, px(4)))
            painter.setBrush(theme.color({"good_text": "good", "bad_text": "bad"}.get(color, "bar_strong")))
            painter.drawRoundedRect(bar, px(4), px(4))
        note = QRectF(box.left(), line.bottom(), box.width(), px(16))
        fits = QFontMetricsF(theme.font(11)).horizontalAdvance(content.pair.text) <= note.width()
        theme.draw_text(painter, note, content.pair.text if fits else content.verdict.number, "muted", 11)

    def _paint_captions(self) -> None:
        painter, plan, content = self._painter, self._plan, self._content
        px = plan.px
        for part, box in plan.parts.items():
            caption = content.captions.get(part.name) if part.kind == "section" else None
            if caption is None:
                continue
            painter.setPen(QPen(theme.color("line"), 1.5))
            painter.drawLine(box.topLeft(), box.topRight())
            line = QRectF(box.left(), box.top() + px(6), box.width(), px(18))
            link = f"{caption.link} ›"
            font = QFontMetricsF(theme.font(12, medium=True))
            theme.draw_text(painter, line, link, "accent", 12, align=theme.RIGHT, medium=True)
            line.setWidth(line.width() - font.horizontalAdvance(link) - px(6))
            theme.draw_text(painter, line, caption.title, "ink", 12, bold=True)
            below = QRectF(box.left(), line.bottom() + px(1), box.width(), box.bottom() - line.bottom() - px(1))
            painter.setFont(theme.font(11.5))
            painter.setPen(theme.color("muted"))
            draw_wrapped(painter, below, caption.text)
