"""Positions that only the last part of a run trains: they begin as repeats of the ones that are trained by then.

Left as they were drawn, the few steps of that part at a falling rate teach them next to nothing (docs/model.md).
Beltagy et al. 2020, "Longformer", section 5, begin longer models in the same way.
"""

from __future__ import annotations

import torch

from bertcore.model.bert import Bert
from bertcore.training.sharding import is_sharded


@torch.no_grad()
def repeat_positions(model: Bert, trained: int) -> None:
    """Places from `trained` on take the vectors of places 1 to `trained` - 1, in turn; place 0, [CLS], is left out.

    Nothing happens to sine waves, nor to a model that is divided among processes.
    """
    embeddings = model.embeddings
    table = embeddings.position.weight
    if not isinstance(table, torch.nn.Parameter) or is_sharded(model) or not 2 <= trained < model.config.max_length:
        return
    later = torch.arange(trained, model.config.max_length)
    table[embeddings.position_offset + later] = table[embeddings.position_offset + 1 + (later - 1) % (trained - 1)]
