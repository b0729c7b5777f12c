"""Sweeps in the list of runs: a row for each, and the commands that start one. No torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bertcore.errors import BertcoreError
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.sweep_results import MeasurementReader, Sweep, read_sweep
from bertcore.training.sweep_plan import Varied, rates_around, usual_rate

from .process import RunCommand
from .run_info import RunInfo
from .run_kinds import COMMANDS, read_settings

FIVE, A_THIRD, THREE = 5, 1 / 3, 3  # learning rates; of the budget; seeds


@dataclass(frozen=True)
class SweepRow:
    """A sweep in the list of runs."""

    id: str
    name: str
    runs: tuple[RunInfo, ...]  # by their numbers
    of: int

    @property
    def is_active(self) -> bool:
        return any(run.status.active for run in self.runs)

    @property
    def done(self) -> int:
        return sum(run.status.state == "done" for run in self.runs)

    @property
    def fraction(self) -> float:
        """Of all budgets together; what failed or was stopped is over, too."""
        shares = [run.status.fraction if run.status.active else 1.0 for run in self.runs]
        return sum(shares) / max(len(shares), 1)


def five_rates(command: RunCommand, budget_share: float = 1.0) -> RunCommand:
    """The same run with five learning rates around the usual one."""
    rates = rates_around(usual_rate(command.options, download=False), FIVE)
    return replace(command, varied=Varied(rates=rates, budget_share=budget_share))


def three_seeds(command: RunCommand) -> RunCommand:
    return replace(command, varied=Varied(seeds=THREE))


def can_be_swept(kind: str) -> bool:
    return COMMANDS[kind].has_score


def again(run: RunInfo) -> RunCommand:
    """A run with the settings of this one. Raises BertcoreError where its folder does not say them."""
    return RunCommand(read_settings(RunFolder(run.path).config(), run.name).with_changes(name=run.name))


def rows_of(runs: Sequence[RunInfo], unfolded: str | None = None) -> list[RunInfo | SweepRow]:
    """The list of runs, each sweep as a row of its own; the runs of the one that is unfolded follow it."""
    rows: list[RunInfo | SweepRow] = []
    seen: set[str] = set()
    for run in runs:
        if run.sweep is None:
            rows.append(run)
        elif run.sweep.id not in seen:
            seen.add(run.sweep.id)
            row = sweep_row(runs, run.sweep.id)
            rows.append(row)
            if run.sweep.id == unfolded:
                rows.extend(row.runs)
    return rows


def sweep_row(runs: Sequence[RunInfo], sweep_id: str) -> SweepRow:
    """Raises ValueError where no run belongs to it."""
    found = [(run.sweep, run) for run in runs if run.sweep is not None and run.sweep.id == sweep_id]
    if not found:
        raise ValueError(sweep_id)
    found.sort(key=lambda each: each[0].number)
    place = found[0][0]
    return SweepRow(sweep_id, place.name, tuple(run for _, run in found), place.of)


def read_row(row: SweepRow, reader: MeasurementReader | None = None) -> Sweep | None:
    """What its runs have measured; None where their folders are damaged."""
    try:
        return read_sweep([run.path for run in row.runs], {run.path: run.status for run in row.runs}, reader)
    except BertcoreError:
        return None
