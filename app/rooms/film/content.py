"""What the film strip shows, as plain data, and how it comes from a run. L layers, N heads, U units, F frames."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from bertcore.progress import ReportProgress
from bertcore.runs.metrics_file import MetricsTail
from bertcore.runs.run_metrics import RunMetrics

from ...compute.over_time import Text, read_snapshots
from ...look import numbers
from ...look.say import say
from ...runs.stages import Snapshots
from ...state.readings import Reading, thumbnails
from ...state.token_units import TokenView
from ...widgets.charts.raster import HeadSheet
from ...widgets.curve_specs import Mark
from .answers import WORDS, Guesses, answers_of

SMOOTHED = 1.1  # over steps from s/1.1 to 1.1 s: even on a logarithmic axis
LONGER_FROM = 10  # steps: sequences that are longer from here on were so from the start


@dataclass(frozen=True, eq=False)
class Frame:
    """One snapshot, and what it makes of the text."""

    step: int
    folder: Path
    heads: np.ndarray  # (L,N,U,U); made small where the text is long
    labels: tuple[str, ...]  # (U)
    kinds: tuple[str, ...]  # (U) colours of the labels
    guesses: tuple[Guesses, ...]  # of each mask, or the answers of a fine-tuned model

    @cached_property
    def sheet(self) -> HeadSheet:
        """All heads, ready to be drawn; one colour scale for all frames."""
        return HeadSheet(self.heads, same_scale=True)


@dataclass(frozen=True, eq=False)
class LossCurve:
    """Of one run; steps (P) rise."""

    steps: np.ndarray
    losses: np.ndarray  # (P) as measured
    smooth: np.ndarray  # (P)
    marks: tuple[Mark, ...]  # where the run begins something else
    is_held_out: bool = False  # measured on held-out text, not on the batches it trains on

    def at(self, step: float) -> float:
        return float(np.interp(step, self.steps, self.smooth))


class MadeFrames:
    """Of the worker's thread: the frames of one text in one run, which stay while there are more and more snapshots."""

    def __init__(self) -> None:
        self._of: tuple[object, ...] = ()
        self._frames: dict[Path, Frame] = {}

    def frames_of(self, *of: object) -> dict[Path, Frame]:
        if of != self._of:
            self._of, self._frames = of, {}
        return self._frames


def film_of(
    made: MadeFrames, run: Path, snapshots: Snapshots, text: Text, view: TokenView, progress: ReportProgress
) -> Generator[LossCurve | Frame, None, None]:
    """The loss of a run, where it has written one, and a frame of each snapshot; on the worker."""
    curve, step_of = loss_curve(run, snapshots), {path: step for step, path in snapshots}
    if curve is not None:
        yield curve
    frames = made.frames_of(run, text, view)
    yield from list(frames.values())
    for opened in read_snapshots([path for path in step_of if path not in frames], text, progress):
        is_task = opened.model.task is not None
        guesses = answers_of(opened, dict(text.editors)) if is_task else _words(opened.reading)
        frame = _frame(step_of[opened.model.folder], opened.reading, tuple(guesses), view)
        frames[frame.folder] = frame
        yield frame


def _words(reading: Reading) -> Iterator[Guesses]:
    return (
        Guesses(
            mask.position,
            tuple((word.token, word.probability) for word in mask.words[:WORDS]),
            mask.was.token if mask.was else "",
        )
        for mask in reading.masks
    )


def _frame(step: int, reading: Reading, guesses: tuple[Guesses, ...], view: TokenView) -> Frame:
    units, folder = reading.units(view), reading.request.model.folder
    heads = thumbnails(units.attention(reading.trace.attentions))
    return Frame(step, folder, heads, tuple(units.labels), tuple(units.kinds), guesses)


def loss_curve(run: Path, snapshots: Snapshots) -> LossCurve | None:
    """The loss that the run's snapshots can be placed on; None where it has written none."""
    metrics = RunMetrics()
    metrics.append(MetricsTail(run).read_new())
    name = _series(metrics, snapshots[1][0] if len(snapshots) > 1 else 0)
    if name is None:
        return None
    series = metrics.series[name]
    steps, losses = (values.copy() for values in series.arrays)
    start = _at_start(metrics)
    if start is not None and steps[0] > 0:
        steps, losses = np.insert(steps, 0, 0.0), np.insert(losses, 0, start)
    is_held_out = name.endswith("held_out")
    return LossCurve(steps, losses, _smoothed(steps, losses), tuple(_marks(metrics)), is_held_out)


def _series(metrics: RunMetrics, second: int) -> str | None:
    """The training loss where it is there from the second snapshot on, else what was measured on held-out text."""
    for training, held_out in (("loss_masked", "loss_held_out"), ("loss_task", "loss_task_held_out")):
        found = [name for name in (training, held_out) if len(metrics.series[name])]
        if found:
            return found[0] if metrics.series[found[0]].arrays[0][0] <= second else found[-1]
    return None


def _at_start(metrics: RunMetrics) -> float | None:
    """Of the untrained model."""
    steps, losses = metrics.series["loss_held_out"].arrays
    return float(losses[0]) if len(steps) and steps[0] == 0 else None


def _smoothed(steps: np.ndarray, losses: np.ndarray) -> np.ndarray:
    """Means over neighbours: (P)"""
    sums = np.concatenate([[0.0], np.cumsum(losses)])
    first, last = np.searchsorted(steps, steps / SMOOTHED, "left"), np.searchsorted(steps, steps * SMOOTHED, "right")
    means: np.ndarray = (sums[last] - sums[first]) / (last - first)
    return means


def _marks(metrics: RunMetrics) -> Iterator[Mark]:
    switch, longer = metrics.switch_step, metrics.longer_step
    if switch is not None:
        before = say("warm-up: next word")
        after = say("from {step}: masked words")
        yield Mark(switch, after.format(step=numbers.count(switch)), before)
    if longer is not None and longer > LONGER_FROM:
        after = say("from {step}: longer sequences")
        yield Mark(longer, after.format(step=numbers.count(longer)))
