"""Two passes side by side: which heads changed, where hidden states part, and which layers are alike.

Ours and the other may be of two texts, two models or two steps of one; an `Alignment` says which tokens are compared.
L layers, N heads, S our tokens, S' the other's, P pairs of tokens, H hidden. Importable without torch.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.align import Alignment
from bertcore.analysis.attention_heads import compared_rows, in_bits, mean_entropy, mixed_entropy
from bertcore.errors import BertcoreError

FEWEST_FOR_CKA = 4  # tokens: the estimate divides by P - 3


@dataclass(frozen=True, eq=False)
class MatchedHeads:
    """For each of our heads, the one of the other whose attention is most alike. Several may have the same one."""

    layers: NDArray[np.int64]  # (L,N) of the other, from 0
    heads: NDArray[np.int64]  # (L,N) of the other, from 0
    divergences: NDArray[np.float64]  # (L,N) bits


def head_divergences(ours: NDArray, other: NDArray, alignment: Alignment) -> NDArray[np.float64]:
    """Attentions (L,N,S,S) and (L,N,S',S') -> (L,N): Jensen-Shannon divergence of each head from itself, in bits.

    0: it attends as before; 1: to nothing that it attended to (Lin 1991). Mean over the rows of paired tokens. A row is
    compared over the paired tokens, and over all others together as one more column, so that it still sums to 1: how
    attention is divided among tokens that the other text lacks does not count.
    Raises BertcoreError where the models have different layers or heads, and where no tokens are paired.
    """
    if ours.shape[:2] != other.shape[:2]:
        raise BertcoreError(
            f"The models have {_heads(ours)} and {_heads(other)}, so no head is the same in both; compare each with "
            "the most similar one of the other."
        )
    layers = []
    for layer in range(len(ours)):  # one at a time, to keep what is made in between small
        (first,), (second,) = compared(ours[layer, None], other[layer, None], alignment)
        mixed = mean_entropy((first + second) / 2)
        layers.append(mixed - (mean_entropy(first) + mean_entropy(second)) / 2)
    return in_bits(np.stack(layers))


def matched_heads(ours: NDArray, other: NDArray, alignment: Alignment) -> MatchedHeads:
    """The same for models of other shapes, (L,N,S,S) and (L',N',S',S'): for each of our heads the least divergent one.

    Rows are sampled evenly where text and models are large, as in `head_map`. Raises BertcoreError without pairs.
    """
    first, second = compared(ours, other, alignment)
    (layers, heads, length, _), other_heads = first.shape, second.shape[1]
    rows = compared_rows(max(layers * heads, len(second) * other_heads), length)
    mine = first[:, :, rows].reshape(layers * heads, len(rows), -1)
    others = second[:, :, rows].reshape(len(second) * other_heads, len(rows), -1)
    means = mean_entropy(others)
    divergence = in_bits(np.stack([mixed_entropy(head, others) - (means + mean_entropy(head)) / 2 for head in mine]))
    best = divergence.argmin(axis=1).reshape(layers, heads)
    return MatchedHeads(best // other_heads, best % other_heads, divergence.min(axis=1).reshape(layers, heads))


def compared(ours: NDArray, other: NDArray, alignment: Alignment) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Attentions (L,N,S,S) and (L',N',S',S') over what both have: (L,N,P,P+1) and (L',N',P,P+1).

    The last column is the rest of a row; nothing is left of it where all tokens are paired.
    """
    rows, columns = _paired(alignment)
    return _restricted(ours, rows), _restricted(other, columns)


def state_similarity(ours: NDArray, other: NDArray, alignment: Alignment) -> NDArray[np.float64]:
    """Hidden states (L+1,S,H) and (L+1,S',H) -> (L+1,P): cosine of each pair of tokens, at each layer.

    Of two models that were trained apart it says nothing, as each has axes of its own: `linear_cka` does.
    Raises BertcoreError where layers or hidden sizes differ, and where no tokens are paired.
    """
    if ours.shape[0] != other.shape[0] or ours.shape[2] != other.shape[2]:
        raise BertcoreError(
            f"Hidden states of {_states(ours)} and {_states(other)} have no cosine; compare the layers by CKA."
        )
    rows, columns = _paired(alignment)
    first, second = ours[:, rows].astype(np.float64), other[:, columns].astype(np.float64)
    lengths = np.linalg.norm(first, axis=-1) * np.linalg.norm(second, axis=-1)
    products = (first * second).sum(axis=-1)
    cosines: NDArray[np.float64] = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    return np.clip(cosines, -1, 1)


def linear_cka(ours: NDArray, other: NDArray, alignment: Alignment) -> NDArray[np.float64]:
    """Hidden states (L1+1,S,H1) and (L2+1,S',H2) -> (L1+1,L2+1): how alike two layers place the paired tokens.

    Linear centred kernel alignment (Kornblith et al. 2019, section 3), 1: the same but for rotation and scale, so that
    any two models can be compared; around 0: unrelated. HSIC is estimated without bias (Song et al. 2012, equation 5;
    Nguyen et al. 2021, section 2): as in the first paper, 13 tokens of random vectors of width 384 would come out 0.96.
    Raises BertcoreError for fewer than FEWEST_FOR_CKA pairs.
    """
    rows, columns = _paired(alignment)
    if len(rows) < FEWEST_FOR_CKA:
        raise BertcoreError(
            f"The similarity of two layers needs {FEWEST_FOR_CKA} tokens that both texts have, and there are "
            f"{len(rows)}; write a longer text."
        )
    first, second = _kernel(ours[:, rows]), _kernel(other[:, columns])
    similarity: NDArray[np.float64] = np.clip(first @ second.T, -1, 1)
    return similarity


def _kernel(states: NDArray) -> NDArray[np.float64]:
    """(K,P,H) -> (K,P*P): inner products of the tokens, U-centred, of length 1; zeros where all tokens are the same.

    The inner product of two U-centred matrices is P (P-3) times Song's estimate (Szekely and Rizzo 2014, section 3).
    """
    exact, count = states.astype(np.float64), states.shape[1]
    exact = exact - exact.mean(axis=1, keepdims=True)  # changes nothing but rounding
    products = exact @ exact.transpose(0, 2, 1)  # (K,P,P)
    products[:, range(count), range(count)] = 0
    sums = products.sum(axis=2)  # (K,P)
    total = sums.sum(axis=1)[:, None, None] / ((count - 1) * (count - 2))
    products += total - (sums[:, :, None] + sums[:, None, :]) / (count - 2)
    products[:, range(count), range(count)] = 0
    kernels = products.reshape(len(states), -1)
    norms = np.linalg.norm(kernels, axis=1, keepdims=True)
    return np.divide(kernels, norms, out=np.zeros_like(kernels), where=norms > 0)


def _restricted(attentions: NDArray, kept: NDArray[np.int64]) -> NDArray[np.float32]:
    """(L,N,S,S) -> (L,N,P,P+1)."""
    rows = np.asarray(attentions, dtype=np.float32)[:, :, kept]  # (L,N,P,S)
    paired = rows[..., kept]
    rest = rows.sum(axis=-1, keepdims=True) - paired.sum(axis=-1, keepdims=True)
    if len(kept) == attentions.shape[-1]:
        rest[:] = 0  # nothing but rounding
    return np.concatenate([paired, np.maximum(rest, 0)], axis=-1)


def _paired(alignment: Alignment) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if alignment.sentence is not None:
        raise BertcoreError(alignment.sentence)
    rows, columns = np.array(alignment.pairs, dtype=np.int64).T
    return rows, columns


def _heads(attentions: NDArray) -> str:
    return f"{attentions.shape[0]} layers of {attentions.shape[1]} heads"


def _states(states: NDArray) -> str:
    return f"{states.shape[0] - 1} layers of width {states.shape[2]}"
