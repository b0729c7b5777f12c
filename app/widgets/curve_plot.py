"""Curves over steps or layers: a legend in words with the newest (or hovered) values, and a pyqtgraph canvas.

    plot = CurvePlot(PlotSpec("Loss", (CurveSpec("loss", "training", "curve_train"),), left_label="loss (nats)"))
    plot.set_points({"loss": (steps, values)})                   any number of times, also before it is seen
    plot.set_points({"loss": (np.arange(3), values)}, ["emb.", "1", "2"])     x is a place with a name
    plot.set_marked(2)                                           a line at a place; the legend has its values
    plot.change(smoothing=0.05, marks=[Mark(200, "then")])       anything else of `PlotContent`
    plot.hovered.connect(...), plot.clicked.connect(...)         the x of the nearest point; None beside them

pyqtgraph takes a fifth of a second to import: that happens when the first plot is shown, after it has been painted.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPen, QPolygonF, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..figures.figure import Axis, Figure, Numbers, picture_of
from ..look import say, theme
from .charts.drawing import Drawing, Shape, Words
from .curve_specs import CurveSpec, PlotContent, PlotSpec, Points, smoothed, step_axis
from .figure_button import FigureButton
from .layouts import vbox
from .linked_text import LinkedText

if TYPE_CHECKING:
    from .curve_canvas import CurveCanvas

_NOTHING: Points = (np.empty(0), np.empty(0))
MARK_PX = 6  # so near to a mark the mouse points at it
SAMPLE_PX, DOT_PX, LINE_PX = 14, 8, 20  # of the legend
LEAST_PX = 128  # of a plot's height, with its legend: lower, its axes could not be read


class CurvePlot(QWidget):
    """Takes data from the first moment; draws it from the moment it is shown."""

    hovered = Signal(object)  # x of the nearest point, or None
    clicked = Signal(float)
    place_hovered = Signal(object)  # as of the canvas
    place_clicked = Signal(str, int)

    def __init__(self, spec: PlotSpec) -> None:
        super().__init__()
        self.spec = spec
        names = {curve.key: curve.name for curve in spec.curves}
        self.drawing = PlotContent(step_axis(spec.bottom_label, spec.at), names=names, level=spec.level)
        self._smoothed: dict[str, Points] = {}  # of the noisy curves, where they are to be
        self._hovered: float | None = None
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
        return any(len(x) for x, _ in self.drawing.points.values())

    def points(self, key: str) -> Points:
        """What a curve shows: x (P), values (P)."""
        return self.drawing.points.get(key, _NOTHING)

    def set_points(self, points: Mapping[str, Points], places: Sequence[str] | Mapping[float, str] = ()) -> None:
        """Shows these curves; a key that is missing is empty, and values that are not finite are left out.

        places: names of x = 0, 1, 2 ... where x is no training step.
        """
        self.change(points=points, places=places)

    def set_marked(self, x: float | None) -> None:
        """A place that is marked by an upright line; the legend has its values while the mouse points at none."""
        self.drawing = replace(self.drawing, marked=x)
        self.show_place(None)

    def show_place(self, x: float | None) -> None:
        """A line at a place, as if the mouse pointed at it: the legend has the values there. None: nowhere."""
        self._hovered = x
        if self._canvas is not None:
            self._canvas.set_marked(self.drawing.marked if x is None else x)
        self._show_values()

    def change(self, **changes: Any) -> None:
        """Shows something else of what `PlotContent` names; all that is not named stays."""
        if "points" in changes:
            are_there = ((key, x, values, np.isfinite(values)) for key, (x, values) in changes["points"].items())
            changes["points"] = {
                key: (x, values) if there.all() else (x[there], values[there]) for key, x, values, there in are_there
            }
        if not self.spec.may_be_logarithmic:
            changes.pop("is_logarithmic", None)
        before, self.drawing = self.drawing, replace(self.drawing, **changes)
        if any(getattr(before, name) != changes[name] for name in changes if name != "points") or "points" in changes:
            self._draw()

    def set_figure(
        self, about: Callable[[], tuple[str, str]], provide: Callable[[], Figure | None] | None = None
    ) -> None:
        """Puts a save button into the lower right corner; about: what the curves are of, and a caption.

        provide: in place of the curves as they are drawn.
        """
        self._save = FigureButton(provide or (lambda: self._figure(*about())), self, self.spec.title)
        self._save.setParent(self)
        self._place_save()

    def show_all(self) -> None:
        """Both axes follow the data again, after someone dragged or zoomed."""
        if self._canvas is not None:
            self._canvas.show_all()

    def _place_save(self) -> None:
        """Beside the name of the lower axis, where nothing is drawn: the legend needs its line for itself."""
        if self._save is not None:
            self._save.move(self.width() - self._save.width(), self.height() - self._save.height())
            self._save.setVisible(self._canvas is not None and not self._canvas.isHidden())
            self._save.raise_()

    def _figure(self, source: str, caption: str) -> Figure | None:
        """The curves as they are drawn now, with all their points; None while there are none."""
        axis = self.drawing.axis
        arrays = {
            curve.key: Numbers(values, (Axis(axis.key, x.astype(np.int64) if axis.whole else x),))
            for curve in self.spec.curves
            for x, values in [self.points(curve.key)]
            if len(x)
        }
        if self._canvas is None or not arrays:
            return None
        return Figure(self.spec.title, picture_of([self._legend, self._canvas]), arrays, caption, source)

    def _draw(self) -> None:
        self._hovered = None
        self._is_stale = self._canvas is not None and not self.isVisible()
        if self._is_stale:
            return
        drawing, share = self.drawing, self.drawing.smoothing
        noisy = [curve.key for curve in self.spec.curves if curve.noisy and share and curve.key in drawing.points]
        points = {key: drawing.points[key] for key in noisy}
        self._smoothed = {key: (x, smoothed(values, share)) for key, (x, values) in points.items()}
        self._show_values()
        if self._canvas is not None:
            self._canvas.setVisible(self.has_points)  # no axes around nothing
            self._canvas.show_drawing(drawing, self._smoothed)
            self._place_save()

    def _load(self) -> None:
        """Makes the canvas, once; it stays."""
        if self._canvas is not None:
            return
        from .curve_canvas import CurveCanvas

        self._canvas = CurveCanvas(self.spec, self.drawing.axis)
        self._canvas.hovered.connect(self._on_canvas_hovered)
        self._canvas.clicked.connect(lambda x: self.clicked.emit(self._nearest_x(x)) if self.has_points else None)
        self._canvas.place_hovered.connect(self.place_hovered)
        self._canvas.place_clicked.connect(self.place_clicked)
        self._layout.addWidget(self._canvas, 1)
        self._draw()

    def _nearest_x(self, x: float) -> float:
        """Of all points, of which there are some."""
        near = [float(steps[_nearest(steps, x)]) for steps, _ in self.drawing.points.values() if len(steps)]
        return min(near, key=lambda one: abs(one - x))

    def _on_canvas_hovered(self, x: float | None) -> None:
        at = None if x is None or not self.has_points else self._nearest_x(x)
        if at != self._hovered:
            self._hovered = at
            self._show_values()
            self.hovered.emit(at)

    def _show_values(self) -> None:
        hovered, marked, values = self._hovered, self.drawing.marked, {}
        for curve in self.spec.curves:
            measured = self.points(curve.key)
            steps, shown = self._smoothed.get(curve.key, measured)
            if len(steps):
                if hovered is not None:
                    index = _nearest(steps, hovered)
                else:  # the last that was known there, as the numbers beside the plot
                    index = -1 if marked is None else max(int(np.searchsorted(steps, marked, "right")) - 1, 0)
                about = "≈ " if shown is not measured[1] else ""
                is_said = self.spec.rests_at_last or hovered is not None or marked is not None
                values[curve.key] = about + curve.format(float(shown[index])) if is_said else ""
        self._legend.show_values(self.drawing.names, values, "" if hovered is None else self._place_text(hovered))

    def _place_text(self, x: float) -> str:
        """Where the mouse is, and what begins there."""
        places, axis, place = self.drawing.places, self.drawing.axis, max(round(x), 0)
        if isinstance(places, Mapping):
            name = places.get(x, "")
        else:
            name = places[min(place, len(places) - 1)] if places else axis.format(x)
        near = 0.0 if self._canvas is None else MARK_PX * self._canvas.units_per_px
        marks = [mark.sentence for mark in self.drawing.marks if abs(mark.x - x) <= near]
        return " · ".join([axis.at.format(x=name), *marks])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_save()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._canvas is None:
            QTimer.singleShot(0, self, self._load)  # what is around it is painted first
        elif self._is_stale:
            self._draw()


class _Legend(Drawing):
    """The title, then a piece of each curve with its name and value; a second line where one is too short.

    Where it is printed, the names alone, in as many lines as they need.
    """

    def __init__(self, spec: PlotSpec) -> None:
        super().__init__("")
        self.spec = spec
        self.names: Mapping[str, str] = {}
        self.values: dict[str, str] = {}
        self.place = ""  # what the values are of, in words; empty: the newest
        self._lines = 1
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_values(self, names: Mapping[str, str], values: dict[str, str], place: str) -> None:
        self.names, self.values, self.place = names, values, place
        shown = [f"{names[curve.key]} {values[curve.key]}".strip() for curve in self._curves()]
        self.setAccessibleName(f"{self.spec.title}: {', '.join(shown)}")
        is_averaged = any(value.startswith("≈") for value in values.values())
        averaged = [say("≈: the mean of the points around it")] if is_averaged else []
        self.setToolTip("\n".join([" · ".join(shown), *averaged]))
        self.values_changed()

    def sizeHint(self) -> QSize:
        return QSize(0, self._lines * theme.px(LINE_PX))

    def lay_out(self) -> None:
        """Its height does not depend on where the mouse points: the place is left out where it is too long."""
        is_printed = theme.active() is theme.PAPER
        lines = self._laid_out("" if is_printed else self.spec.title, with_values=not is_printed)[1]
        lines = lines if is_printed else min(lines, 2)
        if lines != self._lines:
            self._lines = lines
            self.updateGeometry()

    def shapes(self) -> Iterator[Shape]:
        """With its title and its values, where its lines have room for them."""
        choices = (self.place or self.spec.title, True), ("", True), ("", False)
        for title, with_values in choices[-1:] if theme.active() is theme.PAPER else choices:
            drawn, lines = self._laid_out(title, with_values)
            if lines <= self._lines:
                break
        yield from drawn

    def _curves(self) -> list[CurveSpec]:
        return [curve for curve in self.spec.curves if curve.key in self.values and curve.key in self.names]

    def _laid_out(self, title: str, with_values: bool) -> tuple[list[Shape], int]:
        """All that is to be drawn, and how many lines that takes."""
        entries: list[tuple[CurveSpec | None, str, str]] = [(None, title, "")] if title else []
        entries += [
            (curve, self.names[curve.key], self.values[curve.key] if with_values else "") for curve in self._curves()
        ]
        entries += [(shape, shape.name, "") for shape in self.spec.shapes] if title else []
        drawn, x, y, line = list[Shape](), 0.0, 0.0, theme.px(LINE_PX)
        for curve, name, value in entries:
            sample = theme.px(DOT_PX if curve is not None and curve.dots else SAMPLE_PX)
            begin, gap = sample + theme.px(5) if curve is not None else 0, theme.px(4) if value else 0
            texts = (name, curve is None), (value, True)
            widths = [QFontMetrics(theme.font(12, medium=strong)).horizontalAdvance(text) for text, strong in texts]
            width = begin + sum(widths) + gap
            if x > 0 and x + width > self.width():
                x, y = 0.0, y + line
            if curve is not None:
                drawn.append(_Sample(QRectF(x, y, sample, line), curve))
            for (text, strong), left, wide in zip(texts, (begin, begin + widths[0] + gap), widths, strict=True):
                free = max(self.width() - x - left, 0) if curve is None else wide + 2  # a title ends in … where it must
                box = QRectF(x + left, y, min(wide + 2, free), line)
                drawn.append(Words(box, text, "ink" if strong else "muted", medium=strong))
            x += width + theme.px(8)
        return drawn, 1 + round(y / line)


@dataclass(frozen=True)
class _Sample:
    """A dot of a curve's shape, or a piece of its line."""

    rect: QRectF
    curve: CurveSpec

    def paint(self, painter: QPainter) -> None:
        box, color = self.rect, theme.color(self.curve.color)
        at, radius = box.center(), box.width() / 2 - 0.5
        if not self.curve.dots:
            style = Qt.PenStyle.DashLine if self.curve.dashed else Qt.PenStyle.SolidLine
            painter.setPen(QPen(color, theme.px(2), style))
            painter.drawLine(QPointF(box.left(), at.y()), QPointF(box.right(), at.y()))
            return
        painter.setBrush(color)
        painter.setPen(Qt.PenStyle.NoPen)
        corners = {
            "s": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
            "t": ((-1, -1), (1, -1), (0, 1)),
            "d": ((0, -1), (0.7, 0), (0, 1), (-0.7, 0)),
        }.get(self.curve.symbol)
        if corners is None:
            painter.drawEllipse(at, radius, radius)
        else:
            painter.drawPolygon(QPolygonF([at + QPointF(radius * x, radius * y) for x, y in corners]))


def _nearest(steps: np.ndarray, step: float) -> int:
    """Index of the point next to `step`; steps (P) rise."""
    index = int(np.searchsorted(steps, step))
    if index == len(steps):
        return index - 1
    return index - 1 if index > 0 and step - steps[index - 1] < steps[index] - step else index
