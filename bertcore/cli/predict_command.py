"""predict, evaluate: what a finished model says, and how well it does."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from bertcore.cli.output import AsJson, ModelArgument, TextA, TextB, checked_text, print_json
from bertcore.errors import BertcoreError
from bertcore.locations import resolve_model

ColumnText = Annotated[str | None, typer.Option("--text", metavar="COLUMN", help="Column with the text.")]
ColumnTextB = Annotated[str | None, typer.Option("--text-b", metavar="COLUMN", help="Column with text B.")]
ColumnLabel = Annotated[str | None, typer.Option("--label", metavar="COLUMN", help="Column with the answer.")]


def register(app: typer.Typer) -> None:
    app.command()(predict)
    app.command()(evaluate)


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
    as_json: AsJson = False,
) -> None:
    """What a fine-tuned model says: labels, numbers, tags, answers, choices or summaries.

    A question goes into --a and its passage into --b; a beginning into --a and its endings into --b, one on each line.
    """
    from bertcore.analysis.apply import as_example, task_kind
    from bertcore.analysis.apply import predict as run
    from bertcore.checkpoint import load_checkpoint
    from bertcore.data.tasks.reading import read_task

    checkpoint = load_checkpoint(resolve_model(model))
    kind = task_kind(checkpoint)
    if kind is None:
        run(checkpoint, [])  # says so
    assert kind is not None
    if file is None:
        given = checked_text("a", a, required=True)
        examples = [as_example(kind, given or "", checked_text("b", b))]
    else:
        examples = list(read_task(task or _GENERIC[kind], file, "test", _columns(text, text_b, None)).examples)
    predictions = run(checkpoint, examples)
    if as_json:
        print_json([{"kind": kind, **asdict(prediction)} for prediction in predictions])
        return
    for prediction in predictions:
        for line in _lines(prediction, examples[0] if file is None else None):
            typer.echo(line)


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
    sequence_length: Annotated[int, typer.Option(help="With --corpus: tokens per sequence.")] = 128,
    sequences: Annotated[int, typer.Option(help="With --corpus: how many sequences at most.")] = 512,
    as_json: AsJson = False,
) -> None:
    """How well a model does: on a task's held-out examples, or on the held-out part of some text."""
    if corpus and data:
        raise BertcoreError("Give --data for a task or --corpus for masked words, not both.")
    from bertcore.checkpoint import load_checkpoint

    checkpoint = load_checkpoint(resolve_model(model))
    if corpus:
        from bertcore.training.evaluate import evaluate_text

        numbers: dict[str, Any] = evaluate_text(checkpoint, [Path(name) for name in corpus], sequence_length, sequences)
    else:
        from bertcore.training.evaluate_task import evaluate_file

        task = task or _task_of(model)
        if task is None or data is None:
            raise BertcoreError("Say what to measure on: --task and --data, or --corpus.")
        evaluation = evaluate_file(checkpoint, task, data, _columns(text, text_b, label))
        numbers = {"loss": evaluation.loss, **evaluation.metrics}
        if as_json:
            print_json(asdict(evaluation))
            return
    if as_json:
        print_json(numbers)
        return
    for name, value in numbers.items():
        shown = "none" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.4f}"
        typer.echo(f"{name.replace('_', ' '):24} {shown}")


_GENERIC = {
    "classify": "classify",
    "regress": "similarity",
    "multilabel": "multilabel",
    "tag": "tag",
    "span": "answer",
    "choice": "choose",
    "summarise": "summarise",
}


def _task_of(model: str | None) -> str | None:
    """The task that a run was trained on, where `model` is a run folder or a snapshot in one."""
    from bertcore.training.run_folder import RunFolder

    place = Path(model).expanduser() if model else None
    for folder in (place, *(place.parents[:2] if place else ())):
        if folder is not None and (folder / "status.json").is_file():
            task = RunFolder(folder).config().get("data", {}).get("task")
            return task if isinstance(task, str) else None
    return None


def _columns(text: str | None, text_b: str | None, label: str | None) -> dict[Any, str]:
    return {role: name for role, name in (("text", text), ("text_b", text_b), ("label", label)) if name}


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
