"""The two sentences, A and B, where they are typed."""

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from app import theme

MARK_PX = 28
# As many characters as the tokenizer reads; a paste beyond that is cut by the line itself.
MOST_CHARACTERS = 200_000


class SentenceEdit(QLineEdit):
    """A line with its mark, A or B, at the left."""

    def __init__(self, mark: str, placeholder: str) -> None:
        super().__init__()
        self._mark = mark
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(f"Sentence {mark}")
        self.setMaxLength(MOST_CHARACTERS)
        self.setTextMargins(theme.px(MARK_PX - 12), 0, 0, 0)
        self.setFixedHeight(theme.px(32))

    def show_text(self, text: str) -> None:
        """Shows a text that came from elsewhere; the cursor stays where it is when nothing changes."""
        if text != self.text():
            self.setText(text)
            self.setCursorPosition(0)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setFont(theme.font(13, medium=True))
        painter.setPen(theme.color("segment_a" if self._mark == "A" else "segment_b"))
        mark = QRectF(theme.px(10), 0, theme.px(MARK_PX), self.height())
        painter.drawText(mark, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._mark)


class SentenceBar(QWidget):
    """Emits both texts whenever one of them was edited by the person."""

    edited = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.a = SentenceEdit("A", "Type a sentence")
        self.b = SentenceEdit("B", "A second sentence, or nothing")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(10))
        for edit in (self.a, self.b):
            layout.addWidget(edit, 1)
            edit.textEdited.connect(self._on_text_edited)

    def show_texts(self, a: str, b: str) -> None:
        self.a.show_text(a)
        self.b.show_text(b)

    def _on_text_edited(self) -> None:
        self.edited.emit(self.a.text(), self.b.text())
