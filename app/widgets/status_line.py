"""The line at the bottom: what is on the screen, and what it cost."""

from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from app import theme
from app.widgets.card import label


class StatusLine(QFrame):
    """Left: facts, then what is under the mouse. Right: keys."""

    def __init__(self, keys: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "status")
        self.setAccessibleName("Status")
        self.setFixedHeight(theme.px(26))
        self._facts, self._hover = label("", "muted"), label("", "muted")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(theme.px(14), 0, theme.px(14), 0)
        layout.setSpacing(theme.px(24))
        layout.addWidget(self._facts)
        layout.addWidget(self._hover)
        layout.addStretch(1)
        layout.addWidget(label(keys, "muted"))

    @property
    def text(self) -> str:
        return self._facts.text()

    def set_facts(self, text: str) -> None:
        self._facts.setText(text)

    def set_hover(self, text: str) -> None:
        """What is under the mouse: token, dimension, value."""
        self._hover.setText(text)
