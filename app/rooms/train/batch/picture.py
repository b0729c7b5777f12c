"""A batch in pictures: all its sequences at once, one of them word by word, and what the marks on its tokens mean."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QSizePolicy

from ....compute.batches import ASKED, HIDDEN, KEPT, REPLACED, RIGHT, WRONG, ShownBatch
from ....look import mark, numbers, say, theme
from ....widgets.charts.drawing import Box, Drawing, Shape, Words
from ....widgets.charts.pointer import next_of
from ....widgets.wrapped import WrappedBoxes

MOST_LOSS = 8.0  # nats; what is worse has the same colour
BOX_PX, PADDING_PX, LINE_PX = 30, 6, 4
TAGGED_PX = 46  # with a tag below the word
MOST_ROW_PX, LEAST_ROW_PX, NUMBER_PX, MARK_PX = 18, 2, 24, 16
LEGEND_PX, SAMPLE_PX = 24, 12
CENTER = Qt.AlignmentFlag.AlignCenter


class Mark(NamedTuple):
    """How a token with one fate is drawn: filled, dashed or outlined, so that it is told without colour too."""

    line: str  # a colour of the theme
    fill: str = ""  # "": that of its segment
    dashed: bool = False
    is_masked: bool = False  # it is in the colour of masks
    sample: str = mark("word")
    meaning: str = ""  # in the legend


MARKS = {
    HIDDEN: Mark("mask", "mask", is_masked=True, sample="[MASK]", meaning=mark("hidden")),
    REPLACED: Mark("mask", "card", dashed=True, is_masked=True, meaning=mark("a random word instead")),
    KEPT: Mark("mask", "mask_tint", is_masked=True, meaning=mark("left as it was")),
    ASKED: Mark("ink"),
    RIGHT: Mark("good", meaning=mark("answered correctly")),
    WRONG: Mark("bad", dashed=True, meaning=mark("answered incorrectly")),
}


def loss_color(loss: float) -> QColor:
    """Near the background where the model was right, dark where it was wrong."""
    return theme.diverging_color(0.12 + 0.88 * min(max(0.0 if math.isnan(loss) else loss, 0.0) / MOST_LOSS, 1.0))


def token_shapes(body: QRectF, word: str, fate: int, segment: str, factor: float = 1.0) -> Iterator[Shape]:
    """A token as its fate has it; segment: its name in the theme, as ShownBatch.segment gives it."""
    drawn = MARKS.get(fate, Mark(""))
    inner, radius_px = body.adjusted(0.8, 0.8, -0.8, -0.8), theme.px(4 * factor)
    fill = drawn.fill or f"{segment}_tint"
    yield Box(inner, fill, drawn.line, theme.stroke(1.6), radius_px, drawn.dashed)
    ink: str | QColor = "mask" if drawn.is_masked else segment
    if fill == drawn.line:
        ink = theme.ink_on(theme.color(fill))
    yield Words(body.adjusted(0, 0, -2, 0).translated(1, 0), word, ink, 13.5 * factor, bool(drawn.line), CENTER)


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
        self.words: list[str] = []
        self.tags: list[str] = []  # the right tag of each token, "" for those without one

    def show_sequence(self, batch: ShownBatch | None, row: int) -> None:
        self._batch, self._row = batch, row
        ids = [] if batch is None else batch.ids[row, : batch.length(row)].tolist()
        self.words = [] if batch is None else [batch.words[number] for number in ids]
        self.tags = [""] * len(ids)
        unit = batch.task.unit(row) if batch and batch.task is not None and batch.task.kind == "tag" else None
        for place in () if unit is None else unit.places:
            self.tags[place.position] = str(place.right)
        self._box_px = TAGGED_PX if any(self.tags) else BOX_PX
        self.hovered_cell = None
        self.setAccessibleDescription(" ".join(self.words[:200]))
        self.lay_out()

    def box_widths(self) -> list[float]:
        word, tag = (QFontMetrics(self.sized_font(size, bold=True)).horizontalAdvance for size in (13.5, 10.5))
        padding, most = 2 * self.px(PADDING_PX), float(max(self.width(), 1))
        both = zip(self.words, self.tags, strict=True)
        return [min(max(word(text), tag(right)) + padding, most) for text, right in both]

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        if self._batch is not None:
            for shape in self._shapes(self._batch, number, box):
                shape.paint(painter)

    def _shapes(self, batch: ShownBatch, number: int, box: QRectF) -> Iterator[Shape]:
        at, line = (self._row, number), self.px(LINE_PX)
        body = box.adjusted(1, 1, -1, -line - 2)
        if any(self.tags):
            room = self.px(TAGGED_PX - BOX_PX)
            below = QRectF(body.x(), body.bottom() - room, body.width(), room)
            body.setBottom(below.top())
            yield Words(below, self.tags[number], "muted", 10.5 * self.factor, align=CENTER)
        yield from token_shapes(body, self.words[number], int(batch.fates[at]), batch.segment(*at), self.factor)
        if batch.losses is not None and batch.fates[at] > 0:
            under = QRectF(body.x() + 1, box.bottom() - line, body.width() - 2, line)
            yield Box(under, loss_color(float(batch.losses.losses[at])), radius_px=1.5)
        if number in (self._selected, self.hovered_cell):
            width_px = theme.stroke(2.0 if number == self._selected else 1.2)
            yield Box(box.adjusted(0.5, 0.5, -0.5, 0), "", "accent", width_px, self.px(5))


class BatchMap(Drawing):
    """All sequences, a line for each, dark where the model was wrong. Up and Down choose the next one."""

    arrows_click = True
    hint_px, least_px = (150, MOST_ROW_PX * 16), (100, 120)

    def __init__(self) -> None:
        super().__init__(say("All sequences of the batch"), Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self._batch: ShownBatch | None = None
        self._selected = 0

    def show_batch(self, batch: ShownBatch | None) -> None:
        self._batch = batch
        self.redraw()

    @property
    def count(self) -> int:
        return 0 if self._batch is None else len(self._batch.ids)

    def row_rect(self, row: int) -> QRectF:
        height = self._row_height()
        return QRectF(0, row * height, self.width(), height)

    def cell_at(self, point: QPointF) -> int | None:
        row = int(point.y() // self._row_height())
        return row if 0 <= row < self.count else None

    def cell_after(self, cell: int | None, key: int) -> int | None:
        return next_of(self.count, cell, key)

    def _row_height(self) -> float:
        return max(min(self.height() / max(self.count, 1), theme.px(MOST_ROW_PX)), LEAST_ROW_PX)

    @property
    def _is_numbered(self) -> bool:
        return self._row_height() >= theme.type_px(10.5)

    def _margins(self, batch: ShownBatch) -> tuple[float, float]:
        """The room for the number of a sequence at the left, and for whether its answers are right."""
        left = float(theme.px(NUMBER_PX)) if self._is_numbered else 3.0
        has_marks = self._is_numbered and bool(((batch.fates == RIGHT) | (batch.fates == WRONG)).any())
        return left, float(theme.px(MARK_PX)) if has_marks else 0.0

    def shapes(self) -> Iterator[Shape]:
        batch = self._batch
        if batch is None:
            return
        left, right = self._margins(batch)
        cell, gap = (self.width() - left - right - 4) / batch.ids.shape[1], 1.5 if self._row_height() >= 6 else 0.0
        losses = None if batch.losses is None else batch.losses.losses
        for row in range(self.count):
            line = self.row_rect(row).adjusted(0, gap, 0, -gap)
            fates = batch.fates[row]
            for column in range(batch.length(row)):
                fill: str | QColor = f"{batch.segment(row, column)}_tint"
                if fates[column] > 0:
                    fill = "mask" if losses is None else loss_color(float(losses[row, column]))
                yield Box(QRectF(left + column * cell, line.y(), cell + 0.4, line.height()), fill)
            if right and ((fates == RIGHT) | (fates == WRONG)).any():
                text, color = ("✗", "bad_text") if (fates == WRONG).any() else ("✓", "good_text")
                box = QRectF(self.width() - right, self.row_rect(row).y(), right - 2, self._row_height())
                yield Words(box, text, color, 10.5, align=theme.RIGHT)

    def overlay(self) -> Iterator[Shape]:
        if self._batch is None:
            return
        left, right = self._margins(self._batch)
        for row in range(self.count):
            rect = self.row_rect(row)
            if self._is_numbered:
                box = QRectF(0, rect.y(), left - theme.px(5), rect.height())
                color = "ink" if row == self._selected else "faint"
                yield Words(box, numbers.count(row + 1), color, 10.5, align=theme.RIGHT)
            if row in (self._selected, self.hovered_cell):
                width_px = theme.stroke(2.0 if row == self._selected else 1.2)
                yield Box(rect.adjusted(left - 2, 0, -right - 2, 0), "", "accent", width_px, 2)


class BatchLegend(Drawing):
    """The fates by a sample of each, and the scale of the losses where there is room for it."""

    least_px = (120, LEGEND_PX)

    def __init__(self) -> None:
        super().__init__("")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._fates: tuple[int, ...] = ()
        self._note = ""

    def show_batch(self, batch: ShownBatch) -> None:
        self._fates = batch.marks
        has_tags = batch.task is not None and batch.task.kind == "tag"
        self._note = say("below each word: the right tag") if has_tags else ""
        meanings = [say(MARKS[fate].meaning) for fate in self._fates]
        self.setAccessibleName(", ".join(filter(None, (*meanings, self._note))))
        self.updateGeometry()
        self.redraw()

    def sizeHint(self) -> QSize:
        return QSize(round(self._placed()[2]), theme.px(LEGEND_PX))

    def shapes(self) -> Iterator[Shape]:
        fates, scale, width = self._placed()
        yield from fates
        if width <= self.width():  # the fates come first
            yield from scale

    def _placed(self) -> tuple[list[Shape], list[Shape], float]:
        """The fates, the scale, and how wide both are."""
        plain, bold = (QFontMetrics(theme.font(SAMPLE_PX, bold=is_bold)).horizontalAdvance for is_bold in (False, True))
        fates: list[Shape] = []
        x, height = 0.0, float(theme.px(LEGEND_PX))
        for fate in self._fates:
            sample = MARKS[fate].sample if fate == HIDDEN else say(MARKS[fate].sample)
            body = QRectF(x, 1, bold(sample) + theme.px(14), height - 2)
            fates += token_shapes(body, sample, fate, "special", SAMPLE_PX / 13.5)
            x = body.right() + theme.px(5)
            meaning = say(MARKS[fate].meaning)
            fates.append(Words(QRectF(x, 0, plain(meaning) + theme.px(4), height), meaning, "muted"))
            x += plain(meaning) + theme.px(15)
        if self._note:
            fates.append(Words(QRectF(x, 0, plain(self._note) + theme.px(4), height), self._note, "muted"))
            x += plain(self._note) + theme.px(15)
        low, high = say("loss 0"), say("loss {loss}", loss=round(MOST_LOSS))
        scale: list[Shape] = [Words(QRectF(x, 0, plain(low) + theme.px(6), height), low, "muted")]
        x += plain(low) + theme.px(6)
        steps, bar = 30, theme.px(60)
        for step in range(steps):
            part = QRectF(x + bar * step / steps, height / 2 - 3, bar / steps + 0.6, 6)
            scale.append(Box(part, loss_color(MOST_LOSS * step / (steps - 1))))
        x += bar + theme.px(6)
        scale.append(Words(QRectF(x, 0, plain(high) + theme.px(4), height), high, "muted"))
        return fates, scale, x + plain(high) + theme.px(14 + 2 * len(self._fates))
