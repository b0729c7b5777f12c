"""Distances and a map of embedding vectors, in plain NumPy. P positions, S sequence, E width of the embeddings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Tables:
    """What the position and segment tables say without any text."""

    position_cosines: np.ndarray  # (P,P): cosine of every two position vectors
    segments: np.ndarray | None  # (2,E) of A and B; None where the model does not tell them apart
    segment_cosine: float
    segment_distance: float  # L2


@dataclass(frozen=True, eq=False)
class TextMap:
    """Vectors of a text on the plane that keeps most of their variance (principal components)."""

    points: np.ndarray  # (S,2)
    share: float  # 0..1, the part of the variance that the plane shows


def describe_tables(positions: np.ndarray, segments: np.ndarray | None) -> Tables:
    """positions (P,E), segments (number of segments, E) or None."""
    if segments is None or len(segments) < 2:
        return Tables(cosines(positions), None, 1.0, 0.0)
    pair = segments[:2]
    return Tables(cosines(positions), pair, float(cosines(pair)[0, 1]), float(np.linalg.norm(pair[0] - pair[1])))


def cosines(vectors: np.ndarray) -> np.ndarray:
    """(P,H) -> (P,P); a vector of length zero has cosine 0 with all."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.where(lengths == 0, 1, lengths)
    return np.clip(unit @ unit.T, -1, 1).astype(np.float32)


def map_of_text(vectors: np.ndarray) -> TextMap:
    """(S,E) -> the first two principal components. Needs no more than the S x S products."""
    centered = vectors.astype(np.float64) - vectors.mean(axis=0)
    variances, directions = np.linalg.eigh(centered @ centered.T)  # ascending
    order = np.argsort(variances)[::-1][:2]
    lengths = np.sqrt(np.maximum(variances[order], 0))
    points = np.zeros((len(vectors), 2), dtype=np.float32)
    points[:, : len(order)] = directions[:, order] * lengths
    total = float(np.maximum(variances, 0).sum())
    return TextMap(points, float((lengths**2).sum() / total) if total > 0 else 1.0)
