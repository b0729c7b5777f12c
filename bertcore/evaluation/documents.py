"""The held-out documents of some text, file by file: those that a run on the same files keeps apart.

Only they are tokenised, so that a model with another vocabulary can be measured on the same documents at once. They are
cut into sequences laid out as the model was trained: B follows A, split where a sentence begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bertcore.data.corpus import choose_held_out
from bertcore.data.pairs import IS_NEXT, NO_LABEL, NOT_NEXT, Pair, PairRules
from bertcore.data.text import BLOCKS, Documents, TextFormat
from bertcore.data.tokenising import document_hash, split_sentences
from bertcore.errors import BertcoreError
from bertcore.tokenizer.tokenizer import Tokenizer

ALL_SOURCES = "all"  # the row of all files together


@dataclass(frozen=True)
class Document:
    """Sentences (N) that have a token at least, and their ids on end."""

    source: str  # name of its file or folder
    sentences: tuple[str, ...]
    tokens: NDArray[np.int64]  # (T)
    starts: NDArray[np.int64]  # (N+1) where each sentence begins, and T

    @classmethod
    def of(cls, source: str, sentences: Sequence[str], tokenizer: Tokenizer) -> Document:
        pieces = [np.array(ids, dtype=np.int64) for ids in tokenizer.encode_batch_ids(list(sentences))]
        kept = [(text, ids) for text, ids in zip(sentences, pieces, strict=True) if len(ids)]
        lengths = [len(ids) for _, ids in kept]
        return cls(
            source=source,
            sentences=tuple(text for text, _ in kept),
            tokens=np.concatenate([ids for _, ids in kept]) if kept else np.zeros(0, dtype=np.int64),
            starts=np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64),
        )

    def __len__(self) -> int:
        return len(self.tokens)


def held_out_documents(files: Sequence[Path], tokenizer: Tokenizer, form: TextFormat = BLOCKS) -> list[Document]:
    """Held-out documents in the order of the text; which they are hangs on all files together, as in training.

    The text is read twice: once to choose, once to take. Raises BertcoreError for files that cannot be read, and where
    there is no document.
    """
    hashes = np.array([document_hash(document) for _, document in _documents(files, form)])
    if not len(hashes):
        raise BertcoreError(f"There is no text in {', '.join(file.name for file in files)}.")
    found = _taken(files, form, choose_held_out(hashes, np.zeros(len(hashes))))
    if not any(len(sentences) > 1 for _, sentences in found):  # a tiny text: then one with a pair of sentences too
        counts = np.array([len(_sentences(document)) for _, document in _documents(files, form)])
        found = _taken(files, form, choose_held_out(hashes, counts))
    documents = [Document.of(source, sentences, tokenizer) for source, sentences in found]
    return [document for document in documents if len(document)]


def by_source(documents: Sequence[Document]) -> dict[str, list[Document]]:
    """Documents of each file, in the order of the files."""
    found: dict[str, list[Document]] = {}
    for document in documents:
        found.setdefault(document.source, []).append(document)
    return found


def _documents(files: Sequence[Path], form: TextFormat) -> Iterator[tuple[str, list[str]]]:
    for file, name in zip(files, _names(files), strict=True):
        for document in Documents([file], form):
            yield name, document


def _names(files: Sequence[Path]) -> list[str]:
    """What each file is called in a table: with its folder, or a number, where two would be called the same."""
    names = [file.name for file in files]
    if len(set(names)) < len(names):
        names = [f"{file.absolute().parent.name}/{file.name}" for file in files]
    taken = {name for name in names if names.count(name) > 1} | {ALL_SOURCES}
    return [f"{number}: {name}" if name in taken else name for number, name in enumerate(names, 1)]


def _taken(files: Sequence[Path], form: TextFormat, chosen: NDArray[np.bool_]) -> list[tuple[str, list[str]]]:
    """Source and sentences of the chosen documents."""
    pairs = zip(chosen, _documents(files, form), strict=True)
    return [(source, _sentences(document)) for is_chosen, (source, document) in pairs if is_chosen]


def _sentences(document: list[str]) -> list[str]:
    return [sentence for paragraph in document for sentence in split_sentences(paragraph)]


_TRIES = 200  # places looked at for sentences of the right length
_ALIKE = 0.2  # how far the length of a random B may be from that of the right one
_FILLED = 0.85  # of the room, by A and its own B


@dataclass(frozen=True)
class Window:
    """Tokens [first, stop) of a document; `split` is where B begins, None where no sentence begins inside."""

    document: int
    first: int
    split: int | None
    stop: int


def cut(documents: Sequence[Document], length: int, rules: PairRules, only_full: bool = False) -> list[Window]:
    """Windows side by side, each of what a sequence of `length` holds; every token stands in just one of them.

    A pair is split at the sentence that begins nearest the middle. `only_full` leaves out what is shorter than
    `length`: a document's last window, and a part without a split, which has one special token less.
    """
    windows = []
    for number, document in enumerate(documents):
        room = rules.room(length)
        for first in range(0, len(document), room):
            stop = min(first + room, len(document))
            split = None if rules.kind == "none" else _split(document, first, stop)
            if not only_full or (stop - first == room and (split is not None or rules.kind == "none")):
                windows.append(Window(number, first, split, stop))
    return windows


def _split(document: Document, first: int, stop: int) -> int | None:
    starts = document.starts
    inside = starts[np.searchsorted(starts, first, side="right") : np.searchsorted(starts, stop)]
    if not len(inside):
        return None
    return int(inside[np.argmin(np.abs(inside - (first + stop) / 2))])


def following(documents: Sequence[Document], window: Window) -> Pair:
    """The window's text as a pair in which B follows A, or as one part."""
    tokens = documents[window.document].tokens
    if window.split is None:
        return Pair(tokens[window.first : window.stop], tokens[:0], NO_LABEL)
    return Pair(tokens[window.first : window.split], tokens[window.split : window.stop], IS_NEXT)


def whole_sentences(documents: Sequence[Document], length: int, rules: PairRules) -> list[Window]:
    """Windows of whole sentences, as many as fill most of a sequence of `length`, split nearest the middle.

    Room is left for a random B that is somewhat longer. A sentence that is too long, or stands alone in its window, is
    in none of them.
    """
    windows = []
    room = int(_FILLED * rules.room(length))
    for number, document in enumerate(documents):
        starts, sentence = document.starts, 0
        while sentence < len(document.sentences):
            first = int(starts[sentence])
            after = int(np.searchsorted(starts, first + room, side="right")) - 1  # of the last that fits
            if after > sentence + 1:
                stop = int(starts[after])
                windows.append(Window(number, first, _split(document, first, stop), stop))
            sentence = max(after, sentence + 1)
    return windows


def single_sentences(documents: Sequence[Document], fewest: int, most: int) -> list[Window]:
    """A window of each sentence that has `fewest` to `most` tokens."""
    return [
        Window(number, int(first), None, int(stop))
        for number, document in enumerate(documents)
        for first, stop in pairwise(document.starts)
        if fewest <= stop - first <= most
    ]


def random_next_sentence(
    documents: Sequence[Document], window: Window, room: int, rng: np.random.Generator
) -> Pair | None:
    """The window's A, and about as many tokens as its B has: whole sentences of another of these documents.

    Nothing but what B says may tell that it does not follow: were it shorter or cut off more often, that would. None
    where no other document has such sentences; the window must have a split and be made of whole sentences.
    """
    assert window.split is not None
    wanted, most = window.stop - window.split, room - (window.split - window.first)
    for _ in range(_TRIES):
        other = int(rng.integers(len(documents)))
        if other == window.document:
            continue
        starts = documents[other].starts
        begin = int(rng.integers(len(starts) - 1))
        lengths = starts[begin + 1 :] - starts[begin]  # of one sentence from there, of two ...
        length = int(lengths[np.argmin(np.abs(lengths - wanted))])
        if length <= most and abs(length - wanted) <= _ALIKE * wanted:
            a = documents[window.document].tokens[window.first : window.split]
            return Pair(a, documents[other].tokens[starts[begin] : starts[begin] + length], NOT_NEXT)
    return None


def evenly(windows: Sequence[Window], most: int) -> list[Window]:
    """At most so many of them, spread over all."""
    if len(windows) <= most:
        return list(windows)
    return [windows[i] for i in np.linspace(0, len(windows) - 1, most).round().astype(int)]


def batches(lengths: Sequence[int], most_tokens: int) -> Iterator[NDArray[np.int64]]:
    """Numbers of the sequences of each batch: alike in length, so that little is padding; at most so many tokens."""
    order = np.argsort(np.array(lengths), kind="stable")[::-1]
    while len(order):
        count = max(1, most_tokens // max(1, lengths[int(order[0])]))
        yield order[:count]
        order = order[count:]
