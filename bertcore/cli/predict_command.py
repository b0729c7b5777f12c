"""predict: what a finished model says."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, cast

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
    write_answer,
)
from bertcore.locations import resolve_model


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
    from bertcore.checkpoint import load_checkpoint
    from bertcore.data.tasks.reading import read_task

    options = PredictOptions.from_file(recipe) if recipe else PredictOptions()
    columns = {"text": text, "text_b": text_b}
    options = options.with_flags(columns, model=model, task=task, a=a or None, b=b, file=file)
    checkpoint = load_checkpoint(resolve_model(options.model))
    kind = task_kind(checkpoint)
    if kind is None:
        run(checkpoint, [])  # says so
    assert kind is not None
    if options.file is None:
        given = checked_text("a", options.a, required=True)
        examples = [as_example(kind, given or "", checked_text("b", options.b))]
    else:
        layout = options.task or _GENERIC[kind]
        examples = list(read_task(layout, options.file, "test", cast(Any, options.columns)).examples)
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
