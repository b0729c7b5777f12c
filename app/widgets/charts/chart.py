"""The base of pictures of values."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent

from .pointer import PointerWidget


class Chart(PointerWidget):
    """Where things are is worked out when values or size change; `paintEvent` only draws."""

    _asked_for: tuple[QSize, QSize] | None = None  # the room that the layout around has heard of

    def lay_out(self) -> None:
        """Works out where things are, for the values and the size of now."""
        raise NotImplementedError

    def values_changed(self) -> None:
        """To be called with other values. The layout around hears of it where they need another size."""
        self.lay_out()
        needs = self.minimumSizeHint(), self.sizeHint()
        if needs != self._asked_for:
            self._asked_for = needs
            self.updateGeometry()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.lay_out()
