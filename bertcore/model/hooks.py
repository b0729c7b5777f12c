"""Hooks: what sees the tensor at each named point inside the model, and may return another.

The same names in every family; what a family lacks is never seen (missing_parts.absent_points says why).

embeddings.{token,segment,position,sum}               (B,S,E)
embeddings.before_projection                          (B,S,E)   where E is not H (ALBERT, small ELECTRA)
embeddings.output                                     (B,S,H)
layer.{i}.attention.input                             (B,S,H)   the residual stream; pre-norm: after a LayerNorm
layer.{i}.attention.{query,key,value,context_heads}   (B,N,S,D)
layer.{i}.attention.{scores,probs}                    (B,N,S,S) scores: masked
layer.{i}.attention.output                            (B,S,H)   what attention adds to the residual stream
layer.{i}.middle                                      (B,S,H)   the residual stream between attention and feed-forward
layer.{i}.feed_forward.input                          (B,S,H)   the middle; pre-norm: after a LayerNorm
layer.{i}.feed_forward.{before_activation,activation} (B,S,I)
layer.{i}.feed_forward.output                         (B,S,H)   what the feed-forward layer adds
layer.{i}.output                                      (B,S,H)
encoder.final_norm                                    (B,S,H)   after the last LayerNorm of a pre-norm model
pooler.output                                         (B,H)
mlm.logits (B,S,V) or (R,V)   nsp.logits sop.logits (B,2)   rtd.logits (B,S)   classify.logits (B,K)
choice.logits (B,C)   tag.logits (B,S,K)   span.logits (B,S,2)   summarise.logits (...,1)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

HookFunction = Callable[[str, "Tensor"], "Tensor"]
Changes = Mapping[str, Callable[["Tensor"], "Tensor"]]  # hook point -> function applied to the tensor there


class Hook:
    """Called with the name of each point and the tensor there; what it returns takes the tensor's place.

    `Hook(function)` makes one of a function; Recorder and Intervention are the usual ones.
    """

    def __init__(self, function: HookFunction | None = None) -> None:
        self._function = function

    def __call__(self, point: str, value: Tensor) -> Tensor:
        return value if self._function is None else self._function(point, value)

    def at(self, part: str) -> Hook:
        """The same hook inside a part: `hook.at("layer.3")("output", x)` is `hook("layer.3.output", x)`."""
        return self if self is NO_HOOK else Hook(lambda point, value: self(f"{part}.{point}", value))


NO_HOOK = Hook()  # of a pass that nobody inspects: the model takes its fast path


def hidden_points(layers: int) -> list[str]:
    """The L+1 points of the hidden states: after the embeddings, then after each layer. Point i enters layer i."""
    return ["embeddings.output", *(f"layer.{layer}.output" for layer in range(layers))]


class Recorder(Hook):
    """Keeps the tensors of a pass, by the name of their point, and changes nothing.

    `wanted` keeps only points whose name it accepts; absent, everything is kept. Asking for a point that was not seen
    is an error that names it, never None.
    """

    def __init__(self, wanted: Callable[[str], bool] | None = None) -> None:
        self._wanted = wanted
        self._seen: dict[str, Tensor] = {}

    def __call__(self, point: str, value: Tensor) -> Tensor:
        if self._wanted is None or self._wanted(point):
            self._seen[point] = value
        return value

    def __getitem__(self, point: str) -> Tensor:
        if point not in self._seen:
            raise KeyError(f"the hook point {point!r} was not recorded in this pass")
        return self._seen[point]

    def __contains__(self, point: str) -> bool:
        return point in self._seen

    @property
    def names(self) -> list[str]:
        return list(self._seen)


class Intervention(Hook):
    """Replaces tensors: a function of the tensor per point name, applied in the order of the pass.

    Example: `Intervention({"layer.0.attention.probs": switch_off})`.
    """

    def __init__(self, changes: Changes, then: Hook = NO_HOOK) -> None:
        self._changes = changes
        self._then = then  # a recorder that sees what the intervention left
        self._unused = dict.fromkeys(changes)

    def __call__(self, point: str, value: Tensor) -> Tensor:
        change = self._changes.get(point)
        if change is not None:
            self._unused.pop(point, None)
            value = change(value)
        return self._then(point, value)

    @property
    def unused(self) -> list[str]:
        """Points to change that were never reached: misspelt, or of a part that the model or the pass does not have."""
        return list(self._unused)
