"""Hooks: what sees the tensor at each named point inside the model, and may return another.

POINTS has their names and shapes, B, S, H ... as in `bert.py`, for one text: in a pass B stands before them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

HookFunction = Callable[[str, "Tensor"], "Tensor"]
Changes = Mapping[str, Callable[["Tensor"], "Tensor"]]  # hook point, or one of every layer (layer.*...) -> function

# The same names in every family; what a family lacks is never seen (missing_parts.absent_points says why).
POINTS = {
    "embeddings.token": "SE",
    "embeddings.segment": "SE",
    "embeddings.position": "SE",
    "embeddings.sum": "SE",
    "embeddings.before_projection": "SE",  # where E is not H (ALBERT, small ELECTRA)
    "embeddings.output": "SH",
    "layer.{i}.attention.input": "SH",  # the residual stream; pre-norm: after a LayerNorm
    "layer.{i}.attention.query": "NSD",
    "layer.{i}.attention.key": "NSD",
    "layer.{i}.attention.value": "NSD",
    "layer.{i}.attention.scores": "NSS",  # masked
    "layer.{i}.attention.probs": "NSS",
    "layer.{i}.attention.context_heads": "NSD",
    "layer.{i}.attention.output": "SH",  # what attention adds to the residual stream
    "layer.{i}.middle": "SH",  # the residual stream between attention and feed-forward
    "layer.{i}.feed_forward.input": "SH",  # the middle; pre-norm: after a LayerNorm
    "layer.{i}.feed_forward.before_activation": "SI",
    "layer.{i}.feed_forward.activation": "SI",
    "layer.{i}.feed_forward.output": "SH",  # what the feed-forward layer adds
    "layer.{i}.output": "SH",
    "encoder.final_norm": "SH",  # after the last LayerNorm of a pre-norm model
    "pooler.output": "H",
    "mlm.logits": "SV",  # (R,V) in a pass that asks for chosen tokens alone
    "nsp.logits": "2",
    "sop.logits": "2",
    "rtd.logits": "S",
    "classify.logits": "K",
    "choice.logits": "1",  # each choice is a text of its own
    "tag.logits": "SK",
    "span.logits": "S2",
    "summarise.logits": "S1",
}


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


def in_every_layer(point: str) -> str:
    """The name under which a point is changed in all layers: layer.*.output of layer.3.output; others as they are."""
    first, *rest = point.split(".", 2)
    return f"layer.*.{rest[1]}" if first == "layer" else point


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


class Intervention(Hook):
    """Replaces tensors: a function of the tensor per point name, applied in the order of the pass.

    Example: `Intervention({"layer.0.attention.probs": switch_off})`; "layer.*.attention.probs" acts in every layer,
    before what acts in that layer alone.
    """

    def __init__(self, changes: Changes, then: Hook = NO_HOOK) -> None:
        self._changes = changes
        self._then = then  # a recorder that sees what the intervention left
        self._unused = dict.fromkeys(changes)

    def __call__(self, point: str, value: Tensor) -> Tensor:
        for name in dict.fromkeys((in_every_layer(point), point)):
            change = self._changes.get(name)
            if change is not None:
                self._unused.pop(name, None)
                value = change(value)
        return self._then(point, value)

    @property
    def unused(self) -> list[str]:
        """Points to change that were never reached: misspelt, or of a part that the model or the pass does not have."""
        return list(self._unused)
