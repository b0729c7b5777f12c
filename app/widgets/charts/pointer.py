"""The base of every painted widget that mouse and keyboard can read.

    class HeatRow(PointerWidget):
        def cell_at(self, point): ...            what lies under a point: an int, a tuple, or None
        def cell_after(self, cell, key): ...     where an arrow key leads from a cell; None: the key is not for us

    row = HeatRow("Weights of this token")       the name is for screen readers
    row.hovered.connect(...)                     cell or None, only when it changes; also by the arrow keys
    row.clicked.connect(...)                     cell, modifiers: left button, Enter or Space, nothing else
                                                 (a slot may leave out the modifiers; its defaults would be given them)
    row.double_clicked.connect(...)              cell; while nobody listens, the second click of two is a click
    row.context_menu_requested.connect(...)      cell or None, the point on the screen: right click or menu key

While the widget is painted, `self.hovered_cell` is what the mouse or the keyboard points at. A widget whose arrow keys
select at once (another row of a matrix) sets `arrows_click = True`, and is told by `select` what is selected.
"""

from typing import Any

from PySide6.QtCore import SIGNAL, QEvent, QPoint, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from ...look import theme

Cell = Any  # what a widget calls its parts: an int, or a tuple of ints
ARROWS = {
    Qt.Key.Key_Left.value: (0, -1),
    Qt.Key.Key_Right.value: (0, 1),
    Qt.Key.Key_Up.value: (-1, 0),
    Qt.Key.Key_Down.value: (1, 0),
}  # key -> by how many rows and columns
ENTER = (Qt.Key.Key_Return.value, Qt.Key.Key_Enter.value, Qt.Key.Key_Space.value)
_BY_TAB = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)


class PointerWidget(QWidget):
    """Hover, click, double click, context menu and arrow keys over cells that a subclass names."""

    hovered = Signal(object)
    clicked = Signal(object, Qt.KeyboardModifier)
    double_clicked = Signal(object)
    context_menu_requested = Signal(object, QPoint)
    arrows_click = False
    has_hand = False  # the mouse is a hand over what can be clicked
    hint_px: tuple[float, float] | None = None  # width and height at best, before scaling; None: as its layout has it
    least_px: tuple[float, float] | None = None

    def __init__(self, name: str, focus: Qt.FocusPolicy = Qt.FocusPolicy.TabFocus) -> None:
        super().__init__()
        self.hovered_cell: Cell | None = None
        self._selected: Cell | None = None
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self.setFocusPolicy(focus)

    def cell_at(self, point: QPointF) -> Cell | None:
        """The cell under a point of this widget."""
        raise NotImplementedError

    def cell_after(self, cell: Cell | None, key: int) -> Cell | None:
        """The cell that an arrow key leads to from `cell` (None: from nowhere); None leaves the key to others."""
        return None

    def selected_cell(self) -> Cell | None:
        """Where the arrow keys begin: what is selected."""
        return self._selected

    def select(self, cell: Cell | None) -> None:
        self._selected = cell
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(*map(theme.px, self.hint_px)) if self.hint_px else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        return QSize(*map(theme.px, self.least_px)) if self.least_px else super().minimumSizeHint()

    def set_hovered(self, cell: Cell | None) -> None:
        """Mouse or keyboard point at another cell."""
        if cell != self.hovered_cell:
            self.hovered_cell = cell
            self.hovered.emit(cell)
            self.update()
        if self.has_hand:
            self.setCursor(Qt.CursorShape.ArrowCursor if cell is None else Qt.CursorShape.PointingHandCursor)

    def _has_listeners(self, signature: str) -> bool:
        """By its signature: QMetaMethod.fromSignal would keep the Python half of the widget for ever."""
        return self.receivers(SIGNAL(signature)) > 0

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.set_hovered(self.cell_at(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        cell = self.cell_at(event.position())
        if event.button() != Qt.MouseButton.LeftButton or cell is None:
            super().mousePressEvent(event)
            return
        self.clicked.emit(cell, event.modifiers())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        cell, is_left = self.cell_at(event.position()), event.button() == Qt.MouseButton.LeftButton
        if is_left and cell is not None and self._has_listeners("double_clicked(PyObject)"):
            self.double_clicked.emit(cell)
        else:
            self.mousePressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if not self._has_listeners("context_menu_requested(PyObject,QPoint)"):
            super().contextMenuEvent(event)
            return
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        here = self.hovered_cell if self.hovered_cell is not None else self.selected_cell()
        self.context_menu_requested.emit(self.cell_at(QPointF(event.pos())) if by_mouse else here, event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        cell = self.cell_after(self.selected_cell() if self.arrows_click else self.hovered_cell, event.key())
        if cell is not None and self.arrows_click:
            self.clicked.emit(cell, Qt.KeyboardModifier.NoModifier)
        elif cell is not None:
            self.set_hovered(cell)
        elif event.key() in ENTER and self.hovered_cell is not None:
            self.clicked.emit(self.hovered_cell, event.modifiers())
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() in _BY_TAB and not self.arrows_click:
            self.set_hovered(self.selected_cell())
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:  # its own context menu
            self.set_hovered(None)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.set_hovered(None)


def next_of(count: int, cell: int | None, key: int, *, across: bool = False) -> int | None:
    """The cell after an arrow key in a list of `count`, one below the other or across; None where it has none."""
    step = ARROWS.get(key, (0, 0))[across]
    return min(max((-1 if cell is None else cell) + step, 0), count - 1) if step and count else None
