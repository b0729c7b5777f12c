"""Text files to documents: one paragraph a line, a blank line between documents; or one document a file or record."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from bertcore.data.packed_files import PACKED, open_text, without_packing
from bertcore.errors import BertcoreError

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
