"""A sweep from Python: `bertcore.sweep("finetune", ...)` trains several runs and says which settings were best."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from bertcore.errors import BertcoreError
from bertcore.results import Table
from bertcore.runs.sweep import Sweep, SweepGroup, SweepRun
from bertcore.training.arguments import run_settings
from bertcore.training.distil_options import DistilOptions
from bertcore.training.sweep_plan import Varied

N = TypeVar("N", int, float)


class Swept(Table):
    """What a sweep found; in the rows, a run each.

    figure: the metric that decides. best: the settings with the best mean over their seeds, with `values`, `mean` and
    `deviation`; best_run: of these the best run, to `bertcore.load`. Both are None where no run came to its end.
    """

    def __init__(self, sweep: Sweep) -> None:
        self.figure = sweep.figure
        self.runs: tuple[SweepRun, ...] = sweep.runs
        self.groups: tuple[SweepGroup, ...] = sweep.groups
        self.best: SweepGroup | None = sweep.best
        self.best_run: Path | None = sweep.best_run.path if sweep.best_run else None

    def rows(self) -> list[dict[str, Any]]:
        return [
            {
                "run": str(run.path),
                **run.values,
                "state": run.status.state,
                self.figure: run.figure,
                "best_step": run.best_step,
                "loss": run.loss,
            }
            for run in self.runs
        ]


def sweep(
    kind: str,
    out: str | Path,
    *,
    rates: Sequence[float] | float = (),
    batch_sizes: Sequence[int] | int = (),
    epoch_counts: Sequence[float] | float = (),
    seeds: int = 1,
    random: int | None = None,
    budget_share: float = 1.0,
    resume: bool = False,
    **settings: Any,
) -> Swept:
    """Train a run for each combination of rates, batch sizes and numbers of epochs, each with `seeds` seeds.

    kind: "finetune" or "pretrain". out: the run folders are called so, with a suffix each. rates: learning rates; one
    whole number is how many to try around the usual one. random: only so many combinations, drawn at random.
    budget_share: of the budget, for each run. resume: continue a sweep that was stopped. settings: as of `train`.
    Raises BertcoreError for settings that cannot be, and for data that cannot be trained on.
    """
    from bertcore.training.start import own_threads
    from bertcore.training.sweep import run_sweep

    if kind == DistilOptions.kind:
        raise BertcoreError("A sweep is of kind pretrain or finetune; distil runs are trained one by one.")
    options = run_settings(kind, Path(out).expanduser(), settings, resume=False)
    varied = Varied(
        _each(rates, float),
        _each(batch_sizes, int),
        _each(epoch_counts, float),
        seeds,
        random,
        budget_share,
    )
    with own_threads():
        return Swept(run_sweep(options, Path(out).expanduser(), varied, resume))


def _each(values: Sequence[N] | N, kind: type[N]) -> tuple[N, ...]:
    """One number, or several."""
    return tuple(map(kind, values)) if isinstance(values, Iterable) else (kind(values),)
