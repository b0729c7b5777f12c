"""What the colours of the map mean: small scales, each with its name and its two ends."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QBrush, QColor, QLinearGradient, QPainter, QPen

from ...look import numbers, theme
from ...look.say import say
from ...widgets.charts.raster import paint_scale
from .content import Content, embedding
from .plan import Plan

WITHIN = 0.99  # the share of values that the colour scale of the embeddings reaches; a few outliers would pale the rest
BAR, LINE = 72, 17  # width of a scale, height of a line


@dataclass(frozen=True)
class KeyEntry:
    """What a scale of colours stands for, and its two ends."""

    name: str
    low: str
    high: str
    colors: Literal["distance", "signed", "sequential"]


def key_of(plan: Plan, content: Content) -> list[KeyEntry]:
    """Of a comparison always; of the rest where there is no room for captions that say it."""
    entries = []
    if content.compared is not None:
        far = numbers.decimal(content.compared.limit)
        entries.append(KeyEntry(say("distance (1 − cosine)"), "0", far, "distance"))
    if not plan.sizes.has_sections:
        limit = embedding_limit(plan, content)
        ends = numbers.signed(-limit), numbers.signed(limit)
        entries.append(KeyEntry(say("embeddings"), *ends, "signed"))
        high = say("high")
        entries.append(KeyEntry(say("attention, neurons"), "0", high, "sequential"))
    return entries


def key_line_px(plan: Plan) -> float:
    """The height of a line of the key."""
    return max(plan.px(LINE), theme.type_px(11) * 1.25)


def paint_key(painter: QPainter, plan: Plan, entries: Sequence[KeyEntry], free: QRectF) -> QRectF:
    """As many lines as fit; returns what they take."""
    px, height = plan.px, key_line_px(plan)
    painter.setFont(theme.font(11))
    width = painter.fontMetrics().horizontalAdvance
    fitting = entries[: max(int(free.height() / height), 0)]
    names = max((width(one.name) for one in fitting), default=0) + px(10)
    lows = max((width(one.low) for one in fitting), default=0) + px(4)
    highs = max((width(one.high) for one in fitting), default=0)
    for number, one in enumerate(fitting):
        line = QRectF(free.left(), free.top() + number * height, free.width(), height)
        theme.draw_text(painter, line, one.name, "muted", 11)
        low = QRectF(line.left() + names, line.top(), lows, height)
        theme.draw_text(painter, low, one.low, "muted", 11, align=theme.RIGHT)
        bar = QRectF(low.right() + px(5), line.center().y() - px(4), px(BAR), px(8))
        if one.colors == "distance":
            _paint_distances(painter, bar)
        else:
            paint_scale(painter, bar, signed=one.colors == "signed")
        high = QRectF(bar.right() + px(6), line.top(), max(line.right() - bar.right() - px(6), 0), height)
        theme.draw_text(painter, high, one.high, "muted", 11)
    needs = names + lows + px(5 + BAR + 6) + highs
    return QRectF(free.left(), free.top(), min(needs, free.width()), len(fitting) * height)


def embedding_limit(plan: Plan, content: Content) -> float:
    """The value of the strongest colour of the embeddings."""
    values = (embedding(content.reading, name) for name in plan.embeddings)
    shown = [value[plan.positions, : plan.columns_per_strip].ravel() for value in values if value is not None]
    sizes = np.sort(np.abs(np.concatenate(shown)))
    return float(sizes[min(int(len(sizes) * WITHIN), len(sizes) - 1)]) or 1.0


def distance_color(share: float) -> QColor:
    """Of a line at a place 0..1 on the scale: from unseen to red."""
    red = theme.diverging_color(share)
    red.setAlphaF(min(share * 3, 1.0))
    return red


def _paint_distances(painter: QPainter, bar: QRectF) -> None:
    """The scale of `distance_color`."""
    gradient = QLinearGradient(bar.topLeft(), bar.topRight())
    gradient.setStops([(place / 16, distance_color(place / 16)) for place in range(17)])
    painter.setPen(QPen(theme.color("line"), 1))
    painter.setBrush(QBrush(gradient))
    painter.drawRect(bar)
