"""What connects two tokens strongly in one head, and a row of attention put right by hand. S tokens."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Links:
    """The strongest links, strongest first."""

    rows: NDArray[np.int64]  # (K) the token that looks
    columns: NDArray[np.int64]  # (K) what it looks at
    weights: NDArray[np.float64]  # (K)
    fitting: int  # how many there are without the limit
    share: float  # of all attention that was asked about: what these K hold


def strongest_links(
    attention: NDArray,
    *,
    among: NDArray | None = None,
    least: float = 0.0,
    share: float | None = None,
    most: int | None = None,
    always: int | None = None,
) -> Links:
    """Links of one head (S,S): all of at least `least`, or of each row the fewest that hold `share` of its attention.

    among (S,S): True for the links asked about; None: all. most: no more links than this, those of the row `always`
    among them.
    """
    values = np.where(True if among is None else among, attention, 0).astype(np.float64)
    total = float(values.sum())
    fits = (values >= least) & (values > 0)
    if share is not None:
        fits &= _holding(values, share)
    flat = np.flatnonzero(fits)
    weights = values.ravel()[flat]
    order = np.argsort(-weights, kind="stable")
    fitting = len(order)
    if most is not None and fitting > most:
        is_own = flat[order] // attention.shape[1] == always
        kept = np.concatenate([order[is_own], order[~is_own]])[:most]
        order = kept[np.argsort(-weights[kept], kind="stable")]
    rows, columns = np.divmod(flat[order], attention.shape[1])
    held = float(weights[order].sum()) / total if total > 0 else 0.0
    return Links(rows, columns, weights[order], fitting, held)


def _holding(values: NDArray, share: float) -> NDArray[np.bool_]:
    """(S,S) True for the highest values of each row that together hold at least `share` of it."""
    if share <= 0:
        return np.zeros(values.shape, dtype=bool)
    order = np.argsort(-values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    before = np.cumsum(ordered, axis=1) - ordered  # what the higher ones hold already
    holding = np.zeros(values.shape, dtype=bool)
    np.put_along_axis(holding, order, before < share * values.sum(axis=1, keepdims=True) * (1 - 1e-9), axis=1)
    return holding


def between(parts: Sequence[str], looks: str, looked_at: str) -> NDArray[np.bool_]:
    """(S,S) True where a token of part `looks` ("a", "b", "special") looks at one of part `looked_at`."""
    named = np.array(parts)
    return np.outer(named == looks, named == looked_at)


def with_weight(
    row: NDArray, columns: Sequence[int], weight: float, within: Sequence[int] | None = None
) -> NDArray[np.float64]:
    """A row of attention (S) in which `columns` together get the share `weight` (0..1), the others what is left.

    Each side keeps its proportions (even where it had nothing), so the row goes on summing to what it did; no weight is
    above 1, though a float32 row may sum to a little more. within: only these columns change, and the share is of what
    they hold together.
    """
    new = np.asarray(row, dtype=np.float64).copy()
    inside = np.arange(len(new)) if within is None else np.asarray(within)
    chosen = np.zeros(len(new), dtype=bool)
    chosen[list(columns)] = True
    rest = np.zeros(len(new), dtype=bool)
    rest[inside] = True
    rest &= ~chosen
    total = new[inside].sum()
    share = 1.0 if not rest.any() else min(max(weight, 0.0), 1.0)
    for part, amount in ((chosen, share), (rest, 1 - share)):
        held = new[part].sum()
        if part.any():
            new[part] = new[part] / held * (amount * total) if held > 0 else amount * total / part.sum()
    return np.minimum(new, 1.0)
