"""One sentence about what went wrong, at the top of the room, until it is dismissed."""

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QWidget

from ..look import theme
from ..look.icons import paint_icon
from .card import label
from .controls import IconButton
from .layouts import hbox


class Banner(QFrame):
    """Hidden until `show_sentence` is called."""

    shown_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "banner")
        self.setAccessibleName(self.tr("Message"))
        self._text = label("", wrap=True)
        close = IconButton("close", self.tr("Dismiss this message"), self.dismiss)
        close.setProperty("look", "quiet")
        hbox((self._text, 1), close, parent=self, margins=(theme.px(36), theme.px(6), theme.px(6), theme.px(6)))
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text()

    @property
    def is_shown(self) -> bool:
        return not self.isHidden()

    def show_sentence(self, text: str) -> None:
        self._text.setText(text)
        self.setAccessibleDescription(text)
        self.show()
        self.shown_changed.emit(True)

    def dismiss(self) -> None:
        self.hide()
        self.shown_changed.emit(False)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        side = theme.px(17)
        rect = QRectF(theme.px(11), (self.height() - side) / 2, side, side)
        paint_icon(QPainter(self), "warning", rect, theme.color("bad"))
