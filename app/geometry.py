"""Distances and a map of embedding vectors, in plain NumPy. P positions, S sequence, H hidden."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Tables:
    """What the position and segment tables say without any text."""

    position_cosines: np.ndarray  # (P,P): cosine of every two position vectors
    segments: np.ndarray  # (number of segments, H)
    segment_cosine: float
    segment_distance: float  # L2


@dataclass(frozen=True, eq=False)
class TextMap:
    """Vectors of a text on the plane that keeps most of their variance (principal components)."""

    points: np.ndarray  # (S,2)
    share: float  # 0..1, the part of the variance that the plane shows


def describe_tables(positions: np.ndarray, segments: np.ndarray) -> Tables:
    """positions (P,H), segments (>=1,H). With one segment only, cosine is 1 and distance 0."""
    a, b = segments[0], segments[-1]
    return Tables(cosines(positions), segments, float(cosines(np.stack([a, b]))[0, 1]), float(np.linalg.norm(a - b)))


def cosines(vectors: np.ndarray) -> np.ndarray:
    """(P,H) -> (P,P); a vector of length zero has cosine 0 with all."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = vectors / np.where(lengths == 0, 1, lengths)
    return np.clip(unit @ unit.T, -1, 1).astype(np.float32)


def map_of_text(vectors: np.ndarray) -> TextMap:
    """(S,H) -> the first two principal components. Needs no more than the S x S products."""
    centered = vectors.astype(np.float64) - vectors.mean(axis=0)
    variances, directions = np.linalg.eigh(centered @ centered.T)  # ascending
    order = np.argsort(variances)[::-1][:2]
    lengths = np.sqrt(np.maximum(variances[order], 0))
    points = np.zeros((len(vectors), 2), dtype=np.float32)
    points[:, : len(order)] = directions[:, order] * lengths
    total = float(np.maximum(variances, 0).sum())
    return TextMap(points, float((lengths**2).sum() / total) if total > 0 else 1.0)
