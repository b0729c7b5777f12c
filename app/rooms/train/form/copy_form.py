"""The form for a new run with the settings of another: what differs is its name, its length, its learning rate."""

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from bertcore.errors import BertcoreError
from bertcore.runs.diagnosis import Suggestion
from bertcore.runs.diagnosis_words import suggestion_in_words
from bertcore.runs.run_folder import RunFolder
from bertcore.training.options import RunOptions
from bertcore.training.pretrain_options import DEFAULT_MINUTES, PretrainOptions

from ....look import numbers
from ....look.say import say
from ....runs.finding import window_format
from ....runs.process import RunCommand
from ....runs.run_info import RunInfo
from ....runs.run_kinds import MINUTES, STEPS, budget_of, read_settings
from ....runs.run_state import RunState
from ....widgets.card import button, label, show_text
from ....widgets.layouts import hbox, vbox
from .fields import MOST_NAME, SettingFields


class CopyForm(QWidget):
    """`cancelled` means back to the list."""

    cancelled = Signal()

    def __init__(self, state: RunState) -> None:
        super().__init__()
        self._state = state
        self._options: RunOptions = PretrainOptions()
        self._others: dict[str, Any] = {}  # a suggested change of a setting that has no field here
        self.about, self.mark = label("", "muted", wrap=True), label("", "strong", wrap=True)
        self.fields = SettingFields("muted", gap_px=5)
        self.problem = label("", "error", wrap=True)
        buttons = hbox(
            (button(say("Start"), self.submit, look="primary"), 1), button(say("Cancel"), self.cancelled.emit)
        )
        vbox(self.about, self.mark, self.fields, self.problem, None, buttons, parent=self, gap_px=5)

    def show_run(self, info: RunInfo, suggested: Suggestion | None = None) -> None:
        """Takes over its settings, with a marked change; of a short run of a sweep with the length that it has alone.

        Raises BertcoreError where its folder does not say them.
        """
        self._options = options = read_settings(RunFolder(info.path).config(), info.name)
        unit, length = budget_of(options) or (MINUTES, DEFAULT_MINUTES)
        changes = {} if suggested is None else {suggested.setting: suggested.value}
        if STEPS in changes:
            unit, length = STEPS, changes[STEPS]
        elif info.sweep is not None:
            length /= info.sweep.budget_share
        names = ("name", unit, "learning_rate")
        self._others = {name: value for name, value in changes.items() if name not in names}
        self.fields.show_settings(names, options)
        self.fields.set_value("name", info.name[: MOST_NAME - 3] + " 2")
        self.fields.set_value(unit, str(length))
        rate = options.peak_rate if isinstance(options, PretrainOptions) else options.training.learning_rate
        self.fields.set_usual_text("learning_rate", "" if rate is None else numbers.rate(rate))
        if "learning_rate" in changes:
            self.fields.set_value("learning_rate", numbers.rate(changes["learning_rate"]))
        self.fields.emphasise(changes)
        show_text(self.mark, "" if suggested is None else suggestion_in_words(suggested, window_format(), say))
        self.about.setText(say("Text, model and all other settings are those of “{name}”.", name=info.name))
        self.problem.hide()

    def set_focus(self) -> None:
        """A person types the name first."""
        self.fields.fields["name"].setFocus()

    def submit(self) -> None:
        try:
            self._state.start_requested.emit(self.command())
        except BertcoreError as error:
            show_text(self.problem, str(error))

    def command(self) -> RunCommand:
        """The run to start. Raises BertcoreError with a sentence where it cannot be run."""
        return RunCommand(self._options.with_changes(**self.fields.changes(), **self._others))
