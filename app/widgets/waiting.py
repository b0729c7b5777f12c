"""What a room shows in place of pictures while there is nothing to draw: a sentence, never a fake picture."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from app.widgets.card import label


class Waiting(QWidget):
    """Shows `sentence` in the middle until `show_content` is called."""

    def __init__(self, content: QWidget, sentence: str = "") -> None:
        super().__init__()
        self._sentence = label(sentence or self.tr("Loading the model…"), "muted", wrap=True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        middle = QWidget()
        QVBoxLayout(middle).addWidget(self._sentence)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(middle)
        self._stack.addWidget(content)

    @property
    def is_waiting(self) -> bool:
        return self._stack.currentIndex() == 0

    @property
    def sentence(self) -> str:
        return self._sentence.text()

    def show_sentence(self, text: str) -> None:
        self._sentence.setText(text)
        self._stack.setCurrentIndex(0)

    def show_content(self) -> None:
        self._stack.setCurrentIndex(1)
