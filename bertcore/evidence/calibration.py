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
        return [
            {"from": each.low, "to": each.high, "confidence": each.confidence, **vars(each.right)} for each in self.bins
        ]


def calibrate(answers: Answers) -> Calibration:
    """Raises BertcoreError where the answers have no probability."""
    known = np.isfinite(answers.confidence)
    if not known.any():
        raise BertcoreError("These answers have no probability, so that they cannot be calibrated.")
    confidence, is_right = answers.confidence[known], answers.is_right[known]
    numbers = np.clip((confidence * BINS).astype(int), 0, BINS - 1)
    bins = []
    for number in np.unique(numbers).tolist():
        here = numbers == number
        share = share_interval(int(is_right[here].sum()), int(here.sum()))
        bins.append(Bin(number / BINS, (number + 1) / BINS, float(confidence[here].mean()), share))
    total = len(confidence)
    error = sum(abs(each.confidence - each.right.value) * each.right.count for each in bins) / total
    return Calibration(tuple(bins), error, float(confidence.mean()), share_interval(int(is_right.sum()), total))
