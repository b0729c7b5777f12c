"""Make a run's newest snapshot the built-in checkpoint: fp16 weights, and a model card with measured numbers.

    python scripts/ship_checkpoint.py RUN

The run's curve goes with it, thinned, so that the Train room shows how the built-in model was trained. The held-out
numbers are measured here, on the shipped (rounded) weights, over as many held-out sequences as asked for.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from bertcore.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from bertcore.data.corpus import load_corpus
from bertcore.data.pairs import PairRules
from bertcore.locations import assets, built_in_checkpoint
from bertcore.reference_values import write_reference
from bertcore.training.evaluate import HeldOutText
from bertcore.training.materials import text_format
from bertcore.training.options import PretrainOptions
from bertcore.training.run_folder import RunFolder

CURVE_LINES = 1500
SOURCES = {
    "books.txt.xz": "parts of some 1,000 English books, mostly stories and novels of 1850-1925, from the collection "
    "rcdm-uga/Gutenberg_Text; public domain in the USA",
    "encyclopedia.txt.xz": "English Wikipedia articles (2018), from Vibhas-hs-edu/WikiTasks; CC BY-SA",
    "simple-encyclopedia.txt.xz": "Simple English Wikipedia articles (2016), from valeriechizhang/MiniGoogle; CC BY-SA",
}
CARD = Path(__file__).with_name("model_card.md")


def main(
    run: Annotated[Path, typer.Argument(help="A pretraining run.")],
    machine: Annotated[str, typer.Option(help="What it was trained on, for the card.")] = "two CPU cores",
    sequences: Annotated[int, typer.Option(help="Held-out sequences to measure on, at most.")] = 1500,
) -> None:
    folder = RunFolder(run)
    snapshot = folder.newest_snapshot()
    if snapshot is None:
        raise typer.BadParameter(f"{run} has no snapshot")
    if folder.status().state != "done":
        raise typer.BadParameter(f"the run {run} is not done")
    options = PretrainOptions.from_dict(folder.config())
    checkpoint = load_checkpoint(snapshot)
    about = json.loads((snapshot / "bertscope.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as temporary:
        aside = Path(temporary) / options.name
        save_checkpoint(
            checkpoint.model,
            checkpoint.tokenizer,
            aside,
            name=options.name,
            step=checkpoint.step,
            tokens_seen=about["tokens_seen"],
            store_as=torch.float16,
        )
        card = _card(load_checkpoint(aside), options, folder, about["tokens_seen"], sequences, machine)
        (aside / "README.md").write_text(card, encoding="utf-8")
        write_reference(load_checkpoint(aside), aside)
        _replace_folder(aside, built_in_checkpoint())
        _replace_folder(_thinned_run(folder, options, Path(temporary) / "run"), assets() / "runs" / options.name)
    typer.echo(card)


def _replace_folder(source: Path, target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)


def _thinned_run(run: RunFolder, options: PretrainOptions, target: Path) -> Path:
    """The run without snapshots and without paths of this machine, and with every n-th training line."""
    target.mkdir()
    corpus = tuple(Path(file).name for file in options.data.corpus)
    shown = replace(options, data=replace(options.data, corpus=corpus, tokenizer=None))
    _write_json(target / "config.json", shown.to_dict())
    _write_json(target / "status.json", {**vars(run.status()), "pid": None})
    lines = [line for line in run.tail().read_new() if line["kind"] != "snapshot"]
    every = max(1, len(lines) // CURVE_LINES)
    kept = [line for number, line in enumerate(lines) if line["kind"] != "train" or number % every == 0]
    (target / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")
    shutil.copy(run.path / "log.txt", target)
    return target


def _write_json(file: Path, values: dict[str, Any]) -> None:
    file.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")


def _source(file: str) -> str:
    return f"- `{file}`: {SOURCES[file]}" if file in SOURCES else f"- `{file}`"


def _card(
    shipped: Checkpoint, options: PretrainOptions, run: RunFolder, tokens: int, sequences: int, machine: str
) -> str:
    data, training, config = options.data, options.training, shipped.config
    corpus = load_corpus([Path(file) for file in data.corpus], shipped.tokenizer, form=text_format(data))
    length = data.long_sequence_length if data.long_share else data.sequence_length
    rules = PairRules.of(shipped.tokenizer, data.pairs, data.pack)
    held_out = HeldOutText.of(corpus, shipped.tokenizer, length, sequences, rules)
    numbers: dict[str, Any] = held_out.measure(shipped.model)
    return CARD.read_text(encoding="utf-8").format(
        name=options.name,
        recipe_name=options.name,
        layers=config.num_hidden_layers,
        hidden=config.hidden_size,
        heads=config.num_attention_heads,
        inner=config.intermediate_size,
        positions=config.max_length,
        vocab=config.vocab_size,
        parameters=shipped.parameters,
        steps=shipped.step,
        tokens=tokens,
        epochs=tokens / corpus.count_tokens(held_out=False),
        minutes=run.status().elapsed_s / 60,
        causal=training.causal_share,
        every=training.causal_masked_every,
        length=data.sequence_length,
        long_length=length,
        long_share=data.long_share,
        length_measured=length,
        sequences=sum(len(batch.input_ids) for batch in held_out.batches),
        machine=machine,
        corpus_files="\n".join(_source(Path(file).name) for file in data.corpus),
        **numbers,
    )


if __name__ == "__main__":
    typer.run(main)
