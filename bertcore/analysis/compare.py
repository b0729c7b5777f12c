"""Two passes side by side (which heads changed, where hidden states part, which layers are alike), or two models.

Ours and the other may be of two texts, two models or two steps of one; an `Alignment` says which tokens are compared.
Of two models of one shape, how far the parameters of one are from those of the other: what training changed.
L layers, N heads, S our tokens, S' the other's, P pairs of tokens, H hidden, V vocabulary, E width of the embeddings.
Importable without torch.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.align import Alignment
from bertcore.analysis.attention_heads import compared_rows, in_bits, mean_entropy, mixed_entropy
from bertcore.analysis.interventions import EMBEDDINGS
from bertcore.analysis.vectors import cosine
from bertcore.errors import BertcoreError

if TYPE_CHECKING:
    from torch import Tensor

    from bertcore.model.bert import Bert
    from bertcore.tokenizer.tokenizer import Tokenizer

PARTS = ("query", "key", "value", "attention output", "feed-forward in", "feed-forward out", "LayerNorm")
FEWEST_FOR_CKA = 4  # tokens: the estimate divides by P - 3


@dataclass(frozen=True, eq=False)
class MatchedHeads:
    """For each of our heads, the one of the other that it is compared with. Several may have the same one."""

    layers: NDArray[np.int64]  # (L,N) of the other, from 0
    heads: NDArray[np.int64]  # (L,N) of the other, from 0
    divergences: NDArray[np.float64]  # (L,N) bits


@dataclass(frozen=True, eq=False)
class PartChange:
    """How far one part of the model moved: Frobenius norm of the difference of all its weights and biases."""

    layer: int | None  # from 0; None for embeddings and the parts above the layers
    part: str  # one of EMBEDDINGS or PARTS, "embeddings LayerNorm", "pooler" or "word head"
    change: float
    other_norm: float  # of the part in the model compared with, the one before

    @property
    def relative(self) -> float:
        """The change as a fraction of that norm; infinite where that is 0."""
        return self.change / self.other_norm if self.other_norm else (float("inf") if self.change else 0.0)


@dataclass(frozen=True)
class MovedWord:
    """How far the embedding of one token moved."""

    token: str
    id: int
    distance: float  # L2
    cosine: float  # of the embedding before and after


def matched_heads(ours: NDArray, other: NDArray, alignment: Alignment) -> MatchedHeads:
    """Attentions (L,N,S,S) and (L',N',S',S'): how far each of our heads is from itself in the other; where that has
    other layers and heads, from the least divergent one.

    Jensen-Shannon divergence (Lin 1991), 0: it attends as before; 1: to nothing that it attended to. Mean over the rows
    of paired tokens. A row is compared over the paired tokens, and over all others together as one more column, so that
    it still sums to 1: how attention is divided among tokens that the other text lacks does not count. For the least
    divergent one, rows are sampled evenly where text and models are large, as in `head_map`.
    Raises BertcoreError where no tokens are paired.
    """
    if ours.shape[:2] == other.shape[:2]:
        layers = []
        for layer in range(len(ours)):  # one at a time, to keep what is made in between small
            (first,), (second,) = compared(ours[layer, None], other[layer, None], alignment)
            mixed = mean_entropy((first + second) / 2)
            layers.append(mixed - (mean_entropy(first) + mean_entropy(second)) / 2)
        own = np.indices(ours.shape[:2])
        return MatchedHeads(own[0], own[1], in_bits(np.stack(layers)))
    first, second = compared(ours, other, alignment)
    rows = compared_rows(max(first[..., 0, 0].size, second[..., 0, 0].size), first.shape[2])
    mine, others = (each[:, :, rows].reshape(-1, len(rows), each.shape[-1]) for each in (first, second))
    means = mean_entropy(others)
    divergence = in_bits(np.stack([mixed_entropy(head, others) - (means + mean_entropy(head)) / 2 for head in mine]))
    best = divergence.argmin(axis=1).reshape(ours.shape[:2])
    heads = other.shape[1]
    return MatchedHeads(best // heads, best % heads, divergence.min(axis=1).reshape(best.shape))


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
            f"Hidden states of {len(ours) - 1} layers of width {ours.shape[2]} and {len(other) - 1} layers of width "
            f"{other.shape[2]} have no cosine; compare the layers by CKA."
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


def parameter_changes(before: Bert, after: Bert) -> list[PartChange]:
    """Embeddings, each layer part by part, then pooler and word head where both models have them.

    Where layers share their parameters (ALBERT), each shared set is listed for the first of its layers.
    Raises BertcoreError where the models are not of one shape.
    """
    _check_same_shape(before, after)
    changes = []
    after_parts = {(layer, part): tensors for layer, part, tensors in _parts(after)}
    for layer, part, tensors in _parts(before):
        if other := after_parts.get((layer, part)):
            moved = _norm([new - old.to(new) for old, new in zip(tensors, other, strict=True)])
            changes.append(PartChange(layer, part, moved, _norm(tensors)))
    return changes


def moved_words(before: Bert, after: Bert, tokenizer: Tokenizer, count: int = 20) -> list[MovedWord]:
    """The `count` tokens whose embedding moved most (L2), the farthest first; those that did not move are left out.

    Raises BertcoreError where the models are not of one shape. Both must have the same vocabulary.
    """
    _check_same_shape(before, after)
    old, new = (model.embeddings.token.weight.detach().cpu().double().numpy() for model in (before, after))  # (V,E)
    rows = min(len(old), tokenizer.largest_id + 1)  # a table may have rows to spare
    distances = np.linalg.norm(new[:rows] - old[:rows], axis=1)
    order = np.argsort(-distances, kind="stable")[:count]
    return [
        MovedWord(tokenizer.label(token), token, float(distances[token]), cosine(old[token], new[token]))
        for token in order[distances[order] > 0].tolist()
    ]


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


def _check_same_shape(before: Bert, after: Bert) -> None:
    """Raises BertcoreError where parameters cannot be subtracted from one another, and names what differs."""
    for name, what in (
        ("num_hidden_layers", "layers"),
        ("layer_groups", "sets of layers"),
        ("hidden_size", "hidden dimensions"),
        ("embedding_width", "embedding dimensions"),
        ("intermediate_size", "feed-forward neurons"),
        ("vocab_size", "tokens in the vocabulary"),
        ("type_vocab_size", "segments"),
        ("max_position_embeddings", "positions"),
    ):
        first, second = (getattr(model.config, name) for model in (before, after))
        if first != second:
            raise BertcoreError(
                f"The parameters cannot be compared: one model has {first:,} {what}, the other {second:,}."
            )


def _parts(model: Bert) -> Iterator[tuple[int | None, str, list[Tensor]]]:
    for name in EMBEDDINGS:
        table = getattr(model.embeddings, name)
        if table is not None:
            yield None, name, [table.weight]
    if model.embeddings.norm is not None:
        yield None, "embeddings LayerNorm", list(model.embeddings.norm.parameters())
    sets = len(model.encoder.layers)
    for index in range(sets):
        number = index * model.encoder.depth // sets
        layer = model.encoder.layer(number)
        fused = layer.attention.query_key_value
        weights, biases = fused.weight.chunk(3), fused.bias.chunk(3)  # (3H,H) -> 3 x (H,H)
        parts: list[list[Tensor]] = [list(pair) for pair in zip(weights, biases, strict=True)]
        for linear in (layer.attention.output, layer.feed_forward_in, layer.feed_forward_out):
            parts.append(list(linear.parameters()))
        parts.append([*layer.attention_norm.parameters(), *layer.feed_forward_norm.parameters()])
        yield from ((number, part, tensors) for part, tensors in zip(PARTS, parts, strict=True))
    for name, module in (("pooler", model.pooler), ("word head", model.mlm)):
        if module is not None:
            yield None, name, list(module.parameters())


def _norm(tensors: list[Tensor]) -> float:
    return math.hypot(*(float(tensor.detach().double().norm()) for tensor in tensors))
