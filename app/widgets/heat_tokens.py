"""Tokens in the order of the text, each as dark as its value, with the value below."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app import theme

HEIGHT_PX = 42
GAP_PX = 6
PADDING_PX = 9


@dataclass(frozen=True)
class HeatToken:
    """value: 0..1, on the sequential scale; a marked one is bold and framed."""

    token: str
    value: float
    number: str
    is_marked: bool = False
    is_quiet: bool = False  # a special token: its value counts less


class HeatTokens(QWidget):
    """Laid out in lines like a text; a click chooses, the mouse over one says where it is."""

    clicked = Signal(int)
    hovered = Signal(object)  # position, or None

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._tokens: list[HeatToken] = []
        self._rects: list[QRectF] = []
        self._current: int | None = None

    @property
    def tokens(self) -> list[HeatToken]:
        return self._tokens

    def set_tokens(self, tokens: list[HeatToken]) -> None:
        self._tokens = tokens
        self.setAccessibleDescription(", ".join(f"{token.token} {token.number}" for token in tokens[:100]))
        self._lay_out()

    def set_current(self, position: int | None) -> None:
        self._current = position
        self.update()

    def rect_of(self, position: int) -> QRectF:
        return self._rects[position]

    def _lay_out(self) -> None:
        height, gap, padding = theme.px(HEIGHT_PX), theme.px(GAP_PX), theme.px(PADDING_PX)
        words, numbers = QFontMetrics(theme.font(14, bold=True)), QFontMetrics(theme.font(10.5))
        self._rects, x, y = [], 0.0, 0.0
        for token in self._tokens:
            advance = max(words.horizontalAdvance(token.token), numbers.horizontalAdvance(token.number))
            width = float(min(advance + 2 * padding, max(self.width(), 1)))
            if x and x + width > self.width():
                x, y = 0.0, y + height + gap
            self._rects.append(QRectF(x, y, width, height))
            x += width + gap
        self.setFixedHeight(round(y + height))
        self.update()

    def _paint_token(self, painter: QPainter, position: int) -> None:
        token, rect = self._tokens[position], self._rects[position]
        color = theme.sequential_color(token.value)
        # Dark words on light fields and the other way round; the two are the inks of the two themes.
        ink = (theme.DARK if color.lightnessF() < 0.5 else theme.LIGHT).ink
        edge = "bad" if token.is_marked else "ink" if position == self._current else "line"
        painter.setPen(QPen(theme.color(edge), 2.4 if token.is_marked else 1.2))
        painter.setBrush(color)
        painter.drawRoundedRect(rect.adjusted(1.5, 1.5, -1.5, -1.5), theme.px(6), theme.px(6))
        painter.setPen(ink)
        painter.setFont(theme.font(14, bold=token.is_marked, medium=not token.is_quiet))
        text = QFontMetrics(painter.font()).elidedText(token.token, Qt.TextElideMode.ElideRight, int(rect.width()) - 4)
        painter.drawText(rect.adjusted(0, theme.px(4), 0, -theme.px(17)), Qt.AlignmentFlag.AlignCenter, text)
        painter.setFont(theme.font(10.5))
        painter.drawText(rect.adjusted(0, theme.px(22), 0, -theme.px(3)), Qt.AlignmentFlag.AlignCenter, token.number)

    def _at(self, where: QPointF) -> int | None:
        return next((i for i, rect in enumerate(self._rects) if rect.contains(where)), None)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(300), self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.size().width() != event.oldSize().width():
            self._lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for position, rect in enumerate(self._rects):
            if rect.intersects(QRectF(event.rect())):
                self._paint_token(painter, position)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hovered.emit(self._at(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        position = self._at(event.position())
        if position is not None:
            self.clicked.emit(position)

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit(None)
