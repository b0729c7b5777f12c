"""Vectors: how long they are, how alike, what their parts add, and where they lie in a plane. Importable without torch.

L layers, S tokens, H width of the vectors.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Pca:
    """Vectors on their K principal components, the one that explains most first."""

    points: NDArray[np.float64]  # (...,K)
    share: NDArray[np.float64]  # (K) of the variance of all vectors

    @property
    def kept(self) -> float:
        """Share of the variance that the K components show, 0..1; 1 where nothing varies."""
        return float(self.share.sum()) if self.share.any() else 1.0


def lengths(vectors: NDArray) -> NDArray[np.float32]:
    """L2 norm of each vector: (...,H) -> (...)."""
    return np.linalg.norm(vectors, axis=-1).astype(np.float32)


def cosine(first: NDArray, second: NDArray) -> float:
    """Cosine of the angle between two vectors (H): 1 alike, 0 unrelated; 0 where one has no length."""
    return float(cosines(np.stack([first, second]))[0, 1])


def cosines(vectors: NDArray) -> NDArray[np.float64]:
    """Every vector with every other: (...,S,H) -> (...,S,S). A vector of zeros is like nothing, itself included.

    Of hidden states (L+1,S,H): token by token, at each layer (Ethayarajh 2019, section 3).
    """
    exact = np.asarray(vectors, dtype=np.float64)
    norms = np.linalg.norm(exact, axis=-1, keepdims=True)
    unit = np.divide(exact, norms, out=np.zeros_like(exact), where=norms > 0)
    products: NDArray[np.float64] = np.clip(unit @ np.swapaxes(unit, -1, -2), -1, 1)  # rounding can leave it
    return products


def pca(vectors: NDArray, k: int = 2) -> Pca:
    """All vectors (...,H) on their k common principal components; with fewer of these, zeros follow.

    Of hidden states (L+1,S,H) it is one PCA for all layers, so that a step from layer to layer is a step in one plane.
    A component's sign is free; here its largest entry is positive, so that a picture does not flip. Works on the
    smaller of the two product matrices: 512 tokens in 24 layers of width 1024 take a second.
    """
    flat = vectors.reshape(-1, vectors.shape[-1])  # (P,H)
    centred = flat - flat.mean(axis=0, dtype=np.float64).astype(flat.dtype)
    components, total = _components(centred, k)  # (K,H)
    scores = (centred @ components.T.astype(centred.dtype)).astype(np.float64)  # (P,K)
    points, share = np.zeros((len(flat), k)), np.zeros(k)
    points[:, : scores.shape[1]] = scores
    if total > 0:
        share[: scores.shape[1]] = np.square(scores).sum(axis=0) / total
    return Pca(points.reshape(*vectors.shape[:-1], k), share)


def _components(centred: NDArray, k: int) -> tuple[NDArray[np.float64], float]:
    """At most k directions (K,H) of most variance, of length 1, and the whole sum of squares."""
    count, width = centred.shape
    if count < width:
        sizes, left = np.linalg.eigh((centred @ centred.T).astype(np.float64))  # ascending
        directions = left[:, ::-1][:, :k].T @ centred
    else:
        sizes, right = np.linalg.eigh((centred.T @ centred).astype(np.float64))
        directions = right[:, ::-1][:, :k].T
    total = float(np.maximum(sizes, 0).sum())
    directions = directions[sizes[::-1][:k] > 1e-9 * max(total, 1e-30)]
    directions = directions / np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-30)
    largest = np.abs(directions).argmax(axis=1) if directions.size else np.zeros(0, dtype=int)
    sign = np.where(directions[np.arange(len(directions)), largest] < 0, -1.0, 1.0)
    return directions * sign[:, None], total


def part_shares(parts: Mapping[str, NDArray | None]) -> dict[str, NDArray[np.float64]]:
    """Each part's share of the sum, token by token: (S,H) each -> (S) each; what is None is left out.

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
