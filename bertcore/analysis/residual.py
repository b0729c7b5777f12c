"""The residual stream: how much attention and feed-forward add to it, layer by layer.

With x what enters a layer, Attn and FF its two sublayers and LN a LayerNorm,

    post-norm (the paper)    m = LN(x + Attn(x))        y = LN(m + FF(m))
    pre-norm                 m = x + Attn(LN(x))        y = m + FF(LN(m))

where y enters the next layer. "What attention adds" is Attn(...), "what feed-forward adds" is FF(...): the hook points
layer.{i}.attention.output and layer.{i}.feed_forward.output. In a pre-norm model the stream is the sum of all that was
added; in a post-norm model each LayerNorm gives it another length, so that lengths compare within one layer.

L layers, S tokens, U units (tokens, or words of several), H hidden. Importable without torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertcore.model.hooks import Changes, Hook, hidden_points

if TYPE_CHECKING:
    from torch import Tensor

    from bertcore.model.bert import Bert

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class ResidualStream:
    """L2 lengths and cosines, each (L,U)."""

    entering: Floats  # length of x, what enters the layer
    attention: Floats  # length of what attention adds to x
    attention_cosine: Floats  # of that with x
    middle: Floats  # length of m, what feed-forward finds there
    feed_forward: Floats  # length of what feed-forward adds to m
    feed_forward_cosine: Floats  # of that with m


def residual_stream(
    model: Bert,
    input_ids: Sequence[int],
    segment_ids: Sequence[int] | None,
    position_ids: Sequence[int] | None = None,
    *,
    members: Sequence[Sequence[int]] | None = None,
    changes: Changes | None = None,
) -> ResidualStream:
    """One pass over one text; no more than (L,U) numbers are kept of it.

    `members` (U), the tokens of each unit, averages their vectors before they are measured; None: every token.
    Raises BertcoreError as `trace` does.
    """
    import torch

    from bertcore.analysis.passes import as_text, changed

    text = as_text(model, input_ids, segment_ids, position_ids)
    member = None if members is None else membership(members, len(text), text.ids.device)
    measure = _Measure(model.config.num_hidden_layers, member)
    with torch.inference_mode(), changed(model, changes, measure) as hook:
        text.hidden(model, hook=hook)
    return measure.measured()


def membership(members: Sequence[Sequence[int]], length: int, device: object = None) -> Tensor:
    """(U,S), rows summing to 1: times vectors (S,H) it gives the mean over each unit's tokens (U,H)."""
    import torch

    matrix = torch.zeros(len(members), length, device=device)  # type: ignore[call-overload]
    for unit, positions in enumerate(members):
        matrix[unit, list(positions)] = 1 / len(positions)
    return matrix


class _Measure(Hook):
    """Compares what is added with the stream as it was just before."""

    def __init__(self, layers: int, member: Tensor | None) -> None:
        self._points, self._member = hidden_points(layers), member
        self._stream: Tensor | None = None  # (U,H)
        self._rows: dict[str, list[Floats]] = {}

    def __call__(self, name: str, value: Tensor) -> Tensor:
        if name.endswith(".middle") or name in self._points:
            self._stream = self._units(value)
        elif name.endswith(("attention.output", "feed_forward.output")):
            self._compare(name.split(".")[2], self._units(value))
        return value

    def measured(self) -> ResidualStream:
        return ResidualStream(**{name: np.stack(rows) for name, rows in self._rows.items()})

    def _units(self, value: Tensor) -> Tensor:
        vectors = value[0].float()
        return vectors if self._member is None else self._member.to(vectors) @ vectors

    def _compare(self, sublayer: str, added: Tensor) -> None:
        stream = self._stream
        assert stream is not None
        there, length = stream.norm(dim=-1), added.norm(dim=-1)  # (U)
        cosine = (stream * added).sum(dim=-1) / (there * length).clamp(min=1e-30)
        for name, row in (
            ("entering" if sublayer == "attention" else "middle", there),
            (sublayer, length),
            (f"{sublayer}_cosine", cosine),
        ):
            self._rows.setdefault(name, []).append(row.cpu().numpy())
