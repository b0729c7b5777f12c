"""Arguments and options that several commands take, and what their texts must be."""

from pathlib import Path
from typing import Annotated

import typer

from bertcore.errors import BertcoreError

Model = Annotated[
    str | None,
    typer.Argument(
        metavar="[MODEL]",
        help="Checkpoint folder, run folder (its newest snapshot) or hub id; default: the built-in model.",
        show_default=False,
    ),
]
TextA = Annotated[str, typer.Option("--a", metavar="TEXT", help="The sentence, or sentence A of a pair.")]
TextB = Annotated[str | None, typer.Option("--b", metavar="TEXT", help="Sentence B.", show_default=False)]
ColumnText = Annotated[str | None, typer.Option("--text", metavar="COLUMN", help="Column with the text.")]
ColumnTextB = Annotated[str | None, typer.Option("--text-b", metavar="COLUMN", help="Column with text B.")]
ColumnLabel = Annotated[str | None, typer.Option("--label", metavar="COLUMN", help="Column with the label or answer.")]
RecipeFile = Annotated[Path | None, typer.Option(help="A JSON file with any of the settings; flags override it.")]
OutFile = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help="Also write the result there, with the settings, as JSON.")
]
JsonFile = Annotated[Path | None, typer.Option("--out", metavar="FILE.json", help="Also write the JSON there.")]
Wanted = Annotated[
    str | None,
    typer.Option(
        "--wanted",
        metavar="WORD",
        help="A word at [MASK], a label, a tag, start or end; default: the likeliest answer (of two texts: of each).",
    ),
]
Against = Annotated[
    str | None, typer.Option("--against", metavar="WORD", help="Another word or label, whose score is subtracted.")
]
Position = Annotated[
    int | None,
    typer.Option("--position", help="Token of the word, tag or answer; positions as shown by `tokenize`."),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume", help="Continue the run in --out, or start it. A budget given here replaces the run's own."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def checked_text(name: str, text: str | None, required: bool = False) -> str | None:
    """A text argument that is valid Unicode and, where it must, says something."""
    if text is None:
        return None
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise BertcoreError(f"The text of --{name} is not valid UTF-8.") from None
    if required and not text.strip():
        raise BertcoreError(f"The text of --{name} is empty; give a sentence.")
    return text


def texts(a: str, b: str | None) -> tuple[str, str | None]:
    """The texts of --a, which must say something, and --b."""
    text_a, text_b = checked_text("a", a, required=True), checked_text("b", b)
    assert text_a is not None
    return text_a, text_b
