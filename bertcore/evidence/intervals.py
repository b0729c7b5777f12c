"""How sure a number is: intervals by resampling rows (Efron 1979), shares by Wilson's, two models by McNemar's test.

A row is a sentence or a pair, never a token: tokens of one sentence are not independent of each other.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95
RESAMPLES = 2000
_AT_ONCE = 100  # resamples


@dataclass(frozen=True)
class Interval:
    """A number, the ends of its interval, and of how many rows it is."""

    value: float
    low: float
    high: float
    count: int

    def holds(self, number: float) -> bool:
        """Whether the interval holds it: it cannot be told from it."""
        return not (self.low > number or self.high < number)


@dataclass(frozen=True, eq=False)
class Intervals:
    """Means over rows (...), and the ends of their intervals."""

    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    count: int

    def __getitem__(self, at: tuple[int, ...]) -> Interval:
        return Interval(float(self.value[at]), float(self.low[at]), float(self.high[at]), self.count)

    @property
    def is_clear(self) -> NDArray[np.bool_]:
        """(...) whether the interval leaves out 0."""
        return (self.low > 0) | (self.high < 0)


def halves(count: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The numbers of rows in two halves by chance: one to choose on, one to measure on."""
    order = np.random.default_rng(seed).permutation(count)
    return np.sort(order[: count // 2]), np.sort(order[count // 2 :])


def mean_intervals(values: NDArray, seed: int, *, together: bool = False) -> Intervals:
    """Means of (R,...) over R rows, with intervals by the bootstrap-t.

    together: all cells are asked at once, so that of twenty experiments in which every true mean is 0 only one has any
    interval that leaves out 0: the largest deviation, in standard errors, of each resample counts (Westfall and Young
    1993). Else each interval is for its cell alone.
    """
    cells = np.asarray(values, dtype=np.float64).reshape(len(values), -1)  # (R,C)
    rows = len(cells)
    mean = cells.mean(axis=0)
    if rows < 2:
        value = mean.reshape(values.shape[1:])
        return Intervals(value, value - np.inf, value + np.inf, rows)
    error = cells.std(axis=0, ddof=1) / math.sqrt(rows)
    chance = np.random.default_rng(seed)
    deviations: list[NDArray[np.float64]] = []
    squares = cells**2
    for _ in range(RESAMPLES // _AT_ONCE):
        weights = chance.multinomial(rows, np.full(rows, 1 / rows), size=_AT_ONCE) / rows  # (B,R)
        means = weights @ cells
        variance = np.maximum(weights @ squares - means**2, 0) / (rows - 1)
        # a resample of one row over and over has no error to divide by
        errors = np.maximum(np.sqrt(variance), error * 1e-3)
        scaled = np.divide(np.abs(means - mean), errors, out=np.zeros_like(means), where=error > 0)
        deviations.append(scaled.max(axis=1, keepdims=True) if together else scaled)
    widest = np.quantile(np.concatenate(deviations), CONFIDENCE, axis=0) * error
    shape = values.shape[1:]
    return Intervals(mean.reshape(shape), (mean - widest).reshape(shape), (mean + widest).reshape(shape), rows)


def mean_interval(values: Sequence[float] | NDArray, seed: int) -> Interval:
    """The mean of (R) rows."""
    return mean_intervals(np.asarray(values, dtype=np.float64)[:, None], seed)[0,]


def share_interval(right: int, count: int) -> Interval:
    """A share of `count`, with Wilson's interval (1927), which does not leave 0..1."""
    if not count:
        return Interval(math.nan, 0.0, 1.0, 0)
    from scipy.stats import binomtest  # here: it takes 0.5 s

    found = binomtest(right, count).proportion_ci(CONFIDENCE, method="wilson")
    return Interval(right / count, float(found.low), float(found.high), count)


def mcnemar(first: NDArray, second: NDArray) -> float:
    """How likely so many differences on one side are by chance, where two models are equally good; (R) right each.

    Exact: of the rows in which only one of them is right, half fall to each (McNemar 1947).
    """
    from scipy.stats import binomtest

    only_first, only_second = int((first & ~second).sum()), int((~first & second).sum())
    if not only_first + only_second:
        return 1.0
    return float(binomtest(only_first, only_first + only_second).pvalue)


def ratio_interval(right: NDArray, count: NDArray, seed: int) -> Interval:
    """The share right of all that is counted, (R) each: what belongs to one row stays together in each resample."""
    rows, total = len(right), float(np.sum(count))
    if not total:
        return Interval(math.nan, 0.0, 1.0, 0)
    weights = np.random.default_rng(seed).multinomial(rows, np.full(rows, 1 / rows), size=RESAMPLES)  # (B,R)
    counted = weights @ count
    shares = np.divide(weights @ right, counted, out=np.full(RESAMPLES, np.nan), where=counted > 0)
    low, high = np.nanquantile(shares, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Interval(float(np.sum(right) / total), float(low), float(high), int(total))
