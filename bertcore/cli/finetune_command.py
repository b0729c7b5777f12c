"""finetune: teach a checkpoint a task, into a run folder."""

import json
import os
from pathlib import Path
from typing import Annotated, Any

import typer

from bertcore.cli.output import AsJson, ColumnLabel, ColumnText, ColumnTextB, Recipe, Resume, is_follower, print_json
from bertcore.cli.progress import watching
from bertcore.cli.run_settings import run_and_settings, with_flags_of
from bertcore.errors import BertcoreError
from bertcore.runs.run_folder import RunFolder
from bertcore.training.finetune_options import FinetuneOptions


@with_flags_of(FinetuneOptions, leave_out=("task", "train", "dev", "columns"))
def finetune(
    *,
    task: Annotated[
        str | None,
        typer.Argument(help="Task to learn: sst2, mrpc, conll2003, squad ...; `bertcore finetune list` shows all."),
    ] = None,
    train: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="File or folder with training examples; if not given, the task's sample."),
    ] = None,
    dev: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Held-out file; if not given, the dev file in the folder of --train."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="RUN", help="The run folder to write.")] = None,
    recipe: Recipe = None,
    text: ColumnText = None,
    text_b: ColumnTextB = None,
    label: ColumnLabel = None,
    resume: Resume = False,
    as_json: AsJson = False,
    flags: dict[str, Any],
) -> None:
    """Fine-tune a checkpoint on a task: labels, numbers, tags, answers, choices or summaries."""
    if task == "list":
        _list_tasks(as_json)
        return
    name = flags["name"] or (task if not recipe else None)
    run, options, is_resumed = run_and_settings(FinetuneOptions, recipe, out, resume, name)
    flags["name"] = flags["name"] if is_resumed else name
    columns = {role: column for role, column in (("text", text), ("text_b", text_b), ("label", label)) if column}
    options = options.with_changes(
        task=task,
        train=_place(train) or (None if recipe or is_resumed else _sample(task)),
        dev=_place(dev),
        columns=columns or None,
        **flags,
    )
    from bertcore.training.finetune import EVALUATION_FILE, start_or_resume_finetuning

    with watching(as_json) as on_event:
        snapshot = start_or_resume_finetuning(options, run, resume, on_event)
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
        raise BertcoreError("Name a task; `bertcore finetune list` shows them all.")
    folder = sample_folder(task_named(task))
    return str(folder) if folder is not None else None


def _place(path: str | None) -> str | None:
    return str(Path(os.path.expanduser(path)).resolve()) if path else None
