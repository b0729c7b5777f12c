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


def calibrate(answers: Answers) -> Calibration:
    """Raises BertcoreError where the answers have no probability."""
    known = np.isfinite(answers.confidence)
    if not known.any():
        raise BertcoreError("These answers have no probability, so that they cannot be calibrated.")
    confidence, is_right = answers.confidence[known], answers.is_right[known]
    numbers = np.minimum(confidence * BINS, BINS - 1).astype(int)
    bins = []
    for number in np.unique(numbers).tolist():
        sure, right = confidence[numbers == number], is_right[numbers == number]
        share = share_interval(int(right.sum()), len(right))
        bins.append(Bin(number / BINS, (number + 1) / BINS, float(sure.mean()), share))
    error = sum(abs(one.confidence - one.right.value) * one.right.count for one in bins) / len(confidence)
    return Calibration(tuple(bins), error, float(confidence.mean()), share_interval(int(is_right.sum()), len(is_right)))
