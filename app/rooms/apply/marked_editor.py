"""A text of several lines in which places are marked: the answer in a passage, the sentences that were picked."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from app.look import theme
from app.widgets.sentence_bar import in_utf_16

Span = tuple[int, int]  # characters from, to


class MarkedEditor(QPlainTextEdit):
    """Marks are a tint and a line below: never colour alone. Tab goes on to the next widget."""

    def __init__(self, name: str, placeholder: str) -> None:
        super().__init__()
        self.marks: list[Span] = []
        self.setAccessibleName(name)
        self.setPlaceholderText(placeholder)
        self.setTabChangesFocus(True)
        self.setFont(theme.font(15))

    @property
    def marked_texts(self) -> list[str]:
        """What stands at the marks."""
        text = self.toPlainText()
        return [text[start:end] for start, end in self.marks]

    def show_text(self, text: str) -> None:
        """Shows a text from elsewhere; the cursor stays where it is when nothing changes."""
        if text != self.toPlainText():
            self.setPlainText(text)

    def set_marks(self, marks: Sequence[Span]) -> None:
        self.marks = list(marks)
        self.setAccessibleDescription(
            self.tr("marked: {texts}").format(texts="; ".join(self.marked_texts)) if marks else ""
        )
        self._paint_marks()

    def _paint_marks(self) -> None:
        look = QTextCharFormat()
        look.setBackground(theme.color("accent_tint"))
        look.setForeground(theme.color("accent"))
        look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        text, selections = self.toPlainText(), []
        for start, end in self.marks:
            selection = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.document())
            cursor.setPosition(in_utf_16(text, start))
            cursor.setPosition(in_utf_16(text, end), QTextCursor.MoveMode.KeepAnchor)
            selection.cursor, selection.format = cursor, look
            selections.append(selection)
        self.setExtraSelections(selections)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._paint_marks()


def find_in_order(text: str, pieces: Sequence[str]) -> list[Span | None]:
    """Where each piece stands in the text, one after the other; None for one that does not."""
    spans: list[Span | None] = []
    begin = 0
    for piece in pieces:
        start = text.find(piece, begin)
        if start < 0:
            spans.append(None)
            continue
        begin = start + len(piece)
        spans.append((start, begin))
    return spans
