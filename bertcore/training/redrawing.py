"""What drawing a run's batches again needs of every kind of run: a step it has taken, a snapshot, its first batch."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertcore.errors import BertcoreError
from bertcore.files import read_json_or_empty
from bertcore.runs.run_folder import RunFolder
from bertcore.training.first_batch import FIRST_BATCH_FILE
from bertcore.training.kept_steps import TrainingState, read_training_state


@dataclass(frozen=True, eq=False)
class Drawn:
    """B sequences of S tokens; `batch` is what was trained on."""

    step: int
    is_padding: NDArray[np.bool_]  # (B,S)
    batch: Any

    @property
    def ids(self) -> NDArray[np.int64]:
        """What the model reads, (B,S)."""
        found: NDArray[np.int64] = self.batch.input_ids.numpy()
        return found


def refuse_step(step: int, last: int) -> None:
    """Raises BertcoreError where a run that has taken `last` steps has no batch of this one."""
    if not step >= 1:
        raise BertcoreError("Steps count from 1: the first batch is that of step 1.")
    if step > last:
        raise BertcoreError(f"The run has taken {last:,} steps so far; there is no batch of step {step:,} yet.")


def check_first_batch(run: RunFolder, draw: Callable[[int], Drawn]) -> None:
    """Raises BertcoreError where the run kept another first batch than `draw` makes of step 1."""
    kept = read_json_or_empty(run.path / FIRST_BATCH_FILE).get("sequences")
    if not isinstance(kept, list) or not kept:
        return
    first = draw(1)
    rows = [row[~padding].tolist() for row, padding in zip(first.ids, first.is_padding, strict=True)]
    before = [one["ids"] for one in kept if isinstance(one, dict) and isinstance(one.get("ids"), list)]
    if rows[: len(before)] != [ids[: len(row)] for ids, row in zip(before, rows, strict=False)]:
        raise BertcoreError(
            "The batches of this run cannot be drawn again: its first batch, which it saved, is different. "
            "It was trained by another version of BERTscope, or on other data."
        )


def newest_snapshot(run: RunFolder) -> Path:
    """Raises BertcoreError where there is none yet."""
    newest = run.newest_snapshot()
    if newest is None:
        raise BertcoreError(f"The run {run.path} has not begun yet: it has no snapshot.")
    return newest


def training_states(run: RunFolder) -> list[TrainingState]:
    """Where the run stood at its newest snapshots, by step; what cannot be read is left out."""
    states = []
    for _, snapshot in run.snapshots():
        with suppress(BertcoreError):
            states.append(read_training_state(snapshot))
    return states
