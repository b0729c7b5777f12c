"""One vector for a text: what a sentence encoder makes of it, and any other model too."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.analysis.batches import Batch, for_each
from bertcore.analysis.interventions import check_numbers
from bertcore.analysis.passes import MAX_TOKENS, as_text, changed
from bertcore.checkpoint.sentence_pooling import Pooling
from bertcore.model.bert import Bert
from bertcore.model.hooks import Changes, Recorder, hidden_points
from bertcore.progress import ReportProgress, no_progress
from bertcore.tokenizer.tokenizer import Encoding


def sentence_vectors(
    model: Bert,
    encodings: Sequence[Encoding],
    pooling: Pooling,
    *,
    max_tokens: int = MAX_TOKENS,
    progress: ReportProgress = no_progress,
) -> NDArray[np.float32]:
    """One vector for each text (B,H), as `pooled`; `progress` is told the fraction done after each batch."""
    texts = [as_text(model, encoding.ids, encoding.segments) for encoding in encodings]
    vectors = for_each(
        texts, lambda batch: list(pooled(model, batch, pooling)), max_tokens=max_tokens, progress=progress
    )
    return np.stack(vectors) if vectors else np.empty((0, model.config.hidden_size), dtype=np.float32)


@torch.inference_mode()
def pooled(
    model: Bert, batch: Batch, pooling: Pooling, layer: int | None = None, changes: Changes | None = None
) -> NDArray[np.float32]:
    """(B,H): the mean of all tokens, or [CLS] (Reimers and Gurevych 2019, section 3).

    layer: whose output; 0 the embeddings, absent the last, which in every model is normalised.
    Raises BertcoreError for a layer that is not there.
    """
    depth = model.encoder.depth
    layer = depth if layer is None else layer
    check_numbers("layer", [layer], depth + 1)
    record = Recorder(lambda point: point == hidden_points(depth)[layer])
    with changed(model, changes, *([record] if layer < depth else [])) as hook:
        hidden = batch.hidden(model, hook)
    hidden = (record[hidden_points(depth)[layer]] if layer < depth else hidden).float()  # (B,S,H)
    if pooling.kind == "cls":
        vectors = hidden[:, 0]
    else:
        weights = batch.mask.to(hidden.dtype)[:, :, None]  # (B,S,1)
        vectors = (hidden * weights).sum(dim=1) / weights.sum(dim=1)
    if pooling.normalised:
        vectors = torch.nn.functional.normalize(vectors, dim=-1)
    return vectors.cpu().numpy()
