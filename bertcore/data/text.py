"""Text files to documents: one paragraph a line, a blank line between documents; or one document a file or record."""

import gzip
import io
import json
import lzma
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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


RECORDS = (".jsonl", ".ndjson", ".json")  # files with one JSON object on each line
_IN_FOLDERS = (".txt", ".text", *RECORDS, "")  # what is taken from a folder; files without a suffix too


@dataclass(frozen=True)
class TextFormat:
    """How documents stand in their files. In records each one is a document."""

    document_per_file: bool = False  # else a blank line ends a document
    text_field: str = "text"  # of a record


BLOCKS = TextFormat()


class Documents:
    """All documents of some files, as lists of paragraphs, in order; can be read again and again.

    Folders stand for all text files below them. Raises BertcoreError for a file that is absent, cannot be read, is not
    UTF-8, or holds a record without text.
    """

    def __init__(self, files: Iterable[Path], form: TextFormat = BLOCKS) -> None:
        self.files, self._form = text_files(files), form
        self._sizes = [file.stat().st_size for file in self.files]
        self._done = 0  # bytes of the files that are finished
        self._open: BinaryIO | None = None

    def __iter__(self) -> Iterator[list[str]]:
        self._done = 0
        for file, size in zip(self.files, self._sizes, strict=True):
            with open_text(file) as (lines, self._open):
                yield from _documents(lines, file, self._form)
            self._open = None
            self._done += size

    @property
    def bytes(self) -> int:
        """As the files lie on disk."""
        return sum(self._sizes)

    @property
    def fraction(self) -> float:
        """How much is read, 0..1 of all bytes."""
        here = 0 if self._open is None or self._open.closed else self._open.tell()
        return min(1.0, (self._done + here) / max(1, self.bytes))


class Paragraphs:
    """All paragraphs of some text files, one after the other; can be read again and again."""

    def __init__(self, files: Iterable[Path], form: TextFormat = BLOCKS) -> None:
        self._files, self._form = list(files), form

    def __iter__(self) -> Iterator[str]:
        for document in read_documents(self._files, self._form):
            yield from document


def read_documents(files: Iterable[Path], form: TextFormat = BLOCKS) -> Iterator[list[str]]:
    """See `Documents`."""
    yield from Documents(files, form)


def text_files(paths: Iterable[Path]) -> list[Path]:
    """The files themselves, and for each folder all text files below it, in the order of their names.

    Hidden ones are left out. Raises BertcoreError for what is not there, and for a folder without text.
    """
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            below = sorted((f for f in path.rglob("*") if _is_text(f, path)), key=lambda f: f.relative_to(path).parts)
            if not below:
                endings = ", ".join(ending for ending in _IN_FOLDERS if ending)
                raise BertcoreError(f"There is no text file ({endings}, also packed) in the folder {path}.")
            files.extend(below)
        elif path.is_file():
            files.append(path)
        else:
            raise BertcoreError(f"There is no text file {path}; give one or more files with --corpus.")
    return files


def _is_text(file: Path, folder: Path) -> bool:
    hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
    return not hidden and without_packing(file).suffix.lower() in _IN_FOLDERS and file.is_file()


def is_records(file: Path) -> bool:
    return without_packing(file).suffix.lower() in RECORDS


def is_packed(file: Path) -> bool:
    return file.suffix in PACKED


def _documents(lines: Iterable[str], file: Path, form: TextFormat) -> Iterator[list[str]]:
    if is_records(file):
        for number, line in enumerate(lines, 1):
            if (line := line.strip().lstrip("\ufeff")) and (document := _record(line, file, number, form.text_field)):
                yield document
    elif form.document_per_file:
        if document := _paragraphs(lines):
            yield document
    else:
        yield from _split_documents(lines)


def _record(line: str, file: Path, number: int, field: str) -> list[str]:
    where = f"The file {file}, line {number}"
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise BertcoreError(f"{where}: expected one JSON object on each line, found {line[:60]!r}.") from None
    if not isinstance(record, dict):
        raise BertcoreError(f"{where}: expected a JSON object with the field {field!r}, found {line[:60]!r}.")
    if not isinstance(text := record.get(field), str):
        there = f"it is {text!r:.60}" if field in record else f"there are {', '.join(map(repr, record)) or 'none'}"
        raise BertcoreError(f"{where}: expected text in the field {field!r}, but {there:.200}.")
    # \ud800 and its like may stand alone in JSON, but are no characters
    return _paragraphs(text.encode("utf-8", "replace").decode("utf-8").splitlines())


def _paragraphs(lines: Iterable[str]) -> list[str]:
    return [paragraph for line in lines if (paragraph := line.strip())]


def _split_documents(lines: Iterable[str]) -> Iterator[list[str]]:
    paragraphs: list[str] = []
    for line in lines:
        line = line.strip()
        if line:
            paragraphs.append(line)
        elif paragraphs:
            yield paragraphs
            paragraphs = []
    if paragraphs:
        yield paragraphs
