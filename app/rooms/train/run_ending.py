"""What happened in a run that is over, and what to do next: a slim strip above its curves."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QPushButton

from bertcore.errors import BertcoreError, printable
from bertcore.files import read_bytes
from bertcore.runs.run_folder import LOG as LOG_FILE

from ...look import theme
from ...look.say import say
from ...runs.ending import AGAIN, APPLY, BEST, COMPARE, GO_ON, LOG, ON, OPEN, SLOWER, Ending
from ...widgets.card import button, label, snug
from ...widgets.layouts import hbox, vbox

MOST_ACTIONS, MOST_PROJECTED, LOG_LINES = 5, 3, 200
MOST_ROWS, HIGHEST_PX = 8, 16_000  # of a short log, of a long one


class RunEnding(QFrame):
    """`action` is one of the names of `runs.ending`; the log is shown here."""

    action = Signal(str)
    log_toggled = Signal()  # shows_long_log may be another now

    def __init__(self) -> None:
        super().__init__()
        self.ending: Ending | None = None
        self._run = Path()
        self.setProperty("look", "task-done")
        self.setAccessibleName(say("How it ended"))
        self.sentence, self.advice = snug(label("", "strong", wrap=True)), snug(label("", "muted", wrap=True))
        titles = {
            GO_ON: (say("Resume"), say("Continue from its newest snapshot")),
            ON: (say("Keep training…"), say("A new run that starts from the weights of its last step")),
            SLOWER: (say("Try a lower rate"), say("A new run with a third of its learning rate")),
            BEST: (say("Open the best step"), say("All pictures show the snapshot nearest to it")),
            APPLY: (say("Try it in Apply"), say("Run the model on your own text")),
            OPEN: (
                say("Open this model"),
                say("All pictures, from Map to Layers, show the model as it was at its last step"),
            ),
            COMPARE: (
                say("Compare with its start"),
                say("See what training changed: all pictures show its last step beside its first"),
            ),
            AGAIN: (say("New run with these settings…"), say("Change its name, length or learning rate")),
            LOG: (say("Show the log"), say("What happened, line by line")),
        }
        self.buttons: dict[str, QPushButton] = {
            key: button(title, lambda key=key: self._on_clicked(key), look="small", hint=hint)  # type: ignore[misc]
            for key, (title, hint) in titles.items()
        }
        self.buttons[LOG].setCheckable(True)
        self._shown: list[str] | None = None
        self._row = hbox(*self.buttons.values(), None, gap_px=6)
        self.log = QPlainTextEdit()
        self.log.setReadOnly(True)
        self.log.setAccessibleName(say("The log"))
        self.log.hide()
        margins = (theme.px(10), theme.px(5), theme.px(10), theme.px(5))
        vbox(
            self.sentence,
            self.advice,
            self._row,
            (self.log, 1),
            parent=self,
            gap_px=3,
            margins=margins,
        )
        self.hide()

    def show_ending(self, ending: Ending | None, run: Path, possible: set[str], is_ill: bool = False) -> None:
        """possible: what can be done here at all; others are left out. is_ill: a warning stands below."""
        if run != self._run:
            self._show_log(False)
        self._run = run
        is_log_there = (run / LOG_FILE).is_file()
        shown = [key for key in (ending.actions if ending else ()) if key in possible or (key == LOG and is_log_there)]
        self._show_buttons(shown[: MOST_ACTIONS if not theme.is_projector() else MOST_PROJECTED])
        self.ending = ending
        self.setVisible(ending is not None)
        if ending is not None:
            look = "banner" if ending.is_bad else "task" if is_ill else "task-done"
            if look != self.property("look"):
                self.setProperty("look", look)
                self.style().polish(self)
            self.sentence.setText(ending.sentence)
            details = "" if theme.is_projector() else ending.details
            self.advice.setText("\n".join(filter(None, (ending.advice, details))))
            self.advice.setVisible(bool(ending.advice) and not (theme.is_projector() and not ending.is_bad))

    def _show_buttons(self, keys: list[str]) -> None:
        """In this order."""
        if keys != self._shown:
            self._shown = keys
            for key, made in self.buttons.items():
                made.setVisible(key in keys)
            for place, key in enumerate(keys):
                self._row.insertWidget(place, self.buttons[key])

    def _on_clicked(self, key: str) -> None:
        if key == LOG:
            self._show_log(self.buttons[LOG].isChecked())
        else:
            self.action.emit(key)

    @property
    def shows_long_log(self) -> bool:
        """It stands in the place of the curves; a short one leaves them their room."""
        return self.buttons[LOG].isChecked() and self.ending is not None and self._log_rows() > MOST_ROWS

    def _log_rows(self) -> int:
        """Of its text, in so wide a strip."""
        metrics, width = self.log.fontMetrics(), max(self.width() - theme.px(60), 1)
        lines = self.log.toPlainText().splitlines()
        return sum(-(-metrics.horizontalAdvance(line) // width) or 1 for line in lines)

    def hide_log(self) -> None:
        self._show_log(False)

    def _show_log(self, is_on: bool) -> None:
        """Its last lines; the whole of it is in the run's folder, which the menu opens."""
        self.buttons[LOG].setChecked(is_on)
        self.buttons[LOG].setText(say("Hide the log") if is_on else say("Show the log"))
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
