"""A training run's progress in a terminal."""

from contextlib import AbstractContextManager, nullcontext, suppress
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from bertcore.cli.output import cell, is_follower
from bertcore.errors import printable
from bertcore.runs.metrics_file import EVALUATION, HELD_OUT, held_out_in_words


class ProgressBar:
    """Call it with each event of a run; draws a bar in a terminal, and plain lines for held-out results anywhere."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._task = self._progress.add_task("starting", total=1.0)

    def __enter__(self) -> Self:
        self._progress.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._progress.__exit__(kind, error, at)

    def __call__(self, event: dict[str, Any]) -> None:
        with suppress(OSError):  # the terminal was closed; the run goes on, or comes to its end, without it
            self._show(event)

    def _print(self, line: str) -> None:
        self._console.print(printable(line), markup=False)

    def _show(self, event: dict[str, Any]) -> None:
        if event["kind"] == "status":
            words = event["message"] or f"{event['state']}, step {event['step']:,}"
            self._progress.update(self._task, description=cell(words), completed=event["fraction"])
        elif event["kind"] == "sweep":
            self._print(f"run {event['number']} of {event['of']}: {event['name']}")
        elif event["kind"] == "phase":
            self._print(f"step {event['step']:>7,}  {event['message']}")
        elif event["kind"] in (HELD_OUT, EVALUATION):
            self._print(f"step {event['step']:>7,}  {held_out_in_words(event)}")


def watching(quiet: bool) -> AbstractContextManager[Any]:
    """A progress bar, or nothing."""
    return nullcontext() if quiet or is_follower() else ProgressBar()
