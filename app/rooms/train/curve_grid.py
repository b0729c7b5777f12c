"""The plots of one kind of run, or of several runs of that kind over one another: the first large, the others below."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QGridLayout, QWidget

from ...look import theme
from ...widgets.curve_plot import CurvePlot
from ...widgets.curve_specs import CurveSpec, PlotSpec
from .plots import RunPlots

FIRST_PX, OTHERS_PX, GAP_PX = 210, 175, 10
TITLE_PX = 22  # of a chart
FIRST_ON_PROJECTOR_PX = 180  # whole, with its axes, below the numbers
RUN_COLORS = ("curve_train", "curve_held_out", "curve_mlm", "curve_nsp", "curve_norm")


class CurveGrid(QWidget):
    """Shows the plots that have points."""

    def __init__(self, plots: RunPlots, runs: int = 1) -> None:
        """runs: how many are laid over one another, of at most len(RUN_COLORS)."""
        super().__init__()
        self.specs = (*plots.specs, *plots.more)
        self._main = len(plots.specs)
        self.plots = tuple(CurvePlot(_overlaid(spec, runs) if runs > 1 else spec) for spec in self.specs)
        self._shown: list[CurvePlot] = []
        self._shows_more = False
        self._room_px = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(theme.gap_px(GAP_PX))
        for plot in self.plots:
            plot.hovered.connect(self._on_plot_hovered)
            plot.setParent(self)
        self.arrange()

    def set_shows_more(self, is_on: bool) -> None:
        self._shows_more = is_on
        self.arrange()

    def set_room_px(self, height: int) -> None:
        """How much of the grid is seen at once."""
        self._room_px = height
        self._fit_first()

    def _fit_first(self) -> None:
        """Where not all charts fit, none is cut: the first takes the room, down to the titles of the next two."""
        if not self._shown:
            return
        least = theme.px(FIRST_ON_PROJECTOR_PX if theme.is_projector() else FIRST_PX)
        gap = self._grid.verticalSpacing()
        rows = len(self._shown) // 2
        fits = least + rows * (theme.px(OTHERS_PX) + gap) <= self._room_px
        self._shown[0].setMinimumHeight(least if fits else max(least, self._room_px - gap - theme.px(TITLE_PX)))

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
        for row in range(self._grid.rowCount()):
            self._grid.setRowStretch(row, 0)
        for number, plot in enumerate(shown):
            row, column = (0, 0) if number == 0 else (1 + (number - 1) // 2, (number - 1) % 2)
            is_alone = number == 0 or (column == 0 and number == len(shown) - 1)
            plot.setMinimumHeight(theme.px(OTHERS_PX))
            self._grid.addWidget(plot, row, column, 1, 2 if is_alone else 1)
            self._grid.setRowStretch(row, 3 if number == 0 else 2)
            plot.show()
        self._fit_first()

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
