"""How far a question is, and a way to stop it; or a sentence on why there is no answer, and a way to start again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from app.compute.question import Question
from app.look import theme
from app.widgets.card import button, label


class ProgressLine(QWidget):
    """Follows one question or several, of which the first that runs is shown. Hidden while there is nothing to say."""

    def __init__(self, questions: Sequence[Question[Any]] = ()) -> None:
        super().__init__()
        self._questions: list[Question[Any]] = []
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 100)
        self._bar.setAccessibleName(self.tr("Progress"))
        self._sentence = label("", "muted", wrap=True)
        self._stop = button(self.tr("Stop"), self._on_stop_clicked, look="small", hint=self.tr("Stop computing this"))
        self._start = button(self.tr("Compute"), self._on_start_clicked, look="small", hint=self.tr("Compute this now"))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(8))
        for widget, stretch in ((self._bar, 1), (self._sentence, 1), (self._stop, 0), (self._start, 0)):
            layout.addWidget(widget, stretch)
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
        shares = [question.share for question in self._questions if question.share is not None]
        sentence = next((question.sentence for question in self._questions if question.sentence), "")
        self._bar.setValue(round(shares[0] * 100) if shares else 0)
        self._bar.setVisible(bool(shares))
        self._stop.setVisible(bool(shares))
        self._sentence.setText(sentence)
        self._sentence.setVisible(bool(sentence) and not shares)
        self._start.setVisible(not shares and any(question.can_restart for question in self._questions))
        self.setVisible(bool(shares) or bool(sentence))

    def _on_stop_clicked(self) -> None:
        for question in self._questions:
            if question.is_running:
                question.stop()

    def _on_start_clicked(self) -> None:
        for question in self._questions:
            if question.can_restart:
                question.start()
