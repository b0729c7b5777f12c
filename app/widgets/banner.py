"""Above the room: one sentence about what went wrong, or an offer, until it is dismissed."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QWidget

from bertcore.errors import shortened

from ..look import say, theme
from .card import button, label
from .controls import IconButton
from .layouts import hbox

MOST_CHARACTERS, ICON_PX = 600, 17
BannerAction = tuple[str, Callable[[], object]]  # what the button says, and what it does


class Banner(QFrame):
    """Hidden until `show_sentence` is called."""

    shown_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "banner")
        self.setAccessibleName(say("Message"))
        self.text = ""  # all of the sentence; a very long one is shown without its middle
        self.action: BannerAction | None = None  # what the button beside the sentence does
        self._text = label("", wrap=True)
        self.button = button("", self._on_button_clicked)
        self.button.hide()  # it has no words yet
        close = IconButton("close", say("Dismiss this message"), self.dismiss)
        close.setProperty("look", "quiet")
        warning = IconButton("warning", say("Message"))
        warning.color, warning.icon_px = "bad", ICON_PX
        warning.setProperty("look", "quiet")
        warning.setFixedSize(theme.px(ICON_PX), theme.px(ICON_PX))
        warning.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        warning.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        edge = theme.px(6)
        hbox(warning, (self._text, 1), self.button, close, parent=self, margins=(theme.px(12), edge, edge, edge))
        self.hide()

    @property
    def is_shown(self) -> bool:
        return not self.isHidden()

    def show_sentence(self, text: str, action: BannerAction | None = None) -> None:
        self.text, self.action = text, action
        self.button.setText(action[0] if action else "")
        self.button.setVisible(action is not None)
        self._text.setText(shortened(text, MOST_CHARACTERS))
        self.setAccessibleDescription(self._text.text())
        self.show()
        self.shown_changed.emit(True)

    def dismiss(self) -> None:
        self.hide()
        self.shown_changed.emit(False)

    def _on_button_clicked(self) -> None:
        action = self.action
        self.dismiss()
        if action is not None:
            action[1]()


class OfferLine(QFrame):
    accepted = Signal()
    dismissed = Signal()  # hidden in either case

    def __init__(self, sentence: str, accept: str, parent: QWidget | None = None) -> None:
        """accept: on the button."""
        super().__init__(parent)
        self.setProperty("look", "offer")
        self.setAccessibleName(sentence)
        self.accept_button = button(accept, look="primary")
        self.close_button = IconButton("close", say("No, thank you"))
        self.close_button.setProperty("look", "quiet")
        for made, signal in ((self.accept_button, self.accepted), (self.close_button, self.dismissed)):
            made.clicked.connect(self.hide)
            made.clicked.connect(signal)
        margins = (theme.px(14), theme.px(5), theme.px(8), theme.px(5))
        text = label(sentence, "", wrap=True)
        self._row = hbox((text, 1), self.accept_button, self.close_button, parent=self, gap_px=10, margins=margins)

    def add_button(self, text: str, clicked: Callable[[], object], hint: str) -> None:
        """For something that leaves the offer open."""
        self._row.insertWidget(1, button(text, clicked, hint=hint))
