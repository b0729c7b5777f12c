"""Hides a widget until a question is answered: what is below it can be neither seen nor clicked."""

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtWidgets import QWidget

from ..look import theme
from .charts.drawing import Box, Drawing, Shape, Words
from .layouts import discard

RADIUS_PX, LOW_PX = 8, 40  # lower covers say their sentence at the left, in small type
MOVES = (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide)


class Cover(Drawing):
    """Beside the widget in the same parent, and above it. `remove` brings the widget back."""

    def __init__(self, over: QWidget, sentence: str, size_px: float = 16) -> None:
        """sentence: why there is nothing to see. size_px: of its type, before scaling."""
        super().__init__(sentence)
        self.setParent(over.parentWidget())
        self._over, self.sentence, self._size_px = over, sentence, size_px
        self.setCursor(Qt.CursorShape.ArrowCursor)
        over.installEventFilter(self)
        over.setEnabled(False)  # else Tab and the arrow keys would read out what is covered
        self._place()

    def remove(self) -> None:
        """What was covered is as before."""
        self._over.removeEventFilter(self)
        self._over.setEnabled(True)
        discard(self)

    def _place(self) -> None:
        self.setGeometry(self._over.geometry())
        self.setVisible(not self._over.isHidden())
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in MOVES:
            self._place()
        return False

    def shapes(self) -> Iterator[Shape]:
        rect = QRectF(self.rect())
        yield Box(rect, "card")
        yield Box(rect.adjusted(1, 1, -1, -1), "window", "line", radius_px=theme.px(RADIUS_PX))
        words, is_low = rect.adjusted(theme.px(8) + 1, 1, -theme.px(8) - 1, -1), self.height() < theme.px(LOW_PX)
        align = theme.LEFT if is_low else Qt.AlignmentFlag.AlignCenter
        yield Words(words, self.sentence, "muted", 12 if is_low else self._size_px, align=align, wraps=not is_low)
