"""pretrain: train a BERT from text files, into a run folder."""

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from bertcore.cli.output import AsJson, Recipe, Resume, is_follower, print_json
from bertcore.cli.progress import watching
from bertcore.cli.run_settings import run_and_settings, with_flags_of
from bertcore.errors import BertcoreError
from bertcore.resolve import resolve_model
from bertcore.runs.registry import is_run
from bertcore.runs.run_folder import RunFolder
from bertcore.settings import read_recipe
from bertcore.training.pretrain_options import PretrainOptions


@with_flags_of(PretrainOptions, leave_out=("corpus", "start", "tokenizer", "model"))
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
    recipe: Recipe = None,
    start: Annotated[
        str | None, typer.Option("--from", metavar="MODEL", help="Checkpoint, run or hub id to start from.")
    ] = None,
    tokenizer: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Use the vocabulary of this checkpoint, run or hub id.")
    ] = None,
    resume: Resume = False,
    as_json: AsJson = False,
    flags: dict[str, Any],
) -> None:
    """Train a BERT from text. Stop it with Ctrl+C, continue with --resume."""
    files = [str(Path(os.path.expanduser(file)).resolve()) for file in [*(corpus or []), *(more_corpus or [])]]
    if run_named := next((file for file in files if is_run(Path(file))), None):
        raise BertcoreError(
            f"{run_named} is a run, not a text; to resume it, put --out before it: --resume --out {run_named}."
        )
    run, options, is_resumed = run_and_settings(PretrainOptions, recipe, out, resume, flags["name"])
    if out and not recipe and not is_resumed:
        flags["name"] = flags["name"] or out.resolve().name
    if flags["sequence_length"] and not flags["long_sequence_length"]:
        flags["long_sequence_length"] = max(flags["sequence_length"], options.data.long_sequence_length)
    vocabulary_of = str(resolve_model(tokenizer).resolve()) if tokenizer else None
    options = options.with_changes(corpus=tuple(files) or None, tokenizer=vocabulary_of, **flags)
    from bertcore.training.pretrain import continued, start_or_resume

    if start is not None and is_resumed:
        options = options.with_changes(start=str(resolve_model(start).resolve()))
    elif start is not None:
        if flags["preset"] or tokenizer:
            raise BertcoreError("A checkpoint has its own size and vocabulary; leave out --preset and --tokenizer.")
        in_recipe = read_recipe(recipe).get("training") or {} if recipe else {}
        no_warm_up = (
            flags["causal_share"] is None and "causal_share" not in in_recipe
        )  # it guesses masked words already
        options = continued(options, resolve_model(start).resolve()).with_changes(
            pairs=flags["pairs"], causal_share=0.0 if no_warm_up else None
        )

    with watching(as_json) as on_event:
        snapshot = start_or_resume(options, run, resume, on_event)
    if is_follower():
        return
    status = RunFolder(run).status()
    if as_json:
        print_json({"run": str(run), "state": status.state, "step": status.step, "snapshot": str(snapshot)})
    else:
        typer.echo(f"{status.state} at step {status.step:,}: {run}")
        typer.echo(f'Try it: bertcore fill {run} --a "The [MASK] was happy."')
