"""A training run's progress in a terminal."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from bertcore.cli.output import cell, is_follower
from bertcore.errors import printable
from bertcore.runs.metrics_file import EVALUATION, HELD_OUT, held_out_in_words
from bertcore.training.trainable import OnEvent


@contextmanager
def watching(quiet: bool) -> Iterator[OnEvent | None]:
    """What to call with each event of a run: it draws a bar in a terminal, and plain lines for held-out results
    anywhere; None where nothing is to be shown."""
    if quiet or is_follower():
        yield None
        return
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
    )
    task = bar.add_task("starting", total=1.0)

    def show(event: dict[str, Any]) -> None:
        line = ""
        if event["kind"] == "status":
            words = event["message"] or f"{event['state']}, step {event['step']:,}"
            bar.update(task, description=cell(words), completed=event["fraction"])
        elif event["kind"] == "sweep":
            line = f"run {event['number']} of {event['of']}: {event['name']}"
        elif event["kind"] == "phase":
            line = f"step {event['step']:>7,}  {event['message']}"
        elif event["kind"] in (HELD_OUT, EVALUATION):
            line = f"step {event['step']:>7,}  {held_out_in_words(event)}"
        if line:
            console.print(printable(line), markup=False)

    def show_if_open(event: dict[str, Any]) -> None:
        with suppress(OSError):  # the terminal was closed; the run goes on, or comes to its end, without it
            show(event)

    with bar:
        yield show_if_open
