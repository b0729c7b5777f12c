"""The sentences that a word is compared in: what stands in the list, and the editor of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from app.widgets.card import button, label, note
from app.widgets.controls import IconButton
from app.widgets.layouts import hbox, vbox

MOST_USES, MOST_GROUPS = 8, 3


@dataclass(frozen=True)
class Uses:
    """A word, and sentences that have it with the number of its meaning there."""

    word: str
    sentences: tuple[tuple[str, int], ...]

    @property
    def texts(self) -> list[str]:
        return [text for text, _ in self.sentences]

    @property
    def groups(self) -> list[int]:
        return [group for _, group in self.sentences]


BANK = Uses(
    "bank",
    (
        ("He took the money to the bank.", 1),
        ("The bank gave her the money for a house.", 1),
        ("They sat on the bank of the river.", 2),
        ("The boat lay on the other bank of the river.", 2),
    ),
)


class UsesEditor(QWidget):
    """The word, and a line for each sentence: its meaning, the text, a button that removes it."""

    edited = Signal()

    def __init__(self, uses: Uses) -> None:
        super().__init__()
        self.word = QLineEdit(uses.word)
        self.word.setAccessibleName(self.tr("The word to compare"))
        self.word.textEdited.connect(lambda _text: self.edited.emit())
        self.lines: list[_Line] = []
        self._column = vbox(gap_px=6)
        self.add = button(self.tr("Add a sentence"), self._on_add_clicked)
        vbox(
            hbox(label(self.tr("Word"), "muted"), (self.word, 1)),
            note(self.tr("The number is the meaning of the word in that sentence. Click it to change it.")),
            self._column,
            hbox(self.add, None),
            parent=self,
            gap_px=8,
        )
        for text, group in uses.sentences:
            self._add_line(text, group)

    @property
    def uses(self) -> Uses:
        return Uses(self.word.text(), tuple((line.text.text(), line.group) for line in self.lines))

    def show_found(self, found: list[int]) -> None:
        """Says under each sentence that is not among these that the word is not in it."""
        for i, line in enumerate(self.lines):
            line.show_missing(i not in found and bool(line.text.text().strip()))

    def _add_line(self, text: str, group: int) -> None:
        line = _Line(text, group)
        line.text.textEdited.connect(lambda _text: self.edited.emit())
        line.meaning.clicked.connect(lambda _checked=False: self.edited.emit())
        line.remove.clicked.connect(partial(self._on_remove_clicked, line))
        self.lines.append(line)
        self._column.addWidget(line)
        self._show_counts()

    def _show_counts(self) -> None:
        self.add.setEnabled(len(self.lines) < MOST_USES)
        for number, line in enumerate(self.lines, start=1):
            line.text.setAccessibleName(self.tr("Sentence {number}").format(number=number))
            line.remove.setEnabled(len(self.lines) > 1)

    def _on_add_clicked(self) -> None:
        self._add_line("", self.lines[-1].group)
        self.lines[-1].text.setFocus()

    def _on_remove_clicked(self, line: _Line, _checked: bool = False) -> None:
        self.lines.remove(line)
        self._column.removeWidget(line)
        line.hide()
        line.deleteLater()
        self._show_counts()
        self.edited.emit()


class _Line(QWidget):
    def __init__(self, text: str, group: int) -> None:
        super().__init__()
        self.group = group
        self.text = QLineEdit(text)
        self.text.setCursorPosition(0)
        self.meaning = button("", self._next_group, look="small")
        self.remove = IconButton("close", self.tr("Remove this sentence"))
        self.missing = label("", "muted")
        self.missing.hide()
        vbox(hbox(self.meaning, (self.text, 1), self.remove, gap_px=5), self.missing, parent=self, gap_px=2)
        self._show_group()

    def show_missing(self, is_missing: bool) -> None:
        self.missing.setText(self.tr("The word is not in this sentence.") if is_missing else "")
        self.missing.setVisible(is_missing)

    def _next_group(self) -> None:
        self.group = self.group % MOST_GROUPS + 1
        self._show_group()

    def _show_group(self) -> None:
        self.meaning.setText(str(self.group))
        self.meaning.setToolTip(self.tr("Meaning {number}; click for another").format(number=self.group))
        self.meaning.setAccessibleName(self.tr("Meaning {number}").format(number=self.group))
