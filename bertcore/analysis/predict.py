"""What a model predicts: from the logits of its heads (`passes.predict_heads`) to words and verdicts.

S tokens, L layers, R chosen positions, V vocabulary. Importable without torch.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertcore.errors import BertcoreError
from bertcore.tokenizer.special_tokens import MASK
from bertcore.tokenizer.tokenizer import Encoding, Tokenizer

Floats = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class HeadOutputs:
    """What the pretraining heads say of one text; None where the model has no such head."""

    pooled: Floats | None  # (H)
    mlm_positions: NDArray[np.int64]  # (R) which rows mlm_logits has
    mlm_logits: Floats | None  # (R,V)
    next_sentence_logits: Floats | None  # (2) B follows A, B does not
    sentence_order_logits: Floats | None  # (2) A stands before B, they are swapped
    replaced_logits: Floats | None  # (S) above 0: the discriminator takes the token for a replaced one


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


@dataclass(frozen=True)
class SentenceOrder:
    """Probabilities that A stands before B in the text, and that they were swapped (Lan et al. 2020, section 3.1)."""

    in_order: float
    swapped: float


@dataclass(frozen=True)
class WordPath:
    """One word per position, through the layers; rank 1 is the likeliest."""

    probability: NDArray[np.float64]  # (L+1,R)
    rank: NDArray[np.int64]  # (L+1,R)


def softmax(logits: NDArray) -> NDArray[np.float64]:
    """Probabilities along the last axis, computed in double precision."""
    shifted = np.asarray(logits, dtype=np.float64)
    shifted = shifted - shifted.max(axis=-1, keepdims=True)
    exponentials = np.exp(shifted)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def cut_off_mask(tokenizer: Tokenizer, encoding: Encoding) -> str | None:
    """A sentence where a [MASK] of the text lies behind what the model reads; None where it reads them all."""
    typed = f"{encoding.text_a} {encoding.text_b or ''}"
    written = sum(typed.count(mask) for mask in {MASK, tokenizer.mask_token or MASK})
    if not encoding.dropped or written <= encoding.ids.count(-1 if tokenizer.mask_id is None else tokenizer.mask_id):
        return None
    return (
        f"A [MASK] was cut off: the model reads {len(encoding):,} tokens of this text and not the last "
        f"{encoding.dropped:,}; shorten the text."
    )


def top_words(logits: NDArray, tokenizer: Tokenizer, k: int, among: Sequence[int] | None = None) -> list[WordGuess]:
    """The k likeliest words for one row of logits (V), likeliest first; with `among`, of these ids alone.

    Raises BertcoreError where k is not a number from 1 up.
    """
    if not isinstance(k, int | np.integer) or k < 1:
        raise BertcoreError(f"The number of words is 1 or more, not {k}.")
    probabilities = softmax(logits)
    if among is None:
        k = min(k, len(probabilities))
        best = np.argpartition(-probabilities, k - 1)[:k]
    else:
        best = np.array(among, dtype=np.int64)
    best = best[np.argsort(-probabilities[best], kind="stable")][:k]
    return [WordGuess(tokenizer.word(int(i)), int(i), float(probabilities[i])) for i in best]


def word_rank(logits: NDArray, token_id: int) -> WordRank:
    """Rank, probability and surprise of one word in a row of logits (V)."""
    probability = float(softmax(logits)[token_id])
    rank = int((logits > logits[token_id]).sum()) + 1
    return WordRank(rank, probability, float(-np.log2(max(probability, np.finfo(np.float64).tiny))))


def next_sentence(logits: NDArray) -> NextSentence:
    """Logits (2) of the next-sentence head as probabilities."""
    return NextSentence(*softmax(logits).tolist())


def sentence_order(logits: NDArray) -> SentenceOrder:
    """Logits (2) of the SOP head as probabilities."""
    return SentenceOrder(*softmax(logits).tolist())


def replaced_probabilities(logits: NDArray) -> NDArray[np.float64]:
    """Logits (S) of ELECTRA's discriminator -> the probability that each token was replaced (sigmoid)."""
    return 0.5 * (1 + np.tanh(np.asarray(logits, dtype=np.float64) / 2))


def follow_words(logits: NDArray, token_ids: Sequence[int]) -> WordPath:
    """How one word per position (R) fares through the layers: logits (L+1,R,V) -> its probability and rank."""
    own = np.asarray(token_ids, dtype=np.int64)[None, :, None]  # (1,R,1)
    its_logit = np.take_along_axis(logits, own, axis=-1)  # (L+1,R,1)
    probability = np.take_along_axis(softmax(logits), own, axis=-1)[..., 0]
    return WordPath(probability, (logits > its_logit).sum(axis=-1) + 1)


def decided_at(ranks: NDArray | Sequence[int]) -> int | None:
    """The first stage from which on the rank (L+1) stays 1; None where it is not 1 in the end."""
    is_first = np.asarray(ranks) == 1
    if not is_first[-1]:
        return None
    others = np.flatnonzero(~is_first)
    return int(others[-1]) + 1 if len(others) else 0
