"""Whether a model is as often right as it is sure: of all answers that it gave 70%, are 70% right?

Reliability diagrams and their expected error: Guo, Pleiss, Sun and Weinberger 2017 ("On Calibration of Modern Neural
Networks", section 2).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from bertcore.errors import BertcoreError
from bertcore.evidence.intervals import Interval, share_interval
from bertcore.evidence.scoring import Answers
from bertcore.evidence.shards import Arrays
from bertcore.table import Table

BINS = 10


@dataclass(frozen=True)
class Bin:
    """Answers of like confidence."""

    low: float
    high: float
    confidence: float  # their mean
    right: Interval  # the share of them that is right, and how many they are


@dataclass(frozen=True, repr=False)
class Calibration(Table):
    """Bins with at least one answer, the least sure first."""

    bins: tuple[Bin, ...]
    error: float  # mean over the answers of how far a bin's confidence is from its share right
    confidence: float  # mean of all answers
    right: Interval  # of all answers

    def rows(self) -> list[dict[str, Any]]:
        return [{"from": one.low, "to": one.high, "confidence": one.confidence, **vars(one.right)} for one in self.bins]


def binned(answers: Answers) -> Arrays:
    """Of each bin how many answers it has, how many are right, and the sum of their confidence: (BINS,3)."""
    known = np.isfinite(answers.confidence)
    confidence, is_right = answers.confidence[known], answers.is_right[known]
    numbers = np.minimum(confidence * BINS, BINS - 1).astype(int)
    of_each = np.ones_like(confidence), is_right.astype(float), confidence
    return {"bins": np.stack([np.bincount(numbers, each, BINS) for each in of_each], axis=1)}


def calibration_of(found: Arrays) -> Calibration:
    """Raises BertcoreError where no answer has a probability."""
    counts, right, sure = found["bins"].T.tolist()
    if not any(counts):
        raise BertcoreError("These answers have no probability, so that they cannot be calibrated.")
    bins = tuple(
        Bin(at / BINS, (at + 1) / BINS, sure[at] / counts[at], share_interval(int(right[at]), int(counts[at])))
        for at in range(BINS)
        if counts[at]
    )
    whole = share_interval(int(sum(right)), int(sum(counts)))
    error = sum(abs(own - each) for own, each in zip(sure, right, strict=True)) / whole.count
    return Calibration(bins, error, sum(sure) / whole.count, whole)
