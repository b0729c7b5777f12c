"""The page Query × Key: how one weight comes about, from the products of each dimension to the softmax."""

from __future__ import annotations

import math

import numpy as np

from app.figures.figure import Axis, Numbers
from app.rooms.attend.bar_strips import BarStrips, Strip
from app.rooms.attend.page import Drawn, Page
from app.rooms.attend.score_steps import ScoreSteps, score_steps
from app.rooms.attend.shown import Choice, Shown
from app.widgets.card import label

HINT = "each row of bars has its own scale, written at its right end"
INVITATION = "Click a bar of the lower rows to see how that token's weight comes about; left and right keys move on."
DIMENSIONS = 3  # strips over dimensions; the others are over tokens


class ScorePage(Page):
    """Query, key and their products over the head's dimensions; score, scaled, masked and softmax over the tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: ScoreSteps | None = None
        self.strips = BarStrips("From query and key to one weight of attention")
        self._note = label("", "muted", wrap=True)
        self.body.addWidget(self.strips, 1)
        self.body.addWidget(self._note)
        self.body.addWidget(self.readout)
        self.readout.setText(INVITATION)
        self.strips.hovered.connect(self._on_strips_hovered)
        self.strips.clicked.connect(self._on_strips_clicked)

    @property
    def note(self) -> str:
        return self._note.text()

    def draw_all(self, shown: Shown, choice: Choice) -> None:
        trace, head = shown.reading.trace, (choice.layer, choice.head)
        query, keys = trace.queries[(*head, choice.position)], trace.keys[head]  # (D), (S,D)
        weights = trace.attentions[(*head, choice.position)]  # (S)
        column = int(weights.argmax()) if choice.column is None else choice.column
        column = min(column, len(weights) - 1)
        self.steps = steps = score_steps(query, keys, column)
        tokens = shown.reading.shown_tokens
        one, other = f"{tokens[choice.position]} ({choice.position})", f"{tokens[column]} ({column})"
        self.titled.emit(shown.name_of(choice), f"{one} → {other} · {HINT}")
        self.strips.set_strips(_strips(steps, query, keys[column], tokens, one, other))
        self._note.setText(_note(shown, steps, weights))

    def drawn(self) -> Drawn | None:
        if self.steps is None or self.shown is None:
            return None
        tokens = self.shown.reading.shown_tokens
        by_token = {"scores": self.steps.scores, "scaled": self.steps.scaled, "softmax": self.steps.weights}
        numbers = {name: Numbers(values, (Axis("is looked at", tokens),)) for name, values in by_token.items()}
        numbers["products"] = Numbers(self.steps.products, (Axis("dimension"),))
        return Drawn([self.strips], numbers, by_token=True)

    def _on_strips_hovered(self, spot: tuple[int, int] | None) -> None:
        if spot is None or self.steps is None or self.shown is None:
            self.readout.setText(INVITATION)
            return
        index, bar = spot
        strips = self.strips.strips
        if index < DIMENSIONS:
            query, key, product = (float(strips[i].values[bar]) for i in range(DIMENSIONS))
            self.readout.setText(f"dimension {bar}: query {query:.4f} × key {key:.4f} = {product:.4f}")
            return
        steps = self.steps
        self.readout.setText(
            f"{self.shown.reading.shown_tokens[bar]} ({bar}): score {steps.scores[bar]:.4f}, "
            f"scaled {steps.scaled[bar]:.4f}, softmax {steps.weights[bar]:.4f}"
        )

    def _on_strips_clicked(self, index: int, bar: int) -> None:
        if index >= DIMENSIONS and self.choice is not None:
            self.picked.emit(self.choice.position, bar)


def _strips(
    steps: ScoreSteps, query: np.ndarray, key: np.ndarray, tokens: list[str], one: str, other: str
) -> list[Strip]:
    size, at = len(query), steps.column
    root = f"{math.sqrt(size):.5g}"
    sums = float(np.exp(steps.masked).sum()) if steps.masked.max() < 500 else math.inf
    raised = f"e^{steps.masked[at]:.3f} / {sums:.4g} = " if math.isfinite(sums) else ""
    return [
        Strip(f"query of {one}: {size} dimensions", "", query),
        Strip(f"key of {other}", "", key),
        Strip("query × key, dimension by dimension", f"sum = {steps.score:.4f}", steps.products),
        Strip("score: the sum, for every key", f"{steps.score:.4f}", steps.scores, marked=at),
        Strip(
            f"divided by √{size} = {root}",
            f"{steps.score:.4f} / {root} = {steps.scaled[at]:.4f}",
            steps.scaled,
            marked=at,
        ),
        Strip("masked: nothing, a single text has no padding", f"{steps.masked[at]:.4f}", steps.masked, marked=at),
        Strip(
            "softmax: e to each, divided by the sum of all",
            f"{raised}{steps.weights[at]:.4f}",
            steps.weights,
            tokens,
            at,
        ),
    ]


def _note(shown: Shown, steps: ScoreSteps, weights: np.ndarray) -> str:
    """What differs from the other pictures."""
    notes = []
    if float(np.abs(steps.weights - weights).max()) > 1e-3:
        notes.append(
            f"The row was edited by hand: the model went on with {weights[steps.column]:.4f} instead of the softmax."
        )
    if shown.view.words or not shown.view.specials:
        notes.append("Scores are of single tokens, all of them: here nothing is merged or left out.")
    return " ".join(notes)
