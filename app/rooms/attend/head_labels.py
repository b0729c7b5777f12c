"""The tokens on both axes of a matrix: upright beside its rows, tilted above its columns."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter

from app import theme

TILT_DEGREES = 50
Texts = tuple[list[str], list[str]]  # tokens and the names of their colours


def axis_labels(shown: range, every: int, always: int | None) -> list[int]:
    """Which of the places `shown` get a label where only every k-th has room; `always` has one of its own."""
    chosen = [i for i in shown if i % every == 0]
    if every > 1 and always is not None and always in shown:
        chosen = [i for i in chosen if abs(i - always) >= every] + [always]
    return chosen


def paint_rows(
    painter: QPainter,
    rect: QRectF,
    cell: float,
    first: float,
    places: list[int],
    texts: Texts,
    marked: int | None,
    longest: int,
) -> None:
    """first: the row at the upper edge of `rect`, in rows. marked: is bold."""
    for i in places:
        metrics = _pen(painter, texts[1][i], i == marked)
        text = _cut(metrics, texts[0][i], longest)
        y = rect.y() + (i + 0.5 - first) * cell
        if rect.top() - 1 <= y <= rect.bottom() + 1:
            box = QRectF(0, y - 12, rect.x() - theme.px(8), 24)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)


def paint_columns(
    painter: QPainter,
    rect: QRectF,
    cell: float,
    first: float,
    places: list[int],
    texts: Texts,
    marked: int | None,
    longest: int,
) -> None:
    """As `paint_rows`, above the matrix."""
    for i in places:
        metrics = _pen(painter, texts[1][i], i == marked)
        text = _cut(metrics, texts[0][i], longest)
        x = rect.x() + (i + 0.5 - first) * cell
        if rect.left() - 1 <= x <= rect.right() + 1:
            painter.save()
            painter.translate(x + 2, rect.y() - theme.px(6))
            painter.rotate(-TILT_DEGREES)
            painter.drawText(QPointF(0, metrics.ascent() / 3), text)
            painter.restore()


def _cut(metrics: QFontMetrics, token: str, longest: int) -> str:
    """Most tokens are short, and measuring them takes longer than drawing them."""
    if len(token) * metrics.maxWidth() <= longest or len(token) <= 4:
        return token
    return metrics.elidedText(token, Qt.TextElideMode.ElideRight, longest)


def _pen(painter: QPainter, color: str, is_marked: bool) -> QFontMetrics:
    font = painter.font()
    font.setBold(is_marked)
    painter.setFont(font)
    painter.setPen(theme.color("accent" if is_marked else color))
    return painter.fontMetrics()
