"""How far a question is, and a way to stop it; or a sentence on why there is no answer, and a way to start again."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QProgressBar, QWidget

from ..compute.question import Question
from ..look import say
from .card import button, label
from .layouts import hbox

DELAY_MS = 300  # what is done before that needs no bar: it would come and go at each key


class ProgressLine(QWidget):
    """Follows one question or several, of which the first that runs is shown. Hidden while there is nothing to say."""

    def __init__(self, questions: Sequence[Question[Any]] = ()) -> None:
        super().__init__()
        self._questions: list[Question[Any]] = []
        self._runs = False
        self._delay = QTimer(self, singleShot=True)  # what is done before it is over has no bar
        self._delay.timeout.connect(self._show)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 100)
        self._bar.setAccessibleName(say("Progress"))
        self._sentence = label("", "muted", wrap=True)
        self._stop = button(say("Stop computing"), self._on_stop_clicked, look="small")
        self._start = button(say("Compute"), self._on_start_clicked, look="small", hint=say("Compute this now"))
        hbox((self._bar, 1), (self._sentence, 1), self._stop, self._start, parent=self, gap_px=8)
        for question in questions:
            self.follow(question)
        self._show()

    @property
    def text(self) -> str:
        """The sentence that is shown."""
        return self._sentence.text()

    @property
    def is_running(self) -> bool:
        """A bar with a way to stop is shown."""
        return not self._bar.isHidden()

    def follow(self, question: Question[Any]) -> None:
        """Shows this question's progress too."""
        self._questions.append(question)
        question.status_changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        running = [question for question in self._questions if question.is_running and not question.is_waiting]
        if running and not self._runs:
            self._delay.start(DELAY_MS)
        self._runs = bool(running)
        sentence = next((question.sentence for question in self._questions if question.sentence), "")
        is_shown = self._runs and not self._delay.isActive()
        self._bar.setValue(round((running[0].share or 0) * 100) if running else 0)
        self._bar.setVisible(is_shown)
        self._stop.setVisible(is_shown)
        self._sentence.setText(sentence)
        self._sentence.setVisible(bool(sentence) and not is_shown)
        self._start.setVisible(not running and any(question.can_restart for question in self._questions))
        self.setVisible(is_shown or bool(sentence))

    def _on_stop_clicked(self) -> None:
        for question in self._questions:
            if question.is_running:
                question.cancel(can_restart=True)

    def _on_start_clicked(self) -> None:
        for question in self._questions:
            if question.can_restart:
                question.start()
