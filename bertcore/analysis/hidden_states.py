"""Hidden states through the layers: how long they are, and the path of each token in one plane for all layers.

L layers, S tokens, H hidden. Importable without torch. Cosines by layer: `similarity.token_cosines`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Paths:
    """Where each token goes from the embeddings to the last layer."""

    points: NDArray[np.float64]  # (L+1,S,K)
    share: NDArray[np.float64]  # (K) of the variance of all states of all layers


def lengths(hidden_states: NDArray) -> NDArray[np.float32]:
    """L2 norm of each hidden state: (L+1,S,H) -> (L+1,S)."""
    return np.stack([np.linalg.norm(states, axis=-1) for states in hidden_states]).astype(np.float32)


def paths(hidden_states: NDArray, k: int = 2) -> Paths:
    """All states of all layers (L+1,S,H) on their k common principal components; with fewer of these, zeros follow.

    One PCA over the (L+1) S states, so that a step from layer to layer is a step in the same plane. A component's sign
    is free; here its largest entry is positive, as in `similarity.pca`. Works on the smaller of the two product
    matrices, H x H or (L+1) S x (L+1) S: 512 tokens in 24 layers of width 1024 take a second.
    """
    layers, tokens, _ = hidden_states.shape
    states = hidden_states.reshape(layers * tokens, -1)  # (L+1,S,H) -> ((L+1) S, H)
    centred = states - states.mean(axis=0, dtype=np.float64).astype(states.dtype)
    components, total = _components(centred, k)  # (K,H)
    scores = centred @ components.T.astype(centred.dtype)
    points = np.zeros((len(states), k))
    points[:, : scores.shape[1]] = scores
    share = np.zeros(k)
    if total > 0:
        share[: scores.shape[1]] = np.square(scores.astype(np.float64)).sum(axis=0) / total
    return Paths(points.reshape(layers, tokens, k), share)


def _components(centred: NDArray, k: int) -> tuple[NDArray[np.float64], float]:
    """The k directions (K,H) of most variance, and the whole sum of squares."""
    count, width = centred.shape
    if count < width:
        sizes, left = np.linalg.eigh((centred @ centred.T).astype(np.float64))  # ascending
        directions = left[:, ::-1][:, :k].T @ centred
    else:
        sizes, right = np.linalg.eigh((centred.T @ centred).astype(np.float64))
        directions = right[:, ::-1][:, :k].T
    total = float(np.maximum(sizes, 0).sum())
    kept = sizes[::-1][:k] > 1e-9 * max(total, 1e-30)
    directions = directions[kept]
    directions = directions / np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-30)
    largest = np.abs(directions).argmax(axis=1) if directions.size else np.zeros(0, dtype=int)
    sign = np.where(directions[np.arange(len(directions)), largest] < 0, -1.0, 1.0)
    return directions * sign[:, None], total
