"""Rows of small bars, red above zero and blue below, each row with its own scale.

A baseline is a line across the bars, or the bars are differences.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QSizePolicy

from ...look import numbers, theme
from ...widgets.charts.drawing import Box, Drawing, Line, Shape, Words

LEAST_CHANGE = 1e-3  # that the scale of a difference reaches to: rounding errors stay flat
TITLE_PX, LABEL_PX = 19, 17
LEAST_BARS_PX, LARGEST_BARS_PX = 22, 70
STRONG, PALE = 0.95, 0.6  # places on the signed scale: of the marked bar, and of the others
SMALL = 10.5  # type
RANGE_PX = 52  # at the right, for the ends of the scale


@dataclass(frozen=True, eq=False)
class Strip:
    """One row of bars. labels (K) stand below it; empty: none. marked: the bar that matters."""

    title: str
    result: str  # bold, at the right end of the title
    values: np.ndarray  # (K); an infinite value has no bar
    labels: Sequence[str] = ()
    marked: int | None = None
    before: np.ndarray | None = None  # (K) in the baseline: a line across each bar; NaN where there is none
    is_difference: bool = False  # now minus before

    @property
    def ends(self) -> tuple[float, float]:
        """The scale, from its lower end to its upper one; zero is among it, of a difference in the middle."""
        values = self.values if self.before is None else np.concatenate([self.values, self.before])
        finite = values[np.isfinite(values)]
        low, high = float(finite.min(initial=0.0)), float(finite.max(initial=0.0))
        most = max(-low, high, LEAST_CHANGE)
        return (-most, most) if self.is_difference else (low, high)


class BarStrips(Drawing):
    """Strips of bars; a cell is (strip, bar). Left and right: the bar beside the marked one, in the last strip."""

    arrows_click = True

    def __init__(self, name: str) -> None:
        super().__init__(name, Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.strips: list[Strip] = []
        self.hovered.connect(lambda _cell: self.redraw())

    def set_strips(self, strips: Sequence[Strip]) -> None:
        is_resized = len(strips) != len(self.strips)
        self.strips = list(strips)
        self.setAccessibleDescription(". ".join(f"{strip.title} {strip.result}" for strip in strips))
        if is_resized:
            self.updateGeometry()
        self.redraw()

    def bar_rect(self, strip: int, bar: int) -> QRectF:
        """The whole height that a bar may take."""
        area = self._areas()[strip]
        width = area.width() / max(len(self.strips[strip].values), 1)
        return QRectF(area.x() + bar * width, area.y(), width, area.height())

    def _around(self) -> list[float]:
        """What stands above and below the bars of each strip."""
        return [theme.px(TITLE_PX) + theme.px(LABEL_PX if len(strip.labels) else 4) for strip in self.strips]

    def _areas(self) -> list[QRectF]:
        """Of the bars of each strip."""
        around, y, areas = self._around(), 0.0, []
        free = (self.height() - sum(around)) / max(len(around), 1)
        height = min(max(free, theme.px(LEAST_BARS_PX)), theme.px(LARGEST_BARS_PX))
        for fixed in around:
            areas.append(QRectF(0, y + theme.px(TITLE_PX), self.width() - theme.px(RANGE_PX), height))
            y += fixed + height
        return areas

    def shapes(self) -> Iterator[Shape]:
        for index, (strip, area) in enumerate(zip(self.strips, self._areas(), strict=True)):
            low, high = strip.ends
            yield from self._title(strip, area)
            scale = area.height() / ((high - low) or 1)  # of a bar of 1
            zero, width = area.bottom() + low * scale, area.width() / max(len(strip.values), 1)
            yield Line(QPointF(area.left(), zero), QPointF(area.right(), zero), snaps=False)
            thin = max(width * 0.72, 1.0)
            for bar, value in enumerate(strip.values):
                if not np.isfinite(value) or (strip.is_difference and abs(value) < LEAST_CHANGE / 10):
                    continue
                color = theme.diverging_color(math.copysign(STRONG if bar == strip.marked else PALE, value))
                left, top = area.x() + (bar + 0.5) * width - thin / 2, min(zero, zero - value * scale)
                rect = QRectF(left, top, thin, max(abs(value) * scale, 0.8))
                yield Box(rect, "mask" if (index, bar) == self.hovered_cell else color)
            for bar, value in enumerate(() if strip.before is None else strip.before):
                if np.isfinite(value):
                    left, y = area.x() + bar * width, zero - value * scale
                    end = QPointF(left + max(width, 2.0), y)
                    yield Line(QPointF(left, y), end, "ink", theme.stroke(1.6), snaps=False)
            yield from self._labels(strip, area, width)

    def _title(self, strip: Strip, area: QRectF) -> Iterator[Shape]:
        """And the ends of the scale, at the right."""
        top = QRectF(0, area.y() - theme.px(TITLE_PX), self.width(), theme.px(TITLE_PX))
        yield Words(top, strip.result, bold=True, align=theme.RIGHT)
        taken = QFontMetrics(theme.font(12, bold=True)).horizontalAdvance(strip.result) + theme.px(8)
        yield Words(QRectF(top.topLeft(), QSizeF(max(top.width() - taken, 0), top.height())), strip.title, "muted")
        low, high = strip.ends
        for number, baseline in ((high, area.y() + theme.px(9)), (low, area.bottom() - 1)):
            yield _small(numbers.number(number), QPointF(area.right() + theme.px(5), baseline), "muted")

    def _labels(self, strip: Strip, area: QRectF, width: float) -> Iterator[Shape]:
        """Those that there is room for, the marked one first."""
        metrics, taken = QFontMetrics(theme.font(SMALL)), list[tuple[float, float]]()
        for bar in sorted(range(len(strip.labels)), key=lambda bar: (bar != strip.marked, bar)):
            text = metrics.elidedText(strip.labels[bar], Qt.TextElideMode.ElideRight, int(max(width, theme.px(46))))
            long = metrics.horizontalAdvance(text)
            left = min(max(area.x() + (bar + 0.5) * width - long / 2, 0), area.right() - long)
            if not any(left < stop + 3 and left + long > start - 3 for start, stop in taken):
                taken.append((left, left + long))
                at = QPointF(left, area.bottom() + metrics.ascent() + 2)
                yield _small(text, at, "accent" if bar == strip.marked else "muted")

    def cell_at(self, point: QPointF) -> tuple[int, int] | None:
        for index, area in enumerate(self._areas()):
            count = len(self.strips[index].values)
            if area.adjusted(0, 0, 0, theme.px(LABEL_PX)).contains(point) and count:
                return index, min(max(int((point.x() - area.x()) / area.width() * count), 0), count - 1)
        return None

    def cell_after(self, cell: tuple[int, int] | None, key: int) -> tuple[int, int] | None:
        step = {Qt.Key.Key_Left.value: -1, Qt.Key.Key_Right.value: 1}.get(key)
        if step is None or cell is None:
            return None
        return cell[0], min(max(cell[1] + step, 0), len(self.strips[-1].values) - 1)

    def selected_cell(self) -> tuple[int, int] | None:
        marked = self.strips[-1].marked if self.strips else None
        return None if marked is None else (len(self.strips) - 1, marked)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(420), round(sum(self._around())) + len(self.strips) * theme.px(44))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(260), round(sum(self._around())) + len(self.strips) * theme.px(LEAST_BARS_PX))


def _small(text: str, baseline: QPointF, color: str) -> Words:
    """Small words whose letters stand at a height."""
    metrics = QFontMetrics(theme.font(SMALL))
    box = QRectF(baseline.x(), baseline.y() - metrics.ascent(), metrics.horizontalAdvance(text) + 2, metrics.height())
    return Words(box, text, color, SMALL)
