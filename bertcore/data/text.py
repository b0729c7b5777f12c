"""Text files to documents: one paragraph a line, a blank line between documents; or one document a file or record."""

import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from bertcore import limits
from bertcore.errors import BertcoreError
from bertcore.json_text import parse_object

PACKED = (".gz", ".xz", ".zst")
_READ_AT_ONCE = limits.MIB
_LEARNED_AT_ONCE = 1 << 16  # characters that a vocabulary learns from
_UNPACKED = 3  # a packed text is about so many times larger
_PACKED_AT_ONCE = 1024  # bytes: a Zstandard block of 4 can hold 128 KiB, so that these hold 32 MiB at most


@contextmanager
def open_text(file: Path) -> Iterator[tuple[TextIO, BinaryIO]]:
    """A text file's lines as UTF-8, and the file below them, whose `tell()` says how much of it is read.

    What goes wrong with the file while it is open is a BertcoreError that names it.
    """
    try:
        if not file.is_file():  # a pipe would be waited for
            raise BertcoreError(f"There is no file {file}.")
        with file.open("rb") as below, io.TextIOWrapper(_unpacked(file, below), encoding="utf-8") as text:
            yield text, below
    except UnicodeDecodeError as error:
        raise BertcoreError(f"The file {file} is not UTF-8 text ({error.reason}); convert it to UTF-8.") from None
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error).rstrip(".")
        raise BertcoreError(f"The file {file} cannot be read: {reason}.") from None


def without_packing(file: Path) -> Path:
    """`articles.jsonl.gz` -> `articles.jsonl`."""
    return file.with_suffix("") if file.suffix in PACKED else file


def _unpacked(file: Path, below: BinaryIO) -> Any:
    if file.suffix == ".gz":
        return gzip.GzipFile(fileobj=below)
    if file.suffix == ".xz":
        new = partial(lzma.LZMADecompressor, memlimit=limits.XZ_BYTES)
        return io.BufferedReader(_PackedFile(below, new, lzma.LZMAError, _READ_AT_ONCE), _READ_AT_ONCE)
    if file.suffix == ".zst":
        return io.BufferedReader(_PackedFile(below, *_zstandard(file)), _READ_AT_ONCE)
    return below


class _PackedFile(io.RawIOBase):
    """Unpacks frame after frame, a bounded piece at a time, and notices where the last frame is cut off."""

    def __init__(self, below: BinaryIO, new: Callable[[], Any], error: type[Exception], *most: int) -> None:
        """`new` makes a decompressor for one frame, as those of the modules bz2 and lzma, which raises `error`; `most`:
        bytes that it gives at once, where it can be told."""
        self._below, self._new, self._error, self._most = below, new, error, most
        self._frame: Any = None
        self._packed, self._text = b"", memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._text:
            has_more = self._frame is not None and not getattr(self._frame, "needs_input", True)
            if not self._packed and not has_more:
                self._packed = self._below.read(_PACKED_AT_ONCE)
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
            self._text = memoryview(self._frame.decompress(self._packed, *self._most))
        except self._error as error:
            raise OSError(str(error)) from None
        self._packed = b""
        if self._frame.eof:
            self._packed, self._frame = self._frame.unused_data.lstrip(b"\0"), None  # xz may fill up with zeros


def _zstandard(file: Path) -> tuple[Callable[[], Any], type[Exception]]:
    """A decompressor of the package zstandard, an optional one, and its error."""
    try:
        import zstandard
    except ImportError:
        raise BertcoreError(
            f"The file {file} is packed with Zstandard; install the Python package zstandard, or unpack the file."
        ) from None
    window = max(limits.ZSTANDARD_WINDOW, limits.ZSTANDARD_WINDOW_SHARE * file.stat().st_size)
    unpacker = zstandard.ZstdDecompressor(max_window_size=min(window, limits.LARGEST_ZSTANDARD_WINDOW))
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
            with open_text(file) as (text, self._open):
                yield from _documents(_lines(text, file), file, self._form)
            self._open = None
            self._done += size

    @property
    def fraction(self) -> float:
        """How much is read, 0..1 of all bytes."""
        here = 0 if self._open is None or self._open.closed else self._open.tell()
        return min(1.0, (self._done + here) / max(1, sum(self._sizes)))


class Paragraphs:
    """All paragraphs of some text files, one after the other, for a vocabulary to learn from; can be read again and
    again. Very long ones come in pieces: the library takes 256 at a time."""

    def __init__(self, files: Iterable[Path], form: TextFormat = BLOCKS) -> None:
        self._files, self._form = list(files), form

    def __iter__(self) -> Iterator[str]:
        for document in Documents(self._files, self._form):
            for paragraph in document:
                yield from pieces(paragraph, _LEARNED_AT_ONCE)


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


def unpacked_bytes(files: Iterable[Path]) -> int:
    """About how much text they hold."""
    return sum(file.stat().st_size * (_UNPACKED if file.suffix in PACKED else 1) for file in files)


def pieces(paragraph: str, most: int = limits.PIECE_CHARACTERS) -> Iterator[str]:
    """The paragraph, or where it has more than `most` characters, pieces of it, cut at spaces where there are any."""
    start = 0
    while len(paragraph) - start > most:
        space = paragraph.rfind(" ", start + most // 2, start + most)
        end = space if space > 0 else start + most
        yield paragraph[start:end]
        start = end
    yield paragraph[start:] if start else paragraph


def in_portions(texts: Iterable[str]) -> Iterator[list[str]]:
    """Texts to be tokenised at once: at least one portion, which may be empty."""
    portion: list[str] = []
    characters = 0
    for text in texts:
        portion.append(text)
        characters += len(text)
        if characters >= limits.PIECE_CHARACTERS:
            yield portion
            portion, characters = [], 0
    yield portion


def _lines(text: TextIO, file: Path) -> Iterator[str]:
    """Raises BertcoreError for a line that is longer than any text has."""
    number = 0
    while line := text.readline(limits.LINE_BYTES + 1):
        number += 1
        if len(line) > limits.LINE_BYTES:
            raise BertcoreError(
                f"The file {file}, line {number:,}: a line of more than {limits.LINE_BYTES // limits.MIB} MB; break it "
                "into lines of a paragraph each."
            )
        yield line


def _documents(lines: Iterable[str], file: Path, form: TextFormat) -> Iterator[list[str]]:
    if is_records(file):
        for number, line in enumerate(lines, 1):
            if (line := line.strip().lstrip("\ufeff")) and (document := _record(line, file, number, form.text_field)):
                _check_size(sum(map(len, document)), len(document), file, number)
                yield document
        return
    paragraphs: list[str] = []
    characters = 0
    for number, line in enumerate(lines, 1):
        if line := line.strip():
            paragraphs.append(line)
            characters += len(line)
            _check_size(characters, len(paragraphs), file, number)
        elif paragraphs and not form.document_per_file:
            yield paragraphs
            paragraphs, characters = [], 0
    if paragraphs:
        yield paragraphs


def _check_size(characters: int, paragraphs: int, file: Path, line: int) -> None:
    """A document is tokenised as a whole. Raises BertcoreError where it is larger than any book."""
    if characters > limits.DOCUMENT_CHARACTERS or paragraphs > limits.DOCUMENT_PARAGRAPHS:
        raise BertcoreError(
            f"The file {file}, line {line:,}: a document of more than {limits.DOCUMENT_CHARACTERS:,} characters or "
            f"{limits.DOCUMENT_PARAGRAPHS:,} lines; put a blank line between documents, or write one in each record."
        )


def _record(line: str, file: Path, number: int, field: str) -> list[str]:
    where = f"The file {file}, line {number}"
    record = parse_object(line, where)
    if not isinstance(text := record.get(field), str):
        there = f"it is {text!r:.60}" if field in record else f"there are {', '.join(map(repr, record)) or 'none'}"
        raise BertcoreError(f"{where}: expected text in the field {field!r}, but {there:.200}.")
    # \ud800 and its like may stand alone in JSON, but are no characters
    lines = text.encode("utf-8", "replace").decode("utf-8").splitlines()
    return [paragraph for line in lines if (paragraph := line.strip())]
