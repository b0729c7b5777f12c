"""All heads of the model as one picture: rows are layers, columns heads, or sorted by kind. A click selects one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from ...look import say, theme
from ...widgets.charts.drawing import Box, Drawing, Line, Shape, Words
from ...widgets.charts.pointer import ARROWS
from ...widgets.charts.raster import HeadSheet
from .attentions import Head, head_name

DOT = 0.56  # of a cell's side: the effect of a head, drawn over it
PALE = 110  # of 255: heads under their effects
FADED = 45  # heads that are off
SIDE_PX = 18  # for the numbers of layers and heads
TOP_PX = 15
NAME_PX = 17  # the line with a group's name
LARGEST_CELL_PX = 84
WIDE = 20  # room beside a number, which is never cut
FEWEST_COLUMNS = 6  # of a sorted atlas: many groups are small
CONTROL = Qt.KeyboardModifier.ControlModifier
Group = tuple[str, tuple[Head, ...]]  # name, its heads in order


class HeadAtlas(Drawing):
    """Every head in its place. `clicked` gives a head and the modifiers.

    The arrow keys click; with Ctrl they only move, and Space clicks with Ctrl.
    """

    def __init__(self) -> None:
        super().__init__(say("Every head: rows are layers, columns are heads"), Qt.FocusPolicy.StrongFocus)
        self.setToolTip(say("Click a head; Ctrl+click or Shift+click for several"))
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._sheet: HeadSheet | None = None
        self.thumbnails = np.zeros((1, 1, 1, 1), dtype=np.float32)  # (L,N,T,T) as given, for the figure
        self._groups: tuple[Group, ...] | None = None
        self.selected: list[Head] = [(0, 0)]
        self._current = self._cursor = (0, 0)
        self.effects: np.ndarray | None = None  # (L,N) what is drawn over the heads
        self._limit = 1.0  # to which their colours reach
        self.off: frozenset[Head] = frozenset()  # crossed out

    def set_heads(self, thumbnails: np.ndarray, limit: float = 0.0) -> None:
        """thumbnails (L,N,T,T); every head is scaled to its own highest value. limit: of differences, which have one
        scale for all heads, from -limit to limit."""
        is_same_model = thumbnails.shape[:2] == self.thumbnails.shape[:2]
        self.thumbnails, self._sheet = thumbnails, HeadSheet(thumbnails, limit=limit)
        if not is_same_model:
            self._groups, self.effects, self.hovered_cell = None, None, None
            self._relay()
        self.redraw()

    def set_selected(self, layer: int, head: int, selected: Sequence[Head] = ()) -> None:
        """The head on show, and all that are selected with it."""
        before = [*self.selected, self._current, self._cursor]
        self._current = self._cursor = (layer, head)
        self.selected = list(selected) or [(layer, head)]
        self._update_cells([*before, *self.selected, self._current])

    def set_groups(self, groups: Sequence[Group] | None) -> None:
        """Sorted: each group has its name above its heads. None: rows are layers, columns heads."""
        new = None if groups is None else tuple(groups)
        if new != self._groups:
            self._groups = new
            self._relay()

    def set_effects(self, effects: np.ndarray | None, limit: float = 1.0) -> None:
        """Draws a signed number (L,N) over each head; colours reach from -limit to limit. None: takes them away."""
        self.effects, self._limit = effects, limit
        self.redraw()

    def set_off(self, heads: frozenset[Head]) -> None:
        """These add nothing: they are faded and crossed out."""
        if heads != self.off:
            self.off = heads
            names = ", ".join(head_name(*head) for head in sorted(heads))
            self.setAccessibleDescription(say("Switched off: {heads}", heads=names) if names else "")
            self.redraw()

    def cell_rect(self, layer: int, head: int) -> QRectF:
        return self._places().cells[layer, head]

    def extent(self, one: Head, other: Head) -> list[Head]:
        """All heads from one to another, in the order they stand in."""
        in_order = list(self._places().cells)
        first, last = sorted((in_order.index(one), in_order.index(other)))
        return in_order[first : last + 1]

    def _update_cells(self, heads: Sequence[Head | None]) -> None:
        """Only these: hundreds of heads take their time."""
        cells = self._places().cells
        for head in {head for head in heads if head in cells}:
            self.update(cells[head].adjusted(-3, -3, 3, 3).toAlignedRect())

    def _relay(self) -> None:
        self.setMinimumHeight(self.heightForWidth(self.width()))
        self.updateGeometry()
        self.redraw()

    def _places(self, width: int | None = None) -> Places:
        layers, heads = self.thumbnails.shape[:2]
        return Places(self.width() if width is None else width, layers, heads, self._groups, theme.scale())

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

    def sizeHint(self) -> QSize:
        width = theme.column_px(280)
        return QSize(width, self.heightForWidth(width))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._places(width).height

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A layout that is short of space squeezes what has no least height of its own."""
        super().resizeEvent(event)
        self.setMinimumHeight(self.heightForWidth(event.size().width()))

    def shapes(self) -> Iterator[Shape]:
        if self._sheet is None:
            return
        at, effects = self._places(), self.effects
        for head, cell in at.cells.items():
            opacity = FADED if head in self.off else PALE if effects is not None else 255
            yield self._sheet.shape(cell, *head, opacity / 255)
        for cell in (at.cells[head] for head in self.off & at.cells.keys()):
            yield Line(cell.topLeft(), cell.bottomRight(), "muted", 1.2, snaps=False)
            yield Line(cell.bottomLeft(), cell.topRight(), "muted", 1.2, snaps=False)
        if effects is not None:
            for head, cell in at.cells.items():
                out = cell.width() * (1 - DOT) / 2
                square = cell.adjusted(out, out, -out, -out)
                yield Box(square, theme.diverging_color(effects[head] / self._limit), line="faint")
        for box, text, align in at.texts:
            yield Words(box, text, "muted", 10.5, align=align)
        if at.is_roomy:
            for head in at.cells:
                yield self._frame(head, "line", 1)

    def overlay(self) -> Iterator[Shape]:
        for head in self.selected:
            yield self._frame(head, "accent", 1.6)
        if self.hovered_cell is not None:
            yield self._frame(self.hovered_cell, "muted", 1.5)
        if self._cursor != self._current and self.hasFocus():
            yield self._frame(self._cursor, "mask", 1.6)
        yield self._frame(self._current, "accent", 2.6)

    def _frame(self, head: Head, color: str, width: float) -> Box:
        at = self._places()
        reach = 1 if at.is_roomy else 0
        rect = at.cells[head].adjusted(-reach, -reach, reach, reach)
        return Box(rect, line=color, line_px=theme.stroke(width), radius_px=3)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, modifiers, cursor = event.key(), event.modifiers(), self._cursor
        if key in ARROWS and modifiers & CONTROL:
            self._cursor = self._places().beside(cursor, *ARROWS[key])
            self.hovered.emit(self._cursor)
            self.update()
        elif key in ARROWS:
            self.clicked.emit(self._places().beside(cursor, *ARROWS[key]), modifiers)
        elif key == Qt.Key.Key_Space:
            self.clicked.emit(cursor, CONTROL)
            self._cursor = cursor
        else:
            super().keyPressEvent(event)


@lru_cache(maxsize=8)  # a layout asks for the height again and again
class Places:
    """Cells for a width: `cells` by head, `texts` as (box, text, alignment), and the height all that takes."""

    def __init__(self, width: int, layers: int, heads: int, groups: tuple[Group, ...] | None, scale: float) -> None:
        """scale: of the theme, for which it is laid out."""
        self.gap = theme.px(6) if heads <= 6 else theme.px(3) if heads <= 12 else theme.px(2)
        self.is_roomy = self.gap > 3
        columns = heads if groups is None else max(heads, FEWEST_COLUMNS)
        fits = (width - theme.px(SIDE_PX) - 3 - (columns - 1) * self.gap) / columns
        # Whole pixels: with fractions a cell would show a sliver of its neighbour.
        self.side = max(min(int(fits), theme.px(LARGEST_CELL_PX)), 4)
        self.cells: dict[Head, QRectF] = {}
        self.texts: list[tuple[QRectF, str, Qt.AlignmentFlag]] = []
        if groups is None:
            self._lay_out([(layer, head) for layer in range(layers) for head in range(heads)], heads, theme.px(TOP_PX))
            self._number(layers, heads)
        bottom, left = 0.0, theme.px(SIDE_PX)
        for name, members in groups or ():
            self.texts.append((QRectF(left, bottom, width - left, theme.px(NAME_PX)), name, theme.LEFT))
            bottom = self._lay_out(members, columns, bottom + theme.px(NAME_PX)) + theme.px(4)
        self.height = int(max((cell.bottom() for cell in self.cells.values()), default=0)) + 3

    def at(self, point: QPointF) -> Head | None:
        """The head under a point, its gap to the right and below included."""
        found = (head for head, cell in self.cells.items() if cell.adjusted(0, 0, self.gap, self.gap).contains(point))
        return next(found, None)

    def beside(self, head: Head, down: int, right: int) -> Head:
        """The head next to one in a direction; itself at the edge."""
        own, lines = self.cells[head], sorted({cell.y() for cell in self.cells.values()})
        line = lines.index(own.y()) + down
        if not 0 <= line < len(lines):
            return head
        others = [other for other, cell in self.cells.items() if cell.y() == lines[line]]
        if right:
            return others[min(max(others.index(head) + right, 0), len(others) - 1)]
        return min(others, key=lambda other: abs(self.cells[other].x() - own.x()))

    def _lay_out(self, heads: Sequence[Head], columns: int, top: float) -> float:
        """Lines of as many heads as there are columns; gives where the next line would begin."""
        step = self.side + self.gap
        for i, head in enumerate(heads):
            line, column = divmod(i, columns)
            self.cells[head] = QRectF(theme.px(SIDE_PX) + column * step, top + line * step, self.side, self.side)
        return top + -(-len(heads) // columns) * step

    def _number(self, layers: int, heads: int) -> None:
        """As many layers and heads as there is room for."""
        every = max(1, round(theme.px(13) / (self.side + self.gap) + 0.49))
        for layer in range(0, layers, every):
            rect = self.cells[layer, 0]
            box = QRectF(-WIDE, rect.y(), WIDE + rect.x() - theme.px(6), self.side)
            self.texts.append((box, str(layer + 1), theme.RIGHT))
        for head in range(0, heads, max(every, 2 if self.side < theme.px(16) else 1)):
            rect = self.cells[0, head]
            box = QRectF(rect.x() - WIDE, 0, self.side + 2 * WIDE, theme.px(TOP_PX) - 2)
            self.texts.append((box, str(head + 1), Qt.AlignmentFlag.AlignCenter))
