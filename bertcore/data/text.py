"""Text files to documents: one paragraph a line, a blank line between documents."""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from bertcore.errors import BertcoreError

_OPENERS = {".xz": lzma.open, ".gz": gzip.open}


def open_text(file: Path) -> IO[str]:
    """Open a text file, plain, .gz or .xz, as UTF-8."""
    opener = _OPENERS.get(file.suffix, open)
    stream: IO[str] = opener(file, "rt", encoding="utf-8")  # type: ignore[operator]
    return stream


class Paragraphs:
    """All paragraphs of some text files, one after the other; can be read again and again."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._files = list(files)

    def __iter__(self) -> Iterator[str]:
        for document in read_documents(self._files):
            yield from document


def read_documents(files: Iterable[Path]) -> Iterator[list[str]]:
    """Documents as lists of paragraphs, in file order.

    Raises BertcoreError for a file that is absent, cannot be read, or is not UTF-8.
    """
    for file in files:
        if not file.is_file():
            raise BertcoreError(f"There is no text file {file}; give one or more files with --corpus.")
        try:
            with open_text(file) as stream:
                yield from _split_documents(stream)
        except UnicodeDecodeError as error:
            raise BertcoreError(f"The file {file} is not UTF-8 text ({error.reason}); convert it to UTF-8.") from None
        except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
            raise BertcoreError(f"The file {file} cannot be read: {error}.") from None


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
