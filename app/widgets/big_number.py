"""A big number and what it counts."""

from PySide6.QtWidgets import QBoxLayout, QWidget

from ..look import theme
from .card import label


class BigNumber(QWidget):
    """A big number and, small behind it, what it counts."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self._number, self._unit = label("–", "number"), label(unit, "muted")
        direction = QBoxLayout.Direction.LeftToRight if not theme.is_projector() else QBoxLayout.Direction.TopToBottom
        layout = QBoxLayout(direction, self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(5) if not theme.is_projector() else 0)
        layout.addWidget(self._number)
        layout.addWidget(self._unit)

    @property
    def text(self) -> str:
        return self._number.text()

    @property
    def unit(self) -> str:
        return self._unit.text()

    def set(self, number: str, unit: str | None = None) -> None:
        self._number.setText(number)
        if unit is not None:
            self._unit.setText(unit)
