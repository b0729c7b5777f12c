"""All sequences of a batch at once: a line for each, dark where the model was wrong."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from ...compute.batches import RIGHT, WRONG, ShownBatch
from ...look import numbers, theme
from ...look.say import say
from ...widgets.charts.pointer import PointerWidget
from .batch_text import loss_color

MOST_ROW_PX, LEAST_ROW_PX, NUMBER_PX, MARK_PX = 18, 2, 24, 16


class BatchMap(PointerWidget):
    """Cells are the numbers of sequences; Up and Down choose the next one."""

    arrows_click = True

    def __init__(self) -> None:
        super().__init__("", Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(say("All sequences of the batch"))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self._batch: ShownBatch | None = None
        self._chosen = 0

    def show_batch(self, batch: ShownBatch | None) -> None:
        self._batch = batch
        self.update()

    def set_chosen(self, row: int) -> None:
        self._chosen = row
        self.update()

    @property
    def count(self) -> int:
        return 0 if self._batch is None else len(self._batch.ids)

    def selected_cell(self) -> int | None:
        return self._chosen if self.count else None

    def row_rect(self, row: int) -> QRectF:
        height = self._row_height()
        return QRectF(0, row * height, self.width(), height)

    def cell_at(self, point: QPointF) -> int | None:
        row = int(point.y() // self._row_height())
        return row if 0 <= row < self.count else None

    def cell_after(self, cell: int | None, key: int) -> int | None:
        step = {Qt.Key.Key_Up.value: -1, Qt.Key.Key_Down.value: 1}.get(key)
        if step is None or not self.count:
            return None
        return min(max((cell or 0) + step, 0), self.count - 1)

    def _row_height(self) -> float:
        return max(min(self.height() / max(self.count, 1), theme.px(MOST_ROW_PX)), LEAST_ROW_PX)

    def _mark(self, batch: ShownBatch, row: int) -> str:
        """Whether a sequence's answers are right; "" where none is read off it, or it is a number."""
        fates = batch.fates[row]
        return "✗" if (fates == WRONG).any() else "✓" if (fates == RIGHT).any() else ""

    def sizeHint(self) -> QSize:
        return QSize(theme.px(150), theme.px(MOST_ROW_PX * 16))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(100), theme.px(120))

    def paintEvent(self, event: QPaintEvent) -> None:
        batch = self._batch
        if batch is None:
            return
        painter = theme.painter(self)
        height = self._row_height()
        numbered = height >= theme.type_px(10.5)
        left = float(theme.px(NUMBER_PX)) if numbered else 3.0
        marks = [] if batch.task is None or not numbered else [self._mark(batch, row) for row in range(self.count)]
        right = float(theme.px(MARK_PX)) if any(marks) else 0.0
        cell = (self.width() - left - right - 4) / batch.ids.shape[1]
        gap = 1.5 if height >= 6 else 0.0
        for row in range(self.count):
            rect = self.row_rect(row)
            if numbered:
                box = QRectF(0, rect.y(), left - theme.px(5), height)
                color = "ink" if row == self._chosen else "faint"
                theme.draw_text(painter, box, numbers.count(row + 1), color, 10.5, align=theme.RIGHT)
            if marks and marks[row]:
                box = QRectF(self.width() - right, rect.y(), right - 2, height)
                color = "good_text" if marks[row] == "✓" else "bad_text"
                theme.draw_text(painter, box, marks[row], color, 10.5, align=theme.RIGHT)
            painter.setPen(Qt.PenStyle.NoPen)
            for column in range(batch.length(row)):
                at = row, column
                if batch.fates[at] > 0 and batch.losses is not None:
                    color_here = loss_color(float(batch.losses.losses[at]))
                elif batch.fates[at] > 0:
                    color_here = theme.color("mask")
                else:
                    is_special = batch.documents[at] < 0
                    name = "special" if is_special else ("segment_a", "segment_b")[min(int(batch.segments[at]), 1)]
                    color_here = theme.color(f"{name}_tint")
                painter.setBrush(color_here)
                painter.drawRect(QRectF(left + column * cell, rect.y() + gap, cell + 0.4, height - 2 * gap))
            if row in (self._chosen, self.hovered_cell):
                width = theme.stroke(2.0 if row == self._chosen else 1.2)
                painter.setPen(QPen(theme.color("accent"), width))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(QRectF(left - 2, rect.y(), self.width() - left - right, height), 2, 2)
