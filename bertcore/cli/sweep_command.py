"""sweep: what the runs of a sweep found so far; with --resume, those that are not done are trained first."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bertcore.cli.output import AsJson
from bertcore.cli.progress import watching
from bertcore.cli.sweep_flags import print_sweep
from bertcore.errors import BertcoreError
from bertcore.runs.sweep import find_sweep


def sweep(
    run: Annotated[Path | None, typer.Argument(help="The folder of any of its runs.")] = None,
    out: Annotated[Path | None, typer.Option("--out", hidden=True)] = None,  # as the window names every run
    resume: Annotated[bool, typer.Option("--resume", help="First train the runs that have not finished.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what a sweep found: several runs that differ in a few settings. `finetune --rates 5` starts one."""
    folder = run or out
    if folder is None:
        raise BertcoreError("Name the folder of one of the sweep's runs.")
    if not resume:
        print_sweep(find_sweep(folder), as_json)
        return
    from bertcore.training.memory import keep_freed_memory
    from bertcore.training.sweep import resume_sweep

    keep_freed_memory()
    with watching(as_json) as on_event:
        found = resume_sweep(folder, on_event)
    print_sweep(found, as_json)
