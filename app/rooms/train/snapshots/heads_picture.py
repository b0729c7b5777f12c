"""All heads of a small model in one picture, for the cards beside a run: rows are layers, columns heads."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from ....compute.over_time import Heads
from ....look import theme
from ....look.say import say
from ....widgets.card import tip
from ....widgets.charts.pointer import ARROWS, PointerWidget
from ....widgets.head_sheet import HeadSheet

GAP_PX, NAME_PX, LABEL_PX, LEAST_LABELLED_PX = 6, 14, 10.5, 13


class HeadsPicture(PointerWidget):
    """One scale for all heads and all pictures, from 0 (pale) to 1 (dark). A click names a head."""

    chosen = Signal(int, int)  # layer, head, from 0

    def __init__(self, *, with_names: bool) -> None:
        """with_names: above each head, and tokens beside it where they have room."""
        super().__init__("")
        self.setAccessibleName(say("Attention heads: rows look, columns are looked at"))
        self.setToolTip(
            tip(say("Row: what looks. Column: what it looks at. Stronger colour: more. Click to open Attend."))
        )
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._with_names = with_names
        self.heads: Heads | None = None
        self._sheet: HeadSheet | None = None
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.clicked.connect(lambda cell, _modifiers: self.chosen.emit(*cell))

    def show_heads(self, heads: Heads | None) -> None:
        before = self._shape()
        self.heads = heads
        self._sheet = None if heads is None else HeadSheet(heads.attentions, same_scale=True)
        if self._shape() != before:
            self.setMinimumHeight(self.heightForWidth(self.width()))
            self.updateGeometry()
        self.update()

    def cell_rect(self, layer: int, head: int) -> QRectF:
        """Where a head is drawn, in this widget's pixels."""
        side, margin = self._side(self.width()), self._margin(self.width())
        gap, name = theme.px(GAP_PX), self._name_px()
        x = margin + head * (side + gap)
        return QRectF(x, name + margin + layer * (side + gap + name), side, side)

    def cell_at(self, point: QPointF) -> tuple[int, int] | None:
        layers, heads = self._shape()
        cells = ((layer, head) for layer in range(layers) for head in range(heads))
        return next((cell for cell in cells if self.cell_rect(*cell).contains(point)), None)

    def cell_after(self, cell: tuple[int, int] | None, key: int) -> tuple[int, int] | None:
        if key not in ARROWS or self.heads is None:
            return None
        layer, head = cell or (0, 0)
        down, right = ARROWS[key]
        layers, heads = self._shape()
        return min(max(layer + down, 0), layers - 1), min(max(head + right, 0), heads - 1)

    def selected_cell(self) -> tuple[int, int] | None:
        return None if self.heads is None else (0, 0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        layers, _ = self._shape()
        side = self._side(width)
        return int(self._margin(width) + max(layers, 1) * (side + theme.px(GAP_PX) + self._name_px()))

    def sizeHint(self) -> QSize:
        return QSize(theme.px(120), self.heightForWidth(theme.px(120)))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(40), self.heightForWidth(theme.px(40)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.setMinimumHeight(self.heightForWidth(event.size().width()))

    def _shape(self) -> tuple[int, int]:
        if self.heads is None:
            return 0, 0
        layers, heads = self.heads.attentions.shape[:2]
        return int(layers), int(heads)

    def _name_px(self) -> int:
        return theme.px(NAME_PX) if self._with_names and self._shape() != (1, 1) else 0

    def _margin(self, width: int) -> int:
        """Room for the tokens at the left and above, where there is one head and its rows are high enough."""
        if self.heads is None or not self._with_names or self._shape() != (1, 1):
            return 0
        metrics = QFontMetricsF(theme.font(LABEL_PX))
        wide = max(metrics.horizontalAdvance(label) for label in self.heads.labels)
        margin = int(min(wide, width / 5)) + theme.px(6)
        return margin if (width - margin) / len(self.heads.labels) >= theme.px(LEAST_LABELLED_PX) else 0

    def _side(self, width: int) -> int:
        _, heads = self._shape()
        heads = max(heads, 1)
        return max(int((width - self._margin(width) - (heads - 1) * theme.px(GAP_PX)) / heads), 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        if self._sheet is None or self.heads is None:
            return
        layers, heads = self._shape()
        for layer in range(layers):
            for head in range(heads):
                cell = self.cell_rect(layer, head)
                self._sheet.paint(painter, cell, layer, head)
                is_hovered = self.hovered_cell == (layer, head)
                painter.setPen(QPen(theme.color("accent" if is_hovered else "line"), theme.px(2) if is_hovered else 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(cell)
                if self._name_px():
                    box = QRectF(cell.x(), cell.y() - self._name_px(), cell.width(), self._name_px())
                    theme.draw_text(painter, box, f"{layer + 1}·{head + 1}", "muted", LABEL_PX)
        if self._margin(self.width()):
            self._paint_tokens(painter, self.cell_rect(0, 0))

    def _paint_tokens(self, painter: QPainter, cell: QRectF) -> None:
        assert self.heads is not None
        step, margin = cell.width() / len(self.heads.labels), self._margin(self.width())
        for number, token in enumerate(self.heads.labels):
            color = "mask" if token == "[MASK]" else "muted"
            row = QRectF(0, cell.y() + number * step, margin - theme.px(4), step)
            theme.draw_text(painter, row, token, color, LABEL_PX, align=theme.RIGHT)
            if len(token) <= 2:  # longer ones have no room above their column
                column = QRectF(cell.x() + number * step, 0, step, margin)
                align = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom
                theme.draw_text(painter, column, token, color, LABEL_PX, align=align)
