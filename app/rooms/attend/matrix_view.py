"""What the pictures of who looks at whom have in common: a matrix to zoom into, read out below, and its difference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Signal
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from ...figures.figure import Axis, Figure, Numbers, joined
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import mark, say
from ...state.token_units import Units
from ...widgets.card import Hint, button
from ...widgets.charts.cells import LabelledGrid, Labels
from ...widgets.charts.raster import Raster
from ...widgets.layouts import fill, hbox
from .attentions import Attentions
from .view import AttendView, PictureRow

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


class MatrixView(AttendView):
    """Of our units, or what differs from the baseline. Subclasses override `matrix`, and the texts."""

    signed = False
    number_kind = "attention"
    axes = mark("rows look at columns")  # in a figure
    says = mark("{row} looks at {column} with weight {weight}")  # of a square
    says_difference = ""
    row_hint = row_about = ""  # of a row in the card beside; empty: the card shows that of the head itself
    figure_name = ""  # of its numbers, where that is not their kind
    is_of_head = False  # for the caption

    def __init__(self) -> None:
        super().__init__()
        self.grid = AttentionGrid(say("Attention: rows look at columns"), signed=self.signed)
        self.whole = button(
            say("Show all"), self.grid.show_whole, look="small", hint=say("Zoom out to the whole matrix (0)")
        )
        explain(self.number_kind, self.grid)
        self.own: np.ndarray | None = None  # (U,U) of our text, though a difference may be drawn
        self.units: Units | None = None  # of the rows and columns
        self.readout = Hint()  # one line: the picture comes first
        self.controls.addStretch(1)
        self.below = hbox((self.readout, 1), self.whole, gap_px=8)
        fill(self.body, self.controls, (self.picture(), 1), self.below)
        self.whole.hide()
        self._show_invitation()
        self.grid.zoomed.connect(self._on_grid_zoomed)
        self.grid.hovered.connect(self._on_grid_hovered)
        self.grid.clicked.connect(self._on_grid_clicked)
        self.add_token_menu(self.grid, self._position_of_row)

    def picture(self) -> QWidget:
        """The grid, and what stands beside it."""
        return self.grid

    def matrix(self, of: Attentions) -> np.ndarray | None:
        """(U,U) of a reading, ours or the baseline's; None while it is computed."""
        raise NotImplementedError

    def draw(self) -> None:
        attentions, baseline = self.attentions, self.attentions.baseline
        self.own = own = self.matrix(attentions)
        if not self.is_difference or baseline is None:
            self.show_matrix(own, attentions.units)
            return
        theirs = self.matrix(baseline)
        difference = None if own is None or theirs is None else attentions.difference(own, theirs)
        self.show_matrix(difference, attentions.units, attentions.labels_of_difference)

    def show_matrix(
        self,
        values: np.ndarray | None,
        units: Units,
        difference_labels: Sequence[str] | None = None,
        least_high: float = 0.0,
    ) -> None:
        """values (U,U); None while they are computed. difference_labels: in place of the units', of a difference.
        least_high: to which the colours reach in any case."""
        self.units = units
        self.grid.setAccessibleName(say("{title}: rows look at columns", title=self.title))
        if values is None:
            self.grid.clear()
        else:
            labels, is_difference = (
                Labels(difference_labels or units.labels, units.kinds),
                difference_labels is not None,
            )
            self.grid.set_matrix(values, labels, is_difference=is_difference, least_high=least_high)
        self._on_grid_zoomed()
        self.draw_position()

    def draw_position(self) -> None:
        if self.units is not None:
            self.grid.set_selected(self.units.unit_of(self.selection.position))

    def picture_row(self, unit: int) -> PictureRow | None:
        if not self.row_hint:
            return None
        values = None if self.own is None else self.own[unit]
        return PictureRow(values, self.number_kind, say(self.row_hint), say(self.row_about))

    def read_out(self, row: str, column: str, value: float) -> str:
        """What is said of a square. row, column: tokens with their positions."""
        is_difference = self.is_difference
        text = self.says_difference if is_difference else self.says
        written = numbers.signed(value, 4) if is_difference else numbers.decimal(value, 4)
        return say(text, row=row, column=column, weight=written, share=written, change=written)

    def make_figure(self) -> Figure | None:
        name, settings = self.figure_name or self.number_kind, [self.settings] if self.settings else []
        if self.is_difference:
            name = f"{name} now minus before"
            settings.append(f"now minus {self.attentions.baseline_name}")
        return self.matrix_figure(name, ", ".join(settings))

    @property
    def settings(self) -> str:
        """Of the view, for the caption."""
        return ""

    def matrix_figure(self, name: str, settings: str, **of: bool) -> Figure | None:
        """name: of the numbers."""
        if self.grid.values is None or self.units is None:
            return None
        axes = Axis("looks", self.units.labels), Axis("is looked at", self.units.labels)
        hint, values = joined(say(self.axes), self.hint, self.about), {name: Numbers(self.grid.values, axes)}
        return self.figure(self.title, [self.grid], values, hint=hint, head=self.is_of_head, settings=settings, **of)

    def _show_invitation(self) -> None:
        self.readout.setText(
            say("Hover over a square for its value; click it to pin its row. Zoom with the wheel, drag to move.")
        )

    def _on_grid_zoomed(self) -> None:
        zoom = self.grid.zoom
        self.whole.setVisible(zoom is not None and not zoom.is_whole)

    def _on_grid_hovered(self, cell: tuple[int, int] | None) -> None:
        values, units = self.grid.values, self.units
        if cell is None or values is None or units is None:
            self._show_invitation()
            self.position_hovered.emit(None)
            return
        row, column = (f"{units.labels[unit]} ({units.first_positions[unit]})" for unit in cell)
        self.readout.setText(self.read_out(row, column, float(values[cell])))
        self.position_hovered.emit(units.first_positions[cell[0]])

    def _on_grid_clicked(self, cell: tuple[int, int], modifiers: object) -> None:
        if self.units is not None:
            first = self.units.first_positions
            self.grid.column = cell[1]
            self.cell_clicked.emit(first[cell[0]], first[cell[1]])

    def _position_of_row(self, cell: tuple[int, int]) -> int | None:
        has_row = self.units is not None and cell[0] < len(self.units)
        return self.units.first_positions[cell[0]] if self.units is not None and has_row else None


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
