"""Features to batches of tensors: dynamic padding, and an order that (seed, epoch) alone fixes.

B sequences of S tokens, R rows of B*S, K labels, C choices.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertcore.data.pairs import NO_LABEL
from bertcore.model.losses import TaskBatch
from bertcore.tasks.features.kinds import (
    ChoiceFeatures,
    Features,
    SpanFeatures,
    SummaryFeatures,
    TagFeatures,
    TextFeatures,
)
from bertcore.tasks.features.order import Order, shuffled_order, sorted_order


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

    def __len__(self) -> int:
        """Batches of an epoch, alike in all."""
        return len(sorted_order(self._lengths, self.batch_size, self._groups))

    @property
    def _groups(self) -> NDArray[np.int64] | None:
        """Questions with unlike numbers of choices do not fit into one batch."""
        return self._rows if isinstance(self.features, ChoiceFeatures) else None

    def order(self, epoch: int = 0) -> Order:
        """The units of each batch of an epoch: a pure function of (seed, epoch)."""
        if not self.shuffle:
            return sorted_order(self._lengths, self.batch_size, self._groups)
        return shuffled_order(self._lengths, self.batch_size, np.random.default_rng([self.seed, epoch]), self._groups)

    def epoch(self, epoch: int = 0, first: int = 0) -> Iterator[TaskBatch]:
        """The batches of an epoch, from batch number `first` on."""
        return (self.batch(units) for units in self.order(epoch)[first:])

    def batch(self, units: NDArray[np.int64]) -> TaskBatch:
        """The sequences of some units, padded to the longest, with their labels."""
        features = self.features
        sequences = features.sequences_of(units)
        lengths = features.ids.lengths_of(sequences)
        ids = features.ids.padded(sequences, self.pad_id)
        segments = features.segments.padded(sequences, 0) if self._segments else None
        is_real = np.arange(ids.shape[1]) < lengths[:, None]
        rows, choices = {}, 1
        if isinstance(features, SummaryFeatures):
            rows = {features.head: _summary_rows(features, sequences, ids.shape[1])}
        if isinstance(features, ChoiceFeatures):
            choices = int(self._rows[units[0]])
        return TaskBatch(
            torch.from_numpy(ids),
            None if segments is None else torch.from_numpy(segments),
            None if is_real.all() else torch.from_numpy(is_real.astype(np.int64)),
            {features.head: _labels(features, units, sequences)},
            rows,
            choices,
        )


def _labels(features: Features, units: NDArray[np.int64], sequences: NDArray[np.int64]) -> Tensor:
    if isinstance(features, TagFeatures):
        return torch.from_numpy(features.answers.padded(sequences, NO_LABEL))  # (B,S)
    if isinstance(features, SummaryFeatures):
        return torch.from_numpy(features.answers.joined(sequences))  # (R)
    assert isinstance(features, TextFeatures | SpanFeatures | ChoiceFeatures)
    return torch.from_numpy(features.answers[units])  # (B), (B,K), (B,2) or (B/C)


def _summary_rows(features: SummaryFeatures, sequences: NDArray[np.int64], length: int) -> Tensor:
    """(R) indices into B*S of every sentence's [CLS]."""
    begins = np.repeat(np.arange(len(sequences)) * length, features.firsts.lengths_of(sequences))
    return torch.from_numpy(begins + features.firsts.joined(sequences))


def to_device(batch: TaskBatch, device: torch.device) -> TaskBatch:
    if batch.input_ids.device == device:
        return batch
    return replace(
        batch,
        input_ids=batch.input_ids.to(device),
        segment_ids=None if batch.segment_ids is None else batch.segment_ids.to(device),
        attention_mask=None if batch.attention_mask is None else batch.attention_mask.to(device),
        labels={name: value.to(device) for name, value in batch.labels.items()},
        rows={name: value.to(device) for name, value in batch.rows.items()},
    )
