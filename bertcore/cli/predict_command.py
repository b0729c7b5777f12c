"""predict: what a finished model says."""

from __future__ import annotations

import contextlib
from dataclasses import asdict
from typing import Annotated, Any

import typer

from bertcore.cli.asked_options import PredictOptions
from bertcore.cli.output import (
    AsJson,
    ColumnText,
    ColumnTextB,
    ModelArgument,
    OutFile,
    Recipe,
    TextA,
    TextB,
    checked_text,
    print_json,
    refuse_folder,
    write_answer,
)
from bertcore.errors import BertcoreError
from bertcore.resolve import resolve_model


def predict(
    model: ModelArgument = None,
    a: TextA = "",
    b: TextB = None,
    file: Annotated[str | None, typer.Option(metavar="FILE", help="Texts to read instead of --a and --b.")] = None,
    task: Annotated[
        str | None, typer.Option(help="How the file is laid out; absent: as the model's kind of task.")
    ] = None,
    text: ColumnText = None,
    text_b: ColumnTextB = None,
    recipe: Recipe = None,
    out: OutFile = None,
    as_json: AsJson = False,
) -> None:
    """What a fine-tuned model says: labels, numbers, tags, answers, choices or summaries.

    A question goes into --a and its passage into --b; a beginning into --a and its endings into --b, one on each line.
    """
    from bertcore.analysis.apply import as_example, task_kind
    from bertcore.analysis.apply import predict as run
    from bertcore.checkpoint.checkpoint import load_checkpoint

    refuse_folder(out)
    options = PredictOptions.from_file(recipe) if recipe else PredictOptions()
    columns = {"text": text, "text_b": text_b}
    options = options.with_flags(columns, model=model, task=task, a=a or None, b=b, file=file)
    checkpoint = load_checkpoint(resolve_model(options.model))
    kind = task_kind(checkpoint)
    if kind is None:
        run(checkpoint, [])  # says so
    assert kind is not None
    if options.file is not None and (options.a or options.b):
        raise BertcoreError("Give --file or a typed text (--a, --b), not both.")
    if options.file is None and (options.task or options.columns):
        raise BertcoreError("--task and the columns are for a file; name it with --file.")
    if options.file is None:
        given = checked_text("a", options.a, required=True)
        examples = [as_example(kind, given or "", checked_text("b", options.b))]
    else:
        examples = _read(checkpoint, kind, options)
    predictions = run(checkpoint, examples)
    answer = {
        "config": options.to_dict(),
        "predictions": [{"kind": kind, **asdict(prediction)} for prediction in predictions],
    }
    if out:
        write_answer(out, answer)
    if as_json:
        print_json(answer)
        return
    for prediction in predictions:
        for line in _lines(prediction, examples[0] if options.file is None else None):
            typer.echo(line)
    if options.file is None and (limits := checkpoint.config.number_range):
        typer.echo(f"It learned numbers from {limits[0]:g} to {limits[1]:g}.")


def _read(checkpoint: Any, kind: str, options: PredictOptions) -> list[Any]:
    """A file as the model's own run reads its examples; else by the kind of task, with B where the file has a pair."""
    from bertcore.tasks.readers.reading import read_task
    from bertcore.training.evaluate_task import data_of_run

    assert options.file is not None
    learned = data_of_run(checkpoint.folder)
    if learned is not None and options.task in (None, learned.task):
        known = {role: column for role, column in learned.columns.items() if role != "label"}  # the file may have none
        columns: Any = {**known, **options.columns}
        return list(read_task(learned.task, options.file, "test", columns).examples)
    columns = options.columns
    if options.task is None and kind == "classify":
        with contextlib.suppress(BertcoreError):
            return list(read_task("pairs", options.file, "test", columns).examples)
    return list(read_task(options.task or _GENERIC[kind], options.file, "test", columns).examples)


_GENERIC = {
    "classify": "classify",
    "regress": "similarity",
    "multilabel": "multilabel",
    "tag": "tag",
    "span": "answer",
    "choice": "choose",
    "summarise": "summarise",
}


def _lines(prediction: Any, example: Any) -> list[str]:
    """A prediction for people; all that is known of one typed example, a single line of each in a file."""
    values = asdict(prediction)
    if "tags" in values and example is not None:
        return [f"{tag:12} {word}" for word, tag in zip(example.words, prediction.tags, strict=True)]
    if "probabilities" in values and isinstance(values["probabilities"], dict) and example is not None:
        ranked = sorted(prediction.probabilities.items(), key=lambda item: -item[1])
        return [f"{share:6.1%}  {name}" for name, share in ranked]
    if "choice" in values and example is not None:
        return [f"{share:6.1%}  {text}" for share, text in zip(prediction.probabilities, example.endings, strict=True)]
    answer = prediction.answer
    if isinstance(answer, tuple | list):
        return [" ".join(map(str, answer))]
    return [str(answer) if answer != "" else "(no answer)"]
