"""The picture of the view Lines: two columns of tokens, and lines for what the heads connect."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from bertcore.analysis.links import Links

from ...look import theme
from ...look.say import say
from ...widgets.charts.drawing import Drawing, Shape, Words
from .attentions import Head

ROW_PX, LARGEST_ROW_PX = 17, 30
WIDEST_PX = 5.0
COLUMN_PX = 130  # for tokens, on each side


@dataclass(frozen=True, eq=False)
class HeadLines:
    """The lines of one head."""

    head: Head
    links: Links
    color: str
    style: Qt.PenStyle
    signs: np.ndarray | None = None  # (K) of a difference: 1 more attention than in the baseline, -1 less
    full: float = 1.0  # the weight of the thickest line

    def paint_color(self, link: int) -> QColor:
        return theme.color(self.color) if self.signs is None else theme.signed_color(float(self.signs[link]))


class LinesPicture(Drawing):
    """Lines between the tokens; those of the token on show stand out. As tall as its tokens need."""

    arrows_click = True

    def __init__(self) -> None:
        name = say("Attention as lines: the tokens on the left look at those on the right")
        super().__init__(name, Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
        self.hovered.connect(lambda _row: self.redraw())
        self.lines: list[HeadLines] = []
        self._tokens: list[str] = []
        self._kinds: list[str] = []
        self.row: int | None = None

    def set_lines(self, lines: Sequence[HeadLines], tokens: list[str], kinds: list[str]) -> None:
        """tokens (U), kinds (U): colour names of the labels."""
        is_resized = len(tokens) != len(self._tokens)
        self.lines, self._tokens, self._kinds = list(lines), tokens, kinds
        self.setAccessibleDescription(
            say("{lines} lines of {heads} heads", lines=sum(len(one.links.weights) for one in lines), heads=len(lines))
        )
        if is_resized:
            self.updateGeometry()
        self.redraw()

    def set_row(self, row: int | None) -> None:
        if row != self.row:
            self.row = row
            self.redraw()

    def row_y(self, row: int) -> float:
        """The middle of a token's line."""
        return (row + 0.5) * self._row_height()

    def cell_at(self, point: QPointF) -> int | None:
        """A token of the left column."""
        row = int(point.y() / self._row_height())
        return row if point.x() < self.edges()[0] and 0 <= row < len(self._tokens) else None

    def cell_after(self, cell: int | None, key: int) -> int | None:
        step = {Qt.Key.Key_Up.value: -1, Qt.Key.Key_Down.value: 1}.get(key)
        if step is None or not self._tokens:
            return None
        return min(max((-1 if cell is None else cell) + step, 0), len(self._tokens) - 1)

    def selected_cell(self) -> int | None:
        return self.row

    def _row_height(self) -> float:
        fits = self.height() / max(len(self._tokens), 1)
        return min(max(fits, theme.px(ROW_PX)), theme.px(LARGEST_ROW_PX))

    def edges(self) -> tuple[float, float]:
        """Where lines begin and end."""
        column = min(theme.px(COLUMN_PX), self.width() * 0.3)
        return column, self.width() - column

    def shapes(self) -> Iterator[Shape]:
        (left, right), height, targets = self.edges(), self._row_height(), self._targets_of_row()
        for lines in self.lines if self._tokens else ():
            yield DrawnLines(self, lines)
        size, width = 13 if height >= theme.px(20) else 11.5, left - theme.px(8)
        for i, (token, kind) in enumerate(zip(self._tokens, self._kinds, strict=True)):
            is_row = i in (self.row, self.hovered_cell)
            box, color = QRectF(0, i * height, width, height), "accent" if is_row else kind
            yield Words(box, token, color, size, is_row, theme.RIGHT)
            yield Words(box.translated(right + theme.px(8), 0), token, kind, size, i in targets)

    def _targets_of_row(self) -> set[int]:
        """What lines of the token on show lead to."""
        targets: set[int] = set()
        for lines in self.lines:
            targets |= set(lines.links.columns[lines.links.rows == self.row].tolist())
        return targets

    def sizeHint(self) -> QSize:
        return QSize(theme.px(420), max(len(self._tokens), 1) * theme.px(ROW_PX))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(220), max(len(self._tokens), 1) * theme.px(ROW_PX))


@dataclass(frozen=True)
class DrawnLines:
    """The lines of one head that are seen; those of the token on show stand out."""

    picture: LinesPicture
    lines: HeadLines

    def paint(self, painter: QPainter) -> None:
        picture, links = self.picture, self.lines.links
        (left, right), seen, sizes = picture.edges(), picture.seen, links.weights / self.lines.full
        for link, (row, column, size) in enumerate(zip(links.rows, links.columns, sizes, strict=True)):
            y1, y2 = picture.row_y(int(row)), picture.row_y(int(column))
            if max(y1, y2) < seen.top() or min(y1, y2) > seen.bottom():
                continue
            is_strong = picture.row is None or int(row) == picture.row
            color = self.lines.paint_color(link)
            color.setAlpha(round((70 + 185 * float(size)) if is_strong else 28))
            painter.setPen(QPen(color, max(WIDEST_PX * float(size), 1.0), self.lines.style))
            painter.drawLine(QLineF(left, y1, right, y2))
