"""Which words lie nearest to a word in the token table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bertcore.tokenization import Tokenizer


class NearestWords:
    """Cosine search in a token table (V,H); the table is normalised once."""

    def __init__(self, token_table: NDArray[np.float32], tokenizer: Tokenizer) -> None:
        lengths = np.linalg.norm(token_table, axis=1, keepdims=True)
        self._unit = token_table / np.maximum(lengths, np.finfo(np.float32).tiny)
        self._tokenizer = tokenizer

    def nearest(self, token_id: int, k: int) -> list[tuple[str, float]]:
        """The k nearest other words with their cosine, nearest first; special tokens are left out."""
        cosines = self._unit @ self._unit[token_id]  # (V)
        cosines[[token_id, *self._tokenizer.special_ids]] = -np.inf
        k = min(k, len(cosines) - 1)
        best = np.argpartition(-cosines, k - 1)[:k]
        best = best[np.argsort(-cosines[best], kind="stable")]
        return [(self._tokenizer.word(int(i)), float(cosines[i])) for i in best if np.isfinite(cosines[i])]
