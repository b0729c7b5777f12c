"""finetune: teach a checkpoint a task, into a run folder."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from bertcore.cli.output import AsJson, Resume, SnapshotsMib, checked_text, is_follower, print_json
from bertcore.cli.progress import watching
from bertcore.errors import BertcoreError
from bertcore.locations import runs_folder
from bertcore.runs.run_folder import RunFolder
from bertcore.training.finetune_options import SCHEDULE_NAMES, FinetuneOptions
from bertcore.training.going_on import has_run, settings_of


def finetune(
    task: Annotated[
        str | None, typer.Argument(help="What to learn: sst2, mrpc, conll2003, squad ...; `bertcore finetune list`.")
    ] = None,
    train: Annotated[
        str | None, typer.Option(metavar="FILE", help="File or folder to learn from; absent: the task's sample.")
    ] = None,
    dev: Annotated[str | None, typer.Option(metavar="FILE", help="Held-out file; absent: the folder's own.")] = None,
    model: Annotated[str | None, typer.Option(help="Checkpoint, run or hub id to begin with.")] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="RUN", help="The run folder to write.")] = None,
    recipe: Annotated[
        Path | None, typer.Option(help="A JSON file with any of the settings; a flag overrules it.")
    ] = None,
    text: Annotated[str | None, typer.Option("--text", metavar="COLUMN", help="Column with the text.")] = None,
    text_b: Annotated[str | None, typer.Option("--text-b", metavar="COLUMN", help="Column with text B.")] = None,
    label: Annotated[str | None, typer.Option("--label", metavar="COLUMN", help="Column with the answer.")] = None,
    epochs: Annotated[
        float | None, typer.Option(help="Budget in passes over the examples (3 if nothing is said).")
    ] = None,
    steps: Annotated[int | None, typer.Option(help="Budget in steps.")] = None,
    minutes: Annotated[float | None, typer.Option(help="Budget in minutes.")] = None,
    batch_size: Annotated[int | None, typer.Option(help="Examples per step.")] = None,
    accumulate: Annotated[int | None, typer.Option(help="Parts that a step's batch is worked on in.")] = None,
    learning_rate: Annotated[float | None, typer.Option(help="Learning rate at its peak.")] = None,
    schedule: Annotated[str | None, typer.Option(help=f"{', '.join(SCHEDULE_NAMES)}.")] = None,
    layer_decay: Annotated[float | None, typer.Option(help="Each layer learns by this factor more slowly.")] = None,
    frozen_layers: Annotated[int | None, typer.Option(help="Embeddings and so many layers do not learn.")] = None,
    gradual_unfreezing: Annotated[
        bool | None, typer.Option("--gradual-unfreezing", help="One more layer learns in each epoch.")
    ] = None,
    dropout: Annotated[float | None, typer.Option(help="Everywhere; absent: as the checkpoint says.")] = None,
    crf: Annotated[bool | None, typer.Option("--crf", help="For taggers: score whole sequences of tags.")] = None,
    from_scratch: Annotated[
        bool | None, typer.Option("--from-scratch", help="Random weights, to see what pretraining buys.")
    ] = None,
    max_length: Annotated[int | None, typer.Option(help="Tokens per sequence at most.")] = None,
    max_examples: Annotated[int | None, typer.Option(help="Learn from the first so many examples.")] = None,
    patience: Annotated[
        int | None, typer.Option(help="Measurements without a better one before it ends early.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Every random choice follows from it.")] = None,
    precision: Annotated[str | None, typer.Option(help="auto, fp32 or bf16.")] = None,
    threads: Annotated[int | None, typer.Option(help="CPU threads; absent: all cores but one.")] = None,
    name: Annotated[str | None, typer.Option(help="What the run is called.")] = None,
    snapshots_mib: SnapshotsMib = None,
    resume: Resume = False,
    as_json: AsJson = False,
) -> None:
    """Teach a checkpoint a task: labels, numbers, tags, answers, choices or summaries."""
    if task == "list":
        _list_tasks(as_json)
        return
    options = FinetuneOptions.from_file(recipe) if recipe else FinetuneOptions()
    run = out or runs_folder() / f"{time.strftime('%Y-%m-%d')}-{name or (task if not recipe else None) or options.name}"
    checked_text("out", str(run))
    goes_on = resume and has_run(run)
    if goes_on:
        options = settings_of(FinetuneOptions, run, recipe)
    if any(budget is not None for budget in (epochs, steps, minutes)):  # overrules a recipe's budget of any kind
        options = replace(options, training=replace(options.training, epochs=None, steps=None, minutes=None))
    data = {
        "task": task,
        "train": _place(train) or (None if recipe or goes_on else _sample(task)),
        "dev": _place(dev),
        "columns": {role: column for role, column in (("text", text), ("text_b", text_b), ("label", label)) if column}
        or None,
        "max_length": max_length,
        "max_examples": max_examples,
    }
    training = {
        "epochs": epochs,
        "steps": steps,
        "minutes": minutes,
        "seed": seed,
        "batch_size": batch_size,
        "accumulate": accumulate,
        "learning_rate": learning_rate,
        "schedule": schedule,
        "layer_decay": layer_decay,
        "frozen_layers": frozen_layers,
        "gradual_unfreezing": gradual_unfreezing,
        "dropout": dropout,
        "precision": precision,
        "threads": threads,
        "patience": patience,
        "snapshots_mib": snapshots_mib,
    }
    name = name or (task if not recipe and not goes_on else None)
    options = options.with_flags(data, training, model=model, crf=crf, from_scratch=from_scratch, name=name)
    from bertcore.training.finetune import EVALUATION_FILE, start_or_resume_finetuning

    with watching(as_json) as watch:
        snapshot = start_or_resume_finetuning(options, run, resume, watch)
    if is_follower():
        return
    status = RunFolder(run).status()
    evaluation = json.loads((run / EVALUATION_FILE).read_text(encoding="utf-8"))
    if as_json:
        facts = {"run": str(run), "state": status.state, "step": status.step, "snapshot": str(snapshot)}
        print_json({**facts, "metrics": evaluation["metrics"]})
        return
    typer.echo(f"{status.state} at step {status.step:,}: {run}")
    for metric, value in evaluation["metrics"].items():
        typer.echo(f"  {metric.replace('_', ' '):24} {value:.4f}")
    typer.echo(f"Try it: bertcore predict {run} ...")


def _list_tasks(as_json: bool) -> None:
    from bertcore.tasks.readers.registry import TASKS

    if as_json:
        print_json([{"name": spec.name, "kind": spec.kind, "title": spec.title} for spec in TASKS.values()])
        return
    for spec in TASKS.values():
        typer.echo(f"{spec.name:16} {spec.kind:11} {spec.title}")


def _sample(task: str | None) -> str | None:
    """The folder with the task's sample files, which ship with the program."""
    from bertcore.tasks.readers.reading import sample_folder, task_named

    if task is None:
        raise BertcoreError("Name a task; `bertcore finetune list` shows them.")
    folder = sample_folder(task_named(task))
    return str(folder) if folder is not None else None


def _place(path: str | None) -> str | None:
    return str(Path(os.path.expanduser(path)).resolve()) if path else None
