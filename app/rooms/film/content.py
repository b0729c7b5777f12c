"""What the film strip shows, as plain data, and how it comes from a run. L layers, N heads, U units, F frames.

A snapshot predicts words for each mask; one of a fine-tuned run classes, a tag of each word, or words of a passage.
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from bertcore.analysis.attention_heads import thumbnails
from bertcore.progress import ReportProgress
from bertcore.runs.metrics_file import MetricsTail
from bertcore.runs.run_metrics import RunMetrics

from ...compute.over_time import Text, read_snapshots
from ...compute.question import ignore
from ...compute.task_answers import MOST_WORDS, Guesses, said_by_task
from ...look import numbers, say
from ...runs.stages import Snapshots
from ...state import Reading, TokenView
from ...state.task_info import TaskInfo
from ...widgets.charts.raster import HeadSheet
from ...widgets.curve_specs import Mark

NO_TAG = "O"  # of a word that belongs to nothing
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
        folder, units = opened.model.folder, opened.reading.units(view)
        heads = thumbnails(units.attention(opened.reading.trace.attentions))
        asked = opened.checkpoint, opened.reading, text.editors, ignore
        guesses = (
            (_in_order(one, opened.model.task) for one in said_by_task(*asked))
            if opened.model.task
            else _words(opened.reading)
        )
        frame = Frame(step_of[folder], folder, heads, tuple(units.labels), tuple(units.kinds), tuple(guesses))
        frames[folder] = frame
        yield frame


def position_to_show(newest: Sequence[Guesses], selected: int | None) -> int | None:
    """The selected one where something is predicted there; else the first that is no mere absence of a tag."""
    positions = [guess.position for guess in newest]
    if selected in positions:
        return selected
    telling = [guess.position for guess in newest if guess.words[0][0] != NO_TAG]
    return next(iter([*telling, *positions]), None)


def _words(reading: Reading) -> Iterator[Guesses]:
    for mask in reading.masks:
        words = tuple((word.token, word.probability) for word in mask.words[:MOST_WORDS])
        yield Guesses(mask.position, words, mask.was.token if mask.was else "")


def _in_order(said: Guesses, task: TaskInfo) -> Guesses:
    """Classes and endings stand in one order at every step."""
    if task.kind not in ("classify", "multilabel", "choice"):
        return said
    place = {name: at for at, name in enumerate(task.labels)}
    return replace(said, words=tuple(sorted(said.words, key=lambda one: (place.get(one[0], 0), one[0]))))


def loss_curve(run: Path, snapshots: Snapshots) -> LossCurve | None:
    """The loss that the run's snapshots can be placed on; None where it has written none.

    That of training where it is there from the second snapshot on, else what was measured on held-out text.
    """
    metrics, second = RunMetrics(), snapshots[1][0] if len(snapshots) > 1 else 0
    metrics.append(MetricsTail(run).read_new())
    kinds = ("loss_masked", "loss_held_out"), ("loss_task", "loss_task_held_out")
    found = next((there for names in kinds if (there := [name for name in names if len(metrics.series[name])])), None)
    if found is None:
        return None
    name = found[0] if metrics.series[found[0]].arrays[0][0] <= second else found[-1]
    steps, losses = (values.copy() for values in metrics.series[name].arrays)
    held_out_steps, held_out = metrics.series["loss_held_out"].arrays
    if len(held_out_steps) and held_out_steps[0] == 0 and steps[0] > 0:  # of the untrained model
        steps, losses = np.insert(steps, 0, 0.0), np.insert(losses, 0, float(held_out[0]))
    sums = np.concatenate([[0.0], np.cumsum(losses)])
    first, last = np.searchsorted(steps, steps / SMOOTHED, "left"), np.searchsorted(steps, steps * SMOOTHED, "right")
    smooth = (sums[last] - sums[first]) / (last - first)  # means over neighbours
    return LossCurve(steps, losses, smooth, tuple(_marks(metrics)), name.endswith("held_out"))


def _marks(metrics: RunMetrics) -> Iterator[Mark]:
    switch, longer = metrics.switch_step, metrics.longer_step
    if switch is not None:
        yield Mark(switch, say("from {step}: masked words", step=numbers.count(switch)), say("warm-up: next word"))
    if longer is not None and longer > LONGER_FROM:
        yield Mark(longer, say("from {step}: longer sequences", step=numbers.count(longer)))
