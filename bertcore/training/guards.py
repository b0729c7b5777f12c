"""What surrounds a training loop: signals, garbage collection, and errors told as sentences."""

from __future__ import annotations

import contextlib
import errno
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

from bertcore.errors import BertcoreError
from bertcore.files import error_number, why_unwritten

# What torch and the libraries below it say where memory has run out, in lower case.
_OUT_OF_MEMORY = (
    "not enough memory",
    "out of memory",
    "can't allocate memory",
    "cannot allocate memory",
    "bad_alloc",
    "can't start new thread",
)


class StopAskedError(BertcoreError):
    """Someone asked for a stop before there was anything to save."""


@contextlib.contextmanager
def stop_signals(ask_to_stop: Callable[[], None]) -> Iterator[None]:
    """Ctrl+C and a polite kill ask for a stop instead of ending the process. Does nothing off the main thread."""
    names = (signal.SIGINT, signal.SIGTERM)
    try:
        former = {name: signal.signal(name, lambda *_: ask_to_stop()) for name in names}
    except ValueError:  # not on the main thread: signals are not ours to handle
        former = {}
    try:
        yield
    finally:
        for name, handler in former.items():
            signal.signal(name, handler)


def as_sentence(error: BaseException, folder: Path = Path("the run")) -> str:
    """What a person should read about an error that ended the run in `folder`."""
    text = str(error)
    if isinstance(error, BertcoreError):
        return text
    if isinstance(error, KeyboardInterrupt):
        return "Interrupted; what was trained since the last snapshot is lost."
    if is_out_of_memory(error):
        return (
            "There is not enough memory for this run: lower the batch size or the sequence length, accumulate more "
            "(each batch in more parts), or choose a smaller model; the snapshots so far are kept."
        )
    unwritten = why_unwritten(error, folder)
    if unwritten is not None:
        return unwritten
    return f"The run failed: {type(error).__name__}: {text.splitlines()[0] if text else 'no message'}."


def is_out_of_memory(error: BaseException) -> bool:
    """Of this machine or of the GPU."""
    text = str(error).lower()
    known = isinstance(error, MemoryError) or error_number(error) == errno.ENOMEM
    return known or any(words in text for words in _OUT_OF_MEMORY)
