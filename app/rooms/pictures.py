"""The pictures that a view can declare: how values with named sides are drawn.

Cells (a matrix of colours) · Bars (a length for each row) · Lines (a curve for each row) · Tokens (the text, coloured)
· Dots (a plane). The texts of a picture are given through `mark`. Hover sentences may have {row}, {column} and {value};
{stage}, {layer} and {head} are those on show.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from PySide6.QtWidgets import QWidget

from ..figures.values import Values
from ..look import numbers
from ..look.number_kinds import explain
from ..look.say import mark, say
from ..widgets.charts.bars import LABEL_SHARE, ROW_PX, Bar, BarList
from ..widgets.charts.cells import LARGEST_PX, LONGEST_PX, LabelledGrid, Labels
from ..widgets.charts.tokens import HeatToken, HeatTokens
from ..widgets.curve_plot import CurvePlot
from ..widgets.curve_specs import CurveSpec, PlotSpec
from ..widgets.scatter import Points, Scatter

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
    on: str = ""  # the key of the picture on whose card it stands; empty: it has a card of its own
    is_compared: bool = True  # False: its values are of both readings, or the baseline plays no part
    asks: str = ""  # the question whose answer it shows: a key for `ValuesView.job`
    subtracts: ClassVar[bool] = False  # beside a baseline it shows the difference; else the baseline's numbers as well
    difference: str = mark("Red: larger now than with {baseline}. Blue: smaller.")  # the intro beside a baseline
    digits: int = 4  # of a number in the status line
    write: Callable[[float], str] | None = None  # how it is written there, where it is no plain number
    width: int = 1  # its share of the row
    folds: bool = False  # on a projector, until somebody wants it

    def make(self) -> QWidget:
        """The chart."""
        raise NotImplementedError

    def show(self, chart: Any, values: Values, baseline: Values | None) -> Values:
        """baseline: its numbers in the places of ours (`Values.placed`)."""
        raise NotImplementedError

    def select(self, chart: Any, row: int | None, column: int | None) -> None:
        """What is selected in all rooms, as far as the picture has a place for it."""

    def place(self, cell: Any) -> Place:
        """The row and column of what the chart calls a cell."""
        raise NotImplementedError

    def written(self, value: float, *, is_difference: bool = False) -> str:
        """A number in the status line."""
        if self.write is not None:
            return self.write(value)
        return numbers.signed(value, self.digits) if is_difference else numbers.decimal(value, self.digits)


@dataclass(frozen=True, kw_only=True)
class Cells(Picture):
    """A matrix of coloured cells; beside a baseline, the difference. `detail`: `written`, for the ends of the scale."""

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
        chart.set_grid(values.array, rows, columns, low, high, values.texts, signed=is_signed, **values.detail)
        return values

    def select(self, chart: LabelledGrid, row: int | None, column: int | None) -> None:
        chart.set_selected(row, None if self.square else column)

    def place(self, cell: tuple[int, int]) -> Place:
        return cell


@dataclass(frozen=True, kw_only=True)
class Bars(Picture):
    """A bar for each row, in the order of the values; a line across it is the baseline's. `detail`: of `Bar`."""

    clickable: bool = False
    arrows_click: bool = False  # the arrow keys choose a row
    stretch_to_px: int = ROW_PX
    may_cut: bool = False
    label_share: float = LABEL_SHARE
    of_whole: bool = False
    color: str = "bar"
    strong_color: str = ""  # of the row that is selected; empty: the same
    notes_positions: bool = False  # behind the name of a token, where it stands
    shown_digits: int = 2  # behind a bar

    def make(self) -> BarList:
        bars = BarList(
            say(self.name),
            clickable=self.clickable,
            arrows_click=self.arrows_click,
            stretch_to_px=self.stretch_to_px,
            may_cut=self.may_cut,
            label_share=self.label_share,
            of_whole=self.of_whole,
        )
        if self.number:
            explain(self.number, bars)
        return bars

    def show(self, chart: BarList, values: Values, baseline: Values | None) -> Values:
        longest = 1.0 if self.of_whole else max(np.abs(values.array).max(initial=0.0), 1e-9)
        longest = longest if values.high is None else values.high
        before = [None] * len(values.array)
        if baseline is not None:
            before = [None if np.isnan(value) else value / longest for value in baseline.array.tolist()]
            values = replace(values, rows=baseline.rows)
        notes = map(str, values.rows.numbers) if self.notes_positions else [""] * len(values.array)
        details = rows_of(values.detail, len(values.array))
        written = [one[0] for one in values.texts] or [
            numbers.decimal(value, self.shown_digits) for value in values.array.tolist()
        ]
        rows = zip(values.rows.labels, written, values.array.tolist(), notes, before, details, strict=True)
        chart.set_bars(
            [
                Bar(label, text, value / longest, **{"color": self.color, "note": note, "before": theirs, **detail})
                for label, text, value, note, theirs, detail in rows
            ]
        )
        return values

    def select(self, chart: BarList, row: int | None, column: int | None) -> None:
        chart.set_strong(row, (self.strong_color, self.color) if self.strong_color else None)

    def place(self, cell: int) -> Place:
        return cell, None


@dataclass(frozen=True, kw_only=True)
class Lines(Picture):
    """A curve for each row over the columns; beside a baseline, its curves as well. Rows are named by `curves`."""

    curves: tuple[CurveSpec, ...]  # of the rows, in their order; names are given through `mark`
    baseline_curves: tuple[CurveSpec, ...] = ()  # of the baseline's rows with the keys of `curves`, as far as shown
    left_label: str
    bottom_label: str = mark("layer")
    at: str = mark("layer {x}")
    includes_zero: bool = False

    def make(self) -> CurvePlot:
        theirs = (replace(curve, key=_before(curve.key)) for curve in self.baseline_curves)
        curves = tuple(replace(curve, name=say(curve.name)) for curve in (*self.curves, *theirs))
        chart = CurvePlot(
            PlotSpec(
                say(self.name),
                curves,
                left_label=say(self.left_label),
                bottom_label=say(self.bottom_label),
                at=say(self.at),
                includes_zero=self.includes_zero,
            )
        )
        if self.number:
            explain(self.number, chart)
        return chart

    def show(self, chart: CurvePlot, values: Values, baseline: Values | None) -> Values:
        keys, array, labels = [curve.key for curve in self.curves], values.array, list(values.rows.labels)
        if baseline is not None:
            rows = [keys.index(curve.key) for curve in self.baseline_curves]
            keys += [_before(keys[row]) for row in rows]
            labels += [_before(labels[row]) for row in rows]
            array = np.concatenate([array, baseline.array[rows]])
        known = [np.isfinite(row) for row in array]
        curves = zip(keys, array, known, strict=False)  # of an empty array none
        places = [] if values.columns is None else values.columns.labels
        chart.set_points({key: (np.flatnonzero(there), row[there]) for key, row, there in curves}, places)
        self._show_names(chart, keys)
        return replace(values, array=array, rows=replace(values.rows, labels=labels))

    def _show_names(self, chart: CurvePlot, keys: Sequence[str]) -> None:
        """The legend has the baseline's curves while there are some."""
        chart.set_names({curve.key: curve.name for curve in chart.spec.curves if curve.key in keys})

    def select(self, chart: CurvePlot, row: int | None, column: int | None) -> None:
        chart.set_marked(column)

    def place(self, cell: float) -> Place:
        return 0, round(cell)


@dataclass(frozen=True, kw_only=True)
class Tokens(Picture):
    """The text, each token as dark as its number; beside a baseline, the difference. `detail`: of `HeatToken`."""

    subtracts = True
    least_high: float = 1e-9  # that the colours reach to
    least_change: float = 0.01
    shown_digits: int = 2  # below a token

    def make(self) -> HeatTokens:
        tokens = HeatTokens(say(self.name))
        if self.number:
            explain(self.number, tokens)
        return tokens

    def show(self, chart: HeatTokens, values: Values, baseline: Values | None) -> Values:
        is_signed = baseline is not None
        if baseline is not None:
            values = values.minus(baseline, self.least_change)
        high = max(values.range[1], self.least_high)
        write = numbers.signed if is_signed else numbers.decimal
        array = values.array.tolist()
        written = [one[0] for one in values.texts] or [write(value, self.shown_digits) for value in array]
        rows = zip(values.rows.labels, array, written, rows_of(values.detail, len(array)), strict=True)
        chart.set_tokens(
            [HeatToken(label, value / high, text, **detail) for label, value, text, detail in rows], signed=is_signed
        )
        return values

    def select(self, chart: HeatTokens, row: int | None, column: int | None) -> None:
        chart.set_current(row)

    def place(self, cell: int) -> Place:
        return cell, None


@dataclass(frozen=True, kw_only=True)
class Dots(Picture):
    """Each row as a point on a plane: an array (R,2), or (T,R,2) for its path. `detail`: of `scatter.Points`."""

    names: bool = True

    def make(self) -> Scatter:
        return Scatter(say(self.name), names=self.names)

    def show(self, chart: Scatter, values: Values, baseline: Values | None) -> Values:
        chart.set_points(Points(values.array, values.rows.labels, values.rows.colors, **values.detail))
        return values

    def select(self, chart: Scatter, row: int | None, column: int | None) -> None:
        chart.set_selected([] if row is None else [row])

    def place(self, cell: int) -> Place:
        return cell, None


def rows_of(detail: Mapping[str, Sequence[Any]], count: int) -> list[dict[str, Any]]:
    """What is said of each row: {"mark": ["a", "b"]} as [{"mark": "a"}, {"mark": "b"}]."""
    return [{name: values[row] for name, values in detail.items()} for row in range(count)]


def _before(key: str) -> str:
    return f"{key}_before"
