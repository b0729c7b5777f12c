"""The pyqtgraph side of a curve plot; imported when the first plot is shown, never before."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QWheelEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from ..look import numbers, theme
from .curve_specs import CurveSpec, HorizontalAxis, Mark, PlotContent, PlotSpec, Points
from .layouts import vbox

LINE_PX, DOT_PX, TYPE_PX = 1.6, 6, 11
PLACE_PX, RING_PX, BAR_PX, BAR_TINT = 9, 18, 4, 110  # of single places
PLACE_MARGIN = 0.12  # beside and above them, of their span
REACH_PX = 12  # so near to one the mouse points at it
CLEAR_PX = 10  # between the beginning of a phase, where curves fall steeply, and its name
BAND_ALPHA = 150
LEVEL_SHARE = 0.25  # of the plot's width, where the name of a level may stand
WORDS_ALPHA = 225  # of what is behind words that curves may pass
RAW_ALPHA = 70  # of what is drawn behind its smoothed curve
ABOVE, BELOW = ((1.0, 1.0), (1.0, 1.0)), ((1.0, 0.0), (1.0, 0.0))  # a level's name at the right end of its line
RIGHT_OF_LINE, LEFT_OF_LINE = ((0.0, 0.5), (0.0, 0.5)), ((1.0, 0.5), (1.0, 0.5))
LEAST_TICKS_PX = 15  # between two numbers of an axis
ABOVE_PX = 9  # above the plot, half of a number
WORD_ROW, MOST_HEADROOM = 1.5, 0.25  # of the type's size; of a plot's height, for one row of words
MOST_WORDS = 0.5  # of a plot's height, for the words beside its marks


class BottomAxis(pg.AxisItem):
    """Steps, minutes ..., none below zero; or the names of places."""

    def __init__(self, axis: HorizontalAxis) -> None:
        super().__init__("bottom")
        self.axis = axis
        self.places: Sequence[str] | Mapping[float, str] = ()
        self.enableAutoSIPrefix(False)

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        places = self.places
        if isinstance(places, Mapping):
            return [places.get(value, "") for value in values]
        if self.axis.whole or places:
            values = [value if value == round(value) else -1 for value in values]
        if places:
            return [places[round(value)] if 0 <= value < len(places) else "" for value in values]
        return [self.axis.format(value) if value >= 0 else "" for value in values]

    def tickValues(self, least: float, most: float, size: float) -> list[tuple[float, list[float]]]:
        """Of named places those whose names have room."""
        if not isinstance(self.places, Mapping):
            return super().tickValues(least, most, size)
        metrics, shown, end = QFontMetrics(theme.font(TYPE_PX)), [], -math.inf
        for x, name in sorted(self.places.items()):
            half = (metrics.horizontalAdvance(name) / 2 + theme.px(3)) * (most - least) / max(size, 1)
            if x - half >= end:
                shown.append(x)
                end = x + half
        return [(1.0, shown)]

    def tickSpacing(self, least: float, most: float, size: float) -> list[tuple[float, float]]:
        """Places have no parts."""
        if not self.places:
            return super().tickSpacing(least, most, size)
        return [(max(1, int(np.ceil(theme.px(30) * (most - least) / max(size, 1)))), 0)]


class NumberAxis(pg.AxisItem):
    """Plain numbers, or percents of 0..1."""

    def __init__(self, orientation: str, percent: bool = False) -> None:
        super().__init__(orientation)
        self.percent = percent
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
        if (
            self.logMode
        ):  # powers of ten, without those that would touch the one below: 5, 6, 7, 8, 9 crowd on a low axis
            px, shown, last = self.geometry().height() / max(self.range[1] - self.range[0], 1e-9), [], -math.inf
            for exponent in values:
                to_next = min(exponent - last, abs(round(exponent) - exponent))
                has_room = exponent == round(exponent) or to_next * px >= theme.px(LEAST_TICKS_PX)
                shown.append(numbers.number(10.0**exponent) if has_room else "")
                last = exponent if has_room else last
            return shown
        if self.percent:
            return [numbers.percent(round(value, 9)) if -1e-9 <= value <= 1 + 1e-9 else "" for value in values]
        return [numbers.decimal(value) if abs(value) >= numbers.HUGE else numbers.number(value) for value in values]


class PlotView(pg.PlotWidget):
    """A plot in the window's colours, without pyqtgraph's buttons and menu. The wheel zooms; on a page that scrolls,
    together with Ctrl."""

    def __init__(self, bottom: pg.AxisItem, left: pg.AxisItem) -> None:
        super().__init__(axisItems={"bottom": bottom, "left": left})
        plot = self.getPlotItem()
        plot.hideButtons()
        plot.setMenuEnabled(False)
        plot.showGrid(x=False, y=True, alpha=0.6)
        left.setZValue(-1)  # or its lines would go through words
        self.setFrameShape(self.Shape.NoFrame)
        for widget in (self, self.viewport()):
            widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # no key does anything here; the legend says the numbers

    def paint_in_theme(self) -> None:
        self.setBackground(theme.color("card"))
        for name in ("bottom", "left"):
            axis = self.getPlotItem().getAxis(name)
            axis.setPen(pg.mkPen(theme.color("line")))
            axis.setTextPen(pg.mkPen(theme.color("muted")))
            axis.setTickFont(theme.font(TYPE_PX))
            axis.label.setFont(theme.font(TYPE_PX))

    def sizeHint(self) -> QSize:
        """Whatever there is room for; a graphics view would ask for 480 px."""
        return self.minimumSizeHint()

    def wheelEvent(self, event: QWheelEvent) -> None:
        area = self.parentWidget()
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        is_on_scrolling_page = area is not None and area.verticalScrollBar().maximum() > 0
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier or not is_on_scrolling_page:
            super().wheelEvent(event)
        else:
            event.ignore()


class CurveCanvas(QWidget):
    """Axes and items, made once; after that only data and colours are set."""

    hovered = Signal(object)  # x under the mouse (float), or None
    clicked = Signal(float)
    place_hovered = Signal(object)  # (key of a curve of single places, index) under the mouse, or None
    place_clicked = Signal(str, int)

    def __init__(self, spec: PlotSpec, axis: HorizontalAxis) -> None:
        super().__init__()
        self._spec = spec
        self._content = PlotContent(axis)
        self._shown: list[Points] = []  # all that is drawn: curves, and those that were smoothed
        self._has_fixed_range = False  # of one point, or of places
        self.setObjectName("curves")
        self._bottom = BottomAxis(axis)
        self._view = PlotView(self._bottom, NumberAxis("left", spec.percent))
        self._plot = self._view.getPlotItem()
        self._box = self._plot.getViewBox()
        vbox(self._view, parent=self)
        self._raw = {curve.key: self._make_item(curve) for curve in spec.curves if curve.noisy}
        self._items = {curve.key: self._make_item(curve) for curve in spec.curves}
        self._marks: list[_MarkLine] = []
        self._level = pg.InfiniteLine(angle=0)
        self._level_name = pg.InfLineLabel(self._level, "", position=0.99, anchors=list(ABOVE))
        self._level.setZValue(20)  # its name is legible on top of the curves
        self._plot.addItem(self._level)
        if spec.includes_zero:
            self._plot.addItem(pg.InfiniteLine(0, angle=0, pen=pg.mkPen(None)))
        self._marked = pg.InfiniteLine(angle=90)
        self._marked.hide()
        self._plot.addItem(self._marked, ignoreBounds=True)
        self._headroom = pg.PlotDataItem(pen=pg.mkPen((0, 0, 0, 0)))  # one point that nobody sees
        self._plot.addItem(self._headroom)
        self._plot.setLabel("bottom", axis.label)
        self._plot.setLabel("left", spec.left_label)
        if spec.percent:
            self._plot.setLimits(yMin=-0.05, yMax=1.05)
        self._box.sigResized.connect(self._keep_headroom)
        for changed in (self._box.sigResized, self._box.sigXRangeChanged):
            changed.connect(self._fit_words)
        for changed in (self._box.sigResized, self._box.sigRangeChanged):
            changed.connect(self._show_level)
        self._view.scene().sigMouseMoved.connect(self._on_scene_mouse_moved)
        self._view.scene().sigMouseClicked.connect(self._on_scene_mouse_clicked)
        self._paint_in_theme()

    def show_drawing(self, drawing: PlotContent, smoothed: Mapping[str, Points]) -> None:
        """smoothed: the points of some curves as they are to be drawn, faintly before those that were measured.

        x (P) of all points rises, and values (P) are finite.
        """
        before, self._content = self._content, drawing
        if drawing.axis != before.axis:
            self._bottom.axis = drawing.axis
            self._bottom.picture = None  # pyqtgraph keeps what it has drawn
            self._plot.setLabel("bottom", drawing.axis.label)
        if drawing.is_logarithmic != before.is_logarithmic:
            self._plot.setLogMode(y=drawing.is_logarithmic)
            self._has_fixed_range = False
            self.show_all()
        self._bottom.places = drawing.places
        nothing = (np.empty(0), np.empty(0))
        for key, item in self._raw.items():
            item.setData(*(drawing.points.get(key, nothing) if key in smoothed else nothing))
        for key, item in self._items.items():
            item.setData(*smoothed.get(key, drawing.points.get(key, nothing)))
        shown = [*smoothed.values(), *drawing.points.values()]
        self._shown = [(x, values) for x, values in shown if len(x)]
        self._fit_axes()
        self._show_level()
        self._show_marks()
        self.set_marked(drawing.marked)

    def set_marked(self, x: float | None) -> None:
        self._marked.setVisible(x is not None)
        if x is not None:
            self._marked.setValue(x)

    def show_all(self) -> None:
        """Both axes follow the data again, after someone dragged or zoomed."""
        self._box.enableAutoRange()
        if self._has_fixed_range:
            self._fit_axes()

    @property
    def units_per_px(self) -> float:
        """Of the lower axis."""
        return float(self._box.viewPixelSize()[0])

    def _make_item(self, curve: CurveSpec) -> pg.PlotDataItem:
        is_smooth = curve.markers or any(each.places for each in self._spec.curves)  # of thousands of points it is slow
        connect = "pairs" if curve.places == "bars" else "all"
        item = pg.PlotDataItem(name=curve.name, antialias=is_smooth, connect=connect)
        self._plot.addItem(item)
        if not curve.dots and not is_smooth:
            item.setDownsampling(auto=True, method="peak")
            item.setClipToView(True)
        return item

    def _fit_axes(self) -> None:
        """No axis begins below the first step; of one point pyqtgraph would keep the span of what was there before."""
        if not self._shown:
            return
        places, view = len(self._content.places), self._box
        first = float(min(x[0] for x, _ in self._shown))
        last = float(max(x[-1] for x, _ in self._shown))
        if isinstance(self._content.places, Mapping):
            first, last = min(self._content.places), max(self._content.places)
            margin = PLACE_MARGIN * (last - first) or 0.5
            view.setXRange(first - margin, last + margin, padding=0)
            view.setYRange(*self._left_range(), padding=PLACE_MARGIN)
            self._has_fixed_range = True
            return
        is_fixed = bool(places) or first == last
        margin = 0.5 if places else (0.05 if is_fixed else 0.02) * max(last, 1.0)  # a lone point is drawn whole
        view.setLimits(xMin=-margin)
        if is_fixed:
            view.setXRange(-0.4 if places else -margin, places - 0.6 if places else max(2 * last, 1.0), padding=0)
            view.setYRange(*self._left_range(), padding=0.06)
        elif self._has_fixed_range:
            view.enableAutoRange()
        self._has_fixed_range = is_fixed

    def _left_range(self) -> tuple[float, float]:
        lowest = min(float(values.min()) for _, values in self._shown)
        highest = max(float(values.max()) for _, values in self._shown)
        level = self._content.level if isinstance(self._content.places, Mapping) else None
        if level is not None:
            lowest, highest = min(lowest, level.value), max(highest, level.value)
        if self._spec.includes_zero:
            lowest, highest = min(lowest, 0.0), max(highest, 0.0)
        if self._content.is_logarithmic:
            lowest, highest = math.log10(max(lowest, 1e-12)), math.log10(max(highest, 1e-12))
        if lowest == highest:
            lowest, highest = lowest - abs(lowest) / 2 - 0.5, highest + abs(highest) / 2 + 0.5
        return lowest, highest

    def _show_level(self) -> None:
        """Its name is on the side of its line where fewer points are at its end, if it has room there."""
        level = self._content.level
        self._level.setVisible(level is not None)
        if level is None:
            return
        self._level.setValue(math.log10(level.value) if self._content.is_logarithmic else level.value)
        self._level_name.setFormat(level.name)
        (left, right), (bottom, top) = self._box.viewRange()
        ends = [values[x > right - LEVEL_SHARE * (right - left)] for x, values in self._shown]
        ending = np.concatenate(ends) if ends else np.zeros(0)
        needed = self._level_name.boundingRect().height() / max(self._box.height(), 1) * (top - bottom)
        goes_below = (ending > level.value).sum() > (ending < level.value).sum()
        self._level_name.anchors = list(BELOW if goes_below and self._level.value() - bottom > needed else ABOVE)
        self._level_name.updatePosition()

    def _show_marks(self) -> None:
        """Lines are hidden and used again: Qt may still be busy with an item that is taken out of its scene."""
        marks = self._content.marks
        while len(self._marks) < len(marks):
            self._marks.append(_MarkLine(self._plot, len(self._marks)))
        for number, line in enumerate(self._marks):
            line.show_mark(marks[number] if number < len(marks) else None)
        self._keep_headroom()
        self._fit_words()

    def _fit_words(self) -> None:
        """The name of an axis is left out where it is longer than its axis: the legend has it too."""
        size, axis, row = self._box.boundingRect(), self._plot.getAxis("left"), 0
        axis.showLabel(axis.label.boundingRect().width() <= size.height())
        for line in self._marks:
            row = line.fit(row, size.width(), size.height(), self._box.viewRange()[0])

    def _keep_headroom(self) -> None:
        """Room for the words before a mark above the curves, which are often highest where they begin."""
        mark = next((mark for mark in self._content.marks if mark.before), None)
        share = WORD_ROW * theme.font(TYPE_PX).pixelSize() / max(self._box.height(), 1)
        has_room = self._shown and not self._content.is_logarithmic and share <= MOST_HEADROOM
        if mark is None or mark.is_silent or not has_room:
            self._headroom.setData([], [])
            return
        before = [values[x <= mark.x] for x, values in self._shown]
        highest = max((float(values.max()) for values in before if len(values)), default=0.0)
        lowest = min(float(values.min()) for _, values in self._shown)
        room = share / (1 - share) * (highest - lowest)
        self._headroom.setData([float(self._shown[0][0][0])], [highest + room])

    def _paint_in_theme(self) -> None:
        self._view.paint_in_theme()
        for curve in self._spec.curves:
            self._paint_curve(self._items[curve.key], curve)
            if curve.noisy:
                self._raw[curve.key].setPen(pg.mkPen(theme.color(curve.color, RAW_ALPHA), width=1))
        self._level.setPen(_dashed("muted"))
        _paint_words(self._level_name, "muted")
        self._show_level()
        self._marked.setPen(pg.mkPen(theme.color("accent"), width=1.4, style=Qt.PenStyle.DotLine))
        for line in self._marks:
            line.paint_in_theme()

    @staticmethod
    def _paint_curve(item: pg.PlotDataItem, curve: CurveSpec) -> None:
        color, nothing = theme.color(curve.color), pg.mkPen(None)
        style = Qt.PenStyle.DashLine if curve.dashed else Qt.PenStyle.SolidLine
        if curve.places == "bars":
            item.setPen(pg.mkPen(theme.color(curve.color, BAR_TINT), width=BAR_PX))
        elif curve.dots:
            item.setPen(pg.mkPen(color, width=1, style=Qt.PenStyle.DotLine))
        else:
            item.setPen(nothing if curve.places else pg.mkPen(color, width=LINE_PX, style=style))
        if curve.places == "rings":
            look = RING_PX, pg.mkBrush(None), pg.mkPen(color, width=2)
        elif curve.dots or curve.markers or curve.places == "dots":
            look = PLACE_PX if curve.places else DOT_PX, color, pg.mkPen(theme.color("card"), width=1)
        else:
            return
        item.setSymbol(curve.symbol)
        item.setSymbolSize(theme.px(look[0]))
        item.setSymbolBrush(look[1])
        item.setSymbolPen(look[2])

    def place_at(self, position: QPointF) -> tuple[str, int] | None:
        """Which single place is at this point of the scene: the key of its curve, and its index."""
        at, per_px = self._box.mapSceneToView(position), np.array(self._box.viewPixelSize())
        nearest: tuple[float, tuple[str, int] | None] = (theme.px(REACH_PX), None)
        for curve in self._spec.curves:
            x, y = self._content.points.get(curve.key, ((), ()))
            if curve.places == "dots" and len(x):
                away = np.hypot(*((np.array([x, y]).T - (at.x(), at.y())) / per_px).T)
                nearest = min(nearest, (float(away.min()), (curve.key, int(away.argmin()))), key=lambda one: one[0])
        return nearest[1]

    def _on_scene_mouse_moved(self, position: Any) -> None:
        inside = self._box.sceneBoundingRect().contains(position)
        self.place_hovered.emit(self.place_at(position) if inside else None)
        self.hovered.emit(self._box.mapSceneToView(position).x() if inside else None)

    def _on_scene_mouse_clicked(self, event: Any) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._box.sceneBoundingRect().contains(event.scenePos()):
            self.clicked.emit(self._box.mapSceneToView(event.scenePos()).x())
            place = self.place_at(event.scenePos())
            if place is not None:
                self.place_clicked.emit(*place)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._paint_in_theme()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.hovered.emit(None)


class _MarkLine:
    """A line where something else begins, with words beside it; what has a name before it, a tinted band."""

    def __init__(self, plot: pg.PlotItem, number: int) -> None:
        self.mark: Mark | None = None
        self._line, self._band = pg.InfiniteLine(angle=90), pg.LinearRegionItem(movable=False)
        self._line.setZValue(-number / 1000)  # the words of one are legible on top of the next
        self._band.setZValue(-20)
        self._before = pg.InfLineLabel(self._line, "", anchors=list(LEFT_OF_LINE))
        self._after = pg.InfLineLabel(self._line, "", anchors=list(RIGHT_OF_LINE))
        for item in (self._band, self._line):
            plot.addItem(item, ignoreBounds=True)

    def show_mark(self, mark: Mark | None) -> None:
        """None: nothing."""
        if mark is not None and mark != self.mark:
            self._line.setValue(mark.x)
            self._band.setRegion((0, mark.x))
            self._after.setFormat(mark.after)
        self.mark = mark
        self.paint_in_theme()
        self._line.setVisible(mark is not None)
        self._band.setVisible(mark is not None and bool(mark.before))

    def fit(self, row: int, width: float, height: float, span: tuple[float, float]) -> int:
        """Words where there is room for them: on their side of the line, each on a row of its own from the top; the
        row after them. What begins stands behind its line; where that leaves no room, before it."""
        if self.mark is None or self.mark.is_silent:
            for words in (self._before, self._after):
                words.setVisible(False)
            return row
        line, (first, last) = WORD_ROW * theme.font(TYPE_PX).pixelSize() / max(height, 1), span
        per_unit = width / max(last - first, 1e-9)
        left = per_unit * (self.mark.x - first)
        phase = per_unit * (self.mark.x - max(first, 0)) - theme.px(CLEAR_PX)
        for words in (self._before, self._after):  # a label that is hidden keeps its old text and size
            words.setVisible(True)
            words.valueChanged()
        self._before.setFormat(self.mark.before)
        if self.mark.before_short and self._before.boundingRect().width() >= phase:
            self._before.setFormat(self.mark.before_short)
        is_behind = self._after.boundingRect().width() < width - left
        self._after.anchors = list(RIGHT_OF_LINE if is_behind else LEFT_OF_LINE)
        self._after.updatePosition()
        for words, room in ((self._before, phase), (self._after, max(left, width - left))):
            words.setPosition(1 - (row + 0.6) * line)
            is_high = line < 0.25 and (row + 1) * line < MOST_WORDS
            words.setVisible(bool(words.format) and is_high and words.boundingRect().width() < room)
            row += bool(words.format)
        return row

    def paint_in_theme(self) -> None:
        color = "faint" if self.mark is None else self.mark.color
        self._line.setPen(_dashed(color))
        self._band.setBrush(theme.color("hover", BAND_ALPHA))
        for edge in self._band.lines:
            edge.setPen(pg.mkPen(None))
        for words in (self._before, self._after):
            _paint_words(words, "muted" if color == "faint" else color)


def _dashed(color: str) -> Any:
    return pg.mkPen(theme.color(color), style=Qt.PenStyle.DashLine)


def _paint_words(words: pg.InfLineLabel, color: str) -> None:
    words.setColor(theme.color(color))
    words.setFont(theme.font(TYPE_PX))
    words.fill = pg.mkBrush(theme.color("card", WORDS_ALPHA))
