"""One vector for a text: what a sentence encoder makes of it, and any other model too."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.analysis.passes import MAX_TOKENS
from bertcore.checkpoint.sentence_pooling import Pooling
from bertcore.model.bert import Bert
from bertcore.progress import ReportProgress, no_progress
from bertcore.tokenizer.tokenizer import Encoding


@torch.inference_mode()
def sentence_vectors(
    model: Bert,
    encodings: Sequence[Encoding],
    pooling: Pooling,
    *,
    max_tokens: int = MAX_TOKENS,
    progress: ReportProgress = no_progress,
) -> NDArray[np.float32]:
    """One vector for each text (B,H): the mean of all tokens or [CLS] (Reimers and Gurevych 2019, section 3).

    Texts of like length go through the model together, padded, at most `max_tokens` tokens in a batch; `progress` is
    told the share done after each.
    """
    order = sorted(range(len(encodings)), key=lambda i: -len(encodings[i]))
    vectors = np.empty((len(encodings), model.config.hidden_size), dtype=np.float32)
    done = 0
    while done < len(order):
        chosen = order[done : done + max(1, max_tokens // len(encodings[order[done]]))]
        vectors[chosen] = _pooled(model, [encodings[i] for i in chosen], pooling)
        done += len(chosen)
        progress(done / len(order))
    return vectors


def _pooled(model: Bert, encodings: Sequence[Encoding], pooling: Pooling) -> NDArray[np.float32]:
    device = model.embeddings.token.weight.device
    ids, segments, mask = torch.zeros(3, len(encodings), max(map(len, encodings)), dtype=torch.long, device=device)
    for row, encoding in enumerate(encodings):
        ids[row, : len(encoding)] = torch.tensor(encoding.ids, device=device)
        segments[row, : len(encoding)] = torch.tensor(encoding.segments, device=device)
        mask[row, : len(encoding)] = 1
    hidden = model(ids, segments if model.config.type_vocab_size > 1 else None, mask).float()  # (B,S,H)
    weights = mask.to(hidden.dtype)[:, :, None]  # (B,S,1)
    vectors = hidden[:, 0] if pooling.kind == "cls" else (hidden * weights).sum(dim=1) / weights.sum(dim=1)
    if pooling.normalised:
        vectors = torch.nn.functional.normalize(vectors, dim=-1)
    return vectors.cpu().numpy()
