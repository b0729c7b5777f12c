"""Rows of small bars, red above zero and blue below, each row with its own scale.

A baseline is a line across the bars, or the bars are differences.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from ...look import numbers, theme
from ...widgets.charts.pointer import PointerWidget

LEAST_CHANGE = 1e-3  # that the scale of a difference reaches to: rounding errors stay flat
TITLE_PX, LABEL_PX = 19, 17
LEAST_BARS_PX, LARGEST_BARS_PX = 22, 70
STRONG, PALE = 0.95, 0.6  # places on the signed scale: of the marked bar, and of the others
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


class BarStrips(PointerWidget):
    """Strips of bars; a cell is (strip, bar). Left and right: the bar beside the marked one, in the last strip."""

    arrows_click = True

    def __init__(self, name: str) -> None:
        super().__init__(name, Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.strips: list[Strip] = []

    def set_strips(self, strips: Sequence[Strip]) -> None:
        resized = len(strips) != len(self.strips)
        self.strips = list(strips)
        self.setAccessibleDescription(". ".join(f"{strip.title} {strip.result}" for strip in strips))
        if resized:
            self.updateGeometry()
        self.update()

    def bar_rect(self, strip: int, bar: int) -> QRectF:
        """The whole height that a bar may take."""
        area = self._area(strip)
        width = area.width() / max(len(self.strips[strip].values), 1)
        return QRectF(area.x() + bar * width, area.y(), width, area.height())

    def _heights(self) -> tuple[float, float]:
        """Of the bars, and of what stands above and below all of them."""
        fixed = sum(theme.px(TITLE_PX) + (theme.px(LABEL_PX) if strip.labels else theme.px(4)) for strip in self.strips)
        free = (self.height() - fixed) / max(len(self.strips), 1)
        return min(max(free, theme.px(LEAST_BARS_PX)), theme.px(LARGEST_BARS_PX)), fixed

    def _area(self, index: int) -> QRectF:
        bars, _ = self._heights()
        y = 0.0
        for strip in self.strips[:index]:
            y += theme.px(TITLE_PX) + bars + (theme.px(LABEL_PX) if strip.labels else theme.px(4))
        return QRectF(0, y + theme.px(TITLE_PX), self.width() - theme.px(RANGE_PX), bars)

    def _paint_strip(self, painter: QPainter, index: int) -> None:
        strip, area = self.strips[index], self._area(index)
        self._paint_title(painter, strip, area)
        painter.setPen(QPen(theme.color("line"), 1))
        low, high = strip.ends
        height = area.height() / ((high - low) or 1)  # of a bar of 1
        zero = area.bottom() + low * height
        painter.drawLine(QPointF(area.left(), zero), QPointF(area.right(), zero))
        width = area.width() / max(len(strip.values), 1)
        thin = max(width * 0.72, 1.0)
        painter.setPen(Qt.PenStyle.NoPen)
        for bar, value in enumerate(strip.values):
            if not np.isfinite(value) or (strip.is_difference and abs(value) < LEAST_CHANGE / 10):
                continue
            color = theme.diverging_color(math.copysign(STRONG if bar == strip.marked else PALE, value))
            painter.setBrush(theme.color("mask") if (index, bar) == self.hovered_cell else color)
            x = area.x() + (bar + 0.5) * width - thin / 2
            top = min(zero, zero - value * height)
            painter.drawRect(QRectF(x, top, thin, max(abs(value) * height, 0.8)))
        if strip.before is not None:
            painter.setPen(QPen(theme.color("ink"), theme.stroke(1.6)))
            for bar, value in enumerate(strip.before):
                if np.isfinite(value):
                    left, y = area.x() + bar * width, zero - value * height
                    painter.drawLine(QPointF(left, y), QPointF(left + max(width, 2.0), y))
        if strip.labels:
            self._paint_labels(painter, strip, area, width)

    def _paint_title(self, painter: QPainter, strip: Strip, area: QRectF) -> None:
        top = QRectF(0, area.y() - theme.px(TITLE_PX), self.width(), theme.px(TITLE_PX))
        theme.draw_text(painter, top, strip.result, "ink", align=theme.RIGHT, bold=True)
        top.setWidth(max(top.width() - painter.fontMetrics().horizontalAdvance(strip.result) - theme.px(8), 0))
        theme.draw_text(painter, top, strip.title, "muted")
        painter.setFont(theme.font(10.5))
        side = area.right() + theme.px(5)
        low, high = strip.ends
        painter.drawText(QPointF(side, area.y() + theme.px(9)), numbers.number(high))
        painter.drawText(QPointF(side, area.bottom() - 1), numbers.number(low))

    def _paint_labels(self, painter: QPainter, strip: Strip, area: QRectF, width: float) -> None:
        painter.setFont(theme.font(10.5))
        metrics = painter.fontMetrics()
        order = sorted(range(len(strip.labels)), key=lambda bar: (bar != strip.marked, bar))
        taken: list[tuple[float, float]] = []
        for bar in order:
            text = metrics.elidedText(strip.labels[bar], Qt.TextElideMode.ElideRight, int(max(width, theme.px(46))))
            long = metrics.horizontalAdvance(text)
            left = min(max(area.x() + (bar + 0.5) * width - long / 2, 0), area.right() - long)
            if any(left < stop + 3 and left + long > start - 3 for start, stop in taken):
                continue
            taken.append((left, left + long))
            painter.setPen(theme.color("accent" if bar == strip.marked else "muted"))
            painter.drawText(QPointF(left, area.bottom() + metrics.ascent() + 2), text)

    def cell_at(self, point: QPointF) -> tuple[int, int] | None:
        for index, strip in enumerate(self.strips):
            area = self._area(index)
            if area.adjusted(0, 0, 0, theme.px(LABEL_PX)).contains(point) and len(strip.values):
                bar = int((point.x() - area.x()) / area.width() * len(strip.values))
                return index, min(max(bar, 0), len(strip.values) - 1)
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
        return QSize(theme.px(420), round(self._heights()[1]) + len(self.strips) * theme.px(44))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(260), round(self._heights()[1]) + len(self.strips) * theme.px(LEAST_BARS_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        for index in range(len(self.strips)):
            self._paint_strip(painter, index)
