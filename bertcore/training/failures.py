"""How a run ends before its time: signals, losses that are no finite number, and errors as sentences."""

import contextlib
import math
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from bertcore.errors import BertcoreError
from bertcore.files import is_out_of_memory, why_unwritten
from bertcore.runs.failure_causes import LOSS_DIVERGED, NO_MEMORY, WEIGHTS_DIVERGED
from bertcore.runs.run_folder import RunFolder

BAD_BATCH_FILE = "bad_batch.json"  # in the form of the first batch
WriteBatch = Callable[[Any, str], str]  # writes a batch into a file of that name; returns how it begins


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
    """Ctrl+C, a polite kill and a closed terminal ask for a stop instead of ending the process.

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


@dataclass(frozen=True)
class UncheckedStep:
    """What a step left on its device: to read a number from a GPU means to wait for all that it still has to do."""

    step: int
    gradient_norm: Tensor
    loss: Tensor
    batch: Any


def refuse_infinite_steps(steps: Sequence[UncheckedStep], run: Path, write_batch: WriteBatch | None) -> None:
    """Raises BertcoreError for the first whose loss or gradient norm is NaN or infinite."""
    if not steps:
        return
    numbers = torch.stack([torch.stack([each.gradient_norm.float(), each.loss.float()]) for each in steps])
    for each, finite in zip(steps, numbers.isfinite().all(dim=1).tolist(), strict=True):
        if not finite:
            raise _diverged(LOSS_DIVERGED, each.step, run, each.batch, write_batch)


def refuse_infinite_weights(
    model: nn.Module, optimizer: torch.optim.Optimizer, step: int, run: Path, batch: Any, write_batch: WriteBatch | None
) -> None:
    """Raises BertcoreError where a weight or a moment of the optimiser is NaN or infinite: no snapshot may hold it.

    A sum is finite only where all its parts are; `load_checkpoint` looks in the same way.
    """
    moments = [value for state in optimizer.state.values() for value in state.values() if isinstance(value, Tensor)]
    if not all(math.isfinite(float(value.sum())) for value in (*model.state_dict().values(), *moments)):
        raise _diverged(WEIGHTS_DIVERGED, step, run, batch, write_batch)


def _diverged(what: str, step: int, run: Path, batch: Any, write_batch: WriteBatch | None) -> BertcoreError:
    seen = ""
    with contextlib.suppress(OSError, BertcoreError):  # a disk that is full besides must not hide what happened
        if write_batch is not None and batch is not None:
            begin = write_batch(batch, BAD_BATCH_FILE)
            seen = f", on the batch that begins with “{begin}” (all of it in {run / BAD_BATCH_FILE})"
    kept = [number for number, _ in RunFolder(run).snapshots()]
    last = f"the snapshot of step {kept[-1]} is kept" if kept else "there was no snapshot yet"
    return BertcoreError(f"{what} at step {step}{seen}; {last}. Start again with a lower learning rate.")
