"""Numbers that are no numbers any more: noticed at once, said together with the batch, and never saved."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn

from bertcore.errors import BertcoreError
from bertcore.runs.run_folder import RunFolder
from bertcore.training.sharding import whole

BAD_BATCH_FILE = "bad_batch.json"  # in the form of the first batch
WriteBatch = Callable[[str], str]  # writes the last batch into a file of that name; returns how it begins


def refuse_infinite_step(norm: float, loss: Tensor | None, step: int, run: Path, write_batch: WriteBatch) -> None:
    """Raises BertcoreError where the gradient's norm or the loss is NaN or infinite, before any weight changes."""
    if not math.isfinite(norm) or (loss is not None and not math.isfinite(float(loss))):
        raise _diverged("The loss or its gradient became infinite or undefined", step, run, write_batch)


def refuse_infinite_weights(
    model: nn.Module, optimizer: torch.optim.Optimizer, step: int, run: Path, write_batch: WriteBatch
) -> None:
    """Raises BertcoreError where a weight or what the optimiser remembers is NaN or infinite: no snapshot may hold it.

    A sum is finite only where all its parts are; `load_checkpoint` looks in the same way.
    """
    remembered = [value for state in optimizer.state.values() for value in state.values() if isinstance(value, Tensor)]
    if not all(math.isfinite(float(whole(value.sum()))) for value in (*model.state_dict().values(), *remembered)):
        raise _diverged("The weights became infinite or undefined", step, run, write_batch)


def _diverged(what: str, step: int, run: Path, write_batch: WriteBatch) -> BertcoreError:
    batch = ""
    with contextlib.suppress(OSError, BertcoreError):  # a disk that is full besides must not hide what happened
        begin = write_batch(BAD_BATCH_FILE)
        batch = f", on the batch that begins with “{begin}” (all of it in {run / BAD_BATCH_FILE})"
    kept = [number for number, _ in RunFolder(run).snapshots()]
    last = f"the snapshot of step {kept[-1]} is kept" if kept else "there was no snapshot yet"
    return BertcoreError(f"{what} at step {step}{batch}; {last}. Start again with a lower learning rate.")
