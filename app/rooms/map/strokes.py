"""Arrows, curves and wrapped words: what both halves of the map are painted with."""

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPolygonF

CENTER = Qt.AlignmentFlag.AlignCenter
WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap


def draw_arrow(painter: QPainter, start: QPointF, end: QPointF, side: float) -> None:
    """Upright, its head at `end`."""
    painter.drawLine(QLineF(start, end))
    back = side * 1.6 if end.y() < start.y() else -side * 1.6
    head = [end, QPointF(end.x() - side, end.y() + back), QPointF(end.x() + side, end.y() + back)]
    painter.save()
    painter.setBrush(painter.pen().color())
    painter.drawPolygon(QPolygonF(head))
    painter.restore()


def curve_between(start: QPointF, end: QPointF) -> QPainterPath:
    """From a line to what is read from it."""
    path, middle = QPainterPath(start), (start.x() + end.x()) / 2
    path.cubicTo(QPointF(middle, start.y()), QPointF(middle, end.y()), end)
    return path


def draw_wrapped(painter: QPainter, box: QRectF, text: str) -> QRectF:
    """As many whole sentences of a text as fit into a box, in lines; of the first as many words as fit.

    Returns what they take.
    """
    sentences, free = text.split(". "), QRectF(box.left(), box.top(), box.width(), 9999)
    while len(sentences) > 1 and painter.boundingRect(free, WRAPPED, ". ".join(sentences)).height() > box.height():
        sentences = [*sentences[:-2], f"{sentences[-2].removesuffix('.')}."]
    words = ". ".join(sentences).split()
    while words and painter.boundingRect(free, WRAPPED, " ".join(words)).height() > box.height():
        words = [*words[: -2 if words[-1] == "…" else -1], "…"] if words != ["…"] else []
    painter.drawText(box, WRAPPED, " ".join(words))
    return painter.boundingRect(box, WRAPPED, " ".join(words))
