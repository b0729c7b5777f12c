"""Where in the text each token of a pair comes from.

Pairs are made of a corpus whose tokens are their own places. A pair is made without looking at what its tokens are, so
the pairs of places are those of the training, and the ids are looked up after that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bertcore.data.corpus import Corpus
from bertcore.data.pairs import TokenPair

BETWEEN = -1  # in the place of a separator between two documents
_SOURCE = 1 << 44  # places of source k are those from k times this number on


class Places:
    """Stands for a corpus's tokens; a slice gives their places, counted from `first`."""

    def __init__(self, first: int, count: int) -> None:
        self._first, self._count = first, count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, wanted: slice) -> NDArray[np.int64]:
        start, stop, _ = wanted.indices(self._count)
        return np.arange(start, max(start, stop), dtype=np.int64) + self._first


class PlacedText:
    """The texts of a run with places for tokens, in `placed`; BETWEEN stands for the separator.

    `origins` are the pairs of places that were looked up since it was last emptied.
    """

    def __init__(self, corpora: Sequence[Corpus], separator: int) -> None:
        self._corpora, self._separator = corpora, separator
        self.origins: list[TokenPair] = []
        self._bounds = [corpus.sentence_starts[corpus.document_starts] for corpus in corpora]  # tokens, of documents
        places = [cast(Any, Places(number * _SOURCE, len(corpus.tokens))) for number, corpus in enumerate(corpora)]
        self.placed = [replace(corpus, tokens=tokens) for corpus, tokens in zip(corpora, places, strict=True)]

    def look_up(self, pairs: list[TokenPair]) -> list[TokenPair]:
        """The pairs of ids that stand at pairs of places."""
        self.origins += pairs
        return [replace(pair, a=self.ids(pair.a), b=self.ids(pair.b)) for pair in pairs]

    def ids(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """What stands there."""
        ids = np.full(len(places), self._separator, dtype=np.int64)
        ends = np.flatnonzero((np.diff(places) != 1) | (places[:-1] == BETWEEN)) + 1
        for run in np.split(np.arange(len(places)), ends):  # places that lie side by side
            if len(run) and places[run[0]] >= 0:
                number, first = divmod(int(places[run[0]]), _SOURCE)
                ids[run] = self._corpora[number].tokens[first : first + len(run)]
        return ids

    def documents(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """The number of each place's document in its file's text, from 0; BETWEEN for what is no place."""
        found = np.full(places.shape, BETWEEN, dtype=np.int64)
        for number, bounds in enumerate(self._bounds):
            here = (places >= 0) & (places // _SOURCE == number)
            found[here] = np.searchsorted(bounds, places[here] % _SOURCE, side="right") - 1
        return found

    @staticmethod
    def sources(places: NDArray[np.int64]) -> NDArray[np.int64]:
        """The number of each place's corpus; BETWEEN for what is no place."""
        return np.where(places >= 0, places // _SOURCE, BETWEEN)
