"""Windows: whole sentences of one document that lie side by side, enough of them to fill a sequence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bertcore.data.corpus import Corpus

_FEW = 32  # so few documents are cut one by one: the longest ones have many more windows than the others


def with_pieces(corpus: Corpus, budget: int) -> Corpus:
    """The same text, but each sentence of more than `budget` tokens is several, of half of that at most.

    A transcript without full stops is one sentence from beginning to end.
    """
    starts = corpus.sentence_starts
    long = np.flatnonzero(np.diff(starts) > budget)
    if not len(long):
        return corpus
    lengths = starts[long + 1] - starts[long]
    pieces = -(-lengths // max(1, budget // 2))
    inner = pieces - 1  # cuts inside each
    number = np.arange(inner.sum()) - np.repeat(np.cumsum(inner) - inner, inner) + 1  # 1, 2, ... in each
    cuts = np.repeat(starts[long], inner) + number * np.repeat(lengths, inner) // np.repeat(pieces, inner)
    return replace(
        corpus,
        sentence_starts=np.insert(starts, np.repeat(long + 1, inner), cuts),
        document_starts=corpus.document_starts + np.searchsorted(cuts, starts[corpus.document_starts]),
    )


def cut_windows(
    corpus: Corpus, documents: NDArray, budget: int, rng: np.random.Generator, fewest: int = 2
) -> NDArray[np.int64]:
    """Windows of whole sentences with at least `budget` tokens where the document has them: (W,3).

    Columns: first sentence, sentence after the last, document. Order is random, and so is where in each document
    the first window begins, so that every epoch sees other windows. Fewer than `fewest` sentences are left out,
    unless they fill the budget. `documents` must rise.
    """
    order = rng.permutation(documents)
    starts = corpus.sentence_starts
    first, stop = _first_sentences(corpus, order, budget, rng)
    place = np.argsort(order)  # as the documents lie in the text: what is looked up one after the other lies together
    first, stop = first[place], stop[place]
    rounds = []  # (place of the document in the order, first sentence, sentence after the last), a window of each
    while len(place) > _FEW:
        goes_on = (stop - first >= fewest) | ((stop > first) & (starts[stop] - starts[first] >= budget))
        place, first, stop = place[goes_on], first[goes_on], stop[goes_on]
        end = np.minimum(np.maximum(np.searchsorted(starts, starts[first] + budget), first + 1), stop)
        rounds.append((place, first, end))
        first = end
    for number, begin, last in zip(place.tolist(), first.tolist(), stop.tolist(), strict=True):
        windows = _cut_document(starts, begin, last, budget, fewest)
        rounds.append((np.full(len(windows), number), windows[:, 0], windows[:, 1]))
    if not rounds:
        return np.zeros((0, 3), dtype=np.int64)
    places, firsts, ends = (np.concatenate(column) for column in zip(*rounds, strict=True))
    by_document = np.argsort(places, kind="stable")
    return rng.permutation(np.stack([firsts, ends, order[places]], axis=1)[by_document])


class WindowCounts:
    """How many windows `cut_windows` cuts, without cutting them."""

    def __init__(self, corpus: Corpus, documents: NDArray, budget: int, fewest: int) -> None:
        self._corpus, self._documents, self._budget = corpus, documents, budget
        starts, sentences = corpus.sentence_starts, np.arange(len(corpus.sentence_starts) - 1)
        stop = np.repeat(corpus.document_starts[1:], np.diff(corpus.document_starts))  # of each sentence's document
        goes_on = (stop - sentences >= fewest) | (starts[stop] - starts[sentences] >= budget)
        end = np.minimum(np.maximum(np.searchsorted(starts, starts[sentences] + budget), sentences + 1), stop)
        counts = [0] * (len(sentences) + 1)  # windows from each sentence to the end of its document
        ends, stops = end.tolist(), stop.tolist()
        for sentence in np.flatnonzero(goes_on)[::-1].tolist():
            next_one = ends[sentence]
            counts[sentence] = 1 + (counts[next_one] if next_one < stops[sentence] else 0)
        self._counts = np.array(counts)

    def of_epoch(self, rng: np.random.Generator) -> int:
        first, _ = _first_sentences(self._corpus, rng.permutation(self._documents), self._budget, rng)
        return int(self._counts[first].sum())


def has_random_starts(corpus: Corpus, documents: NDArray, budget: int) -> bool:
    """Whether a document is so long that its first window begins elsewhere in each epoch; else every epoch has the same
    windows, in another order."""
    starts = corpus.sentence_starts
    first, stop = corpus.document_starts[documents], corpus.document_starts[documents + 1]
    return bool((starts[stop] - starts[first] > 2 * budget).any())


def _first_sentences(
    corpus: Corpus, order: NDArray, budget: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where in each document the first window begins, by chance within a window's length, and where the document ends;
    both (D). A short document begins at its beginning."""
    starts = corpus.sentence_starts
    first, stop = corpus.document_starts[order], corpus.document_starts[order + 1]  # indexing copies
    long = np.flatnonzero(starts[stop] - starts[first] > 2 * budget)
    lying = long[np.argsort(first[long])]
    after = np.zeros(len(order), dtype=np.int64)  # sentences that begin within the first `budget` tokens
    after[lying] = np.searchsorted(starts, starts[first[lying]] + budget) - first[lying]
    first[long] += rng.integers(0, np.clip(after[long], 1, stop[long] - first[long]))
    return first, stop


def _cut_document(starts: NDArray, first: int, stop: int, budget: int, fewest: int) -> NDArray[np.int64]:
    """The windows of one document, (W,2)."""
    after = np.arange(first + 1, stop + 1)
    ends = np.minimum(np.maximum(np.searchsorted(starts, starts[first:stop] + budget), after), stop).tolist()
    windows, begin = [], first
    while stop - begin >= fewest or (stop > begin and starts[stop] - starts[begin] >= budget):
        windows.append((begin, ends[begin - first]))
        begin = ends[begin - first]
    return np.array(windows, dtype=np.int64).reshape(-1, 2)
