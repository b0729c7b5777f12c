"""What examples are as the model reads them, kind by kind: packed NumPy arrays, and the way back to the example.

N sequences, T tokens of all together, E examples, K labels. A label of -100 is not counted.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertcore.tasks.examples import (
    AnswerExample,
    ChoiceExample,
    Example,
    Kind,
    SummaryExample,
    TaggedExample,
    TextExample,
)


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


OUTSIDE = "O"  # the tag of a word that the model did not see


@dataclass(frozen=True)
class Features:
    """Sequences of one kind of task. A unit is what cannot be torn apart: a sequence, or all choices of a question."""

    kind: Kind
    head: str  # the name of the model's head, and of the labels in a TaskBatch
    examples: Sequence[Example]
    labels: tuple[str, ...]  # what is chosen from; () where that is not named
    ids: Ragged  # N rows, 32 bits
    segments: Ragged  # N rows, 8 bits; the frame's, whether or not the model has segments
    cut: NDArray[np.int64]  # (N) tokens that a sequence had no room for; of a passage none, as it has windows
    example_of: NDArray[np.int64]  # (N) the example that a sequence is of
    labelled: bool  # whether every example's answer is known; if not, a loss means nothing

    @property
    def examples_cut(self) -> int:
        """How many examples the model does not read to their end."""
        return len(np.unique(self.example_of[self.cut > 0]))

    @property
    def unit_starts(self) -> NDArray[np.int64]:
        """(U+1): unit i is sequences unit_starts[i] ... unit_starts[i+1] - 1."""
        return np.arange(len(self.ids) + 1)

    @property
    def unit_lengths(self) -> NDArray[np.int64]:
        """(U) tokens of each unit's longest sequence."""
        return np.maximum.reduceat(self.ids.lengths, self.unit_starts[:-1])

    def sequences_of(self, units: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of the sequences of some units, unit by unit."""
        return units


@dataclass(frozen=True)
class TextFeatures(Features):
    """classify, regress and multilabel: a sequence for each example."""

    examples: Sequence[TextExample]
    answers: NDArray  # (N) label numbers, -100 if not known; (N) numbers or (N,K) 0 and 1, NaN if not known


@dataclass(frozen=True)
class TagFeatures(Features):
    """tag: a sequence for each example. A word's first piece stands for it."""

    examples: Sequence[TaggedExample]
    words: Ragged  # per token: the word that it is the first piece of, else -1
    answers: Ragged  # per token: the number of that word's tag, else -100


@dataclass(frozen=True)
class SpanFeatures(Features):
    """span: a sequence for each window of a passage; the windows of one example follow each other."""

    examples: Sequence[AnswerExample]
    answers: NDArray[np.int64]  # (N,2) first and last token of the answer; 0 and 0 where the window has none
    passage: NDArray[
        np.int64
    ]  # (N,3) place of the passage's first token in the window, their number, number cut before
    offsets: Ragged  # E rows (tokens of the passage, 2): characters [start, end)

    def in_passage(self, sequences: NDArray[np.int64], length: int) -> NDArray[np.bool_]:
        """(len(sequences), length): which tokens are the passage's, and not the question's, special or padding."""
        place = np.arange(length)
        first, count, _ = (column[:, None] for column in self.passage[sequences].T)
        return (place >= first) & (place < first + count)

    def text(self, window: int, start: int, end: int) -> tuple[str, int, int]:
        """What tokens start ... end (inclusive) of a window stand for, and its characters [start, end)."""
        first, _, before = self.passage[window]
        example = int(self.example_of[window])
        offsets, passage = self.offsets[example], self.examples[example].passage
        begin, stop = int(offsets[start - first + before, 0]), int(offsets[end - first + before, 1])
        text = passage[begin:stop]
        begin += len(text) - len(text.lstrip())  # some tokens begin with the space before a word
        return text.strip(), begin, begin + len(text.strip())


@dataclass(frozen=True)
class ChoiceFeatures(Features):
    """choice: a sequence for each ending, those of one example on end."""

    examples: Sequence[ChoiceExample]
    question_starts: NDArray[np.int64]  # (E+1) first sequence of each example
    answers: NDArray[np.int64]  # (E) which ending is right, -100 if not known

    @property
    def unit_starts(self) -> NDArray[np.int64]:
        return self.question_starts

    def sequences_of(self, units: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.concatenate([np.arange(*self.question_starts[unit : unit + 2]) for unit in units])


@dataclass(frozen=True)
class SummaryFeatures(Features):
    """summarise: a sequence for each document, with a [CLS] before each sentence."""

    examples: Sequence[SummaryExample]
    firsts: Ragged  # N rows: places of the [CLS] tokens in the sequence, one for each sentence that fits
    answers: Ragged  # N rows: 1 for a sentence of the summary, 0 for another; NaN if not known
