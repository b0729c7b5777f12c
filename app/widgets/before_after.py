"""What a change does: a row for each prediction, with what it was before and what it is now."""

from collections.abc import Sequence

from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from ..look import say, theme
from .card import Hint, label, show_text
from .layouts import vbox


class BeforeAfter(QWidget):
    """Rows of name, before, arrow, after; below them a sentence. The widgets of a row are kept for the next rows."""

    def __init__(self, most_rows: int | None = None) -> None:
        """most_rows: of more, only the number of the others is said."""
        super().__init__()
        self.rows: list[tuple[str, str, str]] = []
        self._most = most_rows
        self._cells: list[tuple[QLabel, ...]] = []
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(theme.px(6))
        self._grid.setVerticalSpacing(theme.px(4))
        for column in (1, 3):
            self._grid.setColumnStretch(column, 1)
        self._more, self._sentence = label("", "muted"), label("", "muted", wrap=True)
        vbox(self._grid, self._more, self._sentence, parent=self, gap_px=6)
        self.set_rows([])
        self.set_sentence("")

    @property
    def sentence(self) -> str:
        return self._sentence.text()

    def set_rows(self, rows: Sequence[tuple[str, str, str]]) -> None:
        """rows: what is predicted, before, after; all that there are."""
        self.rows = list(rows)
        shown = self.rows[: self._most]
        for number in range(len(self._cells), len(shown)):
            self._cells.append((label("", "muted"), Hint(), label("→", "muted"), Hint()))
            for column, cell in enumerate(self._cells[-1]):
                self._grid.addWidget(cell, number, column)
        for number, cells in enumerate(self._cells):
            for cell in cells:
                cell.setVisible(number < len(shown))
        for cells, (name, before, after) in zip(self._cells, shown, strict=False):
            for cell, text in zip(cells, (name, before, "→", after), strict=True):
                cell.setText(text)
        rest = len(self.rows) - len(shown)
        show_text(self._more, say("and %n more", n=rest) if rest > 0 else "")

    def set_sentence(self, text: str) -> None:
        """What the rows do not say; empty: nothing."""
        show_text(self._sentence, text)

    def keep_lines(self, lines: int) -> None:
        """Keeps room for so many lines of the sentence: it may wrap, and nothing shall move."""
        self._sentence.setMinimumHeight(lines * self._sentence.fontMetrics().lineSpacing())
