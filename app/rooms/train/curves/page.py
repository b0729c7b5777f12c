"""The curves of a run, of one or of several over one another, and the few controls above them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QMenu, QScrollArea, QWidget

from bertcore.runs.run_folder import cause_of
from bertcore.runs.run_metrics import EPOCH, SECONDS, STEP, TOKENS, RunMetrics

from ....look import numbers, say, theme
from ....runs.compared_settings import differences, have_other_vocabularies
from ....runs.run_info import RunInfo
from ....runs.run_state import RunState
from ....widgets.card import button
from ....widgets.controls import Choice, MenuButton
from ....widgets.curve_plot import LEAST_PX, CurvePlot
from ....widgets.curve_specs import HorizontalAxis, Level, Mark, PlotSpec, Points, step_axis
from ....widgets.layouts import hbox, stacked, vbox
from ....widgets.line_area import LineArea
from ....widgets.rich_text import RichLabel, colored, html_table
from .plots import RunPlots, plots_of

MB_PER_MIB = 2**20 / 1e6  # the run writes the one, the window shows the other everywhere
FIRST_STEPS = 10  # what begins in these was so from the start
LIGHT, STRONG = 0.01, 0.05  # shares of the points in a moving mean
LONG_S, SHORT_S = 3 * 3600, 180
MOST_MARKED_RESUMES = 3  # more would hide the curves: they are said where the mouse is
MOST_PX, MOST_ON_PROJECTOR_PX = 112, 64  # of the table of settings
FIRST_PX, OTHERS_PX, GAP_PX = 210, 175, 10
TITLE_PX = 22  # of a chart
BESIDE_PX = 340  # of a chart's width, where two stand beside one another
FIRST_ON_PROJECTOR_PX = 180  # whole, with its axes, below the numbers
RUN_COLORS = ("curve_train", "curve_held_out", "curve_mlm", "curve_nsp", "curve_norm")


class CurveGrid(LineArea):
    """Shows the plots that have points; it scrolls where not all are seen at once."""

    def __init__(self, plots: RunPlots, runs: int = 1) -> None:
        """runs: how many are laid over one another, of at most len(RUN_COLORS)."""
        super().__init__(QWidget())
        self.setAccessibleName(say("Scroll area"))
        self.specs = (*plots.specs, *plots.more)
        self._main = len(plots.specs)
        self.plots = tuple(CurvePlot(_overlaid(spec, runs) if runs > 1 else spec) for spec in self.specs)
        self._shown: list[CurvePlot] = []
        self._shows_more = False
        self._grid = QGridLayout(self.widget())
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(theme.gap_px(GAP_PX))
        for plot in self.plots:
            plot.hovered.connect(self._show_place)
            plot.setParent(self.widget())
        self.arrange()

    def set_shows_more(self, is_on: bool) -> None:
        self._shows_more = is_on
        self.arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def _lay_out(self) -> None:
        """Where not all charts fit below one another, none is cut: two stand side by side; of more, the first takes
        the room, down to the titles of the next two."""
        height, gap = self.height(), self._grid.verticalSpacing()
        first = theme.px(FIRST_ON_PROJECTOR_PX if theme.is_projector() else FIRST_PX)
        rows = len(self._shown) // 2
        fits = first + rows * (theme.px(OTHERS_PX) + gap) <= height
        is_beside = not fits and len(self._shown) == 2 and self.width() >= 2 * theme.px(BESIDE_PX) + gap
        below = gap + theme.px(TITLE_PX)
        if is_beside or (theme.is_projector() and height - below < first):
            below = 0
        least = first if fits else max(theme.px(LEAST_PX), height - below)
        for row in range(self._grid.rowCount()):
            self._grid.setRowStretch(row, 0)
        for number, plot in enumerate(self._shown):
            row, column = (0, 0) if number == 0 else (1 + (number - 1) // 2, (number - 1) % 2)
            is_alone = number == 0 or (column == 0 and number == len(self._shown) - 1)
            if is_beside:
                row, column, is_alone = 0, number, False
            plot.setMinimumHeight(least if row == 0 else theme.px(OTHERS_PX))
            self._grid.addWidget(plot, row, column, 1, 2 if is_alone else 1)
            self._grid.setRowStretch(row, 3 if row == 0 else 2)

    def _show_place(self, x: float | None) -> None:
        """All say their values at the place that the mouse points at in one."""
        for plot in self._shown:
            plot.show_place(x)

    def arrange(self) -> None:
        """Gives every plot that has points its place; before there are any, the main ones."""
        offered = self.plots if self._shows_more else self.plots[: self._main]
        shown = [plot for plot in offered if plot.has_points] or list(self.plots[: self._main])
        if shown == self._shown:
            return
        for plot in self.plots:
            self._grid.removeWidget(plot)
            if plot not in shown:
                plot.hide()
        self._shown = shown
        self._lay_out()
        for plot in shown:
            plot.show()


def overlaid_key(run: int, key: str) -> str:
    """Of a run's curve among those of others."""
    return f"{run}:{key}"


def _overlaid(spec: PlotSpec, runs: int) -> PlotSpec:
    """The curves of each run in a colour of its own."""
    curves = tuple(
        replace(curve, key=overlaid_key(run, curve.key), color=RUN_COLORS[run])
        for run in range(runs)
        for curve in spec.curves
    )
    shapes = tuple(replace(curve, color="muted") for curve in spec.curves)
    return replace(spec, curves=curves, shapes=shapes if len(shapes) > 1 else ())


class SettingsTable(QScrollArea):
    """Hidden while there is one run only."""

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setAccessibleName(say("What differs in the settings"))
        self.text = RichLabel(self.accessibleName())
        self.text.setWordWrap(False)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setWidget(self.text)
        self.rows: list[tuple[str, tuple[str, ...]]] = []  # setting, its value in each run
        self.warning = ""
        self.hide()

    def show_runs(self, runs: Sequence[tuple[str, Path]], *, predict_words: bool) -> None:
        """runs: name and folder, in the order of their colours; predict_words: what their losses are about."""
        names, paths = [name for name, _ in runs], [path for _, path in runs]
        self.rows, self.warning = [], ""
        if len(runs) > 1:
            self.rows = differences(paths)
            if predict_words and have_other_vocabularies(paths):
                self.warning = say(
                    "Different vocabularies: the losses cannot be compared directly, because it is easier to guess "
                    "among fewer words."
                )

        def table() -> str:
            heads = (
                f"{colored('■', color)} {colored(name, bold=True)}"
                for name, color in zip(names, RUN_COLORS, strict=False)
            )
            lines = [[colored(self.warning, bold=True)]] if self.warning else []
            lines.append(["", *heads])
            lines += [[colored(name, "muted"), *map(colored, values)] for name, values in self.rows]
            lines += [] if self.rows else [[colored(say("Their settings are the same."), "muted")]]
            return html_table(lines, gap_px=4)

        self.text.write(table)
        most_px = theme.px(MOST_ON_PROJECTOR_PX if theme.is_projector() else MOST_PX)
        self.setFixedHeight(min(self.text.sizeHint().height() + theme.px(4), most_px))
        self.setVisible(len(runs) > 1)


class CurvesPage(QWidget):
    """The curves of the run that is looked at, with those of the compared ones over them."""

    def __init__(self, state: RunState, about: Callable[[], tuple[str, str]]) -> None:
        """about: the run's name and a caption, for saved pictures."""
        super().__init__()
        self._state, self._about = state, about
        self._grids: dict[tuple[RunPlots, int], CurveGrid] = {}
        hint = say("Smooth: each point as the mean of the points around it")
        shares = {0.0: say("as measured"), LIGHT: say("smooth"), STRONG: say("very smooth")}
        self.smooth = Choice(hint, shares, self._draw_all)
        self.smooth.setCurrentIndex(1)
        self.logarithmic = button(
            say("Log"),
            self._draw_all,
            checkable=True,
            hint=say("Logarithmic: differences between small values are as visible as between large ones"),
        )
        titles = {STEP: say("by step"), EPOCH: say("by epoch"), TOKENS: say("by tokens"), SECONDS: say("by time")}
        self.axis = Choice(say("What the horizontal axis shows"), titles, self._draw_all)
        self.compare = MenuButton(
            say("Compare curves"), self._fill_menu, say("Other runs of the same kind, drawn over this one")
        )
        self.more = button(
            say("More"),
            self._show_grid,
            checkable=True,
            hint=say("Learning rate, gradient norm, speed, memory and processor"),
        )
        self.table = SettingsTable()
        self._stack = stacked()
        controls = hbox(self.smooth, self.axis, self.logarithmic, None, self.compare, self.more, gap_px=6)
        vbox(controls, self.table, (self._stack, 1), parent=self, gap_px=10)
        state.runs_changed.connect(self._on_runs_changed)
        state.run_changed.connect(self._on_run_changed)
        state.compared_changed.connect(self._show_grid)
        state.compared_read.connect(self.draw)
        self._show_grid()

    @property
    def grid(self) -> CurveGrid:
        """The one on show; made when it is first looked at, and kept."""
        plots, runs = plots_of(self._state.run), 1 + len(self._state.compared)
        if (plots, runs) not in self._grids:
            grid = self._grids[plots, runs] = CurveGrid(plots, runs)
            for plot in grid.plots:
                plot.set_figure(self._about)
            self._stack.addWidget(grid)
        return self._grids[plots, runs]

    @property
    def plots(self) -> tuple[CurvePlot, ...]:
        """Those on offer for the run's kind, whether they have points or not."""
        return self.grid.plots

    def plot_of(self, key: str) -> CurvePlot:
        """The plot with this curve."""
        grid = self.grid
        found = (plot for plot, spec in zip(grid.plots, grid.specs, strict=True) if key in {c.key for c in spec.curves})
        return next(found)

    def _on_runs_changed(self) -> None:
        """A run that was deleted is no longer compared."""
        state, known = self._state, {run.path for run in self._state.runs}
        if not known.issuperset(state.compared):
            state.compare([path for path in state.compared if path in known])
        self.compare.setEnabled(bool(self._offered()))

    def _on_run_changed(self) -> None:
        """What is compared stays, as far as it is of the same kind."""
        state, offered = self._state, {run.path for run in self._offered()}
        if not offered.issuperset(state.compared):
            state.compare([path for path in state.compared if path in offered])
        self.compare.setEnabled(bool(offered))
        self._show_grid()
        self.grid.verticalScrollBar().setValue(0)
        self._draw_all()

    def set_chance(self, level: Level | None) -> None:
        """What guessing alone would get, in the plot of a task's scores."""
        if self._state.run.metrics:
            self.plots[1].change(level=level)

    def toggle_compared(self, path: Path) -> None:
        """Lays a run over the one on show, or takes it away again."""
        compared = list(self._state.compared)
        if path in compared:
            self._state.compare([each for each in compared if each != path])
        elif any(run.path == path for run in self._offered()) and len(compared) + 1 < len(RUN_COLORS):
            self._state.compare([*compared, path])

    def draw(self) -> None:
        """As the metrics stand."""
        grid, runs, axis, status = self.grid, self._curves(), self._chosen_axis(), self._state.run.status
        marks = self._marks(runs, axis)
        has_diverged = status.state == "failed" and cause_of(status.message) == "diverged"
        self.smooth.setVisible(not has_diverged)  # it would hide the very rise that ended the run
        for plot, spec in zip(grid.plots, grid.specs, strict=True):
            points: dict[str, Points] = {}
            names: dict[str, str] = {}
            for number, (name, metrics) in enumerate(runs):
                for curve in spec.curves:
                    key = overlaid_key(number, curve.key) if len(runs) > 1 else curve.key
                    steps, values = metrics.series[curve.key].arrays
                    x = metrics.places(axis.shown.key, steps) / axis.unit
                    values = values * MB_PER_MIB if curve.key == "memory" else values
                    points[key] = x, values if len(x) == len(values) else values[:0]
                named = next((curve for curve in spec.curves if curve.dots), spec.curves[0])
                names[overlaid_key(number, named.key)] = name
            plot.change(
                axis=axis.shown,
                smoothing=0.0 if has_diverged else self.smooth.currentData(),
                is_logarithmic=self.logarithmic.isChecked(),
                points=points,
                marks=marks if plot is grid.plots[0] else [replace(mark, is_silent=True) for mark in marks],
                names=names if len(runs) > 1 else plot.drawing.names,
            )
        grid.arrange()

    def _curves(self) -> list[tuple[str, RunMetrics]]:
        """The name and the metrics of the run on show, and of each that is compared."""
        names = {run.path: run.name for run in self._state.runs}
        compared = self._state.compared.items()
        return [(self._state.run.name, self._state.metrics), *((names.get(path, path.name), m) for path, m in compared)]

    def _marks(self, runs: Sequence[tuple[str, RunMetrics]], axis: _Axis) -> list[Mark]:
        """Those of several runs in the colours of their curves, but for what all begin at the same place."""
        of_runs = []
        for _, metrics in runs:
            by_step = marks_of(metrics)
            places = metrics.places(axis.shown.key, np.array([mark.x for mark in by_step])) / axis.unit
            of_runs.append([replace(mark, x=float(x)) for mark, x in zip(by_step, places, strict=False)])
        shared = set.intersection(*({(mark.x, mark.after) for mark in marks} for marks in of_runs))
        found = [mark for mark in of_runs[0] if (mark.x, mark.after) in shared]
        for (name, _), color, marks in zip(runs, RUN_COLORS, of_runs, strict=False):
            found += [
                replace(mark, before="", in_full=f"{name}: {mark.sentence}", color=color)
                for mark in marks
                if (mark.x, mark.after) not in shared
            ]
        return sorted(found, key=lambda mark: mark.x)

    # --- inside

    def _draw_all(self) -> None:
        self.draw()
        for plot in self.plots:
            plot.show_all()

    def _show_grid(self) -> None:
        grid, state = self.grid, self._state
        grid.set_shows_more(self.more.isChecked())
        self._stack.setCurrentWidget(grid)
        paths = [state.run.path, *state.compared]
        names = [name for name, _ in self._curves()]
        self.table.show_runs(list(zip(names, paths, strict=True)), predict_words=not state.run.metrics)
        self.draw()

    def can_compare(self, run: RunInfo) -> bool:
        """Another run, of the same kind."""
        own = self._state.run
        return run.path != own.path and (run.kind, run.metrics) == (own.kind, own.metrics)

    def _offered(self) -> list[RunInfo]:
        return [run for run in self._state.runs if self.can_compare(run)]

    def _fill_menu(self, menu: QMenu) -> None:
        is_full = len(self._state.compared) + 1 >= len(RUN_COLORS)
        for run in self._offered():
            action = menu.addAction(run.name)
            action.setCheckable(True)
            action.setChecked(run.path in self._state.compared)
            action.setEnabled(action.isChecked() or not is_full)
            action.triggered.connect(lambda _checked=False, path=run.path: self.toggle_compared(path))

    def _chosen_axis(self) -> _Axis:
        """The one that was chosen; steps where this run does not say the other."""
        extents = {key: self._state.metrics.extent(key) for key in (STEP, EPOCH, TOKENS, SECONDS)}
        for index, extent in enumerate(extents.values()):
            self.axis.model().item(index).setEnabled(index == 0 or extent > 0)  # type: ignore[attr-defined]
        key, extent = self.axis.currentData(), extents[self.axis.currentData()]
        if key == STEP or extent <= 0:
            return _Axis(step_axis())
        if key == EPOCH:
            return _Axis(HorizontalAxis(key, say("epoch"), say("at epoch {x}"), numbers.number))
        if key == TOKENS:
            return _Axis(HorizontalAxis(key, say("tokens read"), say("after {x} tokens"), numbers.compact_count))
        label, at, unit = say("seconds of training"), say("after {x} s"), 1
        if extent > LONG_S:
            label, at, unit = say("hours of training"), say("after {x} h"), 3600
        elif extent > SHORT_S:
            label, at, unit = say("minutes of training"), say("after {x} min"), 60
        return _Axis(HorizontalAxis(key, label, at, numbers.number), unit)


@dataclass(frozen=True)
class _Axis:
    shown: HorizontalAxis
    unit: float = 1.0  # how many steps, tokens, seconds make one of its units


def marks_of(metrics: RunMetrics) -> list[Mark]:
    """Where the run begins something else, by step. Sequences that are longer from the first steps on are no news."""
    marks = []
    if metrics.switch_step is not None:
        before, in_short = say("warm-up: predict the next word "), say("warm-up: next word ")
        marks.append(Mark(metrics.switch_step, say(" then: masked words →"), before, in_short))
    if metrics.longer_step is not None and metrics.longer_step > FIRST_STEPS:
        marks.append(Mark(metrics.longer_step, say(" then: longer sequences →")))
    for step, changed in metrics.resumes.items():
        text = say("resumed")
        in_full = say("resumed, changed: {changes}", changes=changed) if changed else text
        marks.append(Mark(step, f" {text}" if len(metrics.resumes) <= MOST_MARKED_RESUMES else "", in_full=in_full))
    return sorted(marks, key=lambda mark: mark.x)
