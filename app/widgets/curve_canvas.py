"""The pyqtgraph side of a curve plot; imported when the first plot is shown, never before."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QWheelEvent
from PySide6.QtWidgets import QGraphicsTextItem, QScrollArea, QWidget

from ..look import numbers, theme
from .curve_specs import CurveSpec, HorizontalAxis, Level, Mark, PlotSpec, Points
from .layouts import vbox

LINE_PX = 1.6
DOT_PX = 6
CLEAR_PX = 10  # between the beginning of a phase, where curves fall steeply, and its name
BAND_ALPHA = 150
LEVEL_SHARE = 0.25  # of the plot's width, where the name of a level may stand
LEVEL_ALPHA = 225  # of what is behind words that curves may pass
ABOVE, BELOW = ((1.0, 1.0), (1.0, 1.0)), ((1.0, 0.0), (1.0, 0.0))  # its name at the right end of its line
LEAST_TICKS_PX = 15  # between two numbers of an axis
ABOVE_PX = 9  # above the plot, half of a number
RAW_ALPHA = 70  # of what is drawn behind its smoothed curve
WORD_ROW, MOST_HEADROOM = 1.5, 0.25  # of the type's size; of a plot's height, for one row of words
MOST_WORDS = 0.5  # of a plot's height, for the words beside its marks
RIGHT_OF_LINE, LEFT_OF_LINE = ((0.0, 0.5), (0.0, 0.5)), ((1.0, 0.5), (1.0, 0.5))


class BottomAxis(pg.AxisItem):
    """Steps, minutes ..., none below zero; or the names of places."""

    places: Sequence[str] = ()

    def __init__(self, axis: HorizontalAxis) -> None:
        super().__init__("bottom")
        self.axis = axis
        self.enableAutoSIPrefix(False)

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        return [self._text(value) if value >= 0 else "" for value in values]

    def _text(self, value: float) -> str:
        if (self.axis.whole or self.places) and value != round(value):
            return ""
        if self.places:
            return self.places[round(value)] if value < len(self.places) else ""
        return self.axis.format(value)

    def tickSpacing(self, least: float, most: float, size: float) -> list[tuple[float, float]]:
        """Places have no parts."""
        if not self.places:
            return super().tickSpacing(least, most, size)
        return [(max(1, int(np.ceil(theme.px(30) * (most - least) / max(size, 1)))), 0)]


class NumberAxis(pg.AxisItem):
    """Plain numbers, or percents of 0..1."""

    def __init__(self, orientation: str, percent: bool) -> None:
        super().__init__(orientation)
        self._percent = percent
        self.enableAutoSIPrefix(False)

    def boundingRect(self) -> QRectF:
        """With room for half of the number at the uppermost line: pyqtgraph leaves out what stands out."""
        return super().boundingRect().adjusted(0, -theme.px(ABOVE_PX), 0, 0)

    def generateDrawSpecs(self, painter: Any) -> Any:
        """That number a little below its line."""
        specs = super().generateDrawSpecs(painter)
        if specs is None:  # of an axis without a length
            return None
        line, ticks, texts = specs
        top = self.mapRectFromParent(self.geometry()).top()
        return line, ticks, [(box.translated(0, max(top - box.top(), 0)), *text) for box, *text in texts]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        if self.logMode:
            return self._powers(values)
        if self._percent:
            return [numbers.percent(round(value, 9)) if -1e-9 <= value <= 1 + 1e-9 else "" for value in values]
        return [numbers.decimal(value) if abs(value) >= numbers.HUGE else numbers.number(value) for value in values]

    def _powers(self, exponents: list[float]) -> list[str]:
        """Of ten; without those that would touch the one below: 5, 6, 7, 8, 9 crowd on a low axis."""
        px, shown = self.geometry().height() / max(self.range[1] - self.range[0], 1e-9), []
        last = -math.inf
        for exponent in exponents:
            to_next = min(exponent - last, abs(round(exponent) - exponent))
            has_room = exponent == round(exponent) or to_next * px >= theme.px(LEAST_TICKS_PX)
            shown.append(numbers.number(10.0**exponent) if has_room else "")
            last = exponent if has_room else last
        return shown


class _PlotWidget(pg.PlotWidget):
    """The wheel zooms; on a page that scrolls, together with Ctrl."""

    def sizeHint(self) -> QSize:
        """Whatever there is room for; a graphics view would ask for 480 px."""
        return self.minimumSizeHint()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier or not self._is_on_scrolling_page():
            super().wheelEvent(event)
        else:
            event.ignore()

    def _is_on_scrolling_page(self) -> bool:
        area = self.parentWidget()
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        return area is not None and area.verticalScrollBar().maximum() > 0


class CurveCanvas(QWidget):
    """Axes and items, made once; after that only data and colours are set."""

    hovered = Signal(object)  # x under the mouse (float), or None
    clicked = Signal(float)

    def __init__(self, spec: PlotSpec, axis: HorizontalAxis) -> None:
        super().__init__()
        self._spec = spec
        self._points: dict[str, Points] = {}
        self._behind: list[Points] = []  # what was smoothed
        self._has_fixed_range = False  # of one point, or of places
        self._is_logarithmic = False
        self.setObjectName("curves")
        self._bottom = BottomAxis(axis)
        self._view = _PlotWidget(axisItems={"bottom": self._bottom, "left": NumberAxis("left", spec.percent)})
        self._plot = self._view.getPlotItem()
        vbox(self._view, parent=self)
        self._raw = {curve.key: self._make_item(curve) for curve in spec.curves if curve.noisy}
        self._items = {curve.key: self._make_item(curve) for curve in spec.curves}
        self._marks: list[_MarkLine] = []
        self._level = pg.InfiniteLine(angle=0)
        self._level_name = pg.InfLineLabel(self._level, "", position=0.99, anchors=list(ABOVE))
        self._level.setZValue(20)  # its name is legible on top of the curves
        self._level.setVisible(spec.level is not None)
        self._plot.addItem(self._level)
        if spec.includes_zero:
            self._plot.addItem(pg.InfiniteLine(0, angle=0, pen=pg.mkPen(None)))
        self._marked = pg.InfiniteLine(angle=90)
        self._marked.hide()
        self._plot.addItem(self._marked, ignoreBounds=True)
        self._headroom = pg.PlotDataItem(pen=pg.mkPen((0, 0, 0, 0)))  # one point that nobody sees
        self._plot.addItem(self._headroom)
        self._prepare_plot()
        self._paint_in_theme()

    def set_points(self, points: dict[str, Points], places: Sequence[str], raw: dict[str, Points]) -> None:
        """x (P) rising, values (P), both finite, of each curve; places: names of x = 0, 1, 2 ...

        raw: what was smoothed, to be drawn faintly behind.
        """
        self._points = points
        self._bottom.places = places
        for key, item in self._raw.items():
            item.setData(*raw.get(key, ([], [])))
        self._behind = [raw[key] for key in self._raw if key in raw]
        for key, (x, values) in points.items():
            self._items[key].setData(x, values)
        self._fit_axes(len(places))

    def set_axis(self, axis: HorizontalAxis) -> None:
        """The curves come next, with x as this axis has it."""
        self._bottom.axis = axis
        self._bottom.picture = None  # pyqtgraph keeps what it has drawn
        self._plot.setLabel("bottom", axis.label)

    def set_logarithmic(self, is_on: bool) -> None:
        """The left axis in powers of ten; what is not above zero is not drawn then."""
        self._is_logarithmic = is_on
        self._plot.setLogMode(y=is_on)
        self._show_level()
        self._has_fixed_range = False
        self.show_all()
        self._fit_axes(len(self._bottom.places))

    def set_level(self, level: Level | None) -> None:
        """Another one than that of the spec."""
        self._spec = replace(self._spec, level=level)
        self._show_level()

    def _show_level(self) -> None:
        level = self._spec.level
        self._level.setVisible(level is not None)
        if level is not None:
            self._level.setValue(math.log10(level.value) if self._is_logarithmic else level.value)
            self._level_name.setFormat(level.name)
            self._place_level_name()

    def _place_level_name(self) -> None:
        """On the side of its line where fewer points are at its end, if it has room there."""
        level, box = self._spec.level, self._plot.getViewBox()
        if level is None:
            return
        (_, right), (bottom, top) = box.viewRange()
        span = np.ptp(box.viewRange()[0])
        ends = [values[x > right - LEVEL_SHARE * span] for x, values in (*self._points.values(), *self._behind)]
        ending = np.concatenate(ends) if ends else np.zeros(0)
        needed = self._level_name.boundingRect().height() / max(box.height(), 1) * (top - bottom)
        goes_below = (ending > level.value).sum() > (ending < level.value).sum()
        self._level_name.anchors = list(BELOW if goes_below and self._level.value() - bottom > needed else ABOVE)
        self._level_name.updatePosition()

    def _fit_axes(self, places: int) -> None:
        """No axis begins below the first step; of one point pyqtgraph would keep the span of what was there before."""
        view, known = self._plot.getViewBox(), [x for x, _ in self._points.values() if len(x)]
        if not known:
            return
        first, last = float(min(x[0] for x in known)), float(max(x[-1] for x in known))
        left = [values for _, values in self._points.values() if len(values)]
        lowest = min((float(values.min()) for values in left), default=0.0)
        highest = max((float(values.max()) for values in left), default=1.0)
        if self._spec.includes_zero:
            lowest, highest = min(lowest, 0.0), max(highest, 0.0)
        is_fixed = bool(places) or first == last
        margin = 0.5 if places else (0.05 if is_fixed else 0.02) * max(last, 1.0)  # a lone point is drawn whole
        view.setLimits(xMin=-margin)
        if is_fixed:
            view.setXRange(-0.4 if places else -margin, places - 0.6 if places else max(2 * last, 1.0), padding=0)
            if self._is_logarithmic:
                lowest, highest = math.log10(max(lowest, 1e-12)), math.log10(max(highest, 1e-12))
            if lowest == highest:
                lowest, highest = lowest - abs(lowest) / 2 - 0.5, highest + abs(highest) / 2 + 0.5
            view.setYRange(lowest, highest, padding=0.06)
        elif self._has_fixed_range:
            view.enableAutoRange()
        self._has_fixed_range = is_fixed

    @property
    def units_per_px(self) -> float:
        """Of the lower axis."""
        return float(self._plot.getViewBox().viewPixelSize()[0])

    def set_marked(self, x: float | None) -> None:
        self._marked.setVisible(x is not None)
        if x is not None:
            self._marked.setValue(x)

    def set_marks(self, marks: Sequence[Mark]) -> None:
        """Lines where something else begins, with words beside them; what was marked before goes.

        Lines are hidden and used again: Qt may still be busy with an item that is taken out of its scene.
        """
        while len(self._marks) < len(marks):
            self._marks.append(_MarkLine(self._plot))
            self._paint_in_theme()
        for number, line in enumerate(self._marks):
            line.set_height(-number / 1000)  # the words of one are legible on top of the next
            line.show_mark(marks[number] if number < len(marks) else None)
        self._keep_headroom()
        self._fit_words()

    def show_all(self) -> None:
        """Both axes follow the data again, after someone dragged or zoomed."""
        self._plot.getViewBox().enableAutoRange()
        if self._has_fixed_range:
            self._fit_axes(len(self._bottom.places))

    def words(self) -> list[tuple[str, QRectF, QRectF]]:
        """Those that are on show beside ticks and legend: each with its box and the box that it must stay in."""
        whole, inside = self._plot.sceneBoundingRect(), self._plot.getViewBox().sceneBoundingRect()
        names = [self._plot.getAxis(name).label for name in ("left", "bottom")]
        found = [(name.toPlainText(), _letters(name), whole) for name in names if name.isVisible()]
        found += [(text, box, inside) for line in self._marks for text, box in line.words()]
        return found

    def _fit_words(self) -> None:
        """The name of an axis is left out where it is longer than its axis: the legend has it too."""
        box = self._plot.getViewBox().boundingRect()
        axis = self._plot.getAxis("left")
        axis.showLabel(axis.label.boundingRect().width() <= box.height())
        row = 0
        for line in self._marks:
            row = line.fit(row, box.width(), box.height(), self._plot.getViewBox().viewRange()[0])

    def _keep_headroom(self) -> None:
        """Room for the words before a mark above the curves, which are often highest where they begin."""
        mark = next((line.mark for line in self._marks if line.mark and line.mark.before), None)
        share = WORD_ROW * theme.font(11).pixelSize() / max(self._plot.getViewBox().height(), 1)
        points = [(x, values) for x, values in (*self._points.values(), *self._behind) if len(x)]
        if mark is None or mark.is_silent or not points or self._is_logarithmic or share > MOST_HEADROOM:
            self._headroom.setData([], [])
            return
        before = [values[x <= mark.x] for x, values in points]
        highest = max((float(values.max()) for values in before if len(values)), default=0.0)
        lowest = min(float(values.min()) for _, values in points)
        self._headroom.setData([float(points[0][0][0])], [highest + share / (1 - share) * (highest - lowest)])

    def _prepare_plot(self) -> None:
        plot, spec = self._plot, self._spec
        plot.hideButtons()
        plot.setMenuEnabled(False)
        plot.showGrid(x=False, y=True, alpha=0.6)
        plot.getAxis("left").setZValue(-1)  # or its lines would go through words
        plot.setLabel("bottom", self._bottom.axis.label)
        plot.setLabel("left", spec.left_label)
        if spec.percent:
            plot.setLimits(yMin=-0.05, yMax=1.05)
        self._view.setFrameShape(self._view.Shape.NoFrame)
        for widget in (self._view, self._view.viewport()):
            widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # no key does anything here; the legend says the numbers
        box = plot.getViewBox()
        box.sigResized.connect(self._keep_headroom)
        for changed in (box.sigResized, box.sigXRangeChanged):
            changed.connect(self._fit_words)
        for changed in (box.sigResized, box.sigRangeChanged):
            changed.connect(self._place_level_name)
        self._view.scene().sigMouseMoved.connect(self._on_scene_mouse_moved)
        self._view.scene().sigMouseClicked.connect(self._on_scene_mouse_clicked)

    def _make_item(self, curve: CurveSpec) -> pg.PlotDataItem:
        item = pg.PlotDataItem(name=curve.name, antialias=curve.markers)  # of thousands of points it is slow
        self._plot.addItem(item)
        if not curve.dots and not curve.markers:
            item.setDownsampling(auto=True, method="peak")
            item.setClipToView(True)
        return item

    def _paint_in_theme(self) -> None:
        self._view.setBackground(theme.color("card"))
        font = theme.font(11)
        for name in ("bottom", "left"):
            axis = self._plot.getAxis(name)
            axis.setPen(pg.mkPen(theme.color("line")))
            axis.setTextPen(pg.mkPen(theme.color("muted")))
            axis.setTickFont(font)
            axis.label.setFont(font)
        for curve in self._spec.curves:
            _paint_item(self._items[curve.key], curve)
            if curve.key in self._raw:
                faint = theme.color(curve.color, RAW_ALPHA)
                self._raw[curve.key].setPen(pg.mkPen(faint, width=1))
        self._level.setPen(pg.mkPen(theme.color("muted"), style=Qt.PenStyle.DashLine))
        self._level_name.setColor(theme.color("muted"))
        self._level_name.setFont(font)
        self._level_name.fill = pg.mkBrush(theme.color("card", LEVEL_ALPHA))
        self._show_level()
        self._marked.setPen(pg.mkPen(theme.color("accent"), width=1.4, style=Qt.PenStyle.DotLine))
        for line in self._marks:
            line.paint_in_theme(font)

    def _on_scene_mouse_moved(self, position: Any) -> None:
        inside = self._plot.getViewBox().sceneBoundingRect().contains(position)
        self.hovered.emit(self._plot.getViewBox().mapSceneToView(position).x() if inside else None)

    def _on_scene_mouse_clicked(self, event: Any) -> None:
        view = self._plot.getViewBox()
        if event.button() == Qt.MouseButton.LeftButton and view.sceneBoundingRect().contains(event.scenePos()):
            self.clicked.emit(view.mapSceneToView(event.scenePos()).x())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._paint_in_theme()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.hovered.emit(None)


class _MarkLine:
    """A line where something else begins, with words beside it; what has a name before it, a tinted band."""

    def __init__(self, plot: pg.PlotItem) -> None:
        self.mark: Mark | None = None
        self._line = pg.InfiniteLine(angle=90)
        self._band = pg.LinearRegionItem(movable=False)
        self._band.setZValue(-20)
        self._before = pg.InfLineLabel(self._line, "", anchors=list(LEFT_OF_LINE))
        self._after = pg.InfLineLabel(self._line, "", anchors=list(RIGHT_OF_LINE))
        self._labels = (self._before, self._after)
        self._font_px = 11
        for item in (self._band, self._line):
            plot.addItem(item, ignoreBounds=True)

    def set_height(self, z: float) -> None:
        self._line.setZValue(z)

    def show_mark(self, mark: Mark | None) -> None:
        """None: nothing."""
        if mark is not None and mark != self.mark:
            self._line.setValue(mark.x)
            self._band.setRegion((0, mark.x))
            self._after.setFormat(mark.after)
            self._line.setPen(_mark_pen(mark.color))
        self.mark = mark
        self._color_words()
        self._line.setVisible(mark is not None)
        self._band.setVisible(mark is not None and bool(mark.before))

    def words(self) -> list[tuple[str, QRectF]]:
        """What is on show, and where on the canvas."""
        items = [words.textItem for words in self._labels if words.isVisible() and words.format]
        return [(item.toPlainText(), _letters(item)) for item in items]

    def fit(self, row: int, width: float, height: float, span: tuple[float, float]) -> int:
        """Words where there is room for them: on their side of the line, each on a row of its own from the top; the
        row after them. What begins stands behind its line; where that leaves no room, before it."""
        if self.mark is None or self.mark.is_silent:
            for words in self._labels:
                words.setVisible(False)
            return row
        line, (first, last) = WORD_ROW * self._font_px / max(height, 1), span
        per_unit = width / max(last - first, 1e-9)
        left = per_unit * (self.mark.x - first)
        phase = per_unit * (self.mark.x - max(first, 0)) - theme.px(CLEAR_PX)
        for words in self._labels:  # a label that is hidden keeps its old text and size
            words.setVisible(True)
            words.valueChanged()
        self._write_before(phase)
        is_behind = self._after.boundingRect().width() < width - left
        self._after.anchors = list(RIGHT_OF_LINE if is_behind else LEFT_OF_LINE)
        self._after.updatePosition()
        for words, room in ((self._before, phase), (self._after, max(left, width - left))):
            words.setPosition(1 - (row + 0.6) * line)
            is_high = line < 0.25 and (row + 1) * line < MOST_WORDS
            words.setVisible(bool(words.format) and is_high and words.boundingRect().width() < room)
            row += bool(words.format)
        return row

    def _write_before(self, room: float) -> None:
        """The short words where the others would stand out of their phase."""
        assert self.mark is not None
        self._before.setFormat(self.mark.before)
        if self.mark.before_short and self._before.boundingRect().width() >= room:
            self._before.setFormat(self.mark.before_short)

    def _color_words(self) -> None:
        color = "muted" if self.mark is None or self.mark.color == "faint" else self.mark.color
        for words in self._labels:
            words.setColor(theme.color(color))

    def paint_in_theme(self, font: QFont) -> None:
        self._font_px = font.pixelSize()
        self._line.setPen(_mark_pen(self.mark.color if self.mark is not None else "faint"))
        self._band.setBrush(theme.color("hover", BAND_ALPHA))
        for edge in self._band.lines:
            edge.setPen(pg.mkPen(None))
        self._color_words()
        for words in self._labels:
            words.setFont(font)
            words.fill = pg.mkBrush(theme.color("card", LEVEL_ALPHA))


def _mark_pen(color: str) -> Any:
    return pg.mkPen(theme.color(color), style=Qt.PenStyle.DashLine)


def _letters(item: QGraphicsTextItem) -> QRectF:
    """The box of its words on the canvas, without the margin around them."""
    margin = item.document().documentMargin()
    return item.sceneBoundingRect().adjusted(margin, margin, -margin, -margin)


def _paint_item(item: pg.PlotDataItem, curve: CurveSpec) -> None:
    color = theme.color(curve.color)
    if curve.dots:
        item.setPen(pg.mkPen(color, width=1, style=Qt.PenStyle.DotLine))
    else:
        style = Qt.PenStyle.DashLine if curve.dashed else Qt.PenStyle.SolidLine
        item.setPen(pg.mkPen(color, width=LINE_PX, style=style))
    if curve.dots or curve.markers:
        item.setSymbol(curve.symbol)
        item.setSymbolSize(theme.px(DOT_PX))
        item.setSymbolBrush(color)
        item.setSymbolPen(pg.mkPen(theme.color("card"), width=1))
