"""The documents on which a model is measured: of its own text those that a run on the same files holds out, of other
text all.

Only they are tokenised, so that a model with another vocabulary can be measured on the same documents at once. They are
cut into sequences laid out as the model was trained: B follows A, split where a sentence begins.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bertcore.data.corpus import choose_held_out
from bertcore.data.pairs import IS_NEXT, NO_LABEL, NOT_NEXT, PairRules, TokenPair
from bertcore.data.text import BLOCKS, Documents, TextFormat
from bertcore.data.tokenising import document_hash, split_sentences
from bertcore.errors import BertcoreError
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.options import HELD_OUT_SEED

ALL_SOURCES = "all"  # the row of all files together


@dataclass(frozen=True)
class Document:
    """Sentences (N) that have a token at least, and their ids on end."""

    source: str  # name of its file or folder
    sentences: tuple[str, ...]
    tokens: NDArray[np.int64]  # (T)
    starts: NDArray[np.int64]  # (N+1) where each sentence begins, and T
    is_connected: bool = True  # False: its sentences have nothing to do with one another

    @classmethod
    def of(cls, source: str, sentences: Sequence[str], tokenizer: Tokenizer, is_connected: bool = True) -> Document:
        pieces = [np.array(ids, dtype=np.int64) for ids in tokenizer.encode_batch_ids(list(sentences))]
        kept = [(text, ids) for text, ids in zip(sentences, pieces, strict=True) if len(ids)]
        lengths = [len(ids) for _, ids in kept]
        return cls(
            source=source,
            sentences=tuple(text for text, _ in kept),
            tokens=np.concatenate([ids for _, ids in kept]) if kept else np.zeros(0, dtype=np.int64),
            starts=np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64),
            is_connected=is_connected,
        )

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True)
class EvaluationText:
    """Documents by row of the report: a file, or a kind of text."""

    rows: dict[str, list[Document]]
    documents_in_text: int  # those that are not measured too
    is_whole: bool  # else its held-out part

    @property
    def documents(self) -> list[Document]:
        return [document for row in self.rows.values() for document in row]

    def limited(self, tokens: int) -> EvaluationText:
        """At most so many tokens of each row."""
        return replace(self, rows={name: sample(documents, tokens) for name, documents in self.rows.items()})


def held_out_text(files: Sequence[Path], tokenizer: Tokenizer, form: TextFormat = BLOCKS) -> EvaluationText:
    """Held-out documents by file, in the order of the text; which they are depends on all files, as in training.

    The text is read twice: once to choose, once to take. Raises BertcoreError for files that cannot be read, and where
    there is no document.
    """
    hashes = np.array([document_hash(document) for _, document in _documents(files, form)])
    if not len(hashes):
        raise _no_text(files)
    found = _taken(files, form, choose_held_out(hashes, np.zeros(len(hashes))))
    if not any(len(sentences) > 1 for _, sentences in found):  # a tiny text: then one with a pair of sentences too
        counts = np.array([len(_sentences(document)) for _, document in _documents(files, form)])
        found = _taken(files, form, choose_held_out(hashes, counts))
    documents = [Document.of(source, sentences, tokenizer) for source, sentences in found]
    return EvaluationText(by_source([d for d in documents if len(d)]), len(hashes), is_whole=False)


def whole_documents(
    kinds: Mapping[str, Sequence[Path]],
    tokenizer: Tokenizer,
    form: TextFormat = BLOCKS,
    unconnected: Collection[Path] = (),
) -> EvaluationText:
    """All documents of the files of each kind; `unconnected` are those of the files whose sentences have nothing to do
    with one another.

    Raises BertcoreError for files that cannot be read, and for a kind without text.
    """
    files = [(kind, file) for kind, of_kind in kinds.items() for file in of_kind]
    rows: dict[str, list[Document]] = {kind: [] for kind in kinds}
    count = 0
    for (kind, file), name in zip(files, _names([file for _, file in files]), strict=True):
        for paragraphs in Documents([file], form):
            count += 1
            document = Document.of(name, _sentences(paragraphs), tokenizer, file not in unconnected)
            if len(document):
                rows[kind].append(document)
    for kind, documents in rows.items():
        if not documents:
            raise _no_text(kinds[kind])
    return EvaluationText(rows, count, is_whole=True)


def whole_files(files: Sequence[Path], tokenizer: Tokenizer, form: TextFormat = BLOCKS) -> EvaluationText:
    """All documents of some files, each a row of its own."""
    return whole_documents({name: [file] for name, file in zip(_names(files), files, strict=True)}, tokenizer, form)


def _no_text(files: Sequence[Path]) -> BertcoreError:
    return BertcoreError(f"There is no text in {', '.join(file.name for file in files)}.")


def sample(documents: Sequence[Document], tokens: int) -> list[Document]:
    """Documents that have at most so many tokens together, drawn at random, the same ones each time, and in their
    order; one in any case."""
    order = np.random.default_rng(HELD_OUT_SEED).permutation(len(documents))
    lengths = np.array([len(document) for document in documents])[order]
    count = max(1, int((np.cumsum(lengths) <= tokens).sum()))
    return [documents[i] for i in sorted(order[:count])]


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
_FILLED = 0.85  # of the budget, by A and its own B


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
        budget = rules.token_budget(length)
        for first in range(0, len(document), budget):
            stop = min(first + budget, len(document))
            split = None if rules.kind == "none" else _split(document, first, stop)
            if not only_full or (stop - first == budget and (split is not None or rules.kind == "none")):
                windows.append(Window(number, first, split, stop))
    return windows


def _split(document: Document, first: int, stop: int) -> int | None:
    starts = document.starts
    inside = starts[np.searchsorted(starts, first, side="right") : np.searchsorted(starts, stop)]
    if not len(inside):
        return None
    return int(inside[np.argmin(np.abs(inside - (first + stop) / 2))])


def following(documents: Sequence[Document], window: Window) -> TokenPair:
    """The window's text as a pair in which B follows A, or as one part."""
    tokens = documents[window.document].tokens
    if window.split is None:
        return TokenPair(tokens[window.first : window.stop], tokens[:0], NO_LABEL)
    return TokenPair(tokens[window.first : window.split], tokens[window.split : window.stop], IS_NEXT)


def whole_sentences(documents: Sequence[Document], length: int, rules: PairRules) -> list[Window]:
    """Windows of whole sentences, two at least, as many as fill most of a sequence of `length`, split nearest the
    middle.

    Space is left for a random B that is somewhat longer. Of a short document a window has no more than half, where two
    sentences are that short, so that a random B can come from another place in it. A sentence that is too long, or
    stands alone in its window, is in none of them.
    """
    windows = []
    most = int(_FILLED * rules.token_budget(length))
    for number, document in enumerate(documents):
        starts, sentence = document.starts, 0
        while sentence < len(document.sentences):
            first = int(starts[sentence])
            budget = min(most, len(document) // 2)
            if sentence + 2 < len(starts) and starts[sentence + 2] - first <= most:
                budget = max(budget, int(starts[sentence + 2]) - first)
            after = int(np.searchsorted(starts, first + budget, side="right")) - 1  # of the last that fits
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
    document: Document,
    window: Window,
    pools: Sequence[Sequence[Document]],
    budget: int,
    rng: np.random.Generator,
    is_same_document: bool = False,
) -> TokenPair | None:
    """The window's A, and about as many tokens as its B has: whole sentences of another document of `pools`, each pool
    as often as another; or, with `is_same_document`, of another place in `document`.

    Nothing but what B says may tell that it does not follow: were it shorter or cut off more often, that would. None
    where no document has such sentences; the window must have a split and be made of whole sentences.
    """
    assert window.split is not None
    wanted, most = window.stop - window.split, budget - (window.split - window.first)
    for _ in range(_TRIES if pools else 0):
        pool = pools[int(rng.integers(len(pools)))]
        other = pool[int(rng.integers(len(pool)))]
        if (other is document) != is_same_document:
            continue
        begin = int(rng.integers(len(other.starts) - 1))
        first = int(other.starts[begin])
        lengths = other.starts[begin + 1 :] - first  # of one sentence from there, of two ...
        length = int(lengths[np.argmin(np.abs(lengths - wanted))])
        if is_same_document and first < window.stop and first + length > window.first:
            continue
        if length <= most and abs(length - wanted) <= _ALIKE * wanted:
            return TokenPair(
                document.tokens[window.first : window.split], other.tokens[first : first + length], NOT_NEXT
            )
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
