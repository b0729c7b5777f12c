"""What if: builders of `Changes` that switch off, replace or drop a part of the model while it runs.

Each gives a mapping from hook point to a function of the tensor; `trace(..., changes=...)` takes it, and `combine` puts
several together. Layers, heads and rows count from 0, in errors too; only `parse_heads` reads them from 1.
Importable without torch.
B batch, S tokens, N heads, D head size, H hidden.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertcore.config import BertConfig
from bertcore.errors import BertcoreError, brief
from bertcore.model.hooks import Changes, hidden_points

if TYPE_CHECKING:
    from torch import Tensor

Head = tuple[int, int]  # layer, head
PatchedPart = Literal["state", "attention", "feed-forward", "head"]  # what `patching` takes from another text
Change = Callable[["Tensor"], "Tensor"]
Values = Mapping[str, ArrayLike]  # hook point -> numbers, without batch dimension
_LAYER_ADDS = ("attention.output", "feed_forward.output")
EMBEDDINGS = ("token", "segment", "position")
Direction = Literal["left", "right"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)


def combine(*changes: Changes) -> Changes:
    """All of them at once; at a point that several change, they act in the order given."""
    at_point: dict[str, list[Change]] = {}
    for mapping in changes:
        for point, change in mapping.items():
            at_point.setdefault(point, []).extend(change.steps if isinstance(change, _Steps) else [change])
    return {point: _Steps(steps) for point, steps in at_point.items()}


class WhatIf(TypedDict, total=False):
    """What can be changed in a pass, for every method that makes one.

    heads_off: (layer, head) each, that add nothing. layers_off: layers that do nothing: what enters one leaves it.
    ablate_with: what heads and layers that are off add instead: a text (token by token what they add there; it needs
    the same number of tokens), or the mean over a collection (`LoadedModel.mean_activations`); absent, zeros.
    direction: "left" or "right": no token looks at what stands on the other side of it (`one_direction`).
    changes: any others, as built in `bertcore.analysis.interventions`.
    """

    heads_off: Collection[Head]
    layers_off: Collection[int]
    ablate_with: str | Values | None
    direction: Direction | None
    changes: Changes | None


def ablated_points(heads_off: Collection[Head] = (), layers_off: Collection[int] = ()) -> list[str]:
    """The hook points at which these heads and layers add what they add."""
    adds = [f"layer.{layer}.{part}" for layer in sorted(layers_off) for part in _LAYER_ADDS]
    return [*(f"layer.{layer}.attention.context_heads" for layer in sorted({layer for layer, _ in heads_off})), *adds]


def ablate(
    heads_off: Collection[Head] = (),
    layers_off: Collection[int] = (),
    values: Values | None = None,
    changes: Changes | None = None,
    config: BertConfig | None = None,
) -> Changes:
    """Heads {(layer, head), ...} and layers off, and other changes besides.

    The context vectors of a head that is off become 0; what enters a layer that is off is what leaves it. With `values`
    by `ablated_points`, heads and layers add these instead, and a layer's LayerNorms stay: the same at each token
    ((N,D) of heads, (H) of a layer's attention and feed-forward), or token by token ((N,S,D), (S,H)).
    Raises BertcoreError where there is no value for a point, and for heads and layers that the model does not have:
    here with a `config`, else in the forward pass.
    """
    if config is not None:
        check_heads(heads_off, config)
        check_layers(layers_off, config)
    heads_of: dict[int, list[int]] = {}
    for layer, head in sorted(heads_off):
        heads_of.setdefault(layer, []).append(head)
    points = ablated_points(heads_off)
    heads = {point: _ablated(values, point, each) for point, each in zip(points, heads_of.values(), strict=True)}
    layers: list[Changes] = []
    if values is None:
        for layer in sorted(layers_off):
            entering, before, after = _Keep(), hidden_points(layer)[layer], f"layer.{layer}.output"
            adds = ("attention.output", "feed_forward.activation", "feed_forward.output")
            layers.append(
                {**{f"layer.{layer}.{part}": _zeros for part in adds}, before: entering, after: entering.take}
            )
    else:
        layers = [{point: _ablated(values, point) for point in ablated_points((), layers_off)}]
    return combine(heads, *layers, changes or {})


def set_attention_row(layer: int, head: int, row: int, values: ArrayLike) -> Changes:
    """What one token looks at in one head becomes `values` (S); a row of attention sums to 1, but need not here."""
    return {f"layer.{layer}.attention.probs": put((head, row), values)}


def drop_embedding(which: Literal["token", "segment", "position"]) -> Changes:
    """One of the three embeddings becomes 0 before they are added up."""
    if which not in EMBEDDINGS:
        raise BertcoreError(f"There is no {which} embedding; choose one of {', '.join(EMBEDDINGS)}.")
    return {f"embeddings.{which}": _zeros}


def one_direction(direction: Direction) -> Changes:
    """Each token looks at itself and at the tokens on one side of it, in every layer; "left" is the causal mask.

    It is added to the scores, as in `Bert.forward(..., causal=True)`. Raises BertcoreError for another direction.
    """
    if direction not in DIRECTIONS:
        raise BertcoreError(f"There is no direction {brief(direction)}; choose left or right.")

    def hidden(scores: Tensor) -> Tensor:
        from bertcore.model.bert import causal_mask  # here: importing it imports torch

        later = causal_mask(scores)  # (S,S)
        return scores + (later if direction == "left" else later.T)

    return {"layer.*.attention.scores": hidden}


def check_layers(layers: Collection[int], config: BertConfig) -> None:
    """Raises BertcoreError for a layer that the model does not have."""
    check_numbers("layer", layers, config.num_hidden_layers)


def check_heads(heads: Collection[Head], config: BertConfig) -> None:
    """Raises BertcoreError for a layer or head that the model does not have."""
    check_layers([layer for layer, _ in heads], config)
    check_numbers("head", [head for _, head in heads], config.num_attention_heads, "each layer of this model")


def check_rows(rows: Collection[int], length: int) -> None:
    """Raises BertcoreError for a token that a text of `length` tokens does not have."""
    check_numbers("token", rows, length, "this text")


def check_numbers(what: str, numbers: Collection[int], count: int, owner: str = "this model", first: int = 0) -> None:
    """Raises BertcoreError for a number outside `first` to `first` + `count` - 1."""
    for number in numbers:
        if not first <= number < first + count:
            raise BertcoreError(f"There is no {what} {number}; {owner} has {what}s {first} to {first + count - 1:,}.")


def parse_heads(written: str, config: BertConfig) -> set[Head]:
    """Heads as people write them, "3.5,4.1", layers and heads from 1; "3" is every head of layer 3. From 0 in the set.

    Raises BertcoreError for what is no such list, or no head of this model.
    """
    heads: set[Head] = set()
    for item in written.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})(?:\.(\d{1,9}))?\s*", item, re.ASCII)
        if match is None:
            raise BertcoreError(
                f"{item.strip()!r} is not a head; write layer.head, as in 3.5,4.1 (or 3 for all of layer 3)."
            )
        layer, count = int(match[1]), config.num_attention_heads
        chosen = range(1, count + 1) if match[2] is None else [int(match[2])]
        check_numbers("layer", [layer], config.num_hidden_layers, first=1)
        check_numbers("head", chosen, count, "each layer of this model", first=1)
        heads |= {(layer - 1, head - 1) for head in chosen}
    return heads


def parse_positions(written: str) -> dict[int, int]:
    """Values at positions as people write them, "5=1,6=1"; positions count from 0, as `bertcore tokenize` prints them.

    Raises BertcoreError for what is no such list, or gives a position two values.
    """
    values: dict[int, int] = {}
    for item in written.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})\s*=\s*(\d{1,9})\s*", item, re.ASCII)
        if match is None:
            raise BertcoreError(f"{item.strip()!r} cannot be read; write position=value, as in 5=1,6=1.")
        position, value = int(match[1]), int(match[2])
        if values.setdefault(position, value) != value:
            raise BertcoreError(f"Position {position} is given two values, {values[position]} and {value}; choose one.")
    return values


class _Steps:
    """Several changes at one point, in order; what only looks on comes last, to see what the others left."""

    def __init__(self, steps: Sequence[Change]) -> None:
        self.steps = sorted(steps, key=lambda step: isinstance(step, _Keep))  # a stable sort

    def __call__(self, value: Tensor) -> Tensor:
        for step in self.steps:
            value = step(value)
        return value


class _Keep:
    """Changes nothing, and remembers what passed until it is taken."""

    def __init__(self) -> None:
        self._seen: Tensor | None = None

    def __call__(self, value: Tensor) -> Tensor:
        self._seen = value
        return value

    def take(self, _: Tensor) -> Tensor:
        """What was remembered, in place of the tensor given."""
        if self._seen is None:
            raise RuntimeError("the pass began after the input of the layer that is switched off")
        seen, self._seen = self._seen, None
        return seen


def _zeros(value: Tensor) -> Tensor:
    return value.new_zeros(value.shape)


def _ablated(values: Values | None, point: str, heads: Sequence[int] | None = None) -> Change:
    """What is added (B,S,H), or by heads (B,N,S,D), becomes the value for the point; with `heads`, of these alone."""
    if values is not None and point not in values:
        raise BertcoreError(f"There is no value to put at {point}; `mean_activations` gives those of every layer.")
    new = _numbers(0.0 if values is None else values[point], point)

    def changed(added: Tensor) -> Tensor:
        if heads is not None:
            check_numbers("head", heads, added.shape[1], "each layer of this model")
        instead = added.new_tensor(new)
        if 0 < instead.ndim < added.ndim - 1:  # the same at each token
            instead = instead.unsqueeze(-2)
        elif instead.ndim and instead.shape != added.shape[1:]:
            raise BertcoreError(
                f"The text to ablate with gives {_shape(instead)} numbers, and this one takes {_shape(added[0])}; "
                "write two texts of the same number of tokens."
            )
        chosen = slice(None) if heads is None else list(heads)
        added = added.clone()
        added[:, chosen] = instead.expand_as(added)[:, chosen]
        return added

    return changed


def put(where: tuple[Any, ...], values: ArrayLike) -> Change:
    """Values in a part of the tensor, the same in the whole batch; `where` is an index without the batch dimension.

    `{point: put((), value)}` is activation patching: what passed at that hook point for another text (Vig et al. 2020).
    """
    if any(np.min(index, initial=0) < 0 for index in where if isinstance(index, int | list)):
        raise BertcoreError("Heads and tokens count from 0; numbers below 0 are not allowed.")
    new = _numbers(values, "the tensor")

    def replaced(value: Tensor) -> Tensor:
        changed = value.clone()
        try:
            part = changed[(slice(None), *where)]
        except IndexError:
            raise BertcoreError(
                f"There is no such head or token in this pass; its tensor is {_shape(value[0])}."
            ) from None
        if part.shape[1:] != new.shape:
            raise BertcoreError(f"The new values are {_shape(new)}, but must be {_shape(part[0])}.")
        changed[(slice(None), *where)] = changed.new_tensor(new)
        return changed

    return replaced


def _numbers(values: ArrayLike, what: str) -> NDArray[np.float32]:
    array = np.array(values, dtype=np.float32)
    if not np.isfinite(array).all():
        raise BertcoreError(f"The new values for {what} must all be finite numbers.")
    return array


def _shape(values: Tensor | NDArray) -> str:
    return " x ".join(str(size) for size in values.shape) or "one number"
