"""What training changed: how far the parameters of one checkpoint are from those of another of the same shape.

L layers, V vocabulary, E width of the embeddings, H hidden.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertcore.analysis.interventions import EMBEDDINGS
from bertcore.config import BertConfig
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert, Layer
from bertcore.tokenizer.tokenizer import Tokenizer

PARTS = ("query", "key", "value", "attention output", "feed-forward in", "feed-forward out", "LayerNorm")


@dataclass(frozen=True, eq=False)
class PartChange:
    """How far one part of the model moved: Frobenius norm of the difference of all its weights and biases."""

    layer: int | None  # from 0; None for embeddings and the parts above the layers
    part: str  # one of EMBEDDINGS or PARTS, "embeddings LayerNorm", "pooler" or "word head"
    change: float
    other_norm: float  # of the part in the model compared with, the one before

    @property
    def relative(self) -> float:
        """The change as a share of that norm; infinite where that is 0."""
        return self.change / self.other_norm if self.other_norm else (float("inf") if self.change else 0.0)


@dataclass(frozen=True)
class MovedWord:
    """How far the embedding of one token moved."""

    token: str
    id: int
    distance: float  # L2
    cosine: float  # of the embedding before and after


def parameter_changes(before: Bert, after: Bert) -> list[PartChange]:
    """Embeddings, each layer part by part, then pooler and word head where both models have them.

    Where layers share their parameters (ALBERT), each shared set is listed for the first of its layers.
    Raises BertcoreError where the models are not of one shape.
    """
    check_same_shape(before.config, after.config)
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
    check_same_shape(before.config, after.config)
    old, new = _numpy(before.embeddings.token.weight), _numpy(after.embeddings.token.weight)  # (V,E)
    rows = min(len(old), tokenizer.largest_id + 1)  # a table may have rows to spare
    distances = np.linalg.norm(new[:rows] - old[:rows], axis=1)
    order = np.argsort(-distances, kind="stable")[:count]
    words = []
    for token in order[distances[order] > 0]:
        lengths = float(np.linalg.norm(old[token]) * np.linalg.norm(new[token]))
        cosine = float(old[token] @ new[token]) / lengths if lengths else 0.0
        words.append(MovedWord(tokenizer.label(int(token)), int(token), float(distances[token]), cosine))
    return words


def check_same_shape(before: BertConfig, after: BertConfig) -> None:
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
        first, second = getattr(before, name), getattr(after, name)
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
        layer = index * model.encoder.depth // sets
        yield from ((layer, part, tensors) for part, tensors in _layer_parts(model.encoder.layer(layer)))
    for name, module in (("pooler", model.pooler), ("word head", model.mlm)):
        if module is not None:
            yield None, name, list(module.parameters())


def _layer_parts(layer: Layer) -> Iterator[tuple[str, list[Tensor]]]:
    fused = layer.attention.query_key_value
    weights, biases = fused.weight.chunk(3), fused.bias.chunk(3)  # (3H,H) -> 3 x (H,H)
    matrices = [[weight, bias] for weight, bias in zip(weights, biases, strict=True)]
    matrices += [
        list(module.parameters()) for module in (layer.attention.output, layer.feed_forward_in, layer.feed_forward_out)
    ]
    norms = [*layer.attention_norm.parameters(), *layer.feed_forward_norm.parameters()]
    yield from zip(PARTS, [*matrices, norms], strict=True)


def _norm(tensors: list[Tensor]) -> float:
    return float(torch.stack([tensor.detach().double().norm() for tensor in tensors]).norm())


def _numpy(table: Tensor) -> NDArray[np.float64]:
    return table.detach().cpu().double().numpy()
