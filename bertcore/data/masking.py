"""Which tokens are to be predicted, and what the model sees in their place.

B sequences of S tokens; `ordinary` (B,S) is False at special tokens and padding, which are never chosen.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bertcore.errors import BertcoreError
from bertcore.tokenizer.special_tokens import SPACE_MARKS
from bertcore.tokenizer.tokenizer import Tokenizer

SPAN_STOP, LONGEST_SPAN = 0.2, 10  # SpanBERT (Joshi et al. 2020, section 3.1): geometric, in words
_SPAN_SHARES = np.cumsum((1 - SPAN_STOP) ** np.arange(LONGEST_SPAN))[:-1]  # of lengths up to 1, 2, ... 9
_SPAN_SHARES /= np.sum((1 - SPAN_STOP) ** np.arange(LONGEST_SPAN))

Chosen = NDArray[np.int64]  # (B,S) -1 where nothing is predicted; else a number, the same for what shares a fate


@dataclass(frozen=True)
class Fates:
    """Shares of what becomes of a chosen token; the rest stays as it is (Devlin et al. 2019, section 3.1)."""

    mask: float = 0.8
    random: float = 0.1


PUBLISHED = Fates()


def choose(
    masking: str,
    ids: NDArray,
    ordinary: NDArray,
    share: float,
    tokenizer: Tokenizer,
    rng: np.random.Generator,
    exact: bool = False,
) -> Chosen:
    """`share` of the ordinary tokens of each sequence, at least one: single tokens, whole words, or spans of words.

    What is no whole number is rounded up or down by chance with `exact`, so that the share holds over many sequences;
    else to the nearest one, as in runs before format 5.
    """
    count = ordinary.sum(axis=1) * share  # (B)
    count = np.floor(count + rng.random(len(count))) if exact else np.round(count)
    wanted = np.maximum(1, count).astype(int)
    if masking == "tokens":
        chosen = _tokens(ordinary, wanted, rng)
        return np.where(chosen, np.cumsum(chosen.reshape(-1)).reshape(chosen.shape) - 1, -1)
    begins = begins_word(tokenizer)[ids]  # (B,S)
    pick = {"words": _words, "spans": _spans}[masking]
    return _row_by_row(ordinary, begins, wanted, pick, rng)


def hide(
    ids: NDArray,
    chosen: Chosen,
    tokenizer: Tokenizer,
    rng: np.random.Generator,
    fates: Fates = PUBLISHED,
    exact: bool = False,
) -> tuple[NDArray, NDArray]:
    """What the model sees, (B,S), and the chosen places (R), indices into B*S: some become the mask, some a random
    token, the others stay. Tokens of one number share this fate.

    With `exact` a random token is never a special one; else any of the vocabulary, as in runs before format 5.

    Raises BertcoreError where the vocabulary has no mask.
    """
    if tokenizer.mask_id is None:
        raise BertcoreError("This vocabulary has no [MASK]; choose one that has, or learn one from the text.")
    rows = np.flatnonzero(chosen >= 0)
    numbers = chosen.reshape(-1)[rows]
    fate = rng.random(int(numbers.max()) + 1 if len(rows) else 0)[numbers]
    known = ordinary_ids(tokenizer) if exact else existing_ids(tokenizer)
    words = known[rng.integers(0, len(known), len(rows))]
    seen = ids.copy()
    labels = ids.reshape(-1)[rows]
    seen.reshape(-1)[rows] = np.where(
        fate < fates.mask, tokenizer.mask_id, np.where(fate < fates.mask + fates.random, words, labels)
    )
    return seen, rows


@lru_cache(maxsize=8)
def begins_word(tokenizer: Tokenizer) -> NDArray[np.bool_]:
    """For each id whether it begins a word: WordPiece marks what goes on (##), byte-level BPE and SentencePiece mark
    the space before a word. A part's first token begins one in any case."""
    begins = np.ones(tokenizer.largest_id + 1, dtype=bool)
    goes_on = str(getattr(tokenizer.raw.model, "continuing_subword_prefix", None) or "##")
    mark = SPACE_MARKS.get(tokenizer.kind)
    for token, token_id in tokenizer.raw.get_vocab(with_added_tokens=False).items():
        if tokenizer.kind == "wordpiece":
            begins[token_id] = not token.startswith(goes_on)
        elif mark:
            begins[token_id] = token.startswith(mark)
    return begins


@lru_cache(maxsize=8)
def existing_ids(tokenizer: Tokenizer) -> NDArray[np.int64]:
    """All ids of the vocabulary, rising: they may have gaps."""
    return np.array(sorted(tokenizer.raw.get_vocab(with_added_tokens=True).values()), dtype=np.int64)


@lru_cache(maxsize=8)
def ordinary_ids(tokenizer: Tokenizer) -> NDArray[np.int64]:
    """The same without those of special tokens. Raises BertcoreError where nothing is left."""
    ids = np.setdiff1d(existing_ids(tokenizer), tokenizer.special_ids)
    if not len(ids):
        raise BertcoreError("This vocabulary has special tokens only; choose one that has words.")
    return ids


def span_lengths(count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """In words, 1 to 10: a geometric distribution, cut off there; 3.8 on average."""
    return 1 + np.searchsorted(_SPAN_SHARES, rng.random(count), side="right")


def _tokens(ordinary: NDArray, wanted: NDArray, rng: np.random.Generator) -> NDArray[np.bool_]:
    keys = np.where(ordinary, rng.random(ordinary.shape), 2.0)  # the lowest keys of each row are chosen; 2.0 never is
    chosen: NDArray[np.bool_] = (np.argsort(np.argsort(keys, axis=1), axis=1) < wanted[:, None]) & ordinary
    return chosen


Word = tuple[int, int]  # its tokens, [start, end) in the row
Pick = Callable[[list[Word], int, np.random.Generator], list[list[Word]]]


def _row_by_row(ordinary: NDArray, begins: NDArray, wanted: NDArray, pick: Pick, rng: np.random.Generator) -> Chosen:
    chosen = np.full(ordinary.shape, -1, dtype=np.int64)
    number = 0
    for row in range(len(ordinary)):
        for unit in pick(_words_of(ordinary[row], begins[row]), int(wanted[row]), rng):
            for start, end in unit:
                chosen[row, start:end] = number
            number += 1
    return chosen


def _words_of(ordinary: NDArray, begins: NDArray) -> list[Word]:
    before = np.concatenate([[False], ordinary[:-1]])
    first = ordinary & (begins | ~before)
    last = ordinary & np.concatenate([first[1:] | ~ordinary[1:], [True]])
    return list(zip(np.flatnonzero(first).tolist(), (np.flatnonzero(last) + 1).tolist(), strict=True))


def _words(words: list[Word], wanted: int, rng: np.random.Generator) -> list[list[Word]]:
    """Words in random order, those that still fit (google-research/bert, do_whole_word_mask); fates token by token."""
    free = wanted
    chosen: list[list[Word]] = []
    for number in rng.permutation(len(words)).tolist():
        start, end = words[number]
        if end - start <= free:
            chosen.extend([(place, place + 1)] for place in range(start, end))
            free -= end - start
            if not free:
                break
    return chosen or _one(words, rng)


def _spans(words: list[Word], wanted: int, rng: np.random.Generator) -> list[list[Word]]:
    """Spans that begin at random words and have random lengths, until nothing more fits; a span shares one fate."""
    free = wanted
    taken: set[int] = set()
    spans: list[list[Word]] = []
    order = rng.permutation(len(words)).tolist()
    for anchor, length in zip(order, span_lengths(len(words), rng).tolist(), strict=True):
        span: list[Word] = []
        for number in range(anchor, min(anchor + length, len(words))):
            start, end = words[number]
            apart = bool(span) and span[-1][1] != start  # a special token stands between
            if number in taken or apart or end - start > free:
                break
            taken.add(number)
            span.append((start, end))
            free -= end - start
        spans.extend([span] if span else [])
        if not free:
            break
    return spans or _one(words, rng)


def _one(words: list[Word], rng: np.random.Generator) -> list[list[Word]]:
    """Where every word is longer than what may be chosen: one of them all the same."""
    return [[words[int(rng.integers(len(words)))]]] if words else []
