"""The view Query × Key: how one weight comes about, number by number (Vaswani et al. 2017, section 3.2.1).

U units, S tokens, D head size.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.figures.figure import Axis, Figure, Numbers
from app.look import numbers
from app.rooms.attend.bar_strips import BarStrips, Strip
from app.rooms.attend.view import AttendView
from app.widgets.card import label
from app.widgets.layouts import fill

DIMENSIONS = 3  # strips over dimensions; the others are over tokens
SAME = 1e-3  # weights that differ by less are those of the softmax
MOST_RAISED = 500.0  # e to more than that is no number
Floats = NDArray[np.float64]


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


class ScoreView(AttendView):
    """Query, key and their products over the head's dimensions; score, scaled, masked and softmax over the tokens."""

    follows_column = True

    def __init__(self) -> None:
        super().__init__()
        self.steps: ScoreSteps | None = None
        self.strips = BarStrips(self.tr("From query and key to one attention weight"))
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
        one, other = f"{tokens[position]} ({position})", f"{tokens[column]} ({column})"
        hint = self.tr("how much {row} looks at {column} · each row of bars has its own scale")
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
