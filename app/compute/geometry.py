"""What the tables of a model say without any text. P positions, E width of the embeddings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bertcore.analysis.vectors import cosine, cosines


@dataclass(frozen=True, eq=False)
class Tables:
    """What the position and segment tables say without any text."""

    position_cosines: np.ndarray  # (P,P): cosine of every two position vectors
    segments: np.ndarray | None  # (2,E) of A and B; None where the model does not tell them apart
    segment_cosine: float
    segment_distance: float  # L2


def describe_tables(positions: np.ndarray, segments: np.ndarray | None) -> Tables:
    """positions (P,E), segments (number of segments, E) or None."""
    if segments is None or len(segments) < 2:
        return Tables(cosines(positions), None, 1.0, 0.0)
    pair = segments[:2]
    return Tables(cosines(positions), pair, cosine(*pair), float(np.linalg.norm(pair[0] - pair[1])))
