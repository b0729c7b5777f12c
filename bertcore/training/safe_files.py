"""Writing files that others read at the same time, and saying in a sentence why it did not work. No torch."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bertcore.errors import BertcoreError


def write_json(file: Path, values: dict[str, Any]) -> None:
    write_aside(file, json.dumps(plain(values), indent=2).encode())  # ASCII: a path may hold bytes that are no UTF-8


def write_aside(file: Path, data: bytes) -> None:
    aside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        aside.write_bytes(data)
        _replace(aside, file)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


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
        raise BertcoreError(f"Cannot write the run folder {folder}: {reason}; choose another folder.") from error
    except OSError as error:
        raise BertcoreError(f"Cannot write the run folder {folder}: {error.strerror or error}.") from error


def plain(value: Any) -> Any:
    """JSON's own types; any other number (NumPy, torch) as a float, None where it is not finite."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    number = float(value)
    return number if math.isfinite(number) else None
