"""The loss of each held-out example by itself, from the same logits: to find those that a model does best and worst."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax

from bertcore.tasks.features.decode import Outputs, by_unit
from bertcore.tasks.features.kinds import (
    ChoiceFeatures,
    Features,
    SpanFeatures,
    SummaryFeatures,
    TagFeatures,
    TextFeatures,
)


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
