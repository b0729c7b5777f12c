"""One layer with all its tensors; and what the feed-forward half of every layer does, made small enough for a picture.

L layers, R chosen rows, K neurons, I feed-forward width. Importable without torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.layer_trace import LayerTrace, trace_layer

from ..state import NOTHING_CHANGED, ModelInput, Reading, WhatIf
from .model_text import text_of

if TYPE_CHECKING:
    from torch import Tensor

    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.progress import ReportProgress


@dataclass(frozen=True, eq=False)
class FeedForwardActivity:
    """Of each layer the neurons that fire most in this text, in the order of their numbers."""

    neurons: NDArray[np.int64]  # (L,K)
    activations: NDArray[np.float32]  # (L,R,K)


def feed_forward_activity(
    checkpoint: Checkpoint,
    text: ModelInput,
    rows: Sequence[int],
    k: int,
    what_if: WhatIf = NOTHING_CHANGED,
    _progress: ReportProgress | None = None,
) -> FeedForwardActivity:
    """One pass; of each layer the `k` neurons with the highest activation at any of `rows`, there at all `rows`.

    The activations of a whole text are large (200 MB for BERT-large at 512 tokens), so each layer's are reduced as
    they pass.
    """
    import torch

    from bertcore.analysis.passes import changed
    from bertcore.model.hooks import Hook

    neurons: list[Tensor] = []
    activations: list[Tensor] = []
    chosen = torch.tensor(list(rows))

    def keep(name: str, value: Tensor) -> Tensor:
        if name.endswith(".feed_forward.activation"):
            here = value[0, chosen.to(value.device)].float()  # (R,I)
            best = here.amax(dim=0).topk(min(k, here.shape[1])).indices.sort().values  # (K)
            neurons.append(best)
            activations.append(here[:, best])
        return value

    model = checkpoint.model
    with torch.inference_mode(), changed(model, what_if.changes(), Hook(keep)) as hook:
        text_of(model, text).hidden(model, hook=hook)
    return FeedForwardActivity(torch.stack(neurons).cpu().numpy(), torch.stack(activations).cpu().numpy())


def layer_of(checkpoint: Checkpoint, reading: Reading, layer: int, _progress: ReportProgress) -> LayerTrace:
    """`trace_layer` of a reading; nothing is computed anew where nothing is changed inside."""
    request, entering = reading.request, None if reading.request.what_if else reading.trace.hidden_states[layer]
    read, changes = (request.input_ids, request.segments, request.positions), request.what_if.changes()
    return trace_layer(checkpoint.model, *read, layer=layer, changes=changes, entering=entering)
