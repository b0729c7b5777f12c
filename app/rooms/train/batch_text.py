"""One sequence of a batch as the model read it, and what the marks on its tokens mean."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...compute.batches import ASKED, HIDDEN, KEPT, REPLACED, RIGHT, WRONG, ShownBatch
from ...look import theme
from ...look.say import mark, say
from ...widgets.wrapped import WrappedBoxes

MOST_LOSS = 8.0  # nats; what is worse has the same colour
BOX_PX, PADDING_PX, LINE_PX = 30, 6, 4
TAGGED_PX = 46  # with a tag below the word
Legend = tuple[tuple[int, str, str], ...]
LEGEND = (  # fate, a sample, what it means
    (HIDDEN, "[MASK]", mark("hidden")),
    (REPLACED, mark("word"), mark("a random word instead")),
    (KEPT, mark("word"), mark("left as it was")),
)
TASK_LEGEND = (
    (RIGHT, mark("word"), mark("answered correctly")),
    (WRONG, mark("word"), mark("answered incorrectly")),
)
MARKS = {HIDDEN: "mask", REPLACED: "mask", KEPT: "mask", ASKED: "ink", RIGHT: "good", WRONG: "bad"}  # fate -> color


class SequenceText(WrappedBoxes):
    """Shapes tell what was done to a token, the line below it how wrong the model is there.

    Cells are positions; a click or Enter chooses one.
    """

    grows = True
    gap_px, line_gap_px = 3.0, 4.0
    least_width_px = 240

    def __init__(self) -> None:
        super().__init__("", BOX_PX)
        self.setAccessibleName(say("The sequence as the model read it"))
        self._batch: ShownBatch | None = None
        self._row = 0
        self._chosen: int | None = None
        self.words: list[str] = []
        self.tags: list[str] = []  # the right tag of each token, "" for those without one

    def show_sequence(self, batch: ShownBatch | None, row: int) -> None:
        self._batch, self._row = batch, row
        ids = [] if batch is None else batch.ids[row, : batch.length(row)].tolist()
        self.words = [] if batch is None else [batch.words[number] for number in ids]
        self.tags = [] if batch is None else _tags(batch, row, len(ids))
        self._box_px = TAGGED_PX if any(self.tags) else BOX_PX
        self.hovered_cell = None
        self.setAccessibleDescription(" ".join(self.words[:200]))
        self.lay_out()

    def set_chosen(self, position: int | None) -> None:
        self._chosen = position
        self.update()

    def selected_cell(self) -> int | None:
        return self._chosen

    def box_widths(self) -> list[float]:
        metrics, padding = QFontMetrics(self.sized_font(13.5, bold=True)), 2 * self.px(PADDING_PX)
        tagged = QFontMetrics(self.sized_font(10.5, bold=True))
        most = float(max(self.width(), 1))
        return [
            min(max(metrics.horizontalAdvance(word), tagged.horizontalAdvance(tag)) + padding, most)
            for word, tag in zip(self.words, self.tags, strict=True)
        ]

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        batch, at = self._batch, (self._row, number)
        if batch is None:
            return
        line = self.px(LINE_PX)
        is_special = bool(batch.documents[at] < 0)
        segment = "special" if is_special else ("segment_a", "segment_b")[min(int(batch.segments[at]), 1)]
        body = box.adjusted(1, 1, -1, -line - 2)
        if any(self.tags):
            room = self.px(TAGGED_PX - BOX_PX)
            below = QRectF(body.x(), body.bottom() - room, body.width(), room)
            body.setBottom(below.top())
            painter.setFont(self.sized_font(10.5))
            painter.setPen(theme.color("muted"))
            painter.drawText(below, Qt.AlignmentFlag.AlignCenter, self.tags[number])
        paint_token(painter, body, self.words[number], int(batch.fates[at]), segment, self.factor)
        if batch.losses is not None and batch.fates[at] > 0:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(loss_color(float(batch.losses.losses[at])))
            painter.drawRoundedRect(QRectF(body.x() + 1, box.bottom() - line, body.width() - 2, line), 1.5, 1.5)
        if number in (self._chosen, self.hovered_cell):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("accent"), theme.stroke(2.0 if number == self._chosen else 1.2)))
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, 0), self.px(5), self.px(5))


def paint_token(painter: QPainter, body: QRectF, word: str, fate: int, segment: str, factor: float = 1.0) -> None:
    """Hidden: filled. Replaced: dashed. Kept: outlined. Answered right: outlined. Wrong: dashed. All others in the
    colour of their segment.

    segment: a name in the theme, "segment_a", "segment_b" or "special".
    """
    radius = theme.px(4 * factor)
    is_marked, is_masked = fate in MARKS, MARKS.get(fate) == "mask"
    fill = {HIDDEN: "mask", REPLACED: "card", KEPT: "mask_tint"}.get(fate, f"{segment}_tint")
    pen = QPen(theme.color(MARKS[fate]), theme.stroke(1.6)) if is_marked else QPen(Qt.PenStyle.NoPen)
    if fate in (REPLACED, WRONG):
        pen.setStyle(Qt.PenStyle.DashLine)
    painter.setPen(pen)
    painter.setBrush(theme.color(fill))
    painter.drawRoundedRect(body.adjusted(0.8, 0.8, -0.8, -0.8), radius, radius)
    ink = theme.ink_on(theme.color("mask")) if fate == HIDDEN else theme.color("mask" if is_masked else segment)
    painter.setPen(ink)
    painter.setFont(theme.font(13.5 * factor, bold=is_marked))
    text = QFontMetrics(painter.font()).elidedText(word, Qt.TextElideMode.ElideRight, int(body.width()) - 2)
    painter.drawText(body, Qt.AlignmentFlag.AlignCenter, text)


def _tags(batch: ShownBatch, row: int, length: int) -> list[str]:
    """The right tags of a tagger's words; of others nothing stands below a token."""
    tags = [""] * length
    unit = batch.task.unit(row) if batch.task is not None and batch.task.kind == "tag" else None
    for place in () if unit is None else unit.places:
        tags[place.position] = str(place.right)
    return tags


def loss_color(loss: float) -> QColor:
    """Near the background where the model was right, dark where it was wrong."""
    return theme.diverging_color(0.12 + 0.88 * min(max(0.0 if math.isnan(loss) else loss, 0.0) / MOST_LOSS, 1.0))


class BatchLegend(QWidget):
    """The three fates by a sample of each, and the scale of the losses."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._legend: Legend = ()
        self._note = ""
        self.set_fates(LEGEND)

    def set_fates(self, legend: Legend, *, has_tags: bool = False) -> None:
        """LEGEND, TASK_LEGEND, or () where nothing is marked in this batch. has_tags: each word has one below it."""
        self._legend = legend
        self._note = say("below each word: the right tag") if has_tags else ""
        said = [say(meaning) for _, _, meaning in legend] + [self._note]
        self.setAccessibleName(", ".join(filter(None, said)))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(round(self._width()), theme.px(24))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(120), theme.px(24))

    def _items(self) -> list[tuple[int, str, str]]:
        return [
            (fate, sample if fate == HIDDEN else say(sample), say(meaning)) for fate, sample, meaning in self._legend
        ]

    def _scale(self) -> tuple[str, str]:
        most = say("{nats} nats", nats=round(MOST_LOSS))
        return say("loss 0"), most

    def _width(self) -> float:
        bold, plain = QFontMetrics(theme.font(12, bold=True)), QFontMetrics(theme.font(12))
        items = sum(
            bold.horizontalAdvance(sample) + plain.horizontalAdvance(meaning) + theme.px(36)
            for _, sample, meaning in self._items()
        )
        note = plain.horizontalAdvance(self._note) + theme.px(15) if self._note else 0
        return items + note + sum(map(plain.horizontalAdvance, self._scale())) + theme.px(86)

    @property
    def _has_scale(self) -> bool:
        return self._width() <= self.width()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        x, height = 0.0, float(self.height())
        plain, bold = QFontMetrics(theme.font(12)), QFontMetrics(theme.font(12, bold=True))
        for fate, sample, meaning in self._items():
            width = bold.horizontalAdvance(sample) + theme.px(14)
            paint_token(painter, QRectF(x, 1, width, height - 2), sample, fate, "special", 12 / 13.5)
            x += width + theme.px(5)
            room = plain.horizontalAdvance(meaning) + theme.px(4)
            theme.draw_text(painter, QRectF(x, 0, room, height), meaning, "muted", 12)
            x += room + theme.px(11)
        if self._note:
            room = plain.horizontalAdvance(self._note) + theme.px(4)
            theme.draw_text(painter, QRectF(x, 0, room, height), self._note, "muted", 12)
            x += room + theme.px(11)
        if not self._has_scale:  # the fates come first
            return
        low, high = self._scale()
        room = plain.horizontalAdvance(low) + theme.px(6)
        theme.draw_text(painter, QRectF(x, 0, room, height), low, "muted", 12)
        x += room
        steps, bar = 30, theme.px(60)
        painter.setPen(Qt.PenStyle.NoPen)
        for step in range(steps):
            painter.setBrush(loss_color(MOST_LOSS * step / (steps - 1)))
            painter.drawRect(QRectF(x + bar * step / steps, height / 2 - 3, bar / steps + 0.6, 6))
        x += bar + theme.px(6)
        theme.draw_text(painter, QRectF(x, 0, self.width() - x, height), high, "muted", 12)
