"""Curves over steps: a legend in words with the newest (or hovered) values, and a pyqtgraph canvas once loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.figures.figure import Axis, Figure, Numbers, picture_of
from app.look import theme
from app.widgets.figure_button import FigureButton

if TYPE_CHECKING:
    from app.widgets.curve_canvas import CurveCanvas

LEAST_PX = 128  # of a plot's height, with its legend: lower, its axes could not be read
Points = tuple[np.ndarray, np.ndarray]  # steps (P), values (P)


@dataclass(frozen=True)
class CurveSpec:
    """One curve. `color` is a name in the theme; the line's shape tells curves apart too."""

    key: str
    name: str  # as in the legend
    color: str
    format: Callable[[float], str] = "{:.3g}".format
    dots: bool = False  # few points: a dot each
    symbol: str = "o"  # the dot's shape: "o" circle, "s" square, "t" triangle, "d" diamond
    dashed: bool = False
    on_right: bool = False  # has its axis at the right


@dataclass(frozen=True)
class PlotSpec:
    """A plot over steps."""

    title: str
    curves: tuple[CurveSpec, ...]
    left_label: str
    right_label: str = ""
    percent: bool = False  # the left axis shows 0..1 as percents


@dataclass(frozen=True)
class Mark:
    """Where something else begins: words after its line, and before it where what ended there has a name too."""

    step: float
    after: str
    before: str = ""
    before_short: str = ""  # where there is no room for `before`


class CurvePlot(QWidget):
    """Takes data from the first moment; draws it from `load_canvas` on (pyqtgraph must have been imported)."""

    def __init__(self, spec: PlotSpec) -> None:
        super().__init__()
        self._spec = spec
        self._points: dict[str, Points] = {}
        self._marks: tuple[Mark, ...] = ()
        self._canvas: CurveCanvas | None = None
        self._save: FigureButton | None = None
        self._legend = _Legend(spec)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(theme.px(2))
        self._layout.addWidget(self._legend)
        self._layout.addStretch(0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(theme.px(LEAST_PX))
        self.setAccessibleName(spec.title)

    @property
    def is_loaded(self) -> bool:
        return self._canvas is not None

    @property
    def legend_values(self) -> dict[str, str]:
        """curve key -> the value beside its name"""
        return dict(self._legend.values)

    def points(self, key: str) -> Points:
        """What a curve shows: steps (P), values (P)."""
        return self._points.get(key, (np.empty(0), np.empty(0)))

    def set_figure(self, about: Callable[[], tuple[str, str]]) -> None:
        """Puts a save button into the lower right corner; about: what the curves are of, and a caption."""

        def provide() -> Figure | None:
            source, caption = about()
            return self._figure(source, caption)

        self._save = FigureButton(provide, self, self._spec.title)
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
        curves = {curve.key: self.points(curve.key) for curve in self._spec.curves}
        numbers = {
            key: Numbers(values, (Axis("step", steps.astype(np.int64)),))
            for key, (steps, values) in curves.items()
            if len(steps)
        }
        if self._canvas is None or not numbers:
            return None
        return Figure(self._spec.title, picture_of([self._legend, self._canvas]), numbers, caption, source)

    def load_canvas(self) -> None:
        """Makes the canvas, once."""
        if self._canvas is not None:
            return
        from app.widgets.curve_canvas import CurveCanvas

        self._canvas = CurveCanvas(self._spec)
        self._canvas.hovered.connect(self._on_canvas_hovered)
        self._layout.addWidget(self._canvas, 1)
        self._draw()

    def set_points(self, points: dict[str, Points]) -> None:
        """Shows these curves; a key that is missing is empty."""
        self._points = points
        self._draw()

    def set_marks(self, marks: Sequence[Mark]) -> None:
        """Lines across the plot, these and no others."""
        self._marks = tuple(marks)
        if self._canvas is not None:
            self._canvas.set_marks(self._marks)

    def show_all(self) -> None:
        if self._canvas is not None:
            self._canvas.show_all()

    def _draw(self) -> None:
        self._show_values(None)
        if self._canvas is None:
            return
        self._canvas.setVisible(any(len(steps) for steps, _ in self._points.values()))  # no axes around nothing
        for curve in self._spec.curves:
            self._canvas.set_data(curve.key, *self.points(curve.key))
        self._canvas.set_marks(self._marks)
        self._place_save()

    def _on_canvas_hovered(self, step: float | None) -> None:
        self._show_values(step)

    def _show_values(self, step: float | None) -> None:
        values = {}
        for curve in self._spec.curves:
            steps, numbers = self.points(curve.key)
            if len(steps):
                index = -1 if step is None else _nearest(steps, step)
                values[curve.key] = curve.format(float(numbers[index]))
        self._legend.set_values(values, None if step is None else max(0, round(step)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_save()


class _Legend(QWidget):
    """The title, then a piece of each curve with its name and value; a second line where one is too short."""

    _SAMPLE_PX, _GAP_PX, _LINE_PX = 14, 8, 20

    def __init__(self, spec: PlotSpec) -> None:
        super().__init__()
        self._spec = spec
        self.values: dict[str, str] = {}
        self._step: int | None = None
        self._lines = 1
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_values(self, values: dict[str, str], step: int | None) -> None:
        self.values, self._step = values, step
        shown = [f"{curve.name} {values[curve.key]}" for curve in self._spec.curves if curve.key in values]
        self.setAccessibleName(f"{self._spec.title}: {', '.join(shown)}")
        self.setToolTip(" · ".join(shown))
        self._fit()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(0, self._lines * theme.px(self._LINE_PX))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw(painter, *self._chosen())

    def _chosen(self) -> tuple[bool, bool]:
        """With the title, with values: all that one line has room for; where it has not even for names, two lines."""
        needed = {choice: self._draw(None, *choice) for choice in ((True, True), (False, True), (False, False))}
        one_line = (choice for choice, lines in needed.items() if lines == 1)
        return next(one_line, (False, needed[False, True] <= 2))

    def _fit(self) -> None:
        lines = min(self._draw(None, *self._chosen()), 2)
        if lines != self._lines:
            self._lines = lines
            self.updateGeometry()

    def _draw(self, painter: QPainter | None, with_title: bool, with_values: bool) -> int:
        """Draws (without a painter: measures), and returns how many lines that takes."""
        x, y, gap = 0.0, 0.0, theme.px(self._GAP_PX)
        if with_title:
            title = self._spec.title if self._step is None else f"at step {self._step:,}"
            x = self._write(painter, x, y, title, "ink", bold=True) + gap
        for curve in self._spec.curves:
            if curve.key not in self.values:
                continue
            if x + self._draw_curve(None, 0, y, curve, with_values) > self.width() and x > 0:
                x, y = 0.0, y + theme.px(self._LINE_PX)
            x = self._draw_curve(painter, x, y, curve, with_values) + gap
        return 1 + round(y / theme.px(self._LINE_PX))

    def _draw_curve(self, painter: QPainter | None, x: float, y: float, curve: CurveSpec, with_value: bool) -> float:
        x = self._draw_sample(painter, x, y, curve)
        x = self._write(painter, x + theme.px(5), y, curve.name, "muted")
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


def _nearest(steps: np.ndarray, step: float) -> int:
    """Index of the point next to `step`; steps (P) rise."""
    index = int(np.searchsorted(steps, step))
    if index == len(steps):
        return index - 1
    if index > 0 and step - steps[index - 1] < steps[index] - step:
        return index - 1
    return index
