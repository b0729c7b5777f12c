"""All heads of the model as one picture: rows are layers, columns heads, or sorted by kind. A click chooses one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import theme
from app.rooms.attend.atlas_places import Group, Places, places
from app.rooms.attend.shown import Head
from app.widgets.raster import Raster

DOT = 0.56  # of a cell's side: the effect of a head, drawn over it
PALE = 110  # of 255: heads under their effects
FADED = 45  # heads that are off


class HeadAtlas(QWidget):
    """One image of (L*T) x (N*T) values, drawn cell by cell so that gaps stay sharp.

    A click chooses a head; with Ctrl it is put to the others or taken away, with Shift all from the last one on are
    chosen. The arrow keys choose; with Ctrl they only move, and Space puts the head to the others; with Shift they
    choose all on the way.
    """

    chosen = Signal(int, int)  # layer, head, from 0
    toggled = Signal(int, int)
    extended = Signal(int, int)
    hovered = Signal(object)  # (layer, head), or None

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Every head: rows are layers, columns heads")
        self.setToolTip("Click one head; Ctrl+click or Shift+click for several")
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._raster: Raster | None = None
        self._layers, self._heads, self._side = 1, 1, 1
        self.thumbnails = np.zeros((1, 1, 1, 1), dtype=np.float32)  # (L,N,T,T) as given, for the figure
        self._groups: tuple[Group, ...] | None = None
        self._current, self._chosen = (0, 0), [(0, 0)]
        self._cursor: Head = (0, 0)
        self._hovered: Head | None = None
        self._effects: Raster | None = None
        self.off: frozenset[Head] = frozenset()  # crossed out

    @property
    def selected(self) -> list[Head]:
        return self._chosen

    @property
    def effects(self) -> np.ndarray | None:
        """What is drawn over the heads (L,N)."""
        return None if self._effects is None else self._effects.values

    def set_heads(self, thumbnails: np.ndarray) -> None:
        """thumbnails (L,N,T,T); every head is scaled to its own highest value."""
        self.thumbnails = thumbnails
        layers, heads, side, _ = thumbnails.shape
        highest = thumbnails.max(axis=(2, 3), keepdims=True)
        scaled = thumbnails / np.where(highest > 0, highest, 1)
        sheet = scaled.transpose(0, 2, 1, 3).reshape(layers * side, heads * side)  # (L*T, N*T)
        self._raster = Raster(sheet, 0, 1)
        if (layers, heads) != (self._layers, self._heads):
            self._layers, self._heads = layers, heads
            self._groups, self._effects = None, None
            self._relay()
        self._side = side
        self.update()

    def set_selected(self, layer: int, head: int, chosen: Sequence[Head] = ()) -> None:
        """The head on show, and all that are chosen with it."""
        before = [*self._chosen, self._current, self._cursor]
        self._current = self._cursor = (layer, head)
        self._chosen = list(chosen) or [(layer, head)]
        self._update_cells([*before, *self._chosen, self._current])

    def set_groups(self, groups: Sequence[Group] | None) -> None:
        """Sorted: each group has its name above its heads. None: rows are layers, columns heads."""
        new = None if groups is None else tuple(groups)
        if new != self._groups:
            self._groups = new
            self._relay()

    def set_effects(self, effects: np.ndarray | None, limit: float = 1.0) -> None:
        """Draws a signed number (L,N) over each head; colours reach from -limit to limit. None: takes them away."""
        self._effects = None if effects is None else Raster(effects, -limit, limit, signed=True)
        self.update()

    def set_off(self, heads: frozenset[Head]) -> None:
        """These add nothing: they are faded and crossed out."""
        if heads != self.off:
            self.off = heads
            names = ", ".join(f"{layer + 1}·{head + 1}" for layer, head in sorted(heads))
            self.setAccessibleDescription(f"Switched off: {names}" if names else "")
            self.update()

    def cell_rect(self, layer: int, head: int) -> QRectF:
        return self._places().cells[(layer, head)]

    def extent(self, one: Head, other: Head) -> list[Head]:
        """All heads from one to another, in the order they stand in."""
        return self._places().extent(one, other)

    def _update_cells(self, spots: Sequence[Head | None]) -> None:
        """Only these: hundreds of heads take their time."""
        cells = self._places().cells
        for spot in {spot for spot in spots if spot in cells}:
            self.update(cells[spot].adjusted(-3, -3, 3, 3).toAlignedRect())

    def _relay(self) -> None:
        self.setMinimumHeight(self.heightForWidth(self.width()))
        self.updateGeometry()
        self.update()

    def _places(self) -> Places:
        return places(self.width(), self._layers, self._heads, self._groups, theme.scale())

    def _at(self, event: QMouseEvent) -> Head | None:
        return self._places().at(event.position())

    def _paint_numbers(self, painter: QPainter) -> None:
        painter.setFont(theme.font(10.5))
        painter.setPen(theme.color("muted"))
        for box, text, flags in self._places().texts:
            painter.drawText(box, flags, text)

    def _paint_effect(self, painter: QPainter, spot: Head) -> None:
        assert self._effects is not None
        cell = self.cell_rect(*spot)
        side = cell.width() * DOT
        square = QRectF(0, 0, side, side)
        square.moveCenter(cell.center())
        self._effects.paint(painter, square, QRectF(spot[1], spot[0], 1, 1))
        painter.setPen(QPen(theme.color("faint"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(square)

    def _frame(self, painter: QPainter, spot: Head, color: str, width: float) -> None:
        painter.setPen(QPen(theme.color(color), width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        reach = 1 if self._places().gap > 3 else 0
        painter.drawRoundedRect(self.cell_rect(*spot).adjusted(-reach, -reach, reach, reach), 3, 3)

    def _paint_frames(self, painter: QPainter) -> None:
        if self._places().gap > 3:
            for spot in self._places().cells:
                self._frame(painter, spot, "line", 1)
        for spot in self._chosen:
            self._frame(painter, spot, "accent", 1.6)
        if self._hovered:
            self._frame(painter, self._hovered, "muted", 1.5)
        if self._cursor != self._current and self.hasFocus():
            self._frame(painter, self._cursor, "mask", 1.6)
        self._frame(painter, self._current, "accent", 2.6)

    def _moved(self, key: int) -> Head | None:
        """Where an arrow key leads from the cursor."""
        steps = {
            Qt.Key.Key_Left.value: (0, -1),
            Qt.Key.Key_Right.value: (0, 1),
            Qt.Key.Key_Up.value: (-1, 0),
            Qt.Key.Key_Down.value: (1, 0),
        }
        if key not in steps:
            return None
        return self._places().beside(self._cursor, *steps[key])

    def _told(self, spot: Head, modifiers: Qt.KeyboardModifier) -> None:
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            self.toggled.emit(*spot)
        elif modifiers & Qt.KeyboardModifier.ShiftModifier:
            self.extended.emit(*spot)
        else:
            self.chosen.emit(*spot)

    def sizeHint(self) -> QSize:
        width = theme.column_px(280)
        return QSize(width, self.heightForWidth(width))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return places(width, self._layers, self._heads, self._groups, theme.scale()).height

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A layout that is short of space squeezes what has no least height of its own."""
        self.setMinimumHeight(self.heightForWidth(event.size().width()))

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._raster is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        seen = QRectF(event.rect())
        cells = {spot: cell for spot, cell in self._places().cells.items() if cell.intersects(seen)}
        for (layer, head), cell in cells.items():
            painter.setOpacity((FADED if (layer, head) in self.off else PALE if self._effects else 255) / 255)
            source = QRectF(head * self._side, layer * self._side, self._side, self._side)
            self._raster.paint(painter, cell, source)
        painter.setOpacity(1)
        for spot in self.off & cells.keys():
            _cross_out(painter, cells[spot])
        if self._effects:
            for spot in cells:
                self._paint_effect(painter, spot)
        self._paint_numbers(painter)
        self._paint_frames(painter)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        spot = self._at(event)
        if spot != self._hovered:
            self._update_cells([spot, self._hovered])
            self._hovered = spot
            self.hovered.emit(spot)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        spot = self._at(event)
        if spot is not None:
            self._told(spot, event.modifiers())

    def leaveEvent(self, event: QEvent) -> None:
        self._update_cells([self._hovered])
        self._hovered = None
        self.hovered.emit(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        spot = self._moved(event.key())
        if spot is not None and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._cursor = spot
            self.hovered.emit(spot)
            self.update()
        elif spot is not None:
            self._told(spot, event.modifiers())
        elif event.key() == Qt.Key.Key_Space:
            cursor = self._cursor
            self.toggled.emit(*cursor)
            self._cursor = cursor
        else:
            super().keyPressEvent(event)


def _cross_out(painter: QPainter, cell: QRectF) -> None:
    painter.setPen(QPen(theme.color("muted"), 1.2))
    painter.drawLine(cell.topLeft(), cell.bottomRight())
    painter.drawLine(cell.bottomLeft(), cell.topRight())
