"""The parts of the form for a new run that are more than a line or a list: which model, which columns, how long."""

import math
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDoubleSpinBox, QFileDialog, QWidget

from app.look import theme
from app.rooms.train.columns import columns_in, likely_column, roles_of
from app.rooms.train.run_kinds import EPOCHS, MINUTES
from app.runs.run_info import RunInfo, model_name
from app.widgets.card import label
from app.widgets.controls import Choice
from app.widgets.layouts import fill, hbox, vbox
from bertcore.errors import BertcoreError
from bertcore.settings import settings_of
from bertcore.tasks.readers.spec import Role, TaskSpec
from bertcore.training.finetune_options import FinetuneOptions

MOST_RUNS = 12
BUDGETS = {each.name: each for each in settings_of(FinetuneOptions) if each.name in (EPOCHS, MINUTES)}


class ModelChoice(Choice):
    """The built-in model, a run, or a folder. `reference` is None for the built-in one."""

    def __init__(self) -> None:
        super().__init__(QCoreApplication.translate("ModelChoice", "The model to start from"))
        self._runs: list[tuple[str, str]] = []  # name, folder
        self._folder: str | None = None
        self._fill(None)
        self.activated.connect(self._on_activated)

    @property
    def reference(self) -> str | None:
        """What was chosen: a folder, or None for the built-in model."""
        value = self.currentData()
        return value if isinstance(value, str) else None

    def set_runs(self, runs: list[RunInfo]) -> None:
        """Runs whose newest snapshot can be started from."""
        found = [(run.name, str(run.path)) for run in runs if not run.is_built_in and run.status.step > 0][:MOST_RUNS]
        if found != self._runs:
            self._runs = found
            self._fill(self.reference)

    def set_folder(self, folder: str | None) -> None:
        """Starts from the checkpoint in this folder, or from the built-in model."""
        self._folder = folder
        self._fill(folder)

    def _fill(self, chosen: str | None) -> None:
        self.clear()
        self.addItem(self.tr("The built-in model"), None)
        for name, folder in self._runs:
            self.addItem(self.tr("Run: {name}").format(name=name), folder)
        if self._folder:
            self.addItem(model_name(self._folder), self._folder)
        self.addItem(self.tr("A folder…"), False)
        self.setCurrentIndex(max(0, self.findData(chosen)) if chosen else 0)
        self._chosen = self.currentIndex()

    def _on_activated(self, index: int) -> None:
        if self.itemData(index) is not False:
            self._chosen = index
            return
        folder = QFileDialog.getExistingDirectory(self, self.tr("Open a checkpoint or run folder"))
        if folder:
            self.set_folder(folder)
        else:
            self.setCurrentIndex(self._chosen)


class ColumnFields(QWidget):
    """Which column of a person's own file holds what; empty where the file's layout leaves no choice."""

    def __init__(self) -> None:
        super().__init__()
        self.choices: dict[Role, Choice] = {}
        self._layout = vbox(parent=self, gap_px=4)

    def show_columns(self, spec: TaskSpec | None, file: Path | None) -> None:
        """Offers the columns found in the file. Raises BertcoreError where it cannot be read."""
        while (item := self._layout.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
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
                problem = self.tr("{field}: choose one of the columns of your file.")
                raise BertcoreError(problem.format(field=choice.accessibleName()))
            if column in found.values():
                problem = self.tr("The column {column} is chosen twice; choose each column once.")
                raise BertcoreError(problem.format(column=column))
            found[role] = column
        return found

    def _add(self, words: str, columns: list[str], likely: str | None) -> Choice:
        choice = Choice(words)
        choice.addItem(self.tr("choose…"), None)
        for column in columns:
            choice.addItem(column, column)
        choice.setCurrentIndex(choice.findData(likely) if likely else 0)
        fill(self._layout, label(words, "muted"), choice)
        return choice


class LengthField(QWidget):
    """How long: a number, and what it counts."""

    submitted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.spin_box = QDoubleSpinBox()
        self.unit_choice = Choice(self.tr("What the number counts"))
        self._defaults: dict[str, float] = {}
        hbox((self.spin_box, 1), (self.unit_choice, 1), parent=self, gap_px=6)
        self.spin_box.setDecimals(2)
        self.spin_box.setMinimumWidth(theme.px(60))  # the longest number need not fit
        self.spin_box.setAccessibleName(self.tr("How long to train"))
        self.spin_box.installEventFilter(self)
        self.unit_choice.activated.connect(self._on_unit_activated)

    @property
    def unit(self) -> str:
        """What the number counts: EPOCHS or MINUTES."""
        return str(self.unit_choice.currentData())

    @property
    def number(self) -> float:
        self.spin_box.interpretText()
        return self.spin_box.value()

    def set_defaults(self, defaults: dict[str, float]) -> None:
        """Unit -> the number that is usual; the first is chosen."""
        if defaults != self._defaults:
            self._defaults = defaults
            titles = {EPOCHS: self.tr("epochs"), MINUTES: self.tr("minutes")}
            self.unit_choice.clear()
            for unit in defaults:
                self.unit_choice.addItem(titles[unit], unit)
            self._on_unit_activated(0)

    def _on_unit_activated(self, index: int) -> None:
        """The range is the setting's own: a number out of it cannot be typed."""
        unit, usual = list(self._defaults.items())[index]
        self.spin_box.setRange(BUDGETS[unit].at_least or 0.0, BUDGETS[unit].at_most or math.inf)
        self.spin_box.setValue(usual)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter starts the run, as in the other fields."""
        enter = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in enter:
            self.submitted.emit()
            return True
        return super().eventFilter(watched, event)
