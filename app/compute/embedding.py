"""What is asked of a model's own numbers: its tables compared, words near tokens, what training changed.

P positions, E width of the embeddings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from bertcore.analysis.vectors import NearestWords, cosine, cosines
from bertcore.errors import BertcoreError
from bertcore.progress import ReportProgress

if TYPE_CHECKING:
    from bertcore.analysis.compare import MovedWord, PartChange
    from bertcore.analysis.vectors import NearestBy, NearWord, WordsAround
    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.model.bert import Bert

NEIGHBOURS = 6
_words: WeakKeyDictionary[Bert, NearestWords] = WeakKeyDictionary()  # used on the worker's thread alone


@dataclass(frozen=True, eq=False)
class Tables:
    """What the position and segment tables say without any text."""

    position_cosines: np.ndarray  # (P,P): cosine of each pair of position vectors
    segments: np.ndarray | None  # (2,E) of A and B; None where the model does not tell them apart
    segment_cosine: float
    segment_distance: float  # L2


def compare_tables(checkpoint: Checkpoint, count: int, _progress: ReportProgress) -> Tables:
    """Of the first `count` positions and the first two segments."""
    embeddings = checkpoint.model.embeddings
    first = checkpoint.config.position_offset  # rows before it belong to no position
    positions = embeddings.position.weight.detach().float().cpu().numpy()[first : first + count]  # (P,E)
    segments = None if embeddings.segment is None else embeddings.segment.weight.detach().float().cpu().numpy()
    if segments is None or len(segments) < 2:
        return Tables(cosines(positions), None, 1.0, 0.0)
    pair = segments[:2]
    return Tables(cosines(positions), pair, cosine(*pair), float(np.linalg.norm(pair[0] - pair[1])))


def near_words(
    checkpoint: Checkpoint, token_ids: Sequence[int], count: int, by: NearestBy, _progress: ReportProgress
) -> list[NearWord]:
    """The words nearest to the mean vector of these tokens in the token table."""
    return _words_of(checkpoint).near(token_ids, count, by)


def words_around(
    checkpoint: Checkpoint, groups: Sequence[Sequence[int]], count: int, progress: ReportProgress
) -> WordsAround:
    """The words nearest to each group of token ids, by cosine."""
    return _words_of(checkpoint).around(groups, count, "cosine", progress)


def _words_of(checkpoint: Checkpoint) -> NearestWords:
    """Worked out once for a model: it does not change while it is open."""
    if checkpoint.model not in _words:
        _words[checkpoint.model] = NearestWords.of(checkpoint)
    return _words[checkpoint.model]


@dataclass(frozen=True, eq=False)
class TrainingChanges:
    """How far one model is from another of the same shape."""

    parts: Sequence[PartChange]
    words: Sequence[MovedWord]  # the farthest first
    no_words: str  # why none can be said to have moved: a sentence


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The words nearest to one in the token embeddings of two models."""

    id: int
    now: list[NearWord]
    before: list[NearWord]


def training_changes(ours: Checkpoint, before: Checkpoint, progress: ReportProgress) -> TrainingChanges:
    """As `bertcore compare` has them. Raises BertcoreError where the models are not of one shape."""
    from bertcore.comparing import compare_parameters

    progress(0.0)
    parts, words, notes = compare_parameters(ours, before)
    if parts is None:
        raise BertcoreError(notes[0])
    return TrainingChanges(parts, words or (), " ".join(notes))


def neighbours(ours: Checkpoint, before: Checkpoint, token_id: int, progress: ReportProgress) -> Neighbours:
    progress(0.0)
    now, then = (_words_of(checkpoint).near([token_id], NEIGHBOURS) for checkpoint in (ours, before))
    return Neighbours(token_id, now, then)
