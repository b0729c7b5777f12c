"""What surrounds a training loop: signals, garbage collection, and errors told as sentences."""

from __future__ import annotations

import contextlib
import errno
import signal
from collections.abc import Callable, Iterator

from bertcore.errors import BertcoreError


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


def as_sentence(error: BaseException) -> str:
    """What a person should read about an error that ended a run."""
    text = str(error)
    if isinstance(error, BertcoreError):
        return text
    if isinstance(error, KeyboardInterrupt):
        return "Interrupted; what was trained since the last snapshot is lost."
    if isinstance(error, MemoryError) or "not enough memory" in text or "out of memory" in text:
        return "There is not enough memory for this run; choose a smaller size, a smaller batch or shorter sequences."
    if getattr(error, "errno", None) == errno.ENOSPC or "No space left" in text:  # safetensors has its own error type
        return "The disk is full; free some space and go on with --resume."
    return f"The run failed: {type(error).__name__}: {text.splitlines()[0] if text else 'no message'}."
