"""What a plot of curves is made of, and how curves are made smooth; no widgets: a room can say it without one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..look import numbers, say

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
    symbol: str = "o"  # the dot's shape: "o" circle, "s" square, "t" triangle, "d" diamond, "x" cross
    places: str = ""  # no curve, but single places: "dots" or "rings" at each, "bars" from each second to the next
    dashed: bool = False
    noisy: bool = False  # one batch says little: may be smoothed


@dataclass(frozen=True)
class Level:
    """A value that all others are to be compared with: a line across the plot, with its name on it."""

    value: float
    name: str


@dataclass(frozen=True)
class HorizontalAxis:
    """What x is."""

    key: str  # in saved files
    label: str
    at: str  # what the legend says of the place under the mouse: "at step {x}"
    format: Callable[[float], str]
    whole: bool = False  # has no parts


@dataclass(frozen=True)
class PlotSpec:
    """A plot over training steps; or over places with names, where `set_points` is given them."""

    title: str
    curves: tuple[CurveSpec, ...]
    left_label: str
    bottom_label: str = ""  # left out: "step"
    at: str = ""  # what the legend says of the place under the mouse: "layer {x}"; left out: "at step {x}"
    percent: bool = False  # the left axis shows 0..1 as percents
    includes_zero: bool = False  # of the left axis
    sentence: str = ""  # below the title: what one sees, and why it matters
    rests_at_last: bool = True  # the legend has the newest values where no place is marked or pointed at
    level: Level | None = None
    shapes: tuple[CurveSpec, ...] = ()  # at the end of the legend: what a line of this shape is, whatever its colour
    may_be_logarithmic: bool = False


@dataclass(frozen=True)
class Mark:
    """Where something else begins: words after its line, and before it where what ended there has a name too."""

    x: float
    after: str
    before: str = ""
    before_short: str = ""  # where there is no room for `before`
    in_full: str = ""  # what the legend says when the mouse is there; left out: `after`
    is_silent: bool = False  # no words: a plot has no room for them
    color: str = "faint"  # of its line: a name in the theme

    @property
    def sentence(self) -> str:
        return self.in_full or self.after.strip(" →")


def step_axis(label: str = "", at: str = "") -> HorizontalAxis:
    """Training steps; or what else is counted from 0."""
    return HorizontalAxis("step", label or say("step"), at or say("at step {x}"), _step_text, True)


def _step_text(x: float) -> str:
    return numbers.count(round(x))


@dataclass(frozen=True, eq=False)
class PlotContent:
    """What a plot shows now, within its spec."""

    axis: HorizontalAxis
    points: Mapping[str, Points] = field(default_factory=dict)  # of each curve; one that is missing is empty
    places: Sequence[str] | Mapping[float, str] = ()  # names of x = 0, 1, 2 ... or of some x, where x is no step
    names: Mapping[str, str] = field(default_factory=dict)  # in the legend; a curve without one is left out of it
    smoothing: float = 0.0  # noisy curves as the mean of this share of their points around each
    is_logarithmic: bool = False  # the left axis, in powers of ten; what is not above zero is not drawn then
    level: Level | None = None
    marks: Sequence[Mark] = ()
    marked: float | None = None  # a place with an upright line


FEWEST, MOST = 5, 301  # points in a mean; more would take longer than a frame


def window_of(points: int, share: float) -> int:
    """How many points are in a mean: this share of all; an odd number, so that as many stand on either side.

    1, which changes nothing, where there are too few points or share is 0.
    """
    if share <= 0 or points < 2 * FEWEST:
        return 1
    return min(max(round(share * points), FEWEST), MOST) | 1


def smoothed(values: np.ndarray, share: float) -> np.ndarray:
    """The mean of the window around each value (P) -> (P); near the ends of what there is of the window."""
    window = window_of(len(values), share)
    if window == 1:
        return values
    places, half, last = np.arange(len(values)), window // 2, len(values) - 1
    counts = np.minimum(places + half, last) - np.maximum(places - half, 0) + 1
    return np.convolve(values, np.ones(window), "same") / counts
