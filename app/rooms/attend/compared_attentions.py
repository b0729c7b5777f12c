"""The attention of a reading beside that of its baseline: differences, and which heads moved.

L layers, N heads, U units: what our rows and columns stand for; U' theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bertcore.analysis.align import Alignment, align
from bertcore.analysis.compare import matched_heads
from bertcore.progress import ReportProgress

from ...look.say import say
from ...state.baseline_names import baseline_name, reason_in_words, replacing, where_compared
from ...state.readings import THUMBNAIL_TOKENS, Reading
from ...state.token_units import TokenView
from .attentions import Attentions, Head


@dataclass(frozen=True, eq=False)
class Moved:
    """How far each head is from its own self in the baseline; in a model of another shape, from the most similar."""

    divergences: np.ndarray  # (L,N) Jensen-Shannon, in bits: 0 the same, 1 nothing in common
    layers: np.ndarray | None  # (L,N) of the head it is compared with; None: itself
    heads: np.ndarray | None  # (L,N)

    def baseline_head(self, spot: Head) -> Head:
        if self.layers is None or self.heads is None:
            return spot
        return int(self.layers[spot]), int(self.heads[spot])


class ComparedAttentions:
    """One reading with a baseline, in one token view."""

    def __init__(self, ours: Attentions) -> None:
        assert ours.reading.baseline is not None
        self.ours, self.baseline = ours, Attentions(ours.reading.baseline, ours.token_view)
        self.alignment: Alignment = align(ours.encoding, self.baseline.encoding)  # of units

    @property
    def name(self) -> str:
        return baseline_name(self.ours.reading)

    @property
    def where(self) -> str:
        """ "with the unchanged model", "at step 0" """
        return where_compared(self.ours.reading)

    @property
    def has_same_heads(self) -> bool:
        return (self.ours.layers, self.ours.heads) == (self.baseline.layers, self.baseline.heads)

    @cached_property
    def problem(self) -> str:
        """Why heads have no difference, in a sentence; empty where they have one."""
        if self.alignment.reason is not None:
            return reason_in_words(self.alignment.reason)
        if self.has_same_heads:
            return ""
        return say(
            "The models have {ours} and {theirs} heads, so they cannot be paired one to one.",
            ours=_shape(self.ours),
            theirs=_shape(self.baseline),
        )

    @cached_property
    def labels(self) -> list[str]:
        """(U) What stood in the baseline's text is named too: `france (vs england)`."""
        theirs = self.baseline.units.labels
        others = [None if place is None else theirs[place] for place in self.alignment.other_positions]
        return list(map(replacing, self.ours.units.labels, others))

    @cached_property
    def _pairs(self) -> tuple[np.ndarray, np.ndarray]:
        pairs = np.array(self.alignment.pairs, dtype=np.int64).reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]

    def before(self, layer: int, head: int) -> np.ndarray:
        """The baseline's attention in our places (U,U), NaN where a unit has no counterpart."""
        return self.placed(self.baseline.weights(layer, head))

    def difference(self, layer: int, head: int) -> np.ndarray:
        """Now minus before (U,U), 0 where a unit has no counterpart."""
        return np.nan_to_num(self.ours.weights(layer, head) - self.before(layer, head))

    def thumbnails(self, progress: ReportProgress | None = None) -> np.ndarray:
        """Differences of all heads, made small (L,N,T,T): of each block the largest, whatever its sign."""
        ours, theirs = self.ours.reading.trace.attentions, self.baseline.reading.trace.attentions
        made = []
        for layer in range(self.ours.layers):
            before = self.placed(self.baseline.units.attention(theirs[layer]))
            made.append(_shrunk(np.nan_to_num(self.ours.units.attention(ours[layer]) - before)))
            if progress is not None:
                progress((layer + 1) / self.ours.layers)
        return np.stack(made)

    def placed(self, theirs: np.ndarray) -> np.ndarray:
        """(...,U',U') -> (...,U,U), NaN where a unit has no counterpart."""
        size = len(self.ours.units)
        rows, columns = self._pairs
        placed = np.full((*theirs.shape[:-2], size, size), np.nan, dtype=np.float32)
        placed[..., rows[:, None], rows] = theirs[..., columns[:, None], columns]
        return placed


def moved_heads(reading: Reading, view: TokenView, _progress: ReportProgress) -> Moved:
    """Raises BertcoreError where nothing is paired."""
    both = ComparedAttentions(Attentions(reading, view))
    ours, theirs = both.ours.stacked(), both.baseline.stacked()
    matched = matched_heads(ours, theirs, both.alignment)
    return Moved(matched.divergences, *((None, None) if both.has_same_heads else (matched.layers, matched.heads)))


def compared_thumbnails(reading: Reading, view: TokenView, progress: ReportProgress) -> np.ndarray:
    return ComparedAttentions(Attentions(reading, view)).thumbnails(progress)


def compared(attentions: Attentions) -> ComparedAttentions | None:
    """None without a baseline."""
    return None if attentions.reading.baseline is None else ComparedAttentions(attentions)


def _shrunk(difference: np.ndarray) -> np.ndarray:
    """(N,U,U) -> (N,T,T), T <= 64"""
    size = difference.shape[-1]
    if size <= THUMBNAIL_TOKENS:
        return difference
    edges = np.linspace(0, size, THUMBNAIL_TOKENS, endpoint=False).astype(int)
    high = np.maximum.reduceat(np.maximum.reduceat(difference, edges, axis=1), edges, axis=2)
    low = np.minimum.reduceat(np.minimum.reduceat(difference, edges, axis=1), edges, axis=2)
    return np.where(-low > high, low, high)


def _shape(attentions: Attentions) -> str:
    return f"{attentions.layers} × {attentions.heads}"
