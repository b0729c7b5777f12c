"""Two lists of words with their probabilities, before and now, and lines that show which word went where."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QSizePolicy

from ..look import say, theme
from ..look.fitting import fitting_line
from .charts.drawing import Box, Drawing, Shape, Words
from .charts.pointer import next_of

ROW_PX, TALLEST_PX = 22, 38
LINK_PX, LINK_SHARE = 70, 0.6  # of the space between the two lists: the least, and its share of the width at most
WIDEST_PX, THINNEST_PX = 10, 1.2  # of a line
GAP_PX = 6


@dataclass(frozen=True)
class ShiftedWord:
    """A word in one of the lists. `number`: its probability as text."""

    label: str
    number: str
    share: float = 0.0  # in the list at the right: its change, 0..1 of the biggest
    change: str = ""  # in the list at the right: "▲ ×2.2"
    sign: int = 0  # 1: likelier than before, -1: less likely
    before: int | None = None  # in the list at the right: its row at the left; None: further down there
    has_line: bool = True  # in the list at the right: the other list may have it at all


class WordShift(Drawing):
    """A row of the right list is a cell; the line to it is thick where the probability has changed much."""

    has_hand = True

    def __init__(self, name: str) -> None:
        super().__init__(name, Qt.FocusPolicy.TabFocus)
        self.hovered.connect(lambda _row: self.redraw())
        self.before: list[ShiftedWord] = []
        self.now: list[ShiftedWord] = []
        self._titles = ("", "")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_words(self, before: list[ShiftedWord], now: list[ShiftedWord], titles: tuple[str, str]) -> None:
        """titles: of the two lists."""
        self.before, self.now = (
            [replace(word, label=fitting_line(word.label)) for word in one] for one in (before, now)
        )
        self._titles = titles
        if self.hovered_cell is not None and self.hovered_cell >= len(now):
            self.hovered_cell = None
        said = ", ".join(f"{word.label} {word.number} {word.change}".strip() for word in now)
        self.setAccessibleDescription(f"{titles[1]}: {said}")
        self.updateGeometry()
        self.redraw()

    @property
    def _rows(self) -> int:
        return max(len(self.before), len(self.now)) + 2  # the titles, and what is further down

    def _row_height(self) -> float:
        return max(float(theme.row_px(ROW_PX)), min(self.height() / self._rows, theme.px(TALLEST_PX)))

    def _middle(self, row: int) -> float:
        """Of a row of the lists; -1: of the titles."""
        return (row + 1.5) * self._row_height()

    def _columns(self) -> tuple[float, float]:
        """Where the lines begin and end: both lists are as wide as they must be, the lines have the rest."""
        metrics = QFontMetrics(theme.font(13, bold=True))

        def needs(words: list[ShiftedWord], *names: str) -> int:
            widest = (
                max((metrics.horizontalAdvance(getattr(one, name)) for one in words), default=0) for name in names
            )
            return sum(widest) + theme.px(2 * GAP_PX) * (len(names) + 1)

        width = self.width()
        left = min(needs(self.before, "number", "label"), width * 0.4)
        free = min(width - needs(self.now, "label", "number", "change"), left + width * LINK_SHARE)
        return left, max(free, min(left + theme.px(LINK_PX), width * 0.6))

    def sizeHint(self) -> QSize:
        return QSize(theme.px(320), self._rows * theme.row_px(ROW_PX))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(230), self._rows * theme.row_px(ROW_PX))

    def cell_at(self, point: QPointF) -> int | None:
        row = int(point.y() // self._row_height()) - 1
        return row if 0 <= row < len(self.now) and point.x() >= self._columns()[1] else None

    def cell_after(self, cell: int | None, key: int) -> int | None:
        return next_of(len(self.now), cell, key)

    def selected_cell(self) -> int | None:
        return 0 if self.now else None

    def shapes(self) -> Iterator[Shape]:
        (start, end), height, gap = self._columns(), self._row_height(), theme.px(GAP_PX)
        title, before = QRectF(0, 0, self.width() - gap, height), (start + end) / 2 + theme.px(4) - self.width()
        yield Words(title.adjusted(theme.px(4), 0, before, 0), self._titles[0], "muted", 11.5)
        yield Words(title.adjusted(end + gap, 0, gap, 0), self._titles[1], "muted", 11.5)
        for row, word in enumerate(self.now):
            if word.has_line:
                at = self._middle(len(self.before) if word.before is None else word.before)
                color = change_color(word.sign)
                color.setAlpha(220 if row == self.hovered_cell else 90 if word.before is None else 150)
                width = max(theme.px(WIDEST_PX) * word.share, THINNEST_PX)
                yield Link(QPointF(start, at), QPointF(end, self._middle(row)), color, width)
        linked = {word.before for word in self.now}
        for row, word in enumerate(self.before):
            box = QRectF(theme.px(4), self._middle(row) - height / 2, start - theme.px(4 + GAP_PX), height)
            yield Words(box, word.number, "muted")
            yield Words(box, word.label, "ink" if row in linked else "muted", 13, align=theme.RIGHT)
        metrics, space, left = QFontMetrics(theme.font(13, bold=True)), theme.px(2 * GAP_PX), end + gap
        labels = max((metrics.horizontalAdvance(word.label) for word in self.now), default=0)
        numbers = max((metrics.horizontalAdvance(word.number) for word in self.now), default=0)
        for row, word in enumerate(self.now):
            box = QRectF(left, self._middle(row) - height / 2, self.width() - left, height)
            if row == self.hovered_cell:
                yield Box(box, "hover", radius_px=theme.px(5))
            label = box.adjusted(theme.px(3), 0, 0, 0)
            number = label.adjusted(min(labels, label.width() * 0.45) + space, 0, 0, 0)
            yield Words(label, word.label, "ink", 13, bold=True)
            yield Words(number, word.number)
            yield Words(number.adjusted(numbers + space, 0, 0, 0), word.change, change_color(word.sign))
        if any(word.before is None and word.has_line for word in self.now):
            box = QRectF(0, self._middle(len(self.before)) - height / 2, start - gap, height)
            yield Words(box, say("further down"), "muted", 11, align=theme.RIGHT)


@dataclass(frozen=True)
class Link:
    """A line from a word of the left list to one of the right."""

    start: QPointF
    end: QPointF
    color: QColor
    width: float

    def paint(self, painter: QPainter) -> None:
        path, half = QPainterPath(self.start), QPointF((self.end.x() - self.start.x()) / 2, 0)
        path.cubicTo(self.start + half, self.end - half, self.end)
        painter.setPen(QPen(self.color, self.width, c=Qt.PenCapStyle.FlatCap))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)


def change_color(sign: int) -> QColor:
    """Red: more than before, blue: less, as on the signed scale; but always so that it can be read."""
    return theme.diverging_color(0.85 * sign) if sign else theme.color("muted")
