"""Pictures that the wheel zooms and dragging moves."""

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent

from .drawing import Drawing
from .pointer import ARROWS, Cell

FEWEST_CELLS = 6.0  # at the highest zoom
STEP = 1.25  # one notch of the wheel
DRAG_PX = 4  # less is a click


class Zoom:
    """A square window of `span` x `span` cells with its corner at (x, y), inside a picture of `size` cells a side. In
    cells, not pixels."""

    def __init__(self, fewest: float = FEWEST_CELLS) -> None:
        """fewest: the span at the highest zoom."""
        self._fewest = fewest
        self.size = 1
        self.x = self.y = 0.0
        self.span = 1.0

    @property
    def is_whole(self) -> bool:
        return self.span >= self.size

    def set_size(self, size: int) -> None:
        """Another matrix: of the same size it stays where it is, of another it is shown whole."""
        if size != self.size:
            self.size = size
            self.show_whole()

    def show_whole(self) -> None:
        self.x = self.y = 0.0
        self.span = float(self.size)

    def zoom(self, notches: float, at_x: float, at_y: float) -> None:
        """In (above 0) or out, so that what is at a point, as shares 0..1 of the window, stays there."""
        span = max(self.span / STEP**notches, min(self._fewest, self.size))
        span = float(self.size) if span > self.size - 1e-6 else span  # as many notches out as in: but for rounding
        right, down = (self.span - span) * at_x, (self.span - span) * at_y
        self.span = span
        self.move(right, down)

    def move(self, right: float, down: float) -> None:
        """By cells, as far as there are any."""
        most = self.size - self.span
        self.x, self.y = min(max(self.x + right, 0.0), most), min(max(self.y + down, 0.0), most)

    def show_row(self, row: int) -> None:
        """Moves no further than it must for a row to be seen."""
        self.move(0, min(max(self.y, row + 1 - self.span), row) - self.y)


class ZoomedDrawing(Drawing):
    """The wheel zooms, dragging and the arrow keys move what is shown, + and - zoom, 0 shows all of it again. A click
    is one without a drag: it counts when the button goes up."""

    zoomed = Signal()
    arrows_move = True  # while it is zoomed; else they select, as always

    def __init__(self, name: str, focus: Qt.FocusPolicy, zoom: Zoom | None) -> None:
        """zoom: None where nothing can be zoomed."""
        super().__init__(name, focus)
        self.zoom = zoom
        self._drag: tuple[QPointF, QPointF] | None = None  # where the button was pressed, where the mouse was last
        self._is_dragged = False

    def zoom_rect(self) -> QRectF:
        """What the wheel enlarges."""
        return QRectF(self.rect())

    def clicked_at(self, point: QPointF) -> Cell | None:
        """What a click there means."""
        return self.cell_at(point)

    def show_whole(self) -> None:
        if self.zoom is not None:
            self.zoom.show_whole()
            self._moved()

    def _moved(self) -> None:
        """Another part is on show."""
        self.lay_out()
        self.redraw()
        self.zoomed.emit()

    def drag(self, start: QPointF, last: QPointF, here: QPointF) -> None:
        """The mouse went on with the left button down; a subclass may do something else than move the picture."""
        assert self.zoom is not None
        moved, rect = (last - here) * self.zoom.span, self.zoom_rect()
        self.zoom.move(moved.x() / max(rect.width(), 1), moved.y() / max(rect.height(), 1))
        self.lay_out()
        self.redraw()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        is_left = event.button() == Qt.MouseButton.LeftButton and self.zoom_rect().contains(event.position())
        if self.zoom is not None and is_left:
            self._drag, self._is_dragged = (event.position(), event.position()), False
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag is None:
            super().mouseMoveEvent(event)
            return
        start, last = self._drag
        self._is_dragged |= (event.position() - start).manhattanLength() >= DRAG_PX
        if self._is_dragged:
            self.drag(start, last, event.position())
            self._drag = start, event.position()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._drag is None or event.button() != Qt.MouseButton.LeftButton:
            super().mouseReleaseEvent(event)
            return
        start, self._drag = self._drag[0], None
        cell = self.clicked_at(start)
        if not self._is_dragged and cell is not None:
            self.clicked.emit(cell, event.modifiers())
        self.redraw()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.zoom is None or self.zoom_rect().isEmpty():
            super().wheelEvent(event)
            return
        rect, at = self.zoom_rect(), event.position()
        shares = (at.x() - rect.x()) / rect.width(), (at.y() - rect.y()) / rect.height()
        self.zoom.zoom(event.angleDelta().y() / 120, *(min(max(share, 0.0), 1.0) for share in shares))
        self._moved()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, zoom = event.key(), self.zoom
        if zoom is not None and key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            zoom.zoom(-1 if key == Qt.Key.Key_Minus else 1, 0.5, 0.5)
        elif zoom is not None and key == Qt.Key.Key_0:
            zoom.show_whole()
        elif zoom is not None and self.arrows_move and key in ARROWS and not zoom.is_whole:
            down, right = ARROWS[key]
            zoom.move(right * zoom.span / 8, down * zoom.span / 8)
        else:
            super().keyPressEvent(event)
            return
        self._moved()
