"""How well a model does a task on held-out examples: loss, metrics, confusion, and the best and worst examples."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertcore.errors import BertcoreError
from bertcore.limits import CONFUSION_LABELS
from bertcore.model.bert import Bert
from bertcore.tasks.batches import TaskBatches
from bertcore.tasks.decoding import USUAL, Decoding
from bertcore.tasks.kinds import kind_named
from bertcore.tasks.kinds.base import DecodeSettings, Example, Features, Prediction, flat
from bertcore.tasks.predict import by_unit, example_losses, run_task

EXAMPLES_SHOWN = 8
_SHORT = 600  # characters of an example that are written down


@dataclass(frozen=True)
class TaskEvaluation:
    loss: float  # mean over the examples
    metrics: dict[str, float]
    labels: tuple[str, ...]
    confusion: list[list[int]] | None  # rows: right labels, columns: given ones; None without labels, or with too many
    best: list[dict[str, Any]]  # examples with the lowest loss, and what was said of them
    worst: list[dict[str, Any]]
    examples: int  # how many were measured
    examples_cut: int  # of these, how many are longer than the model reads: it did not see their ends


def evaluate_task(model: Bert, batches: TaskBatches, decoding: Decoding = USUAL) -> TaskEvaluation:
    """Measure on all examples of `batches`, whose answers have to be known."""
    features, kind = batches.features, batches.features.kind
    logits = by_unit(features, run_task(model, batches))
    predictions = kind.decode(features, logits, DecodeSettings.of(model, decoding))
    gold, given = right_answers(features.examples), [prediction.answer for prediction in predictions]
    losses = example_losses(features, logits)
    metrics = {
        **measure(kind.name, gold, given, features.labels),
        **kind.measure_scores(features, logits, gold),
    }
    has_table = kind.has_confusion and 0 < len(features.labels) <= CONFUSION_LABELS
    best, worst = ranked(losses, EXAMPLES_SHOWN)
    return TaskEvaluation(
        loss=float(np.nanmean(losses)),
        metrics=metrics,
        labels=features.labels,
        confusion=confusion(gold, given, features.labels).tolist() if has_table else None,
        best=[_described(features, predictions, gold, losses, at) for at in best],
        worst=[_described(features, predictions, gold, losses, at) for at in worst],
        examples=len(features.examples),
        examples_cut=features.examples_cut,
    )


def right_answers(examples: Sequence[Example]) -> list[Any]:
    """What the examples themselves say, in the form that the metrics compare; None where nothing is known."""
    return [example.answer for example in examples]


def measure(kind: str, gold: Sequence[Any], predicted: Sequence[Any], labels: Sequence[str] = ()) -> dict[str, float]:
    """Metrics by name; which, says the kind's own `measure`. Shares are 0..1 (papers often show them times 100).

    `gold` and `predicted` as `right_answers` and `Prediction.answer` give them, one per example.
    Raises BertcoreError where there is nothing to compare, or an answer is not known.
    """
    measured = kind_named(kind)
    if not len(gold) or len(gold) != len(predicted):
        raise BertcoreError(f"There are {len(gold)} right answers for {len(predicted)} predictions; give one for each.")
    if unknown := [i for i, answer in enumerate(gold) if answer is None]:
        raise BertcoreError(f"Example {unknown[0] + 1} has no right answer to compare with; leave it out.")
    return {name: float(value) for name, value in measured.measure(gold, predicted, list(labels)).items()}


def _described(
    features: Features, predictions: Sequence[Prediction], gold: list[Any], losses: NDArray[np.float64], at: int
) -> dict[str, Any]:
    example = {name: _short(value) for name, value in asdict(features.examples[at]).items() if value not in (None, ())}
    return {"example": example, "right": gold[at], "given": predictions[at].answer, "loss": round(float(losses[at]), 4)}


def _short(value: Any) -> Any:
    return value[:_SHORT] + " ..." if isinstance(value, str) and len(value) > _SHORT else value


def confusion(gold: Sequence[Any], predicted: Sequence[Any], labels: Sequence[str]) -> NDArray[np.int64]:
    """(K,K) how often the right label (row) was given as each (column). Tags of sentences count word by word.

    What is not among `labels` is left out.
    """
    numbers = {label: number for number, label in enumerate(labels)}
    pairs = [pair for pair in zip(flat(gold), flat(predicted), strict=True) if numbers.keys() >= set(pair)]
    table = np.zeros((len(labels), len(labels)), dtype=np.int64)
    if pairs:
        rows, columns = zip(*([numbers[label] for label in pair] for pair in pairs), strict=True)
        np.add.at(table, (rows, columns), 1)
    return table


def ranked(losses: Sequence[float] | NDArray[np.float64], k: int) -> tuple[list[int], list[int]]:
    """Numbers of the k examples with the lowest losses, best first, and of the k with the highest, worst first.

    No example is in both: where there are too few for that, each gets half. NaN is left out; ties go by number.
    """
    values = np.asarray(losses, dtype=np.float64)
    order = np.argsort(values, kind="stable")[: int((~np.isnan(values)).sum())]
    worst_first = np.argsort(-values, kind="stable")[: len(order)]
    best = order[: min(k, (len(order) + 1) // 2)].tolist()
    return best, [i for i in worst_first.tolist() if i not in best][: min(k, len(order) // 2)]
