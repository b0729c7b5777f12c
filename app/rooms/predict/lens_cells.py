"""What each layer would say at the masks, as coloured cells: in a line for one mask, in a table for all of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import numbers, theme
from app.rooms.predict.view import stage_name
from bertcore.analysis.predict import WordGuess

Column = list[list[WordGuess]]  # [stage], likeliest first
STRIP_PX, FOOT_PX, GAP_PX = 26, 15, 3
ROW_PX, LOW_ROW_PX, MANY_ROWS, HEAD_PX, SIDE_PX = 38, 24, 13, 24, 92


class LensStrip(QWidget):
    """One mask: a cell for each stage, from left to right, with the likeliest word where it fits."""

    hover_text_changed = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(theme.px(STRIP_PX + FOOT_PX))
        self._stages: Column = []

    @property
    def words(self) -> list[str]:
        """The likeliest at each stage."""
        return [words[0].token for words in self._stages]

    def set_stages(self, stages: Column) -> None:
        self._stages = stages
        self.setAccessibleDescription(", ".join(_described(i, words[:1]) for i, words in enumerate(stages)))
        self.update()

    def cell_rect(self, stage: int) -> QRectF:
        width = self.width() / max(len(self._stages), 1)
        gap = theme.px(GAP_PX) if width > theme.px(12) else 0
        return QRectF(stage * width, 0, width - gap, theme.px(STRIP_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for stage, words in enumerate(self._stages):
            rect = self.cell_rect(stage)
            paint_cell(painter, rect, words[0], with_number=False)
            painter.setFont(theme.font(10.5))
            painter.setPen(theme.color("muted"))
            name = str(stage) if stage else "emb."
            foot = QRectF(rect.x(), rect.bottom(), rect.width(), theme.px(FOOT_PX))
            if QFontMetrics(painter.font()).horizontalAdvance(name) <= foot.width():
                painter.drawText(foot, Qt.AlignmentFlag.AlignCenter, name)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        stage = int(event.position().x() / max(self.width(), 1) * len(self._stages))
        self.hover_text_changed.emit(_described(stage, self._stages[stage]) if 0 <= stage < len(self._stages) else "")

    def leaveEvent(self, event: QEvent) -> None:
        self.hover_text_changed.emit("")


class LensTable(QWidget):
    """All masks: rows are stages, columns masks. A click or the arrow keys choose a mask."""

    hover_text_changed = Signal(str)
    mask_clicked = Signal(int)  # a column

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Best guess at each mask after each layer")
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._heads: list[str] = []
        self._columns: list[Column] = []
        self._current = 0

    @property
    def columns(self) -> list[Column]:
        return self._columns

    @property
    def current(self) -> int:
        return self._current

    def set_columns(self, heads: Sequence[str], columns: list[Column]) -> None:
        self._heads, self._columns = list(heads), columns
        last = [f"{head}: {column[-1][0].token}" for head, column in zip(heads, columns, strict=True)]
        self.setAccessibleDescription(", ".join(last))
        self.setFixedHeight(theme.px(HEAD_PX) + self._rows * theme.px(self._row_px))
        self.update()

    def set_current(self, column: int) -> None:
        self._current = column
        self.update()

    def cell_rect(self, stage: int, column: int) -> QRectF:
        left, top = theme.px(SIDE_PX), theme.px(HEAD_PX)
        width = (self.width() - left) / max(len(self._columns), 1)
        height, gap = theme.px(self._row_px), theme.px(GAP_PX)
        return QRectF(left + column * width, top + stage * height, width - 2 * gap, height - gap)

    @property
    def _row_px(self) -> int:
        return ROW_PX if self._rows <= MANY_ROWS else LOW_ROW_PX

    @property
    def _rows(self) -> int:
        return len(self._columns[0]) if self._columns else 0

    def _spot(self, at: QPointF) -> tuple[int, int] | None:
        """(stage, column)"""
        spots = ((stage, column) for column in range(len(self._columns)) for stage in range(self._rows))
        return next((spot for spot in spots if self.cell_rect(*spot).contains(at)), None)

    def _paint_heads(self, painter: QPainter) -> None:
        for stage in range(self._rows):
            painter.setFont(theme.font(12))
            painter.setPen(theme.color("muted"))
            rect = self.cell_rect(stage, 0)
            side = QRectF(0, rect.y(), rect.x() - theme.px(8), rect.height())
            painter.drawText(side, Qt.AlignmentFlag.AlignVCenter, stage_name(stage))
        for column, head in enumerate(self._heads):
            is_current = column == self._current
            painter.setFont(theme.font(12, bold=is_current))
            painter.setPen(theme.color("ink" if is_current else "muted"))
            rect = self.cell_rect(0, column)
            box = QRectF(rect.x(), 0, rect.width(), theme.px(HEAD_PX))
            text = QFontMetrics(painter.font()).elidedText(head, Qt.TextElideMode.ElideRight, int(rect.width()))
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(400), self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_heads(painter)
        for column, stages in enumerate(self._columns):
            for stage, words in enumerate(stages):
                paint_cell(painter, self.cell_rect(stage, column), words[0], with_number=True)
        if len(self._columns) > 1 and self._current < len(self._columns):
            whole = self.cell_rect(0, self._current).united(self.cell_rect(self._rows - 1, self._current))
            painter.setPen(QPen(theme.color("accent"), theme.px(2)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(whole.adjusted(-1, -1, 1, 1), theme.px(6), theme.px(6))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        spot = self._spot(event.position())
        self.hover_text_changed.emit(_described(spot[0], self._columns[spot[1]][spot[0]]) if spot else "")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        spot = self._spot(event.position())
        if spot is not None:
            self.mask_clicked.emit(spot[1])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left.value: -1, Qt.Key.Key_Right.value: 1}.get(event.key())
        if step is None or not self._columns:
            super().keyPressEvent(event)
        else:
            self.mask_clicked.emit(min(max(self._current + step, 0), len(self._columns) - 1))

    def leaveEvent(self, event: QEvent) -> None:
        self.hover_text_changed.emit("")


def paint_cell(painter: QPainter, rect: QRectF, guess: WordGuess, *, with_number: bool) -> None:
    """As dark as the probability, 0 to 1; the word in it where it fits."""
    color = theme.sequential_color(guess.probability)
    painter.setPen(theme.color("line"))
    painter.setBrush(color)
    radius = theme.px(5) if rect.width() > theme.px(20) else 0
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
    font = theme.font(13 if with_number else 12)
    metrics = QFontMetrics(font)
    number = f"  {numbers.probability(guess.probability)}"
    fits = with_number and metrics.horizontalAdvance(guess.token + number) < rect.width() - theme.px(12)
    text = guess.token + (number if fits else "")
    if rect.width() < theme.px(30):
        return
    painter.setFont(font)
    painter.setPen((theme.DARK if color.lightnessF() < 0.5 else theme.LIGHT).ink)
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(rect.width()) - theme.px(6))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, shown)


def _described(stage: int, words: Sequence[WordGuess]) -> str:
    listed = ", ".join(f"{word.token} {word.probability:.4f}" for word in words)
    return f"{stage_name(stage)}: {listed}"
