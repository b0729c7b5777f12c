"""What the commands share: writing JSON, and reading text arguments."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from bertcore.errors import BertcoreError

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
