"""Attention as lines between two columns of tokens: left the token that looks, right what it looks at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QLineF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import theme
from app.rooms.attend.links import Links
from app.rooms.attend.shown import Head

HEAD_COLORS = ("curve_train", "curve_held_out", "curve_mlm", "curve_nsp", "curve_norm", "muted")
STYLES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
    Qt.PenStyle.DashDotDotLine,
    Qt.PenStyle.SolidLine,
)
ROW_PX, LARGEST_ROW_PX = 17, 30
WIDEST_PX = 5.0
COLUMN_PX = 130  # for tokens, on each side


@dataclass(frozen=True, eq=False)
class Strand:
    """The lines of one head."""

    head: Head
    links: Links
    color: str
    style: Qt.PenStyle


class LinesView(QWidget):
    """Strands between the tokens; those of the token that is looked at stand out. As tall as its tokens need."""

    hovered = Signal(object)  # the token in the left column under the mouse, or None
    clicked = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Attention as lines: left the token that looks, right what it looks at")
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.MinimumExpanding)
        self.strands: list[Strand] = []
        self._tokens: list[str] = []
        self._kinds: list[str] = []
        self._row: int | None = None
        self._hovered: int | None = None

    def set_strands(self, strands: Sequence[Strand], tokens: list[str], kinds: list[str]) -> None:
        """tokens (S), kinds (S): colour names of the labels."""
        resized = len(tokens) != len(self._tokens)
        self.strands, self._tokens, self._kinds = list(strands), tokens, kinds
        count = sum(len(strand.links.weights) for strand in strands)
        self.setAccessibleDescription(f"{count} lines of {len(strands)} heads")
        if resized:
            self.updateGeometry()
        self.update()

    def set_row(self, row: int | None) -> None:
        if row != self._row:
            self._row = row
            self.update()

    def row_y(self, row: int) -> float:
        """The middle of a token's line."""
        return (row + 0.5) * self._row_height()

    def _row_height(self) -> float:
        fits = self.height() / max(len(self._tokens), 1)
        return min(max(fits, theme.px(ROW_PX)), theme.px(LARGEST_ROW_PX))

    def _edges(self) -> tuple[float, float]:
        """Where lines begin and end."""
        column = min(theme.px(COLUMN_PX), self.width() * 0.3)
        return column, self.width() - column

    def _paint_strand(self, painter: QPainter, strand: Strand, seen: tuple[float, float]) -> None:
        left, right = self._edges()
        links = strand.links
        for row, column, weight in zip(links.rows, links.columns, links.weights, strict=True):
            y1, y2 = self.row_y(int(row)), self.row_y(int(column))
            if max(y1, y2) < seen[0] or min(y1, y2) > seen[1]:
                continue
            is_strong = self._row is None or int(row) == self._row
            color = theme.color(strand.color, round((70 + 185 * float(weight)) if is_strong else 28))
            painter.setPen(QPen(color, max(WIDEST_PX * float(weight), 1.0), strand.style))
            painter.drawLine(QLineF(left, y1, right, y2))

    def _paint_tokens(self, painter: QPainter, seen: tuple[float, float]) -> None:
        left, right = self._edges()
        height, looked_at = self._row_height(), self._looked_at()
        first, last = max(int(seen[0] / height), 0), min(int(seen[1] / height) + 1, len(self._tokens))
        for i in range(first, last):
            y = i * height
            is_row = i in (self._row, self._hovered)
            painter.setFont(theme.font(13 if height >= theme.px(20) else 11.5, bold=is_row))
            painter.setPen(theme.color("accent" if is_row else self._kinds[i]))
            text = self._cut(painter, self._tokens[i], left)
            box = QRectF(0, y, left - theme.px(8), height)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
            painter.setFont(theme.font(13 if height >= theme.px(20) else 11.5, bold=i in looked_at))
            painter.setPen(theme.color(self._kinds[i]))
            box = QRectF(right + theme.px(8), y, self.width() - right - theme.px(8), height)
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    def _cut(self, painter: QPainter, token: str, width: float) -> str:
        metrics: QFontMetrics = painter.fontMetrics()
        return metrics.elidedText(token, Qt.TextElideMode.ElideRight, int(width - theme.px(12)))

    def _looked_at(self) -> set[int]:
        """What the token that is looked at is connected with."""
        found: set[int] = set()
        for strand in self.strands:
            found |= set(strand.links.columns[strand.links.rows == self._row].tolist())
        return found

    def _at(self, event: QMouseEvent) -> int | None:
        row = int(event.position().y() / self._row_height())
        return row if event.position().x() < self._edges()[0] and 0 <= row < len(self._tokens) else None

    def sizeHint(self) -> QSize:
        return QSize(theme.px(420), max(len(self._tokens), 1) * theme.px(ROW_PX))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(220), max(len(self._tokens), 1) * theme.px(ROW_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._tokens:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        seen = (float(event.rect().top()), float(event.rect().bottom()))
        for strand in self.strands:
            self._paint_strand(painter, strand, seen)
        self._paint_tokens(painter, seen)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        row = self._at(event)
        if row != self._hovered:
            self._hovered = row
            self.hovered.emit(row)
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self._at(event)
        if row is not None:
            self.clicked.emit(row)

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = None
        self.hovered.emit(None)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Up and down: the token above or below."""
        step = {Qt.Key.Key_Up.value: -1, Qt.Key.Key_Down.value: 1}.get(event.key())
        if step is None or not self._tokens:
            super().keyPressEvent(event)
            return
        start = -1 if self._row is None else self._row
        self.clicked.emit(int(np.clip(start + step, 0, len(self._tokens) - 1)))
