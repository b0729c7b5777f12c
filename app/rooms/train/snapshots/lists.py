"""The snapshots of a run: a list with what each one predicts, and a slider through the steps."""

from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QStyle

from bertcore.analysis.predict import WordGuess

from ....look import numbers, theme
from ....look.say import say
from ....widgets.charts.pointer import ARROWS, PointerWidget
from ....widgets.table import RowList

GAP_PX, FONT_PX = 8, 12.5
Snapshot = tuple[int, Path]  # step and folder


class SnapshotList(RowList):
    """A row for each snapshot: its step, and the word it puts behind the mask, as dark as it is sure."""

    chosen = Signal(int)  # index

    def __init__(self) -> None:
        super().__init__(say("Snapshots"))
        self._guesses: dict[Path, WordGuess] = {}
        self._chosen: int | None = None
        self.row_chosen.connect(lambda row: self.chosen.emit(self.rows.index(row)))

    def set_snapshots(self, snapshots: list[Snapshot]) -> None:
        self.set_rows(snapshots)
        self.set_chosen(self._chosen)

    def set_chosen(self, index: int | None) -> None:
        self._chosen = index
        self.set_current(index)
        self.viewport().update()

    def set_guesses(self, guesses: dict[Path, WordGuess]) -> None:
        self._guesses = guesses
        self.viewport().update()

    def row_text(self, row: Snapshot) -> str:
        step, guess = numbers.count(row[0]), self._guesses.get(row[1])
        return step if guess is None else say("step {step}: {word}", step=step, word=guess.token)

    def paint_row(self, painter: QPainter, box: QRectF, row: Snapshot, _state: QStyle.StateFlag) -> None:
        (step, path), box = row, box.adjusted(0, 1, 0, -1)
        is_chosen = self._chosen is not None and row == self.rows[self._chosen]
        if is_chosen:
            painter.setBrush(theme.color("accent_tint"))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRoundedRect(box, theme.px(5), theme.px(5))
        guess, gap, text = self._guesses.get(path), theme.px(GAP_PX), numbers.count(step)
        if row == self.rows[-1] and guess is None:
            text = say("{step} · newest", step=text)
        theme.draw_text(painter, box.adjusted(gap, 0, 0, 0), text, "ink" if is_chosen else "muted", FONT_PX)
        if guess is not None:
            metrics = QFontMetrics(theme.font(FONT_PX))
            steps_width = max(metrics.horizontalAdvance(numbers.count(each)) for each, _ in self.rows)
            _paint_guess(painter, box.adjusted(steps_width + 2 * gap, 1, -theme.px(2), -1), guess)


def _paint_guess(painter: QPainter, tile: QRectF, guess: WordGuess) -> None:
    color = theme.sequential_color(guess.probability)
    painter.setBrush(color)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.drawRoundedRect(tile, theme.px(4), theme.px(4))
    painter.setPen(theme.ink_on(color))
    painter.setFont(theme.font(FONT_PX))
    inner, number = tile.adjusted(theme.px(GAP_PX), 0, -theme.px(GAP_PX), 0), numbers.probability(guess.probability)
    metrics, middle = painter.fontMetrics(), Qt.AlignmentFlag.AlignVCenter
    room = int(inner.width()) - metrics.horizontalAdvance(f"  {number}")
    token = metrics.elidedText(guess.token, Qt.TextElideMode.ElideRight, room)
    painter.drawText(inner, middle | Qt.AlignmentFlag.AlignLeft, token)
    painter.drawText(inner, middle | Qt.AlignmentFlag.AlignRight, number)


class SnapshotSlider(PointerWidget):
    """A tick for each snapshot, evenly spaced (they are kept at growing distances), and a handle. A click, a drag or
    the arrow keys choose."""

    chosen = Signal(int)  # index; also of the one that is chosen
    arrows_click = True
    hint_px = (300, 44)
    _MARGIN_PX, _TRACK_Y_PX, _HANDLE_PX = 14, 16, 8

    def __init__(self) -> None:
        super().__init__(say("Time machine: step of the snapshot"), Qt.FocusPolicy.StrongFocus)
        self._snapshots: list[Snapshot] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.clicked.connect(lambda index, _modifiers: self.chosen.emit(index))

    def set_snapshots(self, snapshots: list[Snapshot]) -> None:
        self._snapshots = snapshots
        self.update()

    def cell_after(self, cell: int | None, key: int) -> int | None:
        last = len(self._snapshots) - 1
        ends = {Qt.Key.Key_Home.value: 0, Qt.Key.Key_End.value: last}
        index = ends.get(key, (cell or 0) + sum(ARROWS.get(key, (0, 0))))
        return index if key in (*ends, *ARROWS) and 0 <= index <= last else None

    def x_of(self, index: int) -> float:
        """Where a snapshot's tick stands, in this widget's pixels."""
        margin, last = theme.px(self._MARGIN_PX), max(1, len(self._snapshots) - 1)
        return margin + (self.width() - 2 * margin) * index / last

    def cell_at(self, point: QPointF) -> int | None:
        if not self._snapshots:
            return None
        margin, last = theme.px(self._MARGIN_PX), len(self._snapshots) - 1
        share = (point.x() - margin) / max(1, self.width() - 2 * margin)
        return min(max(round(share * last), 0), last)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        y, margin = theme.px(self._TRACK_Y_PX), theme.px(self._MARGIN_PX)
        painter.setPen(QPen(theme.color("bar" if self._snapshots else "track"), theme.px(4)))
        painter.drawLine(QPointF(margin, y), QPointF(self.width() - margin, y))
        self._paint_ticks(painter, y)
        if self._selected is not None and self._selected < len(self._snapshots):
            painter.setBrush(theme.color("accent"))
            painter.setPen(QPen(theme.color("card"), theme.px(2)))
            radius = theme.px(self._HANDLE_PX)
            painter.drawEllipse(QPointF(self.x_of(self._selected), y), radius, radius)

    def _paint_ticks(self, painter: QPainter, y: float) -> None:
        """With as many steps below them as have room."""
        font = theme.font(10.5)
        metrics, free_from = QFontMetrics(font), -1.0
        painter.setFont(font)
        for index, (step, _) in enumerate(self._snapshots):
            x, text = self.x_of(index), numbers.count(step)
            painter.setPen(QPen(theme.color("accent"), theme.px(2)))
            painter.drawLine(QPointF(x, y - theme.px(5)), QPointF(x, y + theme.px(5)))
            width = metrics.horizontalAdvance(text)
            left = min(max(x - width / 2, 0), self.width() - width - 1)
            if left >= free_from:
                painter.setPen(theme.color("muted"))
                painter.drawText(QPointF(left, y + theme.px(23)), text)
                free_from = left + width + theme.px(8)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Dragging the handle chooses every snapshot on its way."""
        super().mouseMoveEvent(event)
        index = self.cell_at(event.position())
        if event.buttons() & Qt.MouseButton.LeftButton and index is not None and index != self._selected:
            self.chosen.emit(index)
