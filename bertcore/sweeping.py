"""A sweep from Python: `bertcore.sweep("finetune", ...)` trains several runs and says which settings were best."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bertcore.errors import BertcoreError
from bertcore.results import Table
from bertcore.runs.sweep import Sweep, SweepGroup, SweepRun
from bertcore.tasks.readers.reading import sample_folder, task_named
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.options import RunOptions
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.sweep_plan import Varied

_KINDS: dict[str, type[RunOptions]] = {kind.kind: kind for kind in (PretrainOptions, FinetuneOptions)}


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
    rates: Sequence[float] | int = (),
    batch_sizes: Sequence[int] = (),
    epoch_counts: Sequence[float] = (),
    seeds: int = 1,
    random: int | None = None,
    budget_share: float = 1.0,
    resume: bool = False,
    **settings: Any,
) -> Swept:
    """Train a run for each combination of rates, batch sizes and numbers of epochs, each with `seeds` seeds.

    kind: "finetune" or "pretrain". out: the run folders are called so, with a suffix each. rates: learning rates, or
    how many to try around the usual one. random: only so many combinations, drawn at random. budget_share: of the
    budget, for each run. resume: continue a sweep that was stopped. settings: as the shell's flags, with underscores
    (task, train, model, corpus, minutes ...); without `train` a task learns from its sample.
    Raises BertcoreError for settings that cannot be, and for data that cannot be trained on.
    """
    from bertcore.training.sweep import run_sweep

    if kind not in _KINDS:
        raise BertcoreError(f"A sweep needs {' or '.join(_KINDS)}, not {kind!r}.")
    if kind == FinetuneOptions.kind and "train" not in settings:
        sample = sample_folder(task_named(settings.get("task", FinetuneOptions().data.task)))
        settings["train"] = None if sample is None else str(sample)
    if isinstance(settings.get("corpus"), str | Path):
        settings["corpus"] = (str(settings["corpus"]),)
    try:
        options = _KINDS[kind]().with_changes(**{"name": Path(out).name, **settings})
    except TypeError as error:
        raise BertcoreError(f"{kind} has no such setting: {error}.") from None
    varied = Varied(
        (float(rates),) if isinstance(rates, int) else tuple(rates),
        tuple(batch_sizes),
        tuple(epoch_counts),
        seeds,
        random,
        budget_share,
    )
    return Swept(run_sweep(options, Path(out), varied, resume))
