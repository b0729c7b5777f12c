"""The confusion matrix: how often each true label (row) was predicted as each label (column)."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from app.look import numbers, theme
from app.widgets.labelled_grid import LabelledGrid, Labels
from app.widgets.raster import Raster

MOST_LABELS = 12
CELL_PX = (58, 30)  # width, height
Table = Sequence[Sequence[int]]


def most_frequent(labels: Sequence[str], table: Table, most: int = MOST_LABELS) -> list[int]:
    """Places of the labels that are true most often, in the order of the labels."""
    by_count = sorted(range(len(labels)), key=lambda place: -sum(table[place]))
    return sorted(by_count[:most])


class ConfusionMatrix(LabelledGrid):
    """Each row's darkest cell is where most of its examples went; the diagonal is right, and framed."""

    def __init__(self) -> None:
        super().__init__("", scale=False, largest_px=CELL_PX)
        self.setAccessibleName(self.tr("Confusion matrix: rows are true labels, columns predicted labels"))
        self.set_axis_names(self.tr("true ↓"), self.tr("predicted →"))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.labels: list[str] = []
        self.counts: list[list[int]] = []

    def set_table(self, labels: Sequence[str], table: Table) -> None:
        """labels (K), table (K,K); of more than MOST_LABELS the most frequent are shown."""
        places = most_frequent(labels, table)
        self.labels = [labels[place] for place in places]
        self.counts = [[int(table[row][column]) for column in places] for row in places]
        counts = np.array(self.counts, dtype=np.float32).reshape(len(places), len(places))
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        names = Labels(self.labels, ["ink"] * len(self.labels))
        self.set_grid(shares, names, names, 0, 1, [[numbers.count(n) for n in row] for row in self.counts])
        rows = zip(self.labels, self.counts, strict=True)
        self.setAccessibleDescription("; ".join(f"{name}: {', '.join(map(str, row))}" for name, row in rows))
        self.setFixedSize(self.sizeHint())

    def paint_frames(self, painter: QPainter, rect: QRectF) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.color("ink"), 1))
        for place in range(len(self.labels)):
            painter.drawRect(self.cell_rect(place, place).adjusted(1, 1, -1, -1))

    def paint_scale(self, painter: QPainter, rect: QRectF, raster: Raster) -> None:
        """The counts stand in the cells."""

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def sizeHint(self) -> QSize:
        left, above = self._label_sizes()
        cells = len(self.labels)
        width, height = (theme.px(side) for side in CELL_PX)
        return QSize(round(left) + cells * width + theme.px(4), round(above) + cells * height + theme.px(6))
