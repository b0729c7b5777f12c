"""distil: a smaller student learns from a teacher, into a run folder."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from bertcore.cli.output import AsJson, Resume, SnapshotsMib, checked_text, print_json
from bertcore.cli.progress import watching
from bertcore.errors import BertcoreError
from bertcore.locations import runs_folder
from bertcore.resolve import resolve_model
from bertcore.runs.run_folder import RunFolder
from bertcore.training.distil_options import DistilOptions
from bertcore.training.going_on import has_run, settings_of


def distil(
    corpus: Annotated[
        list[str] | None, typer.Option("--corpus", metavar="FILE", help="Text files to learn on; may be given again.")
    ] = None,
    teacher: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Checkpoint, run or hub id; absent: the built-in model.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="RUN", help="The run folder to write.")] = None,
    recipe: Annotated[Path | None, typer.Option(help="A JSON file with any settings; a flag overrules it.")] = None,
    layers: Annotated[int | None, typer.Option(help="Layers of the student; absent: half of the teacher's.")] = None,
    temperature: Annotated[float | None, typer.Option(help="Softens the distributions of words.")] = None,
    steps: Annotated[int | None, typer.Option(help="Budget in steps.")] = None,
    minutes: Annotated[float | None, typer.Option(help="Budget in minutes (10 if nothing is said).")] = None,
    batch_size: Annotated[int | None, typer.Option(help="Sequences per step.")] = None,
    sequence_length: Annotated[int | None, typer.Option(help="Tokens per sequence.")] = None,
    learning_rate: Annotated[float | None, typer.Option(help="Learning rate at its peak.")] = None,
    seed: Annotated[int | None, typer.Option(help="Every random choice follows from it.")] = None,
    precision: Annotated[str | None, typer.Option(help="auto, fp32 or bf16.")] = None,
    threads: Annotated[int | None, typer.Option(help="CPU threads; absent: all cores but one.")] = None,
    name: Annotated[str | None, typer.Option(help="What the run is called.")] = None,
    snapshots_mib: SnapshotsMib = None,
    resume: Resume = False,
    as_json: AsJson = False,
) -> None:
    """Teach a model with fewer layers to say what its teacher says, and compare the two."""
    if steps is not None and minutes is not None:
        raise BertcoreError("Give --steps or --minutes, not both.")
    options = DistilOptions.from_file(recipe) if recipe else DistilOptions()
    run = out or runs_folder() / f"{time.strftime('%Y-%m-%d')}-{name or options.name}"
    checked_text("out", str(run))
    if resume and has_run(run):
        options = settings_of(DistilOptions, run, recipe)
    options = _with_flags(
        options,
        {
            "corpus": tuple(str(Path(os.path.expanduser(file)).resolve()) for file in corpus or ()) or None,
            "sequence_length": sequence_length,
            "long_sequence_length": sequence_length,
        },
        {
            "steps": steps,
            "minutes": minutes,
            "batch_size": batch_size,
            "learning_rate": learning_rate,
            "seed": seed,
            "precision": precision,
            "threads": threads,
            "snapshots_mib": snapshots_mib,
        },
        {
            "teacher": str(resolve_model(teacher or options.teacher or None).resolve()),
            "layers": layers,
            "temperature": temperature,
            "name": name,
        },
    )
    from bertcore.training.distil import COMPARISON_FILE, start_or_resume_distilling

    with watching(as_json) as watch:
        snapshot = start_or_resume_distilling(options, run, resume, watch)
    status, comparison = RunFolder(run).status(), json.loads((run / COMPARISON_FILE).read_text(encoding="utf-8"))
    if as_json:
        facts = {"run": str(run), "state": status.state, "step": status.step, "snapshot": str(snapshot)}
        print_json({**facts, "comparison": comparison})
        return
    typer.echo(f"{status.state} at step {status.step:,}: {run}")
    _say(comparison)


def _with_flags(
    options: DistilOptions, data: dict[str, Any], training: dict[str, Any], own: dict[str, Any]
) -> DistilOptions:
    def given(flags: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in flags.items() if value is not None}

    kept = replace(options.training, steps=None) if training["minutes"] is not None else options.training
    return replace(
        options,
        **given(own),
        data=replace(options.data, **given(data)),
        training=replace(kept, **given(training)),
    )


def _say(comparison: dict[str, dict[str, float | None]]) -> None:
    typer.echo(f"{'':16} {'teacher':>14} {'student':>14}")
    for name in comparison["teacher"]:
        shown = [_number(side[name]) for side in (comparison["teacher"], comparison["student"])]
        typer.echo(f"{name.replace('_', ' '):16} {shown[0]:>14} {shown[1]:>14}")


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.4f}"
