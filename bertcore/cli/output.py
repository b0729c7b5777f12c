"""How every command prints what it found: as JSON, into a file, or as tables and sentences for a person; and how a run
gets on."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.markup import escape

from bertcore.errors import BertcoreError, printable
from bertcore.runs.metrics_file import EVALUATION, HELD_OUT, held_out_in_words

if TYPE_CHECKING:
    import numpy as np

    from bertcore.tokenizer.tokenizer import Encoding
    from bertcore.training.trainable import OnEvent

# What JSON itself leaves as it is, and a terminal may obey.
_CONTROL_IN_JSON = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def say(text: str, error_stream: bool = False) -> None:
    """A line for the person; what stands in a model's files cannot command the terminal."""
    typer.echo(printable(text), err=error_stream)


def cell(value: object) -> str:
    """A value in a table of rich, as it is: neither its markup nor a command to the terminal."""
    return escape(printable(str(value)))


@dataclass(frozen=True)
class Listing:
    """Rows of a result as a table for people. A column that is None in every row is left out."""

    rows: Sequence[Mapping[str, Any]]
    columns: str  # fields of a row, with the format of their numbers: "layer:+1 token probability:.1%"; +1: from 1
    title: str = ""


def print_answer(values: Any, *parts: str | Listing | None, as_json: bool, out: Path | None = None) -> bool:
    """What a command found: `values` as JSON, in the file `out` and with --json on the output; else `parts`, sentences
    and tables, for a person. True where it was for a person: more lines may follow."""
    if out:
        from bertcore.files import json_bytes

        write_bytes(out, json_bytes(values), makes_folder=True)
    if as_json:
        print_json(values)
        return False
    for part in parts:
        if isinstance(part, str):
            say(part)
        elif part is not None and part.rows:
            _print_table(part)
    return True


def _print_table(listing: Listing) -> None:
    """Long texts are wrapped where the terminal is narrow, but no word is cut: a pipe loses nothing."""
    from rich.box import SIMPLE
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table

    if listing.title:
        say(listing.title)
    named = [column.partition(":")[::2] for column in listing.columns.split()]
    columns = [(name, how) for name, how in named if any(row.get(name) is not None for row in listing.rows)]
    texts = [
        [name.replace("_", " "), *(printable(shown(row.get(name), how)) for row in listing.rows)]
        for name, how in columns
    ]
    widths = [max(map(cell_len, column)) for column in texts]
    console = Console()
    around = 3 * len(columns) + 1
    for number in sorted(range(len(columns)), key=lambda number: -widths[number]):
        longest_word = max(cell_len(word) for text in texts[number] for word in text.split(" "))
        too_wide = sum(widths) + around - console.width
        widths[number] -= max(0, min(too_wide, widths[number] - longest_word))
    table = Table(box=SIMPLE)
    for (name, _), (header, *_cells), width in zip(columns, texts, widths, strict=True):
        is_number = all(isinstance(row.get(name), int | float | None) for row in listing.rows)
        table.add_column(escape(header), width=width, justify="right" if is_number else "left")
    for cells in zip(*(column[1:] for column in texts), strict=True):
        table.add_row(*map(escape, cells))
    Console(width=max(console.width, sum(widths) + around)).print(table)


def shown(value: Any, how: str = "") -> str:
    """A value of a result as a person reads it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float) and how == "+1":
        return str(value + 1)
    if isinstance(value, float):
        return format(value, how or ".4f")
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, tuple | list):
        return ", ".join(map(shown, value))
    return str(value)


def answer_in_words(answer: object) -> str:
    """What a fine-tuned model says: tags and sets of labels in one string."""
    return " ".join(map(str, answer)) if isinstance(answer, tuple | list) else str(answer) or "(no answer)"


def in_lines(facts: Mapping[str, Any]) -> str:
    """Named values, each on a line of its own."""
    return "\n".join(f"{name.replace('_', ' '):24} {shown(value) or 'none'}" for name, value in facts.items())


def is_follower() -> bool:
    """Whether a launcher (torchrun) gave this process another number than 0: it prints nothing."""
    return os.environ.get("RANK", "0") != "0"


def print_json(value: Any) -> None:
    from bertcore.files import jsonable

    text = json.dumps(jsonable(value), ensure_ascii=False, allow_nan=False)
    say(_CONTROL_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def write_arrays(arrays: dict[str, np.ndarray], out: Path) -> Path:
    """Into a .npz file, as `write_bytes`; its name, which ends in .npz."""
    import numpy as np

    out = out if out.suffix == ".npz" else out.with_name(out.name + ".npz")
    packed = io.BytesIO()
    np.savez_compressed(packed, **arrays)  # type: ignore[arg-type]  # its stub wants a bool
    write_bytes(out, packed.getvalue())
    return out


def write_table(out: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Rows into a CSV file, as `write_bytes`; half a character becomes a question mark."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    write_bytes(out, text.getvalue().encode("utf-8", "replace"), makes_folder=True)


def write_bytes(out: Path, content: bytes, makes_folder: bool = False) -> None:
    """As a whole or not at all, perhaps in a new folder. Raises BertcoreError where the file cannot be written."""
    from bertcore.files import reason_of, write_atomic

    try:
        if makes_folder:
            out.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(out, content, follow=True)
    except OSError as error:
        raise BertcoreError(f"The file {out} cannot be written: {reason_of(error)}; choose another place.") from None


def measured_on(examples: int, examples_cut: int) -> str:
    """How many held-out examples a figure is of, and whether the model read all of each."""
    cut = f"; {examples_cut:,} of them are longer than the model reads, and it did not see their ends"
    return f"Measured on {examples:,} held-out examples{cut if examples_cut else ''}."


def say_dropped(encoding: Encoding) -> None:
    if encoding.dropped:
        say(f"{encoding.dropped:,} tokens were cut off to make the text fit.", error_stream=True)


@contextmanager
def watching(quiet: bool) -> Iterator[OnEvent | None]:
    """What to call with each event of a run: it draws a bar in a terminal, and plain lines for held-out results
    anywhere; None where nothing is to be shown."""
    if quiet or is_follower():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
    )
    task = bar.add_task("starting", total=1.0)

    def show(event: dict[str, Any]) -> None:
        line = ""
        if event["kind"] == "status":
            words = event["message"] or f"{event['state']}, step {event['step']:,}"
            bar.update(task, description=cell(words), completed=event["fraction"])
        elif event["kind"] == "sweep":
            line = f"run {event['number']} of {event['of']}: {event['name']}"
        elif event["kind"] == "phase":
            line = f"step {event['step']:>7,}  {event['message']}"
        elif event["kind"] in (HELD_OUT, EVALUATION):
            line = f"step {event['step']:>7,}  {held_out_in_words(event)}"
        if line:
            console.print(printable(line), markup=False)

    def show_if_open(event: dict[str, Any]) -> None:
        with suppress(OSError):  # the terminal was closed; the run goes on, or comes to its end, without it
            show(event)

    with bar:
        yield show_if_open
