"""Numbers with named sides: what a view computes for one reading.

    Values(sizes, tokens(units), stages(13))       sizes (U,13): rows are tokens, columns what leaves each layer

What a side counts decides its labels, what hovering and clicking it mean in all rooms, the axis in a saved file, and
which place of a baseline each of its places is compared with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from ..look import names, say
from ..state.baseline_names import reason_in_words, replacing
from ..state.readings import Reading
from ..state.token_units import Units
from ..state.what_if import head_name
from .figure import Axis

Kind = Literal[
    "token", "stage", "layer", "head", "a_head", "neuron", "dimension", "word", "class", "text", "step", "part", "none"
]
DIFFERENT: dict[str, str] = names("different sides")  # why those of other lengths have no places in common
AXES = {"stage": "layer", "a_head": "head"}  # what a kind is called in a saved file, where that is another word


class NotComparableError(Exception):
    """A sentence: why a reading and its baseline have no numbers to subtract."""


@dataclass(frozen=True, eq=False)
class Side:
    """What one side of an array counts (n places), and how each place is named."""

    kind: Kind
    labels: Sequence[str]  # (n)
    colors: Sequence[str] = ()  # (n) names in the theme; empty: all muted
    numbers: Sequence[int] = ()  # (n) positions of tokens, stages, layers, heads, …; empty: counted from 0
    units: Units | None = None  # of tokens: what they are the units of
    axis_name: str = ""  # in a saved file; empty: by its kind

    def __len__(self) -> int:
        return len(self.labels)

    def number(self, place: int) -> int:
        """Which token, stage, layer or head a place is."""
        return self.numbers[place] if self.numbers else place

    def place_of(self, number: int | None) -> int | None:
        """Where a token, stage, layer or head stands; None where it does not."""
        if number is None:
            return None
        if self.numbers:
            return self.numbers.index(number) if number in self.numbers else None
        return number if 0 <= number < len(self) else None

    def name(self, place: int) -> str:
        """Of a place, in a sentence; of a text its number."""
        if self.kind == "text":
            return str(self.number(place) + 1)
        return stage_name(self.number(place)) if self.kind == "stage" else self.labels[place]

    def some(self, places: Sequence[int]) -> Side:
        """Of these places alone, in this order."""
        labels, numbers = [self.labels[place] for place in places], [self.number(place) for place in places]
        colors = [self.colors[place] for place in places] if self.colors else ()
        return replace(self, labels=labels, colors=colors, numbers=numbers)

    def seen_from(self, reading: Reading) -> Side:
        """Tokens of the baseline, each by the position of ours that is compared with it; -1 where there is none."""
        if self.units is None:
            return self
        units, numbers = reading.units(self.units.view), [-1] * len(self)
        for first, place in zip(units.first_positions, reading.places_in_baseline(units.view), strict=True):
            if place is not None:
                numbers[place] = first
        return replace(self, numbers=numbers, units=units)

    def axis(self, beside: Side | None = None) -> Axis:
        """As a saved file names it. beside: the other side, which may count the same."""
        is_other = beside is not None and beside.kind == self.kind
        name = ("other " if is_other else "") + AXES.get(self.kind, self.kind)
        return Axis(self.axis_name or name, self.labels)

    def places_in(self, baseline: Side, reading: Reading, *, in_full: bool) -> list[int | None]:
        """The place there that each of ours is compared with; None where it has no counterpart.

        Tokens are paired by characters, words and classes by name, all else by number. in_full: layers, heads and
        dimensions only where both have as many. Raises NotComparableError.
        """
        if self.kind == "token":
            return self._tokens_in(baseline, reading)
        if self.kind in ("word", "class"):
            found = {label: place for place, label in enumerate(baseline.labels)}
            return [found.get(label) for label in self.labels]
        if in_full and self.kind in DIFFERENT and len(self) != len(baseline):
            raise NotComparableError(say(DIFFERENT[self.kind]))
        return [baseline.place_of(self.number(place)) for place in range(len(self))]

    def _tokens_in(self, baseline: Side, reading: Reading) -> list[int | None]:
        assert self.units is not None and reading.baseline is not None and reading.alignment is not None
        if reading.alignment.reason is not None:
            raise NotComparableError(reason_in_words(reading.alignment.reason))
        theirs, places = reading.baseline.units(self.units.view), reading.places_in_baseline(self.units.view)
        found: list[int | None] = []
        for position in self.numbers:
            unit = self.units.unit_of(position)
            place = None if unit is None else places[unit]
            found.append(None if place is None else baseline.place_of(theirs.first_positions[place]))
        return found


@dataclass(frozen=True, eq=False)
class Values:
    """An array (R) or (R,C) and its sides. The words of the moment stand above it."""

    array: np.ndarray
    rows: Side
    columns: Side | None = None
    low: float | None = None  # the ends of the scale; None: of the numbers themselves
    high: float | None = None
    texts: Sequence[Sequence[str]] = ()  # (R,C) written into the cells; (R,1) behind bars, below tokens
    detail: Mapping[str, Any] = field(default_factory=dict)  # what a picture shows besides: see `rooms/pictures.py`
    hint: str = ""  # facts beside the title
    intro: str = ""  # what one sees; empty: what the picture says itself
    more: Mapping[str, Any] = field(default_factory=dict)  # further arrays of the same sides, for a saved file

    @property
    def range(self) -> tuple[float, float]:
        """The values at the two ends of the scale."""
        known = self.array[np.isfinite(self.array)]
        lowest, highest = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
        return (lowest if self.low is None else self.low), (highest if self.high is None else self.high)

    @property
    def axes(self) -> tuple[Axis, ...]:
        return (self.rows.axis(),) if self.columns is None else (self.rows.axis(), self.columns.axis(self.rows))

    def placed(self, theirs: Values, reading: Reading, *, in_full: bool = True) -> Values:
        """The baseline's numbers in our places, NaN where there is no counterpart.

        Rows are named by both where the baseline has another word. in_full: see `Side.places_in`.
        """
        rows = self.rows.places_in(theirs.rows, reading, in_full=in_full)
        array = _taken(theirs.array, rows, 0)
        if self.columns is not None:
            assert theirs.columns is not None
            array = _taken(array, self.columns.places_in(theirs.columns, reading, in_full=in_full), 1)
        others = [None if place is None else theirs.rows.labels[place] for place in rows]
        return replace(
            self, array=array, rows=replace(self.rows, labels=list(map(replacing, self.rows.labels, others)))
        )

    def minus(self, placed: Values, least: float, *, fills: bool = True) -> Values:
        """The difference. least: what its colours reach to. fills: 0 where there is no counterpart, else NaN."""
        change = self.array - placed.array
        limit = max(float(np.abs(np.nan_to_num(change)).max(initial=0.0)), least)
        change = np.ascontiguousarray(np.nan_to_num(change) if fills else change)
        return replace(self, array=change, rows=placed.rows, low=-limit, high=limit, texts=())


def _taken(array: np.ndarray, places: list[int | None], axis: int) -> np.ndarray:
    """These places along an axis, NaN for None."""
    missing = [i for i, place in enumerate(places) if place is None]
    if not array.shape[axis]:
        return np.full((*array.shape[:axis], len(places), *array.shape[axis + 1 :]), np.nan)
    taken = np.take(array, [place or 0 for place in places], axis=axis).astype(float)
    np.moveaxis(taken, axis, 0)[missing] = np.nan
    return taken


def tokens(units: Units) -> Side:
    """The tokens or words of a reading."""
    return Side("token", units.labels, units.kinds, units.first_positions, units)


def stages(count: int) -> Side:
    """The embeddings, and what leaves each layer."""
    return Side("stage", stage_labels(count))


def layers(count: int) -> Side:
    """The layers, counted from 1 on the screen."""
    return Side("layer", [str(layer) for layer in range(1, count + 1)])


def heads(count: int) -> Side:
    """The heads of a layer, counted from 1 on the screen."""
    return Side("head", [str(head) for head in range(1, count + 1)])


def all_heads(layers: int, heads: int, numbers: Sequence[int] = (), colors: Sequence[str] = ()) -> Side:
    """The heads of all layers, or those of these numbers: layer · heads + head."""
    chosen = numbers or range(layers * heads)
    return Side("a_head", [head_name(*divmod(number, heads)) for number in chosen], colors, chosen)


PLANE = Side("none", ("1", "2"), axis_name="component")  # the columns of places on a plane


def stage_name(stage: int) -> str:
    """In a sentence: "after layer 2"."""
    return say("after layer {layer}", layer=stage) if stage else say("embeddings")


def stage_labels(count: int) -> list[str]:
    """The first `count` stages as labels of columns."""
    return [say("emb."), *(str(stage) for stage in range(1, count))]
