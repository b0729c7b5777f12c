"""batch: what a run read at a step, drawn again, and what a snapshot made of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bertcore.cli import arguments as args
from bertcore.cli.output import Listing, print_answer
from bertcore.cli.task_batch import show_examples
from bertcore.errors import BertcoreError

if TYPE_CHECKING:
    from bertcore.runs.run_folder import RunFolder
    from bertcore.training.drawn_batches import Draw, DrawnBatch, RunBatches
    from bertcore.training.evaluate import BatchLosses

_PAIRS = {"nsp": ("next", "random"), "sop": ("in order", "swapped"), "none": ("", "")}


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
    from bertcore.training.drawn_batches import open_batches
    from bertcore.training.drawn_examples import open_examples
    from bertcore.training.finetune_options import FinetuneOptions

    is_task = RunFolder(run).config().get("kind") == FinetuneOptions.kind
    batches: Any = (open_examples if is_task else open_batches)(run)
    drawn = batches.at(step)
    if sequence is not None and sequence > len(drawn.ids):
        raise BertcoreError(f"The batch has {len(drawn.ids)} sequences; there is no sequence {sequence}.")
    weights = _snapshot(batches.run, step, snapshot)
    (show_examples if is_task else _show_texts)(batches, drawn, weights, sequence, as_json)


def _show_texts(
    batches: RunBatches, drawn: DrawnBatch, weights: tuple[int, Path] | None, sequence: int | None, as_json: bool
) -> None:
    """`weights`: the step and folder of the snapshot that predicts; `sequence` from 1, None: all."""
    from bertcore.training.evaluate import batch_losses

    losses = None if weights is None else batch_losses(batches.model_at(weights, drawn), drawn.batch)
    facts = _facts(batches, drawn, weights and weights[0], losses)
    rows = range(len(drawn.ids)) if sequence is None else [sequence - 1]
    sequences = [_sequence(batches, drawn, losses, row) for row in rows]
    data = batches.options.data
    is_filled_up = not drawn.causal and data.pack and data.pairs != "none"
    print_answer(
        {**facts, "sequences": sequences},
        *_in_words(facts),
        _overview(sequences) if sequence is None else _tokens(sequences[0]),
        "A pair is judged by A and where B begins; text of further documents only fills the sequence."
        if is_filled_up
        else None,
        as_json=as_json,
    )


def _snapshot(run: RunFolder, step: int, wanted: int | None) -> tuple[int, Path] | None:
    from bertcore.runs.snapshots import snapshot_before

    if wanted is None:
        return snapshot_before(run, step)
    found = {number: (number, path) for number, path in run.snapshots()}
    if wanted not in found:
        steps = ", ".join(f"{number:,}" for number in found) or "none"
        raise BertcoreError(f"There is no snapshot of step {wanted:,}; those of the run are: {steps}.")
    return found[wanted]


def _facts(batches: RunBatches, drawn: DrawnBatch, snapshot: int | None, losses: BatchLosses | None) -> dict[str, Any]:
    from bertcore.training.drawn_batches import Draw

    data = batches.options.data
    return {
        "step": drawn.step,
        "predicts": "next words" if drawn.causal else "masked words",
        "shape": list(drawn.ids.shape),
        "tokens": int((~drawn.is_padding).sum()),
        "snapshot": snapshot,
        "word_loss": losses and losses.word_loss,
        "word_accuracy": losses and losses.accuracy,
        "pair_loss": losses and losses.pair_loss,
        "drawn": None if drawn.causal else _shares(Draw().plus(drawn)),
        "ordered": None
        if drawn.causal
        else {
            "masked": data.mask_share,
            "hidden": data.mask_fate,
            "replaced": data.random_fate,
            "kept": 1.0 - data.mask_fate - data.random_fate,
        },
    }


def _shares(draw: Draw) -> dict[str, float]:
    of = max(1, draw.chosen)
    fates = {name: getattr(draw, name) / of for name in ("hidden", "replaced", "kept")}
    return {"masked": draw.chosen / max(1, draw.ordinary), **fates}


def _in_words(facts: dict[str, Any]) -> Iterator[str]:
    sequences, length = facts["shape"]
    yield f"step {facts['step']:,}, {facts['predicts']}: {sequences} sequences of up to {length} tokens"
    if facts["snapshot"] is None:
        yield "The run has no snapshot from before this step, so there are no losses."
    else:
        parts = [f"loss {facts['word_loss']:.3f} nats", f"{facts['word_accuracy']:.1%} right"]
        if facts["pair_loss"] is not None:
            parts.append(f"pairs {facts['pair_loss']:.3f} nats")
        yield f"by the snapshot of step {facts['snapshot']:,}: {', '.join(parts)}"
    for name, share in (facts["drawn"] or {}).items():
        yield f"{name:10} {share:6.1%}, ordered {facts['ordered'][name]:.0%}"


def _pair(batches: RunBatches, drawn: DrawnBatch, row: int) -> str:
    label = int(drawn.pair_labels[row])
    return _PAIRS[batches.options.data.pairs][label] if label in (0, 1) else ""


def _documents(drawn: DrawnBatch, row: int) -> list[int]:
    """From 1, in the order of the sequence."""
    found = drawn.documents[row]
    return [int(number) + 1 for number in dict.fromkeys(found[found >= 0].tolist())]


def _overview(sequences: list[dict[str, Any]]) -> Listing:
    rows = []
    for sequence in sequences:
        predicted = [token for token in sequence["tokens"] if "predict" in token]
        losses = [token["loss"] for token in predicted if "loss" in token]
        numbers = {"tokens": len(sequence["tokens"]), "to_predict": len(predicted)}
        rows.append({**sequence, **numbers, "loss": sum(losses) / len(losses) if losses else None})
    return Listing(rows, "sequence pair documents tokens to_predict loss:.2f")


def _tokens(sequence: dict[str, Any]) -> Listing:
    rows = []
    for token in sequence["tokens"]:
        word, probability = token["guesses"][0] if "guesses" in token else (None, None)
        rows.append({**token, "first_guess": word and f"{word} {probability:.1%}"})
    return Listing(rows, "position read predict fate loss:.2f first_guess")


def _sequence(batches: RunBatches, drawn: DrawnBatch, losses: BatchLosses | None, row: int) -> dict[str, Any]:
    return {
        "sequence": row + 1,
        "pair": _pair(batches, drawn, row) or None,
        "documents": _documents(drawn, row),
        "padding": int(drawn.is_padding[row].sum()),
        "tokens": [_token(batches, drawn, losses, row, place) for place in range(int((~drawn.is_padding[row]).sum()))],
    }


def _token(batches: RunBatches, drawn: DrawnBatch, losses: BatchLosses | None, row: int, place: int) -> dict[str, Any]:
    from bertcore.training.drawn_batches import FATES

    label, at = batches.tokenizer.label, (row, place)
    document = int(drawn.documents[at])
    facts: dict[str, Any] = {
        "position": place,
        "read": label(int(drawn.ids[at])),
        "segment": int(drawn.batch.segment_ids[row, place]),
        "document": document + 1 if document >= 0 else None,
    }
    if drawn.fates[at]:
        facts |= {"fate": FATES[drawn.fates[at]], "predict": label(int(drawn.labels[at]))}
        if losses is not None:
            guesses = zip(losses.guesses[at].tolist(), losses.probabilities[at].tolist(), strict=True)
            facts |= {
                "loss": float(losses.losses[at]),
                "rank": int(losses.ranks[at]),
                "guesses": [[label(word), share] for word, share in guesses],
            }
    return facts
