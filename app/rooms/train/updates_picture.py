"""How far each part of a model moves in a step: a row for each part, a column for each step that was measured."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from bertcore.runs.run_metrics import Update, parts_of

from ...look import numbers, theme
from ...look.say import say
from ...runs.health_sentences import share_of_weights
from ...widgets.charts.pointer import ARROWS, PointerWidget

LEAST, MOST = 1e-5, 1.0  # ends of the scale, which is logarithmic
MOST_ROW_PX, AXIS_PX, LEGEND_PX, NUMBERS_PX = 64, 22, 24, 170


def part_name(part: str) -> str:
    """ "Layer 1 · attention"."""
    first, _, rest = part.partition(".")
    number, _, block = rest.partition(".")
    if first == "layers" and number.isdecimal():
        text = say("Layer {number} · attention") if block == "attention" else say("Layer {number} · feed-forward")
        return text.format(number=int(number) + 1)
    names = {
        "embeddings": say("Embeddings"),
        "heads": say("Prediction heads"),
        "encoder": say("Between the layers"),
    }
    return names.get(part, part)


class UpdatesPicture(PointerWidget):
    """Cells are (row, column)."""

    def __init__(self) -> None:
        super().__init__("", Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(say("How far each part moves in a step"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.updates_shown: list[Update] = []
        self.parts: list[str] = []

    def set_updates(self, updates: Sequence[Update]) -> None:
        self.updates_shown, self.parts = list(updates), parts_of(updates)
        self.hovered_cell = None
        newest = self.updates_shown[-1] if self.updates_shown else None
        described = (
            [f"{part_name(part)} {share_of_weights(newest.ratio.get(part, 0.0))}" for part in self.parts]
            if newest
            else []
        )
        self.setAccessibleDescription(", ".join(described))
        self.updateGeometry()
        self.update()

    def cell_rect(self, row: int, column: int) -> QRectF:
        left, height = self._left(), self._row_height()
        width = self._strip_width() / max(len(self.updates_shown), 1)
        return QRectF(left + column * width, theme.px(AXIS_PX) + row * height, width, height)

    def cell_at(self, point: QPointF) -> tuple[int, int] | None:
        if not self.parts:
            return None
        width = self._strip_width() / len(self.updates_shown)
        row = int((point.y() - theme.px(AXIS_PX)) // self._row_height())
        column = int((point.x() - self._left()) // width)
        return (row, column) if 0 <= row < len(self.parts) and 0 <= column < len(self.updates_shown) else None

    def cell_after(self, cell: tuple[int, int] | None, key: int) -> tuple[int, int] | None:
        if key not in ARROWS or not self.parts:
            return None
        down, right = ARROWS[key]
        row, column = cell or (0, len(self.updates_shown) - 1)
        row, column = row + down, column + right
        return (
            min(max(row, 0), len(self.parts) - 1),
            min(max(column, 0), len(self.updates_shown) - 1),
        )

    def selected_cell(self) -> tuple[int, int] | None:
        return (0, len(self.updates_shown) - 1) if self.parts else None

    def _left(self) -> float:
        metrics = QFontMetrics(theme.font(12))
        return max((metrics.horizontalAdvance(part_name(part)) for part in self.parts), default=0) + theme.px(10)

    def _strip_width(self) -> float:
        return max(self.width() - self._left() - theme.px(NUMBERS_PX), theme.px(40))

    @property
    def shown(self) -> Update:
        """The step whose numbers stand beside: under the mouse, else the newest."""
        return self.updates_shown[-1 if self.hovered_cell is None else self.hovered_cell[1]]

    def _row_height(self) -> float:
        room = self.height() - 2 * theme.px(AXIS_PX) - theme.px(LEGEND_PX)
        return max(min(room / max(len(self.parts), 1), theme.px(MOST_ROW_PX)), 4.0)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(420), theme.px(300))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(240), theme.px(150))

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.parts:
            return
        painter = theme.painter(self)
        height, left = self._row_height(), self._left()
        for row, part in enumerate(self.parts):
            if height >= theme.type_px(12):
                box = QRectF(0, self.cell_rect(row, 0).y(), left - theme.px(6), height)
                theme.draw_text(painter, box, part_name(part), "ink", 12)
            painter.setPen(Qt.PenStyle.NoPen)
            for column, update in enumerate(self.updates_shown):
                ratio = update.ratio.get(part)
                painter.setBrush(theme.color("track") if ratio is None else theme.sequential_color(_place(ratio)))
                painter.drawRect(self.cell_rect(row, column).adjusted(0, 0.5, 0.4, -0.5))
        bottom = theme.px(AXIS_PX) + len(self.parts) * height
        self._paint_numbers(painter)
        self._paint_steps(painter, left, bottom)
        self._paint_legend(painter, left, bottom + theme.px(AXIS_PX))
        if self.hovered_cell is not None:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("ink"), theme.stroke(1.6)))
            column = self.hovered_cell[1]
            painter.drawRect(self.cell_rect(0, column).united(self.cell_rect(len(self.parts) - 1, column)))

    def _paint_numbers(self, painter: QPainter) -> None:
        """Of the step that is shown, beside the row of each part: how far it moved, and its gradient norm."""
        update, height = self.shown, self._row_height()
        half, right = theme.px(NUMBERS_PX) / 2, float(self.width())
        columns = QRectF(right - 2 * half, 0, half, theme.px(AXIS_PX)), QRectF(right - half, 0, half, theme.px(AXIS_PX))
        heads = say("moved"), say("gradient")
        for box, head in zip(columns, heads, strict=True):
            theme.draw_text(painter, box, head, "muted", 11, align=theme.RIGHT)
        for row, part in enumerate(self.parts):
            if part not in update.ratio or height < theme.type_px(12):
                continue
            moved = share_of_weights(update.ratio[part], keeps_zeros=True)
            values = moved, numbers.number(update.gradient[part], keeps_zeros=True)
            for box, value in zip(columns, values, strict=True):
                line = QRectF(box.x(), self.cell_rect(row, 0).y(), box.width(), height)
                is_here = self.hovered_cell is not None and self.hovered_cell[0] == row
                theme.draw_text(painter, line, value, "ink", 12, align=theme.RIGHT, bold=is_here)

    def _paint_steps(self, painter: QPainter, left: float, top: float) -> None:
        """Below as many columns as there is room for, the newest among them: they are not even in time."""
        metrics, height = QFontMetrics(theme.font(11)), theme.px(AXIS_PX)
        name = say("step")
        room = QRectF(0, top, left - theme.px(6), height)
        theme.draw_text(painter, room, name, "muted", 11, align=theme.RIGHT)
        free = float(self.width())
        for column in reversed(range(len(self.updates_shown))):
            text, middle = numbers.count(self.updates_shown[column].step), self.cell_rect(0, column).center().x()
            half = metrics.horizontalAdvance(text) / 2 + theme.px(4)
            if middle + half <= free:
                box = QRectF(middle - half, top, 2 * half, height)
                theme.draw_text(painter, box, text, "muted", 11, align=Qt.AlignmentFlag.AlignCenter)
                free = middle - half

    def _paint_legend(self, painter: QPainter, left: float, top: float) -> None:
        height, bar = theme.px(LEGEND_PX), theme.px(120)
        low = say("{share} of its length", share=share_of_weights(LEAST))
        high = say("{share} (logarithmic)", share=share_of_weights(MOST))
        room = QFontMetrics(theme.font(11)).horizontalAdvance(low) + theme.px(6)
        theme.draw_text(painter, QRectF(left, top, room, height), low, "muted", 11)
        painter.setPen(Qt.PenStyle.NoPen)
        for step in range(40):
            painter.setBrush(theme.sequential_color(step / 39))
            painter.drawRect(QRectF(left + room + bar * step / 40, top + height / 2 - 4, bar / 40 + 0.6, 8))
        behind = QRectF(left + room + bar + theme.px(6), top, theme.px(160), height)
        theme.draw_text(painter, behind, high, "muted", 11)


def _place(ratio: float) -> float:
    """On the scale, 0..1."""
    if ratio <= LEAST:
        return 0.0
    return min(math.log10(ratio / LEAST) / math.log10(MOST / LEAST), 1.0)
