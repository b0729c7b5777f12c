"""The pictures that a view can declare: how values with named sides are drawn.

Cells (a matrix of colours) · Bars (a length for each row). The texts of a picture are given through `mark`. Hover
sentences may have {row}, {column} and {value}; {stage}, {layer} and {head} are those on show.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from ..figures.values import Values
from ..look import numbers
from ..look.number_kinds import explain
from ..look.say import mark, say
from ..widgets.charts.bars import LABEL_SHARE, ROW_PX, Bar, BarList
from ..widgets.charts.cells import LARGEST_PX, LONGEST_PX, LabelledGrid, Labels
from ..widgets.charts.pointer import PointerWidget

Place = tuple[int, int | None]  # row, column
Followed = Literal["token", "stage", "layer", "head"]  # what of a selection


@dataclass(frozen=True, kw_only=True)
class Picture:
    """One picture on a card of its own. `show` returns what is on the screen, for hovering and files."""

    key: str
    title: str  # of its card
    name: str  # for screen readers
    number: str = ""  # its kind in `look/number_kinds.py`, and the name of the array in a saved file
    saved_as: str = ""  # the name of the array, where that is another
    hovered: str = ""  # the sentence for the status line
    intro: str = ""  # below the title, where the values say nothing of the moment
    follows: tuple[Followed, ...] = ()  # another of these means other values
    asks: str = ""  # the question whose answer it shows: a key for `ValuesView.job`
    subtracts: ClassVar[bool] = False  # beside a baseline it shows the difference; else the baseline's numbers as well
    difference: str = mark("Red: larger now than with {baseline}. Blue: smaller.")  # the intro beside a baseline
    digits: int = 4  # of a number in the status line
    width: int = 1  # its share of the row
    folds: bool = False  # on a projector, until somebody wants it

    def make(self) -> PointerWidget:
        """The chart."""
        raise NotImplementedError

    def show(self, chart: Any, values: Values, baseline: Values | None) -> Values:
        """baseline: its numbers in the places of ours (`Values.placed`)."""
        raise NotImplementedError

    def select(self, chart: Any, row: int | None, column: int | None) -> None:
        """What is selected in all rooms, where the picture has a place for it."""

    def place(self, cell: Any) -> Place:
        """The row and column of what the chart calls a cell."""
        raise NotImplementedError

    def written(self, value: float, *, is_difference: bool = False) -> str:
        """A number in the status line."""
        return numbers.signed(value, self.digits) if is_difference else numbers.decimal(value, self.digits)


@dataclass(frozen=True, kw_only=True)
class Cells(Picture):
    """A matrix of coloured cells; beside a baseline, the difference."""

    subtracts = True
    least_change: float = 0.01  # that the colours of a difference reach to: rounding errors stay white
    square: bool = False
    signed: bool = False
    tilted: bool = False  # column labels are words and stand aslant
    zooms: bool = False
    scale: bool = True
    longest_px: int = LONGEST_PX
    largest_px: tuple[int, int] = LARGEST_PX
    axis_names: tuple[str, str] = ("", "")
    ends: Callable[[float], str] = numbers.number  # how the ends of the scale are written

    def make(self) -> LabelledGrid:
        grid = LabelledGrid(
            say(self.name),
            square=self.square,
            signed=self.signed,
            tilted=self.tilted,
            zooms=self.zooms,
            scale=self.scale,
            longest_px=self.longest_px,
            largest_px=self.largest_px,
        )
        if any(self.axis_names):
            grid.set_axis_names(*map(say, self.axis_names))
        if self.number:
            explain(self.number, grid)
        return grid

    def show(self, chart: LabelledGrid, values: Values, baseline: Values | None) -> Values:
        if baseline is not None:
            values = values.minus(baseline, self.least_change)
        assert values.columns is not None
        rows, columns = (Labels(side.labels, side.colors) for side in (values.rows, values.columns))
        low, high = values.range
        is_signed = self.signed or baseline is not None
        chart.set_grid(values.array, rows, columns, low, high, values.texts, signed=is_signed, written=self.ends)
        return values

    def select(self, chart: LabelledGrid, row: int | None, column: int | None) -> None:
        chart.set_selected(row, None if self.square else column)

    def place(self, cell: tuple[int, int]) -> Place:
        return cell


@dataclass(frozen=True, kw_only=True)
class Bars(Picture):
    """A bar for each row, in the order of the values; a line across it is the baseline's."""

    clickable: bool = False
    stretch_to_px: int = ROW_PX
    may_cut: bool = False
    label_share: float = LABEL_SHARE
    of_whole: bool = False
    color: str = "bar"
    strong_color: str = "bar"  # of the row that is selected
    notes_positions: bool = False  # behind the name of a token, where it stands
    shown_digits: int = 2  # behind a bar

    def make(self) -> BarList:
        bars = BarList(
            say(self.name),
            clickable=self.clickable,
            stretch_to_px=self.stretch_to_px,
            may_cut=self.may_cut,
            label_share=self.label_share,
            of_whole=self.of_whole,
        )
        if self.number:
            explain(self.number, bars)
        return bars

    def show(self, chart: BarList, values: Values, baseline: Values | None) -> Values:
        longest = max(float(np.abs(values.array).max(initial=0.0)) if values.high is None else values.high, 1e-9)
        before = [None] * len(values.array) if baseline is None else (baseline.array / longest).tolist()
        if baseline is not None:
            values = replace(values, rows=baseline.rows)
        chart.set_bars(
            [
                Bar(
                    values.rows.labels[place],
                    values.texts[place][0] if values.texts else numbers.decimal(value, self.shown_digits),
                    value / longest,
                    self.color,
                    note=str(values.rows.number(place)) if self.notes_positions else "",
                    before=None if theirs is None or np.isnan(theirs) else theirs,
                )
                for place, (value, theirs) in enumerate(zip(values.array.tolist(), before, strict=True))
            ]
        )
        return values

    def select(self, chart: BarList, row: int | None, column: int | None) -> None:
        chart.set_strong(row, self.color, self.strong_color)

    def place(self, cell: int) -> Place:
        return cell, None
