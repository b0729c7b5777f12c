"""A progress bar for work in Python that takes long."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

ReportProgress = Callable[[float], object]  # called with the fraction done, 0..1; what it raises ends the work
SHOWN_AFTER_S = 2.0


def no_progress(fraction: float) -> None:
    """For work that nobody watches."""


def part_of(progress: ReportProgress, start: float, fraction: float) -> ReportProgress:
    """For a part of the work, that `fraction` of the whole, which begins when `start` of it is done."""
    return lambda done: progress(start + done * fraction)


@contextmanager
def progress_bar(description: str) -> Iterator[ReportProgress]:
    """Gives a function to call with the fraction done, 0..1.

    A bar appears when the work has gone on for SHOWN_AFTER_S, in a notebook or where the error output is a terminal.
    """
    bar: Progress | None = None
    start = time.monotonic()

    def show(fraction: float) -> None:
        nonlocal bar
        if bar is None and time.monotonic() - start >= SHOWN_AFTER_S:
            from rich.progress import Progress

            console, is_seen = _console()
            bar = Progress(console=console, transient=True, disable=not is_seen)
            bar.add_task(description, total=1.0)
            bar.start()
        if bar is not None:
            bar.update(bar.task_ids[0], completed=fraction)

    try:
        yield show
    finally:
        if bar is not None and not bar.disable:
            bar.stop()


def show_status(sentence: str) -> None:
    """Says what is being done, in a notebook or where the error output is a terminal."""
    console, is_seen = _console()
    if is_seen:
        console.print(sentence)


def _console() -> tuple[Console, bool]:
    """The error output, and whether someone sees it."""
    from rich.console import Console

    console = Console(stderr=True)
    return console, console.is_terminal or console.is_jupyter
