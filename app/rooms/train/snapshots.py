"""The snapshots of a run: a list with what each one predicts, and a slider through the steps."""

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from ...look import numbers, theme
from ...look.say import say
from ...widgets.charts.pointer import ARROWS, PointerWidget

ROW_PX, GAP_PX = 28, 8
FONT_PX = 12.5


@dataclass(frozen=True)
class Guess:
    """A snapshot's likeliest word for the mask."""

    token: str
    probability: float


class _SnapshotsView(PointerWidget):
    """Snapshots by step, one of them chosen. A click chooses, even the chosen one; arrow keys choose its neighbour."""

    chosen = Signal(int)  # index
    arrows_click = True

    def __init__(self, name: str) -> None:
        super().__init__(name, Qt.FocusPolicy.StrongFocus)
        self._snapshots: list[tuple[int, Path]] = []
        self._chosen: int | None = None
        self.clicked.connect(lambda index, _modifiers: self.chosen.emit(index))

    def set_snapshots(self, snapshots: list[tuple[int, Path]]) -> None:
        self._snapshots = snapshots
        self.updateGeometry()
        self.update()

    def set_chosen(self, index: int | None) -> None:
        self._chosen = index
        self.update()

    def selected_cell(self) -> int | None:
        return self._chosen

    def cell_after(self, cell: int | None, key: int) -> int | None:
        last = len(self._snapshots) - 1
        ends = {Qt.Key.Key_Home.value: 0, Qt.Key.Key_End.value: last}
        index = ends.get(key, (cell or 0) + sum(ARROWS.get(key, (0, 0))))
        return index if key in (*ends, *ARROWS) and 0 <= index <= last else None


class SnapshotList(_SnapshotsView):
    """A row for each snapshot: its step, and the word it puts behind the mask, as dark as it is sure."""

    def __init__(self) -> None:
        super().__init__("")
        self.setAccessibleName(say("Snapshots"))
        self._guesses: dict[Path, Guess] = {}

    def set_snapshots(self, snapshots: list[tuple[int, Path]]) -> None:
        super().set_snapshots(snapshots)
        self.setMinimumHeight(len(snapshots) * theme.px(ROW_PX))

    def set_guesses(self, guesses: dict[Path, Guess]) -> None:
        self._guesses = guesses
        step_text = say("step {step}: {word}")
        described = (
            step_text.format(step=step, word=guesses[path].token) for step, path in self._snapshots if path in guesses
        )
        self.setAccessibleDescription(", ".join(described))
        self.update()

    def cell_at(self, point: QPointF) -> int | None:
        index = int(point.y() // theme.px(ROW_PX))
        return index if 0 <= index < len(self._snapshots) else None

    def _paint_row(self, painter: QPainter, index: int, steps_width: int) -> None:
        step, path = self._snapshots[index]
        row = QRectF(0, index * theme.px(ROW_PX), self.width(), theme.px(ROW_PX)).adjusted(0, 1, 0, -1)
        if index == self._chosen:
            painter.setBrush(theme.color("accent_tint"))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRoundedRect(row, theme.px(5), theme.px(5))
        is_last = index == len(self._snapshots) - 1
        guess = self._guesses.get(path)
        text = say("{step} · newest") if is_last and guess is None else "{step}"
        gap = theme.px(GAP_PX)
        color = "ink" if index == self._chosen else "muted"
        theme.draw_text(painter, row.adjusted(gap, 0, 0, 0), text.format(step=numbers.count(step)), color, FONT_PX)
        if guess is not None:
            self._paint_guess(painter, row.adjusted(steps_width + 2 * gap, 1, -theme.px(2), -1), guess)

    def _paint_guess(self, painter: QPainter, tile: QRectF, guess: Guess) -> None:
        color = theme.sequential_color(guess.probability)
        painter.setBrush(color)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawRoundedRect(tile, theme.px(4), theme.px(4))
        painter.setPen(theme.ink_on(color))
        inner = tile.adjusted(theme.px(GAP_PX), 0, -theme.px(GAP_PX), 0)
        painter.setFont(theme.font(FONT_PX))
        number = numbers.probability(guess.probability)
        metrics, middle = painter.fontMetrics(), Qt.AlignmentFlag.AlignVCenter
        room = int(inner.width()) - metrics.horizontalAdvance(f"  {number}")
        token = metrics.elidedText(guess.token, Qt.TextElideMode.ElideRight, room)
        painter.drawText(inner, middle | Qt.AlignmentFlag.AlignLeft, token)
        painter.drawText(inner, middle | Qt.AlignmentFlag.AlignRight, number)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(200), len(self._snapshots) * theme.px(ROW_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        metrics = QFontMetrics(theme.font(FONT_PX))
        steps_width = max((metrics.horizontalAdvance(numbers.count(step)) for step, _ in self._snapshots), default=0)
        for index in range(len(self._snapshots)):
            self._paint_row(painter, index, steps_width)


class SnapshotSlider(_SnapshotsView):
    """A tick for each snapshot, evenly spaced (they are kept at growing distances), and a handle."""

    _MARGIN_PX, _TRACK_Y_PX, _HANDLE_PX = 14, 16, 8

    def __init__(self) -> None:
        super().__init__("")
        self.setAccessibleName(say("Time machine: step of the snapshot"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def x_of(self, index: int) -> float:
        """Where a snapshot's tick stands, in this widget's pixels."""
        margin = theme.px(self._MARGIN_PX)
        last = max(1, len(self._snapshots) - 1)
        return margin + (self.width() - 2 * margin) * index / last

    def cell_at(self, point: QPointF) -> int | None:
        if not self._snapshots:
            return None
        margin, last = theme.px(self._MARGIN_PX), len(self._snapshots) - 1
        share = (point.x() - margin) / max(1, self.width() - 2 * margin)
        return min(max(round(share * last), 0), last)

    def _paint_ticks(self, painter: QPainter, y: float) -> None:
        font = theme.font(10.5)
        metrics, free_from = QFontMetrics(font), -1.0
        painter.setFont(font)
        for index, (step, _) in enumerate(self._snapshots):
            x = self.x_of(index)
            painter.setPen(QPen(theme.color("accent"), theme.px(2)))
            painter.drawLine(QPointF(x, y - theme.px(5)), QPointF(x, y + theme.px(5)))
            text = numbers.count(step)
            width = metrics.horizontalAdvance(text)
            left = min(max(x - width / 2, 0), self.width() - width - 1)
            if left >= free_from:
                painter.setPen(theme.color("muted"))
                painter.drawText(QPointF(left, y + theme.px(23)), text)
                free_from = left + width + theme.px(8)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(300), theme.px(44))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        y, margin = theme.px(self._TRACK_Y_PX), theme.px(self._MARGIN_PX)
        painter.setPen(QPen(theme.color("bar" if self._snapshots else "track"), theme.px(4)))
        painter.drawLine(QPointF(margin, y), QPointF(self.width() - margin, y))
        self._paint_ticks(painter, y)
        if self._chosen is not None and self._chosen < len(self._snapshots):
            painter.setBrush(theme.color("accent"))
            painter.setPen(QPen(theme.color("card"), theme.px(2)))
            painter.drawEllipse(
                QPointF(self.x_of(self._chosen), y), theme.px(self._HANDLE_PX), theme.px(self._HANDLE_PX)
            )

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Dragging the handle chooses every snapshot on its way."""
        super().mouseMoveEvent(event)
        index = self.cell_at(event.position())
        if event.buttons() & Qt.MouseButton.LeftButton and index is not None and index != self._chosen:
            self.chosen.emit(index)
