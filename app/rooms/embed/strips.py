"""Strips: token + segment + position = sum, then LayerNorm. Rows: tokens, columns: dimensions."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from ...figures.values import Values
from ...look import theme
from ...widgets.charts.drawing import Box, Drawing, Shape, Words
from ...widgets.charts.raster import Heat, Raster
from ..pictures import Picture, Place
from .embedding_parts import EmbeddingPart

PARTS = 5
LABEL_PX = 88
MARK_PX = 26
GAP_PX = 7
LEAST_PICTURE_PX = 33  # the height that a name and its note need
REASON_PADDING_PX = 9
REASON_FONT_PX = 12.5
STEPS = {  # key -> by how many strips, rows, columns
    Qt.Key.Key_PageUp.value: (-1, 0, 0),
    Qt.Key.Key_PageDown.value: (1, 0, 0),
    Qt.Key.Key_Up.value: (0, -1, 0),
    Qt.Key.Key_Down.value: (0, 1, 0),
    Qt.Key.Key_Left.value: (0, 0, -1),
    Qt.Key.Key_Right.value: (0, 0, 1),
}
WRAP = Qt.TextFlag.TextWordWrap


class Strips(Drawing):
    """Paints the matrices (U, columns), and sentences in the place of those that are not there.

    A cell is (strip, row, column). The arrow keys move it and select its row, which is framed in every strip.
    """

    hint_px = (700, 400)

    def __init__(self, name: str) -> None:
        super().__init__(name, Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.parts: list[EmbeddingPart] = []
        self._rasters: dict[int, Raster] = {}  # of the parts that have values
        self._rects: list[QRectF] = []  # where the strips stand, right of the longest name

    def set_parts(self, parts: list[EmbeddingPart], limit: float, last_limit: float) -> None:
        """Colours reach from -limit to limit; those of what becomes of the sum apart."""
        self.parts, self._rasters = parts, {}
        for number, part in enumerate(parts):
            if part.values is not None:
                most = limit if part.is_addend else last_limit
                self._rasters[number] = Raster(np.nan_to_num(part.values), -most, most, signed=True)
        reasons = " ".join(part.reason for part in parts if part.reason)
        if reasons != self.accessibleDescription():
            self.setAccessibleDescription(reasons)
            self.updateGeometry()
        self.lay_out()
        self.redraw()

    def selected_cell(self) -> tuple[int, int, int] | None:
        return (min(self._rasters), self._selected or 0, 0) if self._rasters else None

    def lay_out(self) -> None:
        """Sentences take what they need, matrices share the rest."""
        (left, width), needed, gap = self._across(), self._reason_heights(), theme.px(GAP_PX)
        share = max((self.height() - sum(needed) - gap * (len(needed) - 1)) / max(needed.count(0), 1), 1)
        heights = [height or share for height in needed]
        tops = accumulate([height + gap for height in heights], initial=0.0)
        self._rects = [QRectF(left, top, width, height) for top, height in zip(tops, heights, strict=False)]

    def strip_rect(self, number: int) -> QRectF:
        return self._rects[number]

    def cell_at(self, point: QPointF) -> tuple[int, int, int] | None:
        for number, raster in self._rasters.items():
            rect = self.strip_rect(number)
            if rect.contains(point):
                rows, columns = raster.values.shape
                row = min(int((point.y() - rect.y()) / rect.height() * rows), rows - 1)
                return number, row, min(int((point.x() - rect.x()) / rect.width() * columns), columns - 1)
        return None

    def cell_after(self, cell: tuple[int, int, int] | None, key: int) -> tuple[int, int, int] | None:
        cell = cell or self.selected_cell()
        if key not in STEPS or cell is None or not self._rasters:
            return None
        (strips, rows, columns), (number, row, column), numbers = STEPS[key], cell, list(self._rasters)
        at = min(max(numbers.index(number) + strips, 0), len(numbers) - 1) if number in numbers else 0
        last_row, last_column = (side - 1 for side in self._rasters[numbers[at]].values.shape)
        return numbers[at], min(max(row + rows, 0), last_row), min(max(column + columns, 0), last_column)

    def shapes(self) -> Iterator[Shape]:
        padding, gap = theme.px(REASON_PADDING_PX), theme.px(12)
        for number, part in enumerate(self.parts):
            rect = self.strip_rect(number)
            if number in self._rasters:
                yield Heat(rect, self._rasters[number])
                yield Box(rect, line="line")
            else:
                yield Box(rect, "window", radius_px=theme.px(4))
                inside = rect.adjusted(padding, 0, -padding, 0)
                yield Words(inside, part.reason, "muted", REASON_FONT_PX, wraps=True)
            yield from self._name(part, QRectF(0, rect.y(), rect.x() - gap, rect.height()))
            beside = QRectF(rect.right() + theme.px(6), rect.y(), theme.px(MARK_PX), rect.height())
            yield Words(beside, part.mark, "muted", 17, align=Qt.AlignmentFlag.AlignCenter)

    def overlay(self) -> Iterator[Shape]:
        for number, raster in self._rasters.items():
            rect, rows = self.strip_rect(number), len(raster.values)
            if self.hovered_cell is not None:  # the numbers that are added
                width = rect.width() / raster.values.shape[1]
                yield Box(
                    QRectF(rect.x() + self.hovered_cell[2] * width, rect.y(), max(width, 3), rect.height()), line="ink"
                )
            if self._selected is not None and self._selected < rows > 1:
                height = rect.height() / rows
                row = QRectF(rect.x(), rect.y() + self._selected * height, rect.width(), max(height, 2))
                yield Box(row, line="ink", line_px=1.2)

    def _name(self, part: EmbeddingPart, side: QRectF) -> Iterator[Shape]:
        """Left of its strip, with the note below it where there is room for both."""
        metrics, note, name = QFontMetrics(theme.font(13, bold=True)), theme.px(15) if part.note else 0, part.name
        height = metrics.boundingRect(side.toRect(), theme.RIGHT | WRAP, name).height()
        if height + note > side.height():
            note, height = 0, min(height, int(side.height()))
            name = metrics.elidedText(name, Qt.TextElideMode.ElideRight, int(side.width()))
        top, color = side.y() + (side.height() - height - note) / 2, "muted" if part.values is None else "ink"
        yield Words(QRectF(0, top, side.width(), height), name, color, 13, bold=True, align=theme.RIGHT, wraps=True)
        if note:
            yield Words(QRectF(0, top + height, side.width(), note), part.note, "muted", 11, align=theme.RIGHT)

    def _across(self) -> tuple[int, int]:
        """Where the strips begin, and how wide they are."""
        metrics = QFontMetrics(theme.font(13, bold=True))
        lines = [line for part in self.parts for line in part.name.splitlines()]
        left = max(theme.px(LABEL_PX), max(map(metrics.horizontalAdvance, lines), default=0) + theme.px(12))
        return left, max(self.width() - left - theme.px(MARK_PX) - theme.px(8), 1)

    def _reason_heights(self) -> list[int]:
        """Of each part the height that its sentence needs; 0 for a picture."""
        metrics, padding = QFontMetrics(theme.font(REASON_FONT_PX)), 2 * theme.px(REASON_PADDING_PX)
        box = QRect(0, 0, self._across()[1] - padding, 10_000)
        sentences = ["" if part.values is not None else part.reason for part in self.parts]
        return [metrics.boundingRect(box, WRAP, text).height() + padding if text else 0 for text in sentences]

    def minimumSizeHint(self) -> QSize:
        reasons = [height for height in self._reason_heights() if height]
        pictures = max(len(self.parts), PARTS) - len(reasons)
        gaps = (pictures + len(reasons) - 1) * theme.px(GAP_PX)
        return QSize(theme.px(230), sum(reasons) + pictures * theme.px(LEAST_PICTURE_PX) + gaps)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width() and any(self._reason_heights()):
            self.updateGeometry()  # sentences wrap anew

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.hovered_cell[1] if self.hovered_cell is not None else None
        super().keyPressEvent(event)
        if self.hovered_cell is not None and event.key() in STEPS and row != self.hovered_cell[1]:
            self.clicked.emit(self.hovered_cell, event.modifiers())


@dataclass(frozen=True, kw_only=True)
class StripsPicture(Picture):
    """Declared by a view; `detail` is what `Strips.set_parts` takes, the array the sum (U,E)."""

    chart: Callable[..., Strips] = Strips

    def show(self, chart: Strips, values: Values, baseline: Values | None, *, is_difference: bool) -> Values:
        chart.set_parts(**values.detail)
        return values

    def select(self, chart: Strips, row: int | None, column: int | None) -> None:
        chart.select(row)

    def place(self, cell: tuple[int, int, int]) -> Place:
        return cell[1], cell[2]
