"""Text to token ids with sentence and document starts, made once and memory-mapped after that."""

import hashlib
import shutil
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from bertcore.data.corpus_cache import ShardFolder, TokenShards, cache_errors, cache_folder, cut_groups, hold, trim
from bertcore.data.text import BLOCKS, Documents, TextFormat, is_records, text_files, unpacked_bytes
from bertcore.data.tokenising import Group, TokenisingProcesses, processes_for, split_sentences
from bertcore.errors import BertcoreError
from bertcore.progress import ReportProgress
from bertcore.tokenizer.tokenizer import Tokenizer

KEY_VERSION = 2  # of the key; runs hold on to it
LAYOUT = "shards"  # of the folder
HELD_OUT_SHARE = 0.02  # of all documents, chosen by their text ...
HELD_OUT_AT_LEAST = 30  # ... or, in a small corpus, so many of them (a fifth of all at most)
PROGRESS_EVERY_S = 0.1
_FEWEST_SENTENCES = 4


@dataclass(frozen=True)
class Corpus:
    """Token ids of all sentences on end, and where each sentence and document begins.

    tokens (T) ids; sentence_starts (N+1) indices into tokens; document_starts (D+1) indices into sentence_starts;
    held_out (D) True where a document is kept apart for evaluation. `key` names the text and the vocabulary.
    """

    tokens: NDArray[np.unsignedinteger] | TokenShards
    sentence_starts: NDArray[np.int64]
    document_starts: NDArray[np.int64]
    held_out: NDArray[np.bool_]
    key: str = ""

    def documents(self, held_out: bool) -> NDArray[np.int64]:
        """Numbers of the documents on one side of the division."""
        return np.flatnonzero(self.held_out == held_out)

    def has_pairs(self, held_out: bool) -> bool:
        """Whether a document on that side of the division has two sentences."""
        return bool((np.diff(self.document_starts)[self.held_out == held_out] > 1).any())

    def count_tokens(self, held_out: bool) -> int:
        bounds = self.sentence_starts[self.document_starts]
        return int(np.diff(bounds)[self.held_out == held_out].sum())


class Lines(Documents):
    """Each line is a document, or as many lines as it takes to have two sentences: a pair needs two."""

    def __iter__(self) -> Iterator[list[str]]:
        for paragraphs in super().__iter__():
            document: list[str] = []
            sentences = 0
            for paragraph in paragraphs:
                document.append(paragraph)
                sentences += len(split_sentences(paragraph))
                if sentences >= 2:
                    yield document
                    document, sentences = [], 0
            if document:
                yield document


def load_corpus(
    files: list[Path],
    tokenizer: Tokenizer,
    progress: ReportProgress | None = None,
    form: TextFormat = BLOCKS,
    processes: int | None = None,
) -> Corpus:
    """Tokenise text files and folders, or take the result of last time from the cache (keyed by `corpus_key`).

    `progress` is called with the share of the text that is done. Where it raises, or the process is stopped, whole
    shards stay and the next call continues from them; damaged ones are made anew. `processes` None: as many as pay.
    A text with fewer than three documents, such as a few lines without a blank one, is read line by line (`Lines`).
    Raises BertcoreError for unreadable files, a full disk, and a text with too little to train and measure on.
    """
    report = _seldom(progress)
    for kind in (Documents, Lines):
        key = corpus_key(files, tokenizer, form, by_line=kind is Lines)
        folder = ShardFolder(cache_folder() / f"{key}-{LAYOUT}")
        hold(folder.path)
        if not folder.is_whole():
            texts = kind(files, form)
            with cache_errors(folder.path.parent), _alone(folder.path, report):
                if not folder.is_whole():  # another process may have made it meanwhile
                    _build(texts, tokenizer, folder, report, processes)
            hold(folder.path)
            trim()
        corpus = open_corpus(key)
        if len(corpus.documents(False)) >= 2:
            break
    if len(set(corpus.held_out)) < 2 or len(corpus.sentence_starts) <= _FEWEST_SENTENCES:
        raise _too_little(files)
    return corpus


def refuse_too_little(files: list[Path], form: TextFormat = BLOCKS, with_pairs: bool = True) -> None:
    """What cannot be trained on, found without a vocabulary, from the first few documents. Raises BertcoreError.

    `with_pairs`: there have to be documents of two sentences, to train on and to measure on.
    """
    for kind, fewest in ((Documents, 3), (Lines, 2)):
        documents = sentences = pairs = 0
        for document in kind(files, form):
            count = sum(len(split_sentences(paragraph)) for paragraph in document)
            documents, sentences, pairs = documents + (count > 0), sentences + count, pairs + (count > 1)
            if documents >= fewest and sentences >= _FEWEST_SENTENCES and (pairs >= 2 or not with_pairs):
                return
    raise _too_little(files)


def open_corpus(key: str) -> Corpus:
    """A text that `load_corpus` has tokenised, memory-mapped as it lies in the cache. Raises BertcoreError where it is
    not there."""
    folder = ShardFolder(cache_folder() / f"{key}-{LAYOUT}")
    hold(folder.path)
    try:
        return Corpus(**folder.open(), key=key)
    except OSError:
        raise BertcoreError(
            f"The tokenised text {folder.path} cannot be read; processes on several machines need a folder that all of "
            "them see: name one in BERTSCOPE_HOME."
        ) from None


def corpus_key(files: list[Path], tokenizer: Tokenizer, form: TextFormat = BLOCKS, by_line: bool = False) -> str:
    """Names the cache: changes with any file's content, the vocabulary, or how documents are found.

    The vocabulary counts as the library writes it. Should a new version of `tokenizers` write it otherwise, runs that
    have begun need the old version; KEY_VERSION 3 would hash its entries, merges and rules by themselves.
    """
    digest = hashlib.sha256(f"{KEY_VERSION} {HELD_OUT_SHARE}\n{tokenizer.raw.to_str()}\n".encode())
    texts = text_files(files)
    if form.document_per_file:
        digest.update(b"a document per file\n")
    if by_line:
        digest.update(b"a document per line\n")
    if any(is_records(file) for file in texts):
        digest.update(f"records: {form.text_field}\n".encode())
    for file in texts:
        try:
            with file.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
        except OSError as error:
            raise BertcoreError(f"The text file {file} cannot be read: {error.strerror}.") from None
    return digest.hexdigest()[:32]


def _too_little(files: list[Path]) -> BertcoreError:
    names = ", ".join(file.name for file in files)
    return BertcoreError(
        f"There is too little text in {names}: at least two paragraphs of two sentences each are needed, one "
        "to train on and one to measure on, and more is better."
    )


def choose_held_out(hashes: NDArray, sentences: NDArray) -> NDArray[np.bool_]:
    """The documents with the lowest hashes; a fifth of all at most, and one with a sentence pair in any case."""
    share = max(HELD_OUT_SHARE, min(0.2, HELD_OUT_AT_LEAST / max(1, len(hashes))))
    count = min(int((hashes < share).sum()), max(1, len(hashes) // 5))
    by_hash = np.argsort(hashes, kind="stable")
    # copies of one document have one hash, and stand on one side
    chosen: NDArray[np.bool_] = hashes < hashes[by_hash[count]] if count < len(hashes) else np.ones(len(hashes), bool)
    has_pair = sentences >= 2
    if has_pair.any() and not (chosen & has_pair).any():
        copies = hashes == hashes[by_hash[has_pair[by_hash]][0]]
        chosen |= copies if not (chosen | copies).all() else np.arange(len(hashes)) == by_hash[has_pair[by_hash]][0]
    return chosen


def _build(
    texts: Documents, tokenizer: Tokenizer, folder: ShardFolder, progress: ReportProgress, processes: int | None
) -> None:
    """Make the shards that are not there yet, then the index over all of them."""
    folder.path.mkdir(parents=True, exist_ok=True)
    shards = 0

    def missing() -> Iterator[Group]:
        nonlocal shards
        for number, groups in groupby(cut_groups(texts), key=lambda group: group.shard):
            shards = number + 1
            if not folder.has_shard(number):
                yield from groups

    dtype = "uint16" if tokenizer.largest_id < 2**16 else "uint32"
    count = processes_for(unpacked_bytes(texts.files)) if processes is None else processes
    with closing(TokenisingProcesses(tokenizer.raw.to_str(), dtype, count)) as pool:
        for number, results in groupby(pool.map(missing()), key=lambda result: result[0].shard):
            parts = []
            for group, tokenised in results:
                parts.append(tokenised)
                progress(group.fraction)
            folder.write_shard(number, parts)
    if not shards:
        raise _too_little(texts.files)
    lengths = [folder.lengths(number) for number in range(shards)]
    sentences, documents, hashes = (
        np.concatenate([part[name] for part in lengths]) for name in ("sentences", "documents", "hashes")
    )
    starts = {
        f"{name}_starts": np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        for name, counts in (("sentence", sentences), ("document", documents))
    }
    index = {**starts, "held_out": choose_held_out(hashes, documents)}
    folder.finish(shards, index, {"sources": [file.name for file in texts.files]})
    progress(1.0)


@contextmanager
def _alone(folder: Path, progress: ReportProgress) -> Iterator[None]:
    """Only one process makes a cache; others wait, and then find it made. Leaves no folder without a whole shard."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder.with_suffix(".lock"))
    while True:
        try:
            lock.acquire(timeout=1.0)
            break
        except Timeout:
            progress(0.0)  # whoever waits can be stopped
    try:
        yield
    finally:
        if folder.is_dir() and not list(folder.glob("*.json")):
            shutil.rmtree(folder, ignore_errors=True)
        lock.release()


def _seldom(progress: ReportProgress | None) -> ReportProgress:
    """Pass on the first, the last, and one in a while between: whoever listens may write a file each time."""
    reported_at = -PROGRESS_EVERY_S

    def report(fraction: float) -> None:
        nonlocal reported_at
        if progress and (fraction >= 1.0 or time.monotonic() - reported_at >= PROGRESS_EVERY_S):
            reported_at = time.monotonic()
            progress(fraction)

    return report
