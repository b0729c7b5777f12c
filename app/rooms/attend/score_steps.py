"""How one attention weight comes about, number by number (Vaswani et al. 2017, section 3.2.1), here and in a baseline.

S tokens, D head size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...look.say import say
from .attentions import Head
from .compared_attentions import ComparedAttentions

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


@dataclass(frozen=True, eq=False)
class BaselineSteps:
    """The baseline's steps in our places: NaN for what only our text has."""

    name: str  # of the baseline
    where: str  # "with the unchanged model"
    query: Floats | None  # (D); of heads of another shape None, as key and products: other dimensions
    key: Floats | None
    products: Floats | None
    scores: Floats  # (S)
    scaled: Floats
    weights: Floats


def baseline_steps(both: ComparedAttentions, head: Head, row: int, column: int) -> BaselineSteps | str:
    """Of the tokens that ours (positions) are compared with; a sentence where one has no counterpart.

    head: of the baseline.
    """
    reading = both.ours.reading
    assert reading.baseline is not None and reading.alignment is not None
    places, tokens, trace = reading.alignment.other_positions, reading.shown_tokens, reading.baseline.trace
    baseline_row, baseline_column = places[row], places[column]
    if baseline_row is None or baseline_column is None:
        missing = tokens[row if baseline_row is None else column]
        sentence = say("“{token}” has no counterpart in {baseline}.")
        return sentence.format(token=missing, baseline=both.name)
    query, keys = trace.queries[(*head, baseline_row)], trace.keys[head]
    steps = score_steps(query, keys, baseline_column)
    index = np.array([-1 if place is None else place for place in places])

    def placed(values: Floats) -> Floats:
        return np.where(index >= 0, values[index], np.nan)

    has_same_dimensions = both.has_same_heads and len(query) == reading.trace.queries.shape[-1]
    return BaselineSteps(
        both.name,
        both.where,
        query if has_same_dimensions else None,
        keys[baseline_column] if has_same_dimensions else None,
        steps.products if has_same_dimensions else None,
        placed(steps.scores),
        placed(steps.scaled),
        placed(steps.weights),
    )
