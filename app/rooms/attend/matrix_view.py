"""The matrix of who looks at whom: one head, the mean of several, rollout, flow, or the gradient of a prediction."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QWidget

from ...figures.figure import Axis, Figure, Numbers, joined
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import say
from ...state.baseline_names import own_name
from ...state.token_units import Units
from ...widgets.card import GAP_PX, Hint, button
from ...widgets.charts.cells import LabelledGrid, Labels
from ...widgets.charts.raster import Raster
from ...widgets.layouts import fill, hbox, vbox
from .attentions import Head
from .chosen_heads import named_heads
from .compared_attentions import ComparedAttentions
from .counterpart import Counterpart, seen_alone, way_to_show
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
    """A picture to zoom into and to move, with what is under the mouse read out below it."""

    signed = False
    number_kind = "attention"  # the kind of its numbers

    def __init__(self) -> None:
        super().__init__()
        self.grid = AttentionGrid(say("Attention: rows look at columns"), signed=self.signed)
        self.whole = button(
            say("Show all"), self.grid.show_whole, look="small", hint=say("Zoom out to the whole matrix (0)")
        )
        explain(self.number_kind, self.grid)
        self._least_high = 0.0  # to which the colours reach at least
        self.units: Units | None = None  # of the rows and columns
        self.readout = Hint()  # one line: the picture comes first
        self.controls.addStretch(1)
        self.below = hbox((self.readout, 1), self.whole, gap_px=8)
        fill(self.body, self.controls, (self.grid, 1), self.below)
        self.whole.hide()
        self._show_invitation()
        self.grid.zoomed.connect(self._on_grid_zoomed)
        self.grid.hovered.connect(self._on_grid_hovered)
        self.grid.clicked.connect(self._on_grid_clicked)
        self.add_token_menu(self.grid, self._position_of_row)

    def show_matrix(
        self, values: np.ndarray | None, units: Units, difference_labels: Sequence[str] | None = None
    ) -> None:
        """values (U,U); None while they are computed. difference_labels: in place of the units', of a difference."""
        self.units = units
        self.grid.setAccessibleName(say("{title}: rows look at columns", title=self.title))
        if values is None:
            self.grid.clear()
        else:
            labels = Labels(difference_labels or units.labels, units.kinds)
            self.grid.set_matrix(
                values, labels, is_difference=difference_labels is not None, least_high=self._least_high
            )
        self._on_grid_zoomed()
        self.draw_position()

    def draw_position(self) -> None:
        if self.units is not None:
            self.grid.set_selected(self.units.unit_of(self.selection.position))

    @property
    def axes(self) -> str:
        """What rows and columns are, in a figure."""
        return say("rows look at columns")

    def read_out(self, row: str, column: str, value: float) -> str:
        """What is said of a square. row, column: tokens with their positions."""
        return say(
            "{row} looks at {column} with weight {weight}", row=row, column=column, weight=numbers.decimal(value, 4)
        )

    def matrix_figure(self, name: str, *, head: bool, settings: str = "", **of: bool) -> Figure | None:
        """name: of the numbers."""
        if self.grid.values is None or self.units is None:
            return None
        axes = Axis("looks", self.units.labels), Axis("is looked at", self.units.labels)
        values = {name: Numbers(self.grid.values, axes)}
        hint = joined(self.axes, self.hint, self.about)
        return self.figure(self.title, [self.grid], values, hint=hint, head=head, settings=settings, **of)

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
        first, labels = units.first_positions, units.labels
        row, column = (f"{labels[unit]} ({first[unit]})" for unit in cell)
        self.readout.setText(self.read_out(row, column, float(values[cell])))
        self.position_hovered.emit(first[cell[0]])

    def _on_grid_clicked(self, cell: tuple[int, int], modifiers: object) -> None:
        if self.units is not None:
            first = self.units.first_positions
            self.grid.column = cell[1]
            self.cell_clicked.emit(first[cell[0]], first[cell[1]])

    def _position_of_row(self, cell: tuple[int, int]) -> int | None:
        if self.units is None or cell[0] >= len(self.units):
            return None
        return self.units.first_positions[cell[0]]


class HeadMatrix(MatrixView):
    """One head, as it is or with weights edited by hand."""

    def __init__(self) -> None:
        super().__init__()
        hint = say("Drag a square up or down to change its weight")
        self.edit = button(say("Edit weights"), look="small", hint=hint, checkable=True)
        self.below.addWidget(self.edit)
        self.other = AttentionGrid(say("Attention in the baseline: rows look at columns"), scale=False)
        explain(self.number_kind, self.other)
        self._counterpart = Counterpart(self)
        self._place_of: Sequence[int | None] = ()  # of our units in the baseline, and the reverse
        self._unit_of: Sequence[int | None] = ()
        self.beside, self._beside_title, self._now = QWidget(), Hint(), Hint()
        vbox(self._beside_title, (self.other, 1), parent=self.beside, gap_px=4)
        place = self.body.indexOf(self.grid)
        self.body.removeWidget(self.grid)
        line = hbox((self.beside, 1), (vbox(self._now, (self.grid, 1), gap_px=4), 1), gap_px=GAP_PX)
        self.body.insertLayout(place, line, 1)
        self.other.hovered.connect(self._on_other_hovered)
        self.edit.toggled.connect(self._on_edit_toggled)
        self.grid.weight_dragged.connect(self._on_grid_weight_dragged)
        self.grid.weight_set.connect(self.weight_set)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Both pictures are of one size; beside the one on the right stands the colour scale of both."""
        super().resizeEvent(event)
        half = (event.size().width() - theme.px(GAP_PX) - self.grid.right_px + self.other.right_px) // 2
        self.beside.setMaximumWidth(max(half, self.beside.minimumSizeHint().width()))

    def draw(self) -> None:
        shown = way_to_show(self.attentions, self.selection)
        self._compared = shown.difference
        self._least_high = 0.0
        for widget in (self.beside, self._now):
            widget.setVisible(shown.beside is not None)
        self.edit.setVisible(self._compared is None)
        self.set_title(
            self.attentions.title(*self.head), about=self.attentions.why_no_effect(*self.head) or shown.about
        )
        if shown.beside is not None:
            self._show_beside(shown.beside)
        if self._compared is None:
            self.show_matrix(self.attentions.weights(*self.head), self.attentions.units)
        else:
            self.show_matrix(self._compared.difference(*self.head), self.attentions.units, self._compared.labels)

    def _show_beside(self, both: ComparedAttentions) -> None:
        spot = self._counterpart.head(both, self.head)
        self._beside_title.setText(self._counterpart.title(both, spot))
        self._now.setText(own_name(both.ours.reading))
        if spot is None:
            self.other.clear()
            return
        units = both.baseline.units
        mine, theirs = self.attentions.weights(*self.head), both.baseline.weights(*spot)
        self._least_high = float(max(mine.max(), theirs.max()))  # one scale for both
        self.other.set_matrix(theirs, Labels(units.labels, units.kinds), least_high=self._least_high)
        self._place_of, self._unit_of = both.alignment.other_positions, both.alignment.inverse().other_positions

    def draw_position(self) -> None:
        super().draw_position()
        if self.units is not None and self.beside.isVisible():
            unit = self.units.unit_of(self.selection.position)
            self.other.set_selected(None if unit is None or unit >= len(self._place_of) else self._place_of[unit])

    def read_out(self, row: str, column: str, value: float) -> str:
        if self._compared is None:
            return super().read_out(row, column, value)
        if self.grid.hovered_cell is None or np.isnan(self._compared.before(*self.head)[self.grid.hovered_cell]):
            return say("{row} or {column} has no counterpart in the baseline", row=row, column=column)
        now = float(self.attentions.weights(*self.head)[self.grid.hovered_cell])
        change = numbers.difference(now - value, now, 4)
        return say(
            "{row} looks at {column}: {before} → {now} ({change})",
            row=row,
            column=column,
            before=numbers.decimal(now - value, 4),
            now=numbers.decimal(now, 4),
            change=numbers.signed(change, 4),
        )

    def make_figure(self) -> Figure | None:
        if self._compared is None:
            return self.matrix_figure("attention", head=True)
        settings = f"now minus {self._compared.name}"
        return self.matrix_figure("attention now minus before", head=True, settings=settings)

    def _on_other_hovered(self, cell: tuple[int, int] | None) -> None:
        """The baseline’s square, read out, and the token of ours that goes with its row."""
        values, rows = self.other.values, self.other.rows.texts
        if cell is None or values is None:
            self._show_invitation()
            self.position_hovered.emit(None)
            return
        self.readout.setText(super().read_out(rows[cell[0]], rows[cell[1]], float(values[cell])))
        self.hover_unit(self._unit_of[cell[0]] if cell[0] < len(self._unit_of) else None)

    def _show_invitation(self) -> None:
        if self.grid.edits:
            self.readout.setText(say("Drag a square up for more weight, down for less."))
        else:
            super()._show_invitation()

    def _on_edit_toggled(self, on: bool) -> None:
        self.grid.edits = on
        self._show_invitation()

    def _on_grid_weight_dragged(self, row: int, column: int, weight: float) -> None:
        values, units = self.grid.values, self.units
        if values is not None and units is not None:
            text = say(
                "{row} looks at {column} with weight {before} → {after}; the rest of the row makes up the difference"
            )
            before, after = numbers.decimal(float(values[row, column])), numbers.decimal(weight)
            named = {"row": units.labels[row], "column": units.labels[column]}
            self.readout.setText(text.format(before=before, after=after, **named))


class MeanMatrix(MatrixView):
    """The mean of the heads that are chosen; where that is one, of all heads of its layer."""

    _mean: np.ndarray | None = None  # (U,U) of our text, though a difference may be drawn

    @property
    def heads(self) -> tuple[Head, ...]:
        layer, chosen = self.head[0], self.chosen.heads
        return chosen if len(chosen) > 1 else tuple((layer, head) for head in range(self.attentions.heads))

    def draw(self) -> None:
        heads = self.heads
        has_off = bool(self.attentions.off.intersection(heads))
        hint = say("switched-off heads count too, although they have no effect") if has_off else ""
        of_layer = say("Mean of all heads of layer {layer}", layer=self.head[0] + 1)
        is_chosen = len(self.chosen.heads) > 1
        title = say("Mean of %n head(s)", n=len(heads)) if is_chosen else of_layer
        shown = way_to_show(self.attentions, self.selection)
        self._compared, about = shown.difference, shown.about
        if shown.beside is not None:
            about = about or seen_alone()
        self._mean = self.attentions.mean(heads)
        self.set_title(title, hint, about)
        if self._compared is None:
            self.show_matrix(self._mean, self.attentions.units)
        else:
            difference = np.mean([self._compared.difference(*head) for head in heads], axis=0)
            self.show_matrix(difference, self.attentions.units, self._compared.labels)

    def picture_row(self, unit: int) -> PictureRow:
        about = say("Its row in the large picture; the weights add up to 1.")
        values = None if self._mean is None else self._mean[unit]
        return PictureRow(values, self.number_kind, say("where it looks on average"), about)

    def read_out(self, row: str, column: str, value: float) -> str:
        if self._compared is None:
            return super().read_out(row, column, value)
        return say(
            "{row} looks at {column}: {change} on average", row=row, column=column, change=numbers.signed(value, 4)
        )

    def make_figure(self) -> Figure | None:
        settings = f"heads {named_heads(self.heads)}"
        if self._compared is not None:
            settings = f"{settings}, now minus {self._compared.name}"
        name = "mean attention" if self._compared is None else "mean attention now minus before"
        return self.matrix_figure(name, head=False, settings=settings)


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
