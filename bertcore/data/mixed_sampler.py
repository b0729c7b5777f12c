"""Sequences from several texts, each read as often as its weight says; and where in the texts each token comes from."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bertcore.data.corpus import Corpus
from bertcore.data.mixture import MixtureFile
from bertcore.data.pairs import PairRules, PairSampler, TokenPair

_SAME_DOCUMENT, _SAME_SOURCE = 0.25, 0.5  # a random B comes from there up to here in 0..1, else from another source


class MixedSampler:
    """Windows of several texts, each as often as its weight says; what follows is fixed by the seed alone.

    Where B is not to follow A, it comes from another source half of the time, else from another document of the same
    source or from elsewhere in the same document: topic and style must not be enough to tell.
    """

    def __init__(
        self,
        corpora: Sequence[Corpus],
        sources: Sequence[MixtureFile],
        held_out: bool,
        length: int,
        seed: int,
        rules: PairRules,
    ) -> None:
        self.samplers: list[PairSampler] = []
        for number, (corpus, source) in enumerate(zip(corpora, sources, strict=True)):
            whole = replace(corpus, held_out=np.full(len(corpus.held_out), held_out))
            own = rules if source.pairs else replace(rules, kind="none")
            own = replace(own, random_next=partial(self._random_next, number)) if own.kind == "nsp" else own
            self.samplers.append(PairSampler(whole, held_out, length, seed, own))
        weights = np.array([1.0 if held_out else source.weight for source in sources])
        self._shares = weights / weights.sum()
        paired = np.array([sampler.rules.kind == "nsp" for sampler in self.samplers])
        self._paired_shares = np.where(paired, self._shares, 0.0)
        self._taken = np.zeros(len(weights), dtype=np.int64)  # windows of each source so far

    @property
    def state(self) -> list[tuple[int, int, int]]:
        """(windows taken, epoch, position) of each source: all that a resume needs."""
        taken = self._taken.tolist()
        return [(count, *sampler.state) for count, sampler in zip(taken, self.samplers, strict=True)]

    def restore(self, state: Sequence[tuple[int, int, int]]) -> None:
        for number, (sampler, (taken, epoch, position)) in enumerate(zip(self.samplers, state, strict=True)):
            self._taken[number] = taken
            sampler.restore((epoch, position))

    @property
    def windows_per_epoch(self) -> int:
        return sum(sampler.windows_per_epoch for sampler in self.samplers)

    def windows(self, count: int) -> NDArray[np.int64]:
        """The next `count` windows, (count,4): the number of the source, and the window in it."""
        order = self._sources(count)
        found = np.empty((count, 4), dtype=np.int64)
        found[:, 0] = order
        for number, sampler in enumerate(self.samplers):
            found[order == number, 1:] = sampler.windows(int((order == number).sum()))
        return found

    def skip(self, count: int) -> None:
        """As `windows` leaves it, in less time."""
        counts = np.bincount(self._sources(count), minlength=len(self.samplers)).tolist()
        for sampler, windows in zip(self.samplers, counts, strict=True):
            sampler.skip(windows)

    def _sources(self, count: int) -> NDArray[np.int64]:
        """The numbers of the sources that the next `count` windows come from."""
        order, total = np.empty(count, dtype=np.int64), int(self._taken.sum())
        shares, taken = self._shares.tolist(), self._taken.tolist()  # for so few numbers lists are faster than arrays
        for row in range(count):  # the source that is furthest behind its share
            total += 1
            behind = [share * total - already for share, already in zip(shares, taken, strict=True)]
            order[row] = number = behind.index(max(behind))
            taken[number] += 1
        self._taken[:] = taken
        return order

    def pairs(self, windows: NDArray[np.int64], rng: np.random.Generator, label: int | None = None) -> list[TokenPair]:
        return [self.samplers[row[0]].pairs(row[None, 1:], rng, label)[0] for row in windows]

    def _random_next(self, number: int, window: NDArray[np.int64], length: int, rng: np.random.Generator) -> NDArray:
        """A B of some `length` tokens that does not follow."""
        own, where = self.samplers[number], rng.random()
        if where < _SAME_DOCUMENT:
            found = own.other_place(window, length, rng)
            if found is not None:
                return found
        others = self._paired_shares.copy()
        others[number] = 0.0
        if (where < _SAME_SOURCE and len(own.documents) > 1) or not others.any():
            return own.random_next(window, length, rng)
        other = self.samplers[int(rng.choice(len(others), p=others / others.sum()))]
        return other.random_next(None, length, rng)


# --- origins
# Pairs are made of a corpus whose tokens are their own places. A pair is made without looking at what its tokens are:
# the pairs of places are those of the training, and the ids are looked up after that.


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
