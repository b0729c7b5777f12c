"""Lines above the rooms that offer something, until a person takes it or dismisses it."""

from collections.abc import Callable

from PySide6.QtCore import QObject

from ..widgets.layouts import discard
from ..widgets.offer_line import OfferLine
from .frame import Frame


class Offers(QObject):
    """Each line is made anew with the frame: for its size, in its language."""

    def __init__(self, frame: Callable[[], Frame], parent: QObject) -> None:
        """frame: of the window, as it is now."""
        super().__init__(parent)
        self._frame = frame
        self._open: dict[str, tuple[Callable[[], OfferLine], OfferLine]] = {}  # by a name: what makes it, and itself

    def show(self, name: str, make: Callable[[], OfferLine]) -> None:
        self.end(name)
        line = make()
        for answered in (line.accepted, line.dismissed):
            answered.connect(lambda: self.end(name))
        self._open[name] = make, line
        self._frame().dock_line(line)

    def end(self, name: str) -> None:
        if name in self._open:
            discard(self._open.pop(name)[1])

    def show_again(self) -> None:
        """In a frame that has just been built."""
        for name, (make, _) in list(self._open.items()):
            self.show(name, make)
