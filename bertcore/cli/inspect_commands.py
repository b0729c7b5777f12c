"""info, tokenize, fill: what a model is, and what it says of a text; trace, attribute, lens, heads: what passes inside
it."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from bertcore.checkpoint.config_file import absent_points, read_config, what_is_missing
from bertcore.cli import arguments as args
from bertcore.cli.output import Listing, in_lines, print_answer, say, say_dropped, write_arrays
from bertcore.config import PRESETS, PUBLISHED, BertConfig, count_parameters
from bertcore.errors import BertcoreError
from bertcore.resolve_model import resolve_model, snapshot_errors
from bertcore.runs.diagnosis import diagnose, normal
from bertcore.runs.diagnosis_words import in_words
from bertcore.runs.known_runs import run_behind
from bertcore.runs.run_record import read_record
from bertcore.tokenizer.tokenizer import Tokenizer


def info(
    model: args.Model = None,
    preset: Annotated[
        str | None,
        typer.Option(help=f"A preset or published size, without weights: {', '.join([*PRESETS, *PUBLISHED])}."),
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Compare the published models, measured on this machine (half a minute).")
    ] = False,
    as_json: args.AsJson = False,
) -> None:
    """Show what a model consists of, and what it can do."""
    if preset is not None and model is not None:
        raise BertcoreError("Give a model or --preset, not both.")
    if compare:
        _compare(model, preset, as_json)
        return
    if preset is not None:
        config = BertConfig.preset(preset)
        facts = _facts(config, count_parameters(config), [])
    else:
        m = args.opened(model)
        facts = _facts(m.config, m.checkpoint.parameters, list(m.output_heads))
        facts["missing"] = what_is_missing(m.config, m.output_heads, m.bert.pooler is not None)
        if facts["classifier"]:
            facts["absent"]["transformers"] = "`transformers` has no such classifier: it opens the encoder alone."
        facts["unused_tensors"] = list(m.checkpoint.unused)
        facts["pooling"] = m.checkpoint.pooling.kind if m.checkpoint.pooling else None
        run = run_behind(m.checkpoint.folder)
        facts |= _training(run) if run is not None else {}
    named = {name: value for name, value in facts.items() if name not in ("missing", "absent", "diagnosis")}
    known = {name: value for name, value in named.items() if value not in (None, "", []) or name == "output_heads"}
    sentences = (*facts.get("missing", {}).values(), *facts["absent"].values(), *facts.get("diagnosis", ()))
    print_answer(facts, in_lines(known), *sentences, as_json=as_json)


def _training(run: Path) -> dict[str, Any]:
    """Of the run that a model comes from: how it ended, and whether that is normal, in sentences."""
    try:
        record = read_record(run)
    except BertcoreError:  # a damaged run folder around a model that is whole
        return {}
    found = diagnose(record) or [each for each in [normal(record)] if each is not None]
    words = [in_words(each) for each in found]
    sentences = [" ".join(filter(None, (each.seen, each.why, each.suggestion))) for each in words]
    return {"run": f"{record.state} at step {record.step:,}", "diagnosis": sentences}


def _facts(config: BertConfig, parameters: int, output_heads: list[str]) -> dict[str, Any]:
    segment = absent_points(config).get("embeddings.segment")
    return {
        "family": config.model_type,
        "parameters": parameters,
        "layers": config.num_hidden_layers,
        "layer_groups": config.num_hidden_groups,
        "heads": config.num_attention_heads,
        "hidden_size": config.hidden_size,
        "embedding_size": config.embedding_size,
        "intermediate_size": config.intermediate_size,
        "vocab_size": config.vocab_size,
        "max_positions": config.max_length,
        "segments": config.type_vocab_size,
        "norm": config.norm if config.norm != "post" else None,
        "output_heads": output_heads,
        "labels": list(config.labels) if {"classify", "tag"} & set(output_heads) else [],
        "classifier": config.classifier_in_words,
        "absent": {"segments": segment} if segment else {},
    }


def _compare(model: str | None, preset: str | None, as_json: bool) -> None:
    from bertcore.analysis.family_table import REFERENCE, TOKENS, family_table

    extra = {preset: BertConfig.preset(preset)} if preset and preset not in PUBLISHED else {}
    if model is not None:
        extra[model] = read_config(resolve_model(model))
    rows = [asdict(row) for row in family_table(extra)]
    print_answer(
        rows,
        Listing(rows, "name family layers hidden_size parameters speed:.2f"),
        "Parameters: encoder with its pooler, shared ones counted once.",
        f"Speed: a forward pass of {TOKENS} tokens on one thread of this machine, as a multiple of {REFERENCE}'s.",
        as_json=as_json,
    )


def tokenize(
    model: args.Model = None,
    a: args.TextA = "",
    b: args.TextB = None,
    length: Annotated[int | None, typer.Option(min=1, help="Tokens at most; a longer text is an error.")] = None,
    pad: Annotated[bool, typer.Option("--pad", help="Fill a shorter text up with [PAD].")] = False,
    truncate: Annotated[bool, typer.Option("--truncate", help="Cut a longer text.")] = False,
    as_json: args.AsJson = False,
) -> None:
    """Show the tokens of a sentence or pair, with ids, segments, positions, offsets and attention mask."""
    folder = resolve_model(model)  # needs no weights, so `load` would be a waste
    text_a, text_b = args.texts(a, b)
    with snapshot_errors(folder):
        tokenizer, most = Tokenizer.from_folder(folder), read_config(folder).max_length
    encoding = tokenizer.encode_to(text_a, text_b, most, length, pad, truncate)
    names = ("tokens", "ids", "segments", "positions", "offsets", "parts", "attention_mask", "dropped")
    offsets = zip(encoding.parts, encoding.offsets, strict=True)
    characters = [None if part == "special" else f"{start}-{end}" for part, (start, end) in offsets]
    columns = (encoding.positions, encoding.tokens, map(str, encoding.ids), encoding.segments, encoding.parts)
    shown = ("position", "token", "id", "segment", "part", "characters", "mask")
    each = zip(*columns, characters, encoding.attention_mask, strict=True)
    rows = [dict(zip(shown, row, strict=True)) for row in each]
    table = Listing(rows, " ".join(shown))
    if print_answer({name: getattr(encoding, name) for name in names}, table, as_json=as_json):
        say_dropped(encoding)


def fill(
    model: args.Model = None,
    a: args.TextA = "",
    b: args.TextB = None,
    top: Annotated[int, typer.Option("--top", min=1, help="Number of words for each mask.")] = 5,
    allow_random: Annotated[
        bool, typer.Option("--allow-random", help="Use a random head if the model has none.")
    ] = False,
    direction: args.OneDirection = None,
    as_json: args.AsJson = False,
) -> None:
    """Show the most likely words for every [MASK], and what the model says about the pair."""
    text_a, text_b = args.texts(a, b)
    m = args.opened(model, random_output_heads=["mlm"] if allow_random else [])
    filled = m.fill(text_a, text_b, top=top, direction=cast(Any, direction))
    random_output_heads = list(m.checkpoint.random_output_heads)
    masks = [{"position": at, "predictions": words} for at, words in zip(filled.positions, filled, strict=True)]
    replaced = None
    if filled.replaced is not None:
        pairs = zip(filled.encoding.labels, filled.replaced.tolist(), strict=True)
        replaced = [{"token": token, "probability": probability} for token, probability in pairs]
    if random_output_heads and not as_json:
        say("The model has no MLM head: these words come from a random one and mean nothing.", error_stream=True)
    words = [{**row, "token": m.tokenizer.label(row["id"])} for row in filled.rows()]
    shown = "probability:.1% token"
    following, order, similarity = filled.next_sentence, filled.sentence_order, filled.similarity
    sentences = [
        None if following is None else f"B follows A: {following.is_next:.1%}",
        None if order is None else f"A comes before B: {order.in_order:.1%}",
        None if similarity is None else f"Similarity of A and B: cosine {similarity:.3f}",
    ]
    if text_b and not any(sentences):
        sentences = [m.missing["nsp"]]
    verdicts = {"next_sentence": following, "sentence_order": order, "similarity": similarity, "replaced": replaced}
    if print_answer(
        {"masks": masks, **verdicts, "random_output_heads": random_output_heads},
        Listing(words, f"position {shown}"),
        *sentences,
        Listing(replaced or (), shown, "Probability that a token was replaced:"),
        as_json=as_json,
    ):
        say_dropped(filled.encoding)


# --- what passes inside a model while it reads a text


def trace(
    model: args.Model = None,
    a: args.TextA = "",
    b: args.TextB = None,
    out: Annotated[Path, args.written("FILE.npz", "Where to write the arrays.")] = Path("trace.npz"),
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
    direction: args.OneDirection = None,
    as_json: args.AsJson = False,
) -> None:
    """Save everything that the model computes for one text, as NumPy arrays in one file."""
    from bertcore.analysis.interventions import parse_heads, parse_positions

    text_a, text_b = args.texts(a, b)
    m = args.opened(model)
    traced = m.trace(
        text_a,
        text_b,
        heads_off=parse_heads(ablate, m.config) if ablate else (),
        direction=cast(Any, direction),
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
    text_a, text_b = args.texts(a, b)
    found = args.opened(model).attribute(
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
    rows = args.opened(model).lens(*args.texts(a, b), top=top).rows()
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
    rows = args.opened(model).heads(*args.texts(a, b), where=where).rows()
    columns = "layer:+1 head:+1 kind kind_score:.2f entropy_nats:.2f mean_distance_tokens:.1f a_to_b:.2f on_special:.2f"
    none = None if rows else "No head does that in this text."
    print_answer({"heads": rows}, Listing(rows, columns), none, as_json=as_json, out=out)
