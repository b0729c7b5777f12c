"""Documents to token ids, sentence by sentence, in processes beside this one.

The library's own threads do not reach what surrounds it: splitting into sentences and gathering ids are Python's work.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from multiprocessing.connection import Connection
from operator import attrgetter
from queue import SimpleQueue
from types import TracebackType
from typing import Protocol, Self, TypeVar

import numpy as np
import sentencex
from numpy.typing import NDArray
from tokenizers import Tokenizer as RawTokenizer

from bertcore.errors import BertcoreError

WORTH_A_PROCESS = 4_000_000  # bytes of text; a process takes half a second to start
_WAITING = 2  # groups handed out beyond one for each process, so that none has to wait


@dataclass(frozen=True)
class Tokenised:
    """Some documents: ids of all sentences on end (T), sentence lengths (N), sentences of each document (D).

    Sentences and documents without a token are left out. `hashes` (D) are those of `document_hash`.
    """

    tokens: NDArray[np.unsignedinteger]
    sentence_lengths: NDArray[np.uint32]
    document_lengths: NDArray[np.uint32]
    hashes: NDArray[np.float64]

    @classmethod
    def joined(cls, parts: list[Tokenised]) -> Tokenised:
        names = ("tokens", "sentence_lengths", "document_lengths", "hashes")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


class HasDocuments(Protocol):
    @property
    def documents(self) -> list[list[str]]: ...


Group = TypeVar("Group", bound=HasDocuments)


def split_sentences(paragraph: str) -> list[str]:
    return [text for piece in sentencex.segment("en", paragraph) if (text := piece.strip())]


def document_hash(document: list[str]) -> float:
    """A number in 0..1 from a document's text alone: the lowest are held out, in every run, on every machine."""
    digest = hashlib.blake2b("\n".join(document).encode("utf-8", "replace"), digest_size=4).digest()
    return int.from_bytes(digest, "big") / 2**32


def tokenise(documents: list[list[str]], raw: RawTokenizer, dtype: str) -> Tokenised:
    split = [[s for paragraph in document for s in split_sentences(paragraph)] for document in documents]
    encodings = raw.encode_batch_fast(list(chain.from_iterable(split)), add_special_tokens=False)
    lengths = np.array([len(encoding) for encoding in encodings], dtype=np.uint32)
    ids = chain.from_iterable(map(attrgetter("ids"), encodings))  # one list at a time: half the time of all at once
    of_document = np.repeat(np.arange(len(split)), [len(sentences) for sentences in split])
    counts = np.bincount(of_document[lengths > 0], minlength=len(split))
    return Tokenised(
        tokens=np.fromiter(ids, dtype=dtype, count=int(lengths.sum())),
        sentence_lengths=lengths[lengths > 0],
        document_lengths=counts[counts > 0].astype(np.uint32),
        hashes=np.array([document_hash(d) for d, count in zip(documents, counts, strict=True) if count], np.float64),
    )


def processes_for(text_bytes: int) -> int:
    """How many processes pay: one for each core that this process may use, fewer for a small text, 0 for a tiny one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    wanted = min(cores, text_bytes // WORTH_A_PROCESS)
    return wanted if wanted > 1 else 0


class TokenisingProcesses:
    """`count` processes that tokenise; with 0 it happens here, on the library's threads. Use it in a `with` block.

    Each process hangs on a connection of its own and ends when that closes, so none outlives this process however it
    dies.
    """

    def __init__(self, tokenizer_json: str, dtype: str, count: int) -> None:
        self._raw, self._dtype = RawTokenizer.from_str(tokenizer_json), dtype
        self._free: SimpleQueue[Connection] = SimpleQueue()
        self._connections: list[Connection] = []
        self._processes = []
        spawn = multiprocessing.get_context("spawn")  # a fork would copy the locks of torch's and tokenizers' threads
        for _ in range(count):
            ours, theirs = spawn.Pipe()
            process = spawn.Process(target=_serve, args=(theirs, tokenizer_json, dtype), daemon=True)
            process.start()
            theirs.close()
            self._processes.append(process)
            self._connections.append(ours)
            self._free.put(ours)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for process in self._processes:
            process.terminate()  # whoever still waits for it gets an EOFError
        for process in self._processes:
            process.join()
        for connection in self._connections:
            connection.close()

    def map(self, groups: Iterable[Group]) -> Iterator[tuple[Group, Tokenised]]:
        """Each group with its tokens, in the order they came; `groups` is read a little ahead."""
        if not self._processes:
            yield from ((group, tokenise(group.documents, self._raw, self._dtype)) for group in groups)
            return
        count = len(self._processes)
        waiting: deque[tuple[Group, Future[Tokenised]]] = deque()
        threads = ThreadPoolExecutor(count)  # a thread hands a group over and waits, so that neither side blocks
        try:
            for group in groups:
                waiting.append((group, threads.submit(self._elsewhere, group.documents)))
                if len(waiting) > count + _WAITING:
                    first, done = waiting.popleft()
                    yield first, done.result()
            for last, done in waiting:
                yield last, done.result()
        finally:
            threads.shutdown(wait=False, cancel_futures=True)

    def _elsewhere(self, documents: list[list[str]]) -> Tokenised:
        connection = self._free.get()
        try:
            connection.send(documents)
            result = connection.recv()
        except (EOFError, OSError):
            raise BertcoreError(
                "A process that tokenises the text ended without a word, perhaps for lack of memory; start again: "
                "what is done is kept."
            ) from None
        finally:
            self._free.put(connection)
        if isinstance(result, Exception):
            raise result
        assert isinstance(result, Tokenised)
        return result


def _serve(connection: Connection, tokenizer_json: str, dtype: str) -> None:
    """What a process does until its connection closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches the whole group; who started it decides
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # the processes are as many as the cores
    raw = RawTokenizer.from_str(tokenizer_json)
    while True:
        try:
            documents = connection.recv()
        except (EOFError, OSError):
            return
        try:
            result: Tokenised | Exception = tokenise(documents, raw, dtype)
        except Exception as error:  # for the other side to raise
            result = error
        try:
            connection.send(result)
        except OSError:
            return
