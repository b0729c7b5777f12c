"""What is known of the runs, and of the one that is looked at. No torch, no widgets."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from bertcore.runs.run_folder import RunStatus
from bertcore.runs.run_metrics import RunMetrics

from .estimator import RunEstimator
from .process import RunCommand
from .run_info import RunInfo, RunResult

Snapshot = tuple[int, Path]  # step and folder
NO_RUN = RunInfo(Path(), "", "", RunStatus("unknown"))


class RunState(QObject):
    """The parts of the room Train show what is here, and say by its signals what a person wants of runs.

    `RunsService` is the one that follows run folders and carries that out; without it nothing happens.
    """

    runs_changed = Signal(list)  # list[RunInfo], newest first
    run_changed = Signal()  # another run is looked at; its snapshots, metrics and result come next
    status_changed = Signal()  # of that run
    snapshots_changed = Signal(list)  # list[Snapshot]
    metrics_restarted = Signal()  # they begin anew
    metrics_appended = Signal(object)  # list[dict], lines of its metrics.jsonl, which `metrics` has already
    result_changed = Signal()
    sweep_changed = Signal()  # a sweep is looked at in place of a run, or none any more
    compared_changed = Signal()  # other runs are compared with it
    compared_read = Signal()  # there are more lines of their metrics
    problem_found = Signal(str)  # a sentence
    done = Signal(str)  # a sentence: what was done
    binned = Signal(str)  # the name of a run that was moved to the bin

    start_requested = Signal(object)  # RunCommand
    control_requested = Signal(object, str)  # Path of a run; pause, resume, stop, snapshot, step or ten_steps
    sweep_resume_requested = Signal(list)  # list[Path]: all runs of a sweep
    select_requested = Signal(object)  # Path of a run that is to be looked at
    label_given = Signal(object, object)  # Path, RunLabel
    delete_requested = Signal(object)  # RunInfo or SweepRow; the person is sure
    export_requested = Signal(object, object)  # RunInfo, Path of the zip file
    put_back_requested = Signal()  # the run that was moved to the bin last

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.runs: list[RunInfo] = []
        self.selected: Path | None = None  # the run that is looked at
        self.run = NO_RUN
        self.snapshots: list[Snapshot] = []
        self.metrics = RunMetrics()
        self.result: RunResult | None = None
        self.sweep: str | None = None  # the id of the sweep that is looked at
        self.compared: dict[Path, RunMetrics] = {}  # in the order in which they were chosen
        self.estimator = RunEstimator(self)  # of a run that is to be started
        self._awaits_sweep = False  # one was started: it is shown as soon as its folders are there
        self.start_requested.connect(self._on_start_requested)

    @property
    def is_busy(self) -> bool:
        """A run trains: a second one beside it would make both take twice as long."""
        return any(run.status.state in ("starting", "running") for run in self.runs)

    @property
    def final(self) -> int | None:
        """The index of the snapshot that the run ends with; of the newest, where that one is not kept."""
        steps = [step for step, _ in self.snapshots]
        ends_with = self.run.status.ends_with
        return steps.index(ends_with) if ends_with in steps else len(steps) - 1 if steps else None

    def set_runs(self, runs: list[RunInfo]) -> None:
        self.runs = runs
        own = next((run for run in runs if run.path == self.selected), None)
        if self._awaits_sweep and own is not None and own.sweep is not None:
            self.show_sweep(own.sweep.id)
        if not any(run.sweep is not None and run.sweep.id == self.sweep for run in runs):
            self.sweep = None
        self.runs_changed.emit(runs)

    def show_run(self, run: RunInfo | None) -> None:
        """Another run, of which nothing is known yet."""
        self.selected, self.run, self.sweep = None if run is None else run.path, run or NO_RUN, None
        self.snapshots, self.result = [], None
        self.metrics.clear()
        self.run_changed.emit()

    def set_status(self, run: RunInfo) -> None:
        self.run = run
        self.status_changed.emit()

    def set_snapshots(self, snapshots: list[Snapshot]) -> None:
        self.snapshots = snapshots
        self.snapshots_changed.emit(snapshots)

    def set_result(self, result: RunResult | None) -> None:
        self.result = result
        self.result_changed.emit()

    def append_metrics(self, lines: list[dict]) -> None:
        self.metrics.append(lines)
        self.metrics_appended.emit(lines)

    def show_sweep(self, sweep: str | None) -> None:
        """A sweep in place of the run, by its id; None: the run again."""
        self.sweep, self._awaits_sweep = sweep, False
        self.sweep_changed.emit()

    def choose(self, run: Path) -> None:
        """A person clicks on a run."""
        self._awaits_sweep = False
        if run != self.selected:
            self.select_requested.emit(run)
        elif self.sweep is not None:
            self.show_sweep(None)

    def compare(self, runs: list[Path]) -> None:
        """Follows the metrics of these runs, too."""
        self.compared = {run: self.compared.get(run) or RunMetrics() for run in runs}
        self.compared_changed.emit()

    def _on_start_requested(self, command: RunCommand) -> None:
        self._awaits_sweep = command.varied is not None
