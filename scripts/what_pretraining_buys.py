"""Fine-tune a checkpoint and the same architecture with random weights on five tasks, with three seeds each, and print
both as a table, beside what always giving the most common answer would get.

    python scripts/what_pretraining_buys.py TASKS RUNS [--model CHECKPOINT] [--learning-rate RATE]

TASKS holds the folders sst2, conll2003, mrpc, stsb and cola. Runs that are done in RUNS are not made again.
"""

from __future__ import annotations

import hashlib
import json
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated

import typer

from bertcore.checkpoint.weights import SAFETENSORS
from bertcore.resolve_model import resolve_model
from bertcore.tasks.predict import measure, right_answers
from bertcore.tasks.readers.reading import TaskFile, task_named
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions
from bertcore.training.task_examples import read_examples

NOTE = (
    "Fine-tuned on real benchmark files, from this checkpoint and from random weights, and evaluated on their held-out "
    "examples; {rate}. Mean of {seeds} seeds ± their standard deviation.\n"
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
    Trial("conll2003", "CoNLL-2003", ("f1",), ("--epochs", "2"), "2 x 14,041 sentences"),
    Trial("mrpc", "MRPC", ("f1", "accuracy"), ("--epochs", "3"), "3 x 3,668 pairs"),
    Trial("stsb", "STS-B", ("spearmanr", "pearson"), ("--epochs", "3"), "3 x 5,749 pairs"),
    Trial("cola", "CoLA", ("matthews_correlation", "accuracy"), ("--epochs", "3"), "3 x 8,551 sentences"),
)
SEEDS = (1, 2, 3)
KINDS = ("random", "pretrained")


def main(
    tasks: Annotated[Path, typer.Argument(help="Folder with the tasks' folders.")],
    runs: Annotated[Path, typer.Argument(help="Folder for the runs.")],
    model: Annotated[str, typer.Option(help="Checkpoint to start from; default: the built-in one.")] = "bertscope-mini",
    learning_rate: Annotated[float | None, typer.Option(help="If not given, the default for this width.")] = None,
    threads: int = 2,
) -> None:
    for trial, kind, seed in product(TRIALS, KINDS, SEEDS):
        run = _run(runs, trial, kind, seed, model, learning_rate)
        if _last(run) is None:
            typer.echo(f"{trial.title}, {kind} weights, seed {seed}", err=True)
            _fine_tune(trial, kind, seed, tasks / trial.task, run, model, learning_rate, threads)
    rate = "the default rate" if learning_rate is None else f"learning rate {learning_rate:g}"
    typer.echo(NOTE.format(rate=rate, seeds=len(SEEDS)))
    typer.echo("| task | epochs x examples | metric | always the most common answer | random weights | pretrained |")
    typer.echo("|---|---|---|---|---|---|")
    for trial in TRIALS:
        commonest = always_the_commonest(_held_out(trial, tasks / trial.task))
        found = {
            kind: [_last(_run(runs, trial, kind, seed, model, learning_rate)) or {} for seed in SEEDS] for kind in KINDS
        }
        for metric in trial.metrics:
            simple = f"{commonest[metric]:.3f}" if metric in commonest else ""
            cells = [simple, *(shown([numbers[metric] for numbers in found[kind]]) for kind in KINDS)]
            typer.echo(f"| {trial.title} | {trial.budget} | {metric.partition('_')[0]} | {' | '.join(cells)} |")


def _held_out(trial: Trial, data: Path) -> TaskFile:
    """The held-out examples as the run reads them."""
    return read_examples(FinetuneOptions(data=TaskDataOptions(task=trial.task, train=str(data))))[1]


def always_the_commonest(held_out: TaskFile) -> dict[str, float]:
    """Metrics of giving each example the label that most of them have; empty where the task is not to choose one."""
    if task_named(held_out.task).kind != "classify":
        return {}
    gold = right_answers(held_out.examples)
    commonest = Counter(gold).most_common(1)[0][0]
    found = measure("classify", gold, [commonest] * len(gold), held_out.labels)
    return {name: value for name, value in found.items() if value is not None}


def shown(values: Sequence[float]) -> str:
    """Mean and standard deviation of one metric over the seeds."""
    deviation = f" ± {statistics.stdev(values):.3f}" if len(values) > 1 else ""
    return f"{statistics.mean(values):.3f}{deviation}"


def _run(runs: Path, trial: Trial, kind: str, seed: int, model: str, rate: float | None) -> Path:
    """A folder for each set of weights, each seed and each rate: another model under the same name is another run.

    Random weights are the same for all checkpoints of one architecture and vocabulary.
    """
    names = ("config.json", "tokenizer.json") if kind == "random" else (SAFETENSORS,)
    content = b"".join((resolve_model(model) / name).read_bytes() for name in names)
    at = "" if rate is None else f"-{rate:g}"
    return runs / f"{trial.task}-{kind}-{hashlib.sha256(content).hexdigest()[:8]}{at}-{seed}"


def _fine_tune(
    trial: Trial, kind: str, seed: int, data: Path, run: Path, model: str, rate: float | None, threads: int
) -> None:
    start = ["--from-scratch"] if kind == "random" else []
    start += [] if rate is None else ["--learning-rate", str(rate)]
    command = [sys.executable, "-m", "bertcore", "finetune", trial.task, "--train", str(data), "--model", model]
    command += ["--out", str(run), "--seed", str(seed), "--threads", str(threads), "--resume", *start, *trial.flags]
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
