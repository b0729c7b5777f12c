"""Three columns of bars beside the same tokens: attention, gradient, removal. Each has a scale of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import theme

ROW_PX, TITLE_PX = 21, 24
TOKEN_PX, NUMBER_PX, LEAST_BAR_PX = 96, 58, 30
DIGITS = 3  # that count, of the longest bar's number
FEWEST_DECIMALS, MOST_DECIMALS = 3, 6  # for more there is no room


@dataclass(frozen=True, eq=False)
class Column:
    """One number for each token; NaN where it was not worked out."""

    title: str
    values: np.ndarray  # (K)
    is_signed: bool

    @property
    def largest(self) -> float:
        """Whatever its sign; 0 where there is none."""
        return float(np.nanmax(np.abs(self.values), initial=0.0))


class CheckView(QWidget):
    """Rows are tokens; the bars of a column reach to its own largest number."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Attention, gradient and removal, token by token")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.tokens: list[str] = []
        self.columns: list[Column] = []

    def set_columns(self, tokens: Sequence[str], columns: Sequence[Column]) -> None:
        """tokens (K): a name for each row."""
        self.tokens, self.columns = list(tokens), list(columns)
        lines = (
            f"{token}: " + ", ".join(f"{column.title} {_number(column, row)}" for column in columns)
            for row, token in enumerate(tokens)
        )
        self.setAccessibleDescription(". ".join(lines))
        self.updateGeometry()
        self.update()

    def _paint_column(self, painter: QPainter, column: Column, area: QRectF) -> None:
        painter.setFont(theme.font(12.5, bold=True))
        painter.setPen(theme.color("ink"))
        top = QRectF(area.x(), 0, area.width(), theme.px(TITLE_PX))
        painter.drawText(top, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, column.title)
        is_narrow = area.width() < theme.px(NUMBER_PX + LEAST_BAR_PX)  # then numbers stand on pale bars
        bars = area if is_narrow else area.adjusted(0, 0, -theme.px(NUMBER_PX), 0)
        zero = bars.center().x() if column.is_signed else bars.left()
        painter.setPen(QPen(theme.color("line"), 1))
        painter.drawLine(QPointF(zero, area.top()), QPointF(zero, area.bottom()))
        reach = column.largest or 1.0
        longest = bars.width() / (2 if column.is_signed else 1)
        painter.setFont(theme.font(12))
        for row, value in enumerate(column.values):
            line = QRectF(bars.x(), area.y() + row * theme.px(ROW_PX), bars.width(), theme.px(ROW_PX))
            if np.isfinite(value):
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.color("bad" if value < 0 else "bar_strong", 80 if is_narrow else 255))
                length = float(value) / reach * longest
                bar = QRectF(min(zero, zero + length), line.y() + 4, max(abs(length), 1.0), line.height() - 8)
                painter.drawRoundedRect(bar, 2, 2)
            painter.setPen(theme.color("ink" if is_narrow else "muted"))
            box = QRectF(
                (bars.left() if is_narrow else bars.right()) + theme.px(4), line.y(), theme.px(NUMBER_PX), line.height()
            )
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, _number(column, row))

    def sizeHint(self) -> QSize:
        return QSize(theme.px(480), theme.px(TITLE_PX) + len(self.tokens) * theme.px(ROW_PX))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(250), self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.columns:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(theme.font(12.5))
        metrics = QFontMetrics(painter.font())
        side, gap = min(theme.px(TOKEN_PX), round(self.width() * 0.28)), theme.px(6)
        for row, token in enumerate(self.tokens):
            painter.setPen(theme.color("ink"))
            text = metrics.elidedText(token, Qt.TextElideMode.ElideRight, side - theme.px(8))
            box = QRectF(0, theme.px(TITLE_PX) + row * theme.px(ROW_PX), side, theme.px(ROW_PX))
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
        width = (self.width() - side) / len(self.columns)
        for number, column in enumerate(self.columns):
            height = len(self.tokens) * theme.px(ROW_PX)
            area = QRectF(side + number * width, theme.px(TITLE_PX), width - gap, height)
            self._paint_column(painter, column, area)


def _number(column: Column, row: int) -> str:
    """As fine as its bar: decimals go by the column's largest number, and very small ones are written 1.2e−7."""
    value = float(column.values[row])
    if not np.isfinite(value):
        return "–"
    decimals = DIGITS - 1 - math.floor(math.log10(column.largest or 1.0))
    if abs(value) < 0.5 * 10.0 ** -max(decimals, FEWEST_DECIMALS):
        return "0"
    sign = "+" if column.is_signed else ""
    form = f"{sign}.1e" if decimals > MOST_DECIMALS else f"{sign}.{max(decimals, FEWEST_DECIMALS)}f"
    return f"{value:{form}}".replace("e-0", "e-").replace("-", "−")
