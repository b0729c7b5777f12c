"""The matrices: one head, the mean of several, rollout and flow through the layers, the gradient of a prediction."""

from functools import partial
from typing import Any, ClassVar

import numpy as np
from PySide6.QtWidgets import QLayout

from ...compute.head_questions import flow_of, gradient_of_layer, rollout_of
from ...compute.question import Job
from ...look import mark, numbers, say
from ...state import Reading, Selection, TokenView, Units, head_name
from ...widgets.card import button
from ...widgets.layouts import fill
from ...widgets.target_choice import TargetChoice
from .attentions import Attentions, Head
from .matrix_view import Attention, AttentionGrid, MatrixView
from .sentences import say_of, unit_of
from .view import PairedView

FLOW_FROM = 'm.attention_flow(a, b, layer=layer, method="{}")["amount"]'


class HeadMatrix(PairedView, MatrixView):
    """One head, as it is or with weights edited by hand."""

    asks = PairedView.asks
    pictures = (
        Attention(
            python="t.attentions[layer, head]",
            beside=Attention(
                key="theirs",
                name=mark("Attention in the baseline: rows look at columns"),
                chart=partial(AttentionGrid, scale=False),
            ),
        ),
    )

    def lay_out(self) -> QLayout:
        hint = say("Drag a square up or down to change its weight")
        self.edit = button(say("Edit weights"), look="small", hint=hint, checkable=True)
        layout = super().lay_out()
        fill(self.tools_line, self.edit)
        self.edit.toggled.connect(self._on_edit_toggled)
        self.grid.weight_dragged.connect(self._on_grid_weight_dragged)
        self.grid.weight_set.connect(lambda *cell_and_weight: self.shared.edit_weight(self.head, *cell_and_weight))
        return layout

    def matrix(self, of: Attentions, selection: Selection) -> np.ndarray:
        return of.weights(selection.layer, selection.head)

    def words(self) -> tuple[str, str, str]:
        self.edit.setVisible(not self.is_difference)
        about = self.attentions.why_no_effect(*self.head) or self.about_comparison()
        return self.attentions.title(*self.head), "", about

    def caption(self, key: str) -> dict[str, Any]:
        return {**super().caption(key), "head": True}

    def sentence(self, key: str, row: int, column: int | None) -> str:
        if not self.is_difference:
            return super().sentence(key, row, column)
        side, (ours, theirs) = self.shown[key].columns, self.both[key]
        assert side is not None and column is not None and theirs is not None
        looks, at = (f"{side.labels[place]} ({side.number(place)})" for place in (row, column))
        now, before = (float(one.array[row, column]) for one in (ours, theirs))
        if np.isnan(before):
            return say("{row} or {column} has no counterpart in the baseline", row=looks, column=at)
        change = numbers.signed(numbers.difference(before, now, 4), 4)
        weights = numbers.decimal(before, 4), numbers.decimal(now, 4)
        text = mark("{row} looks at {column}: {before} → {now} ({change})")
        return say(text, row=looks, column=at, before=weights[0], now=weights[1], change=change)

    def show_hovered(self, text: str) -> None:
        if self.edit.isChecked():
            text = text or say("Drag a square up for more weight, down for less.")
        super().show_hovered(text)

    def _on_edit_toggled(self, on: bool) -> None:
        self.grid.edits = on
        self.show_hovered("")

    def _on_grid_weight_dragged(self, row: int, column: int, weight: float) -> None:
        tokens, values = self.attentions.units.labels, self.grid.values
        text = mark(
            "{row} looks at {column} with weight {before} → {after}; the rest of the row makes up the difference"
        )
        if values is not None:
            before, after = numbers.decimal(float(values[row, column])), numbers.decimal(weight)
            self.show_hovered(say(text, row=tokens[row], column=tokens[column], before=before, after=after))


class MeanMatrix(MatrixView):
    """The mean of the heads that are selected; where that is one, of all heads of its layer."""

    pictures = (
        Attention(saved_as="mean attention", python="np.mean([t.attentions[one] for one in {view.heads}], axis=0)"),
    )
    says_difference = mark("{row} looks at {column}: {change} on average")
    row_hint = mark("where it looks on average")
    row_about = mark("Its row in the large picture; the weights add up to 1.")

    @property
    def heads(self) -> tuple[Head, ...]:
        layer, selected = self.head[0], self.shared.heads
        return selected if len(selected) > 1 else tuple((layer, head) for head in range(self.attentions.heads))

    def matrix(self, of: Attentions, selection: Selection) -> np.ndarray:
        mean: np.ndarray = np.mean([of.weights(*head) for head in self.heads], axis=0)
        return mean

    def words(self) -> tuple[str, str, str]:
        has_off = bool(self.attentions.off.intersection(self.heads))
        hint = say("switched-off heads count too, although they have no effect") if has_off else ""
        title = say("Mean of all heads of layer {layer}", layer=self.head[0] + 1)
        if len(self.shared.heads) > 1:
            title = say("Mean of %n head(s)", n=len(self.heads))
        return title, hint, self.about_comparison()

    @property
    def settings(self) -> str:
        return f"heads {', '.join(head_name(*head) for head in self.heads)}"


class RolloutMatrix(MatrixView):
    """Attention multiplied up through the layers (Abnar and Zuidema 2020)."""

    pictures = (Attention(number="rollout", asks="layers", python=FLOW_FROM.format("rollout")),)
    function: ClassVar[Any] = staticmethod(rollout_of)
    after_one, after_many = mark("Rollout · after layer 1"), mark("Rollout · after layers 1–{last}")
    axes = mark("rows: tokens after these layers · columns: input tokens")
    says = mark("{share} of {row} comes from {column}")
    says_difference = mark("{share} of {row} comes from {column}, compared with the baseline")
    row_hint = mark("where its information came from")
    row_about = mark("Its row in the large picture; the shares add up to 1.")
    about_one_layer = mark(
        "An estimate of where each token’s information came from: half from the token itself, half from what it "
        "looks at, in every layer. This is layer 1 alone; click a head in a higher layer."
    )  # where there is no path through several layers yet

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        is_wanted = reading is self.reading or self.is_difference
        return Job(self.function, (reading, selection.layer)) if is_wanted else None

    def matrix(self, of: Attentions, selection: Selection) -> np.ndarray | None:
        answer = self.answer_of("layers", of.reading)
        return None if answer is None else of.units.attention(answer.astype(np.float32))

    def words(self) -> tuple[str, str, str]:
        layers = self.selection.layer + 1
        about = self.about_comparison() or (say(self.about_one_layer) if layers == 1 else "")
        return say(self.after_one) if layers == 1 else say(self.after_many, last=layers), "", about


class FlowMatrix(RolloutMatrix):
    """The most that can flow from each input token (Abnar and Zuidema 2020)."""

    pictures = (Attention(number="flow", asks="layers", python=FLOW_FROM.format("flow")),)
    function = staticmethod(flow_of)
    after_one, after_many = mark("Flow · after layer 1"), mark("Flow · after layers 1–{last}")
    says = mark("{share} can flow from {column} to {row}")
    says_difference = mark("{share} can flow from {column} to {row}, compared with the baseline")
    row_hint = mark("the most that could reach it")
    row_about = mark("Its row in the large picture; these numbers need not add up to 1.")
    about_one_layer = mark(
        "Think of attention weights as the widths of pipes: how much could flow from token to token? For layer 1 "
        "alone it is the same as Rollout; click a head in a higher layer."
    )


class GradientMatrix(MatrixView):
    """How a prediction changes with each weight, to first order; of the model as it is."""

    pictures = (
        Attention(number="gradient", asks="gradient", is_compared=False, chart=partial(AttentionGrid, signed=True)),
    )

    def lay_out(self) -> QLayout:
        self.choice = TargetChoice(across=True)
        return super().lay_out()

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | str:
        return self.target_job(gradient_of_layer, selection.layer)

    def units(self, of: Attentions) -> Units:
        return of.reading.plain.units(TokenView())

    def matrix(self, of: Attentions, selection: Selection) -> np.ndarray | None:
        by_head = self.answer_of("gradient", self.reading)
        return None if by_head is None else np.asarray(by_head[selection.head])

    def words(self) -> tuple[str, str, str]:
        title = say("Gradient · {head}", head=self.attentions.title(*self.head))
        return title, " · ".join([say(unit_of(self.shared.targets.target).per_weight), *self.plain_notes]), ""

    def read_out(self, row: str, column: str, value: float) -> str:
        target = self.shared.targets.target
        return say_of(unit_of(target).of_weight, target, row=row, column=column, change=numbers.signed(value, 4))

    def caption(self, key: str) -> dict[str, Any]:
        target = self.shared.targets.target
        settings = f"gradient of {target.measure}" if target else ""
        return {**super().caption(key), "settings": settings, "head": True, "plain": True, "by_token": True}
