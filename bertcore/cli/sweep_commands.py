"""Flags with which a command trains several runs that differ in a few settings; sweep: what they found, as a table."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Annotated

import typer

from bertcore.cli import arguments as args
from bertcore.cli.output import Listing, print_answer, say
from bertcore.cli.progress import watching
from bertcore.cli.run_settings import Command, with_parameters
from bertcore.errors import BertcoreError, brief
from bertcore.runs.sweep_results import Sweep, SweepGroup, find_sweep
from bertcore.training.sweep_plan import Varied

Rates = Annotated[
    str | None,
    typer.Option(
        metavar="RATES",
        help="A sweep: one run for each of these learning rates (1e-4,3e-4,1e-3), or for 5 around the usual one (5).",
    ),
]
BatchSizes = Annotated[
    str | None, typer.Option(metavar="NUMBERS", help="A sweep: one run for each batch size (16,32).")
]
EpochCounts = Annotated[
    str | None, typer.Option(metavar="NUMBERS", help="A sweep: one run for each number of epochs (2,3,4).")
]
Seeds = Annotated[
    int | None,
    typer.Option(metavar="NUMBER", help="Repeat each run with this many seeds: mean and standard deviation."),
]
RandomRuns = Annotated[
    int | None,
    typer.Option("--random", metavar="NUMBER", help="Try only this many of the combinations, drawn at random."),
]
BudgetShare = Annotated[
    float | None, typer.Option(metavar="SHARE", help="Give each run of a sweep only this share of its budget (0.3).")
]


def with_sweep_flags(command: Command) -> Command:
    """A decorator: the command has the flags of a sweep in place of `varied`, None for one ordinary run."""
    flags = inspect.signature(varied_from, eval_str=True).parameters.values()
    keywords = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in flags]
    return with_parameters(command, "varied", keywords, varied_from)


def varied_from(
    rates: Rates = None,
    batch_sizes: BatchSizes = None,
    epoch_counts: EpochCounts = None,
    seeds: Seeds = None,
    random: RandomRuns = None,
    budget_share: BudgetShare = None,
) -> Varied | None:
    """None where one ordinary run is meant. Raises BertcoreError for what are no numbers."""
    varied = Varied(
        _numbers("--rates", rates),
        tuple(map(int, _numbers("--batch-sizes", batch_sizes))),
        _numbers("--epoch-counts", epoch_counts),
        1 if seeds is None else seeds,
        random,
        1.0 if budget_share is None else budget_share,
    )
    if not varied.is_one_run:
        return varied
    if random is not None or budget_share is not None:
        raise BertcoreError("--random and --budget-share need a sweep: add --rates, --batch-sizes or --seeds.")
    return None


def _numbers(flag: str, text: str | None) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(",")) if text is not None else ()
    except ValueError:
        raise BertcoreError(
            f"{flag} takes numbers separated by commas, such as 1e-4,3e-4, not {brief(text)}."
        ) from None


def sweep(
    run: Annotated[Path | None, typer.Argument(help="The folder of any of its runs.")] = None,
    out: Annotated[Path | None, typer.Option("--out", hidden=True)] = None,  # as the window names every run
    resume: Annotated[bool, typer.Option("--resume", help="First train the runs that have not finished.")] = False,
    as_json: args.AsJson = False,
) -> None:
    """Show what a sweep found: several runs that differ in a few settings. `finetune --rates 5` starts one."""
    folder = run or out
    if folder is None:
        raise BertcoreError("Name the folder of one of the sweep's runs.")
    if not resume:
        print_sweep(find_sweep(folder), as_json)
        return
    from bertcore.memory import keep_freed_memory
    from bertcore.training.sweep_loop import resume_sweep

    keep_freed_memory()
    with watching(as_json) as on_event:
        found = resume_sweep(folder, on_event)
    print_sweep(found, as_json)


def print_sweep(sweep: Sweep, as_json: bool) -> None:
    rows = []
    for group in sweep.groups:
        varied = {name: "usual" if value is None else f"{value:g}" for name, value in group.values.items()}
        is_best = group is sweep.best and len(sweep.groups) > 1
        rows.append({**varied, sweep.metric: score_in_words(group), "runs": _states(group), "best": is_best or None})
    left_out = [f"Left out: {run.status.message}" for run in sweep.unreadable]
    columns = " ".join((*sweep.varied, sweep.metric, "runs", "best"))
    values = {
        "sweep": sweep.id,
        "figure": sweep.metric,
        "higher_is_better": sweep.higher_is_better,
        "groups": [
            {**group.values, "mean": group.mean, "deviation": group.deviation, "runs": len(group.scores)}
            for group in sweep.groups
        ],
        "best": sweep.best and sweep.best.values,
        "best_run": sweep.best_run,
        "runs": sweep.rows(),
    }
    if not print_answer(values, Listing(rows, columns), *left_out, as_json=as_json):
        return
    if sweep.best_run is None:
        raise BertcoreError("None of the runs finished; their logs say why.")
    if len(sweep.groups) > 1:
        say("The best was chosen on the held-out data, so its score looks a little too good; measure it again on")
        say(f"other examples: bertcore evaluate {sweep.best_run} FILE")
    else:
        say(f"The best of them: {sweep.best_run}")


def score_in_words(group: SweepGroup) -> str:
    """ "0.8120 ± 0.0060"; without a score why there is none."""
    if group.mean is None:
        return "diverged" if group.has_diverged else "none"
    mean = f"{group.mean:.4f}"
    return mean if group.deviation is None else f"{mean} ± {group.deviation:.4f}"


def _states(group: SweepGroup) -> str:
    others = [run.status.state for run in group.runs if run.score is None]
    counted = ", ".join(f"{others.count(state)} {state}" for state in dict.fromkeys(others))
    return ", ".join(filter(None, (f"{len(group.scores)}", counted)))
