"""compare, patch, score, embed: two models or texts side by side, where their difference is, and many texts at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from bertcore.cli import arguments as args
from bertcore.cli.output import Listing, answer_in_words, print_answer, say, write_arrays, write_table
from bertcore.errors import BertcoreError

if TYPE_CHECKING:
    from bertcore.comparing import Comparison, TextComparison
    from bertcore.results import PatchedText

_SHOWN = 8  # rows of a list for people; --json has all
OtherA = Annotated[str, typer.Option(metavar="TEXT", help="The other text, of the same number of tokens.")]
OtherB = Annotated[
    str | None,
    typer.Option("--other-b", metavar="TEXT", help="Its sentence B; if not given, that of --b. Empty for none."),
]


def compare(
    model: args.Model = None,
    a: args.TextA = "",
    b: args.TextB = None,
    other_a: Annotated[str | None, typer.Option(metavar="TEXT", help="Another text, to compare with --a.")] = None,
    other_b: OtherB = None,
    other_model: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Another checkpoint, run or hub id, to compare this model with.")
    ] = None,
    other_step: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="A training step of this model's run, to compare it with.")
    ] = None,
    out: args.JsonFile = None,
    as_json: args.AsJson = False,
) -> None:
    """Compare a model with another one, with a step of its training, or one text with another.

    With --a: heads, hidden states, words and answers. Of two models of one shape also what training changed.
    """
    text_a, text_b = args.texts(a, b) if a or b is not None or other_a is not None else (None, None)
    found = args.opened(model).compare(
        text_a,
        text_b,
        other_a=args.checked_text("other-a", other_a, required=True),
        other_b=args.checked_text("other-b", other_b),
        other_model=other_model,
        other_step=other_step,
    )
    step = None if other_step is None else f"step {other_step}"
    other = ", ".join(each for each in (other_model, step, other_a) if each is not None)
    text = [] if found.text is None else [f"Other: {other}", *_texts_for_people(found.text)]
    values = _comparison(found)
    moved = ", ".join(word.token for word in found.moved_words or ())
    most = sorted(values.get("parameters", ()), key=lambda each: -each["relative"])[:_SHOWN]
    title = "Parameters that changed most (norm of the change, and its share of the other's norm):"
    print_answer(
        values,
        *text,
        Listing(most, "layer:+1 part change:.3f relative:.2%", title),
        f"Words whose embedding moved most: {moved}" if moved else None,
        *values["notes"],
        as_json=as_json,
        out=out,
    )


def _comparison(found: Comparison) -> dict[str, Any]:
    """As JSON."""
    text = found.text
    answer: dict[str, Any] = {}
    if text is not None:
        names = ("tokens", "other_tokens", "states", "cka", "next_sentence", "other_next_sentence")
        more = ("heads", "words", "answer", "other_answer")
        # of each of our tokens the position of the one aligned with it
        aligned = {"other_positions": text.alignment.other_positions}
        answer = {name: getattr(text, name) for name in names} | aligned | {name: getattr(text, name) for name in more}
    if found.parameters is not None:
        answer["parameters"] = [{**asdict(part), "relative": part.relative} for part in found.parameters]
    if found.moved_words is not None:
        answer["moved_words"] = found.moved_words
    return {**answer, "notes": [*(text.notes if text is not None else ()), *found.notes]}


def _texts_for_people(text: TextComparison) -> Iterator[str | Listing]:
    yield Listing(text.words.rows(), "position token probability:.1% other_probability:.1% rank other_rank")
    if text.next_sentence is not None and text.other_next_sentence is not None:
        yield f"B follows A: {text.next_sentence:.1%}, in the other {text.other_next_sentence:.1%}"
    for name, answer in (("Answer", text.answer), ("Answer of the other", text.other_answer)):
        if answer is not None:
            yield f"{name}: {answer_in_words(answer.answer)}"
    heads = sorted(text.heads.rows(), key=lambda head: -head["divergence_bits"])[:_SHOWN]
    is_same = all((head.layer, head.head) == (head.other_layer, head.other_head) for head in text.heads)
    columns = f"layer:+1 head:+1 divergence_bits:.3f{'' if is_same else ' other_layer:+1 other_head:+1'}"
    yield Listing(heads, columns, "Heads that differ most (Jensen-Shannon divergence); layers and heads count from 1:")
    if text.states is not None:
        rows = [
            {"layer": layer, "mean": float(row.mean()), "least": float(row.min()), "token": text.tokens[least]}
            for layer, row in enumerate(text.states)
            for least in (text.alignment.pairs[int(row.argmin())][0],)
        ]
        title = "Cosine of each token's hidden states, here and in the other: mean, and the least similar token"
        yield Listing(rows, "layer mean:.3f least:.3f token", f"{title} (0: embeddings):")
    elif text.cka is not None:
        rows = [
            {"layer": layer, "most_similar": int(row.argmax()), "cka": float(row.max())}
            for layer, row in enumerate(text.cka)
        ]
        title = "Similarity of layers (CKA), 0 the embeddings; for each layer the most similar one of the other:"
        yield Listing(rows, "layer most_similar cka:.3f", title)


def patch(
    model: args.Model = None,
    a: args.TextA = "",
    b: args.TextB = None,
    other_a: OtherA = "",
    other_b: OtherB = None,
    wanted: args.Wanted = None,
    against: args.Against = None,
    position: args.Position = None,
    part: Annotated[str, typer.Option(help="What is patched: state, attention, feed-forward or head.")] = "state",
    out: args.JsonFile = None,
    as_json: args.AsJson = False,
) -> None:
    """Show where the difference between two texts is: patch one text's pass with the other's, place by place.

    Each number is a share of the difference in the prediction: 0 as in --a, 1 as in --other-a. Activation patching as
    in Meng et al. 2022.
    """
    text_a, text_b = args.texts(a, b)
    found = args.opened(model).patch(
        text_a,
        text_b,
        other_a=args.checked_text("other-a", other_a, required=True) or "",
        other_b=args.checked_text("other-b", other_b),
        wanted=wanted,
        against=against,
        position=position,
        part=cast(Any, part),
    )
    names = ("tokens", "other_tokens", "target", "score", "other_score", "part", "map")
    print_answer(
        {name: getattr(found, name) for name in names},
        _map(found),
        f"{found.target}: {found.score:.3f} in the text, {found.other_score:.3f} in the other.",
        "0: as in the text; 1: as in the other. Shares need not add up to 1.",
        as_json=as_json,
        out=out,
    )


def circuit(
    model: args.Model = None,
    a: args.TextA = "",
    b: args.TextB = None,
    other_a: OtherA = "",
    other_b: OtherB = None,
    wanted: args.Wanted = None,
    against: args.Against = None,
    position: args.Position = None,
    parts: Annotated[int, typer.Option(min=1, help="How many parts are chosen, the embeddings among them.")] = 10,
    links: Annotated[int, typer.Option(min=0, help="How many links between parts are measured.")] = 200,
    seed: Annotated[int, typer.Option(help="For the sets that are drawn at random.")] = 0,
    out: args.JsonFile = None,
    as_json: args.AsJson = False,
) -> None:
    """Show which parts make the difference between two texts in a prediction, and what tells what.

    Each number is a share of the difference: what is lost where a part gives what it gives in --other-a, and what a set
    of parts keeps.
    """
    text_a, text_b = args.texts(a, b)
    found = args.opened(model).circuit(
        text_a,
        text_b,
        other_a=args.checked_text("other-a", other_a, required=True) or "",
        other_b=args.checked_text("other-b", other_b),
        wanted=wanted,
        against=against,
        position=position,
        parts=parts,
        links=links,
        seed=seed,
    )
    chosen = [{"part": str(part), "lost": found.lost[found.parts.index(part)]} for part in found.chosen]
    told = [{"from": str(each.sender), "to": str(each.receiver), "lost": each.lost} for each in found.links[:15]]
    outcomes = [
        {"passes": name, "value": each.value, "kept": each.kept, "p": " ".join(f"{p:.1%}" for p in each.probabilities)}
        for name, each in found.outcomes.items()
    ]
    kept, by_chance = found.outcomes["only"].kept, found.random.max()
    print_answer(
        found,
        f"{found.target}: {len(chosen)} of {len(found.parts)} parts keep {kept:.0%} of the difference; the best of "
        f"{len(found.random)} random sets as large keeps {by_chance:.0%}, the same parts the other way round "
        f"{found.reversed:.0%}. Layers and heads count from 0.",
        Listing(chosen, "part lost:.3f", "Lost without each part:"),
        Listing(told, "from to lost:.3f", "Lost without a link, the largest:"),
        Listing(
            outcomes, "passes value:.3f kept:.3f p", "What comes out, of the text, with only these parts, without them:"
        ),
        as_json=as_json,
        out=out,
    )


def _map(found: PatchedText) -> Listing:
    """Positions down, layers across: a terminal is narrower than a text is long."""
    layers = [str(layer + 1) for layer in range(len(found.map))]
    if found.part == "state":
        layers = ["emb.", *layers[:-1]]
    names: Sequence[str] = [f"head {head + 1}" for head in range(found.map.shape[1])]
    if found.part != "head":
        pairs = zip(found.tokens, found.other_tokens, strict=True)
        names = [ours if ours == theirs else f"{ours} / {theirs}" for ours, theirs in pairs]
    rows = [
        {"layer": name, **dict(zip(layers, shares, strict=True))}
        for name, shares in zip(names, found.map.T.tolist(), strict=True)
    ]
    return Listing(rows, " ".join(["layer", *(f"{layer}:z.2f" for layer in layers)]))


def score(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A text on each line, or a tab between A and B; [he|she] stands for either word."
        ),
    ],
    model: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Checkpoint, run or hub id; default: the built-in model.")
    ] = None,
    word: Annotated[
        str | None,
        typer.Option(metavar="WORD", help="A word whose probability at [MASK] is shown; default: the likeliest."),
    ] = None,
    out: Annotated[Path | None, args.written("FILE.csv", "Also write the table there.")] = None,
    as_json: args.AsJson = False,
) -> None:
    """Score many texts: how likely each is, a word at [MASK], next sentence, or a fine-tuned model's answer."""
    from bertcore.evaluation.score_texts import mean_by_choice
    from bertcore.loaded_model import cut_texts

    m = args.opened(model)
    scores = m.score_file(file, args.checked_text("word", word, required=True))
    means = mean_by_choice(scores)
    if cut := sum(each.dropped > 0 for each in scores):
        say(cut_texts(cut, len(scores), m.config.max_length), error_stream=True)
    rows = scores.rows()
    if out:
        write_table(out, [{**row, "choices": " | ".join(row["choices"])} for row in rows])
    shown = [{**row, "text": row["a"] if row["b"] is None else f"{row['a']} / {row['b']}"} for row in rows]
    of_places = [
        f"mean at place {place}: " + ", ".join(f"{name} {mean:.3f}" for name, mean in by_word.items())
        for place, by_word in enumerate(means, 1)
    ]
    print_answer({"texts": rows, "means": means}, Listing(shown, _COLUMNS), *of_places, as_json=as_json)


_COLUMNS = (  # of TextScore
    "text log_likelihood:.2f surprise_bits:.2f word word_probability:.1% next_sentence:.1% "
    "answer answer_probability:.1% similarity:.3f"
)


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
    out: Annotated[Path, args.written("FILE", "Where to write: .npz (vectors, texts) or .csv.")] = Path("vectors.npz"),
    as_json: args.AsJson = False,
) -> None:
    """Save a vector for each line of a file, for whatever is built on them."""
    import numpy as np

    from bertcore.data.text import open_text

    if file is None:
        raise BertcoreError("Name a file with a text on each line: --file TEXTS.")
    with open_text(file) as (lines, _):
        texts = [text for line in lines if (text := line.strip())]
    if not texts:
        raise BertcoreError(f"The file {file} has no text; give one with a text on each line.")
    m = args.opened(model)
    vectors = m.embed(texts, pooling=pooling)  # (B,H)
    if out.suffix == ".csv":
        rows = zip(texts, vectors.tolist(), strict=True)
        write_table(out, [{"text": text, **{str(i): x for i, x in enumerate(vector)}} for text, vector in rows])
    else:
        out = write_arrays({"vectors": vectors, "texts": np.array(texts)}, out)
    values = {"file": str(out), "model": m.name, "texts": len(texts), "dimensions": vectors.shape[1]}
    print_answer(values, f"{len(texts):,} texts x {vectors.shape[1]:,} numbers, written to {out}", as_json=as_json)
