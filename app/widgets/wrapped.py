"""Boxes of one height laid out in lines, as words are in a text."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from ..look import theme
from .charts.pointer import PointerWidget, next_of

FACTORS = (1.2, 1.4, 1.6, 1.8, 2.0, 2.3, 2.6)


class WrappedBoxes(PointerWidget):
    """As tall as its lines. Who derives says how wide the boxes are, paints one, and calls `lay_out` for new ones.

    With `grows`, a short text fills the height that the layout gives it: boxes and words grow together, by `factor`.
    Sizes of boxes and words then come from `px` and `sized_font`. Cells are the numbers of the boxes; Left and Right go
    from one to the next.
    """

    grows = False
    margin_px, gap_px, line_gap_px = 0.0, 6.0, 6.0  # before projector scaling
    least_width_px = 0

    def __init__(self, name: str, box_px: float, focus: Qt.FocusPolicy = Qt.FocusPolicy.TabFocus) -> None:
        """name: for screen readers. box_px: how high a box is, before projector scaling."""
        super().__init__(name, focus)
        vertical = QSizePolicy.Policy.Expanding if self.grows else QSizePolicy.Policy.Fixed
        self.setSizePolicy(QSizePolicy.Policy.Expanding, vertical)
        self.boxes: list[QRectF] = []
        self.factor = 1.0
        self._box_px = box_px

    def box_widths(self) -> Sequence[float]:
        """Of all boxes, in pixels."""
        raise NotImplementedError

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        raise NotImplementedError

    def begins_line(self, number: int) -> bool:
        """Even where there is room beside the box before it."""
        return False

    def rect_of(self, number: int) -> QRectF:
        """Where a box stands; empty where there is none of that number."""
        return self.boxes[number] if number < len(self.boxes) else QRectF()

    def cell_at(self, point: QPointF) -> int | None:
        return next((number for number, box in enumerate(self.boxes) if box.contains(point)), None)

    def cell_after(self, cell: int | None, key: int) -> int | None:
        return next_of(len(self.boxes), cell, key, across=True)

    def px(self, length: float) -> int:
        return theme.px(length * self.factor)

    def sized_font(self, size_px: float, *, bold: bool = False, medium: bool = False) -> QFont:
        return theme.font(size_px * self.factor, bold=bold, medium=medium)

    def lay_out(self) -> None:
        self.factor = 1.0
        self.boxes, height = self._lines()
        if not self.grows:
            self.setFixedHeight(height)
        else:
            self.setMinimumHeight(height)
            for larger in FACTORS:
                before, self.factor = self.factor, larger
                boxes, height = self._lines()
                if height > self.height() or any(box.right() > self.width() for box in boxes):
                    self.factor = before
                    break
                self.boxes = boxes
        self.update()

    def _lines(self) -> tuple[list[QRectF], int]:
        """The boxes, in lines, at the present factor; and how high they are together."""
        gap, line_gap, height = self.px(self.gap_px), self.px(self.line_gap_px), self.px(self._box_px)
        x = y = margin = float(self.px(self.margin_px))
        boxes = []
        for number, width in enumerate(self.box_widths()):
            if x > margin and (x + width > self.width() or self.begins_line(number)):
                x, y = margin, y + height + line_gap
            boxes.append(QRectF(x, y, width, height))
            x += width + gap
        return boxes, round(y + margin) + height

    def sizeHint(self) -> QSize:
        return QSize(theme.px(500), self.minimumHeight())

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(self.least_width_px), theme.px(self._box_px))

    def resizeEvent(self, event: QResizeEvent) -> None:
        if self.grows or event.size().width() != event.oldSize().width():
            self.lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        for number, box in enumerate(self.boxes):
            if box.intersects(QRectF(event.rect())):
                self.paint_box(painter, number, box)
