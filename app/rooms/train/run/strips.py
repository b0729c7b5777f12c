"""Slim strips above the curves: what happened or what is wrong, and a button for each thing one can do next."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QBoxLayout, QFrame, QPlainTextEdit, QPushButton, QWidget

from bertcore.errors import BertcoreError, printable
from bertcore.files import read_bytes
from bertcore.runs.diagnosis import Diagnosis
from bertcore.runs.run_folder import LOG as LOG_FILE

from ....look import say, theme
from ....runs.finding import LOG, Action, Finding, is_normal, normal_sentence, warning_of
from ....widgets.card import at_line_height, button, label, show_text
from ....widgets.layouts import FlowLayout, empty, fill, hbox, vbox

MOST_ACTIONS, MOST_PROJECTED = 5, 3
LOG_LINES, MOST_ROWS, HIGHEST_PX = 200, 8, 16_000  # read; of a short log; of a long one
MOST_WARNINGS = 2  # more would hide the curves; what comes first mostly explains the rest


class FindingStrip(QFrame):
    """A finding: its sentence, its advice and its actions, below them or, where it is a warning, beside them."""

    action = Signal(object)  # Action

    def __init__(self, name: str, *, is_warning: bool = False) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.finding: Finding | None = None
        self.sentence = at_line_height(label("", "strong", wrap=True))
        self.advice = at_line_height(label("", "" if is_warning else "muted", wrap=True))
        self.buttons: dict[Action, QPushButton] = {}
        self._row = FlowLayout()
        left, top, right, bottom = map(theme.px, (10, 5, 8, 6) if is_warning else (10, 5, 10, 5))
        if is_warning:
            words = vbox(self.sentence, self.advice, gap_px=1)
            self._box: QBoxLayout = hbox(
                (words, 1), self._row, parent=self, gap_px=8, margins=(left, top, right, bottom)
            )
        else:
            self._box = vbox(self.sentence, self.advice, self._row, gap_px=3, parent=self)
            self._box.setContentsMargins(left, top, right, bottom)
        self.hide()

    def show_finding(self, finding: Finding | None, look: str = "task-done") -> None:
        """look: of a strip whose finding is not bad."""
        self.finding = finding
        self.setVisible(finding is not None)
        if finding is None:
            return
        look = "banner" if finding.is_bad else look
        if look != self.property("look"):
            self.setProperty("look", look)
            self.style().polish(self)
        self.sentence.setText(finding.sentence)
        show_text(self.advice, "\n".join(filter(None, (finding.advice, finding.details))))
        if finding.actions != tuple(self.buttons):
            empty(self._row)
            self.buttons = {each: self._button(each) for each in finding.actions}
            for made in self.buttons.values():
                self._row.addWidget(made)

    def _button(self, action: Action) -> QPushButton:
        return button(say(action.title), partial(self.action.emit, action), look="small", hint=say(action.hint))


class EndingStrip(FindingStrip):
    """What happened in a run that is over; its log is shown here, too."""

    log_toggled = Signal()  # shows_long_log may be another now

    def __init__(self) -> None:
        super().__init__(say("How it ended"))
        self._run = Path()
        self.log = QPlainTextEdit(readOnly=True)
        self.log.setAccessibleName(say("The log"))
        self.log.hide()
        fill(self._box, self.log)
        self.action.connect(self._on_action)

    def show_ending(self, ending: Finding | None, run: Path, *, is_ill: bool = False) -> None:
        """is_ill: a warning stands below."""
        if run != self._run:
            self.show_log(False)
        self._run = run
        if ending is not None:
            has_log = (run / LOG_FILE).is_file()
            actions = tuple(each for each in ending.actions if each is not LOG or has_log)
            if theme.is_projector():
                advice = ending.advice if ending.is_bad else ""
                ending = replace(ending, actions=actions[:MOST_PROJECTED], advice=advice, details="")
            else:
                ending = replace(ending, actions=actions[:MOST_ACTIONS])
        self.show_finding(ending, "task" if is_ill else "task-done")

    @property
    def shows_long_log(self) -> bool:
        """It stands in the place of the curves; a short one leaves them their room."""
        return not self.log.isHidden() and self.finding is not None and self._log_rows() > MOST_ROWS

    def show_log(self, is_on: bool) -> None:
        """Its last lines; the whole of it is in the run's folder, which the menu opens."""
        if LOG in self.buttons:
            self.buttons[LOG].setText(say("Hide the log") if is_on else say(LOG.title))
            self.buttons[LOG].setChecked(is_on)
        self.log.setVisible(is_on)
        if is_on:
            try:
                text = read_bytes(self._run / LOG_FILE).decode("utf-8", errors="replace")
            except (BertcoreError, OSError) as error:
                text = str(error)
            self.log.setPlainText("\n".join(printable(line) for line in text.splitlines()[-LOG_LINES:]))
            least = min(self._log_rows(), MOST_ROWS) * self.log.fontMetrics().lineSpacing() + theme.px(24)
            self.log.setMinimumHeight(least)
            self.log.setMaximumHeight(HIGHEST_PX if self.shows_long_log else least)
            self.log.verticalScrollBar().setValue(self.log.verticalScrollBar().maximum())
        self.log_toggled.emit()

    def _log_rows(self) -> int:
        """Of its text, in so wide a strip."""
        metrics, width = self.log.fontMetrics(), max(self.width() - theme.px(60), 1)
        lines = self.log.toPlainText().splitlines()
        return sum(-(-metrics.horizontalAdvance(line) // width) or 1 for line in lines)

    def _button(self, action: Action) -> QPushButton:
        made = super()._button(action)
        if action is LOG:
            made.setCheckable(True)
            made.setChecked(not self.log.isHidden())
        return made

    def _on_action(self, action: Action) -> None:
        if action is LOG:
            self.show_log(self.log.isHidden())


class HealthStrip(QWidget):
    """Is this normal? What is wrong with the run, with a change to try; or, quietly, that nothing is."""

    try_requested = Signal(object)  # Suggestion

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(say("Is this normal?"))
        self.shown: list[Diagnosis] = []
        self.quiet = at_line_height(label("", "muted", wrap=True))
        self.warnings = [FindingStrip("", is_warning=True) for _ in range(MOST_WARNINGS)]
        for warning in self.warnings:
            warning.action.connect(partial(self._try_change, warning))
        vbox(self.quiet, *self.warnings, parent=self, gap_px=6)
        self.show_health([])

    @property
    def is_ill(self) -> bool:
        return any(not is_normal(one) for one in self.shown)

    def show_health(self, found: Sequence[Diagnosis], *, is_over: bool = False) -> None:
        """What `runs.finding.health_of` says. is_over: the figures stand above, in what is said of the end."""
        self.shown = list(found)
        normal = next(filter(is_normal, found), None)
        if normal is not None:
            self.quiet.setText(normal_sentence(normal, is_over=is_over))
        self.quiet.setVisible(normal is not None and not theme.is_projector())  # a class looks at the curves
        ill = [warning_of(one, in_short=theme.is_projector()) for one in found if not is_normal(one)]
        for warning, finding in zip(self.warnings, [*ill, None, None], strict=False):
            warning.show_finding(finding)
            warning.setAccessibleName(finding.sentence if finding else "")
        self.setVisible(bool(ill) or not self.quiet.isHidden())

    def show_step(self, found: Diagnosis | None) -> None:
        """What looked normal at an earlier step; None: it was too early to say. The line keeps its place."""
        self.quiet.setText("\u00a0" if found is None else normal_sentence(found))

    def _try_change(self, warning: FindingStrip, _action: Action) -> None:
        if warning.finding is not None:
            self.try_requested.emit(warning.finding.suggestion)
