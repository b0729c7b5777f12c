"""The lines of a task file, numbered; and the one way in which a file that does not fit is refused."""

import sys
from collections.abc import Iterator
from pathlib import Path

from bertcore.data.text import PACKED, open_text
from bertcore.errors import BertcoreError, brief
from bertcore.limits import MIB, TASK_FILE_BYTES, TASK_LINE_BYTES, TASK_LINES

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_OTHER_MARKS = (b"\xff\xfe", b"\xfe\xff")  # UTF-16, and UTF-32 in part
_NO_TEXT = {  # how files begin that are none; and what to do with them
    b"\x1f\x8b": "packed with gzip; let its name end in .gz",
    b"\xfd7zXZ": "packed with xz; let its name end in .xz",
    b"\x28\xb5\x2f\xfd": "packed with Zstandard; let its name end in .zst",
    b"PK\x03\x04": "a zip archive or a workbook; unpack it, or save the table as CSV",
    b"PAR1": "a Parquet table; let its name end in .parquet",
}


def refuse(place: str, expected: str, value: object) -> BertcoreError:
    """What to raise where a file does not fit: "train.tsv, line 17: expected ..., found 'x'."."""
    return BertcoreError(f"{place}: expected {expected}, found {quoted(value)}.")


def quoted(value: object) -> str:
    """What stood there, in quotes and cut short; `None` is nothing."""
    if value is None or value == "":
        return "nothing"
    return brief(value)


def label_text(value: object) -> str | None:
    """A label as text, one object for all rows that have it: 1, 1.0 and "1" are the same. None where there is none."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return sys.intern(str(value).strip()) or None if isinstance(value, str | int | float) else None


def line_of(file: Path, number: int) -> str:
    """How a line is named in messages."""
    return f"{file.name}, line {number}"


def layout_suffix(file: Path) -> str:
    """The ending that tells the layout, in lower case and without .gz or .xz: ".tsv" of train.TSV.gz."""
    suffixes = [suffix.lower() for suffix in file.suffixes]
    while suffixes and suffixes[-1] in PACKED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def numbered_lines(
    file: Path, longest: int = TASK_LINE_BYTES, most: float = TASK_LINES, most_bytes: float = TASK_FILE_BYTES
) -> Iterator[tuple[int, str]]:
    """Lines and their numbers from 1, without their ends (LF or CRLF) and without a byte-order mark.

    `longest`: bytes of a line, `most`: lines, `most_bytes`: of the file.

    Only a line feed ends a line: other marks that `str.splitlines` knows may stand in a text.
    Raises BertcoreError for a file that is absent, empty, cut off, no UTF-8 text, or has a line that cannot be one.
    """
    with open_text(file) as (text, _):
        stream, number, size = text.buffer, 0, 0
        while line := stream.readline(longest + 1):
            number, size = number + 1, size + len(line)
            if size > most_bytes or number > most:
                raise too_large(file)
            if number == 1:
                # first of all: the time in a gzip header may be a carriage return
                if line.startswith(_OTHER_MARKS):
                    raise BertcoreError(f"The file {file} is UTF-16 text; save it as UTF-8.")
                if found := next((words for mark, words in _NO_TEXT.items() if line.startswith(mark)), None):
                    raise BertcoreError(f"The file {file} is {found}.")
            if number == 1 and b"\r" in line.rstrip(b"\r") and not line.endswith(b"\n"):
                raise refuse(line_of(file, 1), "lines that end in a line feed", b"\r")
            if len(line) > longest:
                raise refuse(line_of(file, number), f"a line of at most {longest:,} bytes", line[:40])
            yield number, _decode(file, number, line).removesuffix("\n").removesuffix("\r")
        if not number:
            raise BertcoreError(f"The file {file} is empty; choose one with examples in it.")


def whole_text(file: Path) -> str:
    """The text of a file that is one piece, as JSON is. Raises as `numbered_lines`, without a limit to its lines."""
    return "\n".join(line for _, line in numbered_lines(file, TASK_FILE_BYTES, TASK_FILE_BYTES))


def too_large(file: Path) -> BertcoreError:
    """For a person whose file is an honest one: how to get a part of it that fits."""
    kind = layout_suffix(file)
    if kind == ".parquet":
        how = "with pyarrow or pandas, write the columns that the task reads, or fewer rows, to a new Parquet file"
    elif kind == ".json":
        how = "split its list of examples or articles into several files, or save it as .jsonl and take fewer lines"
    else:
        how = f"remove columns that the task does not read, or take fewer lines (head -n 400000 {file.name})"
        how += ", unpacked first" if file.suffix.lower() in PACKED else ""
    return BertcoreError(
        f"The file {file} is too large for a task, all of which is held in memory: it has more than "
        f"{TASK_FILE_BYTES // MIB} MB unpacked, or {TASK_LINES:,} lines; {how}."
    )


def _decode(file: Path, number: int, line: bytes) -> str:
    if number == 1:
        while line.startswith(_BYTE_ORDER_MARK):  # two of them where a program put one before another's
            line = line.removeprefix(_BYTE_ORDER_MARK)
    if b"\0" in line:
        raise refuse(line_of(file, number), "UTF-8 text", line[max(0, line.index(b"\0") - 10) :][:30])
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        place, byte = line_of(file, number), line[error.start]
        raise BertcoreError(
            f"{place}: byte {error.start + 1} (0x{byte:02x}) is not UTF-8; save the file as UTF-8."
        ) from None
