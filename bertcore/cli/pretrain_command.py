"""pretrain: train a BERT from text files, into a run folder."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from bertcore.cli.output import AsJson, Resume, SnapshotsMib, checked_text, is_follower, print_json
from bertcore.cli.progress import watching
from bertcore.config import PRESETS
from bertcore.data.choices import MASKINGS, PAIRS
from bertcore.errors import BertcoreError
from bertcore.locations import runs_folder
from bertcore.resolve import resolve_model
from bertcore.runs.registry import is_run
from bertcore.runs.run_folder import RunFolder
from bertcore.tokenizer import VOCABULARIES
from bertcore.training.going_on import has_run, settings_of
from bertcore.training.option_checks import read_recipe
from bertcore.training.options import PRECISIONS, PretrainOptions


def pretrain(
    corpus: Annotated[
        list[str] | None,
        typer.Option("--corpus", metavar="FILE...", help="Text files: a paragraph a line, a blank line between texts."),
    ] = None,
    more_corpus: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="RUN", help="The run folder to write.")] = None,
    recipe: Annotated[
        Path | None, typer.Option(help="A JSON file with any of the settings; a flag overrules it.")
    ] = None,
    start: Annotated[
        str | None, typer.Option("--from", metavar="MODEL", help="Checkpoint, run or hub id to go on from.")
    ] = None,
    preset: Annotated[str | None, typer.Option(help=f"Size of the model: {', '.join(PRESETS)}.")] = None,
    steps: Annotated[int | None, typer.Option(help="Budget in steps.")] = None,
    minutes: Annotated[
        float | None, typer.Option(help="Budget in minutes of training (10 if nothing is said).")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Every random choice follows from it.")] = None,
    resume: Resume = False,
    name: Annotated[str | None, typer.Option(help="What the run is called.")] = None,
    tokenizer: Annotated[str | None, typer.Option(help="Whose vocabulary to use: a folder or model.")] = None,
    vocab_size: Annotated[int | None, typer.Option(help="Entries of a learned vocabulary, at most.")] = None,
    vocabulary: Annotated[str | None, typer.Option(help=f"What to learn: {', '.join(VOCABULARIES)}.")] = None,
    pairs: Annotated[
        str | None, typer.Option(help=f"Next sentence, sentence order or none: {', '.join(PAIRS)}.")
    ] = None,
    masking: Annotated[str | None, typer.Option(help=f"What is masked: {', '.join(MASKINGS)}.")] = None,
    text_field: Annotated[str | None, typer.Option(help="Where a line of a .jsonl file has its text.")] = None,
    document_per_file: Annotated[
        bool | None, typer.Option("--document-per-file", help="Each file is one document.")
    ] = None,
    pack: Annotated[bool | None, typer.Option("--pack/--no-pack", help="Fill every sequence with text.")] = None,
    batch_size: Annotated[int | None, typer.Option(help="Sequences per step.")] = None,
    sequence_length: Annotated[int | None, typer.Option(help="Tokens per sequence.")] = None,
    accumulate: Annotated[int | None, typer.Option(help="Parts that a step's batch is worked on in.")] = None,
    patience: Annotated[
        int | None, typer.Option(help="Measurements without a better loss before the run ends early.")
    ] = None,
    optimizer: Annotated[str | None, typer.Option(help="adamw or muon.")] = None,
    learning_rate: Annotated[float | None, typer.Option(help="Learning rate at its peak.")] = None,
    causal_share: Annotated[
        float | None,
        typer.Option(help="Share of the run that is next-word prediction, at first; 0 (after --from): none."),
    ] = None,
    precision: Annotated[str | None, typer.Option(help=f"{', '.join(PRECISIONS)}.")] = None,
    threads: Annotated[int | None, typer.Option(help="CPU threads; absent: all cores but one.")] = None,
    compile_model: Annotated[
        bool | None, typer.Option("--compile/--no-compile", help="torch.compile the model; GPUs only.")
    ] = None,
    shard: Annotated[
        bool | None, typer.Option("--shard/--no-shard", help="Under torchrun: divide the model among the processes.")
    ] = None,
    snapshots_mib: SnapshotsMib = None,
    as_json: AsJson = False,
) -> None:
    """Train a BERT from text. Stop with Ctrl+C, go on with --resume."""
    files = [str(Path(os.path.expanduser(file)).resolve()) for file in [*(corpus or []), *(more_corpus or [])]]
    if run_named := next((file for file in files if is_run(Path(file))), None):
        raise BertcoreError(
            f"{run_named} is a run, no text; to go on with it, put --out before it: --resume --out {run_named}."
        )
    options = PretrainOptions.from_file(recipe) if recipe else PretrainOptions()
    if steps is not None and minutes is not None:
        raise BertcoreError("Give --steps or --minutes, not both.")
    run = out or runs_folder() / f"{time.strftime('%Y-%m-%d')}-{name or options.name}"
    checked_text("out", str(run))  # the libraries that write it take no other names
    goes_on = resume and has_run(run)
    if goes_on:
        options = settings_of(PretrainOptions, run, recipe)
    if minutes is not None:  # the flag overrules a recipe's budget of either kind
        options = replace(options, training=replace(options.training, steps=None))
    flags: dict[str, dict[str, Any]] = {
        "data": {
            "corpus": tuple(files) or None,
            "tokenizer": str(resolve_model(tokenizer).resolve()) if tokenizer else None,
            "vocab_size": vocab_size,
            "vocabulary": vocabulary,
            "pairs": pairs,
            "masking": masking,
            "text_field": text_field,
            "document_per_file": document_per_file,
            "pack": pack,
            "sequence_length": sequence_length,
        },
        "training": {
            "steps": steps,
            "minutes": minutes,
            "seed": seed,
            "batch_size": batch_size,
            "accumulate": accumulate,
            "patience": patience,
            "optimizer": optimizer,
            "learning_rate": learning_rate,
            "causal_share": causal_share,
            "precision": precision,
            "threads": threads,
            "shard": shard,
            "compile": compile_model,
            "snapshots_mib": snapshots_mib,
        },
        "own": {"preset": preset},
    }
    if sequence_length is not None:
        longest = max(sequence_length, options.data.long_sequence_length)
        options = options.with_flags({"sequence_length": sequence_length, "long_sequence_length": longest}, {})
    name = name or (out.resolve().name if out and not recipe and not goes_on else None)
    options = options.with_flags(flags["data"], flags["training"], **flags["own"], name=name)
    from bertcore.training.pretrain import continued, start_or_resume

    if start is not None and goes_on:
        options = replace(options, start=str(resolve_model(start).resolve()))
    elif start is not None:
        if preset or tokenizer:
            raise BertcoreError("A checkpoint has its own size and vocabulary; leave out --preset and --tokenizer.")
        asked = read_recipe(recipe).get("training") or {} if recipe else {}
        no_warm_up = causal_share is None and "causal_share" not in asked  # it guesses masked words already
        options = continued(options, resolve_model(start).resolve()).with_flags(
            {"pairs": pairs}, {"causal_share": 0.0 if no_warm_up else None}
        )

    with watching(as_json) as watch:
        snapshot = start_or_resume(options, run, resume, watch)
    if is_follower():
        return
    status = RunFolder(run).status()
    if as_json:
        print_json({"run": str(run), "state": status.state, "step": status.step, "snapshot": str(snapshot)})
    else:
        typer.echo(f"{status.state} at step {status.step:,}: {run}")
        typer.echo(f'Ask it: bertcore fill {run} --a "The [MASK] was happy."')
