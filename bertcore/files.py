"""Files that anybody may have made, read within limits; files written whole; and why one cannot be, in a sentence.

No torch.
"""

import errno
import json
import math
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, BinaryIO

from bertcore.errors import BertcoreError, UnreadableError
from bertcore.json_text import parse_json

MOST_BYTES = 32 * 2**20  # of a JSON file

_RUST_ERROR_NUMBER = re.compile(r"\(os error (\d+)\)")
_DISK_FULL = {errno.ENOSPC, errno.EDQUOT} if hasattr(errno, "EDQUOT") else {errno.ENOSPC}
_WINDOWS_DISK_FULL = 112
# What these say of a file is so each time it is read; other errors, of permission or of the disk, may pass.
_LASTING = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EINVAL, errno.EFBIG, errno.ELOOP, errno.ENAMETOOLONG}
_TEMPORARY = re.compile(r"\..+\.\d+")  # before it is moved into place, see `write_atomic`
_TEMPORARY_STEM = 40  # characters of the file's name: the rest has to fit into 255 bytes beside them
# Missing on Windows, where files have no such modes.
_BINARY, _NO_WAITING, _NO_LINK = (getattr(os, name, 0) for name in ("O_BINARY", "O_NONBLOCK", "O_NOFOLLOW"))


def open_regular(file: Path) -> BinaryIO:
    """Open to read. A pipe or a device, which may wait or go on for ever, raises an OSError that says what it is."""
    try:
        _check_regular(os.stat(file), file)
        descriptor = os.open(file, os.O_RDONLY | _BINARY | _NO_WAITING)
    except ValueError:  # a NUL, or half a character
        raise OSError(errno.EINVAL, "no file can have this name", str(file)) from None
    stream = os.fdopen(descriptor, "rb")
    try:
        _check_regular(os.fstat(descriptor), file)  # it may be another one by now
    except OSError:
        stream.close()
        raise
    return stream


def _check_regular(about: os.stat_result, file: Path) -> None:
    if stat.S_ISDIR(about.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(file))
    if not stat.S_ISREG(about.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(file))


def is_there(file: Path) -> bool:
    """Whether there is a file of this name. Raises BertcoreError where it is a pipe, a device or a folder: passed over
    as if it were not there, it would leave an error that speaks of something else."""
    if file.is_file():
        return True
    if file.exists():
        raise BertcoreError(f"{file} is not a regular file; fetch the checkpoint again.")
    return False


def read_bytes(file: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """All of a regular file. Raises OSError, with a reason for people, where it is another or too large."""
    with open_regular(file) as stream:
        data = stream.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise OSError(errno.EFBIG, f"it is larger than {most_bytes / 2**20:,.3g} MiB", str(file))
    return data


def reason_of(error: OSError) -> str:
    """Why a file cannot be read or written, to be put into a sentence."""
    reason = (error.strerror or str(error)).rstrip(".")
    return reason[:1].lower() + reason[1:]


def write_json(file: Path, values: dict[str, Any] | list[Any], follow: bool = False) -> None:
    """As `write_atomic`."""
    write_atomic(file, json_bytes(values), follow=follow)


def write_json_on_full_disk(file: Path, values: dict[str, Any]) -> None:
    """As `write_json`; where the disk is full, over the old content, which takes no new space."""
    data = json_bytes(values)
    try:
        write_atomic(file, data)
    except OSError as error:
        if error_number(error) not in _DISK_FULL:
            raise
        descriptor = os.open(file, os.O_WRONLY | _NO_LINK | _BINARY)
        with os.fdopen(descriptor, "wb", buffering=0) as stream:
            stream.write(data)
            stream.truncate(len(data))


def json_bytes(values: dict[str, Any] | list[Any]) -> bytes:
    return json.dumps(jsonable(values), indent=2).encode()  # ASCII: a path may hold bytes that are no UTF-8


def unread(error: BaseException) -> type[BertcoreError]:
    """What to raise for an error in reading a file: UnreadableError where it says nothing of the file itself."""
    number = error_number(error)
    passes = is_out_of_memory(error) or (number is not None and number not in _LASTING)
    return UnreadableError if passes else BertcoreError


def content_of(file: Path, most_bytes: int = MOST_BYTES, advice: str = "fetch the checkpoint again") -> bytes:
    """As `read_bytes`, but raises BertcoreError with what to do then."""
    try:
        return read_bytes(file, most_bytes)
    except PermissionError:
        raise UnreadableError(f"The file {file} cannot be read: you have no permission; ask its owner.") from None
    except OSError as error:
        raise unread(error)(f"The file {file} cannot be read: {reason_of(error)}; {advice}.") from None


def read_json(
    file: Path, advice: str = "fetch the checkpoint again", kind: type = dict, most_bytes: int = MOST_BYTES
) -> Any:
    """What a JSON file holds: an object, or another `kind`.

    Raises BertcoreError, with what to do then, where it cannot be read or holds something else.
    """
    try:
        value = parse_json(content_of(file, most_bytes, advice).decode("utf-8"))
    except ValueError as error:
        raise BertcoreError(f"The file {file} is not valid JSON ({error}); {advice}.") from None
    if not isinstance(value, kind):
        raise BertcoreError(
            f"The file {file} does not hold a JSON {'object' if kind is dict else kind.__name__}; {advice}."
        )
    return value


def read_json_or_empty(file: Path, most_bytes: int = MOST_BYTES, to_rewrite: bool = False) -> dict[str, Any]:
    """The JSON object in a file; an empty one where there is none, or it is damaged.

    `to_rewrite`, for whoever writes the file anew: raises UnreadableError where it may be whole, so that what it holds
    is not lost.
    """
    try:
        value: dict[str, Any] = read_json(file, most_bytes=most_bytes)
    except BertcoreError as error:
        if to_rewrite and isinstance(error, UnreadableError):
            raise
        return {}
    return value


def write_atomic(file: Path, data: bytes, durable: bool = False, follow: bool = False) -> None:
    """Readers see the old file or the new one, with the mode of the old one. `durable`: after a power cut too.

    `follow`, for a place that a person has chosen: what a symbolic link points to is written, and a device is refused.
    Else the new file takes the place of either: a run folder from elsewhere cannot lead its run to another place.
    Raises OSError, also for what cannot be the name of a file.
    """
    try:
        target = file.resolve() if follow and file.is_symlink() else file
        if follow and target.exists():
            _check_regular(os.stat(target), target)
        mode = _mode_of(target)
        temporary = target.with_name(f".{target.name[:_TEMPORARY_STEM]}.{secrets.randbelow(10**18)}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | _BINARY
        descriptor = os.open(temporary, flags, 0o666 if mode is None else 0o600)
    except (ValueError, RuntimeError) as error:  # a NUL, half a character, no name; links in a circle
        raise OSError(errno.EINVAL, "no file can have this name", str(file)) from error
    except OSError as error:
        error.filename = str(file)  # not the temporary one, of which nobody knows
        raise
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            if mode is not None and os.name != "nt":
                os.fchmod(descriptor, mode)
            if durable:
                stream.flush()
                os.fsync(descriptor)
        _replace(temporary, target)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            error.filename = str(file)  # a full disk or a limit names none
        raise


def _mode_of(file: Path) -> int | None:
    """The permissions of a regular file that is there; None where none is."""
    try:
        about = os.lstat(file)
    except OSError:
        return None
    return stat.S_IMODE(about.st_mode) & 0o777 if stat.S_ISREG(about.st_mode) else None


def append_to(file: Path) -> BinaryIO:
    """A regular file opened to be read and to grow, made where there is none; a symbolic link is an OSError."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND | _NO_LINK | _NO_WAITING | _BINARY, 0o666)
    try:
        _check_regular(os.fstat(descriptor), file)
    except OSError:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "ab+")


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
            with file.open("rb+") as stream:
                os.fsync(stream.fileno())


@contextmanager
def write_errors(folder: Path) -> Iterator[None]:
    """Turns what the system says about a folder that cannot be written into a sentence."""
    try:
        yield
    except (PermissionError, FileExistsError, NotADirectoryError) as error:
        reason = "it is a file" if folder.is_file() else (error.strerror or "no permission").lower()
        raise BertcoreError(f"Cannot write the folder {folder}: {reason}; choose another folder.") from error
    except BertcoreError:
        raise
    except Exception as error:  # the libraries that write have errors of their own
        sentence = why_unwritten(error, folder)
        if sentence is None and (not isinstance(error, OSError) or error.errno == errno.ENOMEM):
            raise
        why = getattr(error, "strerror", None) or error
        raise BertcoreError(sentence or f"Cannot write the folder {folder}: {why}.") from error


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
    """JSON's own types, also of dataclasses and what NumPy and torch hold; None for a number that is not finite."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if is_dataclass(value) and not isinstance(value, type):
        value = {each.name: getattr(value, each.name) for each in fields(value)}
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
