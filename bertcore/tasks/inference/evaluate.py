"""How well a model does a task on held-out examples: loss, metrics, confusion, and the best and worst examples."""

from dataclasses import asdict, dataclass
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import log_softmax

from bertcore.limits import CONFUSION_LABELS
from bertcore.model.bert import Bert
from bertcore.tasks.decoding import USUAL, Decoding
from bertcore.tasks.features.collate import TaskBatches
from bertcore.tasks.features.decode import Outputs, by_unit, decode
from bertcore.tasks.features.kinds import (
    ChoiceFeatures,
    Features,
    SpanFeatures,
    SummaryFeatures,
    TagFeatures,
    TextFeatures,
)
from bertcore.tasks.features.predictions import AnswerPrediction, Prediction, gold_answers
from bertcore.tasks.inference.predict import run_task, settings_for
from bertcore.tasks.metrics import best_thresholds, confusion, measure, ranked

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


def evaluate_task(
    model: Bert, batches: TaskBatches, device: torch.device, decoding: Decoding = USUAL
) -> TaskEvaluation:
    """Measure on all examples of `batches`, whose answers have to be known."""
    features = batches.features
    outputs = run_task(model, batches, device)
    predictions = decode(features, outputs, settings_for(model, decoding))
    gold, given = gold_answers(features.examples), [prediction.answer for prediction in predictions]
    losses, metrics = example_losses(features, outputs), measure(features.kind, gold, given, features.labels)
    if features.kind == "span" and not all(gold):
        metrics |= _best_thresholds(features, outputs, gold)
    has_table = features.kind in ("classify", "tag") and 0 < len(features.labels) <= CONFUSION_LABELS
    best, worst = ranked(losses, EXAMPLES_SHOWN)
    return TaskEvaluation(
        loss=float(np.nanmean(losses)),
        metrics={name: float(value) for name, value in metrics.items()},
        labels=features.labels,
        confusion=confusion(gold, given, features.labels).tolist() if has_table else None,
        best=[_described(features, predictions, gold, losses, at) for at in best],
        worst=[_described(features, predictions, gold, losses, at) for at in worst],
        examples=len(features.examples),
        examples_cut=features.examples_cut,
    )


def _best_thresholds(features: Features, outputs: Outputs, gold: list[Any]) -> dict[str, float]:
    """Where some questions have no answer: what the best threshold for saying so would reach."""
    always = cast(list[AnswerPrediction], decode(features, outputs))  # an answer to every question
    leads = [prediction.no_answer_score - prediction.score for prediction in always]
    return best_thresholds(gold, [prediction.text for prediction in always], leads)


def _described(
    features: Features, predictions: list[Prediction], gold: list[Any], losses: NDArray[np.float64], at: int
) -> dict[str, Any]:
    example = {name: _short(value) for name, value in asdict(features.examples[at]).items() if value not in (None, ())}
    return {"example": example, "right": gold[at], "given": predictions[at].answer, "loss": round(float(losses[at]), 4)}


def _short(value: Any) -> Any:
    return value[:_SHORT] + " ..." if isinstance(value, str) and len(value) > _SHORT else value


def example_losses(features: Features, outputs: Outputs) -> NDArray[np.float64]:
    """(E) what `task_losses` would say of each example alone; NaN where its answer is not known.

    A tagger's is the mean over its words, by the tagger's own scores also where a CRF stands on them. A passage's is
    the mean over its windows. Raises ValueError where the logits of one are missing.
    """
    logits = by_unit(features, outputs)
    losses = np.array([_unit_loss(features, unit, row) for unit, row in enumerate(logits)])
    if not isinstance(features, SpanFeatures):
        return losses
    windows = np.bincount(features.example_of, minlength=len(features.examples))
    return np.bincount(features.example_of, losses, minlength=len(features.examples)) / windows


def _unit_loss(features: Features, unit: int, logits: NDArray[np.float64]) -> float:
    if isinstance(features, SummaryFeatures):
        return _binary(logits, features.answers[unit])
    if isinstance(features, TagFeatures):
        labels = features.answers[unit]
        return _cross_entropy(logits[: len(labels)][labels >= 0], labels[labels >= 0])
    assert isinstance(features, TextFeatures | ChoiceFeatures | SpanFeatures)
    label = features.answers[unit]
    if isinstance(features, SpanFeatures):
        real = logits[: len(features.ids[unit])].T  # (2,S)
        return _cross_entropy(real, label)
    if features.kind == "regress":
        return float((logits.item() - label) ** 2)
    if features.kind == "multilabel":
        return _binary(logits, label)
    return _cross_entropy(logits[None], np.array([label])) if label >= 0 else float("nan")


def _cross_entropy(logits: NDArray[np.float64], labels: NDArray) -> float:
    """(R,K), (R): the mean; NaN for no rows."""
    if not len(labels):
        return float("nan")
    return float(-log_softmax(logits, axis=-1)[np.arange(len(labels)), labels].mean())


def _binary(logits: NDArray[np.float64], labels: NDArray) -> float:
    return float((np.logaddexp(0.0, logits) - labels * logits).mean())
