"""distil: a smaller student learns from a teacher, into a run folder."""

import json
import os
from pathlib import Path
from typing import Annotated, Any

import typer

from bertcore.cli.output import AsJson, Recipe, Resume, print_json
from bertcore.cli.progress import watching
from bertcore.cli.run_settings import run_and_settings, with_flags_of
from bertcore.resolve import resolve_model
from bertcore.runs.run_folder import RunFolder
from bertcore.training.distil_options import DistilOptions


@with_flags_of(DistilOptions, leave_out=("corpus", "teacher", "tokenizer"))
def distil(
    *,
    corpus: Annotated[
        list[str] | None,
        typer.Option("--corpus", metavar="FILE", help="Text files to train on; can be given more than once."),
    ] = None,
    teacher: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Checkpoint, run or hub id; if not given, the built-in model.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="RUN", help="The run folder to write.")] = None,
    recipe: Recipe = None,
    resume: Resume = False,
    as_json: AsJson = False,
    flags: dict[str, Any],
) -> None:
    """Train a model with fewer layers to predict what its teacher predicts, and compare the two."""
    run, options, _ = run_and_settings(DistilOptions, recipe, out, resume, flags["name"])
    flags["long_sequence_length"] = flags["long_sequence_length"] or flags["sequence_length"]
    options = options.with_changes(
        corpus=tuple(str(Path(os.path.expanduser(file)).resolve()) for file in corpus or ()) or None,
        teacher=str(resolve_model(teacher or options.teacher or None).resolve()),
        **flags,
    )
    from bertcore.training.distil import COMPARISON_FILE, start_or_resume_distilling

    with watching(as_json) as on_event:
        snapshot = start_or_resume_distilling(options, run, resume, on_event)
    status, comparison = RunFolder(run).status(), json.loads((run / COMPARISON_FILE).read_text(encoding="utf-8"))
    if as_json:
        facts = {"run": str(run), "state": status.state, "step": status.step, "snapshot": str(snapshot)}
        print_json({**facts, "comparison": comparison})
        return
    typer.echo(f"{status.state} at step {status.step:,}: {run}")
    _say(comparison)


def _say(comparison: dict[str, dict[str, float | None]]) -> None:
    typer.echo(f"{'':16} {'teacher':>14} {'student':>14}")
    for name in comparison["teacher"]:
        shown = [_number(side[name]) for side in (comparison["teacher"], comparison["student"])]
        typer.echo(f"{name.replace('_', ' '):16} {shown[0]:>14} {shown[1]:>14}")


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.4f}"
