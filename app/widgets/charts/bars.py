"""Bars with a word before and a number behind: probabilities, norms, cosines, attention."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QSizePolicy

from ...look import theme
from ...look.fitting import fitting_line
from .drawing import Box, Drawing, Line, Shape, Words
from .pointer import next_of

ROW_PX = 22
BAR_PX = 14
NUMBER_PX, WHOLE_NUMBER_PX = 48, 150
LEAST_ROWS = 4
LABEL_SHARE = 0.42  # of the width, at most


@dataclass(frozen=True)
class Bar:
    """One row. `fraction` is the bar's length, 0..1 of the longest that fits; `color` a name in the theme."""

    label: str
    number: str
    fraction: float
    color: str = "bar"
    is_strong: bool = False  # the row that matters: bold, and `mark` behind its number
    mark: str = ""
    note: str = ""  # small and muted, behind the label: the position of a token
    sign: int = 0  # of a difference, 1 more or -1 less: its colour in the place of `color`
    before: float | None = None  # the baseline's length, as a line across the bar
    low: float | None = None  # the ends of its interval, which may lie below zero: a line with two ends
    high: float | None = None
    tick: float | None = None  # another length that it is measured against, as a coloured line across the bar


class BarList(Drawing):
    """Rows of bars that begin at zero. With `clickable`, a row answers mouse and keyboard."""

    has_hand = True

    def __init__(
        self,
        name: str,
        *,
        clickable: bool = False,
        arrows_click: bool = False,
        stretch_to_px: int = ROW_PX,
        may_cut: bool = False,
        label_share: float = LABEL_SHARE,
        line_at: float | None = None,
        of_whole: bool = False,
    ) -> None:
        """name: what the bars are, for screen readers. arrows_click: the arrow keys choose the next row. stretch_to_px:
        rows grow up to this where the layout stretches the list. may_cut: the last rows may be left out where there is
        no room. label_share: of the width, which long labels may take. line_at: a length, 0..1, with a dotted line
        through all rows. of_whole: fractions of 1, which the empty part of a bar shows; the scale is the same whatever
        stands behind the bars."""
        focus = Qt.FocusPolicy.StrongFocus if arrows_click else Qt.FocusPolicy.TabFocus
        super().__init__(name, focus if clickable else Qt.FocusPolicy.NoFocus)
        self.arrows_click = arrows_click
        self.bars: list[Bar] = []
        self._clickable = clickable
        self._may_cut, self._label_share = may_cut, label_share
        self._line_at, self.is_of_whole = line_at, of_whole
        self._most_row = theme.px(stretch_to_px)
        self.row_beside: Callable[[int], QRectF] | None = None  # of a picture beside it, whose rows it goes on
        grows = stretch_to_px > ROW_PX or may_cut
        vertical = QSizePolicy.Policy.Expanding if grows else QSizePolicy.Policy.Fixed
        self.setSizePolicy(QSizePolicy.Policy.Expanding, vertical)
        self.hovered.connect(self.redraw)

    def set_bars(self, bars: list[Bar]) -> None:
        self.bars = bars = [replace(bar, label=fitting_line(bar.label)) for bar in bars]
        if self.hovered_cell is not None and self.hovered_cell >= len(bars):
            self.hovered_cell = None
        self.setAccessibleDescription(", ".join(f"{bar.label} {_number(bar)}" for bar in bars))
        self.values_changed()

    def set_strong(self, row: int | None, colors: tuple[str, str] | None = None) -> None:
        """The row that matters, None for none. colors: of this one and of the others, where it has one of its own."""
        is_changed = False
        for place, bar in enumerate(self.bars):
            is_strong = place == row
            color = bar.color if colors is None else colors[not is_strong]
            if (is_strong, color) != (bar.is_strong, bar.color):
                self.bars[place], is_changed = replace(bar, is_strong=is_strong, color=color), True
        if is_changed:
            self.values_changed()

    def row_rect(self, row: int) -> QRectF:
        if self.row_beside is not None:
            beside = self.row_beside(row)
            return QRectF(0, beside.y(), self.width(), beside.height())
        height = self._row_height()
        return QRectF(0, row * height, self.width(), height)

    def line_top(self, y: float) -> float:
        """Where the row at this height begins: where the list is scrolled, none is cut in two."""
        row = int(y // self._row_height())
        return self.row_rect(row).y() if row < len(self.bars) else y

    def _row_height(self) -> float:
        if not self.bars:
            return float(theme.row_px(ROW_PX))
        return max(float(theme.row_px(ROW_PX)), min(self.height() / len(self.bars), self._most_row))

    def shapes(self) -> Iterator[Shape]:
        bold, small = QFontMetrics(theme.font(13, bold=True)), QFontMetrics(theme.font(10.5))
        labels = (bold.horizontalAdvance(bar.label) + small.horizontalAdvance(bar.note + " ") for bar in self.bars)
        left: float = max(max(labels, default=0) + theme.px(14), theme.px(62))
        left = min(left, round(self.width() * self._label_share))
        # What is kept free behind the longest bar: one width for all rows, so that their lengths compare.
        wide = [bold.horizontalAdvance(_number(bar)) + theme.px(10) for bar in self.bars]
        free = max([theme.px(WHOLE_NUMBER_PX if self.is_of_whole else NUMBER_PX), *wide])
        longest, radius = max(self.width() - left - free, 1.0), theme.px(5)
        # With intervals, bars may be below zero, and begin farther right.
        lowest = min(
            (min(bar.low, bar.fraction, 0.0) for bar in self.bars if bar.low is not None and math.isfinite(bar.low)),
            default=0.0,
        )
        begin, left = left, left - longest * lowest / (1 - lowest)
        longest -= left - begin
        rows = min(len(self.bars), int((self.height() + 1) // self._row_height()))
        rows = rows if self.row_beside is None else len(self.bars)
        for row, bar in enumerate(self.bars[:rows]):
            rect = self.row_rect(row)
            if row == self.hovered_cell:
                yield Box(rect.adjusted(-2, 0, 0, 0), "hover", radius_px=radius)
            noted = small.horizontalAdvance(bar.note + "  ") if bar.note else 0
            label = QRectF(theme.px(4), rect.y(), begin - theme.px(6) - noted, rect.height())
            yield Words(label, bar.label, "ink", 13, bar.is_strong)
            if bar.note:
                note = QRectF(0, rect.y(), begin - theme.px(7), rect.height())
                yield Words(note, bar.note, "muted", 10.5, align=theme.RIGHT)
            high = min(theme.px(BAR_PX) + (rect.height() - theme.row_px(ROW_PX)) * 0.4, rect.height() - 4)
            length, middle = max(longest * min(max(bar.fraction, 0.0), 1.0), 2.0), rect.center().y()
            if self.is_of_whole:
                yield Box(QRectF(left, middle - high / 2, longest, high), "track", radius_px=2.5)
            color = theme.signed_color(bar.sign) if bar.sign else bar.color
            box = QRectF(left, middle - high / 2, length, high)
            if bar.low is not None and bar.fraction < 0:
                length = 0.0
                box.setLeft(left + longest * bar.fraction)
                box.setRight(left)
            yield Box(box, color, radius_px=2.5)
            yield from _interval(bar, left, longest, middle, high)
            length = max(length, longest * min(max(bar.high or 0.0, bar.tick or 0.0), 1.0))
            if bar.before is not None:
                before = longest * min(bar.before, 1.0)
                x, reach = left + before, high / 2 + 2
                ends = QPointF(x, middle - reach), QPointF(x, middle + reach)
                yield Line(*ends, "ink", theme.stroke(2), snaps=False)
                length = max(length, before)
            end = longest if self.is_of_whole or self._line_at is not None else length  # no number on a line
            behind = QRectF(left + end + theme.px(7), rect.y(), free * 2, rect.height())
            yield Words(behind, _number(bar), "ink" if bar.is_strong else "muted", 13, bar.is_strong)
        if self._line_at is not None and rows:
            x, bottom = left + self._line_at * longest, rows * self._row_height()
            yield Line(QPointF(x, 0), QPointF(x, bottom), "ink", theme.stroke(1.2), dotted=True, snaps=False)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(200), max(len(self.bars), 1) * theme.row_px(ROW_PX))

    def minimumSizeHint(self) -> QSize:
        rows = max(len(self.bars), 1)
        return QSize(theme.px(120), (min(rows, LEAST_ROWS) if self._may_cut else rows) * theme.row_px(ROW_PX))

    def cell_at(self, point: QPointF) -> int | None:
        row = next((row for row in range(len(self.bars)) if self.row_rect(row).contains(point)), None)
        return row if self._clickable else None

    def cell_after(self, cell: int | None, key: int) -> int | None:
        return next_of(len(self.bars), cell, key) if self._clickable else None

    def selected_cell(self) -> int | None:
        """The first row that matters, where the arrow keys choose."""
        if self.arrows_click:
            return next((row for row, bar in enumerate(self.bars) if bar.is_strong), None)
        return 0 if self._clickable and self.bars else None


def _interval(bar: Bar, zero: float, longest: float, middle: float, high: float) -> Iterator[Shape]:
    """The line with two ends of a bar's interval, and its tick. zero: where bars begin; high: how high they are."""
    ends = [zero + longest * min(at, 1.0) for at in (bar.low, bar.high) if at is not None and math.isfinite(at)]
    if len(ends) == 2:
        yield Line(QPointF(ends[0], middle), QPointF(ends[1], middle), "ink", theme.stroke(1.2), snaps=False)
        for x in ends:
            reach = QPointF(0, high / 4 + 2)
            yield Line(QPointF(x, middle) - reach, QPointF(x, middle) + reach, "ink", theme.stroke(1.2), snaps=False)
    if bar.tick is not None:
        at, reach = QPointF(zero + longest * min(bar.tick, 1.0), middle), QPointF(0, high / 2 + 2)
        yield Line(at - reach, at + reach, "warn", theme.stroke(3), snaps=False)


def _number(bar: Bar) -> str:
    return f"{bar.number}  {bar.mark}" if bar.mark else bar.number
