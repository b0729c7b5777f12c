"""What training changed inside the model, for the view "Weights". Importable without torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bertcore.errors import BertcoreError

if TYPE_CHECKING:
    from bertcore.analysis.compare import MovedWord, PartChange
    from bertcore.analysis.vectors import NearWord
    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.progress import ReportProgress

NEIGHBOURS = 6


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
    from bertcore.analysis.vectors import NearestWords

    found: list[list[NearWord]] = []
    for checkpoint in (ours, before):
        progress(len(found) / 2)
        found.append(NearestWords.of(checkpoint).near([token_id], NEIGHBOURS))
    return Neighbours(token_id, *found)
