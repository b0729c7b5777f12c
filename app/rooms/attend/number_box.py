"""A field for a number: Qt's spin box without buttons, which takes whatever is typed."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QSignalBlocker
from PySide6.QtGui import QResizeEvent, QValidator
from PySide6.QtWidgets import QDoubleSpinBox

from app.look import numbers, theme


class NumberBox(QDoubleSpinBox):
    """Enter or Tab makes it count. Also takes a decimal comma; what is no number leaves the value as it is.

    Qt's validator would keep back the end of the editing, and leave there what has no effect.
    """

    def __init__(self, name: str, low: float, high: float, *, step: float, decimals: int = 0, suffix: str = "") -> None:
        """name: for screen readers, and the tool tip."""
        super().__init__()
        self.setAccessibleName(name)
        self.setToolTip(self.tr("{name}; the up and down keys change it too").format(name=name))
        self.setButtonSymbols(QDoubleSpinBox.ButtonSymbols.NoButtons)
        self.setDecimals(decimals)
        self.setRange(low, high)
        self.setSingleStep(step)
        self.setSuffix(suffix)
        self.setKeyboardTracking(False)
        self.setFixedWidth(theme.px(70))

    @property
    def is_typed_in(self) -> bool:
        """Something was typed and does not count yet."""
        return self.hasFocus() and self.lineEdit().isModified()

    def show_value(self, value: float) -> None:
        """Without a signal."""
        with QSignalBlocker(self):
            self.setValue(value)
            self.lineEdit().setText(self.textFromValue(self.value()) + self.suffix())
            self.lineEdit().setModified(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_text()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        self._place_text()

    def _place_text(self) -> None:
        """A style sheet leaves a spin box without buttons no room for its text."""
        self.lineEdit().setGeometry(self.rect().adjusted(theme.px(9), 1, -theme.px(4), -1))

    def textFromValue(self, value: float) -> str:
        return numbers.decimal(value, self.decimals())

    def valueFromText(self, text: str) -> float:
        try:
            typed = float(
                text.removesuffix(self.suffix().strip()).strip().replace(",", ".").replace(numbers.MINUS, "-")
            )
        except ValueError:
            return self.value()
        return typed if math.isfinite(typed) else self.value()

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        return QValidator.State.Acceptable, text, position
