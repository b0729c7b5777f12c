"""Does B follow A? Held-out text, each A once with its own B and once with one from another document.

All are whole sentences without masks, as a person types them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.data.batches import lay_out
from bertcore.data.pairs import Pair
from bertcore.evaluation.documents import Document
from bertcore.evaluation.estimates import Estimate, mean_by_document
from bertcore.evaluation.masked_words import MOST_TOKENS, rules_for
from bertcore.evaluation.sequences import batches, evenly, following, strange, whole_sentences
from bertcore.training.evaluate import HELD_OUT_SEED


@dataclass(frozen=True)
class NextSentences:
    """Shares judged rightly; standard errors from how documents differ. Half of all pairs follow."""

    right: Estimate
    follows: Estimate  # of the pairs in which B follows A
    strange: Estimate  # of those in which it comes from another document


def next_sentences(
    checkpoint: Checkpoint, documents: Sequence[Document], length: int, windows: int
) -> NextSentences | None:
    """Two pairs of at most `length` tokens from each of so many windows; strange Bs come from any other of `documents`.

    None where the model has no next-sentence head or no document has two sentences.
    """
    if "nsp" not in checkpoint.tasks:
        return None
    rng = np.random.default_rng(HELD_OUT_SEED)
    rules = rules_for(checkpoint)
    both = []  # (document, B follows, B does not)
    for window in evenly(whole_sentences(documents, length, rules), windows):
        other = strange(documents, window, rules.room(length), rng)
        if other is not None:
            both.append((window.document, following(documents, window), other))
    if not both:
        return None
    numbers = np.array([number for number, _, _ in both])
    follows = _says_next(checkpoint, [pair for _, pair, _ in both])
    not_next = ~_says_next(checkpoint, [pair for _, _, pair in both])
    return NextSentences(
        right=mean_by_document(np.concatenate([follows, not_next]), np.concatenate([numbers, numbers])),
        follows=mean_by_document(follows, numbers),
        strange=mean_by_document(not_next, numbers),
    )


@torch.inference_mode()
def _says_next(checkpoint: Checkpoint, pairs: Sequence[Pair]) -> NDArray[np.bool_]:
    """For each pair whether the model takes B to follow A."""
    model, device = checkpoint.model, checkpoint.model.embeddings.token.weight.device
    says = np.zeros(len(pairs), dtype=bool)
    for chosen in batches([len(pair.a) + len(pair.b) for pair in pairs], MOST_TOKENS):
        ids, segments, mask = lay_out([pairs[i] for i in chosen], checkpoint.tokenizer)
        first = torch.arange(0, ids.size, ids.shape[1], device=device)  # [CLS] of each sequence
        on_device = [None if array is None else torch.from_numpy(array).to(device) for array in (ids, segments, mask)]
        logits = model.nsp_logits(model.pool(model(*on_device, rows=first)))  # (B,2)
        says[chosen] = logits.argmax(dim=-1).cpu().numpy() == 0
    return says
