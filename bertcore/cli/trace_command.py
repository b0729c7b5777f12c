"""trace: everything that passes through a model for one text, as it is or with something changed on the way."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from bertcore.cli.output import (
    AsJson,
    ModelArgument,
    TextA,
    TextB,
    open_and_encode,
    print_json,
    refuse_folder,
    say_dropped,
    texts,
)
from bertcore.errors import BertcoreError

if TYPE_CHECKING:
    import numpy as np

    from bertcore.analysis.trace import Trace
    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.tokenizer.tokenizer import Encoding


def trace(
    model: ModelArgument = None,
    a: TextA = "",
    b: TextB = None,
    out: Annotated[Path, typer.Option("--out", metavar="FILE.npz", help="Where to write the arrays.")] = Path(
        "trace.npz"
    ),
    ablate: Annotated[
        str | None,
        typer.Option(
            metavar="3.5,4.1", help="Heads to switch off, as layer.head, counted from 1; 3 is all of layer 3."
        ),
    ] = None,
    set_segment: Annotated[
        str | None, typer.Option(metavar="5=1,6=1", help="Segments of single tokens; positions as `tokenize` shows.")
    ] = None,
    set_position: Annotated[
        str | None, typer.Option(metavar="5=9,9=5", help="Position numbers of single tokens, counted from 0.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Everything that passes through the model for one text, as NumPy arrays in one file."""
    refuse_folder(out)
    text_a, text_b = texts(a, b)
    checkpoint, encoding = open_and_encode(model, text_a, text_b)
    result = _run(checkpoint, encoding, ablate, set_segment, set_position)
    arrays = result.arrays()
    del arrays["mlm_positions"]  # all of them
    out = _write(arrays, out)
    shapes = {name: list(array.shape) for name, array in arrays.items()}
    if as_json:
        print_json({"file": str(out), "tokens": encoding.tokens, "arrays": shapes, "missing": checkpoint.missing})
        return
    table = Table("array", "shape")
    for name, shape in shapes.items():
        table.add_row(name, " x ".join(map(str, shape)))
    Console().print(table)
    for sentence in checkpoint.missing.values():
        typer.echo(sentence)
    typer.echo(f"written to {out}")
    say_dropped(encoding)


def _run(
    checkpoint: Checkpoint, encoding: Encoding, ablate: str | None, segments: str | None, positions: str | None
) -> Trace:
    from bertcore.analysis.interventions import parse_heads, switch_off_heads
    from bertcore.analysis.trace import trace as run_trace

    config = checkpoint.config
    if segments and config.type_vocab_size < 2:
        raise BertcoreError(f"Segments cannot be set: {checkpoint.missing['segments']}")
    changes = switch_off_heads(parse_heads(ablate, config), config) if ablate else None
    return run_trace(
        checkpoint.model,
        encoding.ids,
        _with_places(encoding.segments, segments),
        _with_places(encoding.positions, positions),
        changes=changes,
    )


def _with_places(values: list[int], written: str | None) -> list[int]:
    """The values, with some set as in "5=1,6=1"."""
    from bertcore.analysis.interventions import check_rows, parse_places

    if not written:
        return values
    places = parse_places(written)
    check_rows(places, len(values))
    return [places.get(at, value) for at, value in enumerate(values)]


def _write(arrays: dict[str, np.ndarray], out: Path) -> Path:
    import numpy as np

    from bertcore.files import write_aside

    out = out if out.suffix == ".npz" else out.with_name(out.name + ".npz")
    packed = io.BytesIO()
    np.savez_compressed(packed, **arrays)  # type: ignore[arg-type]  # its stub wants a bool
    try:
        write_aside(out, packed.getvalue())
    except OSError as error:
        raise BertcoreError(f"The file {out} cannot be written: {error.strerror}; choose another place.") from None
    return out
