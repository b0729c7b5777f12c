"""Make a run's newest snapshot the built-in checkpoint: fp16 weights, and a model card with measured numbers.

    python scripts/ship_checkpoint.py RUN [--out FOLDER]

The held-out numbers are measured here, on the shipped (rounded) weights, over all held-out text sequences asked for.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Annotated, Any

import torch
import typer

from bertcore.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from bertcore.data.corpus import load_corpus
from bertcore.locations import built_in_checkpoint
from bertcore.training.evaluate import HeldOutText
from bertcore.training.options import PretrainOptions
from bertcore.training.run_folder import RunFolder

CARD = Path(__file__).with_name("model_card.md")


def main(
    run: Annotated[Path, typer.Argument(help="A pretraining run.")],
    out: Annotated[Path | None, typer.Option(help="Where to; absent: the built-in checkpoint's place.")] = None,
    sequences: Annotated[int, typer.Option(help="Held-out sequences to measure on, at most.")] = 1500,
) -> None:
    folder = RunFolder(run)
    snapshot = folder.newest_snapshot()
    assert snapshot is not None, f"{run} has no snapshot"
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
        card = _card(load_checkpoint(aside), options, folder, about["tokens_seen"], sequences)
        (aside / "README.md").write_text(card, encoding="utf-8")
        target = out or built_in_checkpoint()
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(aside, target)
    typer.echo(card)


def _card(shipped: Checkpoint, options: PretrainOptions, run: RunFolder, tokens: int, sequences: int) -> str:
    data, training, config = options.data, options.training, shipped.config
    corpus = load_corpus([Path(file) for file in data.corpus], shipped.tokenizer)
    length = data.long_sequence_length if data.long_share else data.sequence_length
    held_out = HeldOutText.of(corpus, shipped.tokenizer, length, sequences)
    numbers: dict[str, Any] = held_out.measure(shipped.model)
    return CARD.read_text(encoding="utf-8").format(
        name=options.name,
        recipe_name=options.name,
        layers=config.num_hidden_layers,
        hidden=config.hidden_size,
        heads=config.num_attention_heads,
        inner=config.intermediate_size,
        positions=config.max_position_embeddings,
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
        corpus_files=", ".join(f"`{Path(file).name}`" for file in data.corpus),
        **numbers,
    )


if __name__ == "__main__":
    typer.run(main)
