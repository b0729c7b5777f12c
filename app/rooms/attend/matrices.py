"""The matrices: one head, the mean of several, rollout and flow through the layers, the gradient of a prediction."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from ...compute.head_questions import flow_of, gradient_of_layer, rollout_of
from ...compute.question import Question, ReportOrCancel
from ...figures.figure import Figure
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import mark, say
from ...state.readings import Reading
from ...state.token_units import TokenView
from ...widgets.card import GAP_PX, button
from ...widgets.charts.cells import Labels
from .attentions import Attentions, Head, head_name
from .matrix_view import AttentionGrid, MatrixView
from .sentences import say_of, unit_of
from .view import AskingView, PairedHeadsView, SideBySide, TargetView


class HeadMatrix(PairedHeadsView, MatrixView):
    """One head, as it is or with weights edited by hand."""

    is_of_head = True

    def __init__(self) -> None:
        super().__init__()
        hint = say("Drag a square up or down to change its weight")
        self.edit = button(say("Edit weights"), look="small", hint=hint, checkable=True)
        self.below.addWidget(self.edit)
        self._place_of: Sequence[int | None] = ()  # of our units in the baseline, and the reverse
        self._unit_of: Sequence[int | None] = ()
        self.other.hovered.connect(self._on_other_hovered)
        self.edit.toggled.connect(self._on_edit_toggled)
        self.grid.weight_dragged.connect(self._on_grid_weight_dragged)
        self.grid.weight_set.connect(self.weight_set)

    def picture(self) -> QWidget:
        self.other = AttentionGrid(say("Attention in the baseline: rows look at columns"), scale=False)
        explain(self.number_kind, self.other)
        self.pictures = SideBySide(self.other, self.grid)
        return self.pictures

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Both pictures are of one size; beside the one on the right stands the colour scale of both."""
        super().resizeEvent(event)
        half = (event.size().width() - theme.px(GAP_PX) - self.grid.right_px + self.other.right_px) // 2
        left = self.pictures.left
        left.setMaximumWidth(max(half, left.minimumSizeHint().width()))

    def matrix(self, of: Attentions) -> np.ndarray:
        return of.weights(*self.head)

    def draw(self) -> None:
        attentions, head = self.attentions, self.head
        about = attentions.why_no_effect(*head) or self.about_comparison(can_show_both=True)
        self.set_title(attentions.title(*head), about=about)
        self.edit.setVisible(not self.is_difference)
        self.pictures.show_both(self.has_baseline_beside)
        if not self.has_baseline_beside or attentions.baseline is None:
            super().draw()
            return
        theirs = self.baseline_head(head)
        self.pictures.show_names(self.baseline_title(theirs), attentions.reading)
        self.own, least_high = self.matrix(attentions), 0.0
        if theirs is None:
            self.other.clear()
        else:
            units, values = attentions.baseline.units, attentions.baseline.weights(*theirs)
            least_high = float(max(self.own.max(), values.max()))  # one scale for both
            self.other.set_matrix(values, Labels(units.labels, units.kinds), least_high=least_high)
            alignment = attentions.alignment
            self._place_of, self._unit_of = alignment.other_positions, alignment.inverse().other_positions
        self.show_matrix(self.own, attentions.units, least_high=least_high)

    def draw_position(self) -> None:
        super().draw_position()
        if self.units is not None and self.other.isVisible():
            unit = self.units.unit_of(self.selection.position)
            self.other.set_selected(None if unit is None or unit >= len(self._place_of) else self._place_of[unit])

    def read_out(self, row: str, column: str, value: float) -> str:
        if not self.is_difference:
            return super().read_out(row, column, value)
        cell, own = self.grid.hovered_cell, self.own
        if cell is None or own is None or np.isnan(self.attentions.baseline_weights(*self.head)[cell]):
            return say("{row} or {column} has no counterpart in the baseline", row=row, column=column)
        before, now = (numbers.decimal(weight, 4) for weight in (float(own[cell]) - value, float(own[cell])))
        change = numbers.signed(numbers.difference(float(own[cell]) - value, float(own[cell]), 4), 4)
        text = mark("{row} looks at {column}: {before} → {now} ({change})")
        return say(text, row=row, column=column, before=before, now=now, change=change)

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
            text = mark(
                "{row} looks at {column} with weight {before} → {after}; the rest of the row makes up the difference"
            )
            before, after = numbers.decimal(float(values[row, column])), numbers.decimal(weight)
            tokens = units.labels
            self.readout.setText(say(text, row=tokens[row], column=tokens[column], before=before, after=after))


class MeanMatrix(MatrixView):
    """The mean of the heads that are selected; where that is one, of all heads of its layer."""

    figure_name = "mean attention"
    says_difference = mark("{row} looks at {column}: {change} on average")
    row_hint = mark("where it looks on average")
    row_about = mark("Its row in the large picture; the weights add up to 1.")

    @property
    def heads(self) -> tuple[Head, ...]:
        layer, selected = self.head[0], self.shared.heads
        return selected if len(selected) > 1 else tuple((layer, head) for head in range(self.attentions.heads))

    def matrix(self, of: Attentions) -> np.ndarray:
        return of.mean(self.heads)

    def draw(self) -> None:
        heads, has_off = self.heads, bool(self.attentions.off.intersection(self.heads))
        hint = say("switched-off heads count too, although they have no effect") if has_off else ""
        title = say("Mean of all heads of layer {layer}", layer=self.head[0] + 1)
        if len(self.shared.heads) > 1:
            title = say("Mean of %n head(s)", n=len(heads))
        self.set_title(title, hint, self.about_comparison(can_show_both=False))
        super().draw()

    @property
    def settings(self) -> str:
        return f"heads {', '.join(head_name(*head) for head in self.heads)}"


class RolloutMatrix(AskingView, MatrixView):
    """Attention multiplied up through the layers (Abnar and Zuidema 2020)."""

    number_kind = "rollout"
    function: Callable[[Reading, int, ReportOrCancel], np.ndarray] = staticmethod(rollout_of)
    after_one, after_many = mark("Rollout · after layer 1"), mark("Rollout · after layers 1–{last}")
    axes = mark("rows: tokens after these layers · columns: input tokens")
    says = mark("{share} of {row} comes from {column}")
    says_difference = mark("{share} of {row} comes from {column}, compared with the baseline")
    row_hint = mark("where its information came from")
    row_about = mark("Its row in the large picture; the shares add up to 1.")
    about_one_layer = mark(
        "An estimate of where each token’s information came from. It assumes that a layer keeps half of a token. "
        "This is layer 1 alone; click a head in a higher layer."
    )  # where there is no path through several layers yet

    def __init__(self) -> None:
        super().__init__()
        self.body.insertWidget(1, self.line)
        self._of_baseline: Question[np.ndarray] = self.add_question(lambda _answer: self.redraw(), self.line)

    def matrix(self, of: Attentions) -> np.ndarray | None:
        question = self.question if of is self.attentions else self._of_baseline
        question.ask(self.function, of.reading, self.selection.layer, pause_ms=self.pause_ms)
        return None if question.answer is None else of.units.attention(question.answer.astype(np.float32))

    def draw(self) -> None:
        layers = self.selection.layer + 1
        about = self.about_comparison(can_show_both=False) or (say(self.about_one_layer) if layers == 1 else "")
        title = say(self.after_one) if layers == 1 else say(self.after_many, last=layers)
        self.set_title(title, about=about)
        if not self.is_difference:
            self._of_baseline.clear()
        super().draw()


class FlowMatrix(RolloutMatrix):
    """The most that can flow from each input token (Abnar and Zuidema 2020)."""

    number_kind = "flow"
    function = staticmethod(flow_of)
    after_one, after_many = mark("Flow · after layer 1"), mark("Flow · after layers 1–{last}")
    says = mark("{share} can flow from {column} to {row}")
    says_difference = mark("{share} can flow from {column} to {row}, compared with the baseline")
    row_hint = mark("the most that could reach it")
    row_about = mark("Its row in the large picture; each number stands alone, and they need not add up to 1.")
    about_one_layer = mark(
        "Think of attention weights as the widths of pipes: how much could flow from token to token? For layer 1 "
        "alone it is the same as Rollout; click a head in a higher layer."
    )


class GradientMatrix(TargetView, MatrixView):
    """How a prediction changes with each weight, to first order; of the model as it is."""

    signed, number_kind, is_of_head = True, "gradient", True

    def __init__(self) -> None:
        super().__init__()
        self.body.insertWidget(1, self.line)
        self.controls.insertWidget(0, self.target_box)
        self.controls.insertWidget(1, self.target_fields)

    def draw(self) -> None:
        layer, head = self.head
        title = say("Gradient · {head}", head=self.attentions.title(layer, head))
        self.set_title(title, " · ".join([say(unit_of(self.shared.target).per_weight), *self.plain_notes]))
        by_head = self.ask_about_target(gradient_of_layer, layer)
        matrix = None if by_head is None else by_head[head]
        self.show_matrix(matrix, self.attentions.plain.units(TokenView()))

    def read_out(self, row: str, column: str, value: float) -> str:
        target = self.shared.target
        return say_of(unit_of(target).of_weight, target, row=row, column=column, change=numbers.signed(value, 4))

    def make_figure(self) -> Figure | None:
        target = self.shared.target
        settings = f"gradient of {target.measure}" if target else ""
        return self.matrix_figure("gradient", settings, plain=True, by_token=True)
