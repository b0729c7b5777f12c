"""batch: what a run read at a step, drawn again, and what a snapshot made of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bertcore.cli import arguments as args
from bertcore.cli.output import Listing, print_answer
from bertcore.errors import BertcoreError

if TYPE_CHECKING:
    from bertcore.tasks.kinds.base import TokenAnswer, UnitAnswer
    from bertcore.training.drawn_batches import DrawnBatch, RunBatches
    from bertcore.training.drawn_examples import DrawnExamples, ExampleBatches
    from bertcore.training.evaluate import BatchLosses

_PAIRS = {"nsp": ("next", "random"), "sop": ("in order", "swapped"), "none": ("", "")}
_BEGINNING = 7  # tokens of a sequence that the list of examples shows, [CLS] among them
_NO_SNAPSHOT = "The run has no snapshot from before this step, so there are no"

Snapshot = tuple[int, Path] | None  # the step and folder of the one that predicts
Shown = tuple[dict[str, Any], list[str | Listing]]  # as JSON, and for people


def batch(
    run: Annotated[Path, typer.Argument(help="The folder of a run, finished or still running.")],
    step: Annotated[int, typer.Option("--step", min=1, help="The step whose batch is shown.")],
    snapshot: Annotated[
        int | None,
        typer.Option(
            help="The step of the snapshot that predicts; if not given, the newest one before the batch.",
            show_default=False,
        ),
    ] = None,
    sequence: Annotated[
        int | None, typer.Option(min=1, help="Show the tokens of this sequence of the batch.", show_default=False)
    ] = None,
    as_json: args.AsJson = False,
) -> None:
    """Show a step's batch as the model read it, drawn again from the seed: masks or labels, losses, predictions."""
    from bertcore.runs.run_folder import RunFolder
    from bertcore.runs.snapshots import snapshot_before
    from bertcore.training.drawn_batches import open_batches
    from bertcore.training.drawn_examples import open_examples
    from bertcore.training.finetune_options import FinetuneOptions

    is_task = RunFolder(run).config().get("kind") == FinetuneOptions.kind
    batches: Any = (open_examples if is_task else open_batches)(run)
    drawn = batches.at(step)
    count, length = drawn.ids.shape
    if sequence is not None and sequence > count:
        raise BertcoreError(f"The batch has {count} sequences; there is no sequence {sequence}.")
    kept = dict(batches.run.snapshots())
    if snapshot is not None and snapshot not in kept:
        steps = ", ".join(f"{number:,}" for number in kept) or "none"
        raise BertcoreError(f"There is no snapshot of step {snapshot:,}; those of the run are: {steps}.")
    weights = snapshot_before(batches.run, step) if snapshot is None else (snapshot, kept[snapshot])
    values, parts = (_of_examples if is_task else _of_text)(batches, drawn, weights, sequence)
    facts = {"step": step, "shape": drawn.ids.shape, "tokens": int((~drawn.is_padding).sum())}
    values = {**facts, "snapshot": weights and weights[0], **values}
    what = f"epoch {drawn.epoch + 1:,}" if is_task else values["predicts"]
    print_answer(values, f"step {step:,}, {what}: {count} sequences of up to {length} tokens", *parts, as_json=as_json)


# --- of pretraining and distillation


def _of_text(batches: RunBatches, drawn: DrawnBatch, weights: Snapshot, sequence: int | None) -> Shown:
    """`sequence` from 1, None: all."""
    from bertcore.training.drawn_batches import counted
    from bertcore.training.evaluate import batch_losses

    data, draw = batches.options.data, counted(drawn)
    losses = None if weights is None else batch_losses(batches.model_at(weights, drawn), drawn.batch)
    rows = range(len(drawn.ids)) if sequence is None else [sequence - 1]
    sequences = [_sequence_of_text(batches, drawn, losses, row) for row in rows]
    fates = {name: draw[name] / max(1, draw["chosen"]) for name in ("hidden", "replaced", "kept")}
    drawn_shares = {"masked": draw["chosen"] / max(1, draw["ordinary"]), **fates}
    kept = 1.0 - data.mask_fate - data.random_fate
    masked = batches.options.mask_share_at(drawn.step)
    ordered = {"masked": masked, "hidden": data.mask_fate, "replaced": data.random_fate, "kept": kept}
    values = {
        "predicts": "next words" if drawn.causal else "masked words",
        "word_loss": losses and losses.word_loss,
        "word_accuracy": losses and losses.accuracy,
        "pair_loss": losses and losses.pair_loss,
        "drawn": None if drawn.causal else drawn_shares,
        "ordered": None if drawn.causal else ordered,
        "sequences": sequences,
    }
    parts: list[str | Listing] = [f"{_NO_SNAPSHOT} losses."]
    if weights is not None and losses is not None:
        pairs = "" if losses.pair_loss is None else f", pairs {losses.pair_loss:.3f} nats"
        found = f"loss {losses.word_loss:.3f} nats, {losses.accuracy:.1%} right{pairs}"
        parts = [f"by the snapshot of step {weights[0]:,}: {found}"]
    if not drawn.causal:
        parts += [f"{name:10} {share:6.1%}, ordered {ordered[name]:.0%}" for name, share in drawn_shares.items()]
    parts.append(_list_of_text(sequences) if sequence is None else _tokens_of_text(sequences[0]))
    if not drawn.causal and data.pack and data.pairs != "none":
        parts.append("A pair is judged by A and where B begins; text of further documents only fills the sequence.")
    return values, parts


def _sequence_of_text(batches: RunBatches, drawn: DrawnBatch, losses: BatchLosses | None, row: int) -> dict[str, Any]:
    documents, label = drawn.documents[row], int(drawn.pair_labels[row])
    padding = int(drawn.is_padding[row].sum())
    return {
        "sequence": row + 1,
        "pair": (_PAIRS[batches.options.data.pairs][label] if label in (0, 1) else "") or None,
        "documents": [int(number) + 1 for number in dict.fromkeys(documents[documents >= 0].tolist())],
        "padding": padding,
        "tokens": [_token_of_text(batches, drawn, losses, (row, at)) for at in range(drawn.ids.shape[1] - padding)],
    }


def _token_of_text(
    batches: RunBatches, drawn: DrawnBatch, losses: BatchLosses | None, at: tuple[int, int]
) -> dict[str, Any]:
    from bertcore.training.drawn_batches import FATES

    label, document = batches.tokenizer.label, int(drawn.documents[at])
    facts: dict[str, Any] = {
        "position": at[1],
        "read": label(int(drawn.ids[at])),
        "segment": int(drawn.batch.segment_ids[at]),
        "document": document + 1 if document >= 0 else None,
    }
    if drawn.fates[at]:
        facts |= {"fate": FATES[drawn.fates[at]], "predict": label(int(drawn.labels[at]))}
    if drawn.fates[at] and losses is not None:
        guesses = zip(losses.guesses[at].tolist(), losses.probabilities[at].tolist(), strict=True)
        facts |= {"loss": float(losses.losses[at]), "rank": int(losses.ranks[at])}
        facts["guesses"] = [[label(word), share] for word, share in guesses]
    return facts


def _list_of_text(sequences: list[dict[str, Any]]) -> Listing:
    rows = []
    for sequence in sequences:
        losses = [token["loss"] for token in sequence["tokens"] if "loss" in token]
        to_predict = sum("predict" in token for token in sequence["tokens"])
        numbers = {"tokens": len(sequence["tokens"]), "to_predict": to_predict}
        rows.append({**sequence, **numbers, "loss": sum(losses) / len(losses) if losses else None})
    return Listing(rows, "sequence pair documents tokens to_predict loss:.2f")


def _tokens_of_text(sequence: dict[str, Any]) -> Listing:
    rows = []
    for token in sequence["tokens"]:
        word, probability = token["guesses"][0] if "guesses" in token else (None, None)
        rows.append({**token, "first_guess": word and f"{word} {probability:.1%}"})
    return Listing(rows, "position read predict fate loss:.2f first_guess")


# --- of fine-tuning: examples as the model read them, and a snapshot's answers beside the right ones


def _of_examples(batches: ExampleBatches, drawn: DrawnExamples, weights: Snapshot, sequence: int | None) -> Shown:
    """`sequence` from 1, None: all."""
    from bertcore.training.drawn_examples import example_answers

    label = batches.tokenizer.label
    answers = None if weights is None else example_answers(batches.model_at(weights), drawn, label)
    examples = []
    for number, rows in enumerate(drawn.rows):
        if sequence is None or sequence - 1 in rows:  # an example with all its sequences
            unit = None if answers is None else answers.units[number]
            fields = () if unit is None else ("right", "given", "is_right", "loss")
            sequences = [_sequence_of_example(batches, drawn, unit, row) for row in rows]
            example = {"example": int(drawn.examples[rows[0]]) + 1, **{name: getattr(unit, name) for name in fields}}
            examples.append({**example, "sequences": sequences})
    values = {
        "epoch": drawn.epoch + 1,
        "task": drawn.features.kind.name,
        "padding": int(drawn.is_padding.sum()),
        "loss": answers and answers.loss,
        "right": answers and answers.right,
        "examples": examples,
    }
    said = f"{_NO_SNAPSHOT} answers."
    if weights is not None and answers is not None:
        right = "" if answers.right is None else f", {answers.right} of {len(answers.units)} right"
        said = f"by the snapshot of step {weights[0]:,}: loss {answers.loss:.3f}{right}"
    return values, [said, _list_of_examples(examples) if sequence is None else _tokens_of_example(examples, sequence)]


def _sequence_of_example(
    batches: ExampleBatches, drawn: DrawnExamples, unit: UnitAnswer | None, row: int
) -> dict[str, Any]:
    padding = int(drawn.is_padding[row].sum())
    tokens: list[dict[str, Any]] = [
        {"position": position, "read": batches.tokenizer.label(number), "segment": int(drawn.segments[row, position])}
        for position, number in enumerate(drawn.ids[row, : drawn.ids.shape[1] - padding].tolist())
    ]
    for place in () if unit is None else unit.places:
        if place.row == row:
            tokens[place.position].setdefault("answers", []).append(_answer(place))
    return {"sequence": row + 1, "cut": int(drawn.cut[row]), "padding": padding, "tokens": tokens}


def _answer(place: TokenAnswer) -> dict[str, Any]:
    options = [[option.name, option.probability] for option in place.options]
    answer = {"right": place.right, "given": place.given, "loss": place.loss, "options": options}
    return {"what": place.what, **answer} if place.what else answer


def _list_of_examples(examples: list[dict[str, Any]]) -> Listing:
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


def _tokens_of_example(examples: list[dict[str, Any]], number: int) -> Listing:
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
