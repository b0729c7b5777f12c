"""pretrain, finetune, distil: train a model into a run folder; cache: the tokenised texts that pretraining keeps."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from bertcore.cli import arguments as args
from bertcore.cli.estimating import EstimateFlag, say_estimate
from bertcore.cli.output import Listing, in_lines, is_follower, measured_on, print_answer, say
from bertcore.cli.progress import watching
from bertcore.cli.run_settings import run_and_settings, with_flags_of
from bertcore.cli.sweep_commands import print_sweep, with_sweep_flags
from bertcore.errors import BertcoreError
from bertcore.files import read_json
from bertcore.memory import keep_freed_memory
from bertcore.runs.known_runs import is_run
from bertcore.runs.run_folder import RunFolder
from bertcore.settings import read_recipe
from bertcore.training.arguments import with_settings
from bertcore.training.distil_options import DistilOptions
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.sweep_plan import Varied


@with_flags_of(PretrainOptions, leave_out=("corpus", "mixture", "start", "tokenizer", "model"))
@with_sweep_flags
def pretrain(
    *,
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            "--corpus", metavar="FILE...", help="Text files: one paragraph per line, a blank line between texts."
        ),
    ] = None,
    more_corpus: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="RUN", help="The run folder to write.")] = None,
    recipe: args.RecipeFile = None,
    start: Annotated[
        str | None, typer.Option("--from", metavar="MODEL", help="Checkpoint, run or hub id to start from.")
    ] = None,
    tokenizer: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Use the vocabulary of this checkpoint, run or hub id.")
    ] = None,
    varied: Varied | None,
    resume: args.Resume = False,
    estimate: EstimateFlag = False,
    as_json: args.AsJson = False,
    flags: dict[str, Any],
) -> None:
    """Train a BERT from text. Stop it with Ctrl+C, continue with --resume."""
    files = [*(corpus or []), *(more_corpus or [])]
    if run_named := next((file for file in files if is_run(Path(file))), None):
        raise BertcoreError(
            f"{run_named} is a run, not a text; to resume it, put --out before it: --resume --out {run_named}."
        )
    run, options, is_resumed = run_and_settings(PretrainOptions, recipe, out, resume, flags["name"])
    if out and not recipe and not is_resumed:
        flags["name"] = flags["name"] or out.resolve().name
    in_recipe = read_recipe(recipe).get("training") or {} if recipe else {}
    given = {**flags, "corpus": files, "start": start, "tokenizer": tokenizer}
    options = with_settings(options, given, is_resumed, in_recipe)
    snapshot = _train(options, run, resume, varied, estimate, as_json)
    if snapshot is not None and _print_end(run, snapshot, as_json):
        say(f'Try it: bertcore fill {run} --a "The [MASK] was happy."')


@with_flags_of(FinetuneOptions, leave_out=("task", "train", "dev", "columns"))
@with_sweep_flags
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
    dev: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Held-out file; if not given, the dev file in the folder of --train."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="RUN", help="The run folder to write.")] = None,
    recipe: args.RecipeFile = None,
    text: args.ColumnText = None,
    text_b: args.ColumnTextB = None,
    label: args.ColumnLabel = None,
    varied: Varied | None,
    resume: args.Resume = False,
    estimate: EstimateFlag = False,
    as_json: args.AsJson = False,
    flags: dict[str, Any],
) -> None:
    """Fine-tune a checkpoint on a task: labels, numbers, tags, answers, choices or summaries."""
    if task == "list":
        from bertcore.tasks.readers.reading import TASKS

        rows = [{"name": spec.name, "kind": spec.kind, "title": spec.title} for spec in TASKS.values()]
        print_answer(rows, Listing(rows, "name kind title"), as_json=as_json)
        return
    name = flags["name"] or (task if not recipe else None)
    run, options, is_resumed = run_and_settings(FinetuneOptions, recipe, out, resume, name)
    flags["name"] = flags["name"] if is_resumed else name
    columns = {role: column for role, column in (("text", text), ("text_b", text_b), ("label", label)) if column}
    given = {**flags, "task": task, "train": train or None, "dev": dev or None, "columns": columns or None}
    options = with_settings(options, given, is_resumed)
    snapshot = _train(options, run, resume, varied, estimate, as_json)
    if snapshot is None:
        return
    from bertcore.training.finetune import EVALUATION_FILE

    found = read_json(run / EVALUATION_FILE, "run it again with --resume")
    metrics, measured = found["metrics"], {name: found[name] for name in ("examples", "examples_cut")}
    if _print_end(run, snapshot, as_json, metrics=metrics, **measured):
        say(in_lines(metrics))
        say(measured_on(**measured))
        say(f"Try it: bertcore predict {run} ...")


def _train(
    options: PretrainOptions | FinetuneOptions | DistilOptions,
    run: Path,
    resume: bool,
    varied: Varied | None,
    estimate: bool,
    as_json: bool,
) -> Path | None:
    """The snapshot that the run ends with; None where there is no run to speak of: an estimate, a sweep, and in all
    processes but the first."""
    if estimate:
        say_estimate(options, as_json)
        return None
    from bertcore.training.start import start_run
    from bertcore.training.sweep_loop import run_sweep

    keep_freed_memory()
    with watching(as_json) as on_event:
        if varied is None:
            snapshot = start_run(options, run, resume, on_event)
            return None if is_follower() else snapshot
        found = run_sweep(options, run, varied, resume, on_event)
    print_sweep(found, as_json)
    return None


def _print_end(run: Path, snapshot: Path, as_json: bool, *parts: Listing, **more: Any) -> bool:
    """How the run stands, as JSON with `more` beside it, or in a line and `parts`; True where lines may follow."""
    status = RunFolder(run).status()
    facts = {"run": str(run), "state": status.state, "step": status.step, "snapshot": str(snapshot)}
    return print_answer({**facts, **more}, f"{status.state} at step {status.step:,}: {run}", *parts, as_json=as_json)


_DISTIL_OWN = ("corpus", "mixture", "teacher")
_OF_THE_TEACHER = ("tokenizer", "vocabulary", "vocab_size", "lowercase")
_NOT_DISTILLED = ("causal_share", "accumulate")  # DistilOptions refuses other values than its own


@with_flags_of(DistilOptions, leave_out=(*_DISTIL_OWN, *_OF_THE_TEACHER, *_NOT_DISTILLED))
def distil(
    *,
    corpus: Annotated[
        list[str] | None,
        typer.Option("--corpus", metavar="FILE", help="Text files to train on; can be given more than once."),
    ] = None,
    teacher: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Checkpoint, run or hub id; if not given, the built-in model.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="RUN", help="The run folder to write.")] = None,
    recipe: args.RecipeFile = None,
    resume: args.Resume = False,
    estimate: EstimateFlag = False,
    as_json: args.AsJson = False,
    flags: dict[str, Any],
) -> None:
    """Train a model with fewer layers to predict what its teacher predicts, and compare the two."""
    run, options, _ = run_and_settings(DistilOptions, recipe, out, resume, flags["name"])
    options = with_settings(options, {**flags, "corpus": corpus, "teacher": teacher})
    snapshot = _train(options, run, resume, None, estimate, as_json)
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
    _print_end(run, snapshot, as_json, more, comparison=comparison)


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Delete everything that no running program uses.")] = False,
    as_json: args.AsJson = False,
) -> None:
    """List the tokenised texts that are kept, so that the next run on them starts at once.

    Beyond 20 GiB the least recently used ones are deleted automatically. A run whose text was deleted tokenises it
    again.
    """
    from bertcore.data import corpus_cache

    texts, folder = corpus_cache.cached_texts(), corpus_cache.cache_folder()
    if clear:
        texts = corpus_cache.clear(texts)
    rows = []
    for text in texts:
        names = ", ".join(text.sources[:4]) + (" ..." if len(text.sources) > 4 else "")
        day = time.strftime("%Y-%m-%d", time.localtime(text.used_at))
        texts_named = f"{names or '(not finished)'}{'  in use' if text.in_use else ''}"
        rows.append({"MiB": text.bytes / 2**20, "used": day, "texts": texts_named})
    print_answer(
        {"folder": str(folder), "cleared" if clear else "texts": texts},
        Listing(rows, "MiB:,.1f used texts"),
        f"{sum(text.bytes for text in texts) / 2**20:,.1f} MiB  {'cleared from' if clear else 'in'} {folder}",
        as_json=as_json,
    )
