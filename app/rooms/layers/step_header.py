"""The line of one step: its number, name and formula; its shape and the function that did it at the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy

from app.look import theme
from app.look.icons import paint_icon

if TYPE_CHECKING:
    from app.compute.layer_steps import LayerStep

HEIGHT_PX = 28
TITLE_PX, SHAPE_PX, FUNCTION_PX = 160, 92, 200
MIDDLE = Qt.AlignmentFlag.AlignVCenter


class StepHeader(QPushButton):
    """Checked: its numbers are shown below it."""

    def __init__(self, number: int, key: str) -> None:
        super().__init__()
        self.key = key
        self._number = number
        self._title = self._formula = self._shape = self._function = ""
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def texts(self) -> tuple[str, str, str, str]:
        """Title, formula, shape, function."""
        return self._title, self._formula, self._shape, self._function

    def show_step(self, step: LayerStep) -> None:
        rows, columns = step.values.shape
        self._title, self._formula = step.title, step.formula
        self._shape = f"{rows} × {columns}"
        self._function = ".".join(step.function.split(".")[-2:])
        self.setAccessibleName(f"Step {self._number}: {step.title}, {step.formula}, {self._shape}")
        self.setToolTip(f"{step.function}\n{rows} tokens × {columns} {step.columns}s")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(420), theme.px(HEIGHT_PX))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(280), theme.px(HEIGHT_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        is_lit = self.isChecked() or self.underMouse()
        painter.setPen(theme.color("accent") if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("accent_tint" if self.isChecked() else "hover" if is_lit else "card"))
        painter.drawRoundedRect(rect, theme.px(6), theme.px(6))
        side = theme.px(10)
        chevron = QRectF(theme.px(7), (self.height() - side) / 2, side, side)
        if not self.isChecked():  # points right while closed
            painter.save()
            painter.translate(chevron.center())
            painter.rotate(-90)
            painter.translate(-chevron.center())
            paint_icon(painter, "chevron", chevron, theme.color("muted"))
            painter.restore()
        else:
            paint_icon(painter, "chevron", chevron, theme.color("accent"))
        self._paint_texts(painter)

    def _paint_texts(self, painter: QPainter) -> None:
        right = self.width() - theme.px(8)
        has_function = self.width() > theme.px(TITLE_PX + SHAPE_PX + FUNCTION_PX + 190)
        if has_function:
            right -= theme.px(FUNCTION_PX)
            self._write(painter, right, theme.px(FUNCTION_PX), self._function, "muted", 11.5)
        right -= theme.px(SHAPE_PX)
        self._write(painter, right, theme.px(SHAPE_PX), self._shape, "ink", 12)
        left = theme.px(24)
        self._write(painter, left, theme.px(22), str(self._number), "muted", 12)
        left += theme.px(24)
        self._write(painter, left, theme.px(TITLE_PX), self._title, "ink", 13, bold=True)
        left += theme.px(TITLE_PX)
        self._write(painter, left, right - left - theme.px(8), self._formula, "muted", 12)

    def _write(
        self, painter: QPainter, left: float, width: float, text: str, color: str, size: float, *, bold: bool = False
    ) -> None:
        painter.setFont(theme.font(size, bold=bold))
        painter.setPen(theme.color(color))
        shown = QFontMetrics(painter.font()).elidedText(text, Qt.TextElideMode.ElideRight, int(width))
        painter.drawText(QRectF(left, 0, width, self.height()), MIDDLE, shown)
