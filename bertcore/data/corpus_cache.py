"""Tokenised texts on disk: what each is made of, who reads it, and which are deleted; so also indexes of their words.

cache/corpora/<key>-shards/              token files of a moderate size, each with a note of its checksums
    tokens-00003.npy                     ids of the sentences of one shard on end: whole documents, (T)
    lengths-00003.npz                    its sentence lengths (N), document lengths in sentences (D), hashes (D)
    shard-00003.json                     written last: size and checksum of both
    sentence_starts.npy  document_starts.npy  held_out.npy        over all shards
    about.json                           written last of all: sizes and checksums of everything
    readers/                             touched whenever somebody opens the text; in it a file for each process that
                                         reads it, locked as long as that lives and removed when it ends

What is not noted, or differs from its note, counts as not there. Each note also names the cache it belongs to (the
folder's name, which follows from text and vocabulary): files copied from another one count as not there either.
"""

import atexit
import contextlib
import hashlib
import io
import os
import shutil
import time
import uuid
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from bertcore.data.text import Documents
from bertcore.data.tokenising import Group, Tokenised
from bertcore.errors import BertcoreError
from bertcore.files import is_disk_full, read_json, read_json_or_empty, write_json
from bertcore.locations import home

SHARD_CHARACTERS = 1 << 26  # of text in a shard: some 30 MB of tokens, and half a minute's work on two cores
GROUP_CHARACTERS = 1 << 18  # of text tokenised at once
ABOUT = "about.json"
_INDEX = ("sentence_starts", "document_starts", "held_out")


def cut_groups(texts: Documents) -> Iterator[Group]:
    """All documents in groups; where shards end follows from the text alone, so that a later start finds the same."""
    shard = in_shard = in_group = 0
    documents: list[list[str]] = []
    for document in texts:
        documents.append(document)
        in_group += sum(map(len, document))
        if in_group >= GROUP_CHARACTERS:
            yield Group(shard, documents, texts.fraction)
            in_shard += in_group
            if in_shard >= SHARD_CHARACTERS:
                shard, in_shard = shard + 1, 0
            documents, in_group = [], 0
    if documents:
        yield Group(shard, documents, 1.0)


class TokenShards:
    """The tokens of all shards as if they stood in one array (T): `shards[start:stop]` is an array."""

    def __init__(self, parts: list[NDArray]) -> None:
        self._parts = parts
        self._bounds = [0, *accumulate(len(part) for part in parts)]

    def __len__(self) -> int:
        return self._bounds[-1]

    def __getitem__(self, wanted: slice) -> NDArray:
        start, stop, step = wanted.indices(len(self))
        if step != 1:
            raise ValueError("shards give tokens that lie side by side")
        number = min(bisect_right(self._bounds, start), len(self._parts)) - 1
        first = self._bounds[number]
        values: NDArray = self._parts[number][start - first : max(start, stop) - first]
        if stop <= self._bounds[number + 1]:
            return values
        return np.concatenate([values, self[self._bounds[number + 1] : stop]])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        return np.concatenate(self._parts).astype(dtype or self._parts[0].dtype)


class ShardFolder:
    """One text's cache. Building the object touches nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def is_whole(self) -> bool:
        """Whether everything is there as it was written."""
        return self._matches(self.path / ABOUT)

    def has_shard(self, number: int) -> bool:
        return self._matches(self._note(number))

    def write_shard(self, number: int, parts: list[Tokenised]) -> None:
        whole = Tokenised.joined(parts)
        tokens, lengths = self._shard_files(number)
        _save(tokens, whole.tokens)
        packed = io.BytesIO()
        np.savez(packed, sentences=whole.sentence_lengths, documents=whole.document_lengths, hashes=whole.hashes)
        lengths.write_bytes(packed.getbuffer())
        write_json(self._note(number), {"cache": self.path.name, "files": _facts([tokens, lengths])})

    def lengths(self, number: int) -> dict[str, NDArray]:
        """`sentences` (N), `documents` (D) in sentences, `hashes` (D) of one shard."""
        with np.load(self._shard_files(number)[1]) as stored:
            return {name: stored[name] for name in stored.files}

    def finish(self, shards: int, index: dict[str, NDArray], about: dict[str, Any]) -> None:
        """Write the index over all shards, and say that the cache is whole."""
        files = [file for number in range(shards) for file in self._shard_files(number)]
        for name, values in index.items():
            files.append(self.path / f"{name}.npy")
            _save(files[-1], values)
        write_json(self.path / ABOUT, {**about, "cache": self.path.name, "shards": shards, "files": _facts(files)})

    def open(self) -> dict[str, Any]:
        """tokens (T), sentence_starts (N+1), document_starts (D+1) and held_out (D), memory-mapped."""
        shards = int(read_json(self.path / ABOUT)["shards"])
        parts = [_mapped(self._shard_files(number)[0]) for number in range(shards)]
        tokens = parts[0] if shards == 1 else TokenShards(parts)
        return {"tokens": tokens, **{name: _mapped(self.path / f"{name}.npy") for name in _INDEX}}

    def _shard_files(self, number: int) -> tuple[Path, Path]:
        return self.path / f"tokens-{number:05}.npy", self.path / f"lengths-{number:05}.npz"

    def _note(self, number: int) -> Path:
        return self.path / f"shard-{number:05}.json"

    def _matches(self, note: Path) -> bool:
        """Whether the files that a note tells of have the size and the content that they were written with."""
        try:
            about = read_json(note)
            if about["cache"] != self.path.name:
                return False
            recorded = about["files"]
            files = [self.path / name for name in recorded]
            same_size = all(file.stat().st_size == recorded[file.name]["bytes"] for file in files)
            return same_size and _facts(files) == recorded
        except (BertcoreError, OSError, ValueError, KeyError, TypeError, AttributeError):
            return False


@contextmanager
def cache_errors(folder: Path) -> Iterator[None]:
    """Turns what the system says while the cache is written into a sentence."""
    try:
        yield
    except OSError as error:
        if is_disk_full(error):
            raise BertcoreError(
                f"The disk is full: free some space for {folder} and start again; what is tokenised so far is "
                "kept. A text takes about half its unpacked size."
            ) from error
        reason = (error.strerror or str(error)).lower()
        raise BertcoreError(f"Cannot write {folder}: {reason}; name another folder in BERTSCOPE_HOME.") from error


def _save(file: Path, values: NDArray) -> None:
    """A one-dimensional .npy file (np.save does not say when the disk is full)."""
    with file.open("wb") as stream:
        np.lib.format.write_array_header_1_0(stream, np.lib.format.header_data_from_array_1_0(values))
        stream.write(np.ascontiguousarray(values).data)


def _mapped(file: Path) -> NDArray:
    return np.asarray(np.load(file, mmap_mode="r"))  # a plain view: slicing a np.memmap is slow


def _facts(files: Iterable[Path]) -> dict[str, dict[str, Any]]:
    facts = {}
    for file in files:
        with file.open("rb") as stream:
            checksum = hashlib.file_digest(stream, "sha256").hexdigest()[:32]
        facts[file.name] = {"bytes": file.stat().st_size, "sha256": checksum}
    return facts


MOST_GIB = 20.0  # of all texts and indexes together; after that, those go that nobody has opened for longest
INDEXES = "evidence"  # the folder beside `cache_folder()` of those that `evidence.nearest` makes
_READERS = "readers"
_STALE_S = 60.0  # a reader's file that nobody holds is this old before it is removed: its owner may be about to lock it

_mine: dict[Path, FileLock] = {}  # what this process reads, until it ends


@dataclass(frozen=True)
class CachedText:
    folder: Path
    sources: tuple[str, ...]  # names of the files; none where it was never finished
    bytes: int
    used_at: float  # seconds since 1970
    in_use: bool


def cache_folder() -> Path:
    return home() / "cache" / "corpora"


def hold(folder: Path) -> None:
    """Mark a text or an index, if it is there, as read by this process: nothing deletes it until the process ends.

    Where the folder cannot be written, nothing can delete it either.
    """
    if not folder.is_dir():
        return
    readers = folder / _READERS
    with contextlib.suppress(OSError):
        readers.mkdir(exist_ok=True)
        os.utime(readers)
        if folder not in _mine or not Path(_mine[folder].lock_file).exists():
            lock = FileLock(readers / uuid.uuid4().hex)
            lock.acquire(timeout=0)
            _mine[folder] = lock
            for file in readers.iterdir():  # of readers that were killed
                with contextlib.suppress(OSError):
                    if time.time() - file.stat().st_mtime > _STALE_S and not _is_held(file):
                        file.unlink()


@atexit.register
def release() -> None:
    """What this process reads may be deleted from now on."""
    for lock in _mine.values():
        lock.release()
        Path(lock.lock_file).unlink(missing_ok=True)
    _mine.clear()


def cached_texts() -> list[CachedText]:
    """All of them, the one used last first."""
    both = cache_folder(), cache_folder().with_name(INDEXES)
    folders = (folder for each in both if each.is_dir() for folder in each.iterdir() if folder.is_dir())
    return sorted(map(_cached, folders), key=lambda text: -text.used_at)


def clear(texts: list[CachedText]) -> list[CachedText]:
    """Delete tokenised texts; those that somebody reads or makes stay. Returns what went."""
    return [text for text in texts if not text.in_use and _deleted(text.folder)]


def trim(most_gib: float | None = None) -> list[CachedText]:
    """Delete those unused for longest until the rest takes `most_gib` at most; None: MOST_GIB. Returns what went."""
    left, too_many = (MOST_GIB if most_gib is None else most_gib) * 2**30, []
    for text in cached_texts():
        left -= text.bytes
        if left < 0:
            too_many.append(text)
    return clear(too_many)


def _cached(folder: Path) -> CachedText:
    total = 0
    for file in folder.rglob("*"):
        with contextlib.suppress(OSError):  # gone a moment ago
            total += file.stat().st_size if file.is_file() else 0
    stamp = next((folder / name for name in (_READERS, ABOUT) if (folder / name).exists()), folder)
    sources = read_json_or_empty(folder / ABOUT).get("sources")
    names = tuple(map(str, sources)) if isinstance(sources, list) else ()
    in_use = any(_is_held(file) for file in (*(folder / _READERS).glob("*"), folder.with_suffix(".lock")))  # or made
    return CachedText(folder, names, total, stamp.stat().st_mtime, in_use)


def _is_held(file: Path) -> bool:
    if not file.exists():
        return False
    try:
        with FileLock(file, timeout=0):
            return False
    except (Timeout, OSError, NotImplementedError):  # what cannot be locked may be held
        return True


def _deleted(folder: Path) -> bool:
    """Delete it while nobody can begin to make it; first what says that it is whole."""
    try:
        with FileLock(folder.with_suffix(".lock"), timeout=0):
            if any(_is_held(file) for file in (folder / _READERS).glob("*")):
                return False
            for note in folder.glob("*.json"):
                note.unlink()
            shutil.rmtree(folder)
    except (Timeout, OSError):
        return False
    with contextlib.suppress(OSError):
        os.unlink(folder.with_suffix(".lock"))
    return True
