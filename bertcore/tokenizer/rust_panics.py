"""The tokenizers library is written in Rust, and on some files it panics instead of raising an error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def panics_as_errors() -> Iterator[None]:
    """Raises RuntimeError for a panic, which is no `Exception` and would end the thread that it comes up in."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # pyo3's own class, which cannot be imported
            raise
        raise RuntimeError(str(error)) from None
