"""Make a model that ships, from nothing, with one command: text, vocabulary, training, measurements, card, snapshots.

    python scripts/make_model.py bertscope-mini TEXT [--tasks TASKS] [--out build/models]

TEXT is the folder with the files that the recipe, assets/recipes/NAME.json, mixes. A second recipe, NAME-2.json, goes
on from the model that the first has made, or from that of --before, a finished run that ships. Everything unfinished is
below OUT: started again, the command goes on where it was stopped, with Ctrl+C or by force. How long that takes on
which machine is in docs/model.md. On a machine with a GPU the same recipes run there.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer
from model_report.report import Effort
from shipping import FinishedRun, recipes_of, ship, thinned_run
from split_books import HELD_OUT, TRAIN
from split_books import main as split_books

from bertcore.errors import BertcoreError
from bertcore.locations import BUILT_IN, SHIPPED, TINY, assets, sample_corpus
from bertcore.memory import keep_freed_memory
from bertcore.runs.run_folder import RunFolder
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.start import start_run

ROOT = Path(__file__).parents[1]
TUNING = Path(__file__).with_name("what_pretraining_buys.py")
BOOKS = "books.txt.xz"  # of the text; the recipe reads its two parts, TRAIN and HELD_OUT of split_books
DRILLS = "drills.txt"  # which assets/corpus/make_drills.py writes
SNAPSHOTS = {BUILT_IN: 6, TINY: 10}  # that ship with a run, for the time machine; the last is the model itself
DRY_STEPS = 8
DRY = {"steps": DRY_STEPS, "evaluations": 1, "held_out_sequences": 10, "batch_size": 4}
DRY_EFFORT = Effort(most_tokens=2_000, single_sentences=50, pair_windows=20, full_sequences=2, head_texts=10)


def main(
    name: Annotated[str, typer.Argument(help=f"Which model: {', '.join(SHIPPED)}.")],
    text: Annotated[Path, typer.Argument(help="Folder with the recipe's text files.")],
    tasks: Annotated[
        Path | None, typer.Option(help="Folder with sst2, cola, mrpc, stsb, conll2003, to measure what tuning gains.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for all that is made on the way.")] = Path("build/models"),
    recipe: Annotated[list[Path] | None, typer.Option(help="Other recipes than assets/recipes/NAME*.json.")] = None,
    before: Annotated[Path | None, typer.Option(help="Run in the place of all recipes but the last.")] = None,
    into: Annotated[Path | None, typer.Option(help="Where assets/ and docs/ are written; default: here.")] = None,
    threads: Annotated[int | None, typer.Option(help="CPU threads; default: one for each core.")] = None,
    dry_run: Annotated[bool, typer.Option(help="All of it in a minute, with a handful of steps.")] = False,
) -> None:
    try:
        keep_freed_memory()
        snapshots = SNAPSHOTS.get(name, 0)
        recipes = recipe or [assets() / "recipes" / f"{each}.json" for each in recipes_of(name)]
        changes = {"name": name, "threads": threads or os.cpu_count(), **(DRY if dry_run else {})}
        finished, run, start = None, None, None
        if before is not None:
            run, start = _kept(RunFolder(before), out / "before" / name)
        for number, file in enumerate(recipes[-1:] if before else recipes, start=1):
            if finished is not None:  # the next part goes on from it
                run = RunFolder(thinned_run(finished, out / "before" / name, snapshots, corpus=("text",)))
                start = finished.snapshot
            options = PretrainOptions.from_file(file).with_changes(**changes)
            finished = _train(options, start, text, out, out / (name if number == 1 else f"{name}-{number}"), run)
        assert finished is not None
        tuned = _what_tuning_gains(finished.folder.path, tasks, out / f"{name}-tuned") if tasks else ""
        target = into or ROOT
        (target / "docs").mkdir(parents=True, exist_ok=True)
        effort = DRY_EFFORT if dry_run else Effort()
        typer.echo(ship(finished, target / "assets", target / "docs", tuned, snapshots, effort, typer.echo))
    except (BertcoreError, ValueError) as error:
        raise typer.BadParameter(str(error)) from None


def _kept(run: RunFolder, copy: Path) -> tuple[RunFolder, Path]:
    """A copy of a run, made once, and of the checkpoint that it ends with: what is made here may replace both."""
    start = copy.with_name(f"{copy.name}-checkpoint")
    if not start.is_dir():
        shutil.copytree(run.path, copy)
        shutil.copytree(run.snapshots()[-1][1], start)
    return RunFolder(copy), start


def _train(
    options: PretrainOptions, start: Path | None, text: Path, out: Path, folder: Path, before: RunFolder | None
) -> FinishedRun:
    """One recipe, to its end, from where it was stopped; `start`: the checkpoint that it goes on from, if any."""
    if start is not None:
        options = options.with_changes(start=str(start.resolve()), tokenizer=str(start.resolve()))
    folders = (_prepare(text, out / "text", options), text, sample_corpus().parent)
    options = options.with_changes(corpus=tuple(str(each.resolve()) for each in folders))
    if RunFolder(folder).status().state != "done":
        start_run(options, folder, resume=True, on_event=_tell_event)
    return FinishedRun.of(RunFolder(folder), before)


def _prepare(text: Path, out: Path, options: PretrainOptions) -> Path:
    """The folder with what is made of the text or by ourselves, once: the two parts of the books, the drills."""
    if DRILLS in options.data.mixture and not (out / DRILLS).is_file():
        subprocess.run([sys.executable, str(assets() / "corpus" / "make_drills.py"), str(out)], check=True)
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
