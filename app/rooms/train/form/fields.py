"""Inputs for the settings of a run: the widget, its range and how it is checked follow from the setting itself; and
those that are no single setting: the model to start from, columns of a file, how long to train.

fields = SettingFields("strong")
fields.show_settings(("preset", "seed"), PretrainOptions())
fields.changes()                              what was set to another value than the usual one
"""

import math
from collections.abc import Container, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QFileDialog, QLabel, QLineEdit, QWidget

from bertcore.config import PRESETS
from bertcore.errors import BertcoreError
from bertcore.locations import BUILT_IN
from bertcore.settings import Setting, settings_of
from bertcore.tasks.readers.columns import columns_in, likely_column
from bertcore.tasks.spec import Role, TaskSpec
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.options import BUDGETS, RunOptions
from bertcore.training.pretrain_options import FAMILY_DATA

from ....look import mark, numbers, say, theme
from ....runs.run_info import RunInfo, model_name
from ....runs.run_kinds import EPOCHS, MINUTES, STEPS
from ....runs.run_state import RunState
from ....widgets.card import label, set_role
from ....widgets.controls import Choice, SpinBox
from ....widgets.layouts import empty, fill, hbox, vbox
from .setting_words import CHOICE_WORDS, PROPER_NAMES, SETTING_WORDS

MOST_NAME = 60  # characters
MOST_RUNS = 12
_LENGTHS = {each.name: each for each in settings_of(FinetuneOptions) if each.name in BUDGETS}
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


class SettingFields(QWidget):
    """Inputs for some settings of a run; left empty or as it is, each has its usual value."""

    submitted = Signal()  # Enter was pressed in one of them
    edited = Signal()

    def __init__(self, title_role: str = "", *, has_help: bool = False) -> None:
        """has_help: a line of help below each, and some space."""
        super().__init__()
        self.fields: dict[str, QWidget] = {}
        self._titles: dict[str, QLabel] = {}
        self._settings: dict[str, Setting] = {}
        self._usual: dict[str, Any] = {}
        self._role, self._has_help = title_role, has_help
        self._layout = vbox(parent=self, gap_px=4)

    def show_settings(self, names: tuple[str, ...], usual: RunOptions) -> None:
        """Inputs for these settings, whose usual values are those of `usual`."""
        all_values, known = values_of(usual), {each.name: each for each in settings_of(type(usual))}
        values = {name: all_values[name] for name in names}
        if (tuple(self.fields), self._usual) == (names, values):
            return
        empty(self._layout)
        self._titles = {}
        self._settings, self._usual = {name: known[name] for name in names}, values
        self.fields = {name: self._add(known[name], usual.kind) for name in names}
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # for Qt to put them where this widget is in the order of Tab
        for before, after in pairwise((self, *self.fields.values())):
            QWidget.setTabOrder(before, after)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def value(self, name: str) -> Any:
        """What is set; None where it is left empty. Raises BertcoreError with a sentence for what cannot be."""
        field, setting = self.fields[name], self._settings[name]
        if isinstance(field, Choice):
            return field.currentData() or None
        if isinstance(field, QCheckBox):
            return field.isChecked()
        if isinstance(field, QDoubleSpinBox):
            field.interpretText()
            return round(field.value()) if setting.kind is int else field.value()
        assert isinstance(field, QLineEdit)
        text = field.text().strip()
        if not text:
            return None
        return text if setting.kind is str else _number(text, setting, field.accessibleName())

    def changes(self) -> dict[str, Any]:
        """What was set to another value than the usual one. Raises BertcoreError with a sentence for what cannot be."""
        found = {name: self.value(name) for name in self.fields}
        changed = {name: value for name, value in found.items() if value is not None and value != self._usual[name]}
        if "family" in changed:
            changed["pairs"] = found["pairs"]  # even BERT's own
        if "sequence_length" in changed:
            changed["long_sequence_length"] = changed["sequence_length"]
        return changed

    def set_value(self, name: str, text: str) -> None:
        """As if it were typed or chosen: a number, or a choice as the setting calls it."""
        field = self.fields[name]
        if isinstance(field, Choice):
            field.setCurrentIndex(field.findData("" if text == str(None) else text))
        elif isinstance(field, QCheckBox):
            field.setChecked(text == str(True))
        elif isinstance(field, QDoubleSpinBox):
            field.setValue(float(text))
        elif isinstance(field, QLineEdit):
            field.setText(text)

    def emphasise(self, names: Container[str]) -> None:
        """Makes the titles of these settings stand out among the others."""
        for name, title in self._titles.items():
            set_role(title, "strong" if name in names else self._role)

    def show_values(self, values: Mapping[str, Any]) -> None:
        """Fills in the settings of a recipe."""
        for name, field in self.fields.items():
            is_usual = values.get(name) in (None, self._usual[name])
            value = "" if isinstance(field, QLineEdit) else self._usual[name]
            self.set_value(name, str(value if is_usual else values[name]))

    def _add(self, setting: Setting, kind: str) -> QWidget:
        words = SETTING_WORDS.get(f"{kind}.{setting.name}") or SETTING_WORDS[setting.name]
        title, about = (say(each) if each else "" for each in words)
        field = self._input(setting, title, self._usual[setting.name])
        field.setAccessibleName(title)
        field.setAccessibleDescription(about)
        field.setToolTip(about or title)
        if not isinstance(field, QCheckBox):
            self._titles[setting.name] = label(title, self._role)
            fill(self._layout, self._titles[setting.name])
        fill(self._layout, field)
        if self._has_help:
            fill(self._layout, label(about, "muted", wrap=True), 6)
        return field

    def _input(self, setting: Setting, title: str, usual: Any) -> QWidget:
        if setting.choices:
            choice = Choice(title, {"": say("automatic")} if setting.optional else None)
            for name in setting.choices:
                shown = "{}: {} × {}".format(name, *PRESETS[name]) if name in PRESETS else PROPER_NAMES.get(name)
                choice.addItem(shown or say(CHOICE_WORDS[name]), name)
            choice.setCurrentIndex(choice.findData(usual or ""))
            choice.currentIndexChanged.connect(self.edited)
            if setting.name == "family":
                choice.activated.connect(  # each family has learned from pairs of its own
                    lambda _index: self.set_value("pairs", FAMILY_DATA[choice.currentData()]["pairs"])
                )
            return choice
        if setting.kind is bool:
            box = QCheckBox(title)
            box.setChecked(bool(usual))
            box.toggled.connect(self.edited)
            return box
        if setting.name in BUDGETS:
            length = SpinBox()
            set_range(length, setting)
            length.valueChanged.connect(self.edited)
            return length
        line = QLineEdit()
        if setting.kind is str:
            line.setMaxLength(MOST_NAME)
        else:
            line.setPlaceholderText(say("automatic") if usual is None else numbers.rate(usual))
        line.returnPressed.connect(self.submitted)
        line.textChanged.connect(self.edited)
        return line


def values_of(options: RunOptions) -> dict[str, Any]:
    """Setting -> value."""
    return {
        each.name: getattr(getattr(options, each.section) if each.section else options, each.name)
        for each in settings_of(type(options))
    }


def set_range(box: QDoubleSpinBox, setting: Setting) -> None:
    """The setting's own: a number out of it cannot be typed."""
    box.setDecimals(0 if setting.kind is int else 2)
    box.setRange(*_limits(setting))


def _limits(setting: Setting) -> tuple[float, float]:
    return setting.at_least or 0.0, math.inf if setting.at_most is None else setting.at_most


def _number(text: str, setting: Setting, title: str) -> float:
    """Raises BertcoreError where the text is no number that the setting can have."""
    value, (low, high) = numbers.read(text), _limits(setting)
    if value is not None and low <= value <= high and (setting.kind is not int or value == int(value)):
        return int(value) if setting.kind is int else value
    sentence = mark("{field}: type a number from {low} to {high}.")
    if setting.kind is int:
        sentence = mark("{field}: type a whole number from {low} to {high}.")
    raise BertcoreError(say(sentence, field=title, low=numbers.rate(low), high=numbers.rate(high)))


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
        titles = {**_COLUMNS[""], **_COLUMNS.get(spec.kind, {})} if spec is not None and columns else {}
        for role, title in titles.items():
            if spec is not None and role in spec.columns:
                items = {None: say("choose…")} | {column: column for column in columns}
                choice = self.choices[role] = Choice(say(title), items, self.edited.emit)
                likely = likely_column(spec, role, columns)
                choice.setCurrentIndex(choice.findData(likely) if likely else 0)
                fill(self._layout, label(say(title), "muted"), choice)

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
        """Unit -> the number that is usual, 0 for what follows from the file; the first is chosen."""
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
        set_range(self.spin_box, _LENGTHS[unit])
        self.spin_box.setMinimum(min(usual, self.spin_box.minimum()))
        self.spin_box.setSpecialValueText("" if usual else say("automatic"))
        self.spin_box.setValue(usual)
