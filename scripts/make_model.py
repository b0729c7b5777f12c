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
from shipping import DRILLS, FinishedRun, recipes_of, ship, thinned_run
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
    recipe: Annotated[
        list[Path] | None, typer.Option(help="Recipes in place of NAME.json and NAME-2.json, in order.")
    ] = None,
    before: Annotated[
        Path | None, typer.Option(help="Finished run of the first recipe; only the second is trained.")
    ] = None,
    into: Annotated[Path | None, typer.Option(help="Where assets/ and docs/ are written; default: here.")] = None,
    threads: Annotated[int | None, typer.Option(help="CPU threads; default: one for each core.")] = None,
    dry_run: Annotated[bool, typer.Option(help="All of it in a minute, with a handful of steps.")] = False,
) -> None:
    try:
        keep_freed_memory()
        snapshots = SNAPSHOTS.get(name, 0)
        recipes = recipe or [assets() / "recipes" / f"{each}.json" for each in recipes_of(name)]
        numbered = list(enumerate(recipes, start=1))
        earlier, start = None, None  # the run before, as it ships, and the checkpoint that it ended with
        if before is not None:
            earlier, start = _copied(RunFolder(before), out / f"{name}-before", PretrainOptions.from_file(recipes[0]))
            numbered = numbered[-1:]
        finished = None
        for number, file in numbered:
            if finished is not None:
                earlier = RunFolder(thinned_run(finished, out / f"{name}-first", snapshots, corpus=("text",)))
                start = finished.snapshot
            options = PretrainOptions.from_file(file)
            options = options.with_changes(name=name, threads=threads or os.cpu_count(), **(DRY if dry_run else {}))
            run = out / (name if number == 1 else f"{name}-{number}")
            finished = FinishedRun.of(_trained(options, start, text, out / "text", run), earlier)
        assert finished is not None
        tuned = _what_tuning_gains(finished.folder.path, tasks, out / f"{name}-tuned") if tasks else ""
        target = into or ROOT
        (target / "docs").mkdir(parents=True, exist_ok=True)
        effort = DRY_EFFORT if dry_run else Effort()
        typer.echo(ship(finished, target / "assets", target / "docs", tuned, snapshots, effort, typer.echo))
    except (BertcoreError, ValueError) as error:
        raise typer.BadParameter(str(error)) from None


def _copied(run: RunFolder, copy: Path, first: PretrainOptions) -> tuple[RunFolder, Path]:
    """A copy of a finished run of the first recipe and of the checkpoint that it ends with, made once: what is made
    here may replace both. Raises ValueError for another run."""
    if not copy.is_dir():
        step, checkpoint = (run.snapshots() or [(-1, Path())])[-1]
        if step != first.training.steps:
            raise ValueError(f"the run {run.path} does not end with a checkpoint of the first recipe's last step")
        made = copy.with_name(f"{copy.name}.new")
        shutil.rmtree(made, ignore_errors=True)
        shutil.copytree(run.path, made / "run")
        shutil.copytree(checkpoint, made / "checkpoint")
        made.rename(copy)
    return RunFolder(copy / "run"), copy / "checkpoint"


def _trained(options: PretrainOptions, start: Path | None, text: Path, own: Path, folder: Path) -> RunFolder:
    """The run of one recipe, trained to its end from where it was stopped; `start`: the checkpoint that it goes on
    from, if any; `own`: what is made of the text."""
    run = RunFolder(folder)
    if run.status().state == "done":
        return run
    _prepare(text, own, options)
    folders = [own, text]
    if sample_corpus().name in options.data.mixture:
        folders.append(sample_corpus().parent)
    place = None if start is None else str(start.resolve())
    corpus = tuple(str(each.resolve()) for each in folders)
    start_run(options.with_changes(start=place, tokenizer=place, corpus=corpus), folder, True, _tell_event)
    return run


def _prepare(text: Path, out: Path, options: PretrainOptions) -> None:
    """What is made of the text or by ourselves: the two parts of the books, once, and the drills."""
    if DRILLS in options.data.mixture:
        subprocess.run([sys.executable, str(assets() / "corpus" / "make_drills.py"), str(out)], check=True)
    parts = [out / TRAIN, out / HELD_OUT]
    wanted = {part.name for part in parts} & set(options.data.mixture)
    if wanted and not all(part.is_file() for part in parts):
        typer.echo(f"Splitting {BOOKS} into whole books.")
        split_books(text / BOOKS, out)
    out.mkdir(parents=True, exist_ok=True)


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
