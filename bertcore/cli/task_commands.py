"""predict, evaluate: what a finished model says, and how well it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self, cast

import typer

from bertcore.cli import arguments as args
from bertcore.cli.arguments import with_flags_of
from bertcore.cli.output import Listing, answer_in_words, in_lines, measured_on, print_answer, say
from bertcore.errors import BertcoreError
from bertcore.settings import Recipe as RecipeBase
from bertcore.settings import setting
from bertcore.tasks.kinds.base import Decoding

if TYPE_CHECKING:
    from bertcore.loaded_model import LoadedModel

_ROLES = ("text", "text_b", "label")
Measured = tuple[dict[str, Any], list[str | Listing | None]]  # as JSON, and for people


@dataclass(frozen=True)
class CommandOptions(RecipeBase):
    """What both commands take."""

    model: str | None = setting(None, "Checkpoint, run or hub id; if not given, the built-in model")
    task: str | None = setting(None, "How the file is laid out; if not given, as for the model's kind of task")
    # "text", "text_b", "label" -> name in the file
    columns: Mapping[str, str] = setting({}, "Columns of the file that hold the text, text B and the label")
    decoding: Decoding = field(default_factory=Decoding)

    def __post_init__(self) -> None:
        super().__post_init__()
        for role, name in self.columns.items():
            if role not in _ROLES or not isinstance(name, str):
                raise BertcoreError(f"The columns are named by {', '.join(_ROLES)}; not {role} {name!r}.")

    def with_flags(self, columns: Mapping[str, str | None], **flags: Any) -> Self:
        """The same with the flags that were given; None means that a flag was not given."""
        named = {role: name for role, name in columns.items() if name}
        return self.with_changes(columns={**self.columns, **named}, **flags)


@dataclass(frozen=True)
class EvaluateOptions(CommandOptions):
    """`evaluate`: what to measure on."""

    kind = "evaluate"

    data: str | None = setting(None, "Held-out examples: a file, or a folder's dev part")
    pairs: tuple[str, ...] = setting((), "Minimal pairs: JSON lines, as BLiMP's")
    corpus: tuple[str, ...] = setting((), "Text, for masked words and next sentence")
    whole: bool = setting(False, "With a corpus: measure the whole files, not their held-out part")
    sequence_length: int = setting(128, "With a corpus: length of a sequence", unit="tokens", within=(8, 512))
    sequences: int | None = setting(
        None,
        "With a corpus: largest number of sequences; if not given, 512 of the held-out part, or all of whole files",
        within=(1, 10**9),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if bool(self.corpus) + bool(self.data) + bool(self.pairs) > 1:
            raise BertcoreError("Give --data for a task, --corpus for masked words or --pairs, not several of them.")
        if self.whole and not self.corpus:
            raise BertcoreError("--whole is for text files; name them with --corpus.")


@dataclass(frozen=True)
class PredictOptions(CommandOptions):
    """`predict`: what to read."""

    kind = "predict"

    a: str = setting("", "A text, or the question, the beginning")
    b: str | None = setting(None, "Its passage, or its endings, one on each line")
    file: str | None = setting(None, "Texts to read instead")


@with_flags_of(PredictOptions, leave_out=("model", "columns", "a", "b"))
def predict(
    model: args.Model = None,
    a: args.TextA = "",
    b: args.TextB = None,
    text: args.ColumnText = None,
    text_b: args.ColumnTextB = None,
    recipe: args.RecipeFile = None,
    out: args.OutFile = None,
    as_json: args.AsJson = False,
    *,
    flags: dict[str, Any],
) -> None:
    """Apply a fine-tuned model: labels, numbers, tags, answers, choices or summaries.

    Give a question as --a and its passage as --b; a beginning as --a and its endings as --b, one per line.
    """
    from bertcore.tasks.kinds import TASK_KINDS
    from bertcore.tasks.predict import as_example, required_kind

    options = PredictOptions.from_file(recipe) if recipe else PredictOptions()
    columns = {"text": text, "text_b": text_b}
    options = options.with_flags(columns, model=model, a=a or None, b=b, **flags)
    m, decoding = args.opened(options.model), cast(Any, vars(options.decoding))
    kind = required_kind(m.checkpoint)
    if options.file is not None and (options.a or options.b):
        raise BertcoreError("Give --file or a typed text (--a, --b), not both.")
    if options.file is None and (options.task or options.columns):
        raise BertcoreError("--task and the columns are for a file; name it with --file.")
    if options.file is not None:
        predictions = list(m.predict_file(options.file, options.task, cast(Any, options.columns), **decoding))
        lines = [answer_in_words(prediction.answer) for prediction in predictions]
    else:
        given, second = args.checked_text("a", options.a, required=True) or "", args.checked_text("b", options.b)
        predictions = [m.predict(given, second, **decoding)]
        pieces = TASK_KINDS[kind].lines(predictions[0], as_example(kind, given, second))
        lines = [f"{what:12} {word}" if isinstance(what, str) else f"{what:6.1%}  {word}" for what, word in pieces]
        lines = lines or [answer_in_words(predictions[0].answer)]
        if limits := m.config.number_range:
            lines.append(f"It was trained on numbers from {limits[0]:g} to {limits[1]:g}.")
    found = [{"kind": kind, **asdict(prediction)} for prediction in predictions]
    print_answer({"config": options.to_dict(), "predictions": found}, *lines, as_json=as_json, out=out)


@with_flags_of(EvaluateOptions, leave_out=("model", "columns", "corpus", "pairs"))
def evaluate(
    model: args.Model = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option("--corpus", metavar="FILE...", help="Text files, to measure masked words and next sentence."),
    ] = None,
    pairs: Annotated[
        list[str] | None,
        typer.Option("--pairs", metavar="FILE...", help="Minimal pairs as JSON lines, such as BLiMP's."),
    ] = None,
    more_files: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    text: args.ColumnText = None,
    text_b: args.ColumnTextB = None,
    label: args.ColumnLabel = None,
    everything: Annotated[
        bool,
        typer.Option("--all", help="Everything for a pretrained model: cloze sets, minimal pairs, --corpus by file."),
    ] = False,
    recipe: args.RecipeFile = None,
    out: args.OutFile = None,
    as_json: args.AsJson = False,
    *,
    flags: dict[str, Any],
) -> None:
    """Measure how well a model does: on a task's held-out examples, on text, or on minimal pairs."""
    from bertcore.data.text import text_files

    model, more = _model_and_files(model, more_files or [], is_list_open=bool(corpus or pairs))
    if more and bool(corpus) == bool(pairs):
        raise BertcoreError(f"Name the files after --corpus or after --pairs; {more[0]} is after neither.")
    options = EvaluateOptions.from_file(recipe) if recipe else EvaluateOptions()
    options = options.with_flags(
        {"text": text, "text_b": text_b, "label": label},
        model=model,
        corpus=(*corpus, *more) if corpus else None,
        pairs=(*pairs, *more) if pairs else None,
        **flags,
    )
    _refuse_flags_of_other_modes(options, everything, has_sequences_flag=flags["sequences"] is not None)
    measure = _of_pairs if options.pairs else _of_corpus if options.corpus else _of_task
    if everything:
        text_files([Path(file) for file in options.corpus])  # before the model is opened: raises for what is not there
        measure = _of_everything
    values, parts = measure(args.opened(options.model), options)
    print_answer(values, *parts, as_json=as_json, out=out)


def _model_and_files(model: str | None, more: list[str], is_list_open: bool) -> tuple[str | None, list[str]]:
    """Of `evaluate --corpus A B` the shell's parser takes B for the model, which is never a file."""
    if is_list_open and model is not None and Path(model).is_file():
        return None, [model, *more]
    return model, more


def _refuse_flags_of_other_modes(options: EvaluateOptions, everything: bool, has_sequences_flag: bool) -> None:
    if everything and (options.data or options.pairs):
        raise BertcoreError("--all measures everything of a pretrained model; leave out --data and --pairs.")
    if everything and (options.task or options.columns or has_sequences_flag):
        raise BertcoreError("--all measures everything; leave out --task, --sequences and the columns.")
    if (options.corpus or options.pairs) and (options.task or options.columns):
        raise BertcoreError("--task and the columns are for --data; leave them out with --corpus and --pairs.")


def _of_task(m: LoadedModel, options: EvaluateOptions) -> Measured:
    """On held-out examples of a task."""
    options = options.with_flags({}, task=options.task or m.learned_task)
    if options.data is None or options.task is None:
        raise BertcoreError("Name the data to evaluate on: --task and --data, --corpus, or --pairs.")
    decoding = cast(Any, vars(options.decoding))
    found = m.evaluate(options.data, options.task, cast(Any, options.columns), **decoding)
    figures = in_lines({"loss": found.loss, **found.metrics})
    return {"config": options.to_dict(), **asdict(found)}, [figures, measured_on(found.examples, found.examples_cut)]


def _of_corpus(m: LoadedModel, options: EvaluateOptions) -> Measured:
    """Masked words and next sentence on text."""
    found = m.evaluate_text(
        options.corpus, sequence_length=options.sequence_length, sequences=options.sequences, whole=options.whole
    )
    part = (
        f"Only the held-out part of the text is measured, {found['documents']:,} of {found['documents_in_text']:,} "
        "documents; --whole measures all of it."
    )
    return {"config": options.to_dict(), **found}, [in_lines(found), None if options.whole else part]


def _of_pairs(m: LoadedModel, options: EvaluateOptions) -> Measured:
    """On minimal pairs."""
    found = m.minimal_pairs(options.pairs)
    table = Listing(found.rows(), "phenomenon value:.1% standard_error:.1% count")
    return {"minimal_pairs": found.summary()}, [table]


def _of_everything(m: LoadedModel, options: EvaluateOptions) -> Measured:
    """All that is measured of a pretrained model; JSON also has every sentence with the model's guesses."""
    report = m.report(
        options.corpus,
        whole=options.whole,
        sequence_length=options.sequence_length,
        tell=lambda sentence: say(sentence, error_stream=True),
    )
    asked = {name: getattr(options, name) for name in ("model", "corpus", "whole", "sequence_length")}
    title = f"{report.name}, {report.parameters:,} parameters"
    table = Listing(report.rows(), "of figure value:.4f standard_error:.4f count", title)
    return {"config": asked, **report.to_dict()}, [table]
