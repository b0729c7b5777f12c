"""A field for a number, which takes whatever is typed."""

import math

from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QValidator

from app.look import numbers, theme
from app.widgets.controls import SpinBox


class NumberBox(SpinBox):
    """Enter or Tab makes it count. Also takes a decimal comma; what is no number leaves the value as it is.

    Qt's validator would keep back the end of the editing, and leave there what has no effect.
    """

    def __init__(self, name: str, low: float, high: float, *, step: float, decimals: int = 0, suffix: str = "") -> None:
        """name: for screen readers, and the tool tip."""
        super().__init__()
        self.setAccessibleName(name)
        self.setToolTip(self.tr("{name}; the up and down keys change it too").format(name=name))
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
