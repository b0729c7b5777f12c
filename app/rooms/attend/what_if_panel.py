"""What if: this head off, this layer off, one weight edited; and what that does to the predictions, at once."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.compute.head_questions import changed_targets
from app.look import theme
from app.rooms.attend.number_field import NumberField
from app.rooms.attend.shown import Choice, Shown
from app.state.readings import Reading
from app.state.what_if import WhatIf
from app.widgets.card import button, label
from app.widgets.controls import Choice as DropDown

MOST_MASKS, MOST_WORDS = 4, 2


class WhatIfPanel(QWidget):
    """Shows what is changed; tells what a person wants changed."""

    head_switched = Signal(bool)  # off
    layer_switched = Signal(bool)
    weight_set = Signal(int, int, float)  # position that looks; column: a unit; the weight it shall get
    column_chosen = Signal(int)  # a unit
    row_put_back = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.head_off = _switch("head", "This head adds nothing")
        self.layer_off = _switch("layer", "What enters this layer leaves it unchanged")
        self.column = DropDown("The token whose weight is edited")
        self.weight = NumberField("The weight it gets, 0 to 1", 0, 1, step=0.05, decimals=3)
        self.back = button("Put the row back", self.row_put_back.emit, look="small")
        self._edited = label("", "muted", wrap=True)
        self.effect = label("", "", wrap=True)
        self._row: np.ndarray | None = None  # (U) the row on show
        self._position: int | None = None  # of the token that looks
        self._labels: list[str] = []
        self._lay_out()
        self.head_off.clicked.connect(self.head_switched)
        self.layer_off.clicked.connect(self.layer_switched)
        self.column.activated.connect(self._on_column_activated)
        self.weight.value_changed.connect(self._on_weight_value_changed)

    def draw(self, shown: Shown, choice: Choice, what_if: WhatIf) -> None:
        self.head_off.setChecked((choice.layer, choice.head) in what_if.heads_off)
        self.layer_off.setChecked(choice.layer in what_if.layers_off)
        self._draw_row(shown, choice, what_if)
        lines = effects_on(shown.reading)
        self.effect.setText("\n".join(lines))
        self.effect.setVisible(bool(lines))

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(6))
        for switch in (self.head_off, self.layer_off):
            layout.addWidget(switch)
        layout.addSpacing(theme.px(4))
        self._edit_title = label("", "muted", wrap=True)
        layout.addWidget(self._edit_title)
        line = QHBoxLayout()
        line.setSpacing(theme.px(6))
        line.addWidget(self.column, 1)
        line.addWidget(self.weight)
        layout.addLayout(line)
        for widget in (self._edited, self.back, self.effect):
            layout.addWidget(widget)

    @property
    def _is_typed_in(self) -> bool:
        """A weight is being typed: it is for the row that it was begun in, wherever the mouse goes meanwhile."""
        return self.weight.hasFocus() and self.weight.isModified()

    def _draw_row(self, shown: Shown, choice: Choice, what_if: WhatIf) -> None:
        if self._is_typed_in and shown.units.labels is self._labels:
            return
        row = shown.row_of(choice.position)
        labels, first = shown.units.labels, shown.units.first_positions
        can_edit = row is not None and len(labels) > 1
        for widget in (self.column, self.weight):
            widget.setEnabled(can_edit)
        self._row = None if row is None else shown.head(choice.layer, choice.head)[row]
        self._position = choice.position
        self._edit_title.setText(f"Let {labels[row]} look more or less at" if row is not None else "Edit a row")
        if labels is not self._labels:  # a list is made once for each reading and view
            self._labels = labels
            self.column.clear()
            self.column.addItems([f"{name} ({at})" for name, at in zip(labels, first, strict=True)])
        wanted = None if choice.column is None else shown.row_of(choice.column)
        if self._row is not None and not self.column.view().isVisible():
            at = int(self._row.argmax()) if wanted is None else wanted
            self.column.setCurrentIndex(at)
        self._show_weight()
        members = set() if row is None else set(shown.units.members[row])
        is_edited = any(
            (edited.layer, edited.head) == (choice.layer, choice.head) and edited.position in members
            for edited in what_if.rows
        )
        self.back.setVisible(is_edited)
        self._edited.setText("Edited; the rest of the row was scaled so that it sums to 1." if is_edited else "")
        self._edited.setVisible(is_edited)

    def _show_weight(self) -> None:
        if self._row is None:
            return
        at = min(max(self.column.currentIndex(), 0), len(self._row) - 1)
        self.weight.set_value(float(self._row[at]))

    def _on_column_activated(self, index: int) -> None:
        self.column_chosen.emit(index)
        self._show_weight()

    def _on_weight_value_changed(self, value: float) -> None:
        if self._row is not None and self._position is not None and self.column.currentIndex() >= 0:
            self.weight_set.emit(self._position, self.column.currentIndex(), value)


def _switch(what: str, hint: str) -> QPushButton:
    """Pressed: it is off, and the words say what a click does then."""
    made = button(f"Switch {what} off", hint=hint, checkable=True)
    made.toggled.connect(lambda off: made.setText(f"Switch {what} {'on again' if off else 'off'}"))
    return made


def effects_on(reading: Reading) -> list[str]:
    """Before and after, in a line for each mask and for the pair; what to do where there is nothing to compare."""
    before = reading.before
    if before is None:
        return []
    shown = range(min(len(before.masks), MOST_MASKS))
    lines = [line for number in shown for line in _mask_lines(reading, before, number)]
    if len(before.masks) > MOST_MASKS:
        lines.append(f"and {len(before.masks) - MOST_MASKS} more masks")
    if before.next_sentence is not None and reading.next_sentence is not None:
        was, now = before.next_sentence.is_next, reading.next_sentence.is_next
        lines.append(f"B follows A: {was:.2f} → {now:.2f}")
    if before.sentence_order is not None and reading.sentence_order is not None:
        lines.append(f"A stands before B: {before.sentence_order.in_order:.2f} → {reading.sentence_order.in_order:.2f}")
    for target in changed_targets(before, reading):
        was, now = target.value(before), target.value(reading)
        lines.append(f"{target.label}: {was:.2f} → {now:.2f}")
    if not before.masks and "mlm" in reading.request.model.tasks:
        lines.append("Mask a word (M) to see what this does to it.")
    return lines or ["This model predicts nothing that could change; see the pictures."]


def _mask_lines(reading: Reading, before: Reading, number: int) -> list[str]:
    """`it (9): 0.81 → 0.44`, `he (9): 0.03 → 0.19`: the likeliest word before, and the likeliest after."""
    mask, now = before.masks[number], reading.masks[number]
    words = {word.id: word.token for word in (mask.words[0], now.words[0], *mask.words[1:])}
    lines = []
    for token_id, token in list(words.items())[:MOST_WORDS]:
        was, new = (_probability(one, number, token_id) for one in (before, reading))
        lines.append(f"{token} ({mask.position}): {was:.2f} → {new:.2f}")
    return lines


def _probability(reading: Reading, number: int, token_id: int) -> float:
    logits = reading.trace.mlm_logits
    assert logits is not None
    row = logits[number].astype(np.float64)  # (V)
    top = float(row.max())
    return math.exp(float(row[token_id]) - top) / float(np.exp(row - top).sum())
