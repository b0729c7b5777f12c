"""What the pictures of who looks at whom have in common: a matrix to zoom into, read out below, and its difference."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Signal
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtWidgets import QLayout

from ...figures.figure import joined
from ...figures.values import Values, tokens
from ...look import mark, numbers, say, theme
from ...state import Reading, Selection, Units
from ...state.baseline_names import baseline_name
from ...widgets.card import Hint, button
from ...widgets.charts.cells import LabelledGrid, Labels
from ...widgets.charts.raster import Raster
from ...widgets.layouts import hbox, held, vbox
from ..pictures import Cells
from .attentions import Attentions
from .view import ROOM, AttendView, PictureRow

LONG_TEXT = 40  # tokens; from here on single high values would leave the rest of the picture white
LEAST_HIGH = 0.02  # of the highest value: less would make colours of rounding errors
USUAL = 0.995  # the share of values that the colours reach to in a long text
LEAST_PX = 100  # of the matrix, without its labels
LEAST_DIFFERENCE = 0.02  # to which the colours of a difference reach: rounding errors stay white
WRITTEN, LEAST_WRITTEN = 0.25, 0.01  # of the highest difference, and in any case: smaller ones are not written
FULL_DRAG_PX = 160  # dragged so far, a weight goes from 0 to 1


class AttentionGrid(LabelledGrid):
    """A matrix (U,U). While `edits` is on, dragging a square up or down gives it another weight."""

    weight_dragged = Signal(int, int, float)  # row, column, the weight it would have
    weight_set = Signal(int, int, float)

    def __init__(self, name: str, *, signed: bool = False, scale: bool = True) -> None:
        super().__init__(name, square=True, signed=signed, tilted=True, zooms=True, scale=scale)
        self._is_signed = signed
        self.edits = False
        self.column: int | None = None  # that was clicked last: where the arrow keys begin
        self._is_cut = False
        self._edited: tuple[tuple[int, int], float] | None = None  # the square that is dragged, and its weight

    def set_matrix(
        self, values: np.ndarray, labels: Labels, *, is_difference: bool = False, least_high: float = 0.0
    ) -> None:
        """values (U,U). Colours reach to the highest value; in long texts to what all but a few values stay below.

        is_difference: the colours are signed, and large values are written in their squares. least_high: to which the
        colours reach in any case.
        """
        self._signed = self._is_signed or is_difference
        sizes = np.abs(values) if self._signed else values
        highest = float(sizes.max(initial=0.0))
        high = usual_high(sizes) if len(values) > LONG_TEXT else highest
        high = max(high, LEAST_DIFFERENCE if is_difference else least_high)
        self._is_cut = high < highest
        texts = _large_differences(values, high) if is_difference else ()
        self.set_grid(values, labels, labels, -high if self._signed else 0.0, high, texts)

    def selected_cell(self) -> tuple[int, int]:
        return self.selected[0] or 0, self.column or 0

    def paint_frames(self, painter: QPainter, rect: QRectF) -> None:
        if self._edited is not None and self.raster is not None:
            cell, weight = self._edited
            painter.fillRect(self.cell_rect(*cell), theme.sequential_color(weight / (self.raster.high or 1)))
        super().paint_frames(painter, rect)

    def paint_scale(self, painter: QPainter, rect: QRectF, raster: Raster) -> None:
        super().paint_scale(painter, rect, raster)
        height = min(rect.height(), theme.px(200))
        if self._is_cut and height > theme.px(80):  # else the words would stand on the numbers
            left = rect.right() + theme.px(31)
            painter.drawText(QPointF(left, rect.y() + theme.px(22)), say("or more"))
            if self._signed:
                painter.drawText(QPointF(left, rect.y() + height - theme.px(13)), say("or less"))

    def drag(self, start: QPointF, last: QPointF, here: QPointF) -> None:
        cell = self.cell_at(start)
        if not self.edits or cell is None or self.values is None:
            super().drag(start, last, here)
            return
        lifted = (start.y() - here.y()) / theme.px(FULL_DRAG_PX)
        self._edited = cell, min(max(float(self.values[cell]) + lifted, 0.0), 1.0)
        self.weight_dragged.emit(*cell, self._edited[1])
        self.update()

    def minimumSizeHint(self) -> QSize:
        """Rather small than scrolled out of sight."""
        return QSize(super().minimumSizeHint().width(), theme.px(LEAST_PX) + round(self._label_sizes()[1]))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if self._edited is not None and self._drag is None:
            (cell, weight), self._edited = self._edited, None
            self.weight_set.emit(*cell, weight)


@dataclass(frozen=True, kw_only=True)
class Attention(Cells):
    """Who looks at whom (U,U), or the difference."""

    key: str = "matrix"
    on: str = ROOM
    name: str = mark("Attention: rows look at columns")
    chart: Callable[..., AttentionGrid] = AttentionGrid
    number: str = "attention"

    def show(self, chart: Any, values: Values, baseline: Values | None, *, is_difference: bool) -> Values:
        least_high = values.high or 0.0
        if baseline is not None:
            values = values.minus(baseline, LEAST_DIFFERENCE)
        labels = Labels(values.rows.labels, values.rows.colors)
        chart.set_matrix(values.array, labels, is_difference=is_difference, least_high=least_high)
        return values


class MatrixView(AttendView):
    """Of our units, or what differs from the baseline. Subclasses override `matrix`, and the texts."""

    axes = mark("rows look at columns")  # in a figure
    says = mark("{row} looks at {column} with weight {weight}")  # of a square
    says_difference = ""
    row_hint = row_about = ""  # of a row in the card beside; empty: the card shows that of the head itself

    def lay_out(self) -> QLayout:
        self.grid: AttentionGrid = self.charts["matrix"]
        hint = say("Zoom out to the whole matrix (0)")
        self.whole = button(say("Show all"), self.grid.show_whole, look="small", hint=hint)
        self.readout = Hint()  # one line: the picture comes first
        self.controls = hbox(*([] if self.choice is None else [self.choice]), None, gap_px=8)
        self.tools_line = hbox(self.whole, gap_px=8)
        self.tools = held(self.tools_line)
        self.foot = held(hbox((self.readout, 1), self.tools, gap_px=8))
        self.whole.hide()
        self.show_hovered("")
        self.grid.zoomed.connect(self._show_whole)
        line = self.own_line(*self.asked.values(), *self.asked_of_baseline.values())
        return vbox(self.controls, line, (self.pairs.get("matrix", self.grid), 1), self.foot, gap_px=6)

    def matrix(self, of: Attentions, selection: Selection) -> np.ndarray | None:
        """(U,U) of a reading, ours or the baseline's; None while it is computed."""
        raise NotImplementedError

    def units(self, of: Attentions) -> Units:
        """Of the rows and columns."""
        return of.units

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        of = self.attentions_of(reading)
        matrix, side = self.matrix(of, selection), tokens(self.units(of))
        if matrix is None:
            self.grid.clear()
            self.shown.pop(key, None)
            return None
        return Values(matrix, replace(side, axis_name="looks"), replace(side, axis_name="is looked at"))

    def drawn(self, reading: Reading, selection: Selection) -> None:
        super().drawn(reading, selection)
        self.grid.setAccessibleName(say("{title}: rows look at columns", title=self.title))
        self._show_whole()

    def picture_row(self, unit: int) -> PictureRow | None:
        if not self.row_hint:
            return None
        own = self.both["matrix"][0].array[unit] if "matrix" in self.shown else None
        return PictureRow(own, self.pictures[0].number, say(self.row_hint), say(self.row_about))

    def sentence(self, key: str, row: int, column: int | None) -> str:
        """Of ours with their positions."""
        values = self.shown[key]
        assert column is not None and values.columns is not None
        names, side = list(values.columns.labels), values.columns
        if key == "matrix":
            names = [f"{name} ({side.number(place)})" for place, name in enumerate(names)]
        return self.read_out(names[row], names[column], float(values.array[row, column]))

    def read_out(self, row: str, column: str, value: float) -> str:
        """What is said of a square."""
        text, write = (self.says_difference, numbers.signed) if self.is_difference else (self.says, numbers.decimal)
        written = write(value, 4)
        return say(text, row=row, column=column, weight=written, share=written, change=written)

    def show_hovered(self, text: str) -> None:
        invitation = say(
            "Hover over a square for its value; click it to pin its row. Zoom with the wheel, drag to move."
        )
        self.readout.setText(text or invitation)
        if self.foot is not None and self.foot.isHidden():
            super().show_hovered(text)

    def clicked(self, key: str, row: int, column: int | None) -> None:
        columns = self.shown[key].columns
        if key == "matrix" and column is not None and columns is not None:
            self.grid.column = column
            self.shared.choose_column(columns.number(column))

    @property
    def settings(self) -> str:
        """Of the view, for the caption."""
        return ""

    def caption(self, key: str) -> dict[str, Any]:
        minus = f"now minus {baseline_name(self.attentions.reading)}" if key in self.differences else ""
        hint = joined(say(self.axes), self.hint, self.about)
        return {"title": self.title, "hint": hint, "settings": ", ".join(filter(None, (self.settings, minus)))}

    def _show_whole(self) -> None:
        zoom = self.grid.zoom
        self.whole.setVisible(zoom is not None and not zoom.is_whole)


def _large_differences(values: np.ndarray, high: float) -> list[list[str]]:
    """Of (U,U) those of some size, as they are written in a square."""
    least = max(high * WRITTEN, LEAST_WRITTEN)

    def written(value: float) -> str:
        return numbers.decimal(value).replace("0.", ".", 1) if abs(value) >= least else ""

    return [[written(value) for value in row] for row in values.tolist()]


def usual_high(sizes: np.ndarray) -> float:
    """What all but a few in a thousand of (U,U) sizes stay below; where only those few are of any size, more."""
    values = sizes.ravel()[:: max(sizes.size // 40_000, 1)]
    place = min(int(len(values) * USUAL), len(values) - 1)
    highest = float(sizes.max(initial=0.0))
    return min(max(float(np.partition(values, place)[place]), highest * LEAST_HIGH), highest)
