"""The form for a new run with the settings of another: what differs is its name, its length, its learning rate."""

import math

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from bertcore.errors import BertcoreError
from bertcore.runs.diagnosis import Suggestion
from bertcore.runs.diagnosis_words import suggestion_in_words
from bertcore.runs.run_folder import RunFolder
from bertcore.training.distil_options import DistilOptions
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.options import BUDGETS
from bertcore.training.pretrain_options import DEFAULT_MINUTES, PretrainOptions

from ...look import numbers
from ...look.say import mark, say
from ...runs.process import Options, RunCommand
from ...runs.run_info import RunInfo
from ...widgets.card import button, label, set_role
from ...widgets.controls import SpinBox
from ...widgets.layouts import hbox, vbox
from .health_strip import window_format

OPTIONS: dict[str, type[Options]] = {kind.kind: kind for kind in (PretrainOptions, FinetuneOptions, DistilOptions)}
UNITS = {
    "epochs": mark("How long, in epochs"),
    "steps": mark("How long, in steps"),
    "minutes": mark("How long, in minutes"),
}


class CopyForm(QWidget):
    """`started` carries the run; `cancelled` means back to the list."""

    started = Signal(object)  # RunCommand
    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._options: Options = PretrainOptions()
        self._unit = "minutes"
        self._own_rate = ""  # that of the run; left as it is, it is the usual one where the run had the usual one
        self.about = label("", "muted", wrap=True)
        self.name, self.length, self.rate = QLineEdit(), SpinBox(), QLineEdit()
        self._length_title = label(say(UNITS[self._unit]), "muted")
        self._rate_title = label(say("Learning rate"), "muted")
        self.length.setAccessibleName(self._length_title.text())
        self.name.setMaxLength(60)
        self.name.setAccessibleName(say("Name"))
        self.rate.setAccessibleName(say("Learning rate"))
        self.length.setDecimals(2)
        self.length.setAccessibleName(say(UNITS[self._unit]))
        self._suggested: Suggestion | None = None  # that has no field here
        self.mark = label("", "strong", wrap=True)
        self.problem = label("", "error", wrap=True)
        start = button(say("Start"), self.submit, look="primary")
        cancel = button(say("Cancel"), self.cancelled.emit)
        vbox(
            self.about,
            self.mark,
            label(say("Name"), "muted"),
            self.name,
            self._length_title,
            self.length,
            self._rate_title,
            self.rate,
            self.problem,
            None,
            hbox((start, 1), cancel),
            parent=self,
            gap_px=5,
        )

    def show_run(self, info: RunInfo, suggested: Suggestion | None = None) -> None:
        """Takes over its settings, with a marked change; of a short run of a sweep with the length that it has alone.

        Raises BertcoreError where its folder does not say them.
        """
        config = RunFolder(info.path).config()
        self._options = OPTIONS[info.kind].from_dict(config)
        training = self._options.training
        unit = next((unit for unit in BUDGETS if getattr(training, unit, None) is not None), "minutes")
        share = info.sweep.budget_share if info.sweep is not None else 1.0
        length = (getattr(training, unit) or DEFAULT_MINUTES) / share
        changed = "" if suggested is None else suggested.setting
        if suggested is not None and changed == "steps":
            unit, length = "steps", suggested.value
        self._unit = unit
        self._length_title.setText(say(UNITS[self._unit]))
        self.length.setAccessibleName(self._length_title.text())
        self.length.setRange(0.01 if self._unit != "steps" else 1, math.inf)
        self.length.setValue(length)
        rate = self._options.peak_rate if isinstance(self._options, PretrainOptions) else training.learning_rate
        self._own_rate = "" if rate is None else numbers.rate(rate)
        is_rate = suggested is not None and changed == "learning_rate"
        self.rate.setText(numbers.rate(suggested.value) if is_rate else self._own_rate)  # type: ignore[union-attr]
        set_role(self._rate_title, "strong" if is_rate else "muted")
        set_role(self._length_title, "strong" if changed == "steps" else "muted")
        self._suggested = None if changed in ("", "steps", "learning_rate") else suggested
        words = "" if suggested is None else suggestion_in_words(suggested, window_format(), say)
        self.mark.setText(words)
        self.mark.setVisible(bool(words))
        text = say("Text, model and all other settings are those of “{name}”.")
        self.about.setText(text.format(name=info.name))
        self.name.setText(info.name[:57] + " 2")
        self.problem.hide()

    def submit(self) -> None:
        try:
            self.started.emit(self.command())
        except BertcoreError as error:
            self.problem.setText(str(error))
            self.problem.show()

    def command(self) -> RunCommand:
        """The run to start. Raises BertcoreError with a sentence where it cannot be run."""
        self.length.interpretText()
        length = self.length.value()
        typed = self.rate.text().strip()
        rate = None if typed in ("", self._own_rate) else numbers.read(typed)
        if rate is None and typed not in ("", self._own_rate):
            problem = say("The learning rate {text} is not a number; try 0.0005.")
            raise BertcoreError(problem.format(text=typed))
        others = {} if self._suggested is None else {self._suggested.setting: self._suggested.value}
        budget = {self._unit: round(length) if self._unit == "steps" else length}
        changed = self._options.with_changes(
            name=self.name.text().strip() or self._options.name, learning_rate=rate, **budget, **others
        )
        return RunCommand(changed)
