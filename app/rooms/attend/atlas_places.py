"""Where each head stands in the atlas, and the numbers and names around them."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt

from app.look import theme
from app.rooms.attend.shown import Head

SIDE_PX = 18  # for the numbers of layers and heads
TOP_PX = 15
NAME_PX = 17  # the line with a group's name
LARGEST_CELL_PX = 84
FEWEST_COLUMNS = 6  # of a sorted atlas: many groups are small
Group = tuple[str, tuple[Head, ...]]  # name, its heads in order
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


@lru_cache(maxsize=8)
def places(width: int, layers: int, heads: int, groups: tuple[Group, ...] | None, scale: float) -> Places:
    """Worked out once: a layout asks for the height again and again."""
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
            self.texts.append((QRectF(0, rect.y(), rect.x() - theme.px(6), self.side), str(layer + 1), _RIGHT))
        for head in range(0, heads, max(every, 2 if self.side < theme.px(16) else 1)):
            rect = self.cells[(0, head)]
            box = QRectF(rect.x() - 4, 0, self.side + 8, theme.px(TOP_PX) - 2)
            self.texts.append((box, str(head + 1), Qt.AlignmentFlag.AlignCenter))

    def _lay_groups(self, groups: tuple[Group, ...], width: int) -> None:
        y = 0.0
        for name, heads in groups:
            box = QRectF(theme.px(SIDE_PX), y, width - theme.px(SIDE_PX), theme.px(NAME_PX))
            self.texts.append((box, name, _LEFT))
            y += theme.px(NAME_PX)
            for i, spot in enumerate(heads):
                line, column = divmod(i, self._columns)
                self.cells[spot] = self._cell(column, y + line * (self.side + self.gap))
            y += -(-len(heads) // self._columns) * (self.side + self.gap) + theme.px(4)
