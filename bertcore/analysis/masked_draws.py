"""80 / 10 / 10: one text masked many times as training masks it, and whether the model finds what stood there.

Devlin et al. 2019, section 3.1. D draws, S tokens, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.analysis.passes import as_text, chunks
from bertcore.data.masking import PUBLISHED, Fates, choose, hide
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from bertcore.progress import ReportProgress, no_progress
from bertcore.tokenizer.tokenizer import Tokenizer

FATES = ("[MASK]", "random", "kept", "not chosen")  # what becomes of a token: the numbers in `MaskedDraws.fate`
_TOKENS_AT_ONCE = 1024  # of which the model gives V logits each


@dataclass(frozen=True, eq=False)
class MaskedDraws:
    """All (D,S). A random token that happens to be the one that stood there counts as kept: nobody could tell."""

    seen: NDArray[np.int64]  # ids that the model reads
    fate: NDArray[np.int64]  # number in FATES; -1: a special token
    probability: NDArray[np.float32]  # of the token that stands in the text
    is_first: NDArray[np.bool_]  # whether that is the likeliest of all


@torch.inference_mode()
def masked_draws(
    model: Bert,
    tokenizer: Tokenizer,
    ids: Sequence[int],
    segments: Sequence[int] | None = None,
    *,
    draws: int = 100,
    seed: int = 0,
    fates: Fates = PUBLISHED,
    progress: ReportProgress = no_progress,
) -> MaskedDraws:
    """ids (S) as the tokenizer frames them; each draw hides 15% of the ordinary tokens, as a sequence of training.

    A draw depends on the seed and its number alone. Raises BertcoreError where the model predicts no words, the
    vocabulary has no mask, or there is nothing to draw.
    """
    if model.mlm is None:
        raise BertcoreError("This model has no masked-word (MLM) head, so it gives no word a probability.")
    text, own = as_text(model, ids, segments), np.array(ids)[None]  # (1,S)
    ordinary = ~np.isin(own, tokenizer.special_ids)
    if draws < 1 or not ordinary.any():
        raise BertcoreError("There is nothing to mask; write at least one word, and draw at least once.")
    seen, fate = np.empty((draws, len(text)), np.int64), np.empty((draws, len(text)), np.int64)
    for draw in range(draws):
        rng = np.random.default_rng((seed, draw))
        chosen = choose("tokens", own, ordinary, 0.15, tokenizer, rng, exact=True)  # (1,S)
        seen[draw] = hide(own, chosen, tokenizer, rng, fates, exact=True)[0]
        became = np.where(seen[draw] == tokenizer.mask_id, 0, np.where(seen[draw] != own, 1, 2))
        fate[draw] = np.where(ordinary, np.where(chosen >= 0, became, 3), -1)
    probability, is_first = np.empty(seen.shape, np.float32), np.empty(seen.shape, bool)
    for part in chunks(draws, len(text), _TOKENS_AT_ONCE):
        progress(part.start / draws)
        read = text.ids.new_tensor(seen[part])  # (d,S)
        like = None if text.segments is None else text.segments.expand_as(read)
        logits = model.mlm_logits(model(read, like, None, text.positions.expand_as(read))).float()  # (d,S,V)
        wanted = text.ids.expand_as(read)[..., None]  # (d,S,1)
        probability[part] = logits.softmax(-1).gather(-1, wanted)[..., 0].cpu()
        is_first[part] = (logits.argmax(-1, keepdim=True) == wanted)[..., 0].cpu()
    return MaskedDraws(seen, fate, probability, is_first)
