"""Curves over steps or layers: a legend in words with the newest (or hovered) values, and a pyqtgraph canvas.

    plot = CurvePlot(PlotSpec("Loss", (CurveSpec("loss", "training", "curve_train"),), left_label="loss (nats)"))
    plot.set_points({"loss": (steps, values)})                   any number of times, also before it is seen
    plot.set_points({"loss": (np.arange(3), values)}, ["emb.", "1", "2"])     x is a place with a name
    plot.set_marked(2)                                           a line at a place; the legend has its values
    plot.hovered.connect(...), plot.clicked.connect(...)         the x of the nearest point; None beside them

pyqtgraph takes a fifth of a second to import: that happens when the first plot is shown, after it has been painted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..figures.figure import Axis, Figure, Numbers, picture_of
from ..look import numbers, theme
from ..look.say import say
from .curve_specs import CurveSpec, HorizontalAxis, Level, Mark, PlotSpec, Points
from .figure_button import FigureButton
from .layouts import vbox
from .linked_text import LinkedText
from .smoothing import smoothed

if TYPE_CHECKING:
    from .curve_canvas import CurveCanvas

_NOTHING: Points = (np.empty(0), np.empty(0))
MARK_PX = 6  # so near to a mark the mouse points at it
LEAST_PX = 128  # of a plot's height, with its legend: lower, its axes could not be read


class CurvePlot(QWidget):
    """Takes data from the first moment; draws it from the moment it is shown."""

    hovered = Signal(object)  # x of the nearest point, or None
    clicked = Signal(float)

    def __init__(self, spec: PlotSpec) -> None:
        super().__init__()
        self.spec = spec
        self._points: dict[str, Points] = {}
        self._shown: dict[str, Points] = {}  # the same, smoothed
        self._smoothing = 0.0
        self._is_logarithmic = False
        self._places: Sequence[str] = ()
        self._marks: tuple[Mark, ...] = ()
        self.marked: float | None = None
        self._hovered: float | None = None
        self._axis = step_axis(spec.bottom_label, spec.at)
        self._canvas: CurveCanvas | None = None
        self._is_stale = False  # points came while nobody saw it
        self._save: FigureButton | None = None
        self._legend = _Legend(spec)
        self._layout = vbox(self._legend, parent=self, gap_px=2)
        if spec.sentence and not theme.is_projector():  # in front of a class the picture comes first
            self._layout.addWidget(LinkedText(spec.sentence))
        self._layout.addStretch(0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(theme.px(LEAST_PX))
        self.setAccessibleName(spec.title)

    @property
    def is_loaded(self) -> bool:
        """Its curves are drawn, as far as it is seen."""
        return self._canvas is not None or not self.isVisible()

    @property
    def legend_values(self) -> dict[str, str]:
        """curve key -> the value beside its name"""
        return dict(self._legend.values)

    @property
    def has_points(self) -> bool:
        return any(len(x) for x, _ in self._points.values())

    def points(self, key: str) -> Points:
        """What a curve shows: x (P), values (P)."""
        return self._points.get(key, _NOTHING)

    def set_figure(self, about: Callable[[], tuple[str, str]]) -> None:
        """Puts a save button into the lower right corner; about: what the curves are of, and a caption."""

        def provide() -> Figure | None:
            source, caption = about()
            return self._figure(source, caption)

        self._save = FigureButton(provide, self, self.spec.title)
        self._save.setParent(self)
        self._place_save()

    def _place_save(self) -> None:
        """Beside the name of the lower axis, where nothing is drawn: the legend needs its line for itself."""
        if self._save is not None:
            self._save.move(self.width() - self._save.width(), self.height() - self._save.height())
            self._save.setVisible(self._canvas is not None and not self._canvas.isHidden())
            self._save.raise_()

    def _figure(self, source: str, caption: str) -> Figure | None:
        """The curves as they are drawn now, with all their points; None while there are none."""
        curves = {curve.key: self.points(curve.key) for curve in self.spec.curves}
        arrays = {
            key: Numbers(values, (Axis(self._axis.key, x.astype(np.int64) if self._axis.whole else x),))
            for key, (x, values) in curves.items()
            if len(x)
        }
        if self._canvas is None or not arrays:
            return None
        return Figure(self.spec.title, picture_of([self._legend, self._canvas]), arrays, caption, source)

    def _load(self) -> None:
        """Makes the canvas, once; it stays."""
        if self._canvas is not None:
            return
        from .curve_canvas import CurveCanvas

        self._canvas = CurveCanvas(self.spec, self._axis)
        if self._is_logarithmic:
            self._canvas.set_logarithmic(True)
        self._canvas.hovered.connect(self._on_canvas_hovered)
        self._canvas.clicked.connect(self._on_canvas_clicked)
        self._layout.addWidget(self._canvas, 1)
        self._draw()

    def set_points(self, points: dict[str, Points], places: Sequence[str] = ()) -> None:
        """Shows these curves; a key that is missing is empty, and values that are not finite are left out.

        places: names of x = 0, 1, 2 ... where x is no training step.
        """
        self._points = {}
        for key, (x, values) in points.items():
            is_there = np.isfinite(values)
            self._points[key] = (x, values) if is_there.all() else (x[is_there], values[is_there])
        self._places = places
        self._draw()

    def set_axis(self, axis: HorizontalAxis) -> None:
        """What x is from now on; points and marks with such x come next."""
        if axis != self._axis:
            self._axis = axis
            if self._canvas is not None:
                self._canvas.set_axis(axis)

    def set_smoothing(self, share: float) -> None:
        """Noisy curves as the mean of this share of their points around each, and faintly behind them as they are."""
        if share != self._smoothing:
            self._smoothing = share
            self._draw()

    def set_logarithmic(self, is_on: bool) -> None:
        """Only a plot that may have such an axis."""
        if is_on != self._is_logarithmic and self.spec.may_be_logarithmic:
            self._is_logarithmic = is_on
            if self._canvas is not None:
                self._canvas.set_logarithmic(is_on)

    def set_level(self, level: Level | None) -> None:
        """What all values are to be compared with, where that is known only later."""
        if level != self.spec.level:
            self.spec = replace(self.spec, level=level)
            if self._canvas is not None:
                self._canvas.set_level(level)

    def set_names(self, names: dict[str, str]) -> None:
        """Curves by other names; those without one are left out of the legend."""
        self._legend.names = names
        self._show_values()

    def show_place(self, x: float | None) -> None:
        """A line at a place, as if the mouse pointed at it: the legend has the values there. None: nowhere."""
        self._hovered = x
        if self._canvas is not None:
            self._canvas.set_marked(self.marked if x is None else x)
        self._show_values()

    def set_marks(self, marks: Sequence[Mark]) -> None:
        """Lines across the plot where something else begins, these and no others."""
        self._marks = tuple(marks)
        if self._canvas is not None:
            self._canvas.set_marks(self._marks)

    def set_marked(self, x: float | None) -> None:
        """A place that is marked by an upright line; the legend has its values while the mouse points at none."""
        self.marked = x
        if self._canvas is not None:
            self._canvas.set_marked(x)
        self._show_values()

    def show_all(self) -> None:
        """Both axes follow the data again, after someone dragged or zoomed."""
        if self._canvas is not None:
            self._canvas.show_all()

    def _draw(self) -> None:
        self._hovered = None
        self._is_stale = self._canvas is not None and not self.isVisible()
        if self._is_stale:
            return
        noisy = [curve.key for curve in self.spec.curves if curve.noisy and self._smoothing]
        raw = {key: self._points[key] for key in noisy if key in self._points}
        self._shown = self._points | {key: (x, smoothed(values, self._smoothing)) for key, (x, values) in raw.items()}
        self._show_values()
        if self._canvas is None:
            return
        self._canvas.setVisible(self.has_points)  # no axes around nothing
        shown = {curve.key: self._shown.get(curve.key, _NOTHING) for curve in self.spec.curves}
        self._canvas.set_points(shown, self._places, raw)
        self._canvas.set_marks(self._marks)
        self._canvas.set_marked(self.marked)
        self._place_save()

    def _nearest_x(self, x: float) -> float | None:
        """Of all points."""
        near = [float(steps[_nearest(steps, x)]) for steps, _ in self._points.values() if len(steps)]
        return min(near, key=lambda one: abs(one - x), default=None)

    def _on_canvas_hovered(self, x: float | None) -> None:
        at = None if x is None else self._nearest_x(x)
        if at != self._hovered:
            self._hovered = at
            self._show_values()
            self.hovered.emit(at)

    def _on_canvas_clicked(self, x: float) -> None:
        at = self._nearest_x(x)
        if at is not None:
            self.clicked.emit(at)

    def _show_values(self) -> None:
        at = self._hovered if self._hovered is not None else self.marked
        values = {}
        for curve in self.spec.curves:
            steps, numbers_ = self._shown.get(curve.key, _NOTHING)
            if len(steps):
                if self._hovered is not None:
                    index = _nearest(steps, self._hovered)
                else:  # the last that was known there, as the numbers beside the plot
                    index = -1 if at is None else max(int(np.searchsorted(steps, at, "right")) - 1, 0)
                about = "≈ " if numbers_ is not self._points[curve.key][1] else ""
                values[curve.key] = about + curve.format(float(numbers_[index]))
        self._legend.set_values(values, "" if self._hovered is None else self._place_text(self._hovered))

    def _place_text(self, x: float) -> str:
        place = max(round(x), 0)
        name = self._places[min(place, len(self._places) - 1)] if self._places else self._axis.format(x)
        return " · ".join([self._axis.at.format(x=name), *self._marks_at(x)])

    def _marks_at(self, x: float) -> list[str]:
        """What begins there, in words."""
        near = 0.0 if self._canvas is None else MARK_PX * self._canvas.units_per_px
        return [mark.sentence for mark in self._marks if abs(mark.x - x) <= near]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_save()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._canvas is None:
            QTimer.singleShot(0, self, self._load)  # what is around it is painted first
        elif self._is_stale:
            self._draw()


class _Legend(QWidget):
    """The title, then a piece of each curve with its name and value; a second line where one is too short."""

    _SAMPLE_PX, _GAP_PX, _LINE_PX = 14, 8, 20

    def __init__(self, spec: PlotSpec) -> None:
        super().__init__()
        self.spec = spec
        self.values: dict[str, str] = {}
        self.names = {curve.key: curve.name for curve in spec.curves}
        self._place = ""
        self._lines = 1
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_values(self, values: dict[str, str], place: str) -> None:
        """place: what the values are of, in words; empty: the newest."""
        self.values, self._place = values, place
        shown = [f"{self.names[curve.key]} {values[curve.key]}" for curve in self._curves()]
        self.setAccessibleName(f"{self.spec.title}: {', '.join(shown)}")
        averaged = say("≈: the mean of the points around it")
        is_averaged = any(value.startswith("≈") for value in values.values())
        self.setToolTip("\n".join([" · ".join(shown), *([averaged] if is_averaged else [])]))
        self._fit()
        self.update()

    def _curves(self) -> list[CurveSpec]:
        return [curve for curve in self.spec.curves if curve.key in self.values and curve.key in self.names]

    def sizeHint(self) -> QSize:
        return QSize(0, self._lines * theme.px(self._LINE_PX))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        self._draw(painter, *self._chosen())

    def _chosen(self) -> tuple[bool, bool]:
        """With the title, with values: all that its lines have room for."""
        choices = ((True, True), (False, True), (False, False))
        return next((choice for choice in choices if self._draw(None, *choice) <= self._lines), choices[-1])

    def _fit(self) -> None:
        """Its height does not depend on where the mouse points: the place is left out where it is too long."""
        place, self._place = self._place, ""
        lines = min(self._draw(None, True, True), 2)
        self._place = place
        if lines != self._lines:
            self._lines = lines
            self.updateGeometry()

    def _draw(self, painter: QPainter | None, with_title: bool, with_values: bool) -> int:
        """Draws (without a painter: measures), and returns how many lines that takes."""
        x, y, gap = 0.0, 0.0, theme.px(self._GAP_PX)
        if with_title:
            x = self._write(painter, x, y, self._place or self.spec.title, "ink", bold=True) + gap
        for curve in self._curves():
            if x + self._draw_curve(None, 0, y, curve, with_values) > self.width() and x > 0:
                x, y = 0.0, y + theme.px(self._LINE_PX)
            x = self._draw_curve(painter, x, y, curve, with_values) + gap
        for shape in self.spec.shapes if with_title else ():
            if x + self._draw_shape(None, 0, y, shape) > self.width() and x > 0:
                x, y = 0.0, y + theme.px(self._LINE_PX)
            x = self._draw_shape(painter, x, y, shape) + gap
        return 1 + round(y / theme.px(self._LINE_PX))

    def _draw_shape(self, painter: QPainter | None, x: float, y: float, shape: CurveSpec) -> float:
        x = self._draw_sample(painter, x, y, shape)
        return self._write(painter, x + theme.px(5), y, shape.name, "muted")

    def _draw_curve(self, painter: QPainter | None, x: float, y: float, curve: CurveSpec, with_value: bool) -> float:
        x = self._draw_sample(painter, x, y, curve)
        x = self._write(painter, x + theme.px(5), y, self.names[curve.key], "muted")
        if with_value:
            x = self._write(painter, x + theme.px(4), y, self.values[curve.key], "ink", bold=True)
        return x

    def _write(self, painter: QPainter | None, x: float, y: float, text: str, color: str, bold: bool = False) -> float:
        font = theme.font(12, medium=bold)
        width = QFontMetrics(font).horizontalAdvance(text)
        if painter is not None:
            painter.setFont(font)
            painter.setPen(theme.color(color))
            box = QRectF(x, y, width + 2, theme.px(self._LINE_PX))
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)
        return x + width

    def _draw_sample(self, painter: QPainter | None, x: float, y: float, curve: CurveSpec) -> float:
        width = theme.px(8 if curve.dots else self._SAMPLE_PX)
        if painter is None:
            return x + width
        color, middle = theme.color(curve.color), y + theme.px(self._LINE_PX) / 2
        if curve.dots:
            painter.setBrush(color)
            painter.setPen(Qt.PenStyle.NoPen)
            _draw_dot(painter, curve.symbol, QPointF(x + width / 2, middle), width / 2 - 0.5)
        else:
            painter.setPen(QPen(color, theme.px(2), Qt.PenStyle.DashLine if curve.dashed else Qt.PenStyle.SolidLine))
            painter.drawLine(QPointF(x, middle), QPointF(x + width, middle))
        return x + width


def _draw_dot(painter: QPainter, symbol: str, at: QPointF, radius: float) -> None:
    """The shapes that the canvas draws, in the legend."""
    x, y = at.x(), at.y()
    if symbol == "s":
        painter.drawRect(QRectF(x - radius, y - radius, 2 * radius, 2 * radius))
    elif symbol == "t":
        painter.drawPolygon([QPointF(x - radius, y - radius), QPointF(x + radius, y - radius), QPointF(x, y + radius)])
    elif symbol == "d":
        half = 0.7 * radius
        corners = ((x, y - radius), (x + half, y), (x, y + radius), (x - half, y))
        painter.drawPolygon([QPointF(*corner) for corner in corners])
    else:
        painter.drawEllipse(at, radius, radius)


def step_axis(label: str = "", at: str = "") -> HorizontalAxis:
    """Training steps; or what else is counted from 0."""
    at = at or say("at step {x}")
    return HorizontalAxis("step", label or say("step"), at, _step_text, True)


def _step_text(x: float) -> str:
    return numbers.count(round(x))


def _nearest(steps: np.ndarray, step: float) -> int:
    """Index of the point next to `step`; steps (P) rise."""
    index = int(np.searchsorted(steps, step))
    if index == len(steps):
        return index - 1
    if index > 0 and step - steps[index - 1] < steps[index] - step:
        return index - 1
    return index
