"""The base of pictures of values."""

from PySide6.QtGui import QResizeEvent

from .pointer import PointerWidget


class Chart(PointerWidget):
    """Where things are is worked out when values or size change; `paintEvent` only draws."""

    def lay_out(self) -> None:
        """Works out where things are, for the values and the size of now."""
        raise NotImplementedError

    def values_changed(self) -> None:
        """To be called with other values. The layout around hears of it where they need another size."""
        before = self.minimumSizeHint()
        self.lay_out()
        if self.minimumSizeHint() != before:
            self.updateGeometry()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.lay_out()
