"""Documents to token ids, sentence by sentence, in processes beside this one.

The library's own threads do not reach what surrounds it: splitting into sentences and gathering ids are Python's work.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from queue import SimpleQueue

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer as RawTokenizer

from bertcore.data.text import in_portions, pieces
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


@dataclass(frozen=True)
class Group:
    """Some documents that lie one after the other in the same shard."""

    shard: int
    documents: list[list[str]]
    fraction: float  # of all text read with them, 0..1


def split_sentences(paragraph: str) -> list[str]:
    import sentencex  # a run whose text comes tokenised goes without it

    return [text for piece in sentencex.segment("en", paragraph) if (text := piece.strip())]


def document_hash(document: list[str]) -> float:
    """A number in 0..1 from a document's text alone: the lowest are held out, in every run, on every machine."""
    digest = hashlib.blake2b("\n".join(document).encode("utf-8", "replace"), digest_size=4).digest()
    return int.from_bytes(digest, "big") / 2**32


def tokenise(documents: list[list[str]], raw: RawTokenizer, dtype: str) -> Tokenised:
    split = [
        [s for paragraph in document for piece in pieces(paragraph) for s in split_sentences(piece)]
        for document in documents
    ]
    parts = [_ids_of(portion, raw, dtype) for portion in in_portions(chain.from_iterable(split))]
    tokens, lengths = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    of_document = np.repeat(np.arange(len(split)), [len(sentences) for sentences in split])
    counts = np.bincount(of_document[lengths > 0], minlength=len(split))
    return Tokenised(
        tokens=tokens,
        sentence_lengths=lengths[lengths > 0],
        document_lengths=counts[counts > 0].astype(np.uint32),
        hashes=np.array([document_hash(d) for d, count in zip(documents, counts, strict=True) if count], np.float64),
    )


def _ids_of(sentences: list[str], raw: RawTokenizer, dtype: str) -> tuple[NDArray, NDArray[np.uint32]]:
    """Ids of all sentences on end (T), and their lengths (N)."""
    encodings = raw.encode_batch_fast(sentences, add_special_tokens=False)
    lengths = np.array([len(encoding) for encoding in encodings], dtype=np.uint32)
    ids = chain.from_iterable(map(attrgetter("ids"), encodings))  # one list at a time: half the time of all at once
    return np.fromiter(ids, dtype=dtype, count=int(lengths.sum())), lengths


def processes_for(text_bytes: int) -> int:
    """How many processes pay: one for each core that this process may use, fewer for a small text, 0 for a tiny one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    wanted = min(cores, text_bytes // WORTH_A_PROCESS)
    return wanted if wanted > 1 else 0


class TokenisingProcesses:
    """`count` processes that tokenise; with 0 it happens here, on the library's threads. Who makes it closes it.

    They are plain programs that read from us and write to us, and end when we are gone, however we died. (Those of
    `multiprocessing` would first run the script that called us once more.)
    """

    def __init__(self, tokenizer_json: str, dtype: str, count: int) -> None:
        self._raw, self._dtype = RawTokenizer.from_str(tokenizer_json), dtype
        self._processes: list[subprocess.Popen[bytes]] = []
        self._free: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        command = [sys.executable, "-c", _PROGRAM, *sys.path]
        try:
            for _ in range(count):
                process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                self._processes.append(process)
                self._free.put(process)
            for process in self._processes:  # they take a moment to start: all of them at once
                _send(process, (tokenizer_json, dtype))
        except BaseException:
            self.close()
            raise

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
        process = self._free.get()
        try:
            _send(process, documents)
            assert process.stdout
            result = pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError):
            raise _ended() from None
        finally:
            self._free.put(process)
        if isinstance(result, Exception):
            raise result
        assert isinstance(result, Tokenised)
        return result

    def close(self) -> None:
        for process in self._processes:
            process.kill()  # it holds nothing; whoever still waits for it reads an end of file
        for process in self._processes:
            process.wait()
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):  # what was still to be written has no reader
                    stream.close()  # type: ignore[union-attr]


_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from bertcore.data.tokenising import serve; serve()"


def serve() -> None:
    """What a process does until nobody writes to it any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches the whole group; who started it decides
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # the processes are as many as the cores
    incoming, outgoing = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    try:
        tokenizer_json, dtype = pickle.load(incoming)
        raw = RawTokenizer.from_str(tokenizer_json)
        while True:
            documents = pickle.load(incoming)
            try:
                result: Tokenised | Exception = tokenise(documents, raw, dtype)
            except Exception as error:  # for the other side to raise
                result = error
            pickle.dump(result, outgoing, pickle.HIGHEST_PROTOCOL)
            outgoing.flush()
    except (EOFError, OSError, pickle.UnpicklingError):
        return


def _send(process: subprocess.Popen[bytes], message: object) -> None:
    assert process.stdin
    try:
        pickle.dump(message, process.stdin, pickle.HIGHEST_PROTOCOL)
        process.stdin.flush()
    except OSError:
        raise _ended() from None


def _ended() -> BertcoreError:
    return BertcoreError(
        "A process that tokenises the text died, perhaps for lack of memory; start again: what is done is kept."
    )
