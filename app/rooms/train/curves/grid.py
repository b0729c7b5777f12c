"""The plots of one kind of run, or of several runs of that kind over one another: the first large, the others below."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from ....look import theme
from ....look.say import say
from ....widgets.curve_plot import LEAST_PX, CurvePlot
from ....widgets.curve_specs import CurveSpec, PlotSpec
from ....widgets.line_area import LineArea
from .plots import RunPlots

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
            plot.hovered.connect(self._on_plot_hovered)
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

    def _on_plot_hovered(self, x: float | None) -> None:
        """All say their values at the place that the mouse points at in one."""
        for plot in self._shown:
            plot.show_place(x)


def overlaid_key(run: int, key: str) -> str:
    """Of a run's curve among those of others."""
    return f"{run}:{key}"


def _overlaid(spec: PlotSpec, runs: int) -> PlotSpec:
    """The curves of each run in a colour of its own."""

    def curve_of(run: int, curve: CurveSpec) -> CurveSpec:
        return replace(curve, key=overlaid_key(run, curve.key), color=RUN_COLORS[run])

    curves = tuple(curve_of(run, curve) for run in range(runs) for curve in spec.curves)
    shapes = tuple(replace(curve, color="muted") for curve in spec.curves)
    return replace(spec, curves=curves, shapes=shapes if len(shapes) > 1 else ())
