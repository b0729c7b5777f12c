"""Tokens in the order of the text, each as dark as its value, with the value below."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
)

from app.look import theme
from app.widgets.wrapped import WrappedBoxes

HEIGHT_PX = 42
PADDING_PX = 9
STEPS = {Qt.Key.Key_Left.value: -1, Qt.Key.Key_Right.value: 1}
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


@dataclass(frozen=True)
class HeatToken:
    """value: its place on the scale, 0..1, or -1..1 where the scale is signed; None: it has none, and no colour.

    A marked one is bold and framed.
    """

    token: str
    value: float | None
    number: str
    is_marked: bool = False
    is_quiet: bool = False  # a special token: its value counts less
    frame: str = "bad"  # of a marked one, a name in the theme


class HeatTokens(WrappedBoxes):
    """Laid out in lines like a text. A click, or the arrow keys and Enter, chooses; hovering says where one is."""

    clicked = Signal(int)

    def __init__(self, name: str, *, signed: bool = False) -> None:
        super().__init__(name, HEIGHT_PX)
        self._signed = signed
        self._tokens: list[HeatToken] = []
        self._current: int | None = None
        self._cursor: int | None = None  # where the keyboard is

    @property
    def tokens(self) -> list[HeatToken]:
        return self._tokens

    def set_tokens(self, tokens: list[HeatToken]) -> None:
        self._tokens = tokens
        if self._cursor is not None:
            self._cursor = min(self._cursor, len(tokens) - 1) if tokens else None
        self.setAccessibleDescription(", ".join(f"{token.token} {token.number}" for token in tokens[:100]))
        self.lay_out()

    def set_current(self, position: int | None) -> None:
        self._current = position
        self.update()

    def box_widths(self) -> list[float]:
        words, numbers = QFontMetrics(theme.font(14, bold=True)), QFontMetrics(theme.font(10.5))
        padding, most = 2 * theme.px(PADDING_PX), float(max(self.width(), 1))
        advances = [
            max(words.horizontalAdvance(token.token), numbers.horizontalAdvance(token.number)) for token in self._tokens
        ]
        return [min(advance + padding, most) for advance in advances]

    def _color(self, value: float) -> QColor:
        if not self._signed:
            return theme.sequential_color(value)
        return QColor.fromRgb(theme.diverging_table()[min(max(round((value + 1) * 127.5), 0), 255)])

    def paint_box(self, painter: QPainter, number: int, box: QRectF) -> None:
        token = self._tokens[number]
        color = theme.color("card") if token.value is None else self._color(token.value)
        # Dark words on light fields and the other way round; the two are the inks of the two themes.
        ink = (theme.DARK if color.lightnessF() < 0.5 else theme.LIGHT).ink
        if token.value is None:
            ink = theme.active().muted if token.is_quiet else theme.active().ink
        is_here = number == self._cursor and self.hasFocus()
        edge = "accent" if is_here else token.frame if token.is_marked else "ink" if number == self._current else "line"
        painter.setPen(QPen(theme.color(edge), 2.4 if token.is_marked or is_here else 1.2))
        painter.setBrush(color)
        painter.drawRoundedRect(box.adjusted(1.5, 1.5, -1.5, -1.5), theme.px(6), theme.px(6))
        painter.setPen(QColor(ink))
        painter.setFont(theme.font(14, bold=token.is_marked, medium=not token.is_quiet))
        text = QFontMetrics(painter.font()).elidedText(token.token, Qt.TextElideMode.ElideRight, int(box.width()) - 4)
        above = theme.px(17) if token.number else theme.px(4)
        painter.drawText(box.adjusted(0, theme.px(4), 0, -above), Qt.AlignmentFlag.AlignCenter, text)
        painter.setFont(theme.font(10.5))
        painter.drawText(box.adjusted(0, theme.px(22), 0, -theme.px(3)), Qt.AlignmentFlag.AlignCenter, token.number)

    def _set_cursor(self, position: int | None) -> None:
        self._cursor = position
        self.hovered.emit(position)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        position = self.box_at(event.position())
        if position is not None:
            self.clicked.emit(position)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in STEPS and self._tokens:
            here = 0 if self._cursor is None else self._cursor + STEPS[event.key()]
            self._set_cursor(min(max(here, 0), len(self._tokens) - 1))
        elif event.key() in ENTER and self._cursor is not None:
            self.clicked.emit(self._cursor)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self._tokens and event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self._set_cursor(min(self._current or 0, len(self._tokens) - 1))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._set_cursor(None)
