"""A sentence with an arrow for each word whose partner a head looks for: right, or wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPainterPath, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy

from ...look import say, theme
from ...widgets.charts.drawing import Drawing, Shape, Words

WORD_PX, TAG_PX, BELOW_PX, LABEL_PX = 14, 10, 44, 16
APART_PX = 14  # between two words


@dataclass(frozen=True)
class Arc:
    """From the word that looks to the word looked at most; numbers of words."""

    start: int
    end: int
    label: str
    is_right: bool


@dataclass(frozen=True)
class _Arrow:
    start: QPointF
    end: QPointF
    top: float
    label: str
    is_right: bool

    def paint(self, painter: QPainter) -> None:
        color = theme.color("good_text" if self.is_right else "bad_text")
        pen = QPen(color, theme.stroke(1.6))
        pen.setStyle(Qt.PenStyle.SolidLine if self.is_right else Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        path, high = QPainterPath(self.start), self.start.y() - (self.start.y() - self.top) * 4 / 3
        path.cubicTo(QPointF(self.start.x(), high), QPointF(self.end.x(), high), self.end)
        painter.drawPath(path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        tip, side = self.end + QPointF(0, 2), theme.px(4)
        painter.drawPolygon(QPolygonF([tip, tip - QPointF(side, 2 * side), tip - QPointF(-side, 2 * side)]))
        metrics = QFontMetrics(theme.font(10.5, medium=True))
        width, height = metrics.horizontalAdvance(self.label) + theme.px(6), theme.px(LABEL_PX)
        box = QRectF((self.start.x() + self.end.x() - width) / 2, self.top - height / 2, width, height)
        painter.setBrush(theme.color("card"))
        painter.drawRect(box)
        align = Qt.AlignmentFlag.AlignCenter
        theme.draw_text(painter, box, self.label, color, 10.5, align=align, medium=True)


class SentenceArcs(Drawing):
    """Words in a line, their parts of speech below, arrows above: whole and green if right, dashed and red if not."""

    hint_px, least_px = (600, 170), (200, 110)

    def __init__(self) -> None:
        super().__init__(say("A sentence, and what the best head of each relation looks at"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.words: Sequence[str] = ()
        self.tags: Sequence[str] = ()
        self.arcs: Sequence[Arc] = ()

    def set_sentence(self, words: Sequence[str], tags: Sequence[str], arcs: Sequence[Arc]) -> None:
        """words, tags (W)."""
        self.words, self.tags, self.arcs = words, tags, arcs
        named = (f"{words[arc.start]} → {words[arc.end]} ({arc.label})" for arc in arcs)
        self.setAccessibleDescription(f"{' '.join(words)}. {', '.join(named)}")
        self.values_changed()

    def shapes(self) -> Iterator[Shape]:
        if not self.words:
            return
        metrics = QFontMetrics(theme.font(WORD_PX, medium=True))
        small = QFontMetrics(theme.font(TAG_PX))
        wide = [
            max(metrics.horizontalAdvance(word), small.horizontalAdvance(tag)) + theme.px(APART_PX)
            for word, tag in zip(self.words, self.tags, strict=True)
        ]
        scale = min(self.width() / sum(wide), 2.0)  # where there is no room, words end in …
        line = self.height() - theme.px(BELOW_PX)
        left, middles, center = (self.width() - sum(wide) * scale) / 2, list[float](), Qt.AlignmentFlag.AlignCenter
        for word, tag, width in zip(self.words, self.tags, wide, strict=True):
            box = QRectF(left, line, width * scale, theme.px(24))
            middles.append(box.center().x())
            yield Words(box, word, "ink", WORD_PX, align=center, medium=True)
            yield Words(box.translated(0, theme.px(20)), tag, "muted", TAG_PX, align=center)
            left += width * scale
        levels = levels_of(self.arcs)
        room = (line - theme.px(LABEL_PX)) / max(levels, default=1)
        for arc, level in sorted(zip(self.arcs, levels, strict=True), key=lambda one: -one[1]):
            top = line - room * level
            start, end = (QPointF(middles[at], line) for at in (arc.start, arc.end))
            yield _Arrow(start, end, top, arc.label, arc.is_right)


def levels_of(arcs: Sequence[Arc]) -> list[int]:
    """How high each arc is, from 1: higher than the shorter ones that it goes over, so that no label covers another."""
    spans = [sorted((arc.start, arc.end)) for arc in arcs]
    levels = [0] * len(arcs)
    for at in sorted(range(len(arcs)), key=lambda one: spans[one][1] - spans[one][0]):
        begin, end = spans[at]
        over = (levels[other] for other, (low, high) in enumerate(spans) if low < end and begin < high)
        levels[at] = 1 + max(over, default=0)
    return levels
