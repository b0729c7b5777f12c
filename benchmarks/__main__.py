"""Run the benchmarks and print a table: `python -m benchmarks [NAME ...] [--json FILE]`."""

import importlib
import json
import os
import platform
import tempfile
from pathlib import Path
from typing import Annotated

import torch
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.timing import Row

NAMES = (
    "training",
    "tuning",
    "overhead",
    "pipeline",
    "tokenising",
    "forward",
    "loading",
    "at_once",
    "ablation",
    "patching",
    "many_texts",
    "window",
    "attend",
    "teaching",
    "playing",
    "comparing",
    "watching_runs",
    "beside_window",
    "evidence",
    "circuit",
)

INSTRUCTIONS = ("avx2", "avx512_f", "avx512_bf16", "amx_bf16", "neon", "sve", "bf16", "sve_bf16")


def main(
    names: Annotated[list[str] | None, typer.Argument(help=f"Which: {', '.join(NAMES)}; absent: all.")] = None,
    out: Annotated[Path | None, typer.Option("--json", help="Also write the rows here.")] = None,
) -> None:
    rows: list[Row] = []
    for name in names or NAMES:
        rows += _run(name)
    table = Table("what", "ours", "peer", "ratio", "asked", "")
    for row in rows:
        table.add_row(row.what, row.ours, row.peer, f"{row.ratio:.2f}", row.asked, "yes" if row.holds else "NO")
    console = Console(width=140)
    console.print(f"{instruction_sets()}; {os.cpu_count()} cores, Python {platform.python_version()}")
    console.print(table)
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps([vars(row) for row in rows], indent=2) + "\n", encoding="utf-8")


def instruction_sets() -> str:
    """The processor, with what decides how fast it multiplies: "x86_64 Intel Xeon: avx2, avx512_f, amx_bf16"."""
    found = torch.cpu.get_capabilities()
    there = [name for name in INSTRUCTIONS if found.get(name)]
    return f"{platform.machine()} {found.get('cpu_name', '')}: {', '.join(there) or 'no vector instructions known'}"


def _run(name: str) -> list[Row]:
    if name not in NAMES:
        raise typer.BadParameter(f"there is no benchmark {name!r}; choose from {', '.join(NAMES)}")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # with it each start would compile all anew
    with tempfile.TemporaryDirectory() as home:
        os.environ["BERTSCOPE_HOME"] = home  # not the person's own
        rows: list[Row] = importlib.import_module(f"benchmarks.{name}").rows()
    return rows


if __name__ == "__main__":
    typer.run(main)
