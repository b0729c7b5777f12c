"""Training from Python: `bertcore.train("finetune", ...)` trains one model, `bertcore.Run(folder)` reads what a run
wrote, `bertcore.sweep("finetune", ...)` trains several runs and says which settings were best."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bertcore.errors import AbsentError, BertcoreError
from bertcore.runs.known_runs import is_run
from bertcore.runs.metrics_file import EVALUATION, HELD_OUT, MetricsTail
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.run_metrics import CURVES, RunMetrics
from bertcore.runs.sweep_results import Sweep
from bertcore.table import Picture, Table, as_frame, curves
from bertcore.training.distil_options import DistilOptions
from bertcore.training.run_settings import run_settings
from bertcore.training.sweep_plan import Varied

if TYPE_CHECKING:
    from bertcore.loaded_model import LoadedModel

N = TypeVar("N", int, float)


class Run(Table):
    """A training run, of Python, the shell or the window; also one that still goes on. Each access reads its folder.

    In the rows, a line of its metrics each: `step`, `kind` ("train", "held_out" ...), and its numbers.
    """

    def __init__(self, folder: str | Path) -> None:
        """Raises BertcoreError where the folder is no run's."""
        self.folder = Path(folder).expanduser()
        if not is_run(self.folder):
            raise BertcoreError(f"There is no run in {self.folder}; name the folder that a run was told to write.")

    def __repr__(self) -> str:
        return f"<run {self.folder}: {self.state} at step {self.step:,}>"

    @property
    def state(self) -> str:
        """ "done", "stopped", "failed", "running" ..."""
        return RunFolder(self.folder).status().state

    @property
    def step(self) -> int:
        return RunFolder(self.folder).status().step

    @property
    def settings(self) -> dict[str, Any]:
        """All of them, as in its config.json."""
        return RunFolder(self.folder).config()

    @property
    def metrics(self) -> dict[str, float]:
        """The numbers of the last measurement on held-out data: step, loss, accuracy ...; empty before the first. Of a
        run that has ended on all of it, as in its evaluation.json."""
        measured = [line for line in self.rows() if line.get("kind") in (HELD_OUT, EVALUATION)]
        return {name: value for name, value in measured[-1].items() if type(value) in (int, float)} if measured else {}

    @property
    def model(self) -> LoadedModel:
        """The snapshot that it ends with, as `load` opens it: the newest; with `patience` the best.

        Raises BertcoreError, which is an AttributeError too, while there is none that opens.
        """
        from bertcore.loaded_model import load

        try:
            return load(self.folder)
        except BertcoreError as error:
            raise AbsentError(str(error)) from None

    def rows(self, kind: str | None = None) -> list[dict[str, Any]]:
        """The lines of its metrics, or those of one kind: "train" as it learned, "held_out" as it was measured."""
        lines = MetricsTail(self.folder).read_new()
        return [line for line in lines if kind in (None, line.get("kind"))]

    def picture(self) -> Picture:
        """Its curves: the loss as it learned and held out, and up to three other held-out numbers."""
        metrics = RunMetrics()
        metrics.append(self.rows())
        lines = {name: list(zip(*series.arrays, strict=True)) for name, series in metrics.series.items()}
        losses = {"held-out": lines["loss_task_held_out"], "training": lines["loss_task"]}
        held_out = {each.field: lines[name] for name, each in CURVES.items() if each.kind == HELD_OUT and lines[name]}
        others = [name for name in held_out if not name.endswith("loss")][:3]
        body = curves("Loss in nats", losses) + curves("Held out", {name: held_out[name] for name in others})
        return Picture(f"Run {self.folder.name}", body, f"{self.state} at step {self.step:,}")

    def to_pandas(self, kind: str | None = None) -> Any:
        """`rows` as a pandas.DataFrame. Raises BertcoreError where pandas is not installed."""
        return as_frame(self.rows(kind))


def train(
    kind: str,
    out: str | Path,
    *,
    resume: bool = False,
    on_event: Callable[[dict[str, Any]], None] | None = None,
    **settings: Any,
) -> Run:
    """Train one model in this process, into the run folder `out`; prints nothing. Ctrl+C stops it after a snapshot.

    kind: "finetune", "pretrain" or "distil". resume: continue the run in `out`, or start it. on_event: gets each line
    of its metrics as it is written. settings: as the shell's flags, with underscores (task, train, model, corpus,
    minutes ...; `start` is --from); without `train` a task learns from its sample.
    Raises BertcoreError for settings that cannot be, for data that cannot be trained on, a folder that holds something
    else, and a training that fails.
    """
    from bertcore.training.start import start_run

    folder = Path(out).expanduser()
    options = run_settings(kind, folder, settings, resume, name=folder.resolve().name)
    start_run(options, folder, resume, on_event)
    return Run(folder)


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
) -> Sweep:
    """Train a run for each combination of rates, batch sizes and numbers of epochs, each with `seeds` seeds.

    kind: "finetune" or "pretrain". out: the run folders are called so, with a suffix each. rates: learning rates; one
    whole number is how many to try around the usual one. random: only so many combinations, drawn at random.
    budget_share: of the budget, for each run. resume: continue a sweep that was stopped. settings: as of `train`.
    Raises BertcoreError for settings that cannot be, and for data that cannot be trained on.
    """
    from bertcore.training.start import run_sweep

    if kind == DistilOptions.kind:
        raise BertcoreError("A sweep is of kind pretrain or finetune; distil runs are trained one by one.")
    folder = Path(out).expanduser()
    options = run_settings(kind, folder, settings, resume=False, name=folder.resolve().name)
    varied = Varied(
        _each(rates, float), _each(batch_sizes, int), _each(epoch_counts, float), seeds, random, budget_share
    )
    return run_sweep(options, folder, varied, resume)


def _each(values: Sequence[N] | N, kind: type[N]) -> tuple[N, ...]:
    """One number, or several."""
    return tuple(map(kind, values)) if isinstance(values, Iterable) else (kind(values),)
