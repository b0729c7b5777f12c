"""Does what a head looks at matter for one prediction? By gradient, and by taking single links away.

Attention says where a head looks, not whether it counts (Jain and Wallace 2019; Wiegreffe and Pinter 2019).
B batch, S tokens, N heads, H hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertcore.analysis.passes import MAX_TOKENS, Text, as_text, chunks
from bertcore.analysis.targets import Target
from bertcore.model.bert import Bert
from bertcore.model.tap import Intervention, Recorder, hidden_points
from bertcore.progress import Progress


@dataclass(frozen=True)
class AttentionGradient:
    """What one layer's attention does to a number, to first order."""

    value: float  # the number itself
    attention: NDArray[np.float64]  # (N,S,S)
    gradient: NDArray[np.float64]  # (N,S,S) change of the number per unit of each weight


@torch.inference_mode(False)  # a caller's may be on, and allows no gradients
def attention_gradient(
    model: Bert,
    input_ids: Sequence[int],
    segment_ids: Sequence[int] | None,
    target: Target,
    layer: int,
    *,
    position_ids: Sequence[int] | None = None,
) -> AttentionGradient:
    """Gradient of the target with respect to the attention weights of all heads of one layer (from 0).

    Each weight counts for itself: that a row sums to 1 is not held fixed, and nothing flows back through the softmax.
    """
    text = as_text(model, input_ids, segment_ids, position_ids)
    target.check(len(text))
    entering = _entering(model, text, layer)
    leaves: list[Tensor] = []

    def leaf(probs: Tensor) -> Tensor:
        leaves.append(probs.detach().requires_grad_())  # (1,N,S,S)
        return leaves[0]

    with torch.enable_grad():
        number = _read(model, entering, layer, target, leaf)  # (1)
        (gradient,) = torch.autograd.grad(number.sum(), leaves[0])
    return AttentionGradient(float(number.detach()[0]), _numpy(leaves[0][0]), _numpy(gradient[0]))


@torch.inference_mode()
def link_effects(
    model: Bert,
    input_ids: Sequence[int],
    segment_ids: Sequence[int] | None,
    target: Target,
    layer: int,
    head: int,
    row: int,
    columns: Sequence[int],
    *,
    position_ids: Sequence[int] | None = None,
    max_tokens: int = MAX_TOKENS,
    progress: Progress | None = None,
) -> NDArray[np.float64]:
    """Change of the target (C) when one token no longer looks at each of C `columns`, one at a time.

    The rest of the row is scaled to sum to 1 again; where nothing is left, the row is 0. `progress` is told the
    share done after each batch of at most `max_tokens` tokens.
    """
    text = as_text(model, input_ids, segment_ids, position_ids)
    target.check(len(text))
    entering = _entering(model, text, layer)
    intact = float(_read(model, entering, layer, target, lambda probs: probs)[0])
    effects = np.empty(len(columns))
    for part in chunks(len(columns), len(text), max_tokens):
        batch = entering.expand(len(columns[part]), -1, -1)  # (B,S,H)
        change = _without_links(head, row, columns[part])
        effects[part] = _numpy(_read(model, batch, layer, target, change)) - intact
        if progress is not None:
            progress(part.stop / len(columns))
    return effects


def _without_links(head: int, row: int, columns: Sequence[int]) -> Callable[[Tensor], Tensor]:
    """In variant b the row does not look at columns[b]."""

    def changed(probs: Tensor) -> Tensor:
        probs = probs.clone()  # (B,N,S,S)
        rows = probs[:, head, row]  # (B,S)
        rows[range(len(columns)), list(columns)] = 0
        left = rows.sum(-1, keepdim=True)
        probs[:, head, row] = torch.where(left > 0, rows / left, 0)
        return probs

    return changed


@torch.no_grad()
def _entering(model: Bert, text: Text, layer: int) -> Tensor:
    """What enters a layer: (1,S,H)."""
    point = hidden_points(layer)[layer]
    record = Recorder(lambda name: name == point)
    text.hidden(model, tap=record)
    return record[point]


def _read(model: Bert, entering: Tensor, layer: int, target: Target, change: Callable[[Tensor], Tensor]) -> Tensor:
    """The target (B) from what enters a layer (B,S,H), that layer's attention passed through `change`."""
    count, length = entering.shape[:2]
    rows = None if target.reads_all else torch.arange(count, device=entering.device) * length + target.position
    tap = Intervention({f"layer.{layer}.attention.probs": change})
    return target.read(model, model.encoder(entering, tap=tap, rows=rows, first=layer))


def _numpy(tensor: Tensor) -> NDArray[np.float64]:
    array: NDArray[np.float64] = tensor.detach().cpu().double().numpy()
    return array
