"""Means with their standard errors, and the calibration error."""

import math

import numpy as np
from numpy.typing import NDArray

from bertcore.evaluation.sets import Estimate


def mean_by_document(values: NDArray, documents: NDArray) -> Estimate:
    """Mean of `values` (R); its standard error from how the documents (R, any numbers) differ.

    Words of one document are alike, so that counting each as an observation of its own would promise too much: the
    document is what was drawn (the linearised variance of a ratio, Cochran 1977, section 6.4).
    """
    count = len(values)
    if not count:
        return Estimate(math.nan, math.nan, 0)
    mean = float(np.mean(values, dtype=np.float64))
    _, number = np.unique(documents, return_inverse=True)
    deviations = np.bincount(number, weights=np.asarray(values, dtype=np.float64) - mean)  # (D) sums
    drawn = len(deviations)
    if drawn < 2:
        return Estimate(mean, math.nan, count)
    variance = drawn / (drawn - 1) * float(np.square(deviations).sum()) / count**2
    return Estimate(mean, math.sqrt(variance), count)


CALIBRATION_BINS = 15


def expected_calibration_error(confidences: NDArray, right: NDArray, bins: int = CALIBRATION_BINS) -> float:
    """How far the probability of the likeliest answer (R) is from the share right (R, bool): the mean of
    |share right - mean probability| over bins of equal width, weighted by how many answers are in each (Guo et al.
    2017, equation 5). NaN where nothing was counted.
    """
    if not len(confidences):
        return math.nan
    number = np.clip(np.ceil(np.asarray(confidences, dtype=np.float64) * bins).astype(int) - 1, 0, bins - 1)
    gaps = np.bincount(number, weights=np.asarray(right, dtype=np.float64) - confidences)  # summed by bin
    return float(np.abs(gaps).sum() / len(confidences))
