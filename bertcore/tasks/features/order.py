"""Which examples go into which batch: those of like length together, so that little is padding."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

BATCHES_SORTED_TOGETHER = 100  # enough to leave little padding, few enough that batches differ from epoch to epoch

Order = list[NDArray[np.int64]]  # the units of each batch


def shuffled_order(
    lengths: NDArray[np.int64], batch_size: int, rng: np.random.Generator, groups: NDArray[np.int64] | None = None
) -> Order:
    """All units once, in batches of at most `batch_size` whose sizes differ by one at most; the order is random.

    Units are drawn at random into pools of 100 batches, sorted by length within their pool, and cut into batches.
    `lengths` (U); `groups` (U): units of unlike groups are never in one batch.
    """
    batches: Order = []
    for members in _members(lengths, groups):
        drawn, sizes = rng.permutation(members), _sizes(len(members), batch_size)
        for first in range(0, len(sizes), BATCHES_SORTED_TOGETHER):
            pool_sizes = sizes[first : first + BATCHES_SORTED_TOGETHER]
            pool, drawn = np.split(drawn, [sum(pool_sizes)])
            batches += _cut(pool[np.argsort(lengths[pool], kind="stable")], pool_sizes)
    return [batches[place] for place in rng.permutation(len(batches))]


def sorted_order(lengths: NDArray[np.int64], batch_size: int, groups: NDArray[np.int64] | None = None) -> Order:
    """All units once, the longest first (what does not fit into memory shows at once), always in the same order."""
    batches: Order = []
    for members in _members(lengths, groups):
        by_length = members[np.argsort(-lengths[members], kind="stable")]
        batches += _cut(by_length, _sizes(len(members), batch_size))
    return batches


def _members(lengths: NDArray[np.int64], groups: NDArray[np.int64] | None) -> list[NDArray[np.int64]]:
    if groups is None:
        return [np.arange(len(lengths))]
    return [np.flatnonzero(groups == group) for group in np.unique(groups)]


def _sizes(count: int, batch_size: int) -> list[int]:
    """Even batches: a last one of a single example would weigh as much as a full one."""
    batches = -(-count // batch_size)
    return [count // batches + (i < count % batches) for i in range(batches)]


def _cut(units: NDArray[np.int64], sizes: Sequence[int]) -> Order:
    return np.split(units, np.cumsum(sizes)[:-1]) if sizes else []
