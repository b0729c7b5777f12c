"""How much each part of the input embedding is of their sum. Importable without torch. S tokens, E width."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray


def part_shares(parts: Mapping[str, NDArray | None]) -> dict[str, NDArray[np.float64]]:
    """Each part's share of the sum, token by token: (S,E) each -> (S) each; what is None is left out.

    share(p) = p.x / |x|^2 with x the sum of the parts: the length of the part's projection on the sum, as a share of
    the sum's length. Shares add up to 1. One is negative where the part points against the sum, and more than 1 where
    others take something away. Where the sum is zero, all are 0.
    """
    exact = {name: part.astype(np.float64) for name, part in parts.items() if part is not None}
    total = sum(exact.values(), start=np.zeros(()))
    squares = (total * total).sum(axis=-1) if exact else np.zeros(())  # (S)
    return {
        name: np.divide((part * total).sum(axis=-1), squares, out=np.zeros_like(squares), where=squares > 0)
        for name, part in exact.items()
    }


def part_lengths(parts: Mapping[str, NDArray | None]) -> dict[str, NDArray[np.float64]]:
    """L2 norm of each part at each token: (S,E) each -> (S) each; what is None is left out."""
    return {name: np.linalg.norm(part.astype(np.float64), axis=-1) for name, part in parts.items() if part is not None}
