"""tokenize, fill: what a model makes of a text."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bertcore.checkpoint.config_file import read_config
from bertcore.cli.output import (
    AsJson,
    ModelArgument,
    TextA,
    TextB,
    open_and_encode,
    print_json,
    say_dropped,
    texts,
)
from bertcore.errors import BertcoreError
from bertcore.resolve import resolve_model
from bertcore.tokenizer.tokenizer import Encoding, Tokenizer

if TYPE_CHECKING:
    from bertcore.analysis.predict import HeadOutputs
    from bertcore.checkpoint.checkpoint import Checkpoint


def register(app: typer.Typer) -> None:
    for command in (tokenize, fill):
        app.command()(command)


def tokenize(model: ModelArgument = None, a: TextA = "", b: TextB = None, as_json: AsJson = False) -> None:
    """The tokens of a sentence or pair, with ids, segments, positions and where they stand in the text."""
    folder = resolve_model(model)
    text_a, text_b = texts(a, b)
    encoding = Tokenizer.from_folder(folder).encode(text_a, text_b, max_length=read_config(folder).max_length)
    if as_json:
        names = ("tokens", "ids", "segments", "positions", "offsets", "parts", "dropped")
        print_json({name: getattr(encoding, name) for name in names})
        return
    table = Table("position", "token", "id", "segment", "part", "characters")
    rows = zip(encoding.positions, encoding.tokens, encoding.ids, encoding.segments, encoding.parts, strict=True)
    for row, (start, end) in zip(rows, encoding.offsets, strict=True):
        table.add_row(*(escape(str(value)) for value in row), "" if row[-1] == "special" else f"{start}-{end}")
    Console().print(table)
    say_dropped(encoding)


def fill(
    model: ModelArgument = None,
    a: TextA = "",
    b: TextB = None,
    top: Annotated[int, typer.Option("--top", min=1, help="How many words for each mask.")] = 5,
    allow_random: Annotated[
        bool, typer.Option("--allow-random", help="Guess with a fresh, random head where the model has none.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """The likeliest words for every [MASK] in the text, and what the model says about the pair."""
    from bertcore.analysis.predict import predict_masks, top_words

    text_a, text_b = texts(a, b)
    checkpoint, encoding = open_and_encode(model, text_a, text_b, ["mlm"] if allow_random else [])
    masks = [i for i, token_id in enumerate(encoding.ids) if token_id == checkpoint.tokenizer.mask_id]
    if masks and "mlm" in checkpoint.missing:
        raise BertcoreError(checkpoint.missing["mlm"])
    result = predict_masks(checkpoint.model, encoding.ids, encoding.segments, positions=masks)
    rows = () if result.mlm_logits is None else result.mlm_logits
    guesses = {at: top_words(row, checkpoint.tokenizer, top) for at, row in zip(masks, rows, strict=False)}
    verdicts = _verdicts(checkpoint, encoding, result)
    if as_json:
        listed = [{"position": at, "predictions": [asdict(guess) for guess in words]} for at, words in guesses.items()]
        print_json({"masks": listed, **verdicts, "random_heads": list(checkpoint.random_heads)})
        return
    if checkpoint.random_heads:
        typer.echo("The model has no MLM head: these words come from a fresh one and mean nothing.", err=True)
    for at, words in guesses.items():
        typer.echo(f"position {at}")
        for guess in words:
            typer.echo(f"  {guess.probability:6.1%}  {checkpoint.tokenizer.label(guess.id)}")
    if not masks and "mlm" not in checkpoint.missing:
        typer.echo("There is no [MASK] in the text; write one where a word is to be guessed.")
    _say_verdicts(verdicts, checkpoint, encoding)
    say_dropped(encoding)


def _verdicts(checkpoint: Checkpoint, encoding: Encoding, result: HeadOutputs) -> dict[str, Any]:
    """What the model's other heads say; None for what it has none for, or where there is no B."""
    from bertcore.analysis.predict import next_sentence
    from bertcore.analysis.verdicts import cosine, replaced_probabilities, sentence_order, sentence_vector

    verdicts: dict[str, Any] = dict.fromkeys(("next_sentence", "sentence_order", "similarity", "replaced"))
    text_b, replaced = encoding.text_b, result.replaced_logits
    if text_b and result.next_sentence_logits is not None:
        verdicts["next_sentence"] = asdict(next_sentence(result.next_sentence_logits))
    if text_b and result.sentence_order_logits is not None:
        verdicts["sentence_order"] = asdict(sentence_order(result.sentence_order_logits))
    if text_b and checkpoint.pooling is not None:
        most, pooling = checkpoint.config.max_length, checkpoint.pooling
        both = [checkpoint.tokenizer.encode(text, max_length=most) for text in (encoding.text_a, text_b)]
        verdicts["similarity"] = cosine(*(sentence_vector(checkpoint.model, one, pooling) for one in both))
    if replaced is not None:
        pairs = zip(encoding.labels, replaced_probabilities(replaced), strict=True)
        verdicts["replaced"] = [{"token": token, "probability": float(value)} for token, value in pairs]
    return verdicts


def _say_verdicts(verdicts: dict[str, Any], checkpoint: Checkpoint, encoding: Encoding) -> None:
    if verdicts["next_sentence"]:
        typer.echo(f"B follows A: {verdicts['next_sentence']['is_next']:.1%}")
    if verdicts["sentence_order"]:
        typer.echo(f"A stands before B: {verdicts['sentence_order']['in_order']:.1%}")
    if verdicts["similarity"] is not None:
        typer.echo(f"A and B are alike: cosine {verdicts['similarity']:.3f}")
    if encoding.text_b and not any(verdicts[name] for name in ("next_sentence", "sentence_order", "similarity")):
        typer.echo(checkpoint.missing["nsp"])
    if verdicts["replaced"]:
        typer.echo("Taken for replaced:")
        for token in verdicts["replaced"]:
            typer.echo(f"  {token['probability']:6.1%}  {token['token']}")
