"""Where the difference between two texts passes through the model, for the view "Swap in".

Importable without torch: the window names what it asks about on its own thread, and has it worked out on another.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.targets import Target

from ..state import ModelInput, Reading
from .head_questions import INTERACTIVE_TOKENS
from .model_text import text_of

if TYPE_CHECKING:
    from bertcore.analysis.effects import PatchingMap
    from bertcore.analysis.interventions import PatchedPart
    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.progress import ReportProgress

MOST_S = 8.0  # what takes longer is offered, and not begun by itself
MEASURED = 2  # places, by which the time for all is estimated
HEAD_TO_PLACE = 1.6  # how much longer a head takes than a token: there is more to put in


@dataclass(frozen=True, eq=False)
class SwapMap:
    """An `effects.PatchingMap`, of a long text not of all places, and how long it took."""

    part: PatchedPart
    text: float  # the target
    other: float
    patched: NDArray[np.float64]  # (rows, columns)
    places: tuple[int, ...]  # the position, or head, of each column
    place_s: float  # that a column took

    @property
    def shares(self) -> NDArray[np.float64]:
        """As of a `PatchingMap`."""
        return (self.patched - self.text) / (self.other - self.text)

    def seconds_for(self, places: int, part: PatchedPart) -> float:
        """About how long another map of these texts takes."""
        return self.place_s * places * (HEAD_TO_PLACE if part == "head" else 1)


def swap_map(
    checkpoint: Checkpoint,
    ours: ModelInput,
    theirs: ModelInput,
    target: Target,
    part: PatchedPart,
    first: Sequence[int],
    most_s: float,
    progress: ReportProgress,
) -> SwapMap:
    """Everything in `ours` replaced in turn by what it is in `theirs` (`effects.patching_map`).

    first: places that come before the others. All others as well where all take `most_s` at most, as the time for the
    first of them says; else these alone, as many as there is time for.
    Raises BertcoreError where the texts differ in length, or not enough in the target.
    """
    from bertcore.analysis.effects import patching_map

    model = checkpoint.model
    text, other = (text_of(model, one) for one in (ours, theirs))
    count = model.config.num_attention_heads if part == "head" else len(text)
    order = list(dict.fromkeys([*first, *range(count)]))

    stamps: list[tuple[float, float]] = []  # time and share done

    def patched(places: Sequence[int], done: int, all_: int) -> PatchingMap:
        def report(share: float) -> None:
            stamps.append((time.perf_counter(), share))
            progress((done + share * len(places)) / all_)

        stamps.clear()
        given = (model, text, other, target, part)
        return patching_map(*given, columns=places, max_tokens=INTERACTIVE_TOKENS, progress=report)

    found = patched(order[:MEASURED] if math.isfinite(most_s) else order, 0, count)
    place_s = _pace(stamps) / len(found.columns)
    wanted = (
        order
        if place_s * count <= most_s
        else order[: min(len(first), max(MEASURED, int(most_s / max(place_s, 1e-9))))]
    )
    rest = wanted[len(found.columns) :]
    columns, values = found.columns, found.patched
    if rest:
        more = patched(rest, len(columns), len(wanted))
        columns, values = (*columns, *more.columns), np.hstack([values, more.patched])
        place_s = _pace(stamps) / len(more.columns)
    by_place = np.argsort(columns)
    return SwapMap(part, found.text, found.other, values[:, by_place], tuple(sorted(columns)), place_s)


def _pace(stamps: Sequence[tuple[float, float]]) -> float:
    """Seconds that all of the work takes, but for what comes before its first step: the passes of both texts."""
    (began, first), (ended, last) = stamps[0], stamps[-1]
    return (ended - began) / (last - first) if last > first else 0.0


def places_first(ours: Reading, theirs: Reading, target: Target, pinned: Sequence[int]) -> tuple[int, ...]:
    """The most telling positions of a long text: the token asked about, those that the texts differ in, and `pinned`,
    those that were clicked."""
    pairs = enumerate(zip(ours.request.input_ids, theirs.request.input_ids, strict=True))
    return tuple(dict.fromkeys([target.position, *pinned, *(at for at, (one, other) in pairs if one != other)]))
