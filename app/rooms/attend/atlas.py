"""All heads of the model as one picture: rows are layers, columns heads, or sorted by kind. A click chooses one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from ...look import theme
from ...look.say import say
from ...widgets.charts.pointer import ARROWS, PointerWidget
from ...widgets.charts.raster import Raster
from ...widgets.head_sheet import HeadSheet
from .attentions import Head, head_name

DOT = 0.56  # of a cell's side: the effect of a head, drawn over it
PALE = 110  # of 255: heads under their effects
FADED = 45  # heads that are off
SIDE_PX = 18  # for the numbers of layers and heads
TOP_PX = 15
NAME_PX = 17  # the line with a group's name
LARGEST_CELL_PX = 84
FEWEST_COLUMNS = 6  # of a sorted atlas: many groups are small
Group = tuple[str, tuple[Head, ...]]  # name, its heads in order


class HeadAtlas(PointerWidget):
    """Drawn cell by cell from one image, so that gaps stay sharp.

    A click chooses a head; with Ctrl it is put to the others or taken away, with Shift all from the last one on are
    chosen. The arrow keys choose; with Ctrl they only move, and Space puts the head to the others; with Shift they
    choose all on the way.
    """

    chosen = Signal(int, int)  # layer, head, from 0
    toggled = Signal(int, int)
    extended = Signal(int, int)

    def __init__(self) -> None:
        super().__init__("", Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(say("Every head: rows are layers, columns are heads"))
        self.setToolTip(say("Click a head; Ctrl+click or Shift+click for several"))
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._sheet: HeadSheet | None = None
        self._layers, self._heads = 1, 1
        self.thumbnails = np.zeros((1, 1, 1, 1), dtype=np.float32)  # (L,N,T,T) as given, for the figure
        self._groups: tuple[Group, ...] | None = None
        self._current, self._chosen = (0, 0), [(0, 0)]
        self._cursor: Head = (0, 0)
        self._effects: Raster | None = None
        self.off: frozenset[Head] = frozenset()  # crossed out
        self.clicked.connect(self._on_clicked)

    @property
    def selected(self) -> list[Head]:
        return self._chosen

    @property
    def effects(self) -> np.ndarray | None:
        """What is drawn over the heads (L,N)."""
        return None if self._effects is None else self._effects.values

    def set_heads(self, thumbnails: np.ndarray, limit: float = 0.0) -> None:
        """thumbnails (L,N,T,T); every head is scaled to its own highest value. limit: of differences, which have one
        scale for all heads, from -limit to limit."""
        self.thumbnails = thumbnails
        layers, heads, _, _ = thumbnails.shape
        self._sheet = HeadSheet(thumbnails, limit=limit)
        if (layers, heads) != (self._layers, self._heads):
            self._layers, self._heads = layers, heads
            self._groups, self._effects, self.hovered_cell = None, None, None
            self._relay()
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
            names = ", ".join(head_name(*spot) for spot in sorted(heads))
            self.setAccessibleDescription(say("Switched off: {heads}", heads=names) if names else "")
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

    def cell_at(self, point: QPointF) -> Head | None:
        return self._places().at(point)

    def selected_cell(self) -> Head:
        return self._cursor

    def set_hovered(self, cell: Head | None) -> None:
        """Painting all of a large model takes too long for every move of the mouse."""
        if cell != self.hovered_cell:
            self._update_cells([cell, self.hovered_cell])
            self.hovered_cell = cell
            self.hovered.emit(cell)

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
        painter.setPen(QPen(theme.color(color), theme.stroke(width)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        reach = 1 if self._places().gap > 3 else 0
        painter.drawRoundedRect(self.cell_rect(*spot).adjusted(-reach, -reach, reach, reach), 3, 3)

    def _paint_frames(self, painter: QPainter) -> None:
        if self._places().gap > 3:
            for spot in self._places().cells:
                self._frame(painter, spot, "line", 1)
        for spot in self._chosen:
            self._frame(painter, spot, "accent", 1.6)
        if self.hovered_cell is not None:
            self._frame(painter, self.hovered_cell, "muted", 1.5)
        if self._cursor != self._current and self.hasFocus():
            self._frame(painter, self._cursor, "mask", 1.6)
        self._frame(painter, self._current, "accent", 2.6)

    def _on_clicked(self, spot: Head, modifiers: Qt.KeyboardModifier) -> None:
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
        if self._sheet is None:
            return
        painter = theme.painter(self)
        seen = QRectF(event.rect())
        cells = {spot: cell for spot, cell in self._places().cells.items() if cell.intersects(seen)}
        for (layer, head), cell in cells.items():
            painter.setOpacity((FADED if (layer, head) in self.off else PALE if self._effects else 255) / 255)
            self._sheet.paint(painter, cell, layer, head)
        painter.setOpacity(1)
        for spot in self.off & cells.keys():
            _cross_out(painter, cells[spot])
        if self._effects:
            for spot in cells:
                self._paint_effect(painter, spot)
        self._paint_numbers(painter)
        self._paint_frames(painter)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, modifiers = event.key(), event.modifiers()
        spot = self._places().beside(self._cursor, *ARROWS[key]) if key in ARROWS else None
        if spot is not None and modifiers & Qt.KeyboardModifier.ControlModifier:
            self._cursor = spot
            self.hovered.emit(spot)
            self.update()
        elif spot is not None:
            self._on_clicked(spot, modifiers)
        elif key == Qt.Key.Key_Space:
            cursor = self._cursor
            self.toggled.emit(*cursor)
            self._cursor = cursor
        else:
            super().keyPressEvent(event)


@lru_cache(maxsize=8)
def places(width: int, layers: int, heads: int, groups: tuple[Group, ...] | None, scale: float) -> Places:
    """Cached: a layout asks for the height again and again."""
    return Places(width, layers, heads, groups, scale)


class Places:
    """Cells for a width: `cells` by head, `texts` as (box, text, alignment), and the height all that takes."""

    def __init__(self, width: int, layers: int, heads: int, groups: tuple[Group, ...] | None, scale: float) -> None:
        self.gap = theme.px(6) if heads <= 6 else theme.px(3) if heads <= 12 else theme.px(2)
        columns = heads if groups is None else max(heads, FEWEST_COLUMNS)
        fits = (width - theme.px(SIDE_PX) - 3 - (columns - 1) * self.gap) / columns
        # Whole pixels: with fractions a cell would show a sliver of its neighbour.
        self.side = max(min(int(fits), theme.px(LARGEST_CELL_PX)), 4)
        self.cells: dict[Head, QRectF] = {}
        self.texts: list[tuple[QRectF, str, Qt.AlignmentFlag]] = []
        self._columns = columns
        if groups is None:
            self._lay_by_layer(layers, heads)
        else:
            self._lay_groups(groups, width)
        self.height = int(max((cell.bottom() for cell in self.cells.values()), default=0)) + 3
        self._in_order = list(self.cells)

    def at(self, point: QPointF) -> Head | None:
        """The head under a point, its gap to the right and below included."""
        for spot, cell in self.cells.items():
            if cell.adjusted(0, 0, self.gap, self.gap).contains(point):
                return spot
        return None

    def beside(self, spot: Head, down: int, right: int) -> Head:
        """The head next to one in a direction; itself at the edge."""
        if right:
            place = self._in_order.index(spot) + right
            beside = self._in_order[min(max(place, 0), len(self._in_order) - 1)]
            return beside if self.cells[beside].y() == self.cells[spot].y() else spot
        own = self.cells[spot]
        lines = sorted({cell.y() for cell in self.cells.values()})
        line = lines.index(own.y()) + down
        if not 0 <= line < len(lines):
            return spot
        others = [other for other, cell in self.cells.items() if cell.y() == lines[line]]
        return min(others, key=lambda other: abs(self.cells[other].x() - own.x()))

    def extent(self, one: Head, other: Head) -> list[Head]:
        """All heads from one to another, in the order they stand in."""
        first, last = sorted((self._in_order.index(one), self._in_order.index(other)))
        return self._in_order[first : last + 1]

    def _cell(self, column: int, y: float) -> QRectF:
        return QRectF(theme.px(SIDE_PX) + column * (self.side + self.gap), y, self.side, self.side)

    def _lay_by_layer(self, layers: int, heads: int) -> None:
        step = self.side + self.gap
        for layer in range(layers):
            for head in range(heads):
                self.cells[(layer, head)] = self._cell(head, theme.px(TOP_PX) + layer * step)
        every = max(1, round(theme.px(13) / step + 0.49))
        for layer in range(0, layers, every):
            rect = self.cells[(layer, 0)]
            self.texts.append((QRectF(0, rect.y(), rect.x() - theme.px(6), self.side), str(layer + 1), theme.RIGHT))
        for head in range(0, heads, max(every, 2 if self.side < theme.px(16) else 1)):
            rect = self.cells[(0, head)]
            box = QRectF(rect.x() - 4, 0, self.side + 8, theme.px(TOP_PX) - 2)
            self.texts.append((box, str(head + 1), Qt.AlignmentFlag.AlignCenter))

    def _lay_groups(self, groups: tuple[Group, ...], width: int) -> None:
        y = 0.0
        for name, heads in groups:
            box = QRectF(theme.px(SIDE_PX), y, width - theme.px(SIDE_PX), theme.px(NAME_PX))
            self.texts.append((box, name, theme.LEFT))
            y += theme.px(NAME_PX)
            for i, spot in enumerate(heads):
                line, column = divmod(i, self._columns)
                self.cells[spot] = self._cell(column, y + line * (self.side + self.gap))
            y += -(-len(heads) // self._columns) * (self.side + self.gap) + theme.px(4)


def _cross_out(painter: QPainter, cell: QRectF) -> None:
    painter.setPen(QPen(theme.color("muted"), 1.2))
    painter.drawLine(cell.topLeft(), cell.bottomRight())
    painter.drawLine(cell.bottomLeft(), cell.topRight())
