"""JSON read and written, files that others read meanwhile, and why one cannot be written, in a sentence. No torch."""

import errno
import json
import math
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bertcore.errors import BertcoreError

_RUST_ERROR_NUMBER = re.compile(r"\(os error (\d+)\)")
_DISK_FULL = {errno.ENOSPC, errno.EDQUOT} if hasattr(errno, "EDQUOT") else {errno.ENOSPC}
_WINDOWS_DISK_FULL = 112
_TEMPORARY = re.compile(r"\..+\.\d+")  # before it is moved into place, see `write_atomic`


def write_json(file: Path, values: dict[str, Any]) -> None:
    write_atomic(file, json_bytes(values))


def write_json_on_full_disk(file: Path, values: dict[str, Any]) -> None:
    """As `write_json`; where the disk is full, over the old content, which takes no new space."""
    data = json_bytes(values)
    try:
        write_atomic(file, data)
    except OSError as error:
        if error_number(error) not in _DISK_FULL:
            raise
        with file.open("rb+", buffering=0) as stream:
            stream.write(data)
            stream.truncate(len(data))


def json_bytes(values: dict[str, Any]) -> bytes:
    return json.dumps(jsonable(values), indent=2).encode()  # ASCII: a path may hold bytes that are no UTF-8


def read_json(file: Path, advice: str = "fetch the checkpoint again", kind: type = dict) -> Any:
    """What a JSON file holds: an object, or another `kind`.

    Raises BertcoreError, with what to do then, where it cannot be read or holds something else.
    """
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise BertcoreError(f"The file {file} is not valid JSON; {advice}.") from None
    if not isinstance(value, kind):
        raise BertcoreError(
            f"The file {file} does not hold a JSON {'object' if kind is dict else kind.__name__}; {advice}."
        )
    return value


def read_json_or_empty(file: Path) -> dict[str, Any]:
    """The JSON object in a file; an empty one where there is none, or it is damaged."""
    try:
        value: dict[str, Any] = read_json(file)
    except BertcoreError:
        return {}
    return value


def write_atomic(file: Path, data: bytes, durable: bool = False) -> None:
    """Readers see the old file or the new one. `durable`: after a power cut too."""
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        temporary.write_bytes(data)
        if durable:
            _sync(temporary)
        _replace(temporary, file)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def is_temporary(file: Path) -> bool:
    """Whether this may be left over from a writer that was killed."""
    return _TEMPORARY.fullmatch(file.name) is not None


def _replace(source: Path, target: Path) -> None:
    """os.replace; on Windows a reader that has the target open blocks it for a moment."""
    for _attempt in range(20 if os.name == "nt" else 1):
        try:
            return os.replace(source, target)
        except PermissionError:
            time.sleep(0.01)
    os.replace(source, target)


def to_disk(folder: Path) -> None:
    """Makes the files' contents durable before the folder gets its final name (a snapshot must survive a power cut)."""
    for file in folder.rglob("*"):
        if file.is_file():
            _sync(file)


def _sync(file: Path) -> None:
    with file.open("rb+") as stream:
        os.fsync(stream.fileno())


@contextmanager
def write_errors(folder: Path) -> Iterator[None]:
    """Turns what the system says about a folder that cannot be written into a sentence."""
    try:
        yield
    except (PermissionError, FileExistsError, NotADirectoryError) as error:
        reason = "it is a file" if folder.is_file() else (error.strerror or "no permission").lower()
        raise BertcoreError(f"Cannot write the run folder {folder}: {reason}; choose another folder.") from error
    except BertcoreError:
        raise
    except Exception as error:  # the libraries that write have errors of their own
        sentence = why_unwritten(error, folder)
        if sentence is None and (not isinstance(error, OSError) or error.errno == errno.ENOMEM):
            raise
        why = getattr(error, "strerror", None) or error
        raise BertcoreError(sentence or f"Cannot write the run folder {folder}: {why}.") from error


def error_number(error: BaseException) -> int | None:
    """The system's number of an error (errno), also of one that a library written in Rust passes on as text."""
    match = _RUST_ERROR_NUMBER.search(str(error))
    number: int | None = getattr(error, "errno", None) or (int(match[1]) if match else None)
    return errno.ENOSPC if os.name == "nt" and number == _WINDOWS_DISK_FULL else number


def is_disk_full(error: BaseException) -> bool:
    return error_number(error) in _DISK_FULL


# What torch and the libraries below it say where memory has run out, in lower case.
_OUT_OF_MEMORY = (
    "not enough memory",
    "out of memory",
    "can't allocate memory",
    "cannot allocate memory",
    "could not create a primitive",  # oneDNN
    "bad_alloc",
    "can't start new thread",
)


def is_out_of_memory(error: BaseException) -> bool:
    """Of this machine or of the GPU; torch raises a RuntimeError."""
    text = str(error).lower()
    known = isinstance(error, MemoryError) or error_number(error) == errno.ENOMEM
    return known or any(words in text for words in _OUT_OF_MEMORY)


def why_unwritten(error: BaseException, folder: Path) -> str | None:
    """A sentence where it was for lack of space, else None."""
    if is_disk_full(error):
        return (
            f"The disk is full: free some space where {folder} lies, then go on with --resume; "
            "what is saved so far is kept."
        )
    if error_number(error) == errno.EFBIG:
        return (
            f"A file in {folder} would be larger than its disk or a limit of the system (ulimit -f) allows: raise the "
            "limit, then go on with --resume; what is saved so far is kept."
        )
    return None


def jsonable(value: Any) -> Any:
    """JSON's own types, also of what NumPy and torch hold; None for a number that is not finite."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, dict):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    number = float(value)
    return number if math.isfinite(number) else None
