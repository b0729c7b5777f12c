"""The demos of the room Train with ten seeds, alone and beside a program that keeps one core busy.

    python -m benchmarks.class_demo [--seeds 10] [--demo class-demo] [--write]

Each run is a process of its own, as the window starts it, on one thread. "Seconds" is wall time from its start to its
end, with the start of Python and torch; "processor" is the time that it had of a core: on a machine that does nothing
else, the two are about the same. With --write the tables go into docs/class-demo.md.
"""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Annotated

import typer

from app.rooms.train.list.card import DEMOS, Demo
from bertcore.locations import assets
from bertcore.runs.run_folder import RunFolder

PAGE = Path(__file__).parents[1] / "docs" / "class-demo.md"
BEGIN, END = "<!-- tables: begin -->\n", "<!-- tables: end -->\n"
SPIN = "while True: pass"


@dataclass(frozen=True)
class Outcome:
    """One run. `load`: programs that wanted a core in the minute before it began, ours included."""

    seconds: float
    processor_s: float
    load: float
    at_start: int
    at_end: int
    of: int


def main(
    seeds: Annotated[int, typer.Option(help="How many seeds, from 1 on.")] = 10,
    demo: Annotated[str | None, typer.Option(help="Recipe of one demo; default: all.")] = None,
    write: Annotated[bool, typer.Option("--write", help="Put the tables into docs/class-demo.md.")] = False,
) -> None:
    parts = [f"{platform.machine()}, {os.cpu_count()} cores, {time.strftime('%Y-%m-%d %H:%M')}\n"]
    for one in DEMOS:
        if demo in (None, one.recipe):
            alone = [outcome(one, seed) for seed in range(1, seeds + 1)]
            with busy_core():
                busy = [outcome(one, seed) for seed in range(1, seeds + 1)]
            parts.append(f"### {one.title}\n\n{table(alone, busy)}")
    text = "\n".join(parts)
    typer.echo(text)
    if write:
        page = PAGE.read_text(encoding="utf-8")
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


@contextmanager
def busy_core() -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "-c", SPIN])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def outcome(demo: Demo, seed: int) -> Outcome:
    """One run of a demo, in a folder that is deleted."""
    text, load = assets() / "corpus" / f"{demo.text}.txt", os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as made:
        run = Path(made) / "run"
        arguments = {
            "recipe": assets() / "recipes" / f"{demo.recipe}.json",
            "corpus": text,
            "questions": assets() / "evaluation" / f"{demo.text}.jsonl",
            "seed": seed,
            "threads": 1,
            "out": run,
        }
        flags = [part for name, value in arguments.items() for part in (f"--{name}", str(value))]
        used, started = _processor_s(), time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "bertcore", "pretrain", *flags],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "BERTSCOPE_HOME": made, "OMP_NUM_THREADS": "1"},
        )
        seconds, processor_s = time.perf_counter() - started, _processor_s() - used
        asked = [line["questions"] for line in RunFolder(run).tail().read_new() if line["kind"] == "held_out"]
    found = Outcome(seconds, processor_s, load, asked[0]["right"], asked[-1]["right"], asked[0]["of"])
    typer.echo(f"{demo.recipe}, seed {seed}: {found}", err=True)
    return found


def table(alone: list[Outcome], busy: list[Outcome]) -> str:
    """Markdown: a line for each seed, then medians and the worst."""
    lines = [
        f"| seed | right of {alone[0].of} at the start | at the end | seconds | processor | load before "
        "| beside a busy core: at the end | seconds | processor | load before |",
        "|" + "---|" * 10,
    ]
    for seed, (one, other) in enumerate(zip(alone, busy, strict=True), 1):
        cells = [
            *(str(seed), str(one.at_start), str(one.at_end), f"{one.seconds:.0f}", f"{one.processor_s:.0f}"),
            *(f"{one.load:.1f}", str(other.at_end), f"{other.seconds:.0f}", f"{other.processor_s:.0f}"),
            f"{other.load:.1f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    for name, pick, least in (("median", median, median), ("worst", max, min)):
        cells = [
            *(name, f"{pick(o.at_start for o in alone):.0f}", f"{least(o.at_end for o in alone):.0f}"),
            *(f"{pick(o.seconds for o in alone):.0f}", f"{pick(o.processor_s for o in alone):.0f}", ""),
            *(f"{least(o.at_end for o in busy):.0f}", f"{pick(o.seconds for o in busy):.0f}"),
            *(f"{pick(o.processor_s for o in busy):.0f}", ""),
        ]
        lines.append(f"| **{name}** | {' | '.join(cells[1:])} |")
    return "\n".join(lines) + "\n"


def _processor_s() -> float:
    """Of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    typer.run(main)
