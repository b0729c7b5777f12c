"""What comes back from the model: plain NumPy results, frozen, handed from the worker to the state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from app.state import ModelInfo
    from bertcore.analysis.predict import NextSentence, WordGuess, WordRank
    from bertcore.analysis.trace import Trace
    from bertcore.tokenization import Encoding


@dataclass(frozen=True, eq=False)
class ReadingRequest:
    """What the model is to read; frozen, so that typing on changes nothing under way."""

    model: ModelInfo  # the model whose vocabulary these ids are of
    encoding: Encoding
    input_ids: tuple[int, ...]  # (S), masks put in
    masked: tuple[int, ...]  # positions to predict
    by_hand: frozenset[int]  # those of them whose own word is in the text


@dataclass(frozen=True, eq=False)
class MaskReading:
    """The model's words for one masked position."""

    position: int
    words: list[WordGuess]  # most likely first
    was: WordGuess | None  # the word that stands in the text; None where [MASK] itself was typed
    rank: WordRank | None  # where that word stands among the model's guesses


@dataclass(frozen=True, eq=False)
class Reading:
    """One forward pass and what was read off it."""

    request: ReadingRequest
    trace: Trace
    thumbnails: np.ndarray  # (L,N,T,T), T <= 64: every head, made smaller by the highest value of each block
    masks: list[MaskReading]
    next_sentence: NextSentence | None  # None: no second sentence, or no head for it
    forward_ms: float

    @property
    def encoding(self) -> Encoding:
        return self.request.encoding

    @property
    def shown_tokens(self) -> list[str]:
        """Tokens as the model read them (S): [MASK] where one was put in."""
        masked = self.request.by_hand
        return ["[MASK]" if i in masked else token for i, token in enumerate(self.encoding.tokens)]
