"""What the commands share: writing JSON, reading text arguments, opening the model for them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bertcore.errors import BertcoreError
from bertcore.locations import resolve_model

if TYPE_CHECKING:
    from bertcore.checkpoint import Checkpoint
    from bertcore.tokenization import Encoding

ModelArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="[MODEL]",
        help="Checkpoint folder, run folder (its newest snapshot) or hub id; absent: the built-in model.",
        show_default=False,
    ),
]
TextA = Annotated[str, typer.Option("--a", metavar="TEXT", help="The sentence, or sentence A of a pair.")]
TextB = Annotated[str | None, typer.Option("--b", metavar="TEXT", help="Sentence B.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False))


def checked_text(name: str, text: str | None, required: bool = False) -> str | None:
    """A text argument that is valid Unicode and, where it must, says something."""
    if text is None:
        return None
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise BertcoreError(f"The text of --{name} is not valid UTF-8.") from None
    if required and not text.strip():
        raise BertcoreError(f"The text of --{name} is empty; write a sentence.")
    return text


def texts(a: str, b: str | None) -> tuple[str, str | None]:
    """The texts of --a, which must say something, and --b."""
    text_a, text_b = checked_text("a", a, required=True), checked_text("b", b)
    assert text_a is not None
    return text_a, text_b


def open_and_encode(
    model: str | None, a: str, b: str | None, random_heads: Sequence[str] = ()
) -> tuple[Checkpoint, Encoding]:
    """The model, with fresh `random_heads` where it lacks them, and the text as it reads it."""
    from bertcore.checkpoint import load_checkpoint

    checkpoint = load_checkpoint(resolve_model(model), random_heads, allow_random=bool(random_heads))
    return checkpoint, checkpoint.tokenizer.encode(a, b, max_length=checkpoint.config.max_length)


def say_dropped(encoding: Encoding) -> None:
    if encoding.dropped:
        typer.echo(f"{encoding.dropped:,} tokens were cut off so that the text fits.", err=True)
