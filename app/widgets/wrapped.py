"""Boxes of one height laid out in lines, as words are in a text."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from ..look import theme
from .pointer import PointerWidget


class WrappedBoxes(PointerWidget):
    """As tall as its lines. Who derives says how wide the boxes are, paints one, and calls `lay_out` for new ones.

    Its cells are the numbers of the boxes; Left and Right go from one to the next.
    """

    margin_px, gap_px, line_gap_px = 0.0, 6.0, 6.0  # before projector scaling
    least_width_px = 0

    def __init__(self, name: str, box_px: float, focus: Qt.FocusPolicy = Qt.FocusPolicy.TabFocus) -> None:
        """name: for screen readers. box_px: how high a box is, before projector scaling."""
        super().__init__(name, focus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.boxes: list[QRectF] = []
        self._box_px = box_px

    def box_widths(self) -> Sequence[float]:
        """Of all boxes, in pixels."""
        raise NotImplementedError

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        raise NotImplementedError

    def rect_of(self, number: int) -> QRectF:
        """Where a box stands; empty where there is none of that number."""
        return self.boxes[number] if number < len(self.boxes) else QRectF()

    def cell_at(self, point: QPointF) -> int | None:
        return next((number for number, box in enumerate(self.boxes) if box.contains(point)), None)

    def cell_after(self, cell: int | None, key: int) -> int | None:
        step = {Qt.Key.Key_Left.value: -1, Qt.Key.Key_Right.value: 1}.get(key)
        if step is None or not self.boxes:
            return None
        return min(max((-1 if cell is None else cell) + step, 0), len(self.boxes) - 1)

    def lay_out(self) -> None:
        margin, gap, line_gap = theme.px(self.margin_px), theme.px(self.gap_px), theme.px(self.line_gap_px)
        height, self.boxes = theme.px(self._box_px), []
        x, y = float(margin), float(margin)
        for width in self.box_widths():
            if x > margin and x + width > self.width():
                x, y = float(margin), y + height + line_gap
            self.boxes.append(QRectF(x, y, width, height))
            x += width + gap
        self.setFixedHeight(round(y) + height + margin)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(500), self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(self.least_width_px), theme.px(self._box_px))

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.size().width() != event.oldSize().width():
            self.lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        for number, box in enumerate(self.boxes):
            if box.intersects(QRectF(event.rect())):
                self.paint_box(painter, number, box)
