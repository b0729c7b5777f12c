"""A slim line with an offer, to be taken or dismissed; it is in nobody's way."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QWidget

from ..look import theme
from ..look.say import say
from .card import button, label
from .controls import IconButton
from .layouts import hbox


class OfferLine(QFrame):
    accepted = Signal()
    dismissed = Signal()  # hidden in either case

    def __init__(self, sentence: str, accept: str, parent: QWidget | None = None) -> None:
        """accept: on the button."""
        super().__init__(parent)
        self.setProperty("look", "offer")
        self.setAccessibleName(sentence)
        self.accept_button = button(accept, self._on_accept_clicked, look="primary")
        self.close_button = IconButton("close", say("No, thank you"), self._on_close_clicked)
        self.close_button.setProperty("look", "quiet")
        margins = (theme.px(14), theme.px(5), theme.px(8), theme.px(5))
        text = label(sentence, "", wrap=True)
        self._row = hbox((text, 1), self.accept_button, self.close_button, parent=self, gap_px=10, margins=margins)

    def add_button(self, text: str, clicked: Callable[[], object], hint: str) -> None:
        """For something that leaves the offer open."""
        self._row.insertWidget(1, button(text, clicked, hint=hint))

    def _on_accept_clicked(self) -> None:
        self.hide()
        self.accepted.emit()

    def _on_close_clicked(self) -> None:
        self.hide()
        self.dismissed.emit()
