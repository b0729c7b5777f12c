"""batch: what a run read at a step, drawn again, and what a snapshot made of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from bertcore.cli.output import AsJson, cell, print_json, say
from bertcore.cli.task_batch import show_examples
from bertcore.errors import BertcoreError

if TYPE_CHECKING:
    from bertcore.runs.run_folder import RunFolder
    from bertcore.training.batch_losses import BatchLosses
    from bertcore.training.drawn_batches import Draw, DrawnBatch, RunBatches

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
    as_json: AsJson = False,
) -> None:
    """Show a step's batch as the model read it, drawn again from the seed: masks or labels, losses, predictions."""
    from bertcore.runs.run_folder import RunFolder
    from bertcore.training.batch_losses import batch_losses
    from bertcore.training.drawn_batches import open_batches
    from bertcore.training.drawn_examples import open_examples
    from bertcore.training.finetune_options import FinetuneOptions

    if RunFolder(run).config().get("kind") == FinetuneOptions.kind:
        examples = open_examples(run)
        show_examples(examples, step, _snapshot(examples.run, step, snapshot), sequence, as_json)
        return
    batches = open_batches(run)
    drawn = batches.at(step)
    if sequence is not None and sequence > len(drawn.ids):
        raise BertcoreError(f"The batch has {len(drawn.ids)} sequences; there is no sequence {sequence}.")
    weights = _snapshot(batches.run, step, snapshot)
    losses = None if weights is None else batch_losses(batches.model_at(weights, drawn), drawn)
    facts = _facts(batches, drawn, None if weights is None else weights[0], losses)
    if as_json:
        rows = range(len(drawn.ids)) if sequence is None else [sequence - 1]
        print_json({**facts, "sequences": [_sequence(batches, drawn, losses, row) for row in rows]})
        return
    _say_facts(facts)
    shown = _overview(batches, drawn, losses) if sequence is None else _tokens(batches, drawn, losses, sequence - 1)
    Console().print(shown)
    data = batches.options.data
    if not drawn.causal and data.pack and data.pairs != "none":
        say("A pair is judged by A and where B begins; text of further documents only fills the sequence.")


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


def _say_facts(facts: dict[str, Any]) -> None:
    sequences, length = facts["shape"]
    say(f"step {facts['step']:,}, {facts['predicts']}: {sequences} sequences of up to {length} tokens")
    if facts["snapshot"] is None:
        say("The run has no snapshot from before this step, so there are no losses.")
    else:
        parts = [f"loss {facts['word_loss']:.3f} nats", f"{facts['word_accuracy']:.1%} right"]
        if facts["pair_loss"] is not None:
            parts.append(f"pairs {facts['pair_loss']:.3f} nats")
        say(f"by the snapshot of step {facts['snapshot']:,}: {', '.join(parts)}")
    for name, share in (facts["drawn"] or {}).items():
        say(f"{name:10} {share:6.1%}, ordered {facts['ordered'][name]:.0%}")


def _pair(batches: RunBatches, drawn: DrawnBatch, row: int) -> str:
    label = int(drawn.pair_labels[row])
    return _PAIRS[batches.options.data.pairs][label] if label in (0, 1) else ""


def _documents(drawn: DrawnBatch, row: int) -> list[int]:
    """From 1, in the order of the sequence."""
    found = drawn.documents[row]
    return [int(number) + 1 for number in dict.fromkeys(found[found >= 0].tolist())]


def _overview(batches: RunBatches, drawn: DrawnBatch, losses: BatchLosses | None) -> Table:
    import numpy as np

    table = Table("sequence", "pair", "documents", "tokens", "to predict", "loss")
    for row in range(len(drawn.ids)):
        count = int((drawn.fates[row] > 0).sum())
        loss = "" if losses is None or not count else f"{np.nanmean(losses.losses[row]):.2f}"
        documents = ", ".join(f"{number:,}" for number in _documents(drawn, row))
        tokens = int((~drawn.is_padding[row]).sum())
        table.add_row(str(row + 1), _pair(batches, drawn, row), documents, str(tokens), str(count), loss)
    return table


def _tokens(batches: RunBatches, drawn: DrawnBatch, losses: BatchLosses | None, row: int) -> Table:
    table = Table("position", "read", "to predict", "fate", "loss", "first guess")
    for token in _sequence(batches, drawn, losses, row)["tokens"]:
        guess = token.get("guesses")
        table.add_row(
            str(token["position"]),
            cell(token["read"]),
            cell(token.get("predict", "")),
            token.get("fate", "").replace("_", " "),
            f"{token['loss']:.2f}" if "loss" in token else "",
            cell(f"{guess[0][0]} {guess[0][1]:.1%}") if guess else "",
        )
    return table


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
