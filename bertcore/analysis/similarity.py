"""What is like what: heads, tokens, positions, two models or two inputs; and points in a plane (PCA).

L layers, N heads, S tokens, H hidden.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert


def row_divergence(first: NDArray, second: NDArray) -> NDArray[np.float64]:
    """Jensen-Shannon divergence of distributions along the last axis, in bits: 0 the same, 1 nothing in common.

    JS(p,q) = H((p + q) / 2) - (H(p) + H(q)) / 2 with the entropy H (Lin 1991). Its square root is a distance.
    """
    p, q = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    nats = entr((p + q) / 2).sum(-1) - (entr(p).sum(-1) + entr(q).sum(-1)) / 2
    bits: NDArray[np.float64] = np.clip(nats / np.log(2), 0, 1)  # rounding can leave it
    return bits


def head_divergence(attentions: NDArray) -> NDArray[np.float64]:
    """How unlike all heads are: (L,N,S,S) -> (LN,LN), Jensen-Shannon divergence in bits, mean over rows.

    Clark et al. 2019, section 6 (there summed over tokens). Head n of layer l is row l*N + n.
    """
    heads = np.asarray(attentions, dtype=np.float64).reshape(-1, *attentions.shape[-2:])  # (L,N,S,S) -> (LN,S,S)
    divergence = np.zeros((len(heads), len(heads)))
    for i, head in enumerate(heads):
        divergence[i, i + 1 :] = row_divergence(head, heads[i + 1 :]).mean(axis=-1)
    return divergence + divergence.T


def compare_heads(first: NDArray, second: NDArray) -> NDArray[np.float64]:
    """Two models on one input, or one model on two: (L,N,S,S) each -> (L,N), divergence in bits, mean over rows.

    Raises BertcoreError where heads or tokens differ in number, so that nothing stands against nothing.
    """
    if first.shape[:2] != second.shape[:2]:
        sizes = " and ".join(f"{shape[0]} x {shape[1]}" for shape in (first.shape, second.shape))
        raise BertcoreError(f"The two models have {sizes} heads; head by head, only models of one size compare.")
    if first.shape != second.shape:
        raise BertcoreError(
            f"The two texts have {first.shape[-1]} and {second.shape[-1]} tokens; they must have the same number."
        )
    compared: NDArray[np.float64] = row_divergence(first, second).mean(axis=-1)
    return compared


def cosines(vectors: NDArray) -> NDArray[np.float64]:
    """Every vector with every other: (..., S,H) -> (..., S,S). A vector of zeros is like nothing, itself included."""
    exact = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(exact, axis=-1, keepdims=True)
    unit = np.divide(exact, lengths, out=np.zeros_like(exact), where=lengths > 0)
    found: NDArray[np.float64] = unit @ np.swapaxes(unit, -1, -2)
    return found


def token_cosines(hidden_states: NDArray) -> NDArray[np.float64]:
    """Token by token, at each layer: hidden states (L+1,S,H) -> (L+1,S,S) (Ethayarajh 2019, section 3)."""
    return cosines(hidden_states)


def position_similarity(model: Bert, count: int | None = None) -> NDArray[np.float64]:
    """Cosine of the embeddings of the first `count` positions (P; all of them if None): (P,P)."""
    start = model.config.position_offset
    table = model.embeddings.position.weight.detach().float().cpu().numpy()[start:]
    return cosines(table[:count])


@dataclass(frozen=True)
class Pca:
    """Principal components, the one that explains most first; `share` is of the whole variance."""

    scores: NDArray[np.float64]  # (S,K) the points in the new axes
    share: NDArray[np.float64]  # (K)
    components: NDArray[np.float64]  # (K,H) orthonormal
    mean: NDArray[np.float64]  # (H)


def pca(points: NDArray, k: int = 2) -> Pca:
    """Points (S,H) -> K = min(k, S, H) principal components: X - mean = U D V', scores U D, variance D^2.

    A component's sign is free; here its largest entry is positive, so that a picture does not flip.
    """
    exact = np.asarray(points, dtype=np.float64)
    mean = exact.mean(axis=0)
    left, sizes, right = np.linalg.svd(exact - mean, full_matrices=False)
    largest = np.abs(right).argmax(axis=1)
    sign = np.where(right[np.arange(len(right)), largest] < 0, -1.0, 1.0)
    variance = sizes**2
    share = variance / variance.sum() if variance.sum() > 0 else np.zeros_like(variance)
    return Pca((left * sizes * sign)[:, :k], share[:k], (right * sign[:, None])[:k], mean)
