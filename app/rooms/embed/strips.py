"""Strips: token + segment + position = sum, then LayerNorm. Rows: tokens, columns: dimensions."""

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from ...look import theme
from ...look.say import say
from ...widgets.charts.pointer import PointerWidget
from ...widgets.charts.raster import Raster
from .embedding_parts import EmbeddingPart

PARTS = 5
LABEL_PX = 88
MARK_PX = 26
GAP_PX = 7
LEAST_PICTURE_PX = 33  # the height that a name and its note need
REASON_PADDING_PX = 9
REASON_FONT_PX = 12.5
WRAPPED = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap
STEPS = {  # key -> by how many strips, rows, columns
    Qt.Key.Key_PageUp.value: (-1, 0, 0),
    Qt.Key.Key_PageDown.value: (1, 0, 0),
    Qt.Key.Key_Up.value: (0, -1, 0),
    Qt.Key.Key_Down.value: (0, 1, 0),
    Qt.Key.Key_Left.value: (0, 0, -1),
    Qt.Key.Key_Right.value: (0, 0, 1),
}
NAME = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap


class Strips(PointerWidget):
    """Paints the matrices (U, columns), and sentences in the place of those that are not there.

    A cell is (strip, row, column). The arrow keys move it and select its row.
    """

    hint_px = (700, 400)

    def __init__(self) -> None:
        super().__init__(say("Parts of the input embedding: rows are tokens, columns are dimensions"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.parts: list[EmbeddingPart] = []
        self._rasters: list[Raster | None] = []
        self._row: int | None = None

    def set_parts(self, parts: list[EmbeddingPart], limit: float, last_limit: float) -> None:
        """Colours reach from -limit to limit; those of what becomes of the sum apart."""
        limits = [limit if part.is_addend else last_limit for part in parts]
        self.parts = parts
        self._rasters = [
            None if part.values is None else Raster(np.nan_to_num(part.values), -most, most, signed=True)
            for part, most in zip(parts, limits, strict=True)
        ]
        reasons = " ".join(part.reason for part in parts if part.reason)
        if reasons != self.accessibleDescription():
            self.setAccessibleDescription(reasons)
            self.updateGeometry()
        self.update()

    def set_row(self, row: int | None) -> None:
        """The selected token: its row is framed in every strip."""
        self._row = row
        self.update()

    def strip_rect(self, number: int) -> QRectF:
        """Where a strip stands; sentences take what they need, matrices share the rest."""
        needed = self._reason_heights()
        gap, pictures = theme.px(GAP_PX), max(needed.count(0), 1)
        share = max((self.height() - sum(needed) - gap * (len(needed) - 1)) / pictures, 1)
        heights = [height or share for height in needed]
        return QRectF(self._label_width(), sum(heights[:number]) + number * gap, self._strip_width(), heights[number])

    def _label_width(self) -> int:
        """For the longest name, at the left."""
        metrics = QFontMetrics(theme.font(13, bold=True))
        lines = [line for part in self.parts for line in part.name.splitlines()]
        widest = max((metrics.horizontalAdvance(line) for line in lines), default=0)
        return max(theme.px(LABEL_PX), widest + theme.px(12))

    def _strip_width(self) -> int:
        return max(self.width() - self._label_width() - theme.px(MARK_PX) - theme.px(8), 1)

    def _reason_heights(self) -> list[int]:
        """Of each part the height that its sentence needs; 0 for a picture."""
        metrics, padding = QFontMetrics(theme.font(REASON_FONT_PX)), 2 * theme.px(REASON_PADDING_PX)
        box = QRect(0, 0, self._strip_width() - padding, 10_000)
        return [
            metrics.boundingRect(box, WRAPPED, part.reason).height() + padding if part.values is None else 0
            for part in self.parts
        ]

    def cell_at(self, point: QPointF) -> tuple[int, int, int] | None:
        for number, raster in enumerate(self._rasters):
            rect = self.strip_rect(number)
            if raster is not None and rect.contains(point):
                rows, columns = raster.values.shape
                row = min(int((point.y() - rect.y()) / rect.height() * rows), rows - 1)
                return number, row, min(int((point.x() - rect.x()) / rect.width() * columns), columns - 1)
        return None

    def cell_after(self, cell: tuple[int, int, int] | None, key: int) -> tuple[int, int, int] | None:
        numbers = [number for number, raster in enumerate(self._rasters) if raster is not None]
        cell = cell or self.selected_cell()
        if key not in STEPS or cell is None:
            return None
        (strips, rows, columns), (number, row, column) = STEPS[key], cell
        at = min(max(numbers.index(number) + strips, 0), len(numbers) - 1) if number in numbers else 0
        raster = self._rasters[numbers[at]]
        assert raster is not None
        last_row, last_column = raster.values.shape[0] - 1, raster.values.shape[1] - 1
        return numbers[at], min(max(row + rows, 0), last_row), min(max(column + columns, 0), last_column)

    def selected_cell(self) -> tuple[int, int, int] | None:
        first = next((number for number, raster in enumerate(self._rasters) if raster is not None), None)
        return None if first is None else (first, self._row or 0, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        for number, (part, raster) in enumerate(zip(self.parts, self._rasters, strict=True)):
            rect = self.strip_rect(number)
            if raster is None:
                self._paint_reason(painter, part, rect)
            else:
                self._paint_strip(painter, raster, rect)
            self._paint_name(painter, part, QRectF(0, rect.y(), rect.x() - theme.px(12), rect.height()))
            self._paint_mark(painter, part.mark, rect)

    def _paint_strip(self, painter: QPainter, raster: Raster, rect: QRectF) -> None:
        raster.paint(painter, rect)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(theme.color("line"))
        painter.drawRect(rect)
        rows, row = raster.values.shape[0], self._row
        if row is not None and row < rows:
            height = rect.height() / rows
            painter.setPen(QPen(theme.color("ink"), 1.2))
            painter.drawRect(QRectF(rect.x(), rect.y() + row * height, rect.width(), max(height, 2)))

    def _paint_name(self, painter: QPainter, part: EmbeddingPart, side: QRectF) -> None:
        painter.setFont(theme.font(13, bold=True))
        painter.setPen(theme.color("ink" if part.values is not None else "muted"))
        metrics, note, name = QFontMetrics(painter.font()), theme.px(15) if part.note else 0, part.name
        height = metrics.boundingRect(side.toRect(), NAME, name).height()
        if height + note > side.height():
            note, height = 0, min(height, int(side.height()))
            name = metrics.elidedText(name, Qt.TextElideMode.ElideRight, int(side.width()))
        top = side.y() + (side.height() - height - note) / 2
        painter.drawText(QRectF(0, top, side.width(), height), NAME, name)
        if note:
            painter.setPen(theme.color("muted"))
            painter.setFont(theme.font(11))
            painter.drawText(QRectF(0, top + height, side.width(), note), NAME, part.note)

    def _paint_reason(self, painter: QPainter, part: EmbeddingPart, rect: QRectF) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("window"))
        painter.drawRoundedRect(rect, theme.px(4), theme.px(4))
        painter.setPen(theme.color("muted"))
        painter.setFont(theme.font(REASON_FONT_PX))
        padding = theme.px(REASON_PADDING_PX)
        painter.drawText(rect.adjusted(padding, 0, -padding, 0), WRAPPED, part.reason)

    def _paint_mark(self, painter: QPainter, mark: str, rect: QRectF) -> None:
        box = QRectF(rect.right() + theme.px(6), rect.y(), theme.px(MARK_PX), rect.height())
        painter.setPen(theme.color("muted"))
        painter.setFont(theme.font(17))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "↓" if mark == "norm" else mark)

    def minimumSizeHint(self) -> QSize:
        reasons = [height for height in self._reason_heights() if height]
        pictures = max(len(self.parts), PARTS) - len(reasons)
        gaps = (pictures + len(reasons) - 1) * theme.px(GAP_PX)
        return QSize(theme.px(230), sum(reasons) + pictures * theme.px(LEAST_PICTURE_PX) + gaps)

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.size().width() != event.oldSize().width() and any(self._reason_heights()):
            self.updateGeometry()  # sentences wrap anew

    def keyPressEvent(self, event: QKeyEvent) -> None:
        before = self.hovered_cell
        super().keyPressEvent(event)
        cell = self.hovered_cell
        if cell is not None and event.key() in STEPS and (before is None or before[1] != cell[1]):
            self.clicked.emit(cell, event.modifiers())
