"""The fields of a form that are no single setting: the model to start from, columns of a file, how long to train."""

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from bertcore.errors import BertcoreError
from bertcore.locations import BUILT_IN
from bertcore.settings import settings_of
from bertcore.tasks.readers.columns import columns_in, likely_column
from bertcore.tasks.spec import Role, TaskSpec
from bertcore.training.finetune_options import FinetuneOptions

from ....look import theme
from ....look.say import mark, say
from ....runs.run_info import RunInfo, model_name
from ....runs.run_kinds import EPOCHS, MINUTES, STEPS
from ....runs.run_state import RunState
from ....widgets.card import label
from ....widgets.controls import Choice, SpinBox
from ....widgets.layouts import empty, fill, hbox, vbox
from .fields import set_range

MOST_RUNS = 12
BUDGETS = {each.name: each for each in settings_of(FinetuneOptions) if each.name in (EPOCHS, MINUTES, STEPS)}
_COLUMNS: dict[str, dict[Role, str]] = {  # kind of task -> titles of the columns; "": of those that are not listed
    "": {
        "text": mark("Column with the text"),
        "text_b": mark("Column with the second text"),
        "label": mark("Column with the label"),
    },
    "regress": {"label": mark("Column with the number")},
    "tag": {"text": mark("Column with the words"), "label": mark("Column with the tags")},
    "span": {
        "text": mark("Column with the passage"),
        "text_b": mark("Column with the question"),
        "label": mark("Column with the answer"),
    },
    "choice": {
        "text": mark("Column with the beginning"),
        "label": mark("Column with the number of the correct ending"),
    },
    "summarise": {"label": mark("Column with the summary")},
}


class ModelChoice(Choice):
    """The built-in model, a run, or a folder. `reference` is None for the built-in one."""

    def __init__(self, state: RunState) -> None:
        super().__init__(say("The model to start from"))
        self._runs: list[tuple[str, str]] = []  # name, folder
        self._folder: str | None = None
        # Of the entries but the last. Not as their data: Qt's strings lose what is no UTF-8 in the name of a folder.
        self._references: list[str | None] = []
        self._chosen = 0
        self._fill(None)
        self.activated.connect(self._on_activated)
        state.runs_changed.connect(self._show_runs)
        self._show_runs(state.runs)

    @property
    def reference(self) -> str | None:
        """What was chosen: a folder, or None for the built-in model."""
        index = self.currentIndex()
        return self._references[index] if 0 <= index < len(self._references) else None

    def _show_runs(self, runs: list[RunInfo]) -> None:
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
        named: list[tuple[str, str | None]] = [(say("{model} (built in)", model=BUILT_IN), None)]
        named += [(say("Run: {name}", name=name), folder) for name, folder in self._runs]
        named += [(model_name(self._folder), self._folder)] if self._folder else []
        self._references = [reference for _, reference in named]
        self.clear()
        self.addItems([*(name for name, _ in named), say("A folder…")])
        self._chosen = self._references.index(chosen) if chosen in self._references else 0
        self.setCurrentIndex(self._chosen)

    def _on_activated(self, index: int) -> None:
        if index < len(self._references):
            self._chosen = index
        elif folder := QFileDialog.getExistingDirectory(self, say("Open a checkpoint or run folder")):
            self.set_folder(folder)
        else:
            self.setCurrentIndex(self._chosen)


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
        if spec is not None and columns:
            titles = {**_COLUMNS[""], **_COLUMNS.get(spec.kind, {})}
            self.choices = {
                role: self._add(say(title), columns, likely_column(spec, role, columns))
                for role, title in titles.items()
                if role in spec.columns
            }

    def chosen(self) -> dict[Role, str]:
        """Role -> column. Raises BertcoreError where one is not chosen yet, or chosen twice."""
        found: dict[Role, str] = {}
        for role, choice in self.choices.items():
            column = choice.currentData()
            if column is None:
                raise BertcoreError(
                    say("{field}: choose one of the columns of your file.", field=choice.accessibleName())
                )
            if column in found.values():
                raise BertcoreError(say("The column {column} is chosen twice; choose each column once.", column=column))
            found[role] = column
        return found

    def set_chosen(self, columns: Mapping[str, str]) -> None:
        """role -> column, as `chosen` gives them; a column that is not there is left out."""
        for role, choice in self.choices.items():
            choice.setCurrentIndex(max(0, choice.findData(columns.get(role, choice.currentData()))))

    def _add(self, title: str, columns: list[str], likely: str | None) -> Choice:
        choice = Choice(title)
        for name, column in ((say("choose…"), None), *zip(columns, columns, strict=True)):
            choice.addItem(name, column)
        choice.setCurrentIndex(choice.findData(likely) if likely else 0)
        choice.activated.connect(self.edited)
        fill(self._layout, label(title, "muted"), choice)
        return choice


class LengthField(QWidget):
    """How long a run trains: a number, and whether it counts epochs, minutes or steps."""

    submitted = Signal()
    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.spin_box, self.unit_choice = SpinBox(), Choice(say("What the number counts"))
        self._usual: dict[str, float] = {}
        hbox((self.spin_box, 1), (self.unit_choice, 1), parent=self, gap_px=6)
        self.spin_box.setMinimumWidth(theme.px(60))  # the longest number need not fit
        self.spin_box.setAccessibleName(say("How long to train"))
        self.spin_box.returnPressed.connect(self.submitted)
        self.spin_box.valueChanged.connect(self.edited)
        self.unit_choice.activated.connect(self._on_unit_activated)

    @property
    def unit(self) -> str:
        """What the number counts: EPOCHS, MINUTES or STEPS."""
        return str(self.unit_choice.currentData())

    @property
    def number(self) -> float:
        self.spin_box.interpretText()
        return self.spin_box.value()

    def set_usual(self, usual: dict[str, float]) -> None:
        """Unit -> the number that is usual; the first is chosen."""
        if usual != self._usual:
            self._usual = usual
            titles = {EPOCHS: say("epochs"), MINUTES: say("minutes"), STEPS: say("steps")}
            self.unit_choice.clear()
            for unit in usual:
                self.unit_choice.addItem(titles[unit], unit)
            self._on_unit_activated(0)

    def set_length(self, unit: str, number: float) -> None:
        """As if it were chosen and typed."""
        index = self.unit_choice.findData(unit)
        self.unit_choice.setCurrentIndex(index)
        self._on_unit_activated(index)
        self.spin_box.setValue(number)

    def _on_unit_activated(self, index: int) -> None:
        unit, usual = list(self._usual.items())[index]
        set_range(self.spin_box, BUDGETS[unit])
        self.spin_box.setValue(usual)
