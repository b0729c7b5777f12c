"""What if: this head off, this layer off, one weight edited; and what that does to the predictions."""

from functools import reduce

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ...look import mark, say
from ...state import Selection, WhatIf, head_name
from ...state.readings import Reading, word_to_mask
from ...widgets.before_after import BeforeAfter
from ...widgets.card import button, label
from ...widgets.controls import Choice, NumberBox
from ...widgets.layouts import enable_if, fill, hbox, held, show_if, vbox
from ..direction import DirectionSwitches
from .attend_state import AttendState
from .attentions import Attentions
from .sentences import about_changes, changed_predictions


class WhatIfPanel(QWidget):
    """Shows what is changed inside the model, and says by `AttendState.edited` what a person wants changed."""

    mask_requested = Signal(int)  # position

    def __init__(self, shared: AttendState) -> None:
        super().__init__()
        self._shared = shared
        self.head_off = button("", hint=say("Run the model without what this head adds"), checkable=True)
        self.layer_off = button(
            "", hint=say("Run the model with this layer passing its input on unchanged"), checkable=True
        )
        self.directions = DirectionSwitches(shared.edited.emit)
        self.column = Choice(say("The token whose weight is edited"))
        self.weight = NumberBox(say("The new weight, 0 to 1"), 0, 1, step=0.05, decimals=3)
        self.reset = button(say("Reset the row"), self._on_reset_clicked, look="small")
        self.is_edited = label(say("Edited. The rest of the row was scaled so that it sums to 1."), "muted", wrap=True)
        self.effect = BeforeAfter()
        self.mask_button = button("", lambda: self.mask_requested.emit(self._to_mask), look="primary")
        self._to_mask = 0
        self._edit_title = label("", "muted", wrap=True)
        self._weights: np.ndarray | None = None  # (U) the row on show
        self._row: int | None = None  # its unit
        self._members: list[int] = []  # the positions of that
        self._labels: list[str] = []
        self._head = 0, 0
        line = hbox((self.column, 1), self.weight, gap_px=6)
        self.row_editor = held(vbox(self._edit_title, line, self.is_edited, self.reset, gap_px=6))
        layout = vbox(self.head_off, self.layer_off, self.directions, 4, self.row_editor, parent=self, gap_px=6)
        fill(layout, self.effect, self.mask_button)
        edited = shared.edited
        self.head_off.clicked.connect(lambda off: edited.emit(lambda now, head=self._head: now.with_head(*head, off)))
        self.layer_off.clicked.connect(
            lambda off: edited.emit(lambda now, layer=self._head[0]: now.with_layer(layer, off))
        )
        self.column.activated.connect(self._on_column_activated)
        self.weight.valueChanged.connect(self._on_weight_changed)

    def show_selection(self, attentions: Attentions, selection: Selection) -> None:
        what_if, (layer, head) = attentions.reading.request.what_if, (selection.layer, selection.head)
        self._head = layer, head
        self.directions.show_what_if(what_if)
        is_head_off, is_layer_off = (layer, head) in what_if.heads_off, layer in what_if.layers_off
        self.head_off.setChecked(is_head_off)
        self.layer_off.setChecked(is_layer_off)
        switch = mark("Switch head {head} on again") if is_head_off else mark("Switch head {head} off")
        self.head_off.setText(say(switch, head=head_name(layer, head)))
        self.layer_off.setText(say("Use this layer again") if is_layer_off else say("Skip this layer"))
        # In a layer that is skipped it changes nothing; what is off can be switched on all the same.
        self.head_off.setEnabled(is_head_off or not is_layer_off)
        self._show_row(attentions, selection)
        self._show_mask(attentions.reading, selection.position)

    def show_effects(self, reading: Reading) -> None:
        """What the changes do to the predictions."""
        self.effect.set_rows(changed_predictions(reading))
        self.effect.set_sentence(about_changes(reading))
        self.effect.setVisible(reading.unchanged is not None)

    def _show_mask(self, reading: Reading, position: int) -> None:
        """Something is changed, and there is no prediction to see it by."""
        wants_mask = reading.unchanged is not None and not reading.masks and "mlm" in reading.request.model.output_heads
        target = word_to_mask(reading, position) if wants_mask else None
        self.mask_button.setVisible(target is not None)
        if target is not None:
            self._to_mask = target
            self.mask_button.setText(say("Mask “{token}”", token=reading.encoding.labels[target]))

    def _show_row(self, attentions: Attentions, selection: Selection) -> None:
        units, column = attentions.units, self._shared.column
        labels, first = units.labels, units.first_positions
        if self.weight.is_typed_in and labels is self._labels:
            return  # it is for the row that it was begun in, wherever the mouse goes meanwhile
        self._row = row = units.unit_of(selection.position)
        enable_if(row is not None and len(labels) > 1, self.column, self.weight)
        self._weights = None if row is None else attentions.weights(*self._head)[row]
        self._members = [] if row is None else units.members[row]
        title = say("Make “{token}” look more or less at", token=labels[row]) if row is not None else ""
        self._edit_title.setText(title or say("Edit a row"))
        if labels is not self._labels:  # a list is made once for each reading and token view
            self._labels = labels
            self.column.clear()
            self.column.addItems([f"{name} ({at})" for name, at in zip(labels, first, strict=True)])
        wanted = None if column is None else units.unit_of(column)
        if self._weights is not None and not self.column.view().isVisible():
            self.column.setCurrentIndex(int(self._weights.argmax()) if wanted is None else wanted)
        self._show_weight()
        rows = {(one.layer, one.head, one.position) for one in attentions.reading.request.what_if.rows}
        is_edited = not rows.isdisjoint((*self._head, position) for position in self._members)
        show_if(is_edited, self.reset, self.is_edited)

    def _show_weight(self) -> None:
        if self._weights is not None:
            at = min(max(self.column.currentIndex(), 0), len(self._weights) - 1)
            self.weight.show_value(float(self._weights[at]))

    def _on_reset_clicked(self) -> None:
        (layer, head), members = self._head, self._members

        def edit(what_if: WhatIf) -> WhatIf:
            return reduce(lambda changed, position: changed.without_row(layer, head, position), members, what_if)

        self._shared.edited.emit(edit)

    def _on_column_activated(self, index: int) -> None:
        attentions = self._shared.attentions
        if attentions is not None:
            self._shared.column = attentions.units.members[index][0]
        self._show_weight()

    def _on_weight_changed(self, value: float) -> None:
        if self._row is not None and self.column.currentIndex() >= 0:
            self._shared.edit_weight(self._head, self._row, self.column.currentIndex(), value)
