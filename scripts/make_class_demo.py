"""Make the finished class demo that ships: train it as the window does, and keep what a class looks at.

python scripts/make_class_demo.py [--seed 1]        half a minute of one core; writes assets/runs/class-demo
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer
from shipping import FinishedRun, thinned_run

from bertcore.locations import CLASS_DEMO, assets
from bertcore.runs.run_folder import QUESTIONS, RunFolder
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.start import start_run

SNAPSHOTS = 4  # as many as the card beside the run shows
CURVE_LINES = 300
TEXT = "small-world"


def main(
    seed: Annotated[int | None, typer.Option(help="Another seed than the recipe's.")] = None,
    into: Annotated[Path | None, typer.Option(help="Where runs/ is written; default: assets.")] = None,
) -> None:
    options = PretrainOptions.from_file(assets() / "recipes" / f"{CLASS_DEMO}.json").with_changes(seed=seed, threads=1)
    corpus, questions = assets() / "corpus" / f"{TEXT}.txt", assets() / "evaluation" / f"{TEXT}.jsonl"
    with tempfile.TemporaryDirectory() as made:
        run = RunFolder(Path(made) / "run")
        start_run(options.with_changes(corpus=(str(corpus),), questions=str(questions)), run.path, resume=False)
        finished = FinishedRun.of(run)
        target = RunFolder((into or assets()) / "runs" / CLASS_DEMO)
        thinned_run(finished, target.path, SNAPSHOTS, CURVE_LINES, corpus=(corpus.name,), questions=questions.name)
        (target.path / QUESTIONS).write_bytes((run.path / QUESTIONS).read_bytes())
    typer.echo(f"{target.path}: {sum(file.stat().st_size for file in target.path.rglob('*.*')) / 1e6:.1f} MB")


if __name__ == "__main__":
    typer.run(main)
