"""The picture of the view Lines: two columns of tokens, and lines for what the heads connect."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from bertcore.analysis.links import Links

from ...look import theme
from ...look.say import say
from ...widgets.charts.pointer import PointerWidget
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


class LinesPicture(PointerWidget):
    """Lines between the tokens; those of the token on show stand out. As tall as its tokens need."""

    arrows_click = True

    def __init__(self) -> None:
        super().__init__("", Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(say("Attention as lines: the tokens on the left look at those on the right"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
        self.lines: list[HeadLines] = []
        self._tokens: list[str] = []
        self._kinds: list[str] = []
        self._row: int | None = None

    def set_lines(self, lines: Sequence[HeadLines], tokens: list[str], kinds: list[str]) -> None:
        """tokens (U), kinds (U): colour names of the labels."""
        is_resized = len(tokens) != len(self._tokens)
        self.lines, self._tokens, self._kinds = list(lines), tokens, kinds
        self.setAccessibleDescription(
            say("{lines} lines of {heads} heads", lines=sum(len(one.links.weights) for one in lines), heads=len(lines))
        )
        if is_resized:
            self.updateGeometry()
        self.update()

    def set_row(self, row: int | None) -> None:
        if row != self._row:
            self._row = row
            self.update()

    def row_y(self, row: int) -> float:
        """The middle of a token's line."""
        return (row + 0.5) * self._row_height()

    def cell_at(self, point: QPointF) -> int | None:
        """A token of the left column."""
        row = int(point.y() / self._row_height())
        return row if point.x() < self._edges()[0] and 0 <= row < len(self._tokens) else None

    def cell_after(self, cell: int | None, key: int) -> int | None:
        step = {Qt.Key.Key_Up.value: -1, Qt.Key.Key_Down.value: 1}.get(key)
        if step is None or not self._tokens:
            return None
        return min(max((-1 if cell is None else cell) + step, 0), len(self._tokens) - 1)

    def selected_cell(self) -> int | None:
        return self._row

    def _row_height(self) -> float:
        fits = self.height() / max(len(self._tokens), 1)
        return min(max(fits, theme.px(ROW_PX)), theme.px(LARGEST_ROW_PX))

    def _edges(self) -> tuple[float, float]:
        """Where lines begin and end."""
        column = min(theme.px(COLUMN_PX), self.width() * 0.3)
        return column, self.width() - column

    def _paint_lines(self, painter: QPainter, lines: HeadLines, seen: tuple[float, float]) -> None:
        left, right = self._edges()
        links = lines.links
        sizes = links.weights / lines.full
        for link, (row, column, weight) in enumerate(zip(links.rows, links.columns, sizes, strict=True)):
            y1, y2 = self.row_y(int(row)), self.row_y(int(column))
            if max(y1, y2) < seen[0] or min(y1, y2) > seen[1]:
                continue
            is_strong = self._row is None or int(row) == self._row
            color = lines.paint_color(link)
            color.setAlpha(round((70 + 185 * float(weight)) if is_strong else 28))
            painter.setPen(QPen(color, max(WIDEST_PX * float(weight), 1.0), lines.style))
            painter.drawLine(QLineF(left, y1, right, y2))

    def _paint_tokens(self, painter: QPainter, seen: tuple[float, float]) -> None:
        left, right = self._edges()
        height, targets = self._row_height(), self._targets_of_row()
        first, last = max(int(seen[0] / height), 0), min(int(seen[1] / height) + 1, len(self._tokens))
        size = 13 if height >= theme.px(20) else 11.5
        for i in range(first, last):
            y = i * height
            is_row = i in (self._row, self.hovered_cell)
            token, kind, width = self._tokens[i], self._kinds[i], left - theme.px(8)
            color, box = "accent" if is_row else kind, QRectF(0, y, width, height)
            theme.draw_text(painter, box, token, color, size, align=theme.RIGHT, bold=is_row)
            box.moveLeft(right + theme.px(8))
            theme.draw_text(painter, box, token, kind, size, bold=i in targets)

    def _targets_of_row(self) -> set[int]:
        """What lines of the token on show lead to."""
        targets: set[int] = set()
        for lines in self.lines:
            targets |= set(lines.links.columns[lines.links.rows == self._row].tolist())
        return targets

    def sizeHint(self) -> QSize:
        return QSize(theme.px(420), max(len(self._tokens), 1) * theme.px(ROW_PX))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(220), max(len(self._tokens), 1) * theme.px(ROW_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._tokens:
            return
        painter = theme.painter(self)
        seen = (float(event.rect().top()), float(event.rect().bottom()))
        for lines in self.lines:
            self._paint_lines(painter, lines, seen)
        self._paint_tokens(painter, seen)
