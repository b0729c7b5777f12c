"""The window's few icons, assets/icons, in the colours of the theme."""

from functools import cache

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtSvg import QSvgRenderer

from bertcore.locations import assets


def paint_icon(painter: QPainter, name: str, rect: QRectF, color: QColor) -> None:
    """Draws an icon into `rect` (square); for a name without one its first letter."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    icon = _icon(name, color.name())
    if icon is not None:
        icon.render(painter, rect)
    else:
        font = painter.font()
        font.setPixelSize(round(rect.height() * 0.75))
        painter.setFont(font)
        painter.setPen(color)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, name[:1].upper())
    painter.restore()


@cache
def _icon(name: str, color: str) -> QSvgRenderer | None:
    file = assets() / "icons" / f"{name}.svg"
    if not file.is_file():
        return None
    return QSvgRenderer(file.read_text(encoding="utf-8").replace("currentColor", color).encode())
