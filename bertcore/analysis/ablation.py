"""What each head does for one prediction: switch it off alone and see how the prediction changes.

Michel, Levy and Neubig 2019 ("Are Sixteen Heads Really Better than One?", section 3.2) switch heads off one by one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertcore.analysis.passes import MAX_TOKENS, as_doubles, as_text, chunks, target_from
from bertcore.analysis.targets import Target
from bertcore.model.bert import Bert
from bertcore.model.hooks import Recorder, hidden_points
from bertcore.progress import ReportProgress


@dataclass(frozen=True)
class HeadEffects:
    """The target with all heads, and with each one switched off."""

    intact: float
    without: NDArray[np.float64]  # (L,N)

    @property
    def effect(self) -> NDArray[np.float64]:
        """(L,N): below 0 where the prediction suffers without the head, above 0 where it gains."""
        return self.without - self.intact


@torch.inference_mode()
def head_effects(
    model: Bert,
    input_ids: Sequence[int],
    segment_ids: Sequence[int] | None,
    target: Target,
    *,
    position_ids: Sequence[int] | None = None,
    max_tokens: int = MAX_TOKENS,
    progress: ReportProgress | None = None,
) -> HeadEffects:
    """Effect of each head's removal (its context vectors set to 0) on one number, for all L x N heads.

    What stands before a head's layer is the same without it, so layer l starts from its recorded input, with its heads'
    variants as one batch of at most `max_tokens` tokens. `progress` is told the share done after each.
    """
    text = as_text(model, input_ids, segment_ids, position_ids)
    target.check(len(text))
    depth, heads = model.encoder.depth, model.config.num_attention_heads
    entering = hidden_points(depth)[:-1]
    record = Recorder(lambda name: name in entering)
    intact = float(target.of(model, text.hidden(model, hook=record)))
    without = np.empty((depth, heads))
    for layer in range(depth):
        for part in chunks(heads, len(text), max_tokens):
            changes = {f"layer.{layer}.attention.context_heads": _without_each(range(heads)[part])}
            batch = record[entering[layer]].expand(part.stop - part.start, -1, -1)  # (B,S,H)
            without[layer, part] = as_doubles(target_from(model, layer, batch, target, changes))
            if progress is not None:
                progress((layer * heads + part.stop) / without.size)
    return HeadEffects(intact, without)


def _without_each(heads: Sequence[int]) -> Callable[[Tensor], Tensor]:
    """In variant b, head heads[b] adds nothing."""

    def changed(context: Tensor) -> Tensor:
        context = context.clone()  # (B,N,S,D)
        context[range(len(heads)), list(heads)] = 0
        return context

    return changed
