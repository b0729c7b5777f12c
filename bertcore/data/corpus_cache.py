"""The tokenised texts that earlier runs left: what they are, who reads them, and which of them are deleted.

cache/corpora/<key>-shards/          see bertcore.data.shards
    readers/                         touched whenever somebody opens the text; in it a file for each process that
                                     reads it, locked as long as that lives and removed when it ends
"""

import atexit
import contextlib
import os
import shutil
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from bertcore.data.shards import ABOUT
from bertcore.files import read_json_or_empty
from bertcore.locations import home

MOST_GIB = 20.0  # of all tokenised texts together; after that, those go that nobody has opened for longest
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
    """Mark a tokenised text, if it is there, as read by this process: nothing deletes it until the process ends.

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
            _remove_stale(readers)


@atexit.register
def release() -> None:
    """What this process reads may be deleted from now on."""
    for lock in _mine.values():
        lock.release()
        Path(lock.lock_file).unlink(missing_ok=True)
    _mine.clear()


def _remove_stale(readers: Path) -> None:
    """The files of readers that were killed."""
    for file in readers.iterdir():
        with contextlib.suppress(OSError):
            if time.time() - file.stat().st_mtime > _STALE_S and not _is_held(file):
                file.unlink()


def cached_texts() -> list[CachedText]:
    """All of them, the one used last first."""
    try:
        folders = [folder for folder in cache_folder().iterdir() if folder.is_dir()]
    except OSError:  # there is none yet
        return []
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
    return CachedText(folder, names, total, stamp.stat().st_mtime, _in_use(folder))


def _in_use(folder: Path) -> bool:
    """Whether a process reads it, or makes it at this moment."""
    return any(_is_held(file) for file in (*(folder / _READERS).glob("*"), _build_lock(folder)))


def _is_held(file: Path) -> bool:
    if not file.exists():
        return False
    try:
        with FileLock(file, timeout=0):
            return False
    except (Timeout, OSError, NotImplementedError):  # what cannot be locked may be held
        return True


def _build_lock(folder: Path) -> Path:
    return folder.with_suffix(".lock")  # of `bertcore.data.corpus`


def _deleted(folder: Path) -> bool:
    """Delete it while nobody can begin to make it; first what says that it is whole."""
    try:
        with FileLock(_build_lock(folder), timeout=0):
            if any(_is_held(file) for file in (folder / _READERS).glob("*")):
                return False
            for note in folder.glob("*.json"):
                note.unlink()
            shutil.rmtree(folder)
    except (Timeout, OSError):
        return False
    with contextlib.suppress(OSError):
        os.unlink(_build_lock(folder))
    return True
