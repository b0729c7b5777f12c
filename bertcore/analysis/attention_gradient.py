"""Does what a head looks at matter for one prediction? By gradient, and by taking single links away.

Attention says where a head looks, not whether it counts (Jain and Wallace 2019; Wiegreffe and Pinter 2019).
B batch, S tokens, N heads, H hidden.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertcore.analysis.passes import MAX_TOKENS, as_doubles, as_text, chunks, passing, target_from
from bertcore.analysis.targets import Target
from bertcore.model.bert import Bert
from bertcore.model.hooks import hidden_points
from bertcore.progress import ReportProgress


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
    entering, point = passing(model, text, hidden_points(layer)[layer]), f"layer.{layer}.attention.probs"
    leaves: list[Tensor] = []

    def leaf(probs: Tensor) -> Tensor:
        leaves.append(probs.detach().requires_grad_())  # (1,N,S,S)
        return leaves[0]

    with torch.enable_grad():
        number = target_from(model, layer, entering, target, {point: leaf})  # (1)
        (gradient,) = torch.autograd.grad(number.sum(), leaves[0])
    return AttentionGradient(float(number.detach()[0]), as_doubles(leaves[0][0]), as_doubles(gradient[0]))


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
    progress: ReportProgress | None = None,
) -> NDArray[np.float64]:
    """Change of the target (C) when one token no longer looks at each of C `columns`, one at a time.

    The rest of the row is scaled to sum to 1 again; where nothing is left, the row is 0. `progress` is told the
    share done after each batch of at most `max_tokens` tokens.
    """
    text = as_text(model, input_ids, segment_ids, position_ids)
    target.check(len(text))
    entering, point = passing(model, text, hidden_points(layer)[layer]), f"layer.{layer}.attention.probs"
    intact = float(target_from(model, layer, entering, target, {})[0])
    effects = np.empty(len(columns))
    for part in chunks(len(columns), len(text), max_tokens):
        batch = entering.expand(len(columns[part]), -1, -1)  # (B,S,H)
        changes = {point: _without_links(head, row, columns[part])}
        effects[part] = as_doubles(target_from(model, layer, batch, target, changes)) - intact
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
