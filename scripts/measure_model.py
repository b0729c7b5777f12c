"""The report that a model's card prints, of any pretrained checkpoint and text, as Markdown (docs/evaluation.md).

    python scripts/measure_model.py MODEL [--kind NAME=FILE ...] [--unconnected FILE ...] [--cloze-table]
    python scripts/measure_model.py MODEL --held-out FILE [--held-out FILE ...]

--kind: text that the model was not trained on, in rows by kind; --held-out: all files of its own text, of which only
what a run on them holds out is measured.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Annotated

import typer
from model_report.markdown import cloze_table, figures
from model_report.report import measure_model, measure_model_on_files

import bertcore
from bertcore.errors import BertcoreError
from bertcore.training.evaluate import data_of_pretraining


def main(
    model: Annotated[str, typer.Argument(help="Checkpoint, run or hub id.")],
    kind: Annotated[list[str] | None, typer.Option(help="NAME=FILE; several files may have one name.")] = None,
    unconnected: Annotated[
        list[Path] | None, typer.Option(help="Files of --kind whose sentences have nothing to do with one another.")
    ] = None,
    held_out: Annotated[list[Path] | None, typer.Option(help="A file of the text that the model learned from.")] = None,
    cloze: Annotated[bool, typer.Option("--cloze-table", help="Also every sentence of the cloze set.")] = False,
) -> None:
    kinds: dict[str, list[Path]] = defaultdict(list)
    for name, _, file in (each.partition("=") for each in kind or []):
        kinds[name].append(Path(file))
    try:
        checkpoint = bertcore.load(model).checkpoint
        form = data_of_pretraining(checkpoint.folder).text_format
        if held_out:
            report = measure_model_on_files(checkpoint, held_out, form=form, tell=_tell)
        else:
            report = measure_model(checkpoint, kinds, unconnected=unconnected or (), form=form, tell=_tell)
    except BertcoreError as error:
        raise typer.BadParameter(str(error)) from None
    typer.echo(figures(report))
    if cloze:
        typer.echo(cloze_table(report))


def _tell(sentence: str) -> None:
    typer.echo(sentence, err=True)


if __name__ == "__main__":
    typer.run(main)
