"""The pictures that a view can declare: how values with named sides are drawn.

Cells (a matrix of colours) · Tokens (the text, coloured) · Bars (a length for each row) · Lines (a curve for each row)
· Dots (a plane). The texts of a picture are given through `mark`. Hover sentences may have {row}, its {number},
{column} and {value}; {stage}, {layer} and {head} are those on show. `chart` makes the chart:
partial(LabelledGrid, square=True).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from PySide6.QtWidgets import QBoxLayout, QVBoxLayout, QWidget

from ..figures.values import Values
from ..look import mark, numbers, say, theme
from ..look.number_kinds import explain
from ..widgets.card import scrolled
from ..widgets.charts.bars import Bar, BarList
from ..widgets.charts.cells import LabelledGrid, Labels
from ..widgets.charts.raster import two_digits
from ..widgets.charts.tokens import HeatTokens
from ..widgets.curve_plot import CurvePlot
from ..widgets.curve_specs import CurveSpec, PlotSpec
from ..widgets.layouts import vbox
from ..widgets.scatter import Points, Scatter

Place = tuple[int, int | None]  # row, column
SCALED = ("low", "high", "tick")  # of a bar: in the unit of the values
Followed = Literal["token", "stage", "layer", "head"]  # what of a selection


@dataclass(frozen=True, kw_only=True)
class Picture:
    """One picture on a card of its own. `show` returns what is on the screen, for hovering and files."""

    key: str
    name: str  # for screen readers
    title: str = ""  # of its card, if it has one
    chart: Callable[..., QWidget] = QWidget  # its name -> what draws it
    number: str = ""  # its kind in `look/number_kinds.py`, and the name of the array in a saved file
    saved_as: str = ""  # the name of the array, where that is another
    method: str = ""  # by which intervals and comparisons in it are made, for captions
    # Makes the array with bertcore, of `m`, `a`, `b`, the trace `t`, layer, head, stage, position and {view}'s own.
    python: str = ""
    hovered: str = ""  # the sentence for the status line
    intro: str = ""  # below the title, where the values say nothing of the moment
    follows: tuple[Followed, ...] = ()  # another of these means other values
    on: str = ""  # the key of the picture on whose card it stands; empty: it has a card of its own
    is_part: bool = False  # one of several on a card that the view lays out: see `widgets/card.Part`
    is_compared: bool = True  # False: its values are of both readings, or the baseline plays no part
    asks: str = ""  # the question whose answer it shows: a key for `ValuesView.job`
    subtracts: ClassVar[bool] = False  # where differences are wanted, it shows that from the baseline
    writes_both: ClassVar[bool] = True  # where it shows no difference, it has the baseline's numbers as well
    difference: str = mark("Red: larger now than with {baseline}. Blue: smaller.")  # the intro beside a baseline
    least_change: float = 0.01  # that the colours of a difference reach to: rounding errors stay white
    digits: int = 4  # of a number in the status line
    write: Callable[[float], str] | None = None  # how it is written there, where it is no plain number
    scale: str | None = None  # what its colours are, before their scale above it; None: there is no such scale
    difference_scale: str = mark("difference")  # the same of a difference
    scale_ends: Callable[[float], str] = two_digits  # how the ends of that are written
    scale_px: int = 210
    scale_below: bool = False  # the picture, not above it
    beside: Picture | None = None  # the baseline's, at its left, where both are to be seen and not their difference
    least_px: int | None = None  # its column scrolls; where the window leaves less height, the whole room does
    width: int = 1  # its share of the row
    folds: bool = False  # on a projector, until somebody wants it

    def make(self) -> QWidget:
        """The chart, and what its numbers are."""
        made = self.chart(say(self.name))
        if self.number:
            explain(self.number, made)
        return made

    def frame(self, chart: QWidget) -> QWidget:
        """The widget to lay out where two pictures share a row: the chart, or the scroll area that holds it."""
        return chart

    def put(self, body: QBoxLayout, chart: QWidget) -> QVBoxLayout:
        """Adds the chart to its card and returns its column, to which the view may add text."""
        column = vbox((chart, 1), margins=(0, 0, 0 if self.least_px is None else theme.px(4), 0))
        if self.least_px is not None:
            area = scrolled(column)
            area.setMinimumHeight(theme.px(self.least_px))
            body.addWidget(area, 1)
        else:
            body.addLayout(column, 1)
        return column

    def show(self, chart: Any, values: Values, baseline: Values | None, *, is_difference: bool) -> Values:
        """baseline: its numbers in the places of ours (`Values.placed`). is_difference: they are subtracted."""
        raise NotImplementedError

    def select(self, chart: Any, row: int | None, column: int | None) -> None:
        """What is selected in all rooms, as far as the picture has a place for it."""
        raise NotImplementedError

    def place(self, cell: Any) -> Place:
        """The row and column of what the chart calls a cell."""
        return cell, None

    def written(self, value: float, *, is_difference: bool = False) -> str:
        """A number in the status line."""
        if self.write is not None:
            return self.write(value)
        return numbers.signed(value, self.digits) if is_difference else numbers.decimal(value, self.digits)


@dataclass(frozen=True, kw_only=True)
class Cells(Picture):
    """A matrix of coloured cells; beside a baseline, the difference. `detail`: `written`, for the ends of the scale."""

    chart: Callable[..., LabelledGrid] = LabelledGrid
    subtracts, writes_both = True, False
    axis_names: tuple[str, str] = ("", "")

    def make(self) -> QWidget:
        grid = super().make()
        if any(self.axis_names) and isinstance(grid, LabelledGrid):
            grid.set_axis_names(*map(say, self.axis_names))
        return grid

    def show(self, chart: LabelledGrid, values: Values, baseline: Values | None, *, is_difference: bool) -> Values:
        if baseline is not None and is_difference:
            values = values.minus(baseline, self.least_change)
        assert values.columns is not None
        rows, columns = (Labels(side.labels, side.colors) for side in (values.rows, values.columns))
        if values.columns.kind == "a_head":  # its layer stands above
            names = [label.split("·") for label in values.columns.labels]
            columns = Labels([head for _, head in names], groups=list(dict.fromkeys(layer for layer, _ in names)))
        low, high = values.range
        chart.set_grid(values.array, rows, columns, low, high, values.texts, signed=low < 0, **values.detail)
        return values

    def select(self, chart: LabelledGrid, row: int | None, column: int | None) -> None:
        chart.set_selected(row, column)

    def place(self, cell: tuple[int, int]) -> Place:
        return cell


@dataclass(frozen=True, kw_only=True)
class Tokens(Picture):
    """The text, each token as strongly coloured as its value, which is written below it; NaN has no colour.

    Beside a baseline the numbers of both are below a token, and its colour is the difference; one that has no
    counterpart is striped. Rows are `tokens(units)`. `detail`: of `HeatTokens.set_values`.
    """

    chart: Callable[..., HeatTokens] = HeatTokens
    subtracts = True
    scale: str | None = ""
    below: Callable[[float], str] = numbers.decimal  # how a value is written below its token

    def show(self, chart: HeatTokens, values: Values, baseline: Values | None, *, is_difference: bool) -> Values:
        before = [np.nan] * len(values.rows) if baseline is None else baseline.array.tolist()
        texts = [row[0] for row in values.texts] or list(map(self._both, before, values.array.tolist()))
        if baseline is not None:
            shown = values.minus(baseline, self.least_change, fills=False) if is_difference else values
            values = replace(shown, rows=baseline.rows)
        (low, high), rows = values.range, values.rows
        span = high if low < 0 else high - low
        shares = [None if np.isnan(one) else (one - max(low, 0.0)) / (span or 1.0) for one in values.array.tolist()]
        chart.set_values(rows.labels, rows.colors, shares, texts, signed=low < 0, **values.detail)
        return values

    def _both(self, before: float, now: float) -> str:
        """`3.20 → 1.15`; where nothing is compared, `1.15`."""
        return "" if np.isnan(now) else " → ".join(self.below(one) for one in (before, now) if not np.isnan(one))

    def select(self, chart: HeatTokens, row: int | None, column: int | None) -> None:
        chart.select(row)


@dataclass(frozen=True, kw_only=True)
class Bars(Picture):
    """A bar for each row, in the order of the values; a line across it is the baseline's. `detail`: of `Bar`."""

    chart: Callable[..., BarList] = BarList
    color: str = "bar"
    strong_color: str = ""  # of the row that is selected; empty: the same
    marks_selected: bool = True  # the row that is selected is bold
    notes_positions: bool = False  # behind the name of a token, where it stands
    shown_digits: int = 2  # behind a bar

    def show(self, chart: BarList, values: Values, baseline: Values | None, *, is_difference: bool) -> Values:
        array, rows, before = values.array.tolist(), values.rows, [None] * len(values.array)
        longest = max(map(abs, array), default=0.0) or 1.0
        longest = 1.0 if chart.is_of_whole else longest if values.high is None else values.high
        if baseline is not None:
            before = [None if np.isnan(value) else value / longest for value in baseline.array.tolist()]
            rows = baseline.rows
        notes = list(map(str, rows.numbers)) if self.notes_positions else [""] * len(array)
        texts = _texts(values, lambda value: numbers.decimal(value, self.shown_digits))
        details = [{k: v / longest if k in SCALED else v for k, v in one.items()} for one in _details(values)]
        own = [{"color": self.color, "note": note, "before": one} for note, one in zip(notes, before, strict=True)]
        each = zip(rows.labels, texts, array, own, details, strict=True)
        chart.set_bars([Bar(name, text, value / longest, **{**mine, **more}) for name, text, value, mine, more in each])
        return replace(values, rows=rows)

    def select(self, chart: BarList, row: int | None, column: int | None) -> None:
        if self.marks_selected:
            chart.set_strong(row, (self.strong_color, self.color) if self.strong_color else None)


@dataclass(frozen=True, kw_only=True)
class Lines(Picture):
    """A curve for each row over the columns; beside a baseline, its curves as well. Rows are named by `curves`."""

    curves: tuple[CurveSpec, ...]  # of the rows, in their order; names are given through `mark`
    baseline_curves: tuple[CurveSpec, ...] = ()  # of the baseline's rows with the keys of `curves`, as far as shown
    left_label: str
    bottom_label: str = mark("layer")
    at: str = ""  # what the legend says of a place: "from {x} on"; empty: "layer {x}"
    includes_zero: bool = False

    def make(self) -> QWidget:
        theirs = (replace(curve, key=_before(curve.key)) for curve in self.baseline_curves)
        curves = tuple(replace(curve, name=say(curve.name)) for curve in (*self.curves, *theirs))
        below = say(self.bottom_label)
        labels = say(self.left_label), below, say(self.at) if self.at else f"{below} {{x}}"
        is_by_layer = self.bottom_label == "layer"
        spec = PlotSpec(say(self.name), curves, *labels, includes_zero=self.includes_zero, rests_at_last=is_by_layer)
        return CurvePlot(spec)

    def show(self, chart: CurvePlot, values: Values, baseline: Values | None, *, is_difference: bool) -> Values:
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
        # The legend has the baseline's curves while there are some.
        chart.change(names={curve.key: curve.name for curve in chart.spec.curves if curve.key in keys})
        return replace(values, array=array, rows=replace(values.rows, labels=labels))

    def select(self, chart: CurvePlot, row: int | None, column: int | None) -> None:
        chart.set_marked(column)

    def place(self, cell: float) -> Place:
        return 0, round(cell)


@dataclass(frozen=True, kw_only=True)
class Dots(Picture):
    """Each row as a point on a plane: an array (R,2), or (T,R,2) for its path. `detail`: of `scatter.Points`."""

    chart: Callable[..., Scatter] = Scatter

    def show(self, chart: Scatter, values: Values, baseline: Values | None, *, is_difference: bool) -> Values:
        chart.set_points(Points(values.array, values.rows.labels, values.rows.colors, **values.detail))
        return values

    def select(self, chart: Scatter, row: int | None, column: int | None) -> None:
        chart.set_selected([] if row is None else [row])


def _details(values: Values) -> list[dict[str, Any]]:
    """What is said of each row: {"mark": ["a", "b"]} as [{"mark": "a"}, {"mark": "b"}]."""
    detail: Mapping[str, Sequence[Any]] = values.detail
    return [{name: given[row] for name, given in detail.items()} for row in range(len(values.array))]


def _texts(values: Values, write: Callable[[float], str]) -> list[str]:
    """Each number as it is written."""
    return [row[0] for row in values.texts] or list(map(write, values.array.tolist()))


def _before(key: str) -> str:
    return f"{key}_before"
