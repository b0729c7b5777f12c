"""What if: this head off, this layer off, one weight edited; and what that does to the predictions."""

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from bertcore.analysis.predict import WordGuess
from bertcore.analysis.targets import Target

from ...compute.head_questions import HeadTarget, changed_targets
from ...look import numbers
from ...look.say import quoted, say
from ...state.readings import MaskReading, Reading, word_to_mask
from ...state.selection import Selection
from ...widgets.before_after import BeforeAfter
from ...widgets.card import button, label
from ...widgets.controls import Choice, NumberBox
from ...widgets.layouts import fill, hbox, vbox
from .attentions import Attentions, head_name

MOST_MASKS, MOST_WORDS = 4, 2


class WhatIfPanel(QWidget):
    """Shows what is changed, and says by signals what a person wants changed."""

    head_switched = Signal(bool)  # off
    layer_switched = Signal(bool)
    weight_set = Signal(int, int, float)  # position that looks; column: a unit; the weight it shall have
    column_chosen = Signal(int)  # a unit
    row_reset = Signal()
    mask_requested = Signal(int)  # position

    def __init__(self) -> None:
        super().__init__()
        self.head_off = button("", hint=say("Run the model without what this head adds"), checkable=True)
        self.layer_off = button(
            "", hint=say("Run the model with this layer passing its input on unchanged"), checkable=True
        )
        self.column = Choice(say("The token whose weight is edited"))
        self.weight = NumberBox(say("The new weight, 0 to 1"), 0, 1, step=0.05, decimals=3)
        self.reset = button(say("Reset the row"), self.row_reset.emit, look="small")
        self.edited = label("", "muted", wrap=True)
        self.effect = BeforeAfter()
        self.mask_button = button("", self._on_mask_clicked, look="primary")
        self._to_mask = 0
        self._edit_title = label("", "muted", wrap=True)
        self._row: np.ndarray | None = None  # (U) the row on show
        self._position: int | None = None  # of the token that looks
        self._labels: list[str] = []
        line = hbox((self.column, 1), self.weight, gap_px=6)
        layout = vbox(self.head_off, self.layer_off, 4, self._edit_title, line, parent=self, gap_px=6)
        fill(layout, self.edited, self.reset, self.effect, self.mask_button)
        self.head_off.clicked.connect(self.head_switched)
        self.layer_off.clicked.connect(self.layer_switched)
        self.column.activated.connect(self._on_column_activated)
        self.weight.valueChanged.connect(self._on_weight_changed)

    def show_selection(self, attentions: Attentions, selection: Selection, column: int | None) -> None:
        """column: the position whose weight is asked about; None: the highest."""
        what_if, layer, head = attentions.reading.request.what_if, selection.layer, selection.head
        self.head_off.setChecked((layer, head) in what_if.heads_off)
        self.layer_off.setChecked(layer in what_if.layers_off)
        switch = say("Switch head {head} on again") if self.head_off.isChecked() else say("Switch head {head} off")
        self.head_off.setText(switch.format(head=head_name(layer, head)))
        self.layer_off.setText(say("Use this layer again") if self.layer_off.isChecked() else say("Skip this layer"))
        # In a layer that is skipped it changes nothing; what is off can be switched on all the same.
        self.head_off.setEnabled(self.head_off.isChecked() or not self.layer_off.isChecked())
        self._show_row(attentions, selection, column)
        self._show_mask(attentions.reading, selection.position)

    def show_effects(self, reading: Reading) -> None:
        """What the changes do to the predictions."""
        self.effect.set_rows(changed_predictions(reading))
        self.effect.set_sentence(sentence_about_changes(reading))
        self.effect.setVisible(reading.unchanged is not None)

    def _show_mask(self, reading: Reading, position: int) -> None:
        """Something is changed, and there is no prediction to see it by."""
        wants_mask = reading.unchanged is not None and not reading.masks and "mlm" in reading.request.model.output_heads
        target = word_to_mask(reading, position) if wants_mask else None
        self.mask_button.setVisible(target is not None)
        if target is not None:
            self._to_mask = target
            self.mask_button.setText(say("Mask “{token}”", token=reading.encoding.labels[target]))

    def _on_mask_clicked(self) -> None:
        self.mask_requested.emit(self._to_mask)

    def _show_row(self, attentions: Attentions, selection: Selection, column: int | None) -> None:
        units = attentions.units
        labels, first = units.labels, units.first_positions
        if self.weight.is_typed_in and labels is self._labels:
            return  # it is for the row that it was begun in, wherever the mouse goes meanwhile
        row = units.unit_of(selection.position)
        can_edit = row is not None and len(labels) > 1
        for widget in (self.column, self.weight):
            widget.setEnabled(can_edit)
        self._row = None if row is None else attentions.weights(selection.layer, selection.head)[row]
        self._position = selection.position
        title = say("Make “{token}” look more or less at", token=labels[row]) if row is not None else ""
        self._edit_title.setText(title or say("Edit a row"))
        if labels is not self._labels:  # a list is made once for each reading and token view
            self._labels = labels
            self.column.clear()
            self.column.addItems([f"{name} ({at})" for name, at in zip(labels, first, strict=True)])
        wanted = None if column is None else units.unit_of(column)
        if self._row is not None and not self.column.view().isVisible():
            self.column.setCurrentIndex(int(self._row.argmax()) if wanted is None else wanted)
        self._show_weight()
        members = set() if row is None else set(units.members[row])
        is_edited = any(
            (edited.layer, edited.head) == (selection.layer, selection.head) and edited.position in members
            for edited in attentions.reading.request.what_if.rows
        )
        self.reset.setVisible(is_edited)
        self.edited.setText(say("Edited. The rest of the row was scaled so that it sums to 1.") if is_edited else "")
        self.edited.setVisible(is_edited)

    def _show_weight(self) -> None:
        if self._row is not None:
            at = min(max(self.column.currentIndex(), 0), len(self._row) - 1)
            self.weight.show_value(float(self._row[at]))

    def _on_column_activated(self, index: int) -> None:
        self.column_chosen.emit(index)
        self._show_weight()

    def _on_weight_changed(self, value: float) -> None:
        if self._row is not None and self._position is not None and self.column.currentIndex() >= 0:
            self.weight_set.emit(self._position, self.column.currentIndex(), value)


def changed_predictions(reading: Reading) -> list[tuple[str, str, str]]:
    """Name, before and after of each prediction; empty: nothing is changed, or there is nothing to compare."""
    before = reading.unchanged
    if before is None:
        return []
    targets = []
    for mask, now in list(zip(before.masks, reading.masks, strict=True))[:MOST_MASKS]:
        targets += _word_targets(reading.mask_name(mask.position), mask, now)
    targets += changed_targets(before, reading)

    def written(target: HeadTarget, of: Reading) -> str:
        value = target.value(of)
        return numbers.decimal(value) if target.is_score else numbers.probability(value, fine=True)

    return [(target.label, written(target, before), written(target, reading)) for target in targets]


def sentence_about_changes(reading: Reading) -> str:
    """What the rows leave out, and what to do where there are none; empty: nothing is changed."""
    before = reading.unchanged
    if before is None:
        return ""
    more = len(before.masks) - MOST_MASKS
    if more > 0:
        return say("and %n more mask(s)", n=more)
    if not before.masks and "mlm" in reading.request.model.output_heads:
        return say("Mask a word (M) to see what this does to it.")
    if changed_predictions(reading):
        return ""
    return say("This model makes no prediction to compare; look at how the pictures change.")


def _word_targets(name: str, mask: MaskReading, now: MaskReading) -> list[HeadTarget]:
    """The likeliest word before, and the likeliest after. name: of the mask."""
    words: dict[int, WordGuess] = {word.id: word for word in (mask.words[0], now.words[0], *mask.words[1:])}
    return [
        HeadTarget(f"{name}: {quoted(word.token)}", Target("mlm", word.id, mask.position))
        for word in list(words.values())[:MOST_WORDS]
    ]
