"""Where everything of the film strip is, for a size: the loss above, a column for each snapshot below, one large."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF

from ...look import theme

NAME_PX, GAP_PX = 62, 10  # at the left, for names of rows and losses; between columns
LEAST_COLUMN_PX, MOST_COLUMN_PX = 70, 190
STEP_PX, LOSS_PX, WORD_PX, BAR_PX, LEADER_PX = 20, 16, 20, 6, 30  # heights: a step, its loss, its guess, lines to it
AXIS_PX, SCALE_PX, TITLE_PX = 18, 20, 20
LEAST_SIDE_PX = 24  # of a picture in a column
TOP = 0.42  # share of the height that the loss and the large picture have at least
EVEN_FROM = 20  # steps: up to here even, from here on logarithmic
LARGE = 0.32  # share of the width, of the snapshot that is large


def log_place(step: float) -> float:
    """Places on the axis of steps: they grow with the logarithm, and there is one for 0."""
    return math.log(EVEN_FROM + step)


def spread(steps: Sequence[int], most: int) -> list[int]:
    """Indices of at most so many steps: the first, the last, and those between at about even distances on the axis."""
    if len(steps) <= most or most < 2:
        return list(range(len(steps)))[-most:]
    places = [log_place(step) for step in steps]
    wanted = [places[0] + (places[-1] - places[0]) * number / (most - 1) for number in range(most)]
    return sorted({min(range(len(places)), key=lambda i: abs(places[i] - place)) for place in wanted})


@dataclass(frozen=True)
class Shape:
    """What decides where things are."""

    steps: tuple[int, ...]  # of all snapshots
    has_curve: bool
    has_guess: bool
    height_of_width: float  # of the picture in a column


class FilmPlan:
    """For one size in pixels."""

    def __init__(self, shape: Shape, width: float, height: float) -> None:
        gap, name = theme.px(GAP_PX), theme.px(NAME_PX)
        across = width - name
        self.shown = spread(shape.steps, max(int(across // (theme.px(LEAST_COLUMN_PX) + gap)), 1))
        count = max(len(self.shown), 1)
        pitch = min(across / count, theme.px(MOST_COLUMN_PX) + gap)
        loss, guess = theme.px(LOSS_PX) * shape.has_curve, theme.px(WORD_PX + BAR_PX + 6) * shape.has_guess
        around = theme.px(LEADER_PX + STEP_PX + SCALE_PX + 5) + loss + guess
        fits = (height * (1 - TOP) - around) / shape.height_of_width
        side = max(min(pitch - gap, fits), theme.px(LEAST_SIDE_PX))
        picture = side * shape.height_of_width
        self.top = max(height - around - picture, 1.0)  # of the lines to the columns
        self.columns, self.steps, self.losses = list[QRectF](), list[QRectF](), list[QRectF]()
        self.pictures, self.guesses, self.bars = list[QRectF](), list[QRectF](), list[QRectF]()
        for number in range(count):
            left, inner = name + number * pitch, pitch - gap
            y = self.top + theme.px(LEADER_PX)
            self.columns.append(QRectF(left, y, pitch, height - theme.px(SCALE_PX) - y))
            self.steps.append(QRectF(left, y, pitch, theme.px(STEP_PX)))
            y += theme.px(STEP_PX)
            self.losses.append(QRectF(left, y, pitch, loss))
            y += loss + theme.px(2)
            self.pictures.append(QRectF(left + (pitch - side) / 2, y, side, picture))
            y += picture + theme.px(3)
            self.guesses.append(QRectF(left + gap / 2, y, inner, theme.px(WORD_PX)))
            self.bars.append(QRectF(left + gap / 2, y + theme.px(WORD_PX), inner, theme.px(BAR_PX)))
        self.name_width = name - theme.px(6)
        self.scale = QRectF(name, height - theme.px(SCALE_PX), width - name, theme.px(SCALE_PX))
        title, wide = theme.px(TITLE_PX), width * LARGE
        self.large_title = QRectF(width - wide, 0, wide, title)
        self.large = QRectF(width - wide, title, wide, max(self.top - title, 1.0))
        right = self.large_title.left() - theme.px(28)
        self.curve = QRectF(name, title, right - name, max(self.top - title - theme.px(AXIS_PX), 1.0))
        places = [log_place(step) for step in shape.steps] or [0.0]
        self._first, self._span = places[0], max(places[-1] - places[0], 1e-6)

    def x_of(self, step: float) -> float:
        """On the axis of steps."""
        inside = self.curve.adjusted(6, 0, -6, 0)
        return inside.left() + (log_place(step) - self._first) / self._span * inside.width()

    def column_at(self, x: float, y: float) -> int | None:
        """Index among all snapshots."""
        return next((self.shown[at] for at, box in enumerate(self.columns) if box.contains(x, y)), None)


def grid(box: QRectF, layers: int, heads: int, gap: float) -> list[list[QRectF]]:
    """Square cells for every head, a layer in each row, in the middle of a box."""
    side = min(
        (box.width() - (heads - 1) * gap) / heads,
        (box.height() - (layers - 1) * gap) / layers,
    )
    left = box.left() + (box.width() - heads * side - (heads - 1) * gap) / 2
    return [
        [QRectF(left + head * (side + gap), box.top() + layer * (side + gap), side, side) for head in range(heads)]
        for layer in range(layers)
    ]
