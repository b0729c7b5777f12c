"""The choice of columns of a person's own file."""

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from bertcore.errors import BertcoreError
from bertcore.tasks.spec import Role, TaskSpec

from ...look.say import say
from ...widgets.card import label
from ...widgets.controls import Choice
from ...widgets.layouts import empty, fill, vbox
from .run_kinds import columns_in, likely_column, roles_of


class ColumnFields(QWidget):
    """Which column of a person's own file holds what; empty where the file's layout leaves no choice."""

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.choices: dict[Role, Choice] = {}
        self._layout = vbox(parent=self, gap_px=4)

    def show_columns(self, spec: TaskSpec | None, file: Path | None) -> None:
        """Offers the columns found in the file. Raises BertcoreError where it cannot be read."""
        empty(self._layout)
        self.choices = {}
        columns = columns_in(spec, file) if spec and file else []
        self.setVisible(bool(columns))
        for role, words in roles_of(spec).items() if spec and columns else ():
            self.choices[role] = self._add(words, columns, likely_column(spec, role, columns) if spec else None)

    def chosen(self) -> dict[Role, str]:
        """Role -> column. Raises BertcoreError where one is not chosen yet, or chosen twice."""
        found: dict[Role, str] = {}
        for role, choice in self.choices.items():
            column = choice.currentData()
            if column is None:
                problem = say("{field}: choose one of the columns of your file.")
                raise BertcoreError(problem.format(field=choice.accessibleName()))
            if column in found.values():
                problem = say("The column {column} is chosen twice; choose each column once.")
                raise BertcoreError(problem.format(column=column))
            found[role] = column
        return found

    def set_chosen(self, columns: Mapping[str, str]) -> None:
        """role -> column, as `chosen` gives them; a column that is not there is left out."""
        for role, choice in self.choices.items():
            index = choice.findData(columns.get(role, choice.currentData()))
            choice.setCurrentIndex(max(0, index))

    def _add(self, words: str, columns: list[str], likely: str | None) -> Choice:
        choice = Choice(words)
        choice.addItem(say("choose…"), None)
        for column in columns:
            choice.addItem(column, column)
        choice.setCurrentIndex(choice.findData(likely) if likely else 0)
        choice.activated.connect(self._on_activated)
        fill(self._layout, label(words, "muted"), choice)
        return choice

    def _on_activated(self, _index: int) -> None:
        self.edited.emit()
