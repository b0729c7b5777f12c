"""The snapshots that ship with the built-in model's run, from its first steps trained again.

    python scripts/make_snapshots.py RUN STEP [STEP...]

The run that ships kept none. Its recipe has one rate until step 8,160, so whoever starts it again takes the same steps:
RUN is such a run, stopped where it had gone far enough (`make model`, Ctrl+C). Its training loss has to agree with the
curve that ships.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from shipping import ship_snapshot

from bertcore.locations import BUILT_IN, assets
from bertcore.runs.run_folder import RunFolder

MOST_APART = 0.05  # of the two losses of a step, on average: machines round differently


def main(
    run: Annotated[Path, typer.Argument(help="The folder of the run that was started again.")],
    steps: Annotated[list[int], typer.Argument(help="Whose snapshots ship.")],
) -> None:
    again, ships = RunFolder(run), RunFolder(assets() / "runs" / BUILT_IN)
    losses, theirs = training_losses(again), training_losses(ships)
    kept = dict(again.snapshots())
    if missing := sorted(set(steps) - kept.keys()):
        raise typer.BadParameter(f"{run} has kept no step {missing[0]:,}; it has {', '.join(map(str, kept))}")
    both = [step for step in losses.keys() & theirs.keys() if step <= max(steps)]
    apart = [abs(losses[step] - theirs[step]) for step in both]
    if not apart or np.mean(apart) > MOST_APART:
        raise typer.BadParameter(f"{run} is another run than the one that ships")
    said = f"{len(both):,} steps that both curves have: {np.mean(apart):.4f} apart on average, {max(apart):.4f} at most"
    typer.echo(f"{said}; a step and the next one are {np.mean(np.abs(np.diff(list(losses.values())))):.4f} apart")
    shutil.rmtree(ships.path / "snapshots", ignore_errors=True)
    for step in steps:
        ship_snapshot(kept[step], ships.snapshot_path(step), BUILT_IN)


def training_losses(run: RunFolder) -> dict[int, float]:
    """The loss of each step whose line is kept."""
    return {line["step"]: line["loss"] for line in run.tail().read_new() if line["kind"] == "train"}


if __name__ == "__main__":
    typer.run(main)
