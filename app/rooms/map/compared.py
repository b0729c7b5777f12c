"""How far the line of each token is from the one it is compared with, after each layer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bertcore.analysis.compare import state_similarity
from bertcore.errors import BertcoreError

from ...look.say import say
from ...state.baseline_names import baseline_name, reason_in_words

if TYPE_CHECKING:
    from ...state.readings import Reading

LEAST_DISTANCE = 0.05  # that the colours reach to: rounding errors stay grey


@dataclass(frozen=True, eq=False)
class ComparedLines:
    """A reading with a baseline. S tokens, L layers."""

    name: str  # of the baseline
    distances: np.ndarray | None  # (S,L+1) 1 - cosine, NaN for a token without a counterpart
    problem: str = ""  # why there are none

    @cached_property
    def limit(self) -> float:
        """The distance of the strongest colour."""
        known = LEAST_DISTANCE if self.distances is None else np.nanmax(self.distances, initial=LEAST_DISTANCE)
        return float(known)

    def share(self, position: int, stage: int) -> float | None:
        """The place of a line on the scale 0..1; None where nothing is compared."""
        if self.distances is None or np.isnan(self.distances[position, stage]):
            return None
        return float(self.distances[position, stage]) / self.limit


def compared_lines(reading: Reading) -> ComparedLines | None:
    """None without a baseline."""
    baseline, alignment = reading.baseline, reading.alignment
    if baseline is None or alignment is None:
        return None
    name, ours, theirs = baseline_name(reading), reading.trace.hidden_states, baseline.trace.hidden_states
    if alignment.reason is not None:
        return ComparedLines(name, None, reason_in_words(alignment.reason))
    try:
        cosines = state_similarity(ours, theirs, alignment)  # (L+1,P)
    except BertcoreError:
        problem = say(
            "The two models have different layers or sizes, so the distance between their lines cannot be measured."
        )
        return ComparedLines(name, None, problem)
    distances = np.full((ours.shape[1], len(ours)), np.nan)
    distances[[mine for mine, _ in alignment.pairs]] = 1 - cosines.T
    return ComparedLines(name, distances)
