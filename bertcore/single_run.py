"""One run from Python: `bertcore.train("finetune", ...)` trains it, `bertcore.Run(folder)` reads what it wrote."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertcore.errors import BertcoreError
from bertcore.results import Table, as_frame
from bertcore.runs.known_runs import is_run
from bertcore.runs.metrics_file import MetricsTail
from bertcore.runs.run_folder import RunFolder
from bertcore.training.arguments import run_settings

if TYPE_CHECKING:
    from bertcore.loaded_model import LoadedModel


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
        """The numbers of the last measurement on held-out data: step, loss, accuracy ...; empty before the first."""
        measured = self.rows("held_out")
        return {name: value for name, value in measured[-1].items() if _is_number(value)} if measured else {}

    @property
    def model(self) -> LoadedModel:
        """Its newest snapshot, as `load` opens it."""
        from bertcore.loaded_model import load

        return load(self.folder)

    def rows(self, kind: str | None = None) -> list[dict[str, Any]]:
        """The lines of its metrics, or those of one kind: "train" as it learned, "held_out" as it was measured."""
        lines = MetricsTail(self.folder).read_new()
        return [line for line in lines if kind in (None, line.get("kind"))]

    def to_pandas(self, kind: str | None = None) -> Any:
        """`rows` as a pandas.DataFrame. Raises BertcoreError where pandas is not installed."""
        return as_frame(self.rows(kind))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


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
    from bertcore.training.start import own_threads, start_run

    folder = Path(out).expanduser()
    options = run_settings(kind, folder, settings, resume)
    with own_threads():
        start_run(options, folder, resume, on_event)
    return Run(folder)
