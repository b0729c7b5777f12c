"""Asks for another text, A and B, to compare with."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QMenu, QWidget

from ..look import theme
from ..look.say import say
from ..state.examples import Example
from .card import button, label
from .controls import MenuButton
from .layouts import hbox, vbox
from .sentence_bar import SentenceEdit

WIDTH_PX = 620


class TextPairDialog(QDialog):
    """Begins with the text that is on show: one changes a word, and sees what that does."""

    chosen = Signal(str, str)  # A, B

    def __init__(self, a: str, b: str, examples: Sequence[Example], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(say("Compare with another text"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._examples = examples
        self.a = SentenceEdit("A", say("Type a sentence"))
        self.b = SentenceEdit("B", say("A second sentence (optional)"))
        self.show_texts(a, b)
        self.swap = button(say("Swap A and B"), lambda: self.show_texts(self.b.text(), self.a.text()))
        self.examples = MenuButton(say("Examples"), self._fill_examples, say("Sentence pairs to start from"))
        self.compare = button(say("Compare"), self.accept, look="primary")
        self.compare.setDefault(True)
        hint = say("Change one word, negate the sentence, or swap A and B. Masked words are masked in both texts.")
        margin = theme.px(14)
        vbox(
            label(hint, "muted", wrap=True),
            self.a,
            self.b,
            hbox(self.swap, self.examples, None, button(say("Cancel"), self.reject), self.compare, gap_px=8),
            parent=self,
            gap_px=8,
            margins=margin,
        )
        self.setMinimumWidth(theme.px(WIDTH_PX))
        self.a.setFocus()

    def show_texts(self, a: str, b: str) -> None:
        self.a.setText(a)
        self.b.setText(b)

    def accept(self) -> None:
        self.chosen.emit(self.a.text(), self.b.text())
        super().accept()

    def _fill_examples(self, menu: QMenu) -> None:
        for example in self._examples:
            menu.addAction(example.title, partial(self.show_texts, example.a, example.b or ""))
