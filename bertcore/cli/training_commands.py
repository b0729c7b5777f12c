"""pretrain, finetune, distil: train a model into a run folder, or several that differ in a few settings; sweep: what
these found; cache: the tokenised texts that pretraining keeps."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from bertcore.cli import arguments as args
from bertcore.cli.arguments import with_flags_from, with_flags_of
from bertcore.cli.estimating import EstimateFlag, say_estimate
from bertcore.cli.output import Listing, in_lines, is_follower, measured_on, print_answer, say, watching
from bertcore.errors import BertcoreError, brief
from bertcore.files import read_json
from bertcore.locations import runs_folder
from bertcore.memory import keep_freed_memory
from bertcore.runs.known_runs import is_run
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.sweep_results import Sweep, SweepGroup, find_sweep
from bertcore.training.distil_options import DistilOptions
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.run_settings import OPTIONS_OF_KIND, run_settings
from bertcore.training.sweep_plan import Varied


@dataclass(frozen=True)
class RunFlags:
    """What every command that trains has."""

    out: Annotated[Path | None, typer.Option("--out", metavar="RUN", help="The run folder to write.")] = None
    recipe: args.RecipeFile = None
    resume: args.Resume = False
    estimate: EstimateFlag = False
    as_json: args.AsJson = False

    def settings(self, kind: str, given: Mapping[str, Any], name: str | None = None) -> tuple[Path, Any]:
        """The run folder, called by the date and a name if not given, and the settings of the run. name: of a new run
        without a recipe, where none is given."""
        usual = OPTIONS_OF_KIND[kind]
        options = usual.from_file(self.recipe) if self.recipe else usual()
        called = given["name"] or (None if self.recipe else name) or options.name
        run = self.out or runs_folder() / f"{time.strftime('%Y-%m-%d')}-{called}"
        args.checked_text("out", str(run))  # the libraries that write it take no other names
        return run, run_settings(kind, run, given, self.resume, self.recipe, name)


def varied_from(
    rates: Annotated[
        str | None,
        typer.Option(
            metavar="RATES",
            help="A sweep: one run for each of these learning rates (1e-4,3e-4,1e-3), or for 5 around the usual one "
            "(5).",
        ),
    ] = None,
    batch_sizes: Annotated[
        str | None, typer.Option(metavar="NUMBERS", help="A sweep: one run for each batch size (16,32).")
    ] = None,
    epoch_counts: Annotated[
        str | None, typer.Option(metavar="NUMBERS", help="A sweep: one run for each number of epochs (2,3,4).")
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", help="Repeat each run with this many seeds: mean and standard deviation."),
    ] = None,
    random: Annotated[
        int | None,
        typer.Option("--random", metavar="NUMBER", help="Try only this many of the combinations, drawn at random."),
    ] = None,
    budget_share: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Give each run of a sweep only this share of its budget (0.3)."),
    ] = None,
) -> Varied | None:
    """By the flags of a sweep; None where one ordinary run is meant. Raises BertcoreError for what are no numbers."""
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


_IN_RUN_FLAGS = with_flags_from("asked", RunFlags)


@with_flags_of(PretrainOptions, leave_out=("corpus", "mixture", "start", "model"))
@with_flags_from("varied", varied_from)
@_IN_RUN_FLAGS
def pretrain(
    *,
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            "--corpus", metavar="FILE...", help="Text files: one paragraph per line, a blank line between texts."
        ),
    ] = None,
    more_corpus: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    start: Annotated[
        str | None, typer.Option("--from", metavar="MODEL", help="Checkpoint, run or hub id to start from.")
    ] = None,
    asked: RunFlags,
    varied: Varied | None,
    flags: dict[str, Any],
) -> None:
    """Train a BERT from text. Stop it with Ctrl+C, continue with --resume."""
    files = [*(corpus or []), *(more_corpus or [])]
    if run_named := next((file for file in files if is_run(Path(file))), None):
        raise BertcoreError(
            f"{run_named} is a run, not a text; to resume it, put --out before it: --resume --out {run_named}."
        )
    name = asked.out.resolve().name if asked.out else None
    run, options = asked.settings("pretrain", {**flags, "corpus": files, "start": start}, name)
    snapshot = _train(options, run, asked, varied)
    if snapshot is not None and _print_end(run, snapshot, asked.as_json):
        say(f'Try it: bertcore fill {run} --a "The [MASK] was happy."')


@with_flags_of(FinetuneOptions, leave_out=("task", "train", "columns"))
@with_flags_from("varied", varied_from)
@_IN_RUN_FLAGS
def finetune(
    *,
    task: Annotated[
        str | None,
        typer.Argument(help="Task to learn: sst2, mrpc, conll2003, squad ...; `bertcore finetune list` shows all."),
    ] = None,
    train: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="File or folder with training examples; if not given, the task's sample."),
    ] = None,
    text: args.ColumnText = None,
    text_b: args.ColumnTextB = None,
    label: args.ColumnLabel = None,
    asked: RunFlags,
    varied: Varied | None,
    flags: dict[str, Any],
) -> None:
    """Fine-tune a checkpoint on a task: labels, numbers, tags, answers, choices or summaries."""
    if task == "list":
        from bertcore.tasks.readers.reading import TASKS

        rows = [{"name": spec.name, "kind": spec.kind, "title": spec.title} for spec in TASKS.values()]
        print_answer(rows, Listing(rows, "name kind title"), as_json=asked.as_json)
        return
    columns = {role: column for role, column in (("text", text), ("text_b", text_b), ("label", label)) if column}
    given = {**flags, "task": task, "train": train, "columns": columns or None}
    run, options = asked.settings("finetune", given, task)
    snapshot = _train(options, run, asked, varied)
    if snapshot is None:
        return
    from bertcore.training.finetune import EVALUATION_FILE

    found = read_json(run / EVALUATION_FILE, "run it again with --resume")
    metrics, measured = found["metrics"], {name: found[name] for name in ("examples", "examples_cut")}
    if _print_end(run, snapshot, asked.as_json, metrics=metrics, **measured):
        say(in_lines(metrics))
        say(measured_on(**measured))
        say(f"Try it: bertcore predict {run} ...")


def _train(options: Any, run: Path, asked: RunFlags, varied: Varied | None = None) -> Path | None:
    """The snapshot that the run ends with; None where there is no run to speak of: an estimate, a sweep, and in all
    processes but the first."""
    if asked.estimate:
        say_estimate(options, asked.as_json)
        return None
    from bertcore.training.start import run_sweep, start_run

    keep_freed_memory()
    with watching(asked.as_json) as on_event:
        if varied is None:
            snapshot = start_run(options, run, asked.resume, on_event)
            return None if is_follower() else snapshot
        found = run_sweep(options, run, varied, asked.resume, on_event)
    print_sweep(found, asked.as_json)
    return None


def _print_end(run: Path, snapshot: Path, as_json: bool, *parts: Listing, **more: Any) -> bool:
    """How the run stands, as JSON with `more` beside it, or in a line and `parts`; True where lines may follow."""
    status = RunFolder(run).status()
    facts = {"run": str(run), "state": status.state, "step": status.step, "snapshot": str(snapshot)}
    return print_answer({**facts, **more}, f"{status.state} at step {status.step:,}: {run}", *parts, as_json=as_json)


_DISTIL_OWN = ("corpus", "mixture")
_OF_THE_TEACHER = ("tokenizer", "vocabulary", "vocab_size", "lowercase")
_NOT_DISTILLED = ("causal_share", "accumulate")  # DistilOptions refuses other values than its own


@with_flags_of(DistilOptions, leave_out=(*_DISTIL_OWN, *_OF_THE_TEACHER, *_NOT_DISTILLED))
@_IN_RUN_FLAGS
def distil(
    *,
    corpus: Annotated[
        list[str] | None,
        typer.Option("--corpus", metavar="FILE", help="Text files to train on; can be given more than once."),
    ] = None,
    asked: RunFlags,
    flags: dict[str, Any],
) -> None:
    """Train a model with fewer layers to predict what its teacher predicts, and compare the two."""
    run, options = asked.settings("distil", {**flags, "corpus": corpus})
    snapshot = _train(options, run, asked)
    if snapshot is None:
        return
    from bertcore.training.distil import COMPARISON_FILE

    comparison = read_json(run / COMPARISON_FILE, "run it again with --resume")
    sides = ("teacher", "student")
    rows = [
        {"measured": name.replace("_", " "), **{side: comparison[side][name] for side in sides}}
        for name in comparison["teacher"]
    ]
    more = Listing(rows, "measured teacher:.4f student:.4f")
    _print_end(run, snapshot, asked.as_json, more, comparison=comparison)


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
    from bertcore.training.start import resume_sweep

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


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Delete everything that no running program uses.")] = False,
    as_json: args.AsJson = False,
) -> None:
    """List the tokenised texts and the indexes of words that are kept, so that the next run on them starts at once.

    Beyond 20 GiB the least recently used ones are deleted automatically. What was deleted is made again when it is
    needed.
    """
    from bertcore.data import corpus_cache

    texts, folder = corpus_cache.cached_texts(), corpus_cache.cache_folder().parent
    if clear:
        texts = corpus_cache.clear(texts)
    rows = []
    for text in texts:
        kind = "index of " * (text.folder.parent.name == corpus_cache.INDEXES)
        names = ", ".join(text.sources[:4]) + (" ..." if len(text.sources) > 4 else "")
        day = time.strftime("%Y-%m-%d", time.localtime(text.used_at))
        texts_named = f"{kind}{names or '(not finished)'}{'  in use' if text.in_use else ''}"
        rows.append({"MiB": text.bytes / 2**20, "used": day, "texts": texts_named})
    print_answer(
        {"folder": str(folder), "cleared" if clear else "texts": texts},
        Listing(rows, "MiB:,.1f used texts"),
        f"{sum(text.bytes for text in texts) / 2**20:,.1f} MiB  {'cleared from' if clear else 'in'} {folder}",
        as_json=as_json,
    )
