"""A sweep in the middle of the room: what it found in words, its runs side by side, and their scores in charts."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QToolTip

from bertcore.runs.sweep_results import MeasurementReader, Sweep, SweepRun

from ....figures.figure import Figure, numbers_of, picture_of
from ....look import numbers, say, theme
from ....runs.finding import Finding
from ....runs.run_sentences import setting_name, setting_value
from ....runs.run_state import RunState
from ....runs.sweeps import (
    SweepRow,
    about_sweep,
    finding_of,
    mean_in_words,
    mean_sentence,
    read_row,
    result_cell,
    result_sentence,
    settings_in_words,
)
from ....state.task_info import metric_name
from ....widgets.card import Card, button
from ....widgets.curve_plot import CurvePlot
from ....widgets.layouts import discard, fill, hbox, vbox
from ....widgets.table import Column, Table
from ..run.strips import FindingStrip
from .charts import SweepPlot, learning_of, results_of


class SweepPage(Card):
    """`action` comes with the run that it is about."""

    action = Signal(object, object)  # Action, Path of the best run

    def __init__(self, state: RunState) -> None:
        super().__init__(" ")
        self._state = state
        self.row: SweepRow | None = None
        self.sweep: Sweep | None = None
        self._reader = MeasurementReader()
        self._known: object = None  # what the sweep was read for
        hint = say("Stop the run that is training, and do not start the others")
        self.stop = button(say("Stop all"), self._on_stop_clicked, hint=hint)
        self.add_to_header(self.stop)
        self.strip = FindingStrip(say("What the sweep found"))
        self.strip.action.connect(lambda action: self.action.emit(action, self.best))
        self.chart: CurvePlot | None = None  # the score of each run
        self.curves: CurvePlot | None = None  # how each run learned
        self.results: SweepPlot | None = None  # what the chart shows
        self.table = SweepTable()
        for chosen in (self.table.row_clicked, self.table.row_opened):
            chosen.connect(lambda row: state.choose(row.run.path))
        self._charts = vbox(gap_px=6)
        columns = hbox((self._charts, 1), (self.table, 1 if not theme.is_projector() else 2), gap_px=14)
        fill(self.body, self.strip, (columns, 1))

    def show_row(self, row: SweepRow) -> None:
        """The sweep as its runs stand; what they measured is read again only where that can have changed."""
        known = [(run.path, run.status.state, run.held_out and run.held_out.get("step")) for run in row.runs]
        if known != self._known:
            self._known, self.sweep = known, read_row(row, self._reader)
        self.row = row
        self.set_title(say("{name} · sweep", name=row.name))
        self.stop.setVisible(row.is_active)
        if self.sweep is None:
            self.strip.show_finding(Finding(say("The run folders of this sweep cannot be read."), is_bad=True))
            return
        self.set_hint(about_sweep(self.sweep))
        self.strip.show_finding(finding_of(self.sweep))
        self.table.show_sweep(self.sweep)
        self.results = results_of(self.sweep)
        self.chart = self._shown(self.chart, self.results)
        if not theme.is_projector():  # in front of a class one chart is enough
            self.curves = self._shown(self.curves, learning_of(self.sweep))

    @property
    def best(self) -> Path:
        """The best run; as long as none has a score, the first."""
        found = None if self.sweep is None else self.sweep.winner or self.sweep.runs[0]
        return Path() if found is None else found.path

    @property
    def diverged(self) -> frozenset[Path]:
        """The finished runs that are worse than untrained."""
        runs = () if self.sweep is None else self.sweep.runs
        return frozenset(run.path for run in runs if run.has_diverged and run.score is not None)

    def _shown(self, chart: CurvePlot | None, plot: SweepPlot) -> CurvePlot:
        """In the chart that is there, if its curves are the same; else in a new one in its place."""
        if chart is None or chart.spec != plot.spec:
            at = self._charts.count() if chart is None else self._charts.indexOf(chart)
            if chart is not None:
                discard(chart)
            chart = CurvePlot(plot.spec)
            self._charts.insertWidget(at, chart, 3)
            if plot.runs:
                chart.set_figure(self._figure_words, self._results_figure)
                chart.place_clicked.connect(self._on_chart_place_clicked)
                chart.place_hovered.connect(self._on_chart_place_hovered)
            else:
                chart.set_figure(self._figure_words)
        chart.change(points=plot.points, names=plot.names, level=plot.level, places=plot.places)
        return chart

    def _results_figure(self) -> Figure | None:
        """With the settings, the score and the loss of each run."""
        if self.sweep is None or self.chart is None:
            return None
        sweep, labels = self.sweep, [str(run.number) for run in self.sweep.runs]
        columns = {name: [run.values.get(name) for run in sweep.runs] for name in (*sweep.varied, "seed")}
        columns |= {sweep.metric: [run.score for run in sweep.runs], "loss": [run.loss for run in sweep.runs]}
        arrays = {name: numbers_of("run", labels, np.array(values, float)) for name, values in columns.items()}
        source, caption = self._figure_words()
        return Figure(self.chart.spec.title, picture_of([self.chart]), arrays, caption, source)

    def _figure_words(self) -> tuple[str, str]:
        if self.row is None or self.sweep is None:
            return "", ""
        best = self.sweep.best
        return self.row.name, "" if best is None else f"{settings_in_words(best)}: {mean_in_words(self.sweep, best)}"

    def _on_chart_place_clicked(self, key: str, index: int) -> None:
        if self.results is not None:
            self._state.choose(self.results.runs[key][index].path)

    def _on_chart_place_hovered(self, place: tuple[str, int] | None) -> None:
        text = ""
        if place is not None and self.results is not None and self.sweep is not None:
            text = result_sentence(self.sweep, self.results.runs[place[0]][place[1]])
        QToolTip.showText(QCursor.pos(), text, self)

    def _on_stop_clicked(self) -> None:
        if self.row is not None:
            active = [run for run in self.row.runs if run.status.active]
            for run in sorted(active, key=lambda run: run.status.state != "waiting"):  # or the next would begin
                self._state.control_requested.emit(run.path, "stop")


@dataclass(frozen=True)
class Row:
    run: SweepRun
    cells: list[str]
    is_best: bool = False

    @property
    def color(self) -> str:
        """Of its text, in the theme."""
        if self.run.score is None or self.run.has_diverged:
            return "bad_text" if self.run.status.state == "failed" or self.run.has_diverged else "muted"
        return "good_text" if self.is_best else ""


class SweepTable(Table):
    """The runs of a sweep side by side: what differs in their settings, what they measured, how they stand."""

    def __init__(self) -> None:
        super().__init__(say("The runs of the sweep"))
        self.rows: list[Row] = []
        self._titles: list[str] = []

    def show_sweep(self, sweep: Sweep) -> None:
        settings = [*sweep.varied, *(("seed",) if sweep.seeds > 1 or not sweep.varied else ())]
        has_loss = sweep.metric != "mlm_loss"  # which is the score already
        titles = [setting_name(name, short=True) for name in settings]
        titles.append(say("final {figure}", figure=metric_name(sweep.metric)))
        titles += [say("mean ± standard deviation")] if sweep.seeds > 1 else []
        titles += [say("held-out loss")] if has_loss else []
        rows = []
        for group in sweep.groups:
            is_best = len(sweep.groups) > 1 and group == sweep.best
            for run in group.runs:
                cells = [*(setting_value(name, run.values.get(name)) for name in settings), result_cell(sweep, run)]
                if sweep.seeds > 1:  # beside the first run of its settings
                    has_mean = run is group.runs[0] and group.mean is not None
                    cells.append(mean_sentence(sweep, group) if has_mean else "")
                if is_best and cells[-1]:
                    cells[-1] = say("{figure} · best", figure=cells[-1])
                if has_loss:  # the last so far is no final one
                    cells.append(numbers.decimal(None if run.status.active else run.loss, 3))
                rows.append(Row(run, cells, is_best))
        for run in sweep.unreadable:
            cells = [run.path.name, *[""] * (len(titles) - 1)]
            cells[len(settings)] = say("its settings cannot be read")
            rows.append(Row(run, cells))
        if (titles, rows) == (self._titles, self.rows):
            return
        self._titles, self.rows = titles, rows

        def column(place: int, title: str) -> Column:
            return Column(
                title,
                lambda row: row.cells[place],
                tip=lambda row: row.run.status.message or "",
                color=lambda row: row.color,
                is_strong=lambda row: row.color == "good_text",
            )

        self.set_rows(rows, [column(place, title) for place, title in enumerate(titles)])
        self.resizeColumnsToContents()
        for place in range(len(titles)):
            gap_px = theme.px(8 if not theme.is_projector() else 1)
            self.setColumnWidth(place, self.columnWidth(place) + gap_px)
