"""batch, of a fine-tuning run: its examples as the model read them, and a snapshot's answers beside the right ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from bertcore.cli.output import cell, print_json, say
from bertcore.errors import BertcoreError

if TYPE_CHECKING:
    from bertcore.training.drawn_examples import DrawnExamples, ExampleBatches
    from bertcore.training.example_answers import Answered, BatchAnswers, Place, Said


def show_examples(
    batches: ExampleBatches, step: int, weights: tuple[int, Path] | None, sequence: int | None, as_json: bool
) -> None:
    """`weights`: the step and folder of the snapshot that answers; `sequence` from 1, None: all."""
    from bertcore.training.example_answers import example_answers

    drawn = batches.at(step)
    if sequence is not None and sequence > len(drawn.ids):
        raise BertcoreError(f"The batch has {len(drawn.ids)} sequences; there is no sequence {sequence}.")
    label = batches.tokenizer.label
    answers = None if weights is None else example_answers(batches.model_at(weights), drawn, label)
    facts = _facts(drawn, None if weights is None else weights[0], answers)
    if as_json:
        print_json({**facts, "examples": _examples(batches, drawn, answers, sequence)})
        return
    sequences, length = facts["shape"]
    say(f"step {step:,}, epoch {drawn.epoch + 1:,}: {sequences} sequences of up to {length} tokens")
    if answers is None:
        say("The run has no snapshot from before this step, so there are no answers.")
    else:
        right = "" if answers.right is None else f", {answers.right} of {len(answers.units)} right"
        say(f"by the snapshot of step {facts['snapshot']:,}: loss {answers.loss:.3f}{right}")
    table = _overview(batches, drawn, answers) if sequence is None else _tokens(batches, drawn, answers, sequence - 1)
    Console().print(table)


def _facts(drawn: DrawnExamples, snapshot: int | None, answers: BatchAnswers | None) -> dict[str, Any]:
    return {
        "step": drawn.step,
        "epoch": drawn.epoch + 1,
        "task": drawn.features.kind,
        "shape": list(drawn.ids.shape),
        "tokens": int((~drawn.is_padding).sum()),
        "padding": int(drawn.is_padding.sum()),
        "snapshot": snapshot,
        "loss": answers and answers.loss,
        "right": answers and answers.right,
    }


def _examples(
    batches: ExampleBatches, drawn: DrawnExamples, answers: BatchAnswers | None, sequence: int | None
) -> list[dict[str, Any]]:
    found = []
    for number, rows in enumerate(drawn.rows):
        if sequence is not None and sequence - 1 not in rows:
            continue
        unit = None if answers is None else answers.units[number]
        told: dict[str, Any] = {"example": int(drawn.examples[rows[0]]) + 1}
        if unit is not None:
            told |= {"right": unit.right, "given": unit.given, "is_right": unit.is_right, "loss": unit.loss}
        told["sequences"] = [_sequence(batches, drawn, unit, row) for row in rows]
        found.append(told)
    return found


def _sequence(batches: ExampleBatches, drawn: DrawnExamples, unit: Answered | None, row: int) -> dict[str, Any]:
    length = int((~drawn.is_padding[row]).sum())
    tokens: list[dict[str, Any]] = [
        {"position": place, "read": batches.tokenizer.label(number), "segment": int(drawn.segments[row, place])}
        for place, number in enumerate(drawn.ids[row, :length].tolist())
    ]
    for place in () if unit is None else unit.places:
        if place.row == row:
            tokens[place.position].setdefault("answers", []).append(_place(place))
    padding = int(drawn.is_padding[row].sum())
    return {"sequence": row + 1, "cut": int(drawn.cut[row]), "padding": padding, "tokens": tokens}


def _place(place: Place) -> dict[str, Any]:
    options = [[option.name, option.probability] for option in place.options]
    told = {"right": place.right, "given": place.given, "loss": place.loss, "options": options}
    return {"what": place.what, **told} if place.what else told


def _overview(batches: ExampleBatches, drawn: DrawnExamples, answers: BatchAnswers | None) -> Table:
    table = Table("sequence", "example", "tokens", "cut", "begins with", "right", "given", "", "loss")
    for number, rows in enumerate(drawn.rows):
        for row in rows:
            length = int((~drawn.is_padding[row]).sum())
            words = " ".join(map(batches.tokenizer.label, drawn.ids[row, 1 : min(length, 7)].tolist()))
            facts = [str(row + 1), f"{drawn.examples[row] + 1:,}", str(length), str(drawn.cut[row] or "")]
            unit = answers.units[number] if answers is not None and row == rows[0] else None
            table.add_row(*facts, cell(words), *_said(unit))
    return table


def _said(unit: Answered | None) -> tuple[str, str, str, str]:
    if unit is None:
        return "", "", "", ""
    right, given = _text(unit.right), _text(unit.given)
    if not right and not given and len(unit.places) > 1 and not unit.places[0].what:
        given = f"{sum(bool(place.is_right) for place in unit.places)} of {len(unit.places)} right"
    mark = {None: "", True: "yes", False: "no"}[unit.is_right]
    return cell(right), cell(given), mark, f"{unit.loss:.3f}"


def _text(said: Said) -> str:
    return f"{said:.2f}" if isinstance(said, float) else said


def _tokens(batches: ExampleBatches, drawn: DrawnExamples, answers: BatchAnswers | None, row: int) -> Table:
    table = Table("position", "read", "segment", "right", "given", "loss")
    units = () if answers is None else answers.units
    unit = next((unit for unit in units if row in unit.rows), None)
    for token in _sequence(batches, drawn, unit, row)["tokens"]:
        said = token.get("answers", [])
        table.add_row(
            str(token["position"]),
            cell(token["read"]),
            "AB"[min(token["segment"], 1)],
            cell(", ".join(" ".join(filter(None, (each.get("what", ""), _text(each["right"])))) for each in said)),
            cell(", ".join(_text(each["given"]) for each in said)),
            ", ".join(f"{each['loss']:.3f}" for each in said),
        )
    return table
