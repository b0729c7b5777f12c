"""info, tokenize, fill, trace: what is in a model, and what it makes of a text."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from bertcore.checkpoint_config import read_config
from bertcore.cli.output import (
    AsJson,
    ModelArgument,
    TextA,
    TextB,
    checked_text,
    print_json,
)
from bertcore.config import PRESETS, BertConfig, count_parameters
from bertcore.errors import BertcoreError
from bertcore.locations import resolve_model
from bertcore.tokenization import Encoding, Tokenizer

if TYPE_CHECKING:
    from bertcore.checkpoint import Checkpoint


def register(app: typer.Typer) -> None:
    for command in (info, tokenize, fill, trace):
        app.command()(command)


def info(
    model: ModelArgument = None,
    preset: Annotated[str | None, typer.Option(help=f"A size without weights: {', '.join(PRESETS)}.")] = None,
    as_json: AsJson = False,
) -> None:
    """What a model is made of, and what it can do."""
    if preset is not None and model is not None:
        raise BertcoreError("Give a model or --preset, not both.")
    if preset is not None:
        config = BertConfig.preset(preset)
        facts = _facts(config, count_parameters(config), [])
    else:
        from bertcore.checkpoint import load_checkpoint

        checkpoint = load_checkpoint(resolve_model(model))
        facts = _facts(checkpoint.config, checkpoint.parameters, list(checkpoint.tasks))
    if as_json:
        print_json(facts)
        return
    for name, value in facts.items():
        shown = f"{value:,}" if isinstance(value, int) else ", ".join(value) if isinstance(value, list) else value
        typer.echo(f"{name.replace('_', ' '):18} {shown or 'none'}")


def tokenize(model: ModelArgument = None, a: TextA = "", b: TextB = None, as_json: AsJson = False) -> None:
    """The tokens of a sentence or pair, with ids, segments, positions and where they stand in the text."""
    folder = resolve_model(model)
    text_a, text_b = _texts(a, b)
    encoding = Tokenizer.from_folder(folder).encode(text_a, text_b, max_length=_max_positions(folder))
    if as_json:
        names = ("tokens", "ids", "segments", "positions", "offsets", "parts", "dropped")
        print_json({name: getattr(encoding, name) for name in names})
        return
    table = Table("position", "token", "id", "segment", "part", "characters")
    rows = zip(encoding.positions, encoding.tokens, encoding.ids, encoding.segments, encoding.parts, strict=True)
    for row, (start, end) in zip(rows, encoding.offsets, strict=True):
        table.add_row(*(str(value) for value in row), "" if row[-1] == "special" else f"{start}-{end}")
    _print_table(table)
    _say_dropped(encoding)


def fill(
    model: ModelArgument = None,
    a: TextA = "",
    b: TextB = None,
    top: Annotated[int, typer.Option("--top", min=1, help="How many words for each mask.")] = 5,
    as_json: AsJson = False,
) -> None:
    """The likeliest words for every [MASK] in the text, and whether B follows A."""
    from bertcore.analysis.predict import next_sentence, top_words
    from bertcore.analysis.trace import trace as run_trace

    text_a, text_b = _texts(a, b)
    checkpoint, encoding = _open(model, text_a, text_b)
    masks = [i for i, token_id in enumerate(encoding.ids) if token_id == checkpoint.tokenizer.mask_id]
    if masks and "mlm" in checkpoint.missing:
        raise BertcoreError(checkpoint.missing["mlm"])
    result = run_trace(checkpoint.model, encoding.ids, encoding.segments, mlm_positions=masks)
    rows = () if result.mlm_logits is None else result.mlm_logits
    guesses = {at: top_words(row, checkpoint.tokenizer, top) for at, row in zip(masks, rows, strict=False)}
    verdict = None
    if text_b and result.next_sentence_logits is not None:
        verdict = asdict(next_sentence(result.next_sentence_logits))
    if as_json:
        listed = [{"position": at, "predictions": [asdict(guess) for guess in words]} for at, words in guesses.items()]
        print_json({"masks": listed, "next_sentence": verdict})
        return
    for at, words in guesses.items():
        typer.echo(f"position {at}")
        for guess in words:
            typer.echo(f"  {guess.probability:6.1%}  {guess.token}")
    if not masks:
        typer.echo("There is no [MASK] in the text; write one where a word is to be guessed.")
    if verdict:
        typer.echo(f"B follows A: {verdict['is_next']:.1%}")
    elif text_b:
        typer.echo(checkpoint.missing["nsp"])
    _say_dropped(encoding)


def trace(
    model: ModelArgument = None,
    a: TextA = "",
    b: TextB = None,
    out: Annotated[Path, typer.Option("--out", metavar="FILE.npz", help="Where to write the arrays.")] = Path(
        "trace.npz"
    ),
    as_json: AsJson = False,
) -> None:
    """Everything that passes through the model for one text, as NumPy arrays in one file."""
    import numpy as np

    from bertcore.analysis.trace import trace as run_trace

    text_a, text_b = _texts(a, b)
    checkpoint, encoding = _open(model, text_a, text_b)
    arrays = run_trace(checkpoint.model, encoding.ids, encoding.segments).arrays()
    del arrays["mlm_positions"]  # all of them
    out = out if out.suffix == ".npz" else out.with_name(out.name + ".npz")
    try:
        np.savez_compressed(out, **arrays)  # type: ignore[arg-type]  # its stub wants a bool
    except OSError as error:
        raise BertcoreError(f"The file {out} cannot be written: {error.strerror}; choose another place.") from None
    shapes = {name: list(array.shape) for name, array in arrays.items()}
    if as_json:
        print_json({"file": str(out), "tokens": encoding.tokens, "arrays": shapes, "missing": checkpoint.missing})
        return
    table = Table("array", "shape")
    for name, shape in shapes.items():
        table.add_row(name, " x ".join(map(str, shape)))
    _print_table(table)
    for sentence in checkpoint.missing.values():
        typer.echo(sentence)
    typer.echo(f"written to {out}")
    _say_dropped(encoding)


def _facts(config: BertConfig, parameters: int, tasks: list[str]) -> dict[str, Any]:
    return {
        "family": "bert",
        "parameters": parameters,
        "layers": config.num_hidden_layers,
        "heads": config.num_attention_heads,
        "hidden_size": config.hidden_size,
        "intermediate_size": config.intermediate_size,
        "vocab_size": config.vocab_size,
        "max_positions": config.max_position_embeddings,
        "tasks": tasks,
    }


def _texts(a: str, b: str | None) -> tuple[str, str | None]:
    text_a, text_b = checked_text("a", a, required=True), checked_text("b", b)
    assert text_a is not None
    return text_a, text_b


def _open(model: str | None, a: str, b: str | None) -> tuple[Checkpoint, Encoding]:
    from bertcore.checkpoint import load_checkpoint

    checkpoint = load_checkpoint(resolve_model(model))
    return checkpoint, checkpoint.tokenizer.encode(a, b, max_length=checkpoint.config.max_position_embeddings)


def _max_positions(folder: Path) -> int:
    return read_config(folder).max_position_embeddings


def _say_dropped(encoding: Encoding) -> None:
    if encoding.dropped:
        typer.echo(f"{encoding.dropped:,} tokens were cut off so that the text fits.", err=True)


def _print_table(table: Table) -> None:
    Console().print(table)
