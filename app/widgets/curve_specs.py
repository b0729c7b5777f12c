"""What a plot of curves is made of; no widgets, so that a room can say it without one."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..look import numbers

Points = tuple[np.ndarray, np.ndarray]  # x (P) rising, values (P)


@dataclass(frozen=True)
class CurveSpec:
    """One curve. `color` is a name in the theme; the line's shape tells curves apart too."""

    key: str
    name: str  # as in the legend
    color: str
    format: Callable[[float], str] = numbers.number
    dots: bool = False  # few points: a dot each, with a fine line between them
    markers: bool = False  # a plain line, with a dot at each point
    symbol: str = "o"  # the dot's shape: "o" circle, "s" square, "t" triangle, "d" diamond
    dashed: bool = False
    on_right: bool = False  # has its axis at the right


@dataclass(frozen=True)
class PlotSpec:
    """A plot over training steps; or over places with names, where `set_points` is given them."""

    title: str
    curves: tuple[CurveSpec, ...]
    left_label: str
    right_label: str = ""
    bottom_label: str = ""  # left out: "step"
    at: str = ""  # what the legend says of the place under the mouse: "layer {x}"; left out: "at step {x}"
    percent: bool = False  # the left axis shows 0..1 as percents
    includes_zero: bool = False  # of the left axis


@dataclass(frozen=True)
class Mark:
    """Where something else begins: words after its line, and before it where what ended there has a name too."""

    step: float
    after: str
    before: str = ""
    before_short: str = ""  # where there is no room for `before`
