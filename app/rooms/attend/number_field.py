"""A field for a number that looks like the other fields: typed, or changed with the up and down keys."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit

from app.look import theme


class NumberField(QLineEdit):
    """A number from `low` to `high`, written with some decimals and perhaps a unit. Enter or Tab makes it count.

    Anything can be typed: a validator would keep back the end of the editing, and leave there what has no effect.
    """

    value_changed = Signal(float)  # by a person

    def __init__(self, name: str, low: float, high: float, *, step: float, decimals: int = 0, unit: str = "") -> None:
        """name: for screen readers."""
        super().__init__()
        self.setAccessibleName(name)
        self.setToolTip(f"{name}; the up and down keys change it too")
        self._low, self._high, self._step, self._decimals, self._unit = low, high, step, decimals, unit
        self.value = low
        self.setFixedWidth(theme.px(70))
        self.editingFinished.connect(self._on_editing_finished)
        self.set_value(low)

    def set_value(self, value: float) -> None:
        """What stands there; nobody is told."""
        self.value = min(max(value, self._low), self._high)
        self.setText(f"{self.value:.{self._decimals}f}{self._unit}")

    @property
    def _typed(self) -> float:
        """With a decimal point or comma; what is no number leaves the value as it is."""
        try:
            value = float(self.text().removesuffix(self._unit.strip()).replace(",", "."))
        except ValueError:
            return self.value
        return value if math.isfinite(value) else self.value

    def _on_editing_finished(self) -> None:
        value = self._typed
        if self.isModified() or value != float(f"{self.value:.{self._decimals}f}"):
            self._change(value)

    def _change(self, value: float) -> None:
        before = self.value
        self.set_value(value)
        if self.value != before:
            self.value_changed.emit(self.value)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up.value: 1, Qt.Key.Key_Down.value: -1}
        if event.key() in steps:
            self._change(self.value + steps[event.key()] * self._step)
        else:
            super().keyPressEvent(event)
