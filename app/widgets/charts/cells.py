"""A matrix as coloured cells with the names of its rows and columns, and its colour scale.

    grid = LabelledGrid("Cosine of every two tokens", square=True, signed=True, tilted=True)
    grid.set_grid(values, Labels(tokens, kinds), Labels(tokens, kinds), -1, 1)    values (R,C)
    grid.set_selected(row, column)                                                frames; either may be None
    grid.clicked.connect(lambda cell: ...)    (row, column): by the left button or the arrow keys
    grid.hovered.connect(...)                 (row, column) or None

Words or numbers stand in the cells where `texts` gives them and they fit. With `zooms` the wheel zooms a square matrix,
dragging and the arrow keys move what is shown, + and - zoom and 0 shows all of it again.
"""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from ...look import numbers, say, theme
from .pointer import ARROWS
from .raster import Raster, paint_scale
from .zoom import Zoom, ZoomedDrawing

LEAST_ROW_PX = 17  # a number fits into it
SCALE_PX = 66  # the colour scale at the right, with its numbers
SLANTED_PX = 24  # how far a short label reaches beyond its column
LONGEST_PX = 136
LARGEST_PX = (110, 40)  # of a cell: width, height
TILT_DEGREES = 50
LABELS_PX = (12, 11)  # smaller words cannot be read: then some are left out
LINE = 1.0  # from one label to the next at least, in heights of their type
TILTED_LINE = 1 / math.sin(math.radians(TILT_DEGREES))  # the same above the columns, where labels lean on one another


@dataclass(frozen=True)
class Labels:
    """The names along one side, and their colours."""

    texts: Sequence[str] = field(default_factory=list)
    kinds: Sequence[str] = field(default_factory=list)  # names in the theme; empty: all muted
    groups: Sequence[str] = ()  # of columns: numbers of the layers that they are of, as many to each


class LabelledGrid(ZoomedDrawing):
    """values (R,C). The mouse reads a cell, a click or the arrow keys choose one."""

    arrows_click = True
    hint_px = (420, 420)

    def __init__(
        self,
        name: str,
        *,
        square: bool = False,
        signed: bool = False,
        tilted: bool = False,
        zooms: bool = False,
        scale: bool = True,
        longest_px: int = LONGEST_PX,
        largest_px: tuple[int, int] = LARGEST_PX,
    ) -> None:
        """square: cells are. tilted: column labels are words and stand aslant. scale: the colours are explained at the
        right. longest_px: room for a row's label. largest_px: a cell's width and height at most."""
        super().__init__(name, Qt.FocusPolicy.StrongFocus, Zoom() if zooms else None)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.raster: Raster | None = None
        self.rows, self.columns = Labels(), Labels()
        self._square, self._signed, self._tilted, self._scale = square, signed, tilted, scale
        self._longest_px, self._largest_px = longest_px, largest_px
        self._axis_names = ("", "")
        self._hatched: np.ndarray | None = None
        self._framed: Collection[tuple[int, int]] = ()
        self._texts: Sequence[Sequence[str]] = ()
        self._written: Callable[[float], str] = numbers.number
        self._row: int | None = None
        self._column: int | None = None
        self._advances = (0, 0)  # of the longest row and column label
        self._rect, self._labels_px = QRectF(), (0.0, 0.0)  # of the cells; of row labels at the left, of columns above

    @property
    def values(self) -> np.ndarray | None:
        """What is drawn, (R,C)."""
        return None if self.raster is None else self.raster.values

    @property
    def color_range(self) -> tuple[float, float] | None:
        """What the ends of the colour scale stand for."""
        return None if self.raster is None else (self.raster.low, self.raster.high)

    @property
    def selected(self) -> tuple[int | None, int | None]:
        return self._row, self._column

    def set_grid(
        self,
        values: np.ndarray,
        rows: Labels,
        columns: Labels,
        low: float,
        high: float,
        texts: Sequence[Sequence[str]] = (),
        *,
        signed: bool | None = None,
        written: Callable[[float], str] = numbers.number,
        hatched: np.ndarray | None = None,
        framed: Collection[tuple[int, int]] = (),
    ) -> None:
        """low, high: the values at the ends of the colour scale. texts (R,C): in the cells, where there is room.
        signed: which of the two scales from now on; None leaves it. written: the numbers at the ends of the scale.
        hatched (R,C): cells whose number says nothing. framed: cells (row, column) that stand out. An empty grid shows
        nothing."""
        self._written, self._hatched, self._framed = written, hatched, framed
        self._signed = self._signed if signed is None else signed
        self.raster = Raster(values, low, high, signed=self._signed) if values.size else None
        if list(rows.texts) != list(self.rows.texts) or list(columns.texts) != list(self.columns.texts):
            self.set_hovered(None)
        self.rows, self.columns, self._texts = rows, columns, texts
        self._advances = (_longest(rows.texts), _longest(columns.texts))
        if self.zoom is not None:
            self.zoom.set_size(len(rows.texts))
        self.values_changed()

    def clear(self) -> None:
        """Nothing is there to be drawn yet."""
        self.raster, self.hovered_cell = None, None
        self.update()

    def set_axis_names(self, rows: str, columns: str) -> None:
        """What the two sides are, in their corner: "true ↓", "predicted →"."""
        self._axis_names = (rows, columns)
        self.values_changed()

    def set_selected(self, row: int | None = None, column: int | None = None) -> None:
        """Frames a row, a column, or both; a zoomed picture moves so that the row is seen."""
        if (row, column) == (self._row, self._column):
            return
        self._row, self._column = row, column
        if row is not None and self.zoom is not None and not self.zoom.is_whole and not self.underMouse():
            self.zoom.show_row(row)
        self.update()

    @property
    def right_px(self) -> int:
        """At the right of the cells: the colour scale, or the end of the last column's label."""
        return theme.px(SCALE_PX + 16) if self._scale else theme.px(SLANTED_PX if self._tilted else 2)

    def grid_rect(self) -> QRectF:
        """Where the cells stand."""
        return QRectF(self._rect)

    def zoom_rect(self) -> QRectF:
        return self.grid_rect() if self.raster is not None else QRectF()

    def lay_out(self) -> None:
        """Square cells are in the middle, where their picture is lower than it is wide; on a projector they fill it."""
        left, top = self._labels_px = self._label_sizes()
        rows, columns = max(len(self.rows.texts), 1), max(len(self.columns.texts), 1)
        room_x = self.width() - left - self.right_px
        room_y = self.height() - top - theme.px(4)
        most_x, most_y = (theme.px(side) for side in self._largest_px)
        if self._square and not theme.is_projector():
            side = max(min(room_x / columns, room_y / rows, most_y * 1.3), 0.2)
            free = max(room_x - side * columns, 0) / 2 if self._tilted else 0
            self._rect = QRectF(left + free, top, side * columns, side * rows)
        else:
            self._rect = QRectF(left, top, max(min(room_x, most_x * columns), 10), max(min(room_y, most_y * rows), 10))

    def line_top(self, y: float) -> float:
        """Where the row at this height begins: where the picture is scrolled, none is cut in two, nor are the names
        of its columns."""
        if y < self.grid_rect().top():
            return 0.0
        cell = self.cell_at(QPointF(self.grid_rect().x(), y))
        return y if cell is None else self.cell_rect(*cell).y()

    def cell_rect(self, row: int, column: int) -> QRectF:
        rect, (x, y, across, down) = self.grid_rect(), self._view()
        width, height = rect.width() / across, rect.height() / down
        return QRectF(rect.x() + (column - x) * width, rect.y() + (row - y) * height, width, height)

    def _view(self) -> tuple[float, float, float, float]:
        """Which cells are on show: first column, first row, columns, rows."""
        if self.zoom is not None:
            return self.zoom.x, self.zoom.y, self.zoom.span, self.zoom.span
        return 0.0, 0.0, float(max(len(self.columns.texts), 1)), float(max(len(self.rows.texts), 1))

    def _font(self) -> QFont:
        """Of the labels: the largest in which there is room for all of them, within limits."""
        fonts = [theme.font(size) for size in LABELS_PX]
        if not self._square:
            return fonts[0]
        row = self.grid_rect().height() / self._view()[3]
        line = TILTED_LINE if self._tilted else LINE
        return next((font for font in fonts if font.pixelSize() * line <= row), fonts[0])

    def _label_sizes(self) -> tuple[float, float]:
        """The room for row labels at the left and for column labels above."""
        side, above = self._axis_names
        metrics = QFontMetrics(theme.font(11))
        left: float = min(self._advances[0], theme.px(self._longest_px), round(self.width() * 0.4))
        left = max(left, metrics.horizontalAdvance(side)) + theme.px(14)
        names = theme.px(18) if side or above or self.columns.groups else 0
        if not self._tilted:
            return left, theme.px(22) + names
        return left, min(self._advances[1], theme.px(LONGEST_PX)) * 0.77 + theme.gap_px(18) + names

    def cell_at(self, point: QPointF) -> tuple[int, int] | None:
        rect = self.grid_rect()
        if self.raster is None or not rect.contains(point):
            return None
        x, y, across, down = self._view()
        rows, columns = self.raster.values.shape
        row = int((point.y() - rect.y()) / rect.height() * down + y)
        return min(row, rows - 1), min(int((point.x() - rect.x()) / rect.width() * across + x), columns - 1)

    def cell_after(self, cell: tuple[int, int] | None, key: int) -> tuple[int, int] | None:
        if self.raster is None or key not in ARROWS:
            return None
        row, column = cell or (0, 0)
        rows, columns = self.raster.values.shape
        down, right = ARROWS[key]
        return min(max(row + down, 0), rows - 1), min(max(column + right, 0), columns - 1)

    def selected_cell(self) -> tuple[int, int] | None:
        return self._row or 0, self._column or 0

    def paint_cells(self, painter: QPainter, rect: QRectF, raster: Raster) -> None:
        """The picture and what stands in its cells; a subclass may paint over it."""
        raster.paint(painter, rect, QRectF(*self._view()))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        lines = theme.color("muted")
        lines.setAlpha(90)  # numbers are read through them
        for row, column in [] if self._hatched is None else np.argwhere(self._hatched).tolist():
            painter.fillRect(self.cell_rect(row, column), QBrush(lines, Qt.BrushStyle.BDiagPattern))
        if self._texts:
            self._paint_texts(painter, raster)

    def _paint_texts(self, painter: QPainter, raster: Raster) -> None:
        size = self.cell_rect(0, 0).size()
        if size.width() < theme.px(24) or size.height() < theme.px(LEAST_ROW_PX - 1):
            return
        painter.setFont(theme.font(12))
        metrics, room = painter.fontMetrics(), int(size.width()) - theme.px(4)
        for row, texts in enumerate(self._texts):
            for column, text in enumerate(texts):
                painter.setPen(theme.ink_on(raster.image.pixelColor(column, row)))
                cut = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
                if cut != text and not any(letter.isalpha() for letter in text):  # half a number says something else
                    cut = text if metrics.horizontalAdvance(text) < size.width() else ""
                painter.drawText(self.cell_rect(row, column), Qt.AlignmentFlag.AlignCenter, cut)

    def _paint_labels(self, painter: QPainter, rect: QRectF) -> None:
        x, y, across, down = self._view()
        height, width = rect.height() / down, rect.width() / across
        painter.setFont(self._font())
        size, line, room = painter.font().pixelSize(), theme.px(24), rect.x() - theme.px(8)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        lowest = self.height() - painter.fontMetrics().height() / 2  # beside low rows the last word would be cut
        side = self._labels(painter, self.rows, y, down, height, size * LINE, self._row, self._row, int(room))
        for middle, text in side:
            painter.drawText(QRectF(0, min(rect.y() + middle, lowest) - line / 2, room, line), right, text)
        marked = important = self._column
        if marked is None:
            marked = (self.hovered_cell or (0, None))[1]
            if self._tilted and self.values is not None and self._row is not None and self._row < len(self.values):
                # In a matrix of words: what one looks for in the selected row has its name.
                important = int(np.argmax(np.abs(np.nan_to_num(self.values[self._row]))))
        before, start = painter.transform(), QPointF(0, painter.fontMetrics().ascent() / 3)
        least = size * TILTED_LINE if self._tilted else min(self._advances[1], theme.px(30)) + theme.px(6)
        longest = theme.px(LONGEST_PX) if self._tilted else max(int(width), theme.px(30))
        for middle, text in self._labels(painter, self.columns, x, across, width, least, important, marked, longest):
            if self._tilted:
                painter.translate(rect.x() + middle + 2, rect.y() - theme.px(6))
                painter.rotate(-TILT_DEGREES)
                painter.drawText(start, text)
                painter.setTransform(before)
            else:
                wide = painter.fontMetrics().horizontalAdvance(text) + 2
                left = max(
                    min(rect.x() + middle - wide / 2, self.width() - wide), 0
                )  # the last one stays on the widget
                box = QRectF(left, rect.y() - theme.px(22), wide, theme.px(20))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _labels(
        self,
        painter: QPainter,
        labels: Labels,
        first: float,
        span: float,
        length: float,
        least: float,
        chosen: int | None,
        marked: int | None,
        longest: int,
    ) -> Iterator[tuple[float, str]]:
        """Of the places on show those that get a label, `least` pixels apart: all, or every k-th, and always the chosen
        one. Words are counted from there; numbers stay round, and it takes the place of its neighbours.

        Gives the middle of each, in pixels from the first on show, and its text; the painter has its pen and font by
        then, which are changed as seldom as possible: that takes its time, as measuring does.
        """
        gap = least / max(length, 0.01)
        step = max(int(np.ceil(gap)), 1) if self._tilted else round_step(gap)
        if labels.groups:  # the same columns of each
            size = len(labels.texts) // len(labels.groups)
            step = next((k for k in range(step, size) if size % k == 0), size)
        shown = range(int(first), min(int(np.ceil(first + span - 1e-9)), len(labels.texts)))
        start = chosen if self._tilted and chosen is not None else 0
        places = [i for i in shown if (i - start) % step == 0]
        if step > 1 and chosen is not None and chosen in shown:
            places = [i for i in places if abs(i - chosen) >= step] + [chosen]
        plain, metrics, pen = painter.font(), painter.fontMetrics(), ""
        for i in places:
            middle, text = (i + 0.5 - first) * length, labels.texts[i]
            if not -1 <= middle <= span * length + 1:
                continue
            color = "accent" if i == marked else labels.kinds[i] if labels.kinds else "muted"
            if color != pen:
                painter.setPen(theme.color(color))
                pen = color
            if i == marked:
                bold = painter.font()
                bold.setBold(True)
                painter.setFont(bold)
            if len(text) > 4:  # most tokens are shorter
                measure = painter.fontMetrics() if i == marked else metrics
                text = measure.elidedText(text, Qt.TextElideMode.ElideRight, longest)
            yield middle, text
            if i == marked:
                painter.setFont(plain)

    def paint_scale(self, painter: QPainter, rect: QRectF, raster: Raster) -> None:
        bar = QRectF(rect.right() + theme.px(16), rect.y(), theme.px(10), max(min(rect.height(), theme.px(200)), 40))
        paint_scale(painter, bar, signed=self._signed, upright=True)
        painter.setPen(theme.color("muted"))
        painter.setFont(theme.font(11))
        left = bar.right() + theme.px(5)
        painter.drawText(QPointF(left, bar.y() + theme.px(9)), self._written(raster.high))
        if self._signed:
            painter.drawText(QPointF(left, bar.center().y() + theme.px(4)), "0")
        painter.drawText(QPointF(left, bar.bottom()), self._written(raster.low))

    def paint_frames(self, painter: QPainter, rect: QRectF) -> None:
        """What is selected, and what the mouse points at."""
        x, y, across, down = self._view()
        height, width = rect.height() / down, rect.width() / across
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.color("card"), theme.stroke(3)))
        groups = len(self.columns.groups)
        for x_of_group in (rect.x() + rect.width() * at / groups for at in range(1, groups)):
            painter.drawLine(QPointF(x_of_group, rect.top()), QPointF(x_of_group, rect.bottom()))
        painter.setPen(QPen(theme.color("curve_held_out"), theme.stroke(2.2)))
        for one in self._framed:
            painter.drawRoundedRect(self.cell_rect(*one), 2, 2)
        for color, wide_px in (("card", 3.6), ("accent", 1.6)):  # to be seen on cells of its own colour, too
            painter.setPen(QPen(theme.color(color), theme.stroke(wide_px)))
            if self._row is not None and self._row < len(self.rows.texts):
                painter.drawRect(QRectF(rect.x(), rect.y() + (self._row - y) * height, rect.width(), max(height, 2)))
            if self._column is not None and self._column < len(self.columns.texts):
                painter.drawRect(QRectF(rect.x() + (self._column - x) * width, rect.y(), max(width, 2), rect.height()))
        if self.hovered_cell is not None:
            cell = self.cell_rect(*self.hovered_cell)
            painter.setPen(QPen(theme.color("mask"), theme.stroke(2.0)))
            painter.drawRect(QRectF(cell.x(), cell.y(), max(width, 3), max(height, 3)))

    def minimumSizeHint(self) -> QSize:
        rows = min(theme.px(150), len(self.rows.texts) * theme.px(LEAST_ROW_PX)) or theme.px(150)
        return QSize(theme.px(230), rows + round(self._labels_px[1]))

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.raster is None:
            return
        painter = QPainter(self)
        rect = self.grid_rect()
        painter.setClipRect(rect.adjusted(-2, -2, 2, 2))
        self.paint_cells(painter, rect, self.raster)
        painter.setPen(theme.color("line"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect)
        self.paint_frames(painter, rect)
        painter.setClipping(False)
        self._paint_labels(painter, rect)
        painter.setFont(theme.font(11))
        painter.setPen(theme.color("muted"))
        self._paint_groups(painter, rect)
        if any(self._axis_names):
            side, above = self._axis_names
            line, middle = theme.px(18), Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip
            painter.drawText(QRectF(rect.x(), 0, rect.width(), line), middle, above)
            painter.drawText(QRectF(0, rect.y() - line - theme.px(3), rect.x(), line), middle, side)
        if self._scale:
            self.paint_scale(painter, rect, self.raster)

    def _paint_groups(self, painter: QPainter, rect: QRectF) -> None:
        """The layers above their columns; where they are too narrow for words, their numbers, and what they count at
        the left."""
        top, line, groups = rect.y() - theme.px(40), theme.px(18), self.columns.groups
        width, words = rect.width() / max(len(groups), 1), [say("layer {layer}", layer=layer) for layer in groups]
        if any(painter.fontMetrics().horizontalAdvance(text) > width - theme.px(4) for text in words):
            words = list(groups)
            at_left = QRectF(0, top, rect.x() - theme.px(6), line)
            painter.drawText(at_left, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, say("layer"))
        for number, text in enumerate(words):
            box = QRectF(rect.x() + number * width, top, width, line)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def round_step(least: float) -> int:
    """Of 1, 2, 5, 10, 20, 50, … the first that is not below `least`."""
    ten = 1
    while least > 10 * ten:
        ten *= 10
    return next(k * ten for k in (1, 2, 5, 10) if k * ten >= least)


def _longest(texts: Sequence[str]) -> int:
    """The width of the widest label in pixels; of the few with the most characters, measuring takes its time."""
    metrics = QFontMetrics(theme.font(12.5))
    return max((metrics.horizontalAdvance(text) for text in sorted(texts, key=len)[-8:]), default=0)
