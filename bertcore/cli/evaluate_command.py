"""evaluate: how well a model does."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from bertcore.cli.asked_options import EvaluateOptions
from bertcore.cli.output import (
    AsJson,
    ColumnLabel,
    ColumnText,
    ColumnTextB,
    ModelArgument,
    OutFile,
    Recipe,
    print_json,
    refuse_folder,
)
from bertcore.cli.output import write_answer as write
from bertcore.cli.report_command import report
from bertcore.errors import BertcoreError
from bertcore.resolve import resolve_model


def evaluate(
    model: ModelArgument = None,
    task: Annotated[str | None, typer.Option(help="The task of --data; absent: the one it was trained on.")] = None,
    data: Annotated[
        str | None, typer.Option(metavar="FILE", help="Held-out examples: a file, or a folder's dev part.")
    ] = None,
    corpus: Annotated[
        list[str] | None, typer.Option("--corpus", metavar="FILE", help="Text, for masked words and next sentence.")
    ] = None,
    text: ColumnText = None,
    text_b: ColumnTextB = None,
    label: ColumnLabel = None,
    sequence_length: Annotated[int | None, typer.Option(help="With --corpus: tokens per sequence (128).")] = None,
    sequences: Annotated[int | None, typer.Option(help="With --corpus: how many sequences at most (512).")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All of a pretrained model: cloze set, minimal pairs, --corpus, heads.")
    ] = False,
    recipe: Recipe = None,
    out: OutFile = None,
    as_json: AsJson = False,
) -> None:
    """How well a model does: on a task's held-out examples, or on the held-out part of some text."""
    refuse_folder(out)
    options = EvaluateOptions.from_file(recipe) if recipe else EvaluateOptions()
    options = options.with_flags(
        {"text": text, "text_b": text_b, "label": label},
        model=model,
        task=task,
        data=data,
        corpus=tuple(corpus or ()) or None,
        sequence_length=sequence_length,
        sequences=sequences,
    )
    if everything and options.data:
        raise BertcoreError("Give --all for a pretrained model or --data for a task, not both.")
    if everything and (options.task or options.columns or sequences is not None):
        raise BertcoreError("--all measures everything there is; leave out --task, --sequences and the columns.")
    if options.corpus and (options.task or options.columns):
        raise BertcoreError("--task and the columns are for --data; leave them out with --corpus.")
    if everything:
        report(options.model, options.corpus, options.sequence_length, out, as_json)
        return
    options = options.with_flags({}, task=None if options.corpus else options.task or _task_of(options.model))
    found = _measured(options)
    answer = {"config": options.to_dict(), **found}
    if out:
        write(out, answer)
    if as_json:
        print_json(answer)
        return
    numbers = {"loss": found["loss"], **found["metrics"]} if "metrics" in found else found
    for name, value in numbers.items():
        shown = "none" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.4f}"
        typer.echo(f"{name.replace('_', ' '):24} {shown}")


def _measured(options: EvaluateOptions) -> dict[str, Any]:
    """The numbers on text; or on a task's examples, with the confusion table and the best and worst of them."""
    from bertcore.checkpoint.checkpoint import load_checkpoint

    checkpoint = load_checkpoint(resolve_model(options.model))
    if options.corpus:
        from bertcore.training.evaluate import evaluate_text

        files = [Path(name) for name in options.corpus]
        return cast(dict[str, Any], evaluate_text(checkpoint, files, options.sequence_length, options.sequences))
    from bertcore.training.evaluate_task import evaluate_file

    if options.task is None or options.data is None:
        raise BertcoreError("Say what to measure on: --task and --data, or --corpus.")
    return asdict(evaluate_file(checkpoint, options.task, options.data, options.columns))


def _task_of(model: str | None) -> str | None:
    """The task that a run was trained on, where `model` is a run folder or a snapshot in one."""
    from bertcore.training.evaluate_task import data_of_run

    learned = data_of_run(resolve_model(model))
    return learned.task if learned else None
