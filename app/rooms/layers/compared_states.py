"""The hidden states of a reading beside those of its baseline: what has become larger, and what more alike."""

import numpy as np

from bertcore.analysis.vectors import cosines, lengths

from ...look.say import say
from ...state.baseline_names import reason_in_words, replacing
from ...state.readings import Reading
from ...state.selection import Selection


class BothStates:
    """In one token view. U units; NaN where one has no counterpart."""

    def __init__(self, reading: Reading, selection: Selection) -> None:
        assert reading.baseline is not None
        self._ours, self._theirs = selection.units(reading), reading.baseline.units(selection.token_view)
        self._states = reading.trace.hidden_states, reading.baseline.trace.hidden_states
        self._places = reading.places_in_baseline(selection.token_view)
        self._index = np.array([-1 if place is None else place for place in self._places], dtype=int)
        alignment = reading.alignment
        self.problem = ""
        if alignment is not None and alignment.reason is not None:
            self.problem = reason_in_words(alignment.reason)
        elif not self.has_same_layers:
            self.problem = say("The two models have different layers, so only the open model is shown.")

    @property
    def has_same_layers(self) -> bool:
        ours, theirs = self._states
        return len(ours) == len(theirs)

    @property
    def labels(self) -> list[str]:
        """(U) `france (vs england)` where the baseline has another word."""
        theirs = self._theirs.labels
        others = [None if place is None else theirs[place] for place in self._places]
        return list(map(replacing, self._ours.labels, others))

    def lengths(self) -> np.ndarray | None:
        """(U,L+1) now minus before; 0 where there is no counterpart."""
        if self.problem:
            return None
        stages = [
            lengths(self._ours.vectors(mine)) - self._placed(lengths(self._theirs.vectors(other)))
            for mine, other in zip(*self._states, strict=True)
        ]
        return np.ascontiguousarray(np.nan_to_num(np.stack(stages, axis=1)))

    def cosines(self, stage: int) -> np.ndarray | None:
        """(U,U) of the baseline, in our places."""
        if self.problem:
            return None
        theirs = cosines(self._theirs.vectors(self._states[1][stage]))
        missing = self._index < 0
        placed = theirs[self._index][:, self._index].astype(float)
        placed[missing], placed[:, missing] = np.nan, np.nan
        return placed

    def _placed(self, values: np.ndarray) -> np.ndarray:
        placed: np.ndarray = np.where(self._index >= 0, values[self._index], np.nan)
        return placed
