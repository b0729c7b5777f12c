"""The picture of the whole model. It is given values, and says which part is under the pointer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetricsF,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...look import numbers, theme
from ...state.token_units import KINDS
from ...widgets.head_sheet import HeadSheet
from ...widgets.pointer import ARROWS, PointerWidget
from ...widgets.raster import Raster
from .plan import HEADINGS, TITLES, Gap, Layer, Part, Plan, Sizes, choose_rows

if TYPE_CHECKING:
    from bertcore.analysis.predict import WordGuess

    from ...compute.feed_forward import FeedForwardActivity
    from ...state.readings import Reading
    from ...state.verdicts import Verdict

EMBEDDINGS = ("token", "segment", "position", "sum")
WITHIN = 0.99  # the share of values that the colour scale of the embeddings reaches; a few outliers would pale the rest
FADED = 0.2  # opacity of heads that are off
BUBBLE_PX = 270
LINE_ALPHA = 110  # of 255: the lines that are not followed
CENTER = Qt.AlignmentFlag.AlignCenter
WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap


@dataclass(frozen=True)
class Caption:
    """Words at a place of the picture."""

    title: str
    text: str
    link: str = ""  # the room that it leads to


@dataclass(frozen=True)
class Word:
    """As it was typed, and the tokens it is made of."""

    text: str
    positions: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Answer:
    """What the followed line says: after each layer, and in the end."""

    position: int
    color: str = "accent"  # of the line, a name in the theme
    title: str = ""
    guesses: Sequence[WordGuess] = ()  # the likeliest after each stage (L+1); none while they are not known
    words: Sequence[tuple[str, float]] = ()  # in the end, likeliest first
    reason: str = ""  # why there are no words


class ModelMap(PointerWidget):
    """Cells are `Part`s. What does not change under the pointer is kept as a picture.

    Where there are too many layers for all to be open, the one under the pointer opens.
    """

    rows_changed = Signal()  # other tokens have a row of their own

    def __init__(self) -> None:
        super().__init__(self.tr("The whole model: words, tokens, embeddings, layers, answers"), _STRONG)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(theme.px(420), theme.px(300))
        self.plan: Plan | None = None
        self.answer = Answer(0)
        self.verdict: Verdict | None = None
        self.pair = Caption("", "")  # the question about A and B, and why there is no answer
        self.title, self.captions = Caption("", ""), dict[str, Caption]()
        self.describe: Callable[[Part], Caption] = lambda _part: Caption("", "")
        self.activity: FeedForwardActivity | None = None
        self._activity_rows: list[int] = []
        self._reading: Reading | None = None
        self._sheet: HeadSheet | None = None
        self._kinds: list[str] = []  # (S) names of colours
        self.words: dict[int, Word] = {}  # by the position of each of its tokens
        self._around, self._keep = 0, list[int]()
        self._head = (0, 0)
        self._open_layer = 0
        self._base = QPixmap()
        self._base_key: tuple[object, ...] = ()
        self._corner: QWidget | None = None
        self._progress: QWidget | None = None

    # What it is given.

    def set_reading(self, reading: Reading, around: int, keep: Sequence[int], words: Sequence[Word]) -> None:
        """around: the position whose neighbours have rows where there is no room for all; keep: others that should."""
        self._reading, self._around, self._keep = reading, around, list(keep)
        self.words = {position: word for word in words for position in word.positions}
        self._sheet = HeadSheet(reading.thumbnails)
        masked = set(reading.request.masked)
        parts = reading.encoding.parts
        self._kinds = ["mask" if i in masked else KINDS[part] for i, part in enumerate(parts)]
        self.activity, self._base_key = None, ()
        self._lay_out()

    def forget_reading(self) -> None:
        """Nothing is drawn until the next one."""
        self._reading = None

    def set_around(self, around: int) -> None:
        """Another token is looked at: rows are those around it, where there is no room for all."""
        if around != self._around:
            self._around = around
            self._lay_out()

    def set_verdict(self, pair: Caption, verdict: Verdict | None) -> None:
        self.pair, self.verdict, self._base_key = pair, verdict, ()
        self.update()

    def set_captions(self, title: Caption, captions: dict[str, Caption]) -> None:
        """captions: by the name of the section."""
        self.title, self.captions, self._base_key = title, captions, ()
        self.update()

    def set_activity(self, activity: FeedForwardActivity | None, rows: Sequence[int]) -> None:
        """rows: the positions it is of."""
        self.activity, self._activity_rows, self._base_key = activity, list(rows), ()
        self.update()

    def set_answer(self, answer: Answer) -> None:
        self.answer = answer
        said = ", ".join(f"{word} {numbers.percent(share)}" for word, share in answer.words)
        self.setAccessibleDescription(f"{answer.title} {said}" if said else answer.reason)
        if self.plan is not None:
            self.plan.place_answer(answer.position)
        self.update()

    def set_head(self, layer: int, head: int) -> None:
        """The head that is selected in all rooms."""
        if (layer, head) != self._head:
            self._head = layer, head
            self.open_layer(layer)
            self.update()

    def open_layer(self, layer: int) -> None:
        """Unfolds a layer, where not all are."""
        if layer != self._open_layer:
            self._open_layer = layer
            if self.plan is not None and self.plan.is_folded:
                self._lay_out()

    def set_floating(self, corner: QWidget, progress: QWidget) -> None:
        """Small widgets on the picture: one in the top right corner, one at the bottom left, where nothing else is.

        In a layout the progress line would change the height, so the rows, so what is asked for, and so itself.
        """
        for widget in (corner, progress):
            widget.setParent(self)
        self._corner, self._progress = corner, progress

    # Where things are.

    @property
    def positions(self) -> list[int]:
        """Of the tokens that have a row of their own."""
        return [] if self.plan is None else self.plan.positions

    @property
    def thumbnails(self) -> np.ndarray:
        """Every head as it is drawn (L,N,T,T)."""
        assert self._sheet is not None
        return self._sheet.thumbnails

    def redraw(self) -> None:
        """Everything again, as after another reading."""
        self._lay_out()

    def _lay_out(self) -> None:
        reading, before = self._reading, self.positions
        if reading is None:
            return
        layers, heads = reading.thumbnails.shape[:2]
        has = [name for name in EMBEDDINGS if embedding(reading, name) is not None]
        scale = theme.scale()
        sizes = Sizes(self.width(), self.height(), scale, layers, heads, tuple(has), self._open_layer)
        rows = choose_rows(len(reading.encoding), sizes.most_rows, self._around, self._keep)
        self.plan = Plan(sizes, rows)
        for position in self.plan.positions:
            if position not in self.words:
                del self.plan.parts[Part("word", position=position)]
        self.plan.place_answer(self.answer.position)
        if self._progress is not None:
            left, width = self.plan.words.left(), self.plan.tokens.right() - self.plan.words.left()
            top, bottom = self.plan.feed_forward_top, self.plan.feed_forward_bottom
            self._progress.setGeometry(QRectF(left, top, width, bottom - top).toRect())
        if self.hovered_cell is not None and self.hovered_cell not in self.plan.parts:
            self.set_hovered(None)
        self._base_key = ()
        self.update()
        if self.plan.positions != before:
            self.rows_changed.emit()

    def cell_at(self, point: QPointF) -> Part | None:
        return None if self.plan is None else self.plan.at(point)

    def cell_after(self, cell: Part | None, key: int) -> Part | None:
        if self.plan is None or key not in ARROWS:
            return None
        if cell is None or cell not in self.plan.parts:
            return self.selected_cell()
        return self.plan.beside(cell, *ARROWS[key])

    def selected_cell(self) -> Part | None:
        head = Part("head", *self._head)
        return head if self.plan is not None and head in self.plan.parts else None

    def set_hovered(self, cell: Part | None) -> None:
        if cell is not None and cell.layer >= 0:
            self.open_layer(cell.layer)
        super().set_hovered(cell)
        self.setCursor(Qt.CursorShape.ArrowCursor if cell is None else Qt.CursorShape.PointingHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        plan, point = self.plan, event.position()
        if plan is not None and plan.heads_top - plan.px(TITLES) <= point.y() <= plan.feed_forward_bottom:
            layer = plan.layer_at(point.x())
            if layer is not None:
                self.open_layer(layer)  # first: where its parts are depends on it
        super().mouseMoveEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._corner is not None:
            self._corner.move(self.width() - self._corner.width() - theme.px(6), theme.px(6))
        self._lay_out()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(900), theme.px(560))

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.plan is None or self._reading is None:
            return
        ratio = self.devicePixelRatioF()
        key = (theme.active().name, theme.scale(), ratio, self.width(), self.height())
        if key != self._base_key:
            self._base_key = key
            self._base = QPixmap(self.size() * ratio)
            self._base.setDevicePixelRatio(ratio)
            self._base.fill(Qt.GlobalColor.transparent)
            base = theme.painter(self._base)
            self._paint_base(base, self.plan)
            base.end()
        painter = theme.painter(self)
        painter.drawPixmap(0, 0, self._base)
        self._paint_line(painter, self.plan)
        self._paint_answer(painter, self.plan)
        self._paint_pointer(painter, self.plan)

    def _paint_base(self, painter: QPainter, plan: Plan) -> None:
        self._paint_title(painter, plan)
        self._paint_words(painter, plan)
        self._paint_embeddings(painter, plan)
        self._paint_lines(painter, plan)
        for layer in plan.layers:
            self._paint_layer(painter, plan, layer)
        self._paint_feed_forward(painter, plan)
        self._paint_verdict(painter, plan)
        self._paint_captions(painter, plan)

    def _paint_title(self, painter: QPainter, plan: Plan) -> None:
        px = plan.px
        box = QRectF(plan.words.left(), px(10), plan.layer_zone.left() - plan.words.left() - px(34), px(28))
        theme.draw_text(painter, box, self.title.title, "ink", 19 if plan.sizes.has_sections else 14, bold=True)
        text = QRectF(box.left(), box.bottom() + px(2), box.width(), plan.top - px(HEADINGS + 24) - box.bottom())
        painter.setFont(theme.font(13 if plan.sizes.has_sections else 11))
        painter.setPen(theme.color("muted"))
        needs = painter.boundingRect(text, WRAPPED, self.title.text)
        if needs.height() <= text.height():
            painter.drawText(text, WRAPPED, self.title.text)
        label = QRectF(plan.layer_zone.left() - px(150), plan.top - px(HEADINGS + 22), px(134), px(15))
        if needs.bottom() < label.top() or needs.right() < label.left():
            heads = self.tr("attention heads")
            theme.draw_text(painter, label, heads, "muted", 11, align=theme.RIGHT)
        if plan.layers[0].is_open or not plan.is_folded:
            beside = QRectF(plan.embeddings["sum"].left() - px(60), plan.feed_forward_top, 0, px(30))
            beside.setRight(plan.layer_zone.left() - px(4))
            theme.draw_text(painter, beside, self.tr("feed-forward"), "muted", 11, align=theme.RIGHT)

    def _paint_words(self, painter: QPainter, plan: Plan) -> None:
        assert self._reading is not None
        px, tokens = plan.px, self._reading.shown_tokens
        heading = QRectF(plan.words.left(), plan.top - px(HEADINGS), plan.words.width(), px(HEADINGS - 3))
        theme.draw_text(painter, heading, self.tr("Words"), "ink", 11, align=theme.RIGHT, bold=True)
        heading.setRect(plan.tokens.left(), heading.top(), plan.tokens.width(), heading.height())
        theme.draw_text(painter, heading, self.tr("Tokens"), "ink", 11, align=CENTER, bold=True)
        size = min(plan.row_height / plan.sizes.scale * 0.7, 13.5)
        for number, row in enumerate(plan.rows):
            y, height = plan.row_y(number), plan.row_height
            if isinstance(row, Gap):
                text = self.tr("⋮ %n more", "", len(row))
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
            word = self.words.get(row)
            if word is None:
                continue
            own = [plan.row_y(plan.row_of[position]) for position in word.positions if position in plan.row_of]
            middle = (own[0] + own[-1]) / 2
            if y == own[0]:
                box = QRectF(plan.words.left(), middle - height / 2, plan.words.width(), height)
                color = kind if kind == "mask" else "ink"
                theme.draw_text(painter, box, word.text, color, size, align=theme.RIGHT)
            painter.setPen(QPen(theme.color(kind, LINE_ALPHA), 1))
            here = QPointF(plan.words.right() + px(3), middle)
            painter.drawLine(QLineF(here, QPointF(plan.tokens.left() - px(2), y)))

    def _paint_embeddings(self, painter: QPainter, plan: Plan) -> None:
        """The first few numbers of each; one scale for those that are added, with their sum."""
        assert self._reading is not None
        px, rows, count = plan.px, plan.rows, plan.columns_per_strip
        values = {name: embedding(self._reading, name) for name in plan.embeddings}
        shown = {name: value[plan.positions, :count] for name, value in values.items() if value is not None}
        sizes = np.sort(np.abs(np.concatenate([part.ravel() for part in shown.values()])))
        limit = float(sizes[min(int(len(sizes) * WITHIN), len(sizes) - 1)]) or 1.0
        of_rows = [i for i, row in enumerate(rows) if isinstance(row, int)]
        dropped = self._reading.request.what_if.dropped
        names = {
            "token": self.tr("token"),
            "segment": self.tr("segment"),
            "position": self.tr("position"),
            "sum": self.tr("sum"),
        }
        colors = {"token": "segment_a", "segment": "segment_b", "position": "good_text", "sum": "ink"}
        for name, strip in plan.embeddings.items():
            picture = np.zeros((len(rows), shown[name].shape[1]), dtype=np.float32)
            if name not in dropped:
                picture[of_rows] = shown[name]
            Raster(picture, -limit, limit, signed=True).paint(painter, strip)
            painter.setPen(QPen(theme.color("line"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(strip)
            side = max(strip.width(), px(44)) / 2
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
        text = self.tr("the first {count} of {width} numbers").format(count=width, width=numbers.count(whole))
        below = QRectF(left, plan.bottom + px(3), right - left, px(16))
        theme.draw_text(painter, below, text, "muted", 11, align=CENTER)

    def _paint_lines(self, painter: QPainter, plan: Plan) -> None:
        start, end = plan.embeddings["sum"].right(), plan.layer_zone.right()
        for position, number in plan.row_of.items():
            y = plan.row_y(number)
            color = theme.color(self._kinds[position], LINE_ALPHA)
            gradient = QLinearGradient(end - plan.px(10), 0, end + plan.px(14), 0)
            gradient.setColorAt(0, color)
            gradient.setColorAt(1, QColor(color.red(), color.green(), color.blue(), 0))
            painter.setPen(QPen(QBrush(gradient), 1.2))
            painter.drawLine(QLineF(start, y, end + plan.px(14), y))
            before = QLineF(plan.tokens.right() + 2, y, next(iter(plan.embeddings.values())).left() - 2, y)
            painter.setPen(QPen(color, 1.2))
            painter.drawLine(before)

    def _paint_layer(self, painter: QPainter, plan: Plan, layer: Layer) -> None:
        assert self._reading is not None and self._sheet is not None
        px, number = plan.px, layer.number
        what_if, box = self._reading.request.what_if, plan.head_boxes[layer.number]
        if layer.is_open:
            title = plan.parts[Part("layer", number)]
            text = self.tr("Layer {layer}").format(layer=number + 1)
            theme.draw_text(painter, title, text, "ink", 11, align=CENTER, bold=True)
        elif layer.width >= px(15) or number % 2:
            title = plan.parts[Part("layer", number)].adjusted(-px(4), 0, px(4), 0)
            painter.setFont(theme.font(10))
            painter.setPen(theme.color("muted"))
            painter.drawText(title, CENTER, str(number + 1))
        for head in range(plan.sizes.heads):
            cell = plan.parts[Part("head", number, head)]
            is_off = (number, head) in what_if.heads_off or number in what_if.layers_off
            painter.setOpacity(FADED if is_off else 1)
            self._sheet.paint(painter, cell, number, head)
        painter.setOpacity(1)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.color("line"), 1))
        if layer.is_open:
            for head in range(plan.sizes.heads):
                painter.drawRect(plan.parts[Part("head", number, head)])
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
        sums = [plan.parts[Part(kind, number)].center() for kind in ("attention_sum", "feed_forward_sum")]
        painter.setPen(QPen(theme.color("muted"), 1.2))
        _arrow(painter, QPointF(up, plan.top), QPointF(up, box.bottom() + px(3)), px(3))
        painter.drawLine(QLineF(into, box.bottom() + px(2), into, plan.top))
        _arrow(painter, QPointF(down, plan.bottom), QPointF(down, plan.feed_forward_top - px(2)), px(3))
        painter.drawLine(QLineF(out, plan.bottom, out, plan.feed_forward_top))
        for center in sums:
            radius = px(6.5)
            painter.setBrush(theme.color("card"))
            painter.drawEllipse(center, radius, radius)
            painter.drawLine(QLineF(center.x() - radius / 2, center.y(), center.x() + radius / 2, center.y()))
            painter.drawLine(QLineF(center.x(), center.y() - radius / 2, center.x(), center.y() + radius / 2))

    def _paint_feed_forward(self, painter: QPainter, plan: Plan) -> None:
        """One scale for all layers, from 0 to the highest activation but a few."""
        activity = self.activity if self._activity_rows == plan.positions else None
        painter.setPen(QPen(theme.color("line"), 1))
        limit = 1.0
        if activity is not None:
            limit = float(np.quantile(activity.activations, 0.998)) or 1.0
        for layer, box in zip(plan.layers, plan.feed_forward_boxes, strict=True):
            if activity is not None:
                Raster(activity.activations[layer.number], 0, limit).paint(painter, box)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box)

    def _paint_verdict(self, painter: QPainter, plan: Plan) -> None:
        px, box = plan.px, plan.verdict_box
        cls = plan.row_y(0)
        painter.setPen(QPen(theme.color("special"), 1.4))
        end = QPointF(box.left() - px(6), box.top() + px(9))
        painter.drawPath(_curve(QPointF(plan.layer_zone.right(), cls), end))
        heading = QRectF(box.left(), box.top(), box.width(), px(18))
        theme.draw_text(painter, heading, self.pair.title, "ink", 12, bold=True)
        if self.verdict is None:
            painter.setFont(theme.font(11))
            painter.setPen(theme.color("muted"))
            below = QRectF(box.left(), heading.bottom(), box.width(), box.height() - heading.height())
            painter.drawText(below, WRAPPED, _cut(painter, self.pair.text, below))
            return
        color = {"verdict": "good_text", "verdict-no": "bad_text"}.get(self.verdict.role, "muted")
        font = theme.font(19, bold=True)
        width = QFontMetricsF(font).horizontalAdvance(self.verdict.answer) + px(8)
        line = QRectF(box.left(), heading.bottom() + px(1), box.width(), px(25))
        theme.draw_text(painter, line, self.verdict.answer, color, 19, bold=True)
        share = numbers.percent(self.verdict.share)
        rest = line.adjusted(width, 0, 0, 0)
        theme.draw_text(painter, rest, share, "ink", 13)
        number = QFontMetricsF(theme.font(13)).horizontalAdvance(share) + px(8)
        bar = QRectF(rest.left() + number, line.center().y() - px(4), rest.width() - number, px(8))
        if bar.width() > px(20):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("track"))
            painter.drawRoundedRect(bar, px(4), px(4))
            bar.setWidth(max(bar.width() * self.verdict.share, px(4)))
            painter.setBrush(theme.color({"good_text": "good", "bad_text": "bad"}.get(color, "bar_strong")))
            painter.drawRoundedRect(bar, px(4), px(4))
        note = QRectF(box.left(), line.bottom(), box.width(), px(16))
        theme.draw_text(painter, note, self.pair.text, "muted", 11)

    def _paint_captions(self, painter: QPainter, plan: Plan) -> None:
        px = plan.px
        for part, box in plan.parts.items():
            caption = self.captions.get(part.name) if part.kind == "section" else None
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
            painter.drawText(below, WRAPPED, _cut(painter, caption.text, below))

    # What changes under the pointer.

    def _paint_line(self, painter: QPainter, plan: Plan) -> None:
        answer, px = self.answer, plan.px
        y, color = plan.line_y(answer.position), theme.color(answer.color)
        end = QPointF(plan.answer_box.left() - px(6), plan.answer_box.top() + px(12))
        painter.setPen(QPen(color, px(2.4)))
        painter.drawLine(QLineF(plan.embeddings["sum"].right(), y, plan.layer_zone.right(), y))
        painter.setPen(QPen(color, px(1.6)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(_curve(QPointF(plan.layer_zone.right(), y), end))
        if not answer.guesses:
            return
        font = theme.font(min(max(plan.row_height / plan.sizes.scale * 0.58, 10.5), 12.5), medium=True)
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        placed: list[QRectF] = []
        pills = []
        last = len(answer.guesses) - 1
        for stage in self._stages_by_weight(plan, last):
            word = metrics.elidedText(answer.guesses[stage].token, Qt.TextElideMode.ElideRight, px(64))
            pill = QRectF(0, 0, metrics.horizontalAdvance(word) + px(12), min(plan.row_height, px(22)))
            pill.moveCenter(QPointF(plan.stage_x(stage), y))
            pill.moveRight(min(pill.right(), plan.answers.left() - px(8)))
            if not any(pill.adjusted(-2, 0, 2, 0).intersects(other) for other in placed):
                placed.append(pill)
                pills.append((stage, word, pill))
            else:
                painter.setPen(QPen(color, 1.2))
                painter.setBrush(theme.color("card"))
                painter.drawEllipse(QPointF(plan.stage_x(stage), y), px(2.6), px(2.6))
        for stage, word, pill in pills:
            painter.setPen(QPen(color, 1.2))
            painter.setBrush(color if stage == last else theme.color("card"))
            painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
            painter.setPen(theme.ink_on(color) if stage == last else color)
            painter.drawText(pill, CENTER, word)

    def _stages_by_weight(self, plan: Plan, last: int) -> list[int]:
        """Which pills come first where there is no room for all: both ends, the open layer, where the guess changes."""
        guesses = self.answer.guesses
        changes = [stage for stage in range(last, 0, -1) if guesses[stage].id != guesses[stage - 1].id]
        opened = [layer.number for layer in plan.layers if layer.is_open] if plan.is_folded else []
        near = [stage for layer in opened for stage in (layer + 1, layer)]
        return list(dict.fromkeys([last, 0, *near, *changes, *range(last + 1)]))

    def _paint_answer(self, painter: QPainter, plan: Plan) -> None:
        px, box, answer = plan.px, plan.answer_box, self.answer
        line = QRectF(box.left(), box.top() + px(3), box.width(), px(18))
        theme.draw_text(painter, line, answer.title, "ink", 12, bold=True)
        if not answer.words:
            painter.setFont(theme.font(11))
            painter.setPen(theme.color("muted"))
            below = QRectF(box.left(), line.bottom() + px(1), box.width(), box.bottom() - line.bottom())
            painter.drawText(below, WRAPPED, _cut(painter, answer.reason, below))
            return
        metrics = QFontMetricsF(theme.font(13, bold=True))
        shown = answer.words[: plan.answer_count]
        widest = max(metrics.horizontalAdvance(word) for word, _ in shown)
        label = min(widest + px(8), box.width() * 0.5)
        full = box.width() - label - metrics.horizontalAdvance("99.9% ") - px(4)
        longest = max(shown[0][1], 0.01)
        for row, (word, share) in enumerate(shown):
            line = QRectF(box.left(), box.top() + px(24 + 21 * row), label, px(21))
            theme.draw_text(painter, line, word, answer.color if row == 0 else "ink", 13, bold=row == 0)
            bar = QRectF(line.right(), line.center().y() - px(5), max(full * share / longest, px(2)), px(10))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color(answer.color if row == 0 else "bar"))
            painter.drawRoundedRect(bar, 2.5, 2.5)
            behind = QRectF(bar.right() + px(6), line.top(), box.right() - bar.right(), px(21))
            theme.draw_text(painter, behind, numbers.percent(share), "ink" if row == 0 else "muted", 12, bold=row == 0)

    def _paint_pointer(self, painter: QPainter, plan: Plan) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        head = plan.parts.get(Part("head", *self._head))
        if head is not None:
            painter.setPen(QPen(theme.color("accent"), 1.6))
            painter.drawRect(head.adjusted(-1, -1, 1, 1))
        part = self.hovered_cell
        if part is None or part not in plan.parts:
            return
        box = plan.parts[part]
        beside = plan.head_boxes[part.layer].united(box) if part.kind == "head" else box
        painter.setPen(QPen(theme.color("accent"), 2))
        painter.drawRoundedRect(box.adjusted(-1.5, -1.5, 1.5, 1.5), 3, 3)
        caption = self.describe(part)
        if caption.title:
            self._paint_bubble(painter, plan, beside, box.center().x(), caption)

    def _paint_bubble(self, painter: QPainter, plan: Plan, at: QRectF, x: float, caption: Caption) -> None:
        px = plan.px
        bold, plain = theme.font(12, bold=True), theme.font(12)
        width = px(BUBBLE_PX)
        inner = QRectF(0, 0, width - px(20), px(400))
        title = QFontMetricsF(bold).boundingRect(inner, WRAPPED, caption.title)
        text = QFontMetricsF(plain).boundingRect(inner, WRAPPED, caption.text)
        size = max(title.width(), text.width()) + px(20), title.height() + text.height() + px(18)
        box = QRectF(x - size[0] / 2, at.bottom() + px(8), *size)
        if box.bottom() > self.height() - 2:
            box.moveBottom(at.top() - px(8))
        box.moveLeft(min(max(box.left(), 2.0), self.width() - size[0] - 2))
        box.moveTop(max(box.top(), 2.0))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("ink"))
        painter.drawRoundedRect(box, px(6), px(6))
        painter.setPen(theme.color("card"))
        painter.setFont(bold)
        words = box.adjusted(px(10), px(7), -px(8), 0)
        painter.drawText(words, WRAPPED, caption.title)
        painter.setFont(plain)
        painter.drawText(words.adjusted(0, title.height() + px(3), 0, 0), WRAPPED, caption.text)


_STRONG = Qt.FocusPolicy.StrongFocus


def embedding(reading: Reading, name: str) -> np.ndarray | None:
    """(S,E) of "token", "segment", "position" or "sum"; None where the model has none."""
    trace = reading.trace
    vectors = {
        "token": trace.token_embeddings,
        "segment": trace.segment_embeddings,
        "position": trace.position_embeddings,
        "sum": trace.embedding_sum,
    }
    return vectors[name]


def _arrow(painter: QPainter, start: QPointF, end: QPointF, side: float) -> None:
    """Upright, its head at `end`."""
    painter.drawLine(QLineF(start, end))
    back = side * 1.6 if end.y() < start.y() else -side * 1.6
    head = [end, QPointF(end.x() - side, end.y() + back), QPointF(end.x() + side, end.y() + back)]
    painter.save()
    painter.setBrush(painter.pen().color())
    painter.drawPolygon(QPolygonF(head))
    painter.restore()


def _curve(start: QPointF, end: QPointF) -> QPainterPath:
    """From a line to what is read from it."""
    path, middle = QPainterPath(start), (start.x() + end.x()) / 2
    path.cubicTo(QPointF(middle, start.y()), QPointF(middle, end.y()), end)
    return path


def _cut(painter: QPainter, text: str, box: QRectF) -> str:
    """As many whole words of a text as fit into a box, in lines."""
    words, free = text.split(), QRectF(box.left(), box.top(), box.width(), 9999)
    while words and painter.boundingRect(free, WRAPPED, " ".join(words)).height() > box.height():
        words = [*words[: -2 if words[-1] == "…" else -1], "…"] if words != ["…"] else []
    return " ".join(words)
