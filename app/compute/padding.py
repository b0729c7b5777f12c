"""A text at a length, or two as a batch: what is padded, what is cut off, and what the attention mask does.

L layers, N heads, S tokens, P padding, D head size, H hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bertcore.analysis.predict import WordGuess, top_words
from bertcore.progress import ReportProgress

from ..state.readings import ModelInput

if TYPE_CHECKING:
    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.tokenizer.tokenizer import Encoding

LONGEST = 128  # to which a batch is padded at most
MOST_CUT = 100  # tokens that are shown of what is cut off
Pair = tuple[str, str | None]  # A and B of one input


@dataclass(frozen=True, eq=False)
class PaddedText:
    """Where something comes twice, it is that with the attention mask, and that without."""

    encoding: Encoding  # at the length (S)
    whole: Encoding  # before it was cut, to MOST_CUT more tokens than the model reads
    attentions: list[np.ndarray]  # 2 x (S,S), the mean of all heads
    words: list[WordGuess]  # 2, the likeliest at the first mask; none where there is none
    to_padding: float  # without the mask, the share of its attention that a token of the text gives to [PAD]
    moved: float  # how far the text's last hidden states move without it, as a share of their length (L2)
    pad_norm: float  # of the row of [PAD] in the token table (L2)
    usual_norm: float  # the median of all rows


def pad_texts(
    checkpoint: Checkpoint, texts: tuple[Pair, ...], length: int, progress: ReportProgress
) -> list[PaddedText]:
    """All at a length in tokens; 0: that of the longest of them, up to LONGEST."""
    from bertcore.analysis.passes import Batch, as_text
    from bertcore.analysis.trace import traces

    model, tokenizer, most = checkpoint.model, checkpoint.tokenizer, checkpoint.config.max_length
    wholes = [tokenizer.encode(*text, max_length=most + MOST_CUT) for text in texts]
    length = min(length or min(max(map(len, wholes)), LONGEST), most)
    norms = model.embeddings.token.weight.detach().float().norm(dim=1).cpu().numpy()  # (V)
    found = []
    for number, (text, whole) in enumerate(zip(texts, wholes, strict=True)):
        progress(number / len(texts))
        encoding = tokenizer.encode_to(*text, most, length, pad=True, truncate=True)
        masks = [] if model.mlm is None else [i for i, one in enumerate(encoding.ids) if one == tokenizer.mask_id][:1]
        keep = ("attentions", "hidden_states", *(["mlm_logits"] if masks else []))
        both = []
        for padding in (encoding.padding, 0):
            read = as_text(model, encoding.ids, encoding.segments, encoding.positions, padding)
            both += traces(model, Batch.of([read]), keep, mlm_positions=[masks])
        size = length - encoding.padding
        now, then = (one["hidden_states"][-1][:size] for one in both)  # (S,H)
        attentions = [one["attentions"].mean((0, 1)) for one in both]
        words = [guess for one in both if masks for guess in top_words(one["mlm_logits"][0], tokenizer, 1)]
        moved = float((np.linalg.norm(then - now, axis=1) / np.linalg.norm(now, axis=1)).mean())
        to_padding = float(attentions[1][:size, size:].sum(1).mean())
        rows = float(norms[tokenizer.pad_id]), float(np.median(norms))
        found.append(PaddedText(encoding, whole, attentions, words, to_padding, moved, *rows))
    return found


def padding_keys(checkpoint: Checkpoint, text: ModelInput, count: int, progress: ReportProgress) -> np.ndarray:
    """The keys (L,N,P,D) of `count` [PAD] after a text, which the attention mask hides."""
    from bertcore.analysis.trace import trace

    size, pad_id = len(text.input_ids), checkpoint.tokenizer.pad_id
    positions = None if text.positions is None else [*text.positions, *range(size, size + count)]
    ids, segments = [*text.input_ids, *[pad_id] * count], [*text.segments, *[0] * count]
    padded = trace(checkpoint.model, ids, segments, positions, mlm_positions=[], padding=count)
    return padded.keys[:, :, size:]
