"""The card at the right: what every snapshot of a run predicts for the [MASK] of one sentence."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QLineEdit

from bertcore.analysis.predict import WordGuess

from ...compute.question import Question
from ...compute.word_questions import words_over_time
from ...look.say import say
from ...runs.run_info import RunInfo
from ...widgets.card import Card, label, scrolled
from ...widgets.layouts import fill
from .snapshots import Guess, SnapshotList

MASK, ASKED_AT_ONCE = "[MASK]", 4
SENTENCE = "Anna asked her [MASK] for help."


class WatchCard(Card):
    """Asks a few snapshots at a time. Hidden for runs that do not learn to predict words."""

    question_requested = Signal(object)  # Question

    def __init__(self) -> None:
        super().__init__()
        self.set_title(say("Watch it learn"))
        self.set_intro(say("What it guessed at each saved step of its training. Type a sentence with a [MASK]."))
        self.sentence = QLineEdit(SENTENCE)
        self.sentence.setCursorPosition(0)  # a long one shows its beginning
        self.sentence.setAccessibleName(say("Sentence with a [MASK] to predict at every snapshot"))
        self.list = SnapshotList()
        self.problem, self.note = label("", "error", wrap=True), label("", "muted", wrap=True)
        self._none = label(self._about_snapshots(None), "muted", wrap=True)
        self._snapshots: list[tuple[int, Path]] = []
        self._guesses: dict[Path, Guess | None] = {}  # None: asked, and the snapshot had no answer
        self._asked: tuple[Path, ...] = ()  # the snapshots that the question is about
        self._question: Question[dict[Path, WordGuess]] = Question(self, self._on_question_answered)
        self._question.requested.connect(self.question_requested)
        self._question.status_changed.connect(self._on_question_status_changed)
        for widget in (self.problem, self.note):
            widget.hide()
        fill(self.body, self.sentence, self.problem, self.note, self._none, (scrolled(self.list), 1))
        self.sentence.textChanged.connect(self._on_sentence_changed)

    def show_run(self, info: RunInfo | None) -> None:
        """Another run: nothing is known of its snapshots."""
        self._guesses = {}
        self._question.clear()
        self._none.setText(self._about_snapshots(info))

    def show_snapshots(self, snapshots: list[tuple[int, Path]]) -> None:
        self._snapshots = snapshots
        self.list.set_snapshots(snapshots)
        self._none.setVisible(not snapshots)
        self._ask()

    def _about_snapshots(self, info: RunInfo | None) -> str:
        """In place of the list while it is empty."""
        if info is not None and info.is_built_in:
            return say("Only the curves of this run were kept. The snapshots of your own runs appear here.")
        return say("Snapshots of the run appear here: the model as it was at that step.")

    def _on_question_answered(self, words: dict[Path, WordGuess]) -> None:
        """What some snapshots predict; `words` lacks those that are gone or have no MLM head."""
        guesses = {path: Guess(word.token, word.probability) for path, word in words.items()}
        self._guesses |= {path: guesses.get(path) for path in self._asked}
        self.list.set_guesses({path: guess for path, guess in self._guesses.items() if guess})
        self._ask()

    def _on_question_status_changed(self) -> None:
        self.problem.setText(self._question.sentence)
        self.problem.setVisible(bool(self._question.sentence))

    def _on_sentence_changed(self) -> None:
        self._guesses = {}
        self.list.set_guesses({})
        self._question.clear()
        masks = self.sentence.text().count(MASK)
        no_mask = say("Type [MASK] where the model should predict a word.")
        self.note.setText(no_mask if not masks else say("Only the first [MASK] is predicted.") if masks > 1 else "")
        self.note.setVisible(masks != 1)
        self._ask()

    def _ask(self) -> None:
        """A few snapshots at a time, so that the worker stays free for someone who types."""
        missing = tuple(path for _, path in self._snapshots if path not in self._guesses)[:ASKED_AT_ONCE]
        text = self.sentence.text()
        if not missing or MASK not in text or not self.isVisible() or self._question.is_running:
            return
        self._asked = missing
        self._question.ask(words_over_time, missing, text, pause_ms=0)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ask()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._question.cancel()
