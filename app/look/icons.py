"""The window's few icons, drawn in theme colours: no icon font to load before the first paint."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen

# Every icon is drawn on a square of 24 units.
_UNITS = 24.0


def paint_icon(painter: QPainter, name: str, rect: QRectF, color: QColor) -> None:
    """Draws an icon of ICONS into `rect` (square); for another name its first letter."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(rect.topLeft())
    painter.scale(rect.width() / _UNITS, rect.height() / _UNITS)
    pen = QPen(color, 2.0)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    ICONS.get(name, partial(_letter, name[:1].upper()))(painter, color)
    painter.restore()


def _letter(letter: str, painter: QPainter, color: QColor) -> None:
    font = painter.font()
    font.setPixelSize(18)
    painter.setFont(font)
    painter.drawText(QRectF(0, 0, _UNITS, _UNITS), Qt.AlignmentFlag.AlignCenter, letter)


def _embed(painter: QPainter, color: QColor) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    for row in range(3):
        for column in range(3):
            painter.setOpacity((1.0, 0.45, 0.7)[(row * 2 + column) % 3])
            painter.setBrush(color)
            painter.drawRoundedRect(QRectF(3 + column * 6.4, 3 + row * 6.4, 5.2, 5.2), 1, 1)


def _attend(painter: QPainter, color: QColor) -> None:
    lines = [((5, 5), (19, 12)), ((5, 12), (19, 5)), ((5, 12), (19, 19)), ((5, 19), (19, 12))]
    painter.setPen(QPen(color, 1.5))
    for start, end in lines:
        painter.drawLine(QPointF(*start), QPointF(*end))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QBrush(color))
    for x in (5, 19):
        for y in (5, 12, 19):
            painter.drawEllipse(QPointF(x, y), 2.4, 2.4)


def _predict(painter: QPainter, color: QColor) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    for row, width in enumerate((18, 12, 7)):
        painter.drawRoundedRect(QRectF(3, 4 + row * 6, width, 4), 1.5, 1.5)


def _layers(painter: QPainter, color: QColor) -> None:
    """Three sheets, one above the other."""
    for y, opacity in ((16.5, 0.45), (12.0, 0.7), (7.5, 1.0)):
        painter.setOpacity(opacity)
        painter.drawPolygon([QPointF(12, y - 4.5), QPointF(21, y), QPointF(12, y + 4.5), QPointF(3, y)])


def _train(painter: QPainter, color: QColor) -> None:
    path = QPainterPath(QPointF(4, 5))
    path.cubicTo(QPointF(7, 16), QPointF(11, 17), QPointF(20, 18))
    painter.drawPath(path)
    painter.setOpacity(0.5)
    painter.drawPolyline([QPointF(3, 3), QPointF(3, 21), QPointF(21, 21)])


def _apply(painter: QPainter, color: QColor) -> None:
    painter.drawPolyline([QPointF(5, 11), QPointF(10, 16.5), QPointF(20, 4)])
    painter.setOpacity(0.5)
    painter.drawLine(QPointF(4, 21), QPointF(20, 21))


def _chevron(painter: QPainter, color: QColor) -> None:
    painter.drawPolyline([QPointF(6, 9), QPointF(12, 15), QPointF(18, 9)])


def _close(painter: QPainter, color: QColor) -> None:
    painter.drawLine(QPointF(6, 6), QPointF(18, 18))
    painter.drawLine(QPointF(18, 6), QPointF(6, 18))


def _menu(painter: QPainter, color: QColor) -> None:
    for y in (6, 12, 18):
        painter.drawLine(QPointF(4, y), QPointF(20, y))


def _save(painter: QPainter, color: QColor) -> None:
    """An arrow down into a tray."""
    painter.drawLine(QPointF(12, 4), QPointF(12, 14.5))
    painter.drawPolyline([QPointF(7.5, 10.5), QPointF(12, 15), QPointF(16.5, 10.5)])
    painter.drawPolyline([QPointF(4.5, 16), QPointF(4.5, 20), QPointF(19.5, 20), QPointF(19.5, 16)])


def _theme(painter: QPainter, color: QColor) -> None:
    painter.drawEllipse(QPointF(12, 12), 8, 8)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawPie(QRectF(4, 4, 16, 16), 90 * 16, 180 * 16)


def _warning(painter: QPainter, color: QColor) -> None:
    painter.drawPolygon([QPointF(12, 4), QPointF(21, 20), QPointF(3, 20)])
    painter.drawLine(QPointF(12, 10), QPointF(12, 14))
    painter.drawPoint(QPointF(12, 17))


def _pause(painter: QPainter, color: QColor) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawRoundedRect(QRectF(6, 5, 4, 14), 1, 1)
    painter.drawRoundedRect(QRectF(14, 5, 4, 14), 1, 1)


def _play(painter: QPainter, color: QColor) -> None:
    painter.setBrush(color)
    painter.drawPolygon([QPointF(8, 5), QPointF(19, 12), QPointF(8, 19)])


def _stop(painter: QPainter, color: QColor) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    painter.drawRoundedRect(QRectF(6, 6, 12, 12), 1.5, 1.5)


ICONS: dict[str, Callable[[QPainter, QColor], None]] = {
    "embed": _embed,
    "attend": _attend,
    "predict": _predict,
    "layers": _layers,
    "train": _train,
    "apply": _apply,
    "chevron": _chevron,
    "close": _close,
    "menu": _menu,
    "save": _save,
    "theme": _theme,
    "warning": _warning,
    "pause": _pause,
    "play": _play,
    "stop": _stop,
}
