"""Sentence pairs for next-sentence prediction, cut from the corpus so that nearly every sequence is full."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertcore.data.corpus import Corpus
from bertcore.tokenization import fit_pair

IS_NEXT, NOT_NEXT, NO_LABEL = 0, 1, -100


@dataclass(frozen=True)
class Pair:
    """Ids of part A and of part B (empty where the window was one single sentence), and whether B follows A."""

    a: NDArray
    b: NDArray
    label: int


def cut_windows(corpus: Corpus, documents: NDArray, room: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Windows of whole sentences with at least `room` tokens where the document has them: (W,3).

    Columns: first sentence, sentence after the last, document. Order is random, and so is where in each document
    the first window begins, so that every epoch sees other windows.
    """
    starts = corpus.sentence_starts
    windows: list[tuple[int, int, int]] = []
    for document in rng.permutation(documents):
        first, stop = int(corpus.document_starts[document]), int(corpus.document_starts[document + 1])
        if starts[stop] - starts[first] > 2 * room:
            first += int(rng.integers(0, max(1, np.searchsorted(starts[first:stop], starts[first] + room))))
        while stop - first >= 2 or (stop > first and starts[stop] - starts[first] >= room):
            end = min(first + int(np.searchsorted(starts[first : stop + 1], starts[first] + room)), stop)
            windows.append((first, max(end, first + 1), int(document)))
            first = max(end, first + 1)
    return rng.permutation(np.array(windows, dtype=np.int64).reshape(-1, 3))


def make_pair(corpus: Corpus, documents: NDArray, window: NDArray, room: int, rng: np.random.Generator) -> Pair:
    """Split a window between two of its sentences; half of the time B comes from another document instead.

    Where both do not fit into `room` tokens, A loses its beginning and B its end, so that they still touch.
    """
    first, end, document = (int(value) for value in window)
    starts, tokens = corpus.sentence_starts, corpus.tokens
    if end - first < 2:
        return Pair(tokens[starts[first] : starts[first] + room], tokens[:0], NO_LABEL)
    split = int(rng.integers(first + 1, end))
    a = tokens[starts[first] : starts[split]]
    if rng.random() < 0.5 and len(documents) > 1:
        label, b = NOT_NEXT, _from_elsewhere(corpus, documents, document, room, rng)
        b = b[: max(int(starts[end] - starts[split]), room - len(a))]
    else:
        label, b = IS_NEXT, tokens[starts[split] : starts[end]]
    keep_a, keep_b = fit_pair(len(a), len(b), room)
    return Pair(a[len(a) - keep_a :], b[:keep_b], label)


def _from_elsewhere(corpus: Corpus, documents: NDArray, document: int, room: int, rng: np.random.Generator) -> NDArray:
    other = int(rng.choice(documents))
    while other == document:
        other = int(rng.choice(documents))
    first, stop = corpus.document_starts[other], corpus.document_starts[other + 1]
    begin = corpus.sentence_starts[rng.integers(first, stop)]
    return corpus.tokens[begin : min(begin + room, int(corpus.sentence_starts[stop]))]
