"""How a run ends before its time: signals, and errors as sentences."""

import contextlib
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

from bertcore.errors import BertcoreError
from bertcore.files import is_out_of_memory, why_unwritten
from bertcore.runs.run_folder import NO_MEMORY


class StopRequestedError(BertcoreError):
    """A stop was requested before there was anything to save."""


class _StopHandler:
    def __init__(self, request_stop: Callable[[], None], before: object) -> None:
        self._request_stop = request_stop
        self._around = before if isinstance(before, _StopHandler) else None

    def __call__(self, *_about: object) -> None:
        self._request_stop()
        if self._around is not None:
            self._around()


@contextlib.contextmanager
def stop_signals(request_stop: Callable[[], None]) -> Iterator[None]:
    """Ctrl+C, SIGTERM and a closed terminal ask for a stop instead of ending the process.

    Inside another such block both are asked: a sweep, and the run that it is training. Does nothing off the main
    thread. Under nohup a closed terminal is no reason to stop.
    """
    names = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        names.append(signal.SIGHUP)
    try:
        former = {name: signal.signal(name, _StopHandler(request_stop, signal.getsignal(name))) for name in names}
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
            f"{NO_MEMORY}: lower the batch size or the sequence length, accumulate more "
            "(each batch in more parts), or choose a smaller model; the snapshots so far are kept."
        )
    unwritten = why_unwritten(error, folder)
    if unwritten is not None:
        return unwritten
    return f"The run failed: {type(error).__name__}: {text.splitlines()[0] if text else 'no message'}."
