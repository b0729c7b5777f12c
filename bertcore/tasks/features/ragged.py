"""Rows of unlike length in two arrays: a hundred thousand sequences take no more memory than their numbers."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Ragged:
    """N rows on end: row i is values[starts[i] : starts[i + 1]]."""

    values: NDArray  # (T,...)
    starts: NDArray[np.int64]  # (N+1), from 0 to T

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, row: int) -> NDArray:
        return self.values[self.starts[row] : self.starts[row + 1]]

    def __iter__(self) -> Iterator[NDArray]:
        return (self[row] for row in range(len(self)))

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.starts)

    def lengths_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        lengths: NDArray[np.int64] = self.starts[rows + 1] - self.starts[rows]
        return lengths

    def joined(self, rows: NDArray[np.int64]) -> NDArray:
        """The values of some rows, one row after the other."""
        parts = [self[row] for row in rows]
        return np.concatenate(parts) if parts else self.values[:0]

    def padded(self, rows: NDArray[np.int64], fill: int) -> NDArray[np.int64]:
        """Some rows as (len(rows), longest of them), `fill` behind their ends."""
        lengths = self.lengths_of(rows)
        table = np.full((len(rows), int(lengths.max(initial=0))), fill, dtype=np.int64)
        table[np.arange(table.shape[1]) < lengths[:, None]] = self.joined(rows)
        return table

    @classmethod
    def of(cls, rows: Iterable[Iterable[int]]) -> Ragged:
        """Rows of whole numbers, 32 bits each."""
        values, starts = array("i"), array("q", [0])
        for row in rows:
            values.extend(row)
            starts.append(len(values))
        return cls(np.array(values, dtype=np.int32), np.array(starts, dtype=np.int64))
