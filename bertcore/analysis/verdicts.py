"""What the heads beside MLM and NSP say: sentence order, replaced words, and how alike two sentences are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertcore.analysis.passes import MAX_TOKENS
from bertcore.analysis.predict import softmax
from bertcore.checkpoint.sentence_pooling import Pooling
from bertcore.model.bert import Bert
from bertcore.progress import Progress
from bertcore.tokenizer.tokenizer import Encoding


@dataclass(frozen=True)
class SentenceOrder:
    """Probabilities that A stands before B in the text, and that they were swapped (Lan et al. 2020, section 3.1)."""

    in_order: float
    swapped: float


def sentence_order(logits: NDArray) -> SentenceOrder:
    """Logits (2) of the SOP head as probabilities."""
    in_order, swapped = softmax(logits)
    return SentenceOrder(float(in_order), float(swapped))


def replaced_probabilities(logits: NDArray) -> NDArray[np.float64]:
    """Logits (S) of ELECTRA's discriminator -> the probability that each token was replaced (sigmoid)."""
    probabilities: NDArray[np.float64] = 0.5 * (1 + np.tanh(np.asarray(logits, dtype=np.float64) / 2))
    return probabilities


@torch.inference_mode()
def task_logits(model: Bert, hidden: NDArray) -> dict[str, NDArray[np.float32]]:
    """Last hidden states of one text (S,H) -> the logits of each head for a task, by its name.

    classify (K), tag (S,K), span (S,2) as start and end, choice (1), summarise (S).
    """
    states = torch.from_numpy(np.ascontiguousarray(hidden)).to(model.embeddings.token.weight)[None]  # (1,S,H)
    heads: dict[str, Callable[[], Tensor]] = {
        "classify": lambda: model.classify_logits(states[:, 0])[0],
        "tag": lambda: model.tag_logits(states)[0],
        "span": lambda: torch.stack(model.span_logits(states), dim=-1)[0],
        "choice": lambda: model.choice_logits(states[:, 0], 1)[0],
        "summarise": lambda: model.sentence_logits(states)[0],
    }
    return {task: logits().float().cpu().numpy() for task, logits in heads.items() if task in model.tasks}


@torch.inference_mode()
def sentence_vectors(
    model: Bert,
    encodings: Sequence[Encoding],
    pooling: Pooling,
    *,
    max_tokens: int = MAX_TOKENS,
    progress: Progress | None = None,
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
        if progress is not None:
            progress(done / len(order))
    return vectors


def _pooled(model: Bert, encodings: Sequence[Encoding], pooling: Pooling) -> NDArray[np.float32]:
    device = model.embeddings.token.weight.device
    ids, segments, mask = torch.zeros(3, len(encodings), max(map(len, encodings)), dtype=torch.long, device=device)
    for row, encoding in enumerate(encodings):
        ids[row, : len(encoding)] = torch.tensor(encoding.ids, device=device)
        segments[row, : len(encoding)] = torch.tensor(encoding.segments, device=device)
        mask[row, : len(encoding)] = 1
    hidden = model(ids, segments if model.config.type_vocab_size > 1 else None, mask)  # (B,S,H)
    weights = mask.to(hidden.dtype)[:, :, None]  # (B,S,1)
    vectors = hidden[:, 0] if pooling.kind == "cls" else (hidden * weights).sum(dim=1) / weights.sum(dim=1)
    if pooling.normalised:
        vectors = torch.nn.functional.normalize(vectors, dim=-1)
    result: NDArray[np.float32] = vectors.cpu().numpy()
    return result
