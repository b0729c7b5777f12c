"""Hides a widget until a question is answered: what is below it can be neither seen nor clicked."""

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from ..look import theme
from .layouts import discard

RADIUS_PX, LOW_PX = 8, 40  # lower covers say their sentence at the left, in small type
MOVES = (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide)


class Cover(QWidget):
    """Beside the widget in the same parent, and above it. `remove` brings the widget back."""

    def __init__(self, over: QWidget, sentence: str, size_px: float = 16) -> None:
        """sentence: why there is nothing to see. size_px: of its type, before scaling."""
        parent = over.parentWidget()
        assert parent is not None
        super().__init__(parent)
        self._over, self._sentence, self._size_px = over, sentence, size_px
        self.setAccessibleName(sentence)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        over.installEventFilter(self)
        over.setEnabled(False)  # else Tab and the arrow keys would read out what is covered
        self._place()

    @property
    def sentence(self) -> str:
        return self._sentence

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

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = theme.painter(self)
        painter.fillRect(self.rect(), theme.color("card"))
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.setPen(QPen(theme.color("mask"), 1, Qt.PenStyle.DashLine))
        painter.setBrush(theme.color("mask_tint"))
        painter.drawRoundedRect(box, theme.px(RADIUS_PX), theme.px(RADIUS_PX))
        is_low = self.height() < theme.px(LOW_PX)
        box.adjust(theme.px(8), 0, -theme.px(8), 0)
        if is_low:
            theme.draw_text(painter, box, self._sentence, "mask", 12, bold=True)
            return
        painter.setFont(theme.font(self._size_px, bold=True))
        painter.setPen(theme.color("mask"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._sentence)
