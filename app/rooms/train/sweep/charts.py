"""The two charts of a sweep, declared: the score of each run against the setting that it varies, and how each run
learned."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from bertcore.runs.sweep_results import Sweep, SweepGroup, SweepRun

from ....look import numbers, say
from ....runs.run_sentences import setting_name, setting_value
from ....runs.sweeps import chance_sentence, settings_in_words, values_in_words
from ....state.task_info import SHARES, metric_form, metric_name, metric_value
from ....widgets.curve_specs import CurveSpec, Level, PlotSpec, Points
from ..curves.page import RUN_COLORS

SYMBOLS = ("o", "s", "t", "d")


@dataclass(frozen=True)
class SweepPlot:
    """A chart and what it shows."""

    spec: PlotSpec
    points: dict[str, Points]
    names: dict[str, str]  # in the legend
    level: Level | None = None
    places: Mapping[float, str] | tuple[()] = ()  # of the lower axis, where it is no training step
    runs: dict[str, list[SweepRun]] = field(default_factory=dict)  # of each curve of dots


def results_of(sweep: Sweep) -> SweepPlot:
    """A dot for each run that is over, a line through the means of those that differ in the lower axis alone."""
    axis = sweep.varied[0] if sweep.varied else "seed"
    by_others: dict[tuple[object, ...], list[SweepGroup]] = {}  # the settings by what differs beside that of the axis
    for group in sweep.groups:
        by_others.setdefault(tuple(_others(group, axis).values()), []).append(group)
    series = list(by_others.values())
    scores = [run.score for run in sweep.runs if run.score is not None and _has_place(run)] or [0.5]
    low, high = min(scores), max(scores)
    low = low if low < high else low - 0.05
    dots: dict[str, list[tuple[SweepRun, float]]] = {"failed": [], **{f"runs_{n}": [] for n in range(len(series))}}
    for number, groups in enumerate(series):
        for run in (run for group in groups for run in group.runs):
            if run.score is not None and _has_place(run):
                dots["failed" if run.has_diverged else f"runs_{number}"].append((run, run.score))
            elif run.status.state == "failed" or run.has_diverged:  # at the edge where scores are bad
                edge = low - 0.1 * (high - low) if run.higher_is_better else high + 0.1 * (high - low)
                dots["failed"].append((run, edge))
    best = sweep.winner if len(sweep.groups) > 1 else None
    points = {key: [(_x(run, axis), y) for run, y in found] for key, found in dots.items()}
    points["best"] = [] if best is None else [(_x(best, axis), best.score or 0.0)]
    curves = [CurveSpec("best", "", "good", places="rings"), CurveSpec("failed", "", "bad", symbol="x", places="dots")]
    names: dict[str, str] = {}
    for number, groups in enumerate(series):
        color, means = (
            RUN_COLORS[number % len(RUN_COLORS)],
            [each for each in groups if each.mean is not None and not each.has_diverged],
        )
        words = ", ".join(f"{setting_name(n)} {setting_value(n, v)}" for n, v in _others(groups[0], axis).items())
        if axis == "seed":  # one value for all of them
            seeds = [_x(run, "seed") for run in sweep.runs]
            ends = [min(seeds), max(seeds)]
            points["means_0"] = [(x, group.mean or 0.0) for group in means for x in ends]
            words = say("mean {figure}", figure=metric_value(sweep.metric, groups[0].mean)) if means else ""
        else:
            points[f"means_{number}"] = [(_x(group.runs[0], axis), group.mean or 0.0) for group in means]
            points[f"bars_{number}"] = [
                (_x(group.runs[0], axis), (group.mean or 0.0) + sign * group.deviation)
                for group in means
                if group.deviation is not None
                for sign in (-1, 1)
            ]
        names |= {f"means_{number}": words} if words else {}
        curves += [
            CurveSpec(f"bars_{number}", "", color, places="bars"),
            CurveSpec(f"means_{number}", words, color, _no_value, dashed=axis == "seed"),
            CurveSpec(f"runs_{number}", "", color, places="dots"),
        ]
    name = setting_name(axis)
    marks = [say("dot: a run")]
    marks += [say("ring: the best run")] if best is not None else []
    marks += [say("×: diverged or failed")] if dots["failed"] else []
    has_bars = any(points.get(f"bars_{number}") for number in range(len(series)))
    marks += [say("pale bar: ± standard deviation")] if has_bars else []
    spec = PlotSpec(
        say("Held-out {figure} by {setting}", figure=metric_name(sweep.metric), setting=name),
        tuple(curves),
        "",
        name if axis == "seed" else say("{setting} (logarithmic)", setting=name),
        at=f"{name} {{x}}",
        percent=sweep.metric in SHARES,
        sentence=" · ".join(marks),
    )
    shown: dict[str, Points] = {}
    for key, found in points.items():
        x, y = np.array(sorted(found, key=lambda point: point[0]), float).reshape(-1, 2).T
        shown[key] = x, y
    return SweepPlot(
        spec,
        shown,
        names,
        None if sweep.chance is None else Level(sweep.chance, chance_sentence(sweep.chance)),
        {_x(run, axis): setting_value(axis, run.values.get(axis)) for run in sweep.runs},
        {key: [run for run, _ in sorted(found, key=lambda one: _x(one[0], axis))] for key, found in dots.items()},
    )


def learning_of(sweep: Sweep) -> SweepPlot:
    """The score of each run at each measurement; a colour for each of the settings."""
    groups = {run.path: number for number, group in enumerate(sweep.groups) for run in group.runs}
    runs = [run for group in sweep.groups for run in group.runs]
    points: dict[str, Points] = {}
    for run in runs:  # no score of a loss that has diverged
        steps = np.array([each.step for each in run.measurements], float)
        scores = np.array([each.score if _has_place(run) else np.nan for each in run.measurements], float)
        points[f"run_{run.number}"] = steps, scores
    curves = tuple(
        CurveSpec(
            f"run_{run.number}",
            settings_in_words(sweep.groups[groups[run.path]]) or numbers.number(run.values.get("seed")),
            RUN_COLORS[groups[run.path] % len(RUN_COLORS)],
            # A colour is of several runs where seeds differ: no one value stands beside it.
            metric_form(sweep.metric) if sweep.seeds == 1 else _no_value,
            dots=True,
            symbol=SYMBOLS[groups[run.path] // len(RUN_COLORS) % len(SYMBOLS)],
        )
        for run in runs
    )
    names: dict[str, str] = {}
    for group in sweep.groups:
        keys = (f"run_{run.number}" for run in group.runs)
        first = next((key for key in keys if np.isfinite(points[key][1]).any()), None)
        names |= {first: values_in_words(group)} if first else {}
    title, score, is_share = say("How each run learned"), metric_name(sweep.metric), sweep.metric in SHARES
    some = max((run.measurements[-1].examples or 0 for run in runs if run.measurements), default=0)
    all_ = max((run.final.examples or 0 for run in runs if run.final is not None), default=0)
    why = say(
        "On {some} of the {all} held-out examples, always the same; the table has the figures on all.",
        all=numbers.count(all_),
        some=numbers.count(some),
    )
    # The last points are not the figures of the table, where they are of a part of the examples.
    spec = PlotSpec(title, curves, score, percent=is_share, sentence=why if 0 < some < all_ else "")
    level = None if sweep.chance_on_the_way is None else Level(sweep.chance_on_the_way, "")
    return SweepPlot(spec, points, names, level)


def _x(run: SweepRun, axis: str) -> float:
    """Rates, sizes and epochs on a logarithmic axis; seeds as they are."""
    value = float(run.values.get(axis) or 0)
    return value if axis == "seed" or value <= 0 else math.log10(value)


def _others(group: SweepGroup, axis: str) -> dict[str, float | None]:
    return {name: value for name, value in group.values.items() if name != axis}


def _has_place(run: SweepRun) -> bool:
    """A share stays between 0 and 1; the loss of a run that diverged would press all others into one line."""
    return run.higher_is_better or not run.has_diverged


def _no_value(_value: float) -> str:
    return ""
