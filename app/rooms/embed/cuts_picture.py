"""One text in two rows of tokens, piece under piece; where the two cut differently, it is marked."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app import theme
from bertcore.analysis.two_cuts import Piece, Stretch

ROW_PX, PADDING_PX, GAP_PX, LINE_GAP_PX = 26, 7, 8, 18
KINDS = {"a": "segment_a", "b": "segment_b"}


class CutsPicture(QWidget):
    """Stretches in the order of the text, laid out in lines; above the first cut, below the second."""

    hovered = Signal(object)  # stretch, or None
    chosen = Signal(int)  # stretch

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("The text as two vocabularies cut it")
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._stretches: list[Stretch] = []
        self._rects: list[QRectF] = []
        self._current: int | None = None

    @property
    def stretches(self) -> list[Stretch]:
        return self._stretches

    def set_stretches(self, stretches: list[Stretch]) -> None:
        self._stretches = stretches
        self.setAccessibleDescription(", ".join(described(one) for one in stretches if not one.is_same)[:2000])
        self._lay_out()

    def set_current(self, stretch: int | None) -> None:
        self._current = stretch
        self.update()

    def rect_of(self, stretch: int) -> QRectF:
        return self._rects[stretch]

    def _lay_out(self) -> None:
        metrics = QFontMetrics(theme.font(13, medium=True))
        height, self._rects = 2 * theme.px(ROW_PX) + 2, []
        x, y = 2.0, 2.0  # the frame of the one that is looked at goes a little beyond it
        for stretch in self._stretches:
            width = max(sum(_widths(metrics, cut)) for cut in (stretch.first, stretch.second))
            if x > 2 and x + width > self.width():
                x, y = 2.0, y + height + theme.px(LINE_GAP_PX)
            self._rects.append(QRectF(x, y, width, height))
            x += width + theme.px(GAP_PX)
        self.setFixedHeight(round(y + height) + theme.px(4))
        self.update()

    def _paint_stretch(self, painter: QPainter, number: int, metrics: QFontMetrics) -> None:
        stretch, rect = self._stretches[number], self._rects[number]
        for row, cut in enumerate((stretch.first, stretch.second)):
            widths = _widths(metrics, cut)
            stretched = rect.width() / sum(widths) if widths else 1.0
            left, top = rect.x(), rect.y() + row * (theme.px(ROW_PX) + 2)
            for piece, width in zip(cut, widths, strict=True):
                box = QRectF(left, top, width * stretched, theme.px(ROW_PX)).adjusted(1, 1, -1, -1)
                self._paint_piece(painter, piece, box, KINDS[stretch.part], stretch.is_same)
                left += width * stretched
        if number == self._current:
            painter.setPen(QPen(theme.color("ink"), 1.4))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(-1, -1, 1, 1), theme.px(5), theme.px(5))

    def _paint_piece(self, painter: QPainter, piece: Piece, box: QRectF, kind: str, is_same: bool) -> None:
        painter.setPen(QPen(theme.color("line" if is_same else "mask"), 1 if is_same else 1.6))
        painter.setBrush(theme.color("card" if is_same else "mask_tint"))
        painter.drawRoundedRect(box, theme.px(4), theme.px(4))
        font = theme.font(13, medium=True)
        font.setUnderline(piece.is_unknown)
        painter.setFont(font)
        painter.setPen(theme.color(kind if is_same else "mask"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip, piece.label)

    def _at(self, where: QPointF) -> int | None:
        return next((i for i, rect in enumerate(self._rects) if rect.contains(where)), None)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(600), self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(200), 2 * theme.px(ROW_PX))

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.size().width() != event.oldSize().width():
            self._lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = QFontMetrics(theme.font(13, medium=True))
        for number, rect in enumerate(self._rects):
            if rect.intersects(QRectF(event.rect())):
                self._paint_stretch(painter, number, metrics)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.hovered.emit(self._at(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        number = self._at(event.position())
        if number is not None:
            self.chosen.emit(number)

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None or not self._stretches:
            super().keyPressEvent(event)
            return
        number = -1 if self._current is None else self._current
        number = min(max(number + step, 0), len(self._stretches) - 1)
        self.chosen.emit(number)
        self.hovered.emit(number)


def described(stretch: Stretch) -> str:
    """`comfort ##able · comfortable`: both cuts in words."""
    return " · ".join(" ".join(piece.label for piece in cut) or "nothing" for cut in (stretch.first, stretch.second))


def _widths(metrics: QFontMetrics, cut: tuple[Piece, ...]) -> list[int]:
    return [metrics.horizontalAdvance(piece.label) + 2 * theme.px(PADDING_PX) for piece in cut]
