"""compare, patch, score: two models or texts side by side, where their difference is, and many texts at once."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.console import Console
from rich.table import Table

from bertcore.cli.output import (
    AsJson,
    ModelArgument,
    TextA,
    TextB,
    cell,
    checked_text,
    print_json,
    refuse_folder,
    say,
    texts,
    write_answer,
    write_bytes,
)

if TYPE_CHECKING:
    from bertcore.comparing import Comparison, TextComparison
    from bertcore.evaluation.score_texts import TextScore
    from bertcore.results import PatchedText

_SHOWN = 8  # rows of a list for people; --json has all
OtherB = Annotated[
    str | None,
    typer.Option("--other-b", metavar="TEXT", help="Its sentence B; if not given, that of --b. Empty for none."),
]
JsonFile = Annotated[Path | None, typer.Option("--out", metavar="FILE.json", help="Also write the JSON there.")]


def compare(
    model: ModelArgument = None,
    a: TextA = "",
    b: TextB = None,
    other_a: Annotated[str | None, typer.Option(metavar="TEXT", help="Another text, to compare with --a.")] = None,
    other_b: OtherB = None,
    other_model: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Another checkpoint, run or hub id, to compare this model with.")
    ] = None,
    other_step: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="A training step of this model's run, to compare it with.")
    ] = None,
    out: JsonFile = None,
    as_json: AsJson = False,
) -> None:
    """Compare a model with another one, with a step of its training, or one text with another.

    With --a: heads, hidden states, words and answers. Of two models of one shape also what training changed.
    """
    from bertcore.loaded_model import load

    refuse_folder(out)
    text_a, text_b = texts(a, b) if a or b is not None or other_a is not None else (None, None)
    found = load(model).compare(
        text_a,
        text_b,
        other_a=checked_text("other-a", other_a, required=True),
        other_b=checked_text("other-b", other_b),
        other_model=other_model,
        other_step=other_step,
    )
    answer = _comparison(found)
    if out:
        write_answer(out, answer)
    if as_json:
        print_json(answer)
        return
    if found.text is not None:
        step = None if other_step is None else f"step {other_step}"
        say("Other: " + ", ".join(each for each in (other_model, step, other_a) if each is not None))
        _say_texts(found.text)
    _say_parameters(found)
    for note in (*(found.text.notes if found.text else ()), *found.notes):
        say(note)


def _comparison(found: Comparison) -> dict[str, Any]:
    """As JSON."""
    text, parts, words = found.text, found.parameters, found.moved_words
    answer: dict[str, Any] = {}
    if text is not None:
        answer = {
            "tokens": text.tokens,
            "other_tokens": text.other_tokens,
            "other_positions": text.alignment.other_positions,  # of each of ours the one aligned with it
            "heads": text.heads.rows(),
            "states": None if text.states is None else text.states.tolist(),
            "cka": None if text.cka is None else text.cka.tolist(),
            "words": text.words.rows(),
            "next_sentence": text.next_sentence,
            "other_next_sentence": text.other_next_sentence,
            "answer": None if text.answer is None else asdict(text.answer),
            "other_answer": None if text.other_answer is None else asdict(text.other_answer),
        }
    if parts is not None:
        answer["parameters"] = [{**asdict(part), "relative": part.relative} for part in parts]
    if words is not None:
        answer["moved_words"] = words.rows()
    return {**answer, "notes": [*(text.notes if text is not None else ()), *found.notes]}


def _say_texts(text: TextComparison) -> None:
    if text.words:
        table = Table("position", "word", "probability", "other probability", "rank", "other rank")
        for word in text.words:
            other = ("", "") if word.other_probability is None else (f"{word.other_probability:.1%}", word.other_rank)
            values = (word.position, word.token, f"{word.probability:.1%}", other[0], word.rank, other[1])
            table.add_row(*map(cell, values))
        Console().print(table)
    if text.next_sentence is not None and text.other_next_sentence is not None:
        say(f"B follows A: {text.next_sentence:.1%}, in the other {text.other_next_sentence:.1%}")
    for name, answer in (("Answer", text.answer), ("Answer of the other", text.other_answer)):
        if answer is not None:
            say(f"{name}: {_answer(answer.answer)}")
    if text.heads:
        say("Heads that differ most (Jensen-Shannon divergence in bits; layers and heads count from 1):")
        is_same = all((head.layer, head.head) == (head.other_layer, head.other_head) for head in text.heads)
        for head in sorted(text.heads, key=lambda each: -each.divergence_bits)[:_SHOWN]:
            match = "" if is_same else f"  most similar to {head.other_layer + 1}.{head.other_head + 1}"
            say(f"  {head.layer + 1}.{head.head + 1:<3} {head.divergence_bits:.3f}{match}")
    if text.states is not None:
        say("Cosine of each token's hidden states, here and in the other: mean, and the least similar token:")
        for layer, row in enumerate(text.states):
            least = int(row.argmin())
            token = text.tokens[text.alignment.pairs[least][0]]
            name = f"layer {layer}" if layer else "embeddings"
            say(f"  {name:10} {row.mean():6.3f}  {row[least]:6.3f}  {token}")
    elif text.cka is not None:
        say("Similarity of layers (CKA), 0 the embeddings; for each layer the most similar one of the other:")
        for layer, row in enumerate(text.cka):
            say(f"  layer {layer:<2}  layer {int(row.argmax()):<2}  {row.max():6.3f}")


def _say_parameters(found: Comparison) -> None:
    if found.parameters is not None:
        say("Parameters that changed most (norm of the change, and its share of the other's norm):")
        for part in sorted(found.parameters, key=lambda each: -each.relative)[:_SHOWN]:
            place = "" if part.layer is None else f"layer {part.layer + 1} "
            say(f"  {place + part.part:28} {part.change:8.3f}  {part.relative:7.2%}")
    if found.moved_words:
        words = ", ".join(word.token for word in found.moved_words)
        say(f"Words whose embedding moved most: {words}")


def patch(
    model: ModelArgument = None,
    a: TextA = "",
    b: TextB = None,
    other_a: Annotated[str, typer.Option(metavar="TEXT", help="The other text, of the same number of tokens.")] = "",
    other_b: OtherB = None,
    wanted: Annotated[
        str | None,
        typer.Option(
            metavar="WORD",
            help="A word at [MASK], a label, a tag, start or end; default: the two texts' likeliest answers.",
        ),
    ] = None,
    against: Annotated[
        str | None, typer.Option(metavar="WORD", help="Another word or label, whose score is subtracted.")
    ] = None,
    position: Annotated[
        int | None, typer.Option(help="Token of the word, tag or answer; positions as shown by `tokenize`.")
    ] = None,
    part: Annotated[str, typer.Option(help="What is patched: state, attention, feed-forward or head.")] = "state",
    out: JsonFile = None,
    as_json: AsJson = False,
) -> None:
    """Show where the difference between two texts is: patch one text's pass with the other's, place by place.

    Each number is a share of the difference in the prediction: 0 as in --a, 1 as in --other-a. Activation patching as
    in Meng et al. 2022.
    """
    from bertcore.loaded_model import load

    refuse_folder(out)
    text_a, text_b = texts(a, b)
    found = load(model).patch(
        text_a,
        text_b,
        other_a=checked_text("other-a", other_a, required=True) or "",
        other_b=checked_text("other-b", other_b),
        wanted=wanted,
        against=against,
        position=position,
        part=cast(Any, part),
    )
    answer = {
        "tokens": found.tokens,
        "other_tokens": found.other_tokens,
        "target": found.target,
        "score": found.score,
        "other_score": found.other_score,
        "part": found.part,
        "map": found.map.tolist(),
    }
    if out:
        write_answer(out, answer)
    if as_json:
        print_json(answer)
        return
    _say_map(found)


def _say_map(found: PatchedText) -> None:
    """Positions down, layers across: a terminal is narrower than a text is long."""
    layers = [str(layer + 1) for layer in range(len(found.map))]
    if found.part == "state":
        layers = ["emb.", *layers[:-1]]
    names: Sequence[str] = [f"head {head + 1}" for head in range(found.map.shape[1])]
    if found.part != "head":
        pairs = zip(found.tokens, found.other_tokens, strict=True)
        names = [ours if ours == theirs else f"{ours} / {theirs}" for ours, theirs in pairs]
    table = Table("layer", *layers)
    for name, shares in zip(names, found.map.T, strict=True):
        table.add_row(cell(name), *(f"{share:z.2f}" for share in shares))
    Console().print(table)
    say(f"{found.target}: {found.score:.3f} in the text, {found.other_score:.3f} in the other.")
    say("0: as in the text; 1: as in the other. Shares need not add up to 1.")


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
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE.csv", help="Also write the table there.")] = None,
    as_json: AsJson = False,
) -> None:
    """Score many texts: how likely each is, a word at [MASK], next sentence, or a fine-tuned model's answer."""
    from bertcore.evaluation.score_texts import mean_by_choice
    from bertcore.loaded_model import load
    from bertcore.texts import cut_texts

    refuse_folder(out)
    m = load(model)
    scores = m.score_file(file, checked_text("word", word, required=True))
    means = mean_by_choice(scores)
    if cut := sum(each.dropped > 0 for each in scores):
        say(cut_texts(cut, len(scores), m.config.max_length), error_stream=True)
    if out:
        write_bytes(out, _csv(scores).encode("utf-8"), makes_folder=True)
    if as_json:
        print_json({"texts": scores.rows(), "means": means})
        return
    _say_scores(scores)
    for place, by_word in enumerate(means, 1):
        say(f"mean at place {place}: " + ", ".join(f"{name} {mean:.3f}" for name, mean in by_word.items()))


def _csv(scores: Sequence[TextScore]) -> str:
    text = io.StringIO()
    rows = [{**asdict(each), "choices": " | ".join(each.choices)} for each in scores]
    writer = csv.DictWriter(text, fieldnames=list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


_COLUMNS = {  # of TextScore, with the format of its numbers
    "log_likelihood": ".2f",
    "surprise_bits": ".2f",
    "word": "",
    "word_probability": ".1%",
    "next_sentence": ".1%",
    "answer": "",
    "answer_probability": ".1%",
    "similarity": ".3f",
}


def _say_scores(scores: Sequence[TextScore]) -> None:
    """A table of what there is."""
    there = [name for name in _COLUMNS if any(getattr(each, name) is not None for each in scores)]
    table = Table("text", *(name.replace("_", " ") for name in there))
    for each in scores:
        values = (getattr(each, name) for name in there)
        shown = [
            "" if value is None else format(value, _COLUMNS[name]) if isinstance(value, float) else str(value)
            for name, value in zip(there, values, strict=True)
        ]
        table.add_row(cell(each.a if each.b is None else f"{each.a} / {each.b}"), *map(cell, shown))
    Console().print(table)


def _answer(answer: object) -> str:
    return " ".join(map(str, answer)) if isinstance(answer, tuple | list) else str(answer) or "(no answer)"
