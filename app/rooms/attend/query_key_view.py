"""The view Query × Key: how one weight comes about, number by number (Vaswani et al. 2017, section 3.2.1).

Each step is a row of small bars with its own scale. U units, S tokens, D head size.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...figures.figure import Axis, Figure, Numbers, joined
from ...look import numbers
from ...look.number_kinds import explain
from ...look.say import say
from ...widgets.card import label
from ...widgets.layouts import fill
from .attentions import Head
from .bar_strips import BarStrips, Strip
from .compared_attentions import ComparedAttentions
from .counterpart import Counterpart, Shown, way_to_show
from .score_steps import BaselineSteps, ScoreSteps, baseline_steps, score_steps
from .view import AttendView

DIMENSIONS = 3  # strips over dimensions; the others are over tokens
SAME = 1e-3  # weights that differ by less are those of the softmax
MOST_RAISED = 500.0  # e to more than that is no number


class ScoreView(AttendView):
    """Query, key and their products over the head's dimensions; score, scaled, masked and softmax over the tokens."""

    follows_column = True

    def __init__(self) -> None:
        super().__init__()
        self.steps: ScoreSteps | None = None
        self.baseline_steps: BaselineSteps | None = None  # the baseline's, in our places
        self._counterpart = Counterpart(self)
        self.strips = BarStrips(say("From query and key to one attention weight"))
        explain("attention", self.strips)
        self._asked, self._note = label("", "strong", wrap=True), label("", "muted", wrap=True)
        fill(self.body, self._asked, (self.strips, 1), self._note, self.readout)
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
        self._query, self._key = query, keys[column]
        tokens = reading.shown_tokens
        named = say("“{token}” ({position})")
        one = named.format(token=tokens[position], position=position)
        other = named.format(token=tokens[column], position=column)
        self.set_title(self.attentions.title(*self.head))
        shown = way_to_show(self.attentions, self.selection)
        both, head, why = shown.difference or shown.beside, None, ""
        if both is not None:
            head = self._counterpart.head(both, self.head)
            why = self._counterpart.title(both, head)
        theirs = None if both is None or head is None else baseline_steps(both, head, position, column)
        self.baseline_steps = theirs if isinstance(theirs, BaselineSteps) else None
        strips = self._strips(steps, query, keys[column], tokens, one, other)
        if self.baseline_steps is not None:
            strips = compared_strips(strips, self.baseline_steps, column, as_difference=shown.difference is not None)
        asked = say("How much {row} looks at {column}", row=one, column=other)
        if shown.difference is not None and self.baseline_steps is not None:
            asked = joined(asked, say("now minus {baseline}", baseline=shown.difference.name))
        self._asked.setText(asked)
        self.strips.set_strips(strips)
        self._show_note(steps, weights, self._about_bars(shown, both, head, theirs, why))

    def _about_bars(
        self,
        shown: Shown,
        both: ComparedAttentions | None,
        head: Head | None,
        theirs: BaselineSteps | str | None,
        why: str,
    ) -> str:
        """What the colours are, and what stands for the baseline in the picture, or why nothing does."""
        colors = say("Red: above 0. Blue: below.")
        if both is None:
            return colors
        if head is None or isinstance(theirs, str):
            return f"{colors} {why if head is None else theirs}"
        if shown.difference is not None:
            return say("Bars: now minus {baseline}; red: more, blue: less.", baseline=both.name)
        line = say("Line across a bar: its value in {head}.", head=why)
        return f"{colors} {line}"

    def draw_position(self) -> None:
        self.draw()

    def make_figure(self) -> Figure | None:
        if self.steps is None or self.reading is None:
            return None
        tokens = self.reading.shown_tokens
        by_token = {"scores": self.steps.scores, "scaled": self.steps.scaled, "softmax": self.steps.weights}
        values = {name: Numbers(one, (Axis("is looked at", tokens),)) for name, one in by_token.items()}
        values["products"] = Numbers(self.steps.products, (Axis("dimension"),))
        if self.baseline_steps is not None:
            before = {
                "scores": self.baseline_steps.scores,
                "scaled": self.baseline_steps.scaled,
                "softmax": self.baseline_steps.weights,
            }
            for name, one in before.items():
                values[f"{name} with the baseline"] = Numbers(one, (Axis("is looked at", tokens),))
        return self.figure(self.title, [self.strips], values, hint=self._asked.text(), head=True, by_token=True)

    def _show_invitation(self) -> None:
        self.readout.setText(
            say("Click a bar in the lower rows to see how that token’s weight is computed; the arrow keys work too.")
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
        title = say("query of {token}: {size} dimensions")
        return [
            Strip(title.format(token=one, size=size), "", query),
            Strip(say("key of {token}", token=other), "", key),
            Strip(
                say("query × key, dimension by dimension"),
                say("sum = {sum}", sum=score),
                steps.products,
            ),
            Strip(say("score: the sum, for every key"), score, steps.scores, marked=at),
            Strip(
                say("divided by √{size} = {root}", size=size, root=root),
                f"{score} / {root} = {scaled}",
                steps.scaled,
                marked=at,
            ),
            Strip(
                say("padding mask: changes nothing, because a single text has no padding"),
                masked,
                steps.masked,
                marked=at,
            ),
            Strip(
                say("softmax: e^score, divided by the sum of all e^score"),
                softmax,
                steps.weights,
                tokens,
                at,
            ),
        ]

    def _show_note(self, steps: ScoreSteps, weights: np.ndarray, about: str) -> None:
        notes = [about]
        if float(np.abs(steps.weights - weights).max()) > SAME:
            text = say("You edited this row: the model used {weight} instead of the softmax result.")
            notes.append(text.format(weight=numbers.decimal(float(weights[steps.column]), 4)))
        view = self.attentions.token_view
        if view.words or not view.specials:
            notes.append(
                say("Scores are for single tokens, including special tokens, whatever the other pictures show.")
            )
        self._note.setText(" ".join(notes))

    def _on_strips_hovered(self, cell: tuple[int, int] | None) -> None:
        steps = self.steps
        if cell is None or steps is None or self.reading is None:
            self._show_invitation()
            return
        index, bar = cell
        theirs = self.baseline_steps
        if index < DIMENSIONS:
            query, key, product = (
                numbers.decimal(float(one[bar]), 4) for one in (self._query, self._key, steps.products)
            )
            text = say("dimension {number}: query {query} × key {key} = {product}")
            said = text.format(number=bar, query=query, key=key, product=product)
            if theirs is not None and theirs.products is not None:
                before = numbers.decimal(float(theirs.products[bar]), 4)
                said = joined(said, say("{there}: {product}", there=theirs.where, product=before))
            self.readout.setText(said)
            return
        score, scaled, weight = (
            numbers.decimal(float(one[bar]), 4) for one in (steps.scores, steps.scaled, steps.weights)
        )
        token = f"{self.reading.shown_tokens[bar]} ({bar})"
        text = say("{token}: score {score}, scaled {scaled}, softmax {weight}")
        said = text.format(token=token, score=score, scaled=scaled, weight=weight)
        if theirs is not None:
            said = joined(said, self._before_in_words(theirs, bar))
        self.readout.setText(said)

    def _before_in_words(self, theirs: BaselineSteps, bar: int) -> str:
        if not np.isfinite(theirs.scores[bar]):
            return say("only in this text")
        score, weight = (numbers.decimal(float(one[bar]), 4) for one in (theirs.scores, theirs.weights))
        text = say("{there}: score {score}, softmax {weight}")
        return text.format(there=theirs.where, score=score, weight=weight)

    def _on_strips_clicked(self, cell: tuple[int, int], modifiers: object) -> None:
        if cell[0] >= DIMENSIONS:
            self.cell_clicked.emit(self.selection.position, cell[1])


def compared_strips(strips: Sequence[Strip], theirs: BaselineSteps, column: int, *, as_difference: bool) -> list[Strip]:
    """The same strips with the baseline's values as lines across their bars, or with what differs as bars.

    The numbers behind the titles become before and now.
    """
    before = theirs.query, theirs.key, theirs.products, theirs.scores, theirs.scaled, theirs.scaled, theirs.weights
    made = []
    for index, (strip, values) in enumerate(zip(strips, before, strict=True)):
        if values is None:  # of a model of another shape
            made.append(strip)
            continue
        result = strip.result
        if index >= DIMENSIONS and np.isfinite(values[column]):
            result = _change(float(values[column]), float(strip.values[column]))
        elif index == DIMENSIONS - 1:
            result = _change(float(values.sum()), float(strip.values.sum()))
        if as_difference:
            made.append(replace(strip, values=strip.values - values, result=result, is_difference=True))
        else:
            made.append(replace(strip, before=values, result=result))
    return made


def _change(before: float, now: float) -> str:
    difference = numbers.signed(numbers.difference(before, now, 4), 4)
    return f"{numbers.decimal(before, 4)} → {numbers.decimal(now, 4)} ({difference})"
