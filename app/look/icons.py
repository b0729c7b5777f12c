"""The window's few icons, drawn in theme colours: no icon font to load before the first paint."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

_UNITS = 24.0  # the sides of the square that every icon is drawn on


@dataclass(frozen=True, eq=False)
class _Shape:
    path: QPainterPath
    opacity: float = 1.0
    width: float = 2.0  # of its line; 0: no line
    is_filled: bool = False


def paint_icon(painter: QPainter, name: str, rect: QRectF, color: QColor) -> None:
    """Draws an icon of ICONS into `rect` (square); for another name its first letter."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(rect.topLeft())
    painter.scale(rect.width() / _UNITS, rect.height() / _UNITS)
    for shape in ICONS.get(name, ()):
        line = Qt.PenStyle.SolidLine if shape.width else Qt.PenStyle.NoPen
        painter.setPen(QPen(color, shape.width, line, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
        painter.setBrush(color if shape.is_filled else Qt.BrushStyle.NoBrush)
        painter.setOpacity(shape.opacity)
        painter.drawPath(shape.path)
    if name not in ICONS:
        font = painter.font()
        font.setPixelSize(18)
        painter.setFont(font)
        painter.setPen(color)
        painter.drawText(QRectF(0, 0, _UNITS, _UNITS), Qt.AlignmentFlag.AlignCenter, name[:1].upper())
    painter.restore()


def _line(*points: tuple[float, float], opacity: float = 1.0, width: float = 2.0, is_filled: bool = False) -> _Shape:
    """From point to point; closed where it ends at the first."""
    path = QPainterPath(QPointF(*points[0]))
    for point in points[1:]:
        path.lineTo(*point)
    return _Shape(path, opacity, width, is_filled)


def _box(x: float, y: float, width: float, height: float, radius: float = 1.0, opacity: float = 1.0) -> _Shape:
    path = QPainterPath()
    path.addRoundedRect(x, y, width, height, radius, radius)
    return _Shape(path, opacity, width=0, is_filled=True)


def _circle(x: float, y: float, radius: float, width: float = 0) -> _Shape:
    """width: of its line; 0: filled."""
    path = QPainterPath()
    path.addEllipse(QPointF(x, y), radius, radius)
    return _Shape(path, width=width, is_filled=not width)


def _curve() -> QPainterPath:
    path = QPainterPath(QPointF(4, 5))
    path.cubicTo(7, 16, 11, 17, 20, 18)
    return path


def _half() -> QPainterPath:
    path = QPainterPath(QPointF(12, 12))
    path.arcTo(4, 4, 16, 16, 90, 180)
    return path


_LINKS = ((5, 12), (12, 5), (12, 19), (19, 12))  # y at the left, y at the right
_SHADES = (1.0, 0.45, 0.7)
ICONS: dict[str, list[_Shape]] = {
    "map": [  # lines through two layers
        *(_line((2.5, y), (21.5, y), width=1.5, opacity=opacity) for y, opacity in ((8, 0.6), (12, 1.0), (16, 0.6))),
        *(_box(x, 3.5, 4.2, 17, 1.5) for x in (6.2, 13.6)),
    ],
    "embed": [
        _box(3 + column * 6.4, 3 + row * 6.4, 5.2, 5.2, opacity=_SHADES[(row * 2 + column) % 3])
        for row in range(3)
        for column in range(3)
    ],
    "attend": [
        *(_line((5, left), (19, right), width=1.5) for left, right in _LINKS),
        *(_circle(x, y, 2.4) for x in (5, 19) for y in (5, 12, 19)),
    ],
    "predict": [_box(3, 4 + row * 6, width, 4, 1.5) for row, width in enumerate((18, 12, 7))],
    "layers": [
        _line((12, y - 4.5), (21, y), (12, y + 4.5), (3, y), (12, y - 4.5), opacity=opacity)
        for y, opacity in ((16.5, 0.45), (12.0, 0.7), (7.5, 1.0))
    ],
    "train": [_Shape(_curve()), _line((3, 3), (3, 21), (21, 21), opacity=0.5)],
    "apply": [_line((5, 11), (10, 16.5), (20, 4)), _line((4, 21), (20, 21), opacity=0.5)],
    "check": [_line((3, 13), (9, 19), (21, 5), width=4)],
    "chevron": [_line((6, 9), (12, 15), (18, 9))],
    "close": [_line((6, 6), (18, 18)), _line((18, 6), (6, 18))],
    "menu": [_line((4, y), (20, y)) for y in (6, 12, 18)],
    "save": [  # an arrow down into a tray
        _line((12, 4), (12, 14.5)),
        _line((7.5, 10.5), (12, 15), (16.5, 10.5)),
        _line((4.5, 16), (4.5, 20), (19.5, 20), (19.5, 16)),
    ],
    "theme": [_circle(12, 12, 8, width=2), _Shape(_half(), width=0, is_filled=True)],
    "warning": [_line((12, 4), (21, 20), (3, 20), (12, 4)), _line((12, 10), (12, 14)), _circle(12, 17, 1)],
    "pause": [_box(6, 5, 4, 14), _box(14, 5, 4, 14)],
    "play": [_line((8, 5), (19, 12), (8, 19), (8, 5), is_filled=True)],
    "stop": [_box(6, 6, 12, 12, 1.5)],
}
