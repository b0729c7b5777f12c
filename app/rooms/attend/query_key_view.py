"""The view Query × Key: how one weight comes about, number by number (Vaswani et al. 2017, section 3.2.1).

Each step is a row of small bars with its own scale. U units, S tokens, D head size.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from ...figures.figure import Axis, Figure, Numbers
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...widgets.card import label
from ...widgets.layouts import fill
from ...widgets.pointer import PointerWidget
from .view import AttendView

DIMENSIONS = 3  # strips over dimensions; the others are over tokens
SAME = 1e-3  # weights that differ by less are those of the softmax
MOST_RAISED = 500.0  # e to more than that is no number
Floats = NDArray[np.float64]
TITLE_PX, LABEL_PX = 19, 17
LEAST_BARS_PX, LARGEST_BARS_PX = 22, 70
RANGE_PX = 52  # at the right, for the ends of the scale


@dataclass(frozen=True)
class ScoreSteps:
    """From one query to its row of attention; `column` is the key whose products are spelled out."""

    column: int
    products: Floats  # (D) query times key, dimension by dimension
    scores: Floats  # (S) the products added up, for every key of the row
    scaled: Floats  # (S) divided by sqrt(D)
    masked: Floats  # (S) what may not be looked at is minus infinity
    weights: Floats  # (S) softmax of it

    @property
    def score(self) -> float:
        """The products added up, in their order."""
        return float(self.scores[self.column])


def score_steps(query: NDArray, keys: NDArray, column: int, allowed: NDArray | None = None) -> ScoreSteps:
    """query (D) of the token that looks, keys (S,D) -> every step to its attention, for one column in detail.

    allowed (S): False for what may not be looked at: padding. None: all may, as in a single text.
    """
    exact = np.asarray(query, dtype=np.float64)
    products = np.asarray(keys, dtype=np.float64) * exact  # (S,D)
    scores = products.sum(axis=-1)
    scaled = scores / np.sqrt(len(exact))
    masked = scaled if allowed is None else np.where(allowed, scaled, -np.inf)
    raised = np.exp(masked - masked.max())
    return ScoreSteps(column, products[column], scores, scaled, masked, raised / raised.sum())


@dataclass(frozen=True, eq=False)
class Strip:
    """One row of bars. labels (K) stand below it; empty: none. marked: the bar that matters."""

    title: str
    result: str  # bold, at the right end of the title
    values: np.ndarray  # (K); an infinite value has no bar
    labels: Sequence[str] = ()
    marked: int | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """The scale, from its lower end to its upper one; zero is among it."""
        finite = self.values[np.isfinite(self.values)]
        return float(finite.min(initial=0.0)), float(finite.max(initial=0.0))


class BarStrips(PointerWidget):
    """Strips of bars; a cell is (strip, bar). Left and right: the bar beside the marked one, in the last strip."""

    arrows_click = True

    def __init__(self, name: str) -> None:
        super().__init__(name, Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.strips: list[Strip] = []

    def set_strips(self, strips: Sequence[Strip]) -> None:
        resized = len(strips) != len(self.strips)
        self.strips = list(strips)
        self.setAccessibleDescription(". ".join(f"{strip.title} {strip.result}" for strip in strips))
        if resized:
            self.updateGeometry()
        self.update()

    def bar_rect(self, strip: int, bar: int) -> QRectF:
        """The whole height that a bar may take."""
        area = self._area(strip)
        width = area.width() / max(len(self.strips[strip].values), 1)
        return QRectF(area.x() + bar * width, area.y(), width, area.height())

    def _heights(self) -> tuple[float, float]:
        """Of the bars, and of what stands above and below all of them."""
        fixed = sum(theme.px(TITLE_PX) + (theme.px(LABEL_PX) if strip.labels else theme.px(4)) for strip in self.strips)
        free = (self.height() - fixed) / max(len(self.strips), 1)
        return min(max(free, theme.px(LEAST_BARS_PX)), theme.px(LARGEST_BARS_PX)), fixed

    def _area(self, index: int) -> QRectF:
        bars, _ = self._heights()
        y = 0.0
        for strip in self.strips[:index]:
            y += theme.px(TITLE_PX) + bars + (theme.px(LABEL_PX) if strip.labels else theme.px(4))
        return QRectF(0, y + theme.px(TITLE_PX), self.width() - theme.px(RANGE_PX), bars)

    def _paint_strip(self, painter: QPainter, index: int) -> None:
        strip, area = self.strips[index], self._area(index)
        self._paint_title(painter, strip, area)
        painter.setPen(QPen(theme.color("line"), 1))
        low, high = strip.ends
        height = area.height() / ((high - low) or 1)  # of a bar of 1
        zero = area.bottom() + low * height
        painter.drawLine(QPointF(area.left(), zero), QPointF(area.right(), zero))
        width = area.width() / max(len(strip.values), 1)
        thin = max(width * 0.72, 1.0)
        painter.setPen(Qt.PenStyle.NoPen)
        for bar, value in enumerate(strip.values):
            if not np.isfinite(value):
                continue
            color = "mask" if (index, bar) == self.hovered_cell else "bar_strong" if bar == strip.marked else "bar"
            color = "bad" if value < 0 and color == "bar" else color
            painter.setBrush(theme.color(color, 150 if color == "bad" else 255))
            x = area.x() + (bar + 0.5) * width - thin / 2
            top = min(zero, zero - value * height)
            painter.drawRect(QRectF(x, top, thin, max(abs(value) * height, 0.8)))
        if strip.labels:
            self._paint_labels(painter, strip, area, width)

    def _paint_title(self, painter: QPainter, strip: Strip, area: QRectF) -> None:
        top = QRectF(0, area.y() - theme.px(TITLE_PX), self.width(), theme.px(TITLE_PX))
        theme.draw_text(painter, top, strip.result, "ink", align=theme.RIGHT, bold=True)
        top.setWidth(max(top.width() - painter.fontMetrics().horizontalAdvance(strip.result) - theme.px(8), 0))
        theme.draw_text(painter, top, strip.title, "muted")
        painter.setFont(theme.font(10.5))
        side = area.right() + theme.px(5)
        low, high = strip.ends
        painter.drawText(QPointF(side, area.y() + theme.px(9)), numbers.number(high))
        painter.drawText(QPointF(side, area.bottom() - 1), numbers.number(low))

    def _paint_labels(self, painter: QPainter, strip: Strip, area: QRectF, width: float) -> None:
        painter.setFont(theme.font(10.5))
        metrics = painter.fontMetrics()
        order = sorted(range(len(strip.labels)), key=lambda bar: (bar != strip.marked, bar))
        taken: list[tuple[float, float]] = []
        for bar in order:
            text = metrics.elidedText(strip.labels[bar], Qt.TextElideMode.ElideRight, int(max(width, theme.px(46))))
            long = metrics.horizontalAdvance(text)
            left = min(max(area.x() + (bar + 0.5) * width - long / 2, 0), area.right() - long)
            if any(left < stop + 3 and left + long > start - 3 for start, stop in taken):
                continue
            taken.append((left, left + long))
            painter.setPen(theme.color("accent" if bar == strip.marked else "muted"))
            painter.drawText(QPointF(left, area.bottom() + metrics.ascent() + 2), text)

    def cell_at(self, point: QPointF) -> tuple[int, int] | None:
        for index, strip in enumerate(self.strips):
            area = self._area(index)
            if area.adjusted(0, 0, 0, theme.px(LABEL_PX)).contains(point) and len(strip.values):
                bar = int((point.x() - area.x()) / area.width() * len(strip.values))
                return index, min(max(bar, 0), len(strip.values) - 1)
        return None

    def cell_after(self, cell: tuple[int, int] | None, key: int) -> tuple[int, int] | None:
        step = {Qt.Key.Key_Left.value: -1, Qt.Key.Key_Right.value: 1}.get(key)
        if step is None or cell is None:
            return None
        return cell[0], min(max(cell[1] + step, 0), len(self.strips[-1].values) - 1)

    def selected_cell(self) -> tuple[int, int] | None:
        marked = self.strips[-1].marked if self.strips else None
        return None if marked is None else (len(self.strips) - 1, marked)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(420), round(self._heights()[1]) + len(self.strips) * theme.px(44))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(260), round(self._heights()[1]) + len(self.strips) * theme.px(LEAST_BARS_PX))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        for index in range(len(self.strips)):
            self._paint_strip(painter, index)


class ScoreView(AttendView):
    """Query, key and their products over the head's dimensions; score, scaled, masked and softmax over the tokens."""

    follows_column = True

    def __init__(self) -> None:
        super().__init__()
        self.steps: ScoreSteps | None = None
        self.strips = BarStrips(self.tr("From query and key to one attention weight"))
        explain("attention", self.strips)
        self._note = label("", "muted", wrap=True)
        fill(self.body, (self.strips, 1), self._note, self.readout)
        self._show_invitation()
        self.strips.hovered.connect(self._on_strips_hovered)
        self.strips.clicked.connect(self._on_strips_clicked)

    @property
    def note(self) -> str:
        """What differs from the other pictures."""
        return self._note.text()

    def draw(self) -> None:
        reading, position = self.attentions.reading, self.selection.position
        trace = reading.trace
        query, keys = trace.queries[(*self.head, position)], trace.keys[self.head]  # (D), (S,D)
        weights = trace.attentions[(*self.head, position)]  # (S)
        column = int(weights.argmax()) if self.chosen.column is None else self.chosen.column
        column = min(column, len(weights) - 1)
        self.steps = steps = score_steps(query, keys, column)
        tokens = reading.shown_tokens
        named = self.tr("“{token}” ({position})")
        one = named.format(token=tokens[position], position=position)
        other = named.format(token=tokens[column], position=column)
        hint = self.tr("how much {row} looks at {column}")
        self.set_title(self.attentions.title(*self.head), hint.format(row=one, column=other))
        self.strips.set_strips(self._strips(steps, query, keys[column], tokens, one, other))
        self._show_note(steps, weights)

    def draw_position(self) -> None:
        self.draw()

    def make_figure(self) -> Figure | None:
        if self.steps is None or self.reading is None:
            return None
        tokens = self.reading.shown_tokens
        by_token = {"scores": self.steps.scores, "scaled": self.steps.scaled, "softmax": self.steps.weights}
        values = {name: Numbers(one, (Axis("is looked at", tokens),)) for name, one in by_token.items()}
        values["products"] = Numbers(self.steps.products, (Axis("dimension"),))
        return self.figure(self.title, [self.strips], values, hint=self.hint, head=True, by_token=True)

    def _show_invitation(self) -> None:
        self.readout.setText(
            self.tr(
                "Click a bar in the lower rows to see how that token’s weight is computed; the arrow keys work too."
            )
        )

    def _strips(
        self, steps: ScoreSteps, query: np.ndarray, key: np.ndarray, tokens: list[str], one: str, other: str
    ) -> list[Strip]:
        size, at = len(query), steps.column
        root = numbers.number(math.sqrt(size), 5)
        score, scaled, masked, weight = (
            numbers.decimal(float(value), 4)
            for value in (steps.score, steps.scaled[at], steps.masked[at], steps.weights[at])
        )
        softmax = weight
        if steps.masked.max() < MOST_RAISED:
            sums = numbers.number(float(np.exp(steps.masked).sum()), 4)
            softmax = f"e^{numbers.decimal(float(steps.masked[at]), 3)} / {sums} = {weight}"
        title = self.tr("query of {token}: {size} dimensions")
        return [
            Strip(title.format(token=one, size=size), "", query),
            Strip(self.tr("key of {token}").format(token=other), "", key),
            Strip(
                self.tr("query × key, dimension by dimension"),
                self.tr("sum = {sum}").format(sum=score),
                steps.products,
            ),
            Strip(self.tr("score: the sum, for every key"), score, steps.scores, marked=at),
            Strip(
                self.tr("divided by √{size} = {root}").format(size=size, root=root),
                f"{score} / {root} = {scaled}",
                steps.scaled,
                marked=at,
            ),
            Strip(
                self.tr("padding mask: changes nothing, because a single text has no padding"),
                masked,
                steps.masked,
                marked=at,
            ),
            Strip(
                self.tr("softmax: e to the power of each score, divided by their sum"),
                softmax,
                steps.weights,
                tokens,
                at,
            ),
        ]

    def _show_note(self, steps: ScoreSteps, weights: np.ndarray) -> None:
        notes = []
        if float(np.abs(steps.weights - weights).max()) > SAME:
            text = self.tr("You edited this row: the model used {weight} instead of the softmax result.")
            notes.append(text.format(weight=numbers.decimal(float(weights[steps.column]), 4)))
        view = self.attentions.token_view
        if view.words or not view.specials:
            notes.append(
                self.tr("Scores are for single tokens, including special tokens, whatever the other pictures show.")
            )
        self._note.setText(" ".join(notes))
        self._note.setVisible(bool(notes))

    def _on_strips_hovered(self, cell: tuple[int, int] | None) -> None:
        steps, strips = self.steps, self.strips.strips
        if cell is None or steps is None or self.reading is None:
            self._show_invitation()
            return
        index, bar = cell
        if index < DIMENSIONS:
            query, key, product = (numbers.decimal(float(strips[i].values[bar]), 4) for i in range(DIMENSIONS))
            text = self.tr("dimension {number}: query {query} × key {key} = {product}")
            self.readout.setText(text.format(number=bar, query=query, key=key, product=product))
            return
        score, scaled, weight = (
            numbers.decimal(float(one[bar]), 4) for one in (steps.scores, steps.scaled, steps.weights)
        )
        token = f"{self.reading.shown_tokens[bar]} ({bar})"
        text = self.tr("{token}: score {score}, scaled {scaled}, softmax {weight}")
        self.readout.setText(text.format(token=token, score=score, scaled=scaled, weight=weight))

    def _on_strips_clicked(self, cell: tuple[int, int], modifiers: object) -> None:
        if cell[0] >= DIMENSIONS:
            self.cell_clicked.emit(self.selection.position, cell[1])
