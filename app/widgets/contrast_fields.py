"""Two fields for the words to ask about at a mask: this one, rather than that one."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from ..look import theme
from ..look.say import say
from ..state.selection import Contrast
from .card import label, show_text
from .layouts import hbox, vbox

LEAST_PX = 62
MOST_TYPED = 100  # characters of a word


class ContrastFields(QWidget):
    """What is typed counts from Enter, Tab or a click elsewhere on; empty fields mean what their pale words say."""

    edited = Signal(object)  # Contrast

    def __init__(self) -> None:
        super().__init__()
        names = say("The word to explain"), say("The word that it is compared with")
        self.wanted, self.against = fields = QLineEdit(), QLineEdit()
        hint = say("Any word of the vocabulary, then Enter. Both empty: what the model guesses first.")
        for field, name in zip(fields, names, strict=True):
            field.setAccessibleName(name)
            field.setToolTip(f"{name}. {hint}")
            field.setMaxLength(MOST_TYPED)
            field.setMinimumWidth(theme.px(LEAST_PX))
            field.editingFinished.connect(self._on_field_editing_finished)
        self.problem = label("", "error", wrap=True)
        self.problem.hide()
        line = hbox((self.wanted, 1), label(say("rather than"), "muted"), (self.against, 1), gap_px=6)
        vbox(line, self.problem, parent=self, gap_px=3)
        self._shown = Contrast()

    def show_contrast(self, contrast: Contrast, defaults: tuple[str, str], problem: str = "") -> None:
        """defaults: what empty fields stand for, "" for no other word. problem: why a word cannot be asked about."""
        self._shown = contrast
        wanted, against = defaults
        other = "" if contrast.wanted else against
        pale = wanted, other or "…"
        typed = contrast.wanted, contrast.against
        for field, text, guess in zip((self.wanted, self.against), typed, pale, strict=True):
            if not (field.hasFocus() and field.isModified()):
                field.setText(text)
                field.setCursorPosition(0)  # a long word is seen from its beginning
            field.setPlaceholderText(guess)
        show_text(self.problem, problem)

    def _on_field_editing_finished(self) -> None:
        typed = Contrast(self.wanted.text().strip(), self.against.text().strip())
        for field in (self.wanted, self.against):
            field.setModified(False)
        if typed != self._shown:
            self.edited.emit(typed)
