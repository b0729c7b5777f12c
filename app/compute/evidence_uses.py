"""What the room Evidence asks about one word in a collection, its other uses, and about one unit: what fires it.

Importable without torch. U units of a layer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bertcore.errors import BertcoreError
from bertcore.progress import ReportProgress, part_of

from .evidence import Gathered, Kept

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.evidence.fires import Fires, Matters, UnitKind
    from bertcore.evidence.nearest import Use, UseGroups

NEAREST, LEAST_ALIKE, GROUPS = 50, 8, 3
READING = 0.9  # the share of the work that making the index is


@dataclass(frozen=True, eq=False)
class FoundUses:
    """Other uses of a word, or of several side by side, after one layer. Values of uses are cosines."""

    word: str
    nearest: Sequence[Use]  # the nearest first
    same: Sequence[Use]  # of the word itself, the least alike first
    by_layer: Mapping[int, int]  # stage -> how many of the nearest are the word itself
    any_two: NDArray[np.float32]  # cosines of any two tokens, drawn at random
    groups: UseGroups | None  # None where the word is too rare
    tokens: int  # that were compared


def uses_of(
    checkpoint: Checkpoint,
    gathered: Gathered,
    texts: tuple[str, str | None],
    positions: tuple[int, ...],
    stage: int,
    kept: Kept,
    progress: ReportProgress,
) -> FoundUses:
    """Of the tokens at some positions of a text (`evidence.nearest`); the index is made where there is none yet.

    Raises BertcoreError for special tokens, and where there is no room for an index.
    """
    from bertcore.evidence.nearest import open_index

    def find() -> FoundUses:
        index = kept.get(
            checkpoint,
            (gathered, "index"),
            lambda: open_index(checkpoint, gathered.collection, progress=part_of(progress, 0.0, READING)),
        )
        encoding = checkpoint.tokenizer.encode(*texts, max_length=checkpoint.config.max_length)
        asked = index.ask(encoding, positions)
        same = list(index.same_word(asked, stage))[::-1]
        try:
            groups = index.groups(asked, stage, GROUPS)
        except BertcoreError:
            groups = None
        nearest, by_layer = index.nearest(asked, stage, NEAREST), index.same_by_layer(asked, NEAREST)
        tokens = len(index.tokens.ids)
        return FoundUses(asked.word, nearest, same, by_layer, index.any_two(stage), groups, tokens)

    return kept.get(checkpoint, (gathered, "uses", texts, positions, stage), find)


Words = list[tuple[str, int]]  # and how often each


@dataclass(frozen=True, eq=False)
class FoundUnit:
    """What fires one unit of a layer. Values of uses are activations; of a head, the length of what it adds."""

    kind: UnitKind
    layer: int
    unit: int
    strongest: Sequence[Use]
    at_random: Sequence[Use]
    before: Words  # of the strongest contexts
    own: Words
    after: Words
    bars: NDArray[np.int64]  # how many of all tokens fall into each bar, from -reach to reach
    reach: float
    clear: NDArray[np.float64]  # (U) the share of the strongest contexts that are one word
    clear_by_chance: float
    matters: Matters | None  # None where the model guesses no words, or no word follows


def unit_of(
    checkpoint: Checkpoint,
    gathered: Gathered,
    kind: UnitKind,
    layer: int,
    unit: int | None,
    kept: Kept,
    progress: ReportProgress,
) -> FoundUnit:
    """unit: None for the clearest one. All units of the layer are looked at in one pass (`evidence.fires`)."""
    from bertcore.evidence.fires import fires

    def look() -> Fires:
        return fires(checkpoint, gathered.collection, layer, kind, progress=part_of(progress, 0.0, READING))

    all_ = kept.get(checkpoint, (gathered, "fires", kind, layer), look)
    chosen = all_.order()[0] if unit is None else min(unit, len(all_.top) - 1)

    def find() -> FoundUnit:
        try:
            matters = all_.matters(chosen)
        except BertcoreError:
            matters = None
        uses = all_.contexts(chosen), all_.at_random(chosen)
        before, own, after = (all_.words(chosen, step) for step in (-1, 0, 1))
        bars, reach, by_chance = all_.bars[chosen], float(all_.reach[chosen]), all_.clear_by_chance
        words = before, own, after
        return FoundUnit(kind, layer, chosen, *uses, *words, bars, reach, all_.clear, by_chance, matters)

    return kept.get(checkpoint, (gathered, "unit", kind, layer, chosen), find)
