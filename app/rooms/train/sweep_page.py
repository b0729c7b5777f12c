"""A sweep in the middle of the room: what it found in words, its runs side by side, and their figures in a chart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPushButton

from bertcore.runs.sweep_results import MeasurementReader, Sweep, SweepRun

from ...figures.figure import Figure, numbers_of, picture_of
from ...look import numbers, theme
from ...look.say import say
from ...runs.sweep_findings import (
    APPLY,
    GO_ON,
    OPEN,
    SEEDS,
    USE,
    finding_of,
    mean_in_words,
    settings_in_words,
    values_in_words,
)
from ...runs.sweep_rows import SweepRow, read_row
from ...state.task_info import SHARES, metric_form, metric_name
from ...widgets.card import Card, Hint, button, label
from ...widgets.curve_plot import CurvePlot
from ...widgets.curve_specs import CurveSpec, Level, PlotSpec
from ...widgets.figure_button import FigureButton
from ...widgets.flow_layout import FlowLayout
from ...widgets.layouts import discard, fill, hbox, vbox
from .curve_grid import RUN_COLORS
from .sweep_chart import SweepChart
from .sweep_table import SweepTable

SYMBOLS = ("o", "s", "t", "d")


class SweepPage(Card):
    """`action` is one of the names of `runs.sweep_findings`, with the run that it is about."""

    run_chosen = Signal(object)  # Path
    action = Signal(str, object)  # OPEN ..., Path of the best run
    stop_requested = Signal(list)  # list[Path]: the runs that are at work or wait, the one at work last

    def __init__(self) -> None:
        super().__init__(" ")
        self.row: SweepRow | None = None
        self.sweep: Sweep | None = None
        self._reader = MeasurementReader()
        self._known: object = None  # what the sweep was read for
        self.stop = button(
            say("Stop all"),
            self._on_stop_clicked,
            hint=say("Stop the run that is training, and do not start the others"),
        )
        self.add_to_header(self.stop)
        self.sentence, self.advice = label("", "strong", wrap=True), label("", "muted", wrap=True)
        titles = {
            OPEN: (say("Open the best model"), say("All pictures show the best run at its last step")),
            APPLY: (say("Try it in Apply"), say("Run the best model on your own text")),
            USE: (
                say("New run with these settings…"),
                say("The form, filled in with the settings of the best run"),
            ),
            GO_ON: (say("Resume"), say("Train the runs that have not finished")),
            SEEDS: (
                say("Repeat with three seeds"),
                say("Three runs with the best settings: is the difference more than chance?"),
            ),
        }
        self.buttons: dict[str, QPushButton] = {
            key: button(title, lambda key=key: self._on_action_clicked(key), look="small", hint=hint)  # type: ignore[misc]
            for key, (title, hint) in titles.items()
        }
        self._strip = QFrame()
        self._strip.setAccessibleName(say("What the sweep found"))
        margins = (theme.px(10), theme.px(5), theme.px(10), theme.px(5))
        actions = FlowLayout()
        for made in self.buttons.values():
            actions.addWidget(made)
        vbox(self.sentence, self.advice, actions, parent=self._strip, gap_px=3, margins=margins)
        self.chart = SweepChart()
        self._chart_title = label("", "strong")
        self._legend = Hint()
        self.chart.run_chosen.connect(self.run_chosen)
        self.table = SweepTable()
        self.table.run_chosen.connect(self.run_chosen)
        self._curves_place = vbox()
        self.curves: CurvePlot | None = None
        self._curves_spec: PlotSpec | None = None
        save = FigureButton(self._chart_figure, self.chart, say("Results of the sweep"))
        title = hbox((self._chart_title, 1), save)
        left = vbox(title, self._legend, (self.chart, 3), (self._curves_place, 3), gap_px=6)
        self._columns = hbox((left, 1), (self.table, 1 if not theme.is_projector() else 2), gap_px=14)
        fill(self.body, self._strip, (self._columns, 1))

    def show_row(self, row: SweepRow) -> None:
        """The sweep as its runs stand; what they measured is read again only where that can have changed."""
        known = [(run.path, run.status.state, run.held_out and run.held_out.get("step")) for run in row.runs]
        if known != self._known:
            self._known, self.sweep = known, read_row(row, self._reader)
        self.row = row
        sweep = self.sweep
        self.set_title(say("{name} · sweep", name=row.name))
        self.stop.setVisible(row.is_active)
        if sweep is None:
            self.sentence.setText(say("The run folders of this sweep cannot be read."))
            return
        self.set_hint(self._about(sweep))
        self._show_finding(sweep)
        self.table.show_sweep(sweep)
        self.chart.show_sweep(sweep)
        self._chart_title.setText(self.chart.title)
        self._legend.setText(self.chart.legend)
        if not theme.is_projector():  # in front of a class one chart is enough
            self._show_curves(sweep)

    @property
    def diverged(self) -> frozenset[Path]:
        """The finished runs that are worse than untrained."""
        runs = () if self.sweep is None else self.sweep.runs
        return frozenset(run.path for run in runs if run.has_diverged and run.score is not None)

    # --- inside

    def _about(self, sweep: Sweep) -> str:
        settings = (*sweep.varied, *(("seed",) if sweep.seeds > 1 else ()))
        counts = [self._count(name, len({run.values.get(name) for run in sweep.runs})) for name in settings]
        runs = say("%n run(s)", n=sweep.of)
        parts = [f"{runs}: {' × '.join(counts)}" if counts else runs]
        if sweep.budget_share < 1:
            share = numbers.percent(sweep.budget_share)
            parts.append(say("each {share} of the full length", share=share))
        return " · ".join(parts)

    def _count(self, name: str, count: int) -> str:
        return {
            "learning_rate": say("%n learning rate(s)", n=count),
            "batch_size": say("%n batch size(s)", n=count),
            "epochs": say("%n length(s)", n=count),
            "seed": say("%n seed(s)", n=count),
        }[name]

    def _show_finding(self, sweep: Sweep) -> None:
        finding = finding_of(sweep)
        self.sentence.setText(finding.sentence)
        self.advice.setText(finding.advice)
        self.advice.setVisible(bool(finding.advice))
        for key, made in self.buttons.items():
            made.setVisible(key in finding.actions)
        look = "banner" if finding.is_bad else "task-done"
        if look != self._strip.property("look"):
            self._strip.setProperty("look", look)
            self._strip.style().polish(self._strip)

    def _show_curves(self, sweep: Sweep) -> None:
        """The figure of each run at each measurement."""
        runs = [run for group in sweep.groups for run in group.runs]
        # A colour is of several runs where seeds differ: no one value stands beside it.
        form = metric_form(sweep.metric) if sweep.seeds == 1 else _without_value
        colors = {run.path: index for index, group in enumerate(sweep.groups) for run in group.runs}
        specs = tuple(
            CurveSpec(
                f"run_{run.number}",
                settings_in_words(sweep.groups[colors[run.path]]) or numbers.number(run.values.get("seed")),
                RUN_COLORS[colors[run.path] % len(RUN_COLORS)],
                form,
                dots=True,
                symbol=SYMBOLS[colors[run.path] // len(RUN_COLORS) % len(SYMBOLS)],
            )
            for run in runs
        )
        name = metric_name(sweep.metric)
        keys = [(spec.key, spec.name, spec.color) for spec in specs]
        sentence = self._about_curves(sweep)
        known = self._curves_spec
        if known is None or (keys, sentence) != ([(c.key, c.name, c.color) for c in known.curves], known.sentence):
            if self.curves is not None:
                discard(self.curves)
            self._curves_spec = PlotSpec(
                say("How each run learned"),
                specs,
                name,
                percent=sweep.metric in SHARES,
                sentence=sentence,
                level=None if sweep.chance_on_the_way is None else Level(sweep.chance_on_the_way, ""),
            )
            self.curves = CurvePlot(self._curves_spec)
            self.curves.set_figure(self._figure_words)
            self._curves_place.addWidget(self.curves)
        assert self.curves is not None
        shown = {run.path for run in runs if np.isfinite(_figures_of(run)).any()}
        names = {}
        for group in sweep.groups:
            first = next((run for run in group.runs if run.path in shown), None)
            if first is not None:
                names[f"run_{first.number}"] = values_in_words(group)
        self.curves.set_points(
            {
                f"run_{run.number}": (
                    np.array([each.step for each in run.measurements], float),
                    _figures_of(run),
                )
                for run in runs
            }
        )
        self.curves.set_names(names)

    def _about_curves(self, sweep: Sweep) -> str:
        """Why the last points are not the figures of the table; empty where they are."""
        some = max((run.measurements[-1].examples or 0 for run in sweep.runs if run.measurements), default=0)
        every = max((run.final.examples or 0 for run in sweep.runs if run.final is not None), default=0)
        if not 0 < some < every:
            return ""
        text = say("On {some} of the {all} held-out examples, always the same; the table has the figures on all.")
        return text.format(all=numbers.count(every), some=numbers.count(some))

    def _chart_figure(self) -> Figure | None:
        """With the settings, the figure and the loss of each run."""
        if self.sweep is None:
            return None
        runs = self.sweep.runs
        labels = [str(run.number) for run in runs]
        columns = {name: [run.values.get(name) for run in runs] for name in (*self.sweep.varied, "seed")}
        columns |= {self.sweep.metric: [run.score for run in runs], "loss": [run.loss for run in runs]}
        arrays = {name: numbers_of("run", labels, np.array(values, float)) for name, values in columns.items()}
        source, caption = self._figure_words()
        return Figure(self.chart.title, picture_of([self._chart_title, self.chart]), arrays, caption, source)

    def _figure_words(self) -> tuple[str, str]:
        if self.row is None or self.sweep is None:
            return "", ""
        best = self.sweep.best
        return self.row.name, "" if best is None else f"{settings_in_words(best)}: {mean_in_words(self.sweep, best)}"

    def _on_action_clicked(self, key: str) -> None:
        if self.sweep is not None:
            best = self.sweep.winner or self.sweep.runs[0]
            self.action.emit(key, best.path)

    def _on_stop_clicked(self) -> None:
        if self.row is not None:
            active = [run for run in self.row.runs if run.status.active]
            active.sort(key=lambda run: run.status.state != "waiting")
            self.stop_requested.emit([run.path for run in active])


def _without_value(_value: float) -> str:
    return ""


def _figures_of(run: SweepRun) -> np.ndarray:
    """At each measurement; none of a loss that has diverged, beside which the others would all be one line."""
    figures = np.array([each.score for each in run.measurements], float)
    return np.full_like(figures, np.nan) if run.has_diverged and not run.higher_is_better else figures
