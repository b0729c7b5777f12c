"""The tokens on both axes of a matrix: upright beside its rows, tilted above its columns."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter

from app.look import theme

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
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    width = rect.x() - theme.px(8)
    for i, text in _written(painter, places, texts, marked, longest):
        y = rect.y() + (i + 0.5 - first) * cell
        if rect.top() - 1 <= y <= rect.bottom() + 1:
            painter.drawText(QRectF(0, y - 12, width, 24), right, text)


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
    before, start = painter.transform(), QPointF(0, painter.fontMetrics().ascent() / 3)
    for i, text in _written(painter, places, texts, marked, longest):
        x = rect.x() + (i + 0.5 - first) * cell
        if rect.left() - 1 <= x <= rect.right() + 1:
            painter.translate(x + 2, rect.y() - theme.px(6))
            painter.rotate(-TILT_DEGREES)
            painter.drawText(start, text)
            painter.setTransform(before)


def _written(
    painter: QPainter, places: list[int], texts: Texts, marked: int | None, longest: int
) -> Iterator[tuple[int, str]]:
    """Each place and its text, with the painter's pen and font as they must be; changing them takes its time."""
    plain, bold = painter.font(), painter.font()
    bold.setBold(True)
    metrics, pen = painter.fontMetrics(), ""
    for i in places:
        color = "accent" if i == marked else texts[1][i]
        if color != pen:
            painter.setPen(theme.color(color))
            pen = color
        if i == marked:
            painter.setFont(bold)
            yield i, _cut(painter.fontMetrics(), texts[0][i], longest)
            painter.setFont(plain)
        else:
            yield i, _cut(metrics, texts[0][i], longest)


def _cut(metrics: QFontMetrics, token: str, longest: int) -> str:
    """Most tokens are short, and measuring them takes longer than drawing them."""
    if len(token) <= 4:
        return token
    return metrics.elidedText(token, Qt.TextElideMode.ElideRight, longest)
