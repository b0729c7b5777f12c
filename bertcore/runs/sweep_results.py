"""A sweep: runs that differ in a few settings only, and which of these settings did best. No torch.

Each is a run like any other; sweep.json in its folder says which sweep it belongs to.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from bertcore.errors import BertcoreError, name_from_file
from bertcore.files import read_json_or_empty, write_errors, write_json
from bertcore.runs.known_runs import known_runs
from bertcore.runs.metrics_file import EVALUATION, HELD_OUT, MetricsTail, examples_of, number
from bertcore.runs.run_folder import RunFolder, RunStatus, cause_of
from bertcore.table import Table
from bertcore.tasks.readers.reading import TASKS, metrics_of

SWEEP = "sweep.json"
SETTINGS = ("learning_rate", "batch_size", "epochs")  # what a sweep varies, beside the seed
# Of the loss at the start: a run that ends above the first has learned next to nothing, above the second it diverged.
HARDLY, GROWN = 0.98, 1.5
GAIN = 0.05  # of a task's metric: this much better than before training is no chance
_MOST_BYTES = 2**16
_MOST_RUNS = 10_000
_KINDS = (HELD_OUT, EVALUATION)


@dataclass(frozen=True)
class SweepPlace:
    """A run's place in a sweep."""

    id: str
    name: str
    number: int  # from 1
    of: int  # how many runs were planned
    budget_share: float = 1.0  # of the budget that one run alone would have had


def read_place(run: Path) -> SweepPlace | None:
    """None for a run that belongs to no sweep, and for a damaged file."""
    values = read_json_or_empty(run / SWEEP, _MOST_BYTES)
    number, of, share = values.get("number"), values.get("of"), values.get("budget_share", 1.0)
    sweep_id = values.get("id")
    if not isinstance(sweep_id, str) or not isinstance(share, int | float) or not 0 < share <= 1:
        return None
    if type(number) is not int or type(of) is not int or not 1 <= number <= of <= _MOST_RUNS:
        return None
    return SweepPlace(sweep_id, name_from_file(values.get("name"), otherwise="sweep"), number, of, float(share))


def write_place(run: Path, place: SweepPlace) -> None:
    with write_errors(run):
        write_json(run / SWEEP, asdict(place))


@dataclass(frozen=True)
class Measurement:
    """A line of metrics on held-out data."""

    step: int
    score: float
    loss: float | None
    examples: int | None
    chance: float | None = None  # what always giving the most common answer would get, where the line says it


@dataclass(frozen=True)
class SweepRun:
    """One run of a sweep."""

    path: Path
    number: int
    status: RunStatus
    values: Mapping[str, float | None]  # SETTINGS and "seed"; None: the usual one
    measurements: tuple[Measurement, ...] = ()  # each on the same held-out data
    higher_is_better: bool = True
    evaluation: Measurement | None = None  # of the model that it ended with, on all that is held out

    @property
    def final(self) -> Measurement | None:
        """Of a finished run, on all held-out data; None for a run that is not done, which says nothing yet."""
        return self.evaluation or self.measurements[-1] if self.status.state == "done" and self.measurements else None

    @property
    def score(self) -> float | None:
        """On all held-out data, of the finished model."""
        return self.final.score if self.final is not None else None

    @property
    def loss(self) -> float | None:
        """Of the finished model, or the last so far."""
        last = self.final or (self.measurements[-1] if self.measurements else None)
        return None if last is None else last.loss

    @property
    def has_diverged(self) -> bool:
        """Its numbers became infinite, or it ended far above the loss it began with."""
        cause = cause_of(self.status.message) if self.status.state == "failed" else None
        return cause == "diverged" or self._is_left_with(GROWN)

    @property
    def has_hardly_learned(self) -> bool:
        """The finished model is no better on held-out data than the untrained one."""
        return self._is_left_with(HARDLY)

    def _is_left_with(self, share: float) -> bool:
        """Finished with more than this share of its first loss, and without a better score: a model that has learned
        its examples by heart may have a high loss and a good accuracy."""
        until = math.inf if self.status.ends_with is None else self.status.ends_with
        measured = [each for each in self.measurements if each.step <= until]
        losses = [each.loss for each in measured if each.loss is not None]
        if self.score is None or len(losses) < 2:
            return False
        has_gained = self.higher_is_better and measured[-1].score - measured[0].score > GAIN
        return losses[-1] > share * losses[0] and not has_gained

    @property
    def best_step(self) -> int | None:
        """Where its score was best."""
        best = max if self.higher_is_better else min
        found = best(self.measurements, key=lambda each: each.score, default=None)
        return found.step if found is not None else None


@dataclass(frozen=True)
class SweepGroup:
    """Runs with the same settings but the seed."""

    values: Mapping[str, float | None]  # of those that vary
    runs: tuple[SweepRun, ...]

    @cached_property
    def scores(self) -> tuple[float, ...]:
        return tuple(run.score for run in self.runs if run.score is not None)

    @property
    def mean(self) -> float | None:
        return statistics.fmean(self.scores) if self.scores else None

    @property
    def deviation(self) -> float | None:
        """Standard deviation over the seeds (n - 1); None for fewer than two."""
        return statistics.stdev(self.scores) if len(self.scores) > 1 else None

    @property
    def has_diverged(self) -> bool:
        return any(run.has_diverged for run in self.runs)

    @property
    def has_hardly_learned(self) -> bool:
        return bool(self.scores) and all(run.has_hardly_learned for run in self.runs if run.score is not None)


@dataclass(frozen=True, repr=False)
class Sweep(Table):
    """What a sweep found, its runs by number; in the rows, a run each.

    metric: the name of what decides, as in metrics.jsonl; of pretraining the loss on masked words, where less is
    better. best: the settings with the best mean over their seeds, with `values`, `mean` and `deviation`; best_run: of
    these the best run, to `bertcore.load`. Both are None where no run came to its end.
    """

    id: str
    name: str
    kind: str  # "finetune" or "pretrain"
    metric: str
    higher_is_better: bool
    of: int  # how many runs were planned
    budget_share: float
    runs: tuple[SweepRun, ...]
    unreadable: tuple[SweepRun, ...] = ()  # runs whose settings cannot be read; `status.message` says why

    @property
    def missing(self) -> int:
        """Runs that were planned and are no longer there."""
        return max(0, self.of - len(self.runs) - len(self.unreadable))

    @property
    def is_over(self) -> bool:
        return not any(run.status.active for run in self.runs)

    @cached_property
    def varied(self) -> tuple[str, ...]:
        """Which of SETTINGS differ between the runs."""
        return tuple(name for name in SETTINGS if len({run.values.get(name) for run in self.runs}) > 1)

    @cached_property
    def seeds(self) -> int:
        return len({run.values.get("seed") for run in self.runs})

    @cached_property
    def groups(self) -> tuple[SweepGroup, ...]:
        """By their settings, from the smallest values up."""
        found: dict[tuple[float | None, ...], list[SweepRun]] = {}
        for run in self.runs:
            found.setdefault(tuple(run.values.get(name) for name in self.varied), []).append(run)
        ordered = sorted(found, key=lambda values: tuple(-1.0 if value is None else value for value in values))
        return tuple(SweepGroup(dict(zip(self.varied, key, strict=True)), tuple(found[key])) for key in ordered)

    @cached_property
    def best(self) -> SweepGroup | None:
        """The best on average by the held-out part; settings with which a run failed count only if there are no
        others."""
        measured = [group for group in self.groups if group.mean is not None]
        whole = [group for group in measured if not any(run.status.state == "failed" for run in group.runs)]
        return max(whole or measured, key=lambda group: self._rank(group.mean), default=None)

    @property
    def chance(self) -> float | None:
        """The accuracy that always giving the most common answer would get; None where it is not known."""
        return self._chance(run.final for run in self.runs)

    @property
    def chance_on_the_way(self) -> float | None:
        """As `chance`, on what the measurements before the end are made on."""
        return self._chance(run.measurements[-1] for run in self.runs if run.measurements)

    def _chance(self, measured: Iterable[Measurement | None]) -> float | None:
        known = (each.chance for each in measured if each is not None and each.chance is not None)
        return next(known, None) if self.metric == "accuracy" else None

    def is_as_good(self, group: SweepGroup) -> bool:
        """Whether its distance from the best is less than two standard errors, and so may be chance.

        With several seeds the error is that of the two means; with one each, of a task's accuracy on so many examples.
        """
        best = self.best
        if best is None or best.mean is None or group.mean is None or group is best:
            return group is best
        errors = [self._squared_error(each) for each in (best, group)]
        if None in errors:
            return best.mean == group.mean
        return abs(best.mean - group.mean) <= 2 * math.sqrt(sum(error or 0.0 for error in errors))

    def _squared_error(self, group: SweepGroup) -> float | None:
        """Of the mean; None where it is not known."""
        if group.deviation is not None:
            return group.deviation**2 / len(group.scores)
        examples = next((run.final.examples for run in group.runs if run.final is not None), None)
        if self.metric != "accuracy" or not examples or group.mean is None:
            return None
        return group.mean * (1 - group.mean) / examples

    @property
    def winner(self) -> SweepRun | None:
        """Of the best settings the run with the best score."""
        runs = [run for run in self.best.runs if run.score is not None] if self.best else []
        return max(runs, key=lambda run: self._rank(run.score), default=None)

    @property
    def best_run(self) -> Path | None:
        """The folder of the `winner`."""
        return self.winner.path if self.winner is not None else None

    def rows(self) -> list[dict[str, Any]]:
        return [
            {
                "run": str(run.path),
                **run.values,
                "state": run.status.state,
                self.metric: run.score,
                "best_step": run.best_step,
                "loss": run.loss,
                "message": run.status.message,
            }
            for run in (*self.runs, *self.unreadable)
        ]

    def _rank(self, score: float | None) -> float:
        value = 0.0 if score is None else score
        return value if self.higher_is_better else -value


def read_sweep(
    runs: Iterable[Path], statuses: Mapping[Path, RunStatus] | None = None, reader: MeasurementReader | None = None
) -> Sweep:
    """The sweep of these run folders, which all belong to it.

    `statuses`: what is known of some of them already. `reader`: what of their metrics was read before.
    Raises BertcoreError for none, and where none of them has settings that can be read.
    """
    places = {run: place for run in runs if (place := read_place(run))}
    if not places:
        raise BertcoreError("No run of this sweep was found here.")
    configs: dict[Path, dict[str, Any]] = {}
    unreadable = []
    for run, place in sorted(places.items(), key=lambda each: each[1].number):
        try:
            configs[run] = RunFolder(run).config()
        except BertcoreError as error:
            unreadable.append(SweepRun(run, place.number, RunStatus("unknown", message=str(error)), {}))
    if not configs:
        raise BertcoreError(str(unreadable[0].status.message))
    config = next(iter(configs.values()))
    names, higher = _metrics_of(config)
    reader = reader or MeasurementReader()
    lines = {run: reader.lines(run) for run in configs}
    said = (name for of_run in lines.values() for name in names if any(number(e.get(name)) is not None for e in of_run))
    metric = next(said, names[0])
    members = []
    for run, values in configs.items():
        status = (statuses or {}).get(run) or RunFolder(run).status()
        measurements, evaluation = _measurements(lines[run], metric)
        varied = _values_of(values)
        members.append(SweepRun(run, places[run].number, status, varied, measurements, higher, evaluation))
    place = min(places.values(), key=lambda each: each.number)
    kind, read = str(config.get("kind", "pretrain")), tuple(members)
    return Sweep(place.id, place.name, kind, metric, higher, place.of, place.budget_share, read, tuple(unreadable))


def find_sweep(run: Path) -> Sweep:
    """The sweep that a run belongs to. Raises BertcoreError for one that belongs to none."""
    place = read_place(run)
    if place is None:
        raise BertcoreError(f"The run {run} does not belong to a sweep.")
    beside = [folder for folder in run.resolve().parent.iterdir() if folder.is_dir()]
    folders = dict.fromkeys([*beside, *known_runs()])
    return read_sweep(each for each in folders if (other := read_place(each)) and other.id == place.id)


def _metrics_of(config: Mapping[str, Any]) -> tuple[Sequence[str], bool]:
    """What a run of this kind measures, what decides first; and whether more of it is better."""
    data = config.get("data")
    task = data.get("task") if config.get("kind") == "finetune" and isinstance(data, Mapping) else None
    if isinstance(task, str) and task in TASKS:
        return metrics_of(TASKS[task]), True
    return ("mlm_loss", "loss"), False


def _values_of(config: Mapping[str, Any]) -> dict[str, float | None]:
    training = config.get("training")
    training = training if isinstance(training, Mapping) else {}
    return {name: number(training.get(name)) for name in (*SETTINGS, "seed")}


class MeasurementReader:
    """The lines of measurements of runs; what was read of a file once is not read again as it grows."""

    def __init__(self) -> None:
        self._read: dict[Path, tuple[MetricsTail, list[dict[str, Any]]]] = {}

    def lines(self, run: Path) -> list[dict[str, Any]]:
        tail, found = self._read.setdefault(run, (MetricsTail(run, _KINDS), []))
        new = tail.read_new()
        found[:] = new if tail.restarted else found + new
        return list(found)


def _measurements(
    lines: Sequence[Mapping[str, Any]], metric: str
) -> tuple[tuple[Measurement, ...], Measurement | None]:
    """A run's measurements on the same data, and one of its end on all of it; without any, none and None."""
    found: dict[str, list[Measurement]] = {kind: [] for kind in _KINDS}
    for line in lines:
        if (score := number(line.get(metric))) is not None:
            answers = line.get("answers")
            chance = number(answers.get("chance")) if isinstance(answers, Mapping) else None
            numbers = number(line.get("loss")), examples_of(line), chance
            found[line["kind"]].append(Measurement(line["step"], score, *numbers))
    return tuple(found[HELD_OUT]), found[EVALUATION][-1] if found[EVALUATION] else None
