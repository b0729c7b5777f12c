"""Fine-tune a checkpoint and the same architecture with random weights on four tasks, and print both as a table, beside
what always giving the most common answer would get.

    python scripts/what_pretraining_buys.py TASKS RUNS [--model CHECKPOINT] [--learning-rate RATE] [--random-only]

TASKS holds the folders sst2, cola, mrpc and conll2003. Runs that are done in RUNS are not made again.
"""

from __future__ import annotations

import hashlib
import json
import math
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from bertcore.checkpoint.weights import SAFETENSORS
from bertcore.resolve_model import resolve_model
from bertcore.tasks.features.predictions import gold_answers
from bertcore.tasks.metrics import measure
from bertcore.tasks.readers.reading import TaskFile, task_named
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions
from bertcore.training.task_files import read_examples

NOTE = (
    "Fine-tuned on real benchmark files, from this checkpoint and from random weights, and evaluated on their held-out "
    "examples; one seed, {rate}. ± is one standard error of an accuracy, from the number of those examples only; "
    "variation between seeds is not included.\n"
)


@dataclass(frozen=True)
class Trial:
    task: str
    title: str
    metrics: tuple[str, ...]  # of the held-out examples, as the table names them
    flags: tuple[str, ...]
    budget: str


TRIALS = (
    Trial("sst2", "SST-2", ("accuracy",), ("--epochs", "1", "--max-examples", "20000"), "1 x 20,000 phrases"),
    Trial("cola", "CoLA", ("matthews_correlation", "accuracy"), ("--epochs", "3"), "3 x 8,551 sentences"),
    Trial("mrpc", "MRPC", ("f1", "accuracy"), ("--epochs", "3"), "3 x 3,668 pairs"),
    Trial("conll2003", "CoNLL-2003", ("f1",), ("--epochs", "2"), "2 x 14,041 sentences"),
)


def main(
    tasks: Annotated[Path, typer.Argument(help="Folder with the tasks' folders.")],
    runs: Annotated[Path, typer.Argument(help="Folder for the runs.")],
    model: Annotated[str, typer.Option(help="Checkpoint to start from; default: the built-in one.")] = "bertscope-mini",
    learning_rate: Annotated[float | None, typer.Option(help="If not given, the default for this width.")] = None,
    random_only: Annotated[bool, typer.Option(help="Only the runs from random weights.")] = False,
    threads: int = 2,
) -> None:
    kinds = ("random",) if random_only else ("random", "pretrained")
    for trial in TRIALS:
        for kind in kinds:
            run = _run(runs, trial, kind, model, learning_rate)
            if _last(run) is None:
                typer.echo(f"{trial.title}, {kind} weights", err=True)
                _fine_tune(trial, kind, tasks / trial.task, run, model, learning_rate, threads)
    typer.echo(NOTE.format(rate="the default rate" if learning_rate is None else f"learning rate {learning_rate:g}"))
    typer.echo("| task | epochs x examples | metric | always the most common answer | random weights | pretrained |")
    typer.echo("|---|---|---|---|---|---|")
    for trial in TRIALS:
        held_out = _held_out(trial, tasks / trial.task)
        commonest = always_the_commonest(held_out)
        found_in = (_run(runs, trial, kind, model, learning_rate) for kind in ("random", "pretrained"))
        random, pretrained = (_last(run) or {} for run in found_in)
        for metric in trial.metrics:
            simple = f"{commonest[metric]:.3f}" if metric in commonest else ""
            values = [simple, *(shown(found, metric, len(held_out.examples)) for found in (random, pretrained))]
            typer.echo(f"| {trial.title} | {trial.budget} | {metric.partition('_')[0]} | {' | '.join(values)} |")


def _held_out(trial: Trial, data: Path) -> TaskFile:
    """The held-out examples as the run reads them."""
    return read_examples(FinetuneOptions(data=TaskDataOptions(task=trial.task, train=str(data))))[1]


def always_the_commonest(held_out: TaskFile) -> dict[str, float]:
    """Metrics of giving each example the label that most of them have; empty where the task is not to choose one."""
    if task_named(held_out.task).kind != "classify":
        return {}
    gold = gold_answers(held_out.examples)
    commonest = Counter(gold).most_common(1)[0][0]
    found = measure("classify", gold, [commonest] * len(gold), held_out.labels)
    return {name: value for name, value in found.items() if value is not None}


def shown(found: dict[str, float], metric: str, count: int) -> str:
    """A metric, an accuracy with the standard error of a share of `count`; empty where it was not measured."""
    if metric not in found:
        return ""
    value = found[metric]
    error = f" ± {math.sqrt(value * (1 - value) / count):.3f}" if metric == "accuracy" else ""
    return f"{value:.3f}{error}"


def _run(runs: Path, trial: Trial, kind: str, model: str, rate: float | None) -> Path:
    """A folder for each set of weights and each rate: another model under the same name is another run.

    Random weights are the same for all checkpoints of one architecture and vocabulary.
    """
    names = ("config.json", "tokenizer.json") if kind == "random" else (SAFETENSORS,)
    content = b"".join((resolve_model(model) / name).read_bytes() for name in names)
    at = "" if rate is None else f"-{rate:g}"
    return runs / f"{trial.task}-{kind}-{hashlib.sha256(content).hexdigest()[:8]}{at}"


def _fine_tune(trial: Trial, kind: str, data: Path, run: Path, model: str, rate: float | None, threads: int) -> None:
    start = ["--from-scratch"] if kind == "random" else []
    start += [] if rate is None else ["--learning-rate", str(rate)]
    command = [sys.executable, "-m", "bertcore", "finetune", trial.task, "--train", str(data), "--model", model]
    command += ["--out", str(run), "--seed", "1", "--threads", str(threads), "--resume", *start, *trial.flags]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _last(run: Path) -> dict[str, float] | None:
    """The held-out metrics at the end of a run that is done."""
    try:
        done = json.loads((run / "status.json").read_text(encoding="utf-8"))["state"] == "done"
        lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    except OSError:
        return None
    measured = [line for line in lines if line["kind"] == "held_out"]
    return measured[-1] if done and measured else None


if __name__ == "__main__":
    typer.run(main)
