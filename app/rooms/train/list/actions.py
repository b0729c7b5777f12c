"""What can be done with a run that is there: a menu, and the questions that it asks first."""

import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QWidget,
)

from bertcore.errors import BertcoreError, printable
from bertcore.runs.run_folder import CONFIG, RunFolder
from bertcore.settings import Setting, settings_of
from bertcore.training.options import RunOptions
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.run_settings import options_of

from ....look import say, theme
from ....runs.process import RunCommand
from ....runs.run_info import MOST_NOTE, RunInfo, RunLabel, tidy_tags
from ....runs.run_keeping import export_name
from ....runs.run_kinds import kind_in
from ....runs.run_state import RunState
from ....runs.sweeps import SweepRow, again, can_be_swept, five_rates, three_seeds
from ....widgets.card import label
from ....widgets.context_menu import Entry
from ....widgets.layouts import vbox

MOST_NAME = 120  # characters
_ONLY_IN_RECIPES = ("mixture", "start", "tokenizer")  # and for pretraining "model": a table of sizes
_COLUMN_FLAGS = {"text": "--text", "text_b": "--text-b", "label": "--label"}


class RunActions(QObject):
    """Asks what has to be asked, and says in the state what a person wants of a run."""

    copy_requested = Signal(object)  # RunInfo: its settings are to be those of a new run
    compare_requested = Signal(object)  # Path
    start_requested = Signal(object)  # RunInfo: its last step is to be compared with its first

    def __init__(self, parent: QWidget, state: RunState) -> None:
        super().__init__(parent)
        self._window, self._state = parent, state
        self.dialog: LabelDialog | None = None
        self.question: QMessageBox | None = None

    def entries(self, run: RunInfo | SweepRow, compare: str = "") -> Sequence[Entry]:
        """Of a menu. compare: the words for laying its curves over those on show; "": it cannot be."""
        if isinstance(run, SweepRow):
            return [(say("Delete all runs of this sweep…"), partial(self.ask_delete, run))]
        found: list[Entry] = []
        if not run.is_built_in:
            found += [(say("Name, tags and note…"), partial(self.ask_label, run)), None]
        if compare:
            found.append((compare, partial(self.compare_requested.emit, run.path)))
        if len(RunFolder(run.path).snapshots()) > 1:
            found.append((say("Compare with its start"), partial(self.start_requested.emit, run)))
        found.append((say("New run with these settings…"), partial(self.copy_requested.emit, run)))
        if can_be_swept(run.kind) and not run.is_built_in:
            found += [
                (say("Repeat with three seeds"), partial(self.start_several, run, three_seeds)),
                (say("Try five learning rates"), partial(self.start_several, run, five_rates)),
            ]
        found += [
            (say("Copy as a shell command"), partial(self.copy_command, run)),
            (say("Open its folder"), partial(QDesktopServices.openUrl, QUrl.fromLocalFile(str(run.path)))),
            (say("Export as one file…"), partial(self.ask_export, run)),
        ]
        if not run.is_built_in:
            found += [None, (say("Delete…"), partial(self.ask_delete, run))]
        return found

    def start_several(self, run: RunInfo, several: Callable[[RunCommand], RunCommand]) -> None:
        """Runs with the settings of this one."""
        try:
            self._state.start_requested.emit(several(again(run)))
        except BertcoreError as error:
            self._state.problem_found.emit(str(error))

    def ask_label(self, run: RunInfo) -> None:
        dialog = self.dialog = LabelDialog(run, self._window)
        dialog.accepted.connect(lambda: self._state.label_given.emit(run.path, dialog.label))
        dialog.open()

    def ask_delete(self, run: RunInfo | SweepRow) -> None:
        """A run at work is not deleted: that is said before anything is asked."""
        if run.is_active if isinstance(run, SweepRow) else run.status.active:
            still = say("“{name}” is still running. Stop it first, then delete it.", name=run.name)
            self._state.problem_found.emit(still)
            return
        text = say("Move “{name}” with all its snapshots to the bin?", name=run.name)
        self.question = QMessageBox(QMessageBox.Icon.Question, say("Delete a run"), text, parent=self._window)
        self.question.setTextFormat(Qt.TextFormat.PlainText)  # a run may be called "<img src=...>"
        about = say("%n run(s)", n=len(run.runs)) if isinstance(run, SweepRow) else printable(str(run.path))
        self.question.setInformativeText(about)
        self.question.addButton(say("Move to the bin"), QMessageBox.ButtonRole.AcceptRole)
        self.question.addButton(QMessageBox.StandardButton.Cancel)
        self.question.accepted.connect(partial(self._state.delete_requested.emit, run))
        self.question.open()

    def ask_export(self, run: RunInfo) -> None:
        title, start = say("Export a run"), Path.home() / export_name(run.name)
        chosen, _ = QFileDialog.getSaveFileName(self._window, title, str(start), say("Zip file (*.zip)"))
        if chosen:
            file = Path(chosen)
            self._state.export_requested.emit(run, file if file.suffix.lower() == ".zip" else Path(f"{file}.zip"))

    def copy_command(self, run: RunInfo) -> None:
        try:
            QApplication.clipboard().setText(shell_command(run.path))
        except BertcoreError as error:
            self._state.problem_found.emit(str(error))


class LabelDialog(QDialog):
    """A run's name, tags and note."""

    def __init__(self, run: RunInfo, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(say("Name, tags and note"))
        self.name, self.tags = QLineEdit(run.name), QLineEdit(", ".join(run.tags))
        self.note = QPlainTextEdit(run.note)
        self.name.setMaxLength(MOST_NAME)
        self.tags.setPlaceholderText(say("first try, small"))
        self.note.setTabChangesFocus(True)
        self.note.setMinimumHeight(theme.px(90))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        titles = (say("Name"), say("Tags, separated by commas"), say("Note"))
        layout = vbox(parent=self, gap_px=6, margins=(theme.px(14),) * 4)
        for title, field in zip(titles, (self.name, self.tags, self.note), strict=True):
            field.setAccessibleName(title)
            layout.addWidget(label(title, "muted"))
            layout.addWidget(field)
        layout.addWidget(buttons)
        self.resize(theme.px(420), theme.px(330))

    @property
    def label(self) -> RunLabel:
        """What was typed. Without a name the run gets back the one that it was started with."""
        note = self.note.toPlainText()[:MOST_NOTE]
        return RunLabel(" ".join(self.name.text().split()), tidy_tags(list(self.tags.text().split(","))), note)


def shell_command(run: Path) -> str:
    """`bertcore pretrain --corpus ...` with the settings that are not the usual ones; where no flag says one of them,
    `bertcore pretrain --recipe RUN/config.json`. Raises BertcoreError where the run's config cannot be read.

    No word has a line break or another control character, which a terminal may obey as it is pasted.
    """
    config = RunFolder(run).config()
    kind = str(config.get("kind", PretrainOptions.kind))
    words = _flags(config)
    if not words or not _is_plain(words):
        words = ["--recipe", str(run / CONFIG)]
    command = ["bertcore", kind, *words]
    if not _is_plain(command):
        raise BertcoreError(
            f"There are control characters in the name or kind of the run {run}; rename its folder, then copy again."
        )
    return subprocess.list2cmdline(command) if sys.platform == "win32" else shlex.join(command)


def _flags(config: Mapping[str, Any]) -> list[str] | None:
    """None where a recipe is needed."""
    known = kind_in(config)
    if known is None or not known.has_flags:
        return None
    changed = list(_changed(options_of(config)))
    if any(each.name in _ONLY_IN_RECIPES or (each.kind is Mapping and each.name != "columns") for each, _ in changed):
        return None
    words: list[str] = []
    for setting, value in changed:
        flag = f"--{setting.name.replace('_', '-')}"
        if setting.name == "task":
            words = [str(value), *words]
        elif setting.kind is bool:
            words.append(flag if value else f"--no-{flag[2:]}")
        elif setting.name == "columns":
            words += [word for role, column in value.items() for word in (_COLUMN_FLAGS[role], str(column))]
        elif setting.kind is tuple:
            if any(str(item).startswith("-") for item in value):  # it would be taken for a flag
                return None
            words += [flag, *map(str, value)]
        else:
            words += [flag, str(value)]
    return words


def _is_plain(words: list[str]) -> bool:
    return all(printable(word) == word and "\n" not in word and "\t" not in word for word in words)


def _changed(options: RunOptions) -> Iterator[tuple[Setting, Any]]:
    """Settings that are not the usual ones, with their values."""
    usual, values = type(options)().to_dict(), options.to_dict()
    for setting in settings_of(type(options)):
        table = values[setting.section] if setting.section else values
        before = usual[setting.section] if setting.section else usual
        if table[setting.name] != before[setting.name] and table[setting.name] is not None:
            yield setting, table[setting.name]
