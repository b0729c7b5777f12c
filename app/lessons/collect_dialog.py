"""What a class has handed in, as a table: who answered what, which was right; each answer opens in the window."""

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QDialog, QTableWidget, QTableWidgetItem, QWidget

from bertcore.errors import BertcoreError

from ..figures.files import write_whole
from ..look import say, theme
from ..look.fitting import plain_tip
from ..widgets.card import button, label
from ..widgets.layouts import hbox, vbox
from ..widgets.save_dialog import ask_for_file
from .answers import Answer, HandIn, as_csv, collect, columns_of

RIGHT, WRONG, OPEN = "✓", "✗", "…"
ANSWER = Qt.ItemDataRole.UserRole


class CollectDialog(QDialog):
    """Stays open beside the window."""

    state_requested = Signal(object)  # Session: what the window showed at an answer

    def __init__(self, folder: Path, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(say("Answers that were handed in"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(theme.px(860), theme.px(460))
        self._folder = folder
        self.hand_ins, problems = collect(folder)
        self.table = QTableWidget()
        self.table.setAccessibleName(say("Answers"))
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.cellDoubleClicked.connect(self._on_cell_chosen)
        count = len(self.hand_ins)
        found = say("%n file(s) with answers. Double-click an answer to see what the window showed.", n=count)
        self.summary = label(found, wrap=True)
        self.problems = label("\n".join(problems), "error", wrap=True)
        self.problems.setVisible(bool(problems))
        self.save_button = button(say("Save as CSV…"), self._on_save_clicked)
        buttons = hbox(None, self.save_button, button(say("Close"), self.close))
        parts = self.summary, self.problems, (self.table, 1), buttons
        vbox(*parts, parent=self, gap_px=8, margins=theme.px(12))
        self._fill(self.hand_ins)

    def save_csv(self, file: Path) -> None:
        """Raises BertcoreError where the file cannot be written."""
        write_whole(file, as_csv(self.hand_ins), "utf-8-sig")  # so that spreadsheets read it as UTF-8

    def _fill(self, hand_ins: list[HandIn]) -> None:
        columns = columns_of(hand_ins)
        titles = [say("{page} (task)", page=page) if kind == "task" else page for page, kind in columns]
        self.table.setColumnCount(len(columns) + 2)
        self.table.setRowCount(len(hand_ins))
        self.table.setHorizontalHeaderLabels([say("Name"), say("Right"), *titles])
        for row, each in enumerate(hand_ins):
            answers = {(answer.page, answer.kind): answer for answer in each.answers}
            judged = [answer.right for answer in each.answers if answer.right is not None]
            right = say("{right} of {count}", right=sum(judged), count=len(judged))
            found = [_item(answers[column]) if column in answers else QTableWidgetItem() for column in columns]
            for number, item in enumerate([QTableWidgetItem(each.name), QTableWidgetItem(right), *found]):
                self.table.setItem(row, number, item)
        self.table.resizeColumnsToContents()

    def _on_cell_chosen(self, row: int, column: int) -> None:
        item = self.table.item(row, column)
        answer = item.data(ANSWER) if item is not None else None
        if isinstance(answer, Answer):
            self.state_requested.emit(answer.state)

    def _on_save_clicked(self) -> None:
        chosen = ask_for_file(self, say("Save as CSV"), self._folder / "answers.csv", {".csv": "CSV (*.csv)"})
        if chosen is not None:
            try:
                self.save_csv(chosen)
            except BertcoreError as error:
                self.problems.setText(str(error))
                self.problems.show()


def _item(answer: Answer) -> QTableWidgetItem:
    mark = OPEN if answer.right is None else RIGHT if answer.right else WRONG
    made = QTableWidgetItem(f"{mark} {' '.join(answer.given.split())[:60]}")
    made.setData(ANSWER, answer)
    made.setToolTip(plain_tip(f"{answer.asked}\n{answer.given}"))
    if answer.right is not None:
        made.setForeground(theme.color("good_text" if answer.right else "bad_text"))
    return made
