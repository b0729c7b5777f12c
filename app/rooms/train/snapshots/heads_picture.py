"""All heads of a small model in one picture, for the cards beside a run: rows are layers, columns heads."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from ....compute.over_time import Heads
from ....look import theme
from ....look.say import say
from ....widgets.card import tip
from ....widgets.charts.cells import LabelledGrid, Labels
from ....widgets.charts.raster import HeadSheet, Raster

GAP_PX, LARGEST = 6, (10_000, 10_000)


class HeadsPicture(LabelledGrid):
    """One scale for all heads and all pictures, from 0 (pale) to 1 (dark). Of a single head, rows and columns are
    tokens."""

    chosen = Signal(int, int)  # layer, head, from 0
    arrows_click = False

    def __init__(self, *, with_names: bool) -> None:
        """with_names: of rows and columns."""
        super().__init__(
            say("Attention heads: rows look, columns are looked at"), square=True, scale=False, largest_px=LARGEST
        )
        self.setToolTip(
            tip(say("Row: what looks. Column: what it looks at. Stronger colour: more. Click to open Attend."))
        )
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._with_names = with_names
        self._sheet: HeadSheet | None = None
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.clicked.connect(self._on_clicked)

    def show_heads(self, heads: Heads) -> None:
        layers, count = heads.attentions.shape[:2]
        self._sheet = None if (layers, count) == (1, 1) else HeadSheet(heads.attentions, same_scale=True)
        if self._sheet is None:
            values, rows, columns = heads.attentions[0, 0], list(heads.labels), list(heads.labels)
        else:
            values, rows, columns = np.zeros((layers, count), np.float32), _numbers(layers), _numbers(count)
        if not self._with_names:
            rows, columns = [""] * len(rows), [""] * len(columns)
        self.set_grid(values, Labels(rows), Labels(columns), 0, 1)
        self.setMinimumHeight(self.heightForWidth(self.width()))

    def paint_cells(self, painter: QPainter, rect: QRectF, raster: Raster) -> None:
        if self._sheet is None:
            super().paint_cells(painter, rect, raster)
            return
        painter.fillRect(rect, theme.color("card"))
        gap = theme.px(GAP_PX) / 2
        for layer, head in np.ndindex(raster.values.shape):
            cell = self.cell_rect(layer, head).adjusted(gap, gap, -gap, -gap)
            self._sheet.paint(painter, cell, layer, head)
            painter.setPen(theme.color("line"))
            painter.drawRect(cell)

    def heightForWidth(self, width: int) -> int:
        left, above = self._label_sizes()
        rows, columns = max(len(self.rows.texts), 1), max(len(self.columns.texts), 1)
        return round(above + rows * max(width - left - self.right_px, 1) / columns) + theme.px(4)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(120), self.heightForWidth(theme.px(120)))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(40), self.heightForWidth(theme.px(40)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setMinimumHeight(self.heightForWidth(event.size().width()))

    def _label_sizes(self) -> tuple[float, float]:
        return super()._label_sizes() if self._with_names else (1.0, 1.0)

    def _on_clicked(self, cell: tuple[int, int]) -> None:
        self.chosen.emit(*(cell if self._sheet is not None else (0, 0)))


def _numbers(count: int) -> list[str]:
    return [str(number + 1) for number in range(count)]
