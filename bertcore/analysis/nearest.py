"""Which words lie nearest to a word in the token table (V,E): V vocabulary, E width. Importable without torch."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.vectors import cosine
from bertcore.progress import ReportProgress

if TYPE_CHECKING:
    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.tokenizer.tokenizer import Tokenizer

Measure = Literal["cosine", "distance"]


@dataclass(frozen=True)
class NearWord:
    """A word near another one, by both measures."""

    token_id: int
    word: str  # as the vocabulary writes it
    cosine: float
    distance: float  # Euclidean (L2)


@dataclass(frozen=True, eq=False)
class WordsAround:
    """Words near several others, each once."""

    words: list[NearWord]  # measured from the first of those they are near to
    vectors: NDArray[np.float32]  # (K,E) their rows of the token table
    of: list[int]  # (K) which of the groups that were asked for each is near to


class NearestWords:
    """Search in a token table (V,E); the length of each row is worked out once."""

    def __init__(self, token_table: NDArray[np.float32], tokenizer: Tokenizer) -> None:
        self._table, self._tokenizer = token_table, tokenizer
        self._lengths = np.linalg.norm(token_table, axis=1)  # (V)
        known = set(tokenizer.raw.get_vocab(with_added_tokens=True).values()) - set(tokenizer.special_ids)
        self._left_out = np.ones(len(token_table), dtype=bool)  # rows of special tokens, and of none (decision 0006)
        self._left_out[[row for row in known if row < len(token_table)]] = False

    def near(self, token_ids: Sequence[int], k: int, by: Measure = "cosine") -> list[NearWord]:
        """The k words nearest to the mean vector of these, nearest first; they and special tokens are left out."""
        query = self._table[list(token_ids)].mean(axis=0)  # (E)
        products = self._table @ query  # (V)
        if by == "cosine":
            farness = -products / np.maximum(self._lengths, np.finfo(np.float32).tiny)
        else:
            farness = self._lengths**2 - 2 * products  # squared distance, but for what is the same for all
        farness[self._left_out] = np.inf
        farness[list(token_ids)] = np.inf
        k = min(k, len(farness) - 1)
        best = np.argpartition(farness, k - 1)[:k]
        words = [self._measured(int(i), query) for i in best if np.isfinite(farness[i])]
        return sorted(words, key=lambda word: (-word.cosine if by == "cosine" else word.distance, word.token_id))

    def around(
        self, groups: Sequence[Sequence[int]], k: int, by: Measure, progress: ReportProgress | None = None
    ) -> WordsAround:
        """The k words nearest to each group of tokens (a word's pieces); none that is itself in a group."""
        here = {token_id for group in groups for token_id in group}
        words: dict[int, NearWord] = {}
        of: dict[int, int] = {}
        for number, group in enumerate(groups):
            if progress is not None:
                progress(number / len(groups))
            for word in self.near(group, k, by):
                if word.token_id not in here and word.token_id not in words:
                    words[word.token_id], of[word.token_id] = word, number
        vectors = np.ascontiguousarray(self._table[list(words)], dtype=np.float32)  # (K,E)
        return WordsAround(list(words.values()), vectors, [of[token_id] for token_id in words])

    def _measured(self, token_id: int, query: NDArray) -> NearWord:
        """Measured anew in double precision: the search's differences of large numbers are not exact."""
        vector, exact = self._table[token_id].astype(np.float64), query.astype(np.float64)
        distance = float(np.linalg.norm(vector - exact))
        return NearWord(token_id, self._tokenizer.word(token_id), cosine(vector, exact), distance)


class WordFinder:
    """Finds words in the token table of whichever checkpoint it is given; remembers the last one's lengths.

    For a model whose weights stay as they are.
    """

    def __init__(self) -> None:
        self._model: Callable[[], object] = lambda: None
        self._words: NearestWords | None = None

    def words_of(self, checkpoint: Checkpoint) -> NearestWords:
        if self._words is None or self._model() is not checkpoint.model:
            table = checkpoint.model.embeddings.token.weight.detach().float().cpu().numpy()  # (V,E)
            self._words, self._model = NearestWords(table, checkpoint.tokenizer), weakref.ref(checkpoint.model)
        return self._words
