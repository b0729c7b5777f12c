"""What comes back from the model: plain NumPy results, frozen, handed from the worker to the state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

THUMBNAIL_TOKENS = 64

if TYPE_CHECKING:
    import numpy as np

    from app.state import ModelInfo
    from bertcore.analysis.predict import NextSentence, WordGuess, WordRank
    from bertcore.analysis.trace import Trace
    from bertcore.analysis.verdicts import SentenceOrder
    from bertcore.tokenization import Encoding


@dataclass(frozen=True, eq=False)
class ReadingRequest:
    """What the model is to read; frozen, so that typing on changes nothing under way."""

    model: ModelInfo  # the model whose vocabulary these ids are of
    encoding: Encoding
    input_ids: tuple[int, ...]  # (S), masks put in
    masked: tuple[int, ...]  # positions to predict
    by_hand: frozenset[int]  # those of them whose own word is in the text

    @property
    def segments(self) -> list[int]:
        """Segments as the model reads them (S): all 0 where it does not tell A from B by them."""
        return self.encoding.segments if self.model.has_segments else [0] * len(self.encoding)


@dataclass(frozen=True, eq=False)
class MaskReading:
    """The model's words for one masked position."""

    position: int
    words: list[WordGuess]  # most likely first
    was: WordGuess | None  # the word that stands in the text; None where the mask itself was typed
    rank: WordRank | None  # where that word stands among the model's guesses


@dataclass(frozen=True, eq=False)
class Reading:
    """One forward pass and what was read off it."""

    request: ReadingRequest
    trace: Trace
    thumbnails: np.ndarray  # (L,N,T,T), T <= 64: every head, made smaller by the highest value of each block
    masks: list[MaskReading]
    next_sentence: NextSentence | None  # None: no second sentence, or no head for it
    sentence_order: SentenceOrder | None  # the same
    replaced: np.ndarray | None  # (S) probability that each token was replaced; None: no head for it
    forward_ms: float

    @property
    def encoding(self) -> Encoding:
        return self.request.encoding

    @property
    def shown_tokens(self) -> list[str]:
        """Tokens as a person should see them (S), the model's mask where one was put in."""
        masked, mask = self.request.by_hand, self.request.model.tokenizer.mask_token or ""
        return [mask if i in masked else token for i, token in enumerate(self.encoding.labels)]

    @property
    def special_names(self) -> list[str]:
        """What the model calls the special tokens around this text, each once: [CLS], [SEP] or <s>, </s>."""
        parts = zip(self.encoding.labels, self.encoding.parts, strict=True)
        return list(dict.fromkeys(token for token, part in parts if part == "special"))


def thumbnails(attentions: np.ndarray) -> np.ndarray:
    """(L,N,S,S) -> (L,N,T,T), T <= 64: the highest value of each block, so that thin lines stay visible."""
    import numpy as np

    size = attentions.shape[-1]
    if size <= THUMBNAIL_TOKENS:
        return attentions
    edges = np.linspace(0, size, THUMBNAIL_TOKENS, endpoint=False).astype(int)
    return np.maximum.reduceat(np.maximum.reduceat(attentions, edges, axis=2), edges, axis=3)
