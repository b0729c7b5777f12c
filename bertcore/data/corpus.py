"""Documents to one array of token ids with sentence and document starts, made once and memory-mapped after that."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import sentencex
from numpy.typing import NDArray

from bertcore.data.text import read_documents
from bertcore.errors import BertcoreError
from bertcore.locations import home
from bertcore.tokenization import Tokenizer

FORMAT_VERSION = 2
HELD_OUT_SHARE = 0.02  # of all documents, chosen by their text ...
HELD_OUT_AT_LEAST = 30  # ... or, in a small corpus, so many of them (a fifth of all at most)
_DOCUMENTS_AT_ONCE = 500
_ARRAYS = ("tokens", "sentence_starts", "document_starts", "held_out")


@dataclass(frozen=True)
class Corpus:
    """Token ids of all sentences on end, and where each sentence and document begins.

    tokens (T) ids; sentence_starts (N+1) indices into tokens; document_starts (D+1) indices into sentence_starts;
    held_out (D) True where a document is kept apart for evaluation.
    """

    tokens: NDArray[np.uint32]
    sentence_starts: NDArray[np.int64]
    document_starts: NDArray[np.int64]
    held_out: NDArray[np.bool_]

    def documents(self, held_out: bool) -> NDArray[np.int64]:
        """Numbers of the documents on one side of the division."""
        return np.flatnonzero(self.held_out == held_out)

    def count_tokens(self, held_out: bool) -> int:
        bounds = self.sentence_starts[self.document_starts]
        return int(np.diff(bounds)[self.held_out == held_out].sum())


def load_corpus(files: list[Path], tokenizer: Tokenizer, progress: Callable[[int], None] | None = None) -> Corpus:
    """Tokenise text files, or take the result of last time from the cache (keyed by their content and the vocabulary).

    `progress` is told the number of documents done. Raises BertcoreError for unreadable files and for a text with
    fewer than two documents or four sentences to train on.
    """
    folder = home() / "cache" / "corpora" / corpus_key(files, tokenizer)
    if not (folder / "about.json").is_file():
        _build(files, tokenizer, folder, progress)
    corpus = Corpus(**{name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in _ARRAYS})
    if len(corpus.documents(False)) < 2 or len(corpus.sentence_starts) < 5:
        names = ", ".join(file.name for file in files)
        raise BertcoreError(
            f"There is too little text in {names}: at least three documents (separated by blank lines) "
            "of two sentences each are needed, and more is better."
        )
    return corpus


def corpus_key(files: list[Path], tokenizer: Tokenizer) -> str:
    """Names the cache: changes with any file's content, the vocabulary, or the format."""
    digest = hashlib.sha256(f"{FORMAT_VERSION} {HELD_OUT_SHARE}\n{tokenizer.raw.to_str()}\n".encode())
    for file in files:
        try:
            with file.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
        except OSError as error:
            raise BertcoreError(f"The text file {file} cannot be read: {error.strerror}.") from None
    return digest.hexdigest()[:32]


def split_sentences(paragraph: str) -> list[str]:
    return [text for piece in sentencex.segment("en", paragraph) if (text := piece.strip())]


def document_hash(document: list[str]) -> float:
    """A number in 0..1 from a document's text alone: the lowest are held out, in every run, on every machine."""
    digest = hashlib.blake2b("\n".join(document).encode("utf-8", "replace"), digest_size=4).digest()
    return int.from_bytes(digest, "big") / 2**32


def _choose_held_out(hashes: list[float], sentences: list[int]) -> NDArray[np.bool_]:
    """The documents with the lowest hashes; a fifth of all at most, and one with a sentence pair in any case."""
    share = max(HELD_OUT_SHARE, min(0.2, HELD_OUT_AT_LEAST / max(1, len(hashes))))
    count = min(int((np.array(hashes) < share).sum()), max(1, len(hashes) // 5))
    by_hash = np.argsort(hashes, kind="stable")
    chosen = np.zeros(len(hashes), dtype=bool)
    chosen[by_hash[:count]] = True
    has_pair = np.array(sentences) >= 2
    if has_pair.any() and not (chosen & has_pair).any():
        chosen[by_hash[has_pair[by_hash]][0]] = True
    return chosen


def _build(files: list[Path], tokenizer: Tokenizer, folder: Path, progress: Callable[[int], None] | None) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix="building-", dir=folder.parent))
    try:
        arrays = _tokenise(read_documents(files), tokenizer, progress)
        for name, array in arrays.items():
            np.save(aside / f"{name}.npy", array)
        (aside / "about.json").write_text(json.dumps({"files": [file.name for file in files]}), encoding="utf-8")
        if not folder.exists():
            aside.rename(folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _tokenise(
    documents: Iterator[list[str]], tokenizer: Tokenizer, progress: Callable[[int], None] | None
) -> dict[str, NDArray]:
    dtype = np.uint16 if tokenizer.vocab_size <= 2**16 else np.uint32
    tokens: list[NDArray] = []
    sentence_lengths: list[int] = []
    sentences_per_document: list[int] = []
    hashes: list[float] = []
    for group in _grouped(documents, _DOCUMENTS_AT_ONCE):
        split = [[s for paragraph in document for s in split_sentences(paragraph)] for document in group]
        ids = iter(tokenizer.encode_batch_ids([sentence for sentences in split for sentence in sentences]))
        for document, sentences in zip(group, split, strict=True):
            encoded = [sentence for sentence in islice(ids, len(sentences)) if sentence]
            if not encoded:
                continue
            tokens.extend(np.array(sentence, dtype=dtype) for sentence in encoded)
            sentence_lengths.extend(len(sentence) for sentence in encoded)
            sentences_per_document.append(len(encoded))
            hashes.append(document_hash(document))
        tokens = [np.concatenate(tokens)] if tokens else []  # many small arrays would take more memory
        if progress:
            progress(len(sentences_per_document))
    return {
        "tokens": tokens[0] if tokens else np.zeros(0, dtype),
        "sentence_starts": np.concatenate([[0], np.cumsum(sentence_lengths, dtype=np.int64)]),
        "document_starts": np.concatenate([[0], np.cumsum(sentences_per_document, dtype=np.int64)]),
        "held_out": _choose_held_out(hashes, sentences_per_document),
    }


def _grouped(documents: Iterable[list[str]], size: int) -> Iterator[list[list[str]]]:
    iterator = iter(documents)
    while group := list(islice(iterator, size)):
        yield group
