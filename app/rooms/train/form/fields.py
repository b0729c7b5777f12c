"""Inputs for the settings of a run: the widget, its range and how it is checked follow from the setting itself.

fields = SettingFields("strong")
fields.show_settings(("preset", "seed"), PretrainOptions())
fields.changes()                              what was set to another value than the usual one
"""

import math
from collections.abc import Container, Mapping
from itertools import pairwise
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QLabel, QLineEdit, QWidget

from bertcore.config import PRESETS
from bertcore.errors import BertcoreError
from bertcore.settings import Setting, settings_of
from bertcore.training.options import BUDGETS, RunOptions
from bertcore.training.pretrain_options import FAMILY_DATA

from ....look import numbers
from ....look.say import mark, say
from ....widgets.card import label, set_role
from ....widgets.controls import Choice, SpinBox
from ....widgets.layouts import empty, fill, vbox
from .setting_words import CHOICE_WORDS, PROPER_NAMES, SETTING_WORDS

MOST_NAME = 60  # characters


class SettingFields(QWidget):
    """Inputs for some settings of a run; left empty or as it is, each has its usual value."""

    submitted = Signal()  # Enter was pressed in one of them
    edited = Signal()

    def __init__(self, title_role: str = "", *, has_help: bool = False, gap_px: float = 4) -> None:
        """has_help: a line of help below each, and some space."""
        super().__init__()
        self.fields: dict[str, QWidget] = {}
        self._titles: dict[str, QLabel] = {}
        self._settings: dict[str, Setting] = {}
        self._usual: dict[str, Any] = {}
        self._usual_texts: dict[str, str] = {}
        self._role, self._has_help = title_role, has_help
        self._layout = vbox(parent=self, gap_px=gap_px)

    def show_settings(self, names: tuple[str, ...], usual: RunOptions) -> None:
        """Inputs for these settings, whose usual values are those of `usual`."""
        all_values, known = values_of(usual), {each.name: each for each in settings_of(type(usual))}
        values = {name: all_values[name] for name in names}
        if (tuple(self.fields), self._usual) == (names, values):
            return
        empty(self._layout)
        self._titles, self._usual_texts = {}, {}
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
            return field.currentData()
        if isinstance(field, QCheckBox):
            return field.isChecked()
        if isinstance(field, QDoubleSpinBox):
            field.interpretText()
            return round(field.value()) if setting.kind is int else field.value()
        assert isinstance(field, QLineEdit)
        text = field.text().strip()
        if text == self._usual_texts.get(name, ""):
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
            field.setCurrentIndex(field.findData(text))
        elif isinstance(field, QCheckBox):
            field.setChecked(text == str(True))
        elif isinstance(field, QDoubleSpinBox):
            field.setValue(float(text))
        elif isinstance(field, QLineEdit):
            field.setText(text)

    def set_usual_text(self, name: str, text: str) -> None:
        """What a line shows from the beginning; as long as it is left there, the setting is not changed."""
        self._usual_texts[name] = text
        self.set_value(name, text)

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
            choice = Choice(title)
            for name in setting.choices:
                shown = "{}: {} × {}".format(name, *PRESETS[name]) if name in PRESETS else PROPER_NAMES.get(name)
                choice.addItem(shown or say(CHOICE_WORDS[name]), name)
            choice.setCurrentIndex(choice.findData(usual))
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
