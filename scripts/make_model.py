"""Make a model that ships, from nothing, with one command: text, vocabulary, training, measurements, card, snapshots.

    python scripts/make_model.py bertscope-mini TEXT [--tasks TASKS] [--out build/models]

TEXT is the folder with the files that the recipe, assets/recipes/NAME.json, mixes. Everything unfinished is below OUT:
started again, the command goes on where it was stopped, with Ctrl+C or by force. How long that takes on which machine
is in docs/model.md. On a machine with a GPU the same recipe runs there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer
from model_report.report import Effort
from shipping import FinishedRun, ship
from split_books import HELD_OUT, TRAIN
from split_books import main as split_books

from bertcore.errors import BertcoreError
from bertcore.locations import BUILT_IN, SHIPPED, TINY, assets
from bertcore.memory import keep_freed_memory
from bertcore.runs.run_folder import RunFolder
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.start import start_run

ROOT = Path(__file__).parents[1]
TUNING = Path(__file__).with_name("what_pretraining_buys.py")
BOOKS = "books.txt.xz"  # of the text; the recipe reads its two parts, TRAIN and HELD_OUT of split_books
SNAPSHOTS = {BUILT_IN: 6, TINY: 10}  # that ship with a run, for the time machine; the last is the model itself
DRY_STEPS = 8
DRY_EFFORT = Effort(most_tokens=2_000, single_sentences=50, pair_windows=20, full_sequences=2, head_texts=10)


def main(
    name: Annotated[str, typer.Argument(help=f"Which model: {', '.join(SHIPPED)}.")],
    text: Annotated[Path, typer.Argument(help="Folder with the recipe's text files.")],
    tasks: Annotated[
        Path | None, typer.Option(help="Folder with sst2, cola, mrpc, stsb, conll2003, to measure what tuning gains.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for all that is made on the way.")] = Path("build/models"),
    recipe: Annotated[Path | None, typer.Option(help="Another recipe than assets/recipes/NAME.json.")] = None,
    into: Annotated[Path | None, typer.Option(help="Where assets/ and docs/ are written; default: here.")] = None,
    threads: Annotated[int | None, typer.Option(help="CPU threads; default: one for each core.")] = None,
    dry_run: Annotated[bool, typer.Option(help="All of it in a minute, with a handful of steps.")] = False,
) -> None:
    try:
        options = PretrainOptions.from_file(recipe or assets() / "recipes" / f"{name}.json")
        options = options.with_changes(name=name, threads=threads or os.cpu_count())
        if dry_run:
            options = options.with_changes(steps=DRY_STEPS, evaluations=1, held_out_sequences=10, batch_size=4)
        prepared = _prepare(text, out / "text", options)
        options = options.with_changes(corpus=(str(prepared.resolve()), str(text.resolve())))
        run = out / name
        keep_freed_memory()
        if RunFolder(run).status().state != "done":
            start_run(options, run, resume=True, on_event=_tell_event)
        tuned = _what_tuning_gains(run, tasks, out / f"{name}-tuned") if tasks else ""
        target = into or ROOT
        (target / "docs").mkdir(parents=True, exist_ok=True)
        snapshots = SNAPSHOTS.get(name, 0)
        effort = DRY_EFFORT if dry_run else Effort()
        finished = FinishedRun.of(RunFolder(run))
        typer.echo(ship(finished, target / "assets", target / "docs", tuned, snapshots, effort, typer.echo))
    except (BertcoreError, ValueError) as error:
        raise typer.BadParameter(str(error)) from None


def _prepare(text: Path, out: Path, options: PretrainOptions) -> Path:
    """The folder with the two parts of the books, made once."""
    parts = [out / TRAIN, out / HELD_OUT]
    wanted = {part.name for part in parts} & set(options.data.mixture)
    if wanted and not all(part.is_file() for part in parts):
        typer.echo(f"Splitting {BOOKS} into whole books.")
        split_books(text / BOOKS, out)
    out.mkdir(parents=True, exist_ok=True)
    return out


def _what_tuning_gains(run: Path, tasks: Path, out: Path) -> str:
    """The card's section, from fine-tuning runs in `out`; those that are done are not made again."""
    command = [
        sys.executable,
        str(Path(__file__).with_name("what_pretraining_buys.py")),
        str(tasks),
        str(out),
        "--model",
        str(run),
    ]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout


def _tell_event(event: dict) -> None:
    if event["kind"] == "held_out":
        kinds = {kind: f"{numbers['mlm_accuracy']:.1%}" for kind, numbers in event.get("kinds", {}).items()}
        typer.echo(f"step {event['step']:,}: masked words right {event['mlm_accuracy']:.1%} {json.dumps(kinds)}")


if __name__ == "__main__":
    typer.run(main)
