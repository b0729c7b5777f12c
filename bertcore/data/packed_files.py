"""Text files as they lie on disk: plain, or packed as .gz, .xz or .zst."""

import gzip
import io
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from bertcore.errors import BertcoreError

PACKED = (".gz", ".xz", ".zst")
_READ_AT_ONCE = 1 << 20
_LARGEST_WINDOW = 1 << 31  # what `zstd --long=31` needs, with which large collections are packed


@contextmanager
def open_text(file: Path) -> Iterator[tuple[TextIO, BinaryIO]]:
    """A text file's lines as UTF-8, and the file below them, whose `tell()` says how much of it is read.

    What goes wrong with the file while it is open is a BertcoreError that names it.
    """
    try:
        with file.open("rb") as below, io.TextIOWrapper(_unpacked(file, below), encoding="utf-8") as text:
            yield text, below
    except UnicodeDecodeError as error:
        raise BertcoreError(f"The file {file} is not UTF-8 text ({error.reason}); convert it to UTF-8.") from None
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise BertcoreError(f"The file {file} cannot be read: {error}.") from None


def without_packing(file: Path) -> Path:
    """`articles.jsonl.gz` -> `articles.jsonl`."""
    return file.with_suffix("") if file.suffix in PACKED else file


def _unpacked(file: Path, below: BinaryIO) -> Any:
    if file.suffix == ".gz":
        return gzip.GzipFile(fileobj=below)
    if file.suffix == ".xz":
        return lzma.LZMAFile(below)
    if file.suffix == ".zst":
        return io.BufferedReader(_ZstandardFile(file, below), _READ_AT_ONCE)
    return below


class _ZstandardFile(io.RawIOBase):
    """Unpacks frame after frame, and notices where the last one is cut off (the package's own reader does not)."""

    def __init__(self, file: Path, below: BinaryIO) -> None:
        self._new, self._error = _zstandard(file)
        self._below = below
        self._frame: Any = None
        self._packed, self._text = b"", b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._text:
            self._packed = self._packed or self._below.read(_READ_AT_ONCE)
            if not self._packed:
                if self._frame is not None:
                    raise EOFError("it ends in the middle of its packed data")
                return 0
            self._unpack()
        count = min(len(buffer), len(self._text))
        buffer[:count], self._text = self._text[:count], self._text[count:]
        return count

    def _unpack(self) -> None:
        self._frame = self._frame or self._new()
        try:
            self._text = self._frame.decompress(self._packed)
        except self._error as error:
            raise OSError(str(error)) from None
        self._packed = b""
        if self._frame.eof:
            self._packed, self._frame = self._frame.unused_data, None


def _zstandard(file: Path) -> tuple[Any, type[Exception]]:
    """What makes a decompressor for one frame, and what it raises: the package zstandard, an optional one."""
    try:
        import zstandard
    except ImportError:
        raise BertcoreError(
            f"The file {file} is packed with Zstandard; install the Python package zstandard, or unpack the file."
        ) from None
    unpacker = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
    return unpacker.decompressobj, zstandard.ZstdError
