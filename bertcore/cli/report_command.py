"""evaluate --all: everything that is measured of a pretrained model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from bertcore.cli.output import print_json
from bertcore.cli.output import write_answer as write
from bertcore.errors import BertcoreError
from bertcore.resolve import resolve_model


def report(
    model: str | None, corpus: Sequence[str], sequence_length: int, out: Path | None = None, as_json: bool = False
) -> None:
    """Print the figures of a model's card: cloze set, minimal pairs and, with text, its held-out part and the heads.

    `out` is a JSON file for the whole report; beside it, with the ending .md, go the figures and every guess.
    """
    if out and out.suffix == ".md":
        raise BertcoreError(f"Name a .json file with --out; the report as text goes beside it, into {out.name}.")
    from bertcore.checkpoint.checkpoint import load_checkpoint
    from bertcore.data.text import text_files
    from bertcore.evaluation.markdown import cloze_table, figures
    from bertcore.evaluation.report import Effort, measure_model
    from bertcore.files import write_aside
    from bertcore.training.evaluate import data_of_pretraining

    files = [Path(name) for name in corpus]
    text_files(files)  # says at once what is not there
    checkpoint = load_checkpoint(resolve_model(model))
    form = data_of_pretraining(checkpoint.folder).text_format
    found = measure_model(checkpoint, files, form, Effort(length=sequence_length), _tell)
    answer = {"config": {"model": model, "corpus": list(corpus), "sequence_length": sequence_length}, **found.to_dict()}
    shown = figures(found)
    if out:
        write(out, answer)
        text = f"# {found.name}\n\n{shown}\n{cloze_table(found)}"
        write_aside(out.with_suffix(".md"), text.encode())
    if as_json:
        print_json(answer)
    else:
        typer.echo(shown)


def _tell(sentence: str) -> None:
    typer.echo(sentence, err=True)
