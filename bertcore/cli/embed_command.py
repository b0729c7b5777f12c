"""embed: a vector for each of many texts, in a file."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from bertcore.cli import arguments as args
from bertcore.cli.output import print_answer, refuse_folder, write_arrays, write_table
from bertcore.errors import BertcoreError


def embed(
    model: args.Model = None,
    file: Annotated[
        Path | None, typer.Option("--file", metavar="TEXTS", help="Text file with one text on each line (also packed).")
    ] = None,
    pooling: Annotated[
        Literal["cls", "mean"] | None,
        typer.Option(
            help="The last hidden state of [CLS], or the mean of all tokens'; default: the model's own, else mean."
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="Where to write: .npz (vectors, texts) or .csv.")
    ] = Path("vectors.npz"),
    as_json: args.AsJson = False,
) -> None:
    """Save a vector for each line of a file, for whatever is built on them."""
    import numpy as np

    from bertcore.data.text import open_text
    from bertcore.loaded_model import load

    refuse_folder(out)
    if file is None:
        raise BertcoreError("Name a file with a text on each line: --file TEXTS.")
    with open_text(file) as (lines, _):
        texts = [text for line in lines if (text := line.strip())]
    if not texts:
        raise BertcoreError(f"The file {file} has no text; give one with a text on each line.")
    m = load(model)
    vectors = m.embed(texts, pooling=pooling)  # (B,H)
    if out.suffix == ".csv":
        rows = zip(texts, vectors.tolist(), strict=True)
        write_table(out, [{"text": text, **{str(i): x for i, x in enumerate(vector)}} for text, vector in rows])
    else:
        out = write_arrays({"vectors": vectors, "texts": np.array(texts)}, out)
    values = {"file": str(out), "model": m.name, "texts": len(texts), "dimensions": vectors.shape[1]}
    print_answer(values, f"{len(texts):,} texts x {vectors.shape[1]:,} numbers, written to {out}", as_json=as_json)
