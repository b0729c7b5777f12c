"""trace, attribute, lens, heads: what passes inside a model while it reads a text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from bertcore.cli import arguments as args
from bertcore.cli.output import Listing, print_answer, refuse_folder, say_dropped, write_arrays


def trace(
    model: args.Model = None,
    a: args.TextA = "",
    b: args.TextB = None,
    out: Annotated[Path, typer.Option("--out", metavar="FILE.npz", help="Where to write the arrays.")] = Path(
        "trace.npz"
    ),
    ablate: Annotated[
        str | None,
        typer.Option(
            metavar="3.5,4.1", help="Heads to switch off, as layer.head, counted from 1; 3 means all of layer 3."
        ),
    ] = None,
    set_segment: Annotated[
        str | None, typer.Option(metavar="5=1,6=1", help="Segments of single tokens; positions as shown by `tokenize`.")
    ] = None,
    set_position: Annotated[
        str | None, typer.Option(metavar="5=9,9=5", help="Position numbers of single tokens, counted from 0.")
    ] = None,
    as_json: args.AsJson = False,
) -> None:
    """Save everything that the model computes for one text, as NumPy arrays in one file."""
    from bertcore.analysis.interventions import parse_heads, parse_positions
    from bertcore.loaded_model import load

    refuse_folder(out)
    text_a, text_b = args.texts(a, b)
    m = load(model)
    traced = m.trace(
        text_a,
        text_b,
        heads_off=parse_heads(ablate, m.config) if ablate else (),
        segments=parse_positions(set_segment) if set_segment else None,
        positions=parse_positions(set_position) if set_position else None,
    )
    arrays = traced.arrays()
    del arrays["mlm_positions"]  # all of them
    out = write_arrays(arrays, out)
    shapes = {name: list(array.shape) for name, array in arrays.items()}
    rows = [{"array": name, "shape": " x ".join(map(str, shape))} for name, shape in shapes.items()]
    values = {"file": str(out), "tokens": traced.tokens, "arrays": shapes, "missing": m.missing}
    if print_answer(values, Listing(rows, "array shape"), *m.missing.values(), f"written to {out}", as_json=as_json):
        say_dropped(traced.encoding)


def attribute(
    model: args.Model = None,
    a: args.TextA = "",
    b: args.TextB = None,
    wanted: args.Wanted = None,
    against: args.Against = None,
    position: args.Position = None,
    method: Annotated[
        str, typer.Option(help="integrated_gradients, or leave_one_out: each token masked in turn.")
    ] = "integrated_gradients",
    out: args.JsonFile = None,
    as_json: args.AsJson = False,
) -> None:
    """Show how much each token supports a prediction, in nats of its ln p."""
    from bertcore.loaded_model import load

    refuse_folder(out)
    text_a, text_b = args.texts(a, b)
    found = load(model).attribute(
        text_a, text_b, wanted=wanted, against=against, position=position, method=cast(Any, method)
    )
    names = ("prediction", "value", "baseline", "completeness_error")
    start = "" if found.baseline is None else f", {found.baseline:.3f} with every word masked"
    print_answer(
        {**{name: getattr(found, name) for name in names}, "tokens": found.rows()},
        Listing(found.rows(), "token score:+.3f"),
        f"{found.prediction}: {found.value:.3f}{start}.",
        as_json=as_json,
        out=out,
    )


def lens(
    model: args.Model = None,
    a: args.TextA = "",
    b: args.TextB = None,
    top: Annotated[int, typer.Option("--top", min=1, help="Number of words for each mask and layer.")] = 1,
    out: args.JsonFile = None,
    as_json: args.AsJson = False,
) -> None:
    """Show what each layer would put for every [MASK] (the logit lens); layer 0 is the embeddings."""
    from bertcore.loaded_model import load

    refuse_folder(out)
    rows = load(model).lens(*args.texts(a, b), top=top).rows()
    print_answer({"words": rows}, Listing(rows, "layer position token probability:.1%"), as_json=as_json, out=out)


def heads(
    model: args.Model = None,
    a: args.TextA = "",
    b: args.TextB = None,
    where: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT", help='Only heads of a kind, or by conditions: "attn(it -> cat) > 0.3"; the best first.'
        ),
    ] = None,
    out: args.JsonFile = None,
    as_json: args.AsJson = False,
) -> None:
    """Show what each attention head does in a text: its kind, entropy, distance; layers and heads count from 1."""
    from bertcore.loaded_model import load

    refuse_folder(out)
    rows = load(model).heads(*args.texts(a, b), where=where).rows()
    columns = "layer:+1 head:+1 kind kind_score:.2f entropy_nats:.2f mean_distance_tokens:.1f a_to_b:.2f on_special:.2f"
    none = None if rows else "No head does that in this text."
    print_answer({"heads": rows}, Listing(rows, columns), none, as_json=as_json, out=out)
