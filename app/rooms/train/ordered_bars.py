"""Shares that were drawn by chance, each with a line at what was ordered."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...look import theme

ROW_PX, BAR_PX = 21, 11


@dataclass(frozen=True)
class OrderedBar:
    """`share` and `ordered` in 0..1."""

    label: str
    number: str
    share: float
    ordered: float
    color: str = "mask"


class OrderedBars(QWidget):
    """A row for each; what a bar's end and its line are apart is chance."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.bars: list[OrderedBar] = []

    def set_bars(self, bars: list[OrderedBar]) -> None:
        self.bars = bars
        self.setAccessibleDescription(", ".join(f"{bar.label} {bar.number}" for bar in bars))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(190), len(self.bars) * theme.px(ROW_PX))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(150), len(self.bars) * theme.px(ROW_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        metrics, height = QFontMetrics(theme.font(12)), theme.px(ROW_PX)
        before = max((metrics.horizontalAdvance(bar.label) for bar in self.bars), default=0) + theme.px(8)
        behind = max((metrics.horizontalAdvance(bar.number) for bar in self.bars), default=0) + theme.px(8)
        room = max(self.width() - before - behind, 1)
        for row, bar in enumerate(self.bars):
            top = row * height
            theme.draw_text(painter, QRectF(0, top, before, height), bar.label, "ink", 12)
            thick = theme.px(BAR_PX)
            track = QRectF(before, top + (height - thick) / 2, room, thick)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("track"))
            painter.drawRoundedRect(track, 2.5, 2.5)
            painter.setBrush(theme.color(bar.color))
            painter.drawRoundedRect(QRectF(track.x(), track.y(), room * min(bar.share, 1.0), thick), 2.5, 2.5)
            painter.setPen(QPen(theme.color("ink"), theme.stroke(2.0)))
            at = track.x() + room * min(bar.ordered, 1.0)
            painter.drawLine(round(at), round(track.y() - 3), round(at), round(track.bottom() + 3))
            number = QRectF(track.right(), top, behind, height)
            theme.draw_text(painter, number, bar.number, "muted", 12, align=theme.RIGHT)
