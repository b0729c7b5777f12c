"""Curves over layers, with axes, a legend and the values at the place that is pointed at. Drawn without pyqtgraph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import theme

LEFT_PX, RIGHT_PX, TOP_PX, BOTTOM_PX = 50, 14, 26, 40
DOT_PX = 3.6


@dataclass(frozen=True, eq=False)
class Line:
    """One curve; dots tell curves apart where colours do not."""

    name: str
    values: np.ndarray  # (P), NaN where there is none
    color: str  # a name in the theme
    symbol: str = "o"  # "o" circle, "s" square
    dashed: bool = False


class LineChart(QWidget):
    """P places along the x axis; all curves share both axes."""

    told = Signal(str)
    chosen = Signal(int)  # a place

    def __init__(self, name: str, x_name: str, y_name: str) -> None:
        super().__init__()
        self._name, self._x_name, self._y_name = name, x_name, y_name
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._lines: list[Line] = []
        self._places: list[str] = []
        self._low, self._high = 0.0, 1.0
        self._marked: int | None = None
        self._hovered: int | None = None

    @property
    def lines(self) -> list[Line]:
        return self._lines

    @property
    def marked(self) -> int | None:
        return self._marked

    def set_lines(self, lines: list[Line], places: list[str], *, low: float | None = None) -> None:
        """low: where the y axis begins; left out, at the lowest value."""
        self._lines, self._places, self._hovered = lines, places, None
        known = np.concatenate([line.values[np.isfinite(line.values)] for line in lines] or [np.zeros(0)])
        least = float(known.min()) if known.size else 0.0
        most = float(known.max()) if known.size else 1.0
        self._low = least if low is None else min(low, least)
        self._high = most if most > self._low else self._low + 1
        margin = (self._high - self._low) * 0.06
        self._high += margin
        if low is None or least < low:
            self._low -= margin
        last = [f"{line.name} {_text(line.values[-1])}" for line in lines if len(line.values)]
        self.setAccessibleDescription(f"at the last place: {', '.join(last)}" if last else "")
        self.update()

    def set_marked(self, place: int | None) -> None:
        """A place that is marked by an upright line; the legend has its values."""
        self._marked = place
        self.update()

    def plot_rect(self) -> QRectF:
        left, right, top, bottom = (theme.px(side) for side in (LEFT_PX, RIGHT_PX, TOP_PX, BOTTOM_PX))
        return QRectF(left, top, max(self.width() - left - right, 1), max(self.height() - top - bottom, 1))

    def spot(self, place: int, value: float) -> QPointF:
        rect = self.plot_rect()
        share = (value - self._low) / (self._high - self._low)
        return QPointF(self._x(place), rect.bottom() - share * rect.height())

    def _x(self, place: int) -> float:
        rect, count = self.plot_rect(), len(self._places)
        return rect.x() + (rect.width() * place / (count - 1) if count > 1 else rect.width() / 2)

    def _at(self, x: float) -> int | None:
        if not self._places:
            return None
        rect = self.plot_rect()
        place = round((x - rect.x()) / rect.width() * (len(self._places) - 1))
        return min(max(place, 0), len(self._places) - 1)

    def _paint_axes(self, painter: QPainter, rect: QRectF) -> None:
        painter.setFont(theme.font(11))
        for value in ticks(self._low, self._high, max(3, int(rect.height() / theme.px(44)))):
            y = self.spot(0, value).y()
            painter.setPen(theme.color("line"))
            painter.drawLine(QPointF(rect.x(), y), QPointF(rect.right(), y))
            painter.setPen(theme.color("muted"))
            box = QRectF(0, y - theme.px(8), rect.x() - theme.px(6), theme.px(16))
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, _text(value))
        every = max(1, int(np.ceil(theme.px(30) * len(self._places) / max(rect.width(), 1))))
        for place in range(0, len(self._places), every):
            box = QRectF(self._x(place) - theme.px(25), rect.bottom() + theme.px(3), theme.px(50), theme.px(16))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._places[place])
        foot = QRectF(rect.x(), rect.bottom() + theme.px(19), rect.width(), theme.px(18))
        painter.drawText(foot, Qt.AlignmentFlag.AlignCenter, self._x_name)
        painter.setPen(theme.color("faint"))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        painter.drawLine(rect.topLeft(), rect.bottomLeft())

    def _paint_line(self, painter: QPainter, line: Line) -> None:
        spots = [self.spot(i, value) if np.isfinite(value) else None for i, value in enumerate(line.values.tolist())]
        style = Qt.PenStyle.DashLine if line.dashed else Qt.PenStyle.SolidLine
        painter.setPen(QPen(theme.color(line.color), theme.px(2), style))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF([spot for spot in spots if spot is not None]))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color(line.color))
        for spot in spots:
            if spot is not None:
                _paint_dot(painter, spot, line.symbol)

    def _paint_legend(self, painter: QPainter) -> None:
        """The y axis' name and each curve's, as much as there is room for."""
        painter.setFont(theme.font(12))
        place = self._hovered if self._hovered is not None else self._marked
        values = [
            f" {_text(float(line.values[place]))}" if place is not None and place < len(line.values) else ""
            for line in self._lines
        ]
        metrics, names = QFontMetrics(painter.font()), [line.name for line in self._lines]
        full = [name + value for name, value in zip(names, values, strict=True)]
        choices = ((self._y_name, full), ("", full), ("", names))
        needed = [_legend_width(metrics, title, texts) for title, texts in choices]
        title, texts = next((c for c, width in zip(choices, needed, strict=True) if width <= self.width()), choices[-1])
        gap = theme.px(14 if min(needed) <= self.width() else 5)
        x = float(theme.px(4))
        if title:
            painter.setPen(theme.color("muted"))
            x = _write(painter, metrics, x, title) + gap
        for line, text in zip(self._lines, texts, strict=True):
            painter.setPen(QPen(theme.color(line.color), theme.px(2)))
            painter.setBrush(theme.color(line.color))
            middle = theme.px(10)
            painter.drawLine(QPointF(x, middle), QPointF(x + theme.px(16), middle))
            painter.setPen(Qt.PenStyle.NoPen)
            _paint_dot(painter, QPointF(x + theme.px(8), middle), line.symbol)
            painter.setPen(theme.color("ink"))
            x = _write(painter, metrics, x + theme.px(21), text) + gap

    def sizeHint(self) -> QSize:
        return QSize(theme.px(420), theme.px(240))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(220), theme.px(170))

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._lines:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = self.plot_rect()
        self._paint_axes(painter, rect)
        for place, color in ((self._marked, "accent"), (self._hovered, "mask")):
            if place is not None and place < len(self._places):
                painter.setPen(QPen(theme.color(color), 1.4, Qt.PenStyle.DotLine))
                painter.drawLine(QPointF(self._x(place), rect.y()), QPointF(self._x(place), rect.bottom()))
        for line in self._lines:
            self._paint_line(painter, line)
        self._paint_legend(painter)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hovered = self._at(event.position().x())
        if self._hovered is not None:
            values = [f"{line.name} {_text(float(line.values[self._hovered]))}" for line in self._lines]
            self.told.emit(f"{self._x_name} {self._places[self._hovered]}: {', '.join(values)}")
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self._at(event.position().x())
        if place is not None:
            self.chosen.emit(place)

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = None
        self.told.emit("")
        self.update()


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers between low and high, at most about `most`."""
    raw = (high - low) / max(most, 1)
    power = 10.0 ** np.floor(np.log10(raw))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= raw * 0.999)
    first = int(np.ceil(low / step - 1e-9))
    return [round(i * step, 10) for i in range(first, int(np.floor(high / step + 1e-9)) + 1)]


def _text(value: float) -> str:
    return "–" if not np.isfinite(value) else f"{value:.3g}".replace("-", "−")


def _legend_width(metrics: QFontMetrics, title: str, texts: list[str]) -> int:
    curves = theme.px(4) + sum(metrics.horizontalAdvance(text) + theme.px(35) for text in texts)
    return curves + (metrics.horizontalAdvance(title) + theme.px(18) if title else 0)


def _write(painter: QPainter, metrics: QFontMetrics, x: float, text: str) -> float:
    width = metrics.horizontalAdvance(text)
    painter.drawText(QRectF(x, 0, width + 2, theme.px(20)), Qt.AlignmentFlag.AlignVCenter, text)
    return x + width


def _paint_dot(painter: QPainter, at: QPointF, symbol: str) -> None:
    radius = theme.px(DOT_PX)
    if symbol == "s":
        painter.drawRect(QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius))
    else:
        painter.drawEllipse(at, radius, radius)
