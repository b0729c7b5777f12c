"""How sure a number is: intervals by resampling rows (Efron 1979), shares by Wilson's, two models by McNemar's test.

A row is a sentence or a pair, never a token: tokens of one sentence are not independent of each other. R rows.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95
RESAMPLES = 2000
_AT_ONCE = 100  # resamples


@dataclass(frozen=True)
class Interval:
    """A number, the ends of its interval, and of how many it is."""

    value: float
    low: float
    high: float
    count: int


@dataclass(frozen=True, eq=False)
class Intervals:
    """Several numbers (...) of the same rows, and the ends of their intervals."""

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


def drawn(count: int, most: int, seed: int) -> list[int]:
    """The numbers of `most` rows by chance, in their order; of all, where there are no more."""
    found: list[int] = np.sort(np.random.default_rng(seed).permutation(count)[:most]).tolist()
    return found


def mean_intervals(values: NDArray, seed: int, *, together: bool = False) -> Intervals:
    """Means of (R,...) over the rows, with intervals by the bootstrap-t; without ends where there is one row alone.

    together: all cells are asked at once, so that of twenty experiments in which every true mean is 0 only one has any
    interval that leaves out 0: the largest deviation, in standard errors, of each resample counts (Westfall and Young
    1993). Else each interval is for its cell alone.
    """
    cells = np.asarray(values, dtype=np.float64).reshape(len(values), -1)  # (R,C)
    rows, mean = len(cells), cells.mean(axis=0)
    width = np.full_like(mean, np.inf)
    if rows > 1:
        error = cells.std(axis=0, ddof=1) / math.sqrt(rows)
        deviations = []
        for weights in _resamples(rows, seed):
            means = weights @ cells / rows
            variance = np.maximum(weights @ cells**2 / rows - means**2, 0) / (rows - 1)
            errors = np.maximum(np.sqrt(variance), error * 1e-3)  # one row over and over has no error to divide by
            scaled = np.divide(np.abs(means - mean), errors, out=np.zeros_like(means), where=error > 0)
            deviations.append(scaled.max(axis=1, keepdims=True) if together else scaled)
        width = np.quantile(np.concatenate(deviations), CONFIDENCE, axis=0) * error
    value, low, high = (each.reshape(np.shape(values)[1:]) for each in (mean, mean - width, mean + width))
    return Intervals(value, low, high, rows)


def mean_interval(values: Sequence[float] | NDArray, seed: int) -> Interval:
    """The mean of (R) rows."""
    return mean_intervals(np.asarray(values)[:, None], seed)[0,]


def ratio_intervals(sums: NDArray, counts: NDArray, seed: int) -> list[Interval]:
    """For each of C columns, sum over sum of counts: of sums (R,C) and counts (R), what belongs to a row stays together
    in each resample. The ends are quantiles (the percentile method)."""
    total = int(np.sum(counts))
    if not total:
        return [Interval(math.nan, math.nan, math.nan, 0)] * np.shape(sums)[1]
    of_resamples = []
    for weights in _resamples(len(counts), seed):
        counted = (weights @ counts)[:, None]
        of_resamples.append((weights @ sums / np.maximum(counted, 1))[counted[:, 0] > 0])
    lows, highs = np.quantile(np.concatenate(of_resamples), [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    found = np.stack([np.sum(sums, axis=0) / total, lows, highs], axis=1).tolist()
    return [Interval(value, low, high, total) for value, low, high in found]


def share_interval(right: int, count: int) -> Interval:
    """A share of `count`, with Wilson's interval (1927), which does not leave 0..1."""
    if not count:
        return Interval(math.nan, 0.0, 1.0, 0)
    share, z2 = right / count, NormalDist().inv_cdf((1 + CONFIDENCE) / 2) ** 2 / count
    middle, half = share + z2 / 2, math.sqrt(z2 * (share * (1 - share) + z2 / 4))
    low, high = ((middle + end) / (1 + z2) for end in (-half, half))
    return Interval(share, max(low, 0.0), min(high, 1.0), count)


def mcnemar(first: NDArray, second: NDArray) -> float:
    """How likely so uneven a split is by chance where two models are equally good, (R) right each: of the rows in which
    one of them alone is right, half fall to each (McNemar 1947; exact)."""
    from scipy.stats import binomtest  # here: it takes 0.5 s

    only_first, only_second = int((first & ~second).sum()), int((~first & second).sum())
    either = only_first + only_second
    return float(binomtest(only_first, either).pvalue) if either else 1.0


def _resamples(rows: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """How often each row is drawn, some resamples at a time (B,R), RESAMPLES in all."""
    chance = np.random.default_rng(seed)
    for _ in range(RESAMPLES // _AT_ONCE):
        drawn = chance.integers(0, rows, (_AT_ONCE, rows)) + rows * np.arange(_AT_ONCE)[:, None]
        yield np.bincount(drawn.ravel(), minlength=_AT_ONCE * rows).reshape(_AT_ONCE, rows).astype(np.float64)
