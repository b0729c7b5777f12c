"""The page Matrix: one head, the mean of several, rollout, flow, or the gradient of a prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Signal

from app.compute.head_questions import flow_matrix, gradient_of_layer
from app.figures.figure import Axis, Numbers
from app.rooms.attend.head_view import HeadView
from app.rooms.attend.page import Drawn, Page
from app.rooms.attend.shown import Choice, Shown
from app.rooms.attend.targets import Targets
from app.state.token_units import TokenView, Units
from app.widgets.card import button
from app.widgets.controls import Choice as DropDown
from app.widgets.question import Question, WorkLine

if TYPE_CHECKING:
    from app.state.readings import Step
    from bertcore.checkpoint.checkpoint import Checkpoint

HEAD, MEAN, ROLLOUT, FLOW, GRADIENT = PICTURES = ("This head", "Mean of chosen heads", "Rollout", "Flow", "Gradient")
HINTS = {
    HEAD: "rows look at columns",
    MEAN: "rows look at columns",
    ROLLOUT: "rows: a token after these layers · columns: the tokens of the input it is made of",
    FLOW: "rows: a token after these layers · columns: how much of an input token can reach it",
    GRADIENT: "rows look at columns · how ln p rises with more of each weight, to first order",
}
INVITATION = "Point at a square for its value, click it to keep its row; the wheel zooms, dragging moves."


class MatrixPage(Page):
    """A picture to zoom into and to move; while `edit` is on, dragging a square changes its weight."""

    weight_set = Signal(int, int, float)  # row, column: units; the weight it shall have

    def __init__(self, targets: Targets) -> None:
        self.line = WorkLine("the picture")
        self._question = Question("attend.picture", self.line)
        super().__init__([self._question])
        self._targets = targets
        self.view = HeadView()
        self.picture = DropDown("What the large picture shows")
        self.picture.addItems(PICTURES)
        self._box = targets.box()
        self.edit = button("Edit weights", hint="Drag a square up or down to give it another weight", checkable=True)
        self.whole = button("Show all", self.view.show_whole, hint="Zoom out to the whole matrix (0)")
        for widget in (self.edit, self.whole):
            widget.setProperty("look", "small")
        self._lay_out()
        self._units: Units | None = None
        self._connect()

    def title(self, shown: Shown, choice: Choice) -> str:
        through = f"layers 1–{choice.layer + 1}" if choice.layer else "layer 1"
        return {
            HEAD: shown.name_of(choice),
            MEAN: f"Mean of {len(choice.heads)} heads" if len(choice.heads) > 1 else shown.name_of(choice),
            ROLLOUT: f"Rollout · {through}",
            FLOW: f"Flow · {through}",
            GRADIENT: f"Gradient · {choice.name}",
        }[self.picture.currentText()]

    def draw_all(self, shown: Shown, choice: Choice) -> None:
        picture = self.picture.currentText()
        title = self.title(shown, choice)
        self.titled.emit(title, HINTS[picture] + _notes(picture, shown, choice))
        self.view.setAccessibleName(f"{title}: rows look at columns")
        self._box.setVisible(picture == GRADIENT and bool(self._targets.all))
        self.edit.setVisible(picture == HEAD)
        self.view.edits = picture == HEAD and self.edit.isChecked()
        values = self._values(picture, shown, choice)
        self._units = shown.plain.units(TokenView()) if picture == GRADIENT else shown.units
        if values is None:
            self.view.clear()
        else:
            self.view.set_head(values, self._units.labels, self._units.kinds, signed=picture == GRADIENT)
        self._show_zoom()
        self.view.set_row(self._units.unit_of(choice.position))

    def draw_row(self, shown: Shown, choice: Choice) -> None:
        self.choice = choice
        if self._units is not None:
            self.view.set_row(self._units.unit_of(choice.position))

    def drawn(self) -> Drawn | None:
        if self.view.values is None or self.choice is None:
            return None
        axes = Axis("looks", self.view.tokens), Axis("is looked at", self.view.tokens)
        picture = self.picture.currentText()
        chosen = ", ".join(f"{layer + 1}·{head + 1}" for layer, head in self.choice.heads)
        target = f"gradient of ln p of {self._targets.chosen.label}" if self._targets.chosen else ""
        settings = {MEAN: f"heads {chosen}", GRADIENT: target}.get(picture, "")
        name = {HEAD: "attention", MEAN: "mean attention"}.get(picture, picture.lower())
        return Drawn(
            [self.view],
            {name: Numbers(self.view.values, axes)},
            settings,
            head=picture in (HEAD, GRADIENT),
            plain=picture == GRADIENT,
            by_token=picture == GRADIENT,
        )

    def _lay_out(self) -> None:
        self.controls.addWidget(self.picture)
        self.controls.addWidget(self._box)
        self.controls.addStretch(1)
        self.controls.addWidget(self.whole)
        self.controls.addWidget(self.edit)
        self.body.addWidget(self.line)
        self.body.addWidget(self.view, 1)
        self.body.addWidget(self.readout)
        self.readout.setText(INVITATION)

    def _connect(self) -> None:
        self.picture.currentIndexChanged.connect(lambda _index: self.redraw())
        self.edit.toggled.connect(self._on_edit_toggled)
        self.view.hovered.connect(self._on_view_hovered)
        self.view.picked.connect(self._on_view_picked)
        self.view.zoomed.connect(self._show_zoom)
        self.view.weight_dragged.connect(self._on_view_weight_dragged)
        self.view.weight_set.connect(self.weight_set)
        self._question.answered.connect(lambda _answer: self.redraw())
        self._targets.changed.connect(self._on_targets_changed)

    def _values(self, picture: str, shown: Shown, choice: Choice) -> np.ndarray | None:
        """What is to be drawn (U,U); None while it is worked out."""
        if picture in (HEAD, MEAN):
            self._question.forget()
            return shown.head(choice.layer, choice.head) if picture == HEAD else shown.mean(choice.heads)
        if picture == GRADIENT:
            return self._gradient(shown, choice)
        trace, layer, what_if = shown.reading.trace, choice.layer, shown.reading.request.what_if

        def work(checkpoint: Checkpoint, step: Step) -> Any:
            from bertcore.analysis.flow import rollout, without

            attentions = without(trace.attentions, what_if.heads_off, what_if.layers_off)
            if picture == FLOW:
                return flow_matrix(attentions, layer + 1, step)
            return rollout(attentions[: layer + 1])[-1]

        self._question.want((*shown.key[:1], picture, layer), work)
        found = self._question.answer
        return None if found is None else shown.units.attention(found.astype(np.float32))

    def _gradient(self, shown: Shown, choice: Choice) -> np.ndarray | None:
        target, layer = self._targets.chosen, choice.layer
        if target is None:
            self._question.forget(self._targets.problem)
            return None
        text = shown.asked_text()

        def work(checkpoint: Checkpoint, step: Step) -> Any:
            return gradient_of_layer(checkpoint, text, target, layer).astype(np.float32)

        self._question.want((*shown.plain_key, GRADIENT, target, layer), work)
        found: np.ndarray | None = self._question.answer
        return None if found is None else found[choice.head]

    def _show_zoom(self) -> None:
        self.whole.setVisible(not self.view.zoom.is_whole)

    def _read_out(self, row: int, column: int, value: float) -> str:
        assert self._units is not None
        first, labels = self._units.first_positions, self._units.labels
        one, other = f"{labels[row]} ({first[row]})", f"{labels[column]} ({first[column]})"
        picture = self.picture.currentText()
        if picture == GRADIENT:
            return f"{one} to {other}: ln p changes by {value:+.4f} per unit of this weight"
        verb = {ROLLOUT: "is made of", FLOW: "can be reached by"}.get(picture, "looks at")
        return f"{one} {verb} {other} with {value:.4f}"

    def _on_edit_toggled(self, on: bool) -> None:
        self.view.edits = on
        self.readout.setText("Drag a square up for more weight, down for less." if on else INVITATION)

    def _on_view_hovered(self, spot: tuple[int, int] | None) -> None:
        values = self.view.values
        if spot is None or values is None or self._units is None:
            self._on_edit_toggled(self.edit.isChecked())
            self.hovered.emit(None)
            return
        self.readout.setText(self._read_out(*spot, float(values[spot])))
        self.hovered.emit(self._units.first_positions[spot[0]])

    def _on_view_picked(self, row: int, column: int) -> None:
        if self._units is not None:
            first = self._units.first_positions
            self.picked.emit(first[row], first[column])

    def _on_view_weight_dragged(self, row: int, column: int, weight: float) -> None:
        if self._units is not None and self.view.values is not None:
            labels, was = self._units.labels, float(self.view.values[row, column])
            self.readout.setText(
                f"{labels[row]} looks at {labels[column]} with {was:.2f} → {weight:.2f}; "
                "the rest of the row is scaled so that it sums to 1"
            )

    def _on_targets_changed(self) -> None:
        if self.picture.currentText() == GRADIENT:
            self.redraw()


def _notes(picture: str, shown: Shown, choice: Choice) -> str:
    """What a picture leaves aside, to be put behind its hint."""
    if picture == GRADIENT:
        return shown.plain_notes
    heads = {HEAD: [(choice.layer, choice.head)], MEAN: choice.heads}.get(picture, ())
    return " · what is off adds nothing" if shown.off.intersection(heads) else ""
