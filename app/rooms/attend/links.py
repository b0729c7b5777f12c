"""What connects two tokens strongly in one head, and a row of attention put right by hand. S tokens."""

from __future__ import annotations

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
) -> Links:
    """Links of one head (S,S): all of at least `least`, or the strongest that hold `share` of the attention.

    among (S,S): True for the links asked about; None: all. most: no more links than this.
    """
    asked = np.ones(attention.shape, dtype=bool) if among is None else among
    flat = np.flatnonzero(asked & (attention >= least) & (attention > 0))
    weights = attention.ravel()[flat].astype(np.float64)
    total = float(attention[asked].sum(dtype=np.float64))
    order = np.argsort(-weights, kind="stable")
    if share is not None:
        reached = np.searchsorted(np.cumsum(weights[order]), share * total * (1 - 1e-9)) + 1
        order = order[: reached if share > 0 else 0]
    fitting = len(order)
    order = order[:most]
    rows, columns = np.divmod(flat[order], attention.shape[1])
    held = float(weights[order].sum()) / total if total > 0 else 0.0
    return Links(rows, columns, weights[order], fitting, held)


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
