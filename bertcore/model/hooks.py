"""Hooks: a function that sees the tensor at each named point inside the model, and may return another.

The same names in every family; what a family lacks never passes (missing_parts.absent_points says why).

embeddings.{token,segment,position,sum}               (B,S,E)
embeddings.before_projection                          (B,S,E)   where E is not H (ALBERT, small ELECTRA)
embeddings.output                                     (B,S,H)
layer.{i}.attention.input                             (B,S,H)   what it reads: the stream, in pre-norm models normed
layer.{i}.attention.{query,key,value,context_heads}   (B,N,S,D)
layer.{i}.attention.{scores,probs}                    (B,N,S,S)
layer.{i}.attention.output                            (B,S,H)   what attention adds to the residual stream
layer.{i}.middle                                      (B,S,H)   the stream between attention and feed-forward
layer.{i}.feed_forward.input                          (B,S,H)   what it reads: the middle, in pre-norm models normed
layer.{i}.feed_forward.{before_activation,activation} (B,S,I)
layer.{i}.feed_forward.output                         (B,S,H)   what the feed-forward layer adds
layer.{i}.output                                      (B,S,H)
encoder.normed                                        (B,S,H)   after the last LayerNorm of a pre-norm model
pooler.output                                         (B,H)
mlm.logits (B,S,V) or (R,V)   nsp.logits sop.logits (B,2)   rtd.logits (B,S)   classify.logits (B,K)
choice.logits (B,C)   tag.logits (B,S,K)   span.logits (B,S,2)   summarise.logits (...,1)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

Hook = Callable[[str, "Tensor"], "Tensor"]
Changes = Mapping[str, Callable[["Tensor"], "Tensor"]]  # hook point -> what is made of the tensor there


def identity(name: str, value: Tensor) -> Tensor:
    """The hook of a pass that nobody looks at; with it the model takes its fast path."""
    return value


def hidden_points(layers: int) -> list[str]:
    """The L+1 points of the hidden states: after the embeddings, then after each layer. Point i enters layer i."""
    return ["embeddings.output", *(f"layer.{layer}.output" for layer in range(layers))]


class Recorder:
    """A hook that keeps what passes by name and changes nothing.

    `wanted` keeps only points whose name it accepts; absent, everything is kept. Asking for a point that did not pass
    is an error that names it, never None.
    """

    def __init__(self, wanted: Callable[[str], bool] | None = None) -> None:
        self._wanted = wanted
        self._seen: dict[str, Tensor] = {}

    def __call__(self, name: str, value: Tensor) -> Tensor:
        if self._wanted is None or self._wanted(name):
            self._seen[name] = value
        return value

    def __getitem__(self, name: str) -> Tensor:
        if name not in self._seen:
            raise KeyError(f"the hook point {name!r} was not recorded in this pass")
        return self._seen[name]

    def __contains__(self, name: str) -> bool:
        return name in self._seen

    @property
    def names(self) -> list[str]:
        return list(self._seen)


class Intervention:
    """A hook that replaces tensors: a function of the tensor per point name, applied in the order of the pass.

    Example: `Intervention({"layer.0.attention.probs": switch_off})`.
    """

    def __init__(self, changes: Changes, then: Hook = identity) -> None:
        self._changes = changes
        self._then = then  # a recorder that sees what the intervention left
        self._unused = dict.fromkeys(changes)

    def __call__(self, name: str, value: Tensor) -> Tensor:
        change = self._changes.get(name)
        if change is not None:
            self._unused.pop(name, None)
            value = change(value)
        return self._then(name, value)

    @property
    def unused(self) -> list[str]:
        """Points to change that nothing has passed: misspelt, or of a part that the model or the pass does not have."""
        return list(self._unused)
