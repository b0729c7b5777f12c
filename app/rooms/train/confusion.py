"""How often each right label (row) was given as each (column), as a small table with counts."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import theme

MOST_LABELS = 12
CELL_WIDTH_PX, CELL_HEIGHT_PX = 58, 30
LEAST_WIDTH_PX = 46
MOST_SIDE_PX, AXIS_PX = 120, 20
Table = Sequence[Sequence[int]]


def most_frequent(labels: Sequence[str], table: Table, most: int = MOST_LABELS) -> list[int]:
    """Places of the labels that were right most often, in the order of the labels."""
    by_count = sorted(range(len(labels)), key=lambda place: -sum(table[place]))
    return sorted(by_count[:most])


class ConfusionTable(QWidget):
    """Each row's darkest cell is where most of its examples went; the diagonal is right, and framed."""

    def __init__(self) -> None:
        super().__init__()
        self._labels: list[str] = []
        self._counts: list[list[int]] = []
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    @property
    def labels(self) -> list[str]:
        return self._labels

    @property
    def counts(self) -> list[list[int]]:
        return self._counts

    def set_table(self, labels: Sequence[str], table: Table) -> None:
        """labels (K), table (K,K); of more than MOST_LABELS the most frequent are shown."""
        places = most_frequent(labels, table)
        self._labels = [labels[place] for place in places]
        self._counts = [[int(table[row][column]) for column in places] for row in places]
        rows = zip(self._labels, self._counts, strict=True)
        self.setAccessibleName("Confusion table: rows are the right labels, columns the given ones")
        self.setAccessibleDescription("; ".join(f"{name}: {', '.join(map(str, counts))}" for name, counts in rows))
        self.setFixedSize(self.sizeHint())
        self.update()

    @property
    def _side(self) -> int:
        """The width of the row labels."""
        metrics = QFontMetrics(theme.font(11))
        widest = max((metrics.horizontalAdvance(name) for name in self._labels), default=0)
        return min(max(widest, metrics.horizontalAdvance("right ↓")) + theme.px(12), theme.px(MOST_SIDE_PX))

    def _cell_width(self) -> int:
        return theme.px(CELL_WIDTH_PX if len(self._labels) <= 6 else LEAST_WIDTH_PX)

    def cell_rect(self, row: int, column: int) -> QRectF:
        """Where a cell is drawn, in this widget's pixels."""
        width, height = self._cell_width(), theme.px(CELL_HEIGHT_PX)
        left, top = self._side, theme.px(2 * AXIS_PX)
        return QRectF(left + column * width, top + row * height, width, height).adjusted(1, 1, -1, -1)

    def sizeHint(self) -> QSize:
        size = len(self._labels)
        width = self._side + max(size * self._cell_width(), theme.px(100))
        return QSize(width, theme.px(2 * AXIS_PX) + size * theme.px(CELL_HEIGHT_PX) + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_axes(painter)
        for row, counts in enumerate(self._counts):
            for column, count in enumerate(counts):
                self._paint_cell(painter, row, column, count, sum(counts))

    def _paint_axes(self, painter: QPainter) -> None:
        size, width = len(self._labels), self._cell_width()
        left, line = self._side, theme.px(AXIS_PX)
        painter.setFont(theme.font(11))
        painter.setPen(theme.color("muted"))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(left, 0, max(size * width, theme.px(100)), line), middle, "given →")
        painter.drawText(QRectF(0, line, left, line), middle, "right ↓")
        painter.setPen(theme.color("ink"))
        for place, name in enumerate(self._labels):
            above = QRectF(left + place * width + 2, line, width - 4, line)
            beside = QRectF(0, self.cell_rect(place, 0).y(), left - theme.px(8), theme.px(CELL_HEIGHT_PX))
            _write(painter, above, name, Qt.AlignmentFlag.AlignCenter)
            _write(painter, beside, name, Qt.AlignmentFlag.AlignRight | middle)

    def _paint_cell(self, painter: QPainter, row: int, column: int, count: int, total: int) -> None:
        rect, color = self.cell_rect(row, column), theme.sequential_color(count / total if total else 0.0)
        painter.setBrush(color)
        painter.setPen(theme.color("ink" if row == column else "line"))
        painter.drawRoundedRect(rect, theme.px(3), theme.px(3))
        painter.setPen((theme.DARK if color.lightnessF() < 0.5 else theme.LIGHT).ink)
        painter.setFont(theme.font(12.5, bold=row == column))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, f"{count:,}")

    def cell_at(self, where: QPointF) -> tuple[int, int] | None:
        """(row, column) under a point."""
        size = range(len(self._labels))
        return next(((r, c) for r in size for c in size if self.cell_rect(r, c).contains(where)), None)


def _write(painter: QPainter, rect: QRectF, text: str, align: Qt.AlignmentFlag) -> None:
    shown = QFontMetrics(painter.font()).elidedText(text, Qt.TextElideMode.ElideRight, int(rect.width()))
    painter.drawText(rect, align, shown)
