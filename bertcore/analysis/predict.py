"""From logits to words and verdicts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertcore.tokenizer.tokenizer import Tokenizer


@dataclass(frozen=True)
class WordGuess:
    token: str
    id: int
    probability: float


@dataclass(frozen=True)
class WordRank:
    """How a particular word fares: rank 1 is the likeliest; surprise is -log2 of its probability."""

    rank: int
    probability: float
    surprise_bits: float


@dataclass(frozen=True)
class NextSentence:
    """Probabilities that B follows A, and that it does not."""

    is_next: float
    not_next: float


def softmax(logits: NDArray) -> NDArray[np.float64]:
    """Probabilities along the last axis, computed in double precision."""
    shifted = np.asarray(logits, dtype=np.float64)
    shifted = shifted - shifted.max(axis=-1, keepdims=True)
    exponentials = np.exp(shifted)
    probabilities: NDArray[np.float64] = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return probabilities


def top_words(logits: NDArray, tokenizer: Tokenizer, k: int) -> list[WordGuess]:
    """The k likeliest words for one row of logits (V), likeliest first."""
    probabilities = softmax(logits)
    k = min(k, len(probabilities))
    best = np.argpartition(-probabilities, k - 1)[:k]
    best = best[np.argsort(-probabilities[best], kind="stable")]
    return [WordGuess(tokenizer.word(int(i)), int(i), float(probabilities[i])) for i in best]


def word_rank(logits: NDArray, token_id: int) -> WordRank:
    """Rank, probability and surprise of one word in a row of logits (V)."""
    probability = float(softmax(logits)[token_id])
    rank = int((logits > logits[token_id]).sum()) + 1
    return WordRank(rank, probability, float(-np.log2(max(probability, np.finfo(np.float64).tiny))))


def next_sentence(logits: NDArray) -> NextSentence:
    """Logits (2) of the next-sentence head as probabilities."""
    is_next, not_next = softmax(logits)
    return NextSentence(float(is_next), float(not_next))
