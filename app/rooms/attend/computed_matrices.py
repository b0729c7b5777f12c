"""Matrices that the worker computes: rollout and flow, of both where something is compared, and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ...compute.head_questions import flow_of, gradient_of_layer, rollout_of
from ...compute.question import Question, ReportOrCancel
from ...figures.figure import Figure
from ...look import numbers
from ...look.say import say
from ...state.readings import Reading
from ...state.token_units import TokenView
from ...widgets.progress_line import ProgressLine
from .attentions import Attentions
from .chosen_heads import TargetBox, TargetFields
from .counterpart import seen_alone, way_to_show
from .matrix_view import MatrixView
from .view import PictureRow

if TYPE_CHECKING:
    pass


class ComputedMatrix(MatrixView):
    """A matrix that the worker computes."""

    def __init__(self) -> None:
        super().__init__()
        self.line = ProgressLine()
        self.body.insertWidget(1, self.line)
        self.question: Question[np.ndarray] = self.add_question(lambda _answer: self.redraw(), self.line)


class RolloutMatrix(ComputedMatrix):
    """Attention multiplied up through the layers (Abnar and Zuidema 2020)."""

    number_kind = "rollout"
    _matrix_of: Callable[[Reading, int, ReportOrCancel], np.ndarray] = staticmethod(rollout_of)

    def __init__(self) -> None:
        super().__init__()
        self.baseline_question: Question[np.ndarray] = self.add_question(lambda _answer: self.redraw(), self.line)
        self._own: np.ndarray | None = None  # (U,U) of our text, though a difference may be drawn

    def draw(self) -> None:
        layer, units = self.selection.layer, self.attentions.units
        shown = way_to_show(self.attentions, self.selection)
        both = self._compared = shown.difference
        about = shown.about or (seen_alone() if shown.beside is not None else "" if layer else self.about_one_layer())
        self.set_title(self._title(layer + 1), about=about)
        self._ask(self.question, self.attentions, layer)
        matrix = self._own = self._answered(self.question, self.attentions)
        if both is None:
            self.baseline_question.clear()
            self.show_matrix(matrix, units)
            return
        self._ask(self.baseline_question, both.baseline, layer)
        theirs = self._answered(self.baseline_question, both.baseline)
        if matrix is None or theirs is None:
            self.show_matrix(None, units)
        else:
            self.show_matrix(np.nan_to_num(matrix - both.placed(theirs)), units, both.labels)

    def _ask(self, question: Question[np.ndarray], of: Attentions, layer: int) -> None:
        question.ask(self._matrix_of, of.reading, layer, pause_ms=self.pause_ms)

    @staticmethod
    def _answered(question: Question[np.ndarray], of: Attentions) -> np.ndarray | None:
        """(U,U)"""
        return None if question.answer is None else of.units.attention(question.answer.astype(np.float32))

    def picture_row(self, unit: int) -> PictureRow:
        return PictureRow(None if self._own is None else self._own[unit], self.number_kind, *self._about_row())

    def _about_row(self) -> tuple[str, str]:
        """What stands behind the token in the card beside the picture, and its sentence."""
        about = say("Its row in the large picture; the shares add up to 1.")
        return say("where its information came from"), about

    @property
    def axes(self) -> str:
        return say("rows: tokens after these layers · columns: input tokens")

    def read_out(self, row: str, column: str, value: float) -> str:
        text = say("{share} of {row} comes from {column}")
        if self._compared is not None:
            text = say("{share} of {row} comes from {column}, compared with the baseline")
        return text.format(row=row, column=column, share=self._written(value))

    def _written(self, value: float) -> str:
        return numbers.decimal(value, 4) if self._compared is None else numbers.signed(value, 4)

    def make_figure(self) -> Figure | None:
        minus = "" if self._compared is None else f"now minus {self._compared.name}"
        name = self.number_kind if self._compared is None else f"{self.number_kind} now minus before"
        return self.matrix_figure(name, head=False, settings=minus)

    def about_one_layer(self) -> str:
        """What is to be seen where there is no path through several layers yet."""
        return say(
            "An estimate of where each token’s information came from. It assumes that a layer keeps half of a token. "
            "This is layer 1 alone; click a head in a higher layer."
        )

    def _title(self, layers: int) -> str:
        return say("Rollout · after layer 1") if layers == 1 else say("Rollout · after layers 1–{last}", last=layers)


class FlowMatrix(RolloutMatrix):
    """The most that can flow from each input token (Abnar and Zuidema 2020)."""

    number_kind = "flow"
    _matrix_of = staticmethod(flow_of)

    def read_out(self, row: str, column: str, value: float) -> str:
        text = say("{share} can flow from {column} to {row}")
        if self._compared is not None:
            text = say("{share} can flow from {column} to {row}, compared with the baseline")
        return text.format(row=row, column=column, share=self._written(value))

    def _about_row(self) -> tuple[str, str]:
        about = say("Its row in the large picture; each number stands alone, and they need not add up to 1.")
        return say("the most that could reach it"), about

    def about_one_layer(self) -> str:
        return say(
            "Think of attention weights as the widths of pipes: how much could flow from token to token? For layer 1 "
            "alone it is the same as Rollout; click a head in a higher layer."
        )

    def _title(self, layers: int) -> str:
        return say("Flow · after layer 1") if layers == 1 else say("Flow · after layers 1–{last}", last=layers)


class GradientMatrix(ComputedMatrix):
    """How a prediction changes with each weight, to first order; of the model as it is."""

    signed, number_kind = True, "gradient"

    def __init__(self) -> None:
        super().__init__()
        self._box, self._fields = self.target_box, self.target_fields = TargetBox(), TargetFields()
        self.controls.insertWidget(0, self._box)
        self.controls.insertWidget(1, self._fields)

    def draw(self) -> None:
        attentions, (layer, head), target = self.attentions, self.head, self.chosen.target
        self.set_title(
            say("Gradient · {head}", head=attentions.title(layer, head)),
            " · ".join([self._hint(), *attentions.plain_notes]),
        )
        self._box.setVisible(target is not None)
        units = attentions.plain.units(TokenView())
        if target is None:
            self.question.clear(self.chosen.problem)
            self.show_matrix(None, units)
            return
        model, text = attentions.plain.request.model, attentions.plain.request.model_input
        self.question.ask_model(model, gradient_of_layer, text, target, layer, pause_ms=self.pause_ms)
        matrix = self.question.answer
        self.show_matrix(None if matrix is None else matrix[head], units)

    def read_out(self, row: str, column: str, value: float) -> str:
        text = say("{row} to {column}: ln p changes by {change} per unit of this weight")
        if not numbers.is_technical():
            text = say("{row} to {column}: {change} (+0.01: a weight 1 higher makes the answer 1% more likely)")
        if self.chosen.target is not None and self.chosen.target.is_contrast:
            text = say("{row} to {column}: {change} (+0.01: a weight 1 higher raises the odds by 1%)")
            if numbers.is_technical():
                text = say("{row} to {column}: the log odds change by {change} per unit of this weight")
        if self.chosen.target is not None and self.chosen.target.is_score:
            text = say("{row} to {column}: the score changes by {change} per unit of this weight")
        return text.format(row=row, column=column, change=numbers.signed(value, 4))

    def make_figure(self) -> Figure | None:
        target = self.chosen.target
        settings = f"gradient of {target.measure}" if target else ""
        return self.matrix_figure("gradient", head=True, settings=settings, plain=True, by_token=True)

    def _hint(self) -> str:
        if self.chosen.target is not None and self.chosen.target.is_score:
            return say("change of the score per unit of a weight")
        if not numbers.is_technical():
            return say("effect of more attention")
        if self.chosen.target is not None and self.chosen.target.is_contrast:
            return say("change of the log odds per unit of a weight, in nats")
        return say("change of ln p per unit of a weight, in nats")
