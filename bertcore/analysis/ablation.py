"""What each head does for one prediction: switch it off alone and see how the prediction changes.

Michel, Levy and Neubig 2019 ("Are Sixteen Heads Really Better than One?", section 3.2) switch heads off one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertcore.analysis.passes import MAX_TOKENS, as_text, chunks
from bertcore.analysis.targets import Target
from bertcore.model.bert import Bert
from bertcore.model.tap import Intervention, Recorder, hidden_points
from bertcore.progress import Progress


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
    progress: Progress | None = None,
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
    intact = float(target.of(model, text.hidden(model, tap=record)))
    without = np.empty((depth, heads))
    for layer in range(depth):
        for part in chunks(heads, len(text), max_tokens):
            hidden = _without_heads(model, record[entering[layer]], layer, range(heads)[part], target)
            without[layer, part] = target.read(model, hidden).cpu().double().numpy()
            if progress is not None:
                progress((layer * heads + part.stop) / without.size)
    return HeadEffects(intact, without)


def _without_heads(model: Bert, entering: Tensor, layer: int, heads: Sequence[int], target: Target) -> Tensor:
    """What enters a layer (1,S,H) -> what the target reads without each of B heads alone: (B,H) or (B,S,H)."""
    count, length = len(heads), entering.shape[1]
    kept = torch.ones(count, model.config.num_attention_heads, 1, 1, device=entering.device)  # (B,N,1,1)
    kept[range(count), heads] = 0
    tap = Intervention({f"layer.{layer}.attention.context_heads": lambda context: context * kept})  # (B,N,S,D)
    rows = None if target.reads_all else torch.arange(count, device=entering.device) * length + target.position
    hidden: Tensor = model.encoder(entering.expand(count, -1, -1), tap=tap, rows=rows, first=layer)
    return hidden
