"""The steps of slow motion: for each a bar, as long as the step changed the loss on its own batch."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from bertcore.runs.run_metrics import SlowStep

from ...look import numbers, theme
from ...look.say import say
from ...widgets.charts.pointer import PointerWidget

MOST = 40  # the newest ones; more would leave no room for their numbers
HEIGHT_PX, STEP_PX, LINE_PX = 110, 62, 18


class SlowPicture(PointerWidget):
    """Cells are places in `steps`. A bar that hangs is good: the loss fell."""

    def __init__(self) -> None:
        super().__init__("", Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(say("How each step changed the loss on its own batch"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.steps: list[SlowStep] = []

    def set_steps(self, steps: list[SlowStep]) -> None:
        if steps[-MOST:] == self.steps:
            return
        self.steps, self.hovered_cell = list(steps[-MOST:]), None
        words = say("step {step}: {before} before, {after} after")
        said = [
            words.format(step=each.step, before=numbers.decimal(each.before, 3), after=numbers.decimal(each.after, 3))
            for each in self.steps
        ]
        self.setAccessibleDescription(", ".join(said[-5:]))
        self.hovered.emit(None)
        self.update()

    @property
    def shown(self) -> SlowStep | None:
        """The one under the mouse, else the newest."""
        if not self.steps:
            return None
        return self.steps[-1 if self.hovered_cell is None else self.hovered_cell]

    def column(self, index: int) -> QRectF:
        """Where a step stands."""
        wide = min(self.width() / max(len(self.steps), 1), float(theme.px(STEP_PX)))
        return QRectF(index * wide, 0, wide, self.height())

    def cell_at(self, point: QPointF) -> int | None:
        return next((index for index in range(len(self.steps)) if self.column(index).contains(point)), None)

    def cell_after(self, cell: int | None, key: int) -> int | None:
        move = {Qt.Key.Key_Left.value: -1, Qt.Key.Key_Right.value: 1}.get(key)
        if move is None or not self.steps:
            return None
        return min(max((len(self.steps) if cell is None else cell) + move, 0), len(self.steps) - 1)

    def selected_cell(self) -> int | None:
        return len(self.steps) - 1 if self.steps else None

    def sizeHint(self) -> QSize:
        return QSize(theme.px(400), theme.px(HEIGHT_PX))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(200), theme.px(HEIGHT_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.steps:
            return
        painter = theme.painter(self)
        line = theme.px(LINE_PX)
        changes = [each.after - each.before for each in self.steps]
        up, down = max(0.0, *changes), max(0.0, *(-change for change in changes))
        room = self.height() - (line if up == 0 or down == 0 else 2 * line) - line  # numbers at bars, steps at an edge
        scale = room / max(up + down, 1e-9)
        zero = line + up * scale + (line if up else 0)
        for index, step in enumerate(self.steps):
            self._paint_bar(painter, index, step, zero, scale)
        painter.setPen(QPen(theme.color("muted"), theme.stroke(1.0)))
        painter.drawLine(QPointF(0, zero), QPointF(self.column(len(self.steps) - 1).right(), zero))

    def _paint_bar(self, painter: QPainter, index: int, step: SlowStep, zero: float, scale: float) -> None:
        column, line, change = self.column(index), theme.px(LINE_PX), step.after - step.before
        is_here, center = step is self.shown, Qt.AlignmentFlag.AlignCenter
        if index == self.hovered_cell:
            painter.fillRect(column, theme.color("hover"))
        bar = QRectF(column.x() + 0.2 * column.width(), zero, 0.6 * column.width(), -change * scale)
        painter.fillRect(bar.normalized(), theme.color("good" if change <= 0 else "bad"))
        number = numbers.signed(change, 3)
        if QFontMetrics(theme.font(11, bold=True)).horizontalAdvance(number) > column.width() - 2 and not is_here:
            return
        end = bar.bottom() if change <= 0 else bar.bottom() - line
        wide = column.adjusted(-line, 0, line, 0) if is_here else column
        theme.draw_text(
            painter, QRectF(wide.x(), end, wide.width(), line), number, "ink", 11, align=center, bold=is_here
        )
        name = QRectF(wide.x(), 0, wide.width(), line)
        theme.draw_text(painter, name, numbers.count(step.step), "muted", 11, align=center, bold=is_here)
