"""How one attention weight comes about, number by number (Vaswani et al. 2017, section 3.2.1).

S tokens, D head size.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ScoreSteps:
    """From one query to its row of attention; `column` is the key whose products are spelled out.

    Of a baseline in our places: NaN for what only our text has. Where its heads have another shape, there are no query,
    key and products: they are of other dimensions.
    """

    column: int
    query: Floats | None  # (D)
    key: Floats | None  # (D)
    products: Floats | None  # (D) query times key, dimension by dimension
    scores: Floats  # (S) the products added up, for every key of the row
    scaled: Floats  # (S) divided by sqrt(D)
    masked: Floats  # (S) what may not be looked at is minus infinity
    weights: Floats  # (S) softmax of it

    @property
    def rows(self) -> tuple[Floats | None, ...]:
        """One after the other; the first three over dimensions, the others over tokens."""
        return self.query, self.key, self.products, self.scores, self.scaled, self.masked, self.weights

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
    return ScoreSteps(column, query, keys[column], products[column], scores, scaled, masked, raised / raised.sum())
