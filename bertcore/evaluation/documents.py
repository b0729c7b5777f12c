"""The held-out documents of some text, file by file: those that a run on the same files keeps apart.

Only they are tokenised, so that a model with another vocabulary can be measured on the same documents at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bertcore.data.corpus import choose_held_out
from bertcore.data.text import BLOCKS, Documents, TextFormat
from bertcore.data.tokenising import document_hash, split_sentences
from bertcore.errors import BertcoreError
from bertcore.tokenizer.tokenizer import Tokenizer

ALL_SOURCES = "all"  # the row of all files together


@dataclass(frozen=True)
class Document:
    """Sentences (N) that have a token at least, and their ids on end."""

    source: str  # name of the file or folder that it stands in
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
