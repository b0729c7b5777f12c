"""Features to batches of tensors: dynamic padding, and an order that (seed, epoch) alone fixes.

B sequences of S tokens, R rows of B*S, U units.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import torch

from bertcore.tasks.kinds.base import Features, TaskBatch
from bertcore.tasks.packed import Ints

BATCHES_SORTED_TOGETHER = 100  # enough to leave little padding, few enough that batches differ from epoch to epoch

Order = list[Ints]  # the units of each batch


def shuffled_order(lengths: Ints, batch_size: int, rng: np.random.Generator, groups: Ints | None = None) -> Order:
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


def sorted_order(lengths: Ints, batch_size: int, groups: Ints | None = None) -> Order:
    """All units once, the longest first (what does not fit into memory shows at once), always in the same order."""
    batches: Order = []
    for members in _members(lengths, groups):
        by_length = members[np.argsort(-lengths[members], kind="stable")]
        batches += _cut(by_length, _sizes(len(members), batch_size))
    return batches


def _members(lengths: Ints, groups: Ints | None) -> list[Ints]:
    if groups is None:
        return [np.arange(len(lengths))]
    return [np.flatnonzero(groups == group) for group in np.unique(groups)]


def _sizes(count: int, batch_size: int) -> list[int]:
    """Even batches: a last one of a single example would weigh as much as a full one."""
    batches = -(-count // batch_size)
    return [count // batches + (i < count % batches) for i in range(batches)]


def _cut(units: Ints, sizes: Sequence[int]) -> Order:
    return np.split(units, np.cumsum(sizes)[:-1]) if sizes else []


class TaskBatches:
    """The batches of a task, epoch by epoch; batch n of an epoch is always the same one, so a number is all to resume.

    `batch_size` counts units: sequences, or questions with all their choices. `segments` False: the model has none (or
    one), and gets None. `shuffle` False: the longest first, the same in every epoch.
    """

    def __init__(
        self,
        features: Features,
        batch_size: int,
        pad_id: int,
        seed: int = 0,
        *,
        segments: bool = True,
        shuffle: bool = True,
    ) -> None:
        if batch_size < 1:
            raise ValueError(f"a batch of {batch_size}: it takes at least one")
        self.features, self.batch_size, self.pad_id, self.seed = features, batch_size, pad_id, seed
        self.shuffle = shuffle
        self._segments = segments and bool(features.segments.values.any())
        self._rows = np.diff(features.unit_starts)  # sequences of each unit
        self._lengths = features.unit_lengths
        self._epoch: tuple[int, Order] | None = None  # the number of an epoch, and its order

    def __len__(self) -> int:
        return self.per_epoch

    @cached_property
    def per_epoch(self) -> int:
        """Batches of an epoch, alike in all."""
        return len(sorted_order(self._lengths, self.batch_size, self._rows))

    def order(self, epoch: int = 0) -> Order:
        """The units of each batch of an epoch: a pure function of (seed, epoch).

        Questions with unlike numbers of choices do not fit into one batch.
        """
        if not self.shuffle:
            return sorted_order(self._lengths, self.batch_size, self._rows)
        return shuffled_order(self._lengths, self.batch_size, np.random.default_rng([self.seed, epoch]), self._rows)

    def of_step(self, step: int) -> tuple[int, Ints]:
        """The epoch of a step, which counts from 1, and the units of its batch."""
        epoch, place = divmod(step - 1, self.per_epoch)
        if self._epoch is None or self._epoch[0] != epoch:
            self._epoch = epoch, self.order(epoch)
        return epoch, self._epoch[1][place]

    def batch(self, units: Ints) -> TaskBatch:
        """The sequences of some units, padded to the longest, with their labels."""
        features, kind = self.features, self.features.kind
        sequences = features.sequences_of(units)
        lengths = features.ids.lengths_of(sequences)
        ids = features.ids.padded(sequences, self.pad_id)
        segments = features.segments.padded(sequences, 0) if self._segments else None
        is_real = np.arange(ids.shape[1]) < lengths[:, None]
        rows = kind.batch_rows(features, sequences, ids.shape[1])
        return TaskBatch(
            kind,
            features.head,
            torch.from_numpy(ids),
            None if segments is None else torch.from_numpy(segments),
            None if is_real.all() else torch.from_numpy(is_real.astype(np.int64)),
            torch.from_numpy(kind.batch_labels(features, units, sequences)),
            None if rows is None else torch.from_numpy(rows),
            int(self._rows[units[0]]),
        )
