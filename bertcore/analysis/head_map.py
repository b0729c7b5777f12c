"""Which heads are alike: all of them as points of a plane, near where their attention is.

Clark et al. 2019, section 6: Jensen-Shannon divergence between heads, then classical multidimensional scaling.
L layers, N heads, S tokens; head n of layer l is row l*N + n of a matrix over heads.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertcore.progress import ReportProgress

MOST_VALUES = 150_000_000  # compared in all, some three seconds; beyond it, rows are sampled


@dataclass(frozen=True)
class HeadMap:
    """Points whose distance is, as far as a plane allows, the root of the divergence."""

    points: NDArray[np.float64]  # (L,N,2)
    share: NDArray[np.float64]  # (2) of the variance that each axis keeps
    divergence: NDArray[np.float64]  # (LN,LN) bits: 0 the same, 1 nothing in common
    rows: NDArray[np.int64]  # the tokens whose rows were compared; all of them in a short text


def head_map(attentions: NDArray, *, most_values: int = MOST_VALUES, progress: ReportProgress | None = None) -> HeadMap:
    """All heads (L,N,S,S) in a plane.

    Where L, N and S are so large that more than `most_values` numbers had to be compared, only some rows are, evenly
    spread over the text; every column of them counts.
    """
    layers, heads, length, _ = attentions.shape
    rows = compared_rows(layers * heads, length, most_values)
    divergence = divergence_between_heads(attentions[:, :, rows], progress)
    points, share = scaled_to_plane(divergence)
    return HeadMap(points.reshape(layers, heads, 2), share, divergence, rows)


def compared_rows(heads: int, length: int, most_values: int = MOST_VALUES) -> NDArray[np.int64]:
    """Which of `length` rows to compare, so that all pairs of heads together compare at most `most_values` numbers."""
    pairs = max(heads * (heads - 1) // 2, 1)
    count = min(max(most_values // (pairs * length), 1), length)
    return np.linspace(0, length - 1, count).round().astype(np.int64)


def divergence_between_heads(attentions: NDArray, progress: ReportProgress | None = None) -> NDArray[np.float64]:
    """(L,N,R,S), rows summing to 1 -> (LN,LN): Jensen-Shannon divergence in bits, mean over the R rows (Lin 1991)."""
    shape = attentions.shape
    heads = np.asarray(attentions, dtype=np.float32).reshape(-1, *shape[2:])  # (L,N,R,S) -> (LN,R,S)
    entropy = mean_entropy(heads)  # (LN)
    divergence = np.zeros((len(heads), len(heads)))
    for i in range(len(heads) - 1):
        mixed = mixed_entropy(heads[i], heads[i + 1 :])
        divergence[i, i + 1 :] = mixed - (entropy[i + 1 :] + entropy[i]) / 2
        if progress is not None:
            left = (len(heads) - i - 1) / len(heads)
            progress(1 - left * left)
    return in_bits(divergence + divergence.T)


def mean_entropy(heads: NDArray) -> NDArray[np.float64]:
    """(...,R,S), rows summing to 1 -> (...): entropy in nats, mean over the rows."""
    from scipy.special import entr  # here: it takes 0.2 s, which the window's start need not wait for

    entropy: NDArray[np.float64] = entr(heads).sum(-1, dtype=np.float64).mean(-1)
    return entropy


def mixed_entropy(head: NDArray, others: NDArray) -> NDArray[np.float64]:
    """One head (R,S) and K others (K,R,S) -> (K): entropy of their mean. The divergence is it less the mean entropy."""
    blocks = [others[start : start + 16] for start in range(0, len(others), 16)]  # fit into the processor's cache
    return np.concatenate([mean_entropy((block + head) / 2) for block in blocks])


def in_bits(divergence: NDArray) -> NDArray[np.float64]:
    """Jensen-Shannon divergence in nats -> in bits, 0 to 1; rounding can leave it."""
    bits: NDArray[np.float64] = np.clip(divergence / np.log(2), 0, 1)
    return bits


def scaled_to_plane(squared: NDArray) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Squared distances (K,K) -> points (K,2) and the share of variance of each axis (2), largest first.

    Classical scaling (Torgerson 1952): with J = I - 1/K, the eigenvectors of -J D J / 2 times the roots of their
    eigenvalues. An axis' sign is free; here its largest entry is positive, so that a picture does not flip.
    """
    size = len(squared)
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    values = np.clip(values, 0, None)
    points, share = np.zeros((size, 2)), np.zeros(2)
    for axis, at in enumerate(range(size - 1, max(size - 3, -1), -1)):
        vector = vectors[:, at]
        points[:, axis] = vector * np.sqrt(values[at]) * (-1 if vector[np.abs(vector).argmax()] < 0 else 1)
        share[axis] = values[at] / values.sum() if values.sum() > 0 else 0
    return points, share
