"""batch, of a fine-tuning run: its examples as the model read them, and a snapshot's answers beside the right ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertcore.cli.output import Listing, print_answer

if TYPE_CHECKING:
    from bertcore.tasks.kinds.base import TokenAnswer, UnitAnswer
    from bertcore.training.drawn_examples import BatchAnswers, DrawnExamples, ExampleBatches

_BEGINNING = 7  # tokens of a sequence that the list of them shows, [CLS] among them


def show_examples(
    batches: ExampleBatches, drawn: DrawnExamples, weights: tuple[int, Path] | None, sequence: int | None, as_json: bool
) -> None:
    """`weights`: the step and folder of the snapshot that answers; `sequence` from 1, None: all."""
    from bertcore.training.drawn_examples import example_answers

    label = batches.tokenizer.label
    answers = None if weights is None else example_answers(batches.model_at(weights), drawn, label)
    sequences, length = drawn.ids.shape
    examples = list(_examples(batches, drawn, answers, sequence))
    values = {
        "step": drawn.step,
        "epoch": drawn.epoch + 1,
        "task": drawn.features.kind.name,
        "shape": [sequences, length],
        "tokens": int((~drawn.is_padding).sum()),
        "padding": int(drawn.is_padding.sum()),
        "snapshot": weights and weights[0],
        "loss": answers and answers.loss,
        "right": answers and answers.right,
        "examples": examples,
    }
    snapshot = "The run has no snapshot from before this step, so there are no answers."
    if weights is not None and answers is not None:
        right = "" if answers.right is None else f", {answers.right} of {len(answers.units)} right"
        snapshot = f"by the snapshot of step {weights[0]:,}: loss {answers.loss:.3f}{right}"
    print_answer(
        values,
        f"step {drawn.step:,}, epoch {drawn.epoch + 1:,}: {sequences} sequences of up to {length} tokens",
        snapshot,
        _overview(examples) if sequence is None else _tokens(examples, sequence),
        as_json=as_json,
    )


def _examples(
    batches: ExampleBatches, drawn: DrawnExamples, answers: BatchAnswers | None, sequence: int | None
) -> Iterator[dict[str, Any]]:
    """With their sequences, or with the one that is asked for."""
    for number, rows in enumerate(drawn.rows):
        if sequence is None or sequence - 1 in rows:
            unit = None if answers is None else answers.units[number]
            answer = (
                {} if unit is None else {name: getattr(unit, name) for name in ("right", "given", "is_right", "loss")}
            )
            sequences = [_sequence(batches, drawn, unit, row) for row in rows]
            yield {"example": int(drawn.examples[rows[0]]) + 1, **answer, "sequences": sequences}


def _sequence(batches: ExampleBatches, drawn: DrawnExamples, unit: UnitAnswer | None, row: int) -> dict[str, Any]:
    length = int((~drawn.is_padding[row]).sum())
    tokens: list[dict[str, Any]] = [
        {"position": position, "read": batches.tokenizer.label(number), "segment": int(drawn.segments[row, position])}
        for position, number in enumerate(drawn.ids[row, :length].tolist())
    ]
    for place in () if unit is None else unit.places:
        if place.row == row:
            tokens[place.position].setdefault("answers", []).append(_place(place))
    padding = int(drawn.is_padding[row].sum())
    return {"sequence": row + 1, "cut": int(drawn.cut[row]), "padding": padding, "tokens": tokens}


def _place(place: TokenAnswer) -> dict[str, Any]:
    options = [[option.name, option.probability] for option in place.options]
    answer = {"right": place.right, "given": place.given, "loss": place.loss, "options": options}
    return {"what": place.what, **answer} if place.what else answer


def _overview(examples: list[dict[str, Any]]) -> Listing:
    rows = []
    for example in examples:
        tokens = [token for sequence in example["sequences"] for token in sequence["tokens"]]
        answers = [each for token in tokens for each in token.get("answers", ())]
        answer = {name: None if example.get(name) == "" else example.get(name) for name in ("right", "given")}
        if set(answer.values()) == {None} and len(answers) > 1 and "what" not in answers[0]:
            count = sum(each["right"] == each["given"] for each in answers)
            answer["given"] = f"{count} of {len(answers)} right"
        answer |= {"is_right": example.get("is_right"), "loss": example.get("loss")}
        for number, sequence in enumerate(example["sequences"]):
            words = " ".join(token["read"] for token in sequence["tokens"][1:_BEGINNING])
            facts = {"sequence": sequence["sequence"], "example": example["example"], "tokens": len(sequence["tokens"])}
            facts |= {"cut": sequence["cut"] or None, "begins_with": words}
            rows.append({**facts, **(answer if number == 0 else {})})
    return Listing(rows, "sequence example tokens cut begins_with right:.2f given:.2f is_right loss:.3f")


def _tokens(examples: list[dict[str, Any]], number: int) -> Listing:
    """Of one sequence. A token off which several answers are read has a row for each."""
    rows = [
        {**token, "segment": "AB"[min(token["segment"], 1)], **answer}
        for example in examples
        for sequence in example["sequences"]
        if sequence["sequence"] == number
        for token in sequence["tokens"]
        for answer in token.get("answers", ({},))
    ]
    return Listing(rows, "position read segment what right:.2f given:.2f loss:.3f")
