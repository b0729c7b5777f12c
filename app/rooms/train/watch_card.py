"""The card at the right: what every snapshot of a run says for the [MASK] of one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLineEdit

from app.rooms.train.snapshots import Guess, SnapshotList
from app.runs.run_info import RunInfo
from app.widgets.card import Card, label, scrolled

WATCH, MASK, ASK_AT_ONCE = "watch", "[MASK]", 4
SENTENCE = "Anna asked her [MASK] for help."
NO_MASK = "Write [MASK] where a word is to be guessed."
FIRST_MASK = "The words are for the first [MASK]."
NO_SNAPSHOTS = "Snapshots of the run appear here: the model as it was at that step."
NO_SNAPSHOTS_KEPT = "Of this run only the curves are kept. The snapshots of a run of your own appear here."


class WatchCard(Card):
    """Asks for a few snapshots at a time; the answers come to `show_answer`. Hidden for runs without words to guess."""

    asked = Signal(str, object)  # "watch", (sentence, snapshots)

    def __init__(self) -> None:
        super().__init__("Watch it learn", "this sentence, every snapshot")
        self.sentence = QLineEdit(SENTENCE)
        self.sentence.setCursorPosition(0)  # a long one shows its beginning
        self.sentence.setAccessibleName("Sentence with a [MASK], asked at every snapshot")
        self.list = SnapshotList()
        self.problem, self.note = label("", "error", wrap=True), label("", "muted", wrap=True)
        for words in (self.problem, self.note):
            words.hide()
        self._none = label(NO_SNAPSHOTS, "muted", wrap=True)
        self._snapshots: list[tuple[int, Path]] = []
        self._guesses: dict[Path, Guess | None] = {}  # None: asked, and the snapshot had no answer
        self._is_asking = False
        for widget in (self.sentence, self.problem, self.note, self._none):
            self.body.addWidget(widget)
        self.body.addWidget(scrolled(self.list), 1)
        self.sentence.textChanged.connect(self._on_sentence_changed)

    def show_run(self, info: RunInfo | None) -> None:
        """Another run: nothing is known of its snapshots. One that learns a task has no word to say for a [MASK]."""
        self._guesses = {}
        self._show_problem("")
        self._none.setText(NO_SNAPSHOTS_KEPT if info and info.is_built_in else NO_SNAPSHOTS)
        self.setVisible(info is None or info.task_kind is None)

    def show_snapshots(self, snapshots: list[tuple[int, Path]]) -> None:
        self._snapshots = snapshots
        self.list.set_snapshots(snapshots)
        self._none.setVisible(not snapshots)
        self._ask()

    def show_answer(self, answer: Any) -> None:
        """What some snapshots say for the [MASK] of a sentence."""
        text, asked_for, words_said, problem = answer
        self._is_asking = False
        if text == self.sentence.text():
            said = {path: Guess(word.token, word.probability) for path, word in words_said.items()}
            self._guesses |= {path: said.get(path) for path in asked_for}
            self.list.set_guesses({path: guess for path, guess in self._guesses.items() if guess})
            self._show_problem(problem)
        self._ask()

    def _show_problem(self, sentence: str) -> None:
        self.problem.setText(sentence)
        self.problem.setVisible(bool(sentence))

    def _on_sentence_changed(self) -> None:
        self._guesses = {}
        self.list.set_guesses({})
        self._show_problem("")
        self._show_note()
        self._ask()

    def _show_note(self) -> None:
        """Why no words come, or what they are for where that could be asked."""
        masks = self.sentence.text().count(MASK)
        self.note.setText(NO_MASK if not masks else FIRST_MASK if masks > 1 else "")
        self.note.setVisible(masks != 1)

    def _ask(self) -> None:
        """A few snapshots at a time, so that the worker stays free for someone who types."""
        missing = [path for _, path in self._snapshots if path not in self._guesses][:ASK_AT_ONCE]
        text = self.sentence.text()
        if missing and MASK in text and self.isVisible() and not self._is_asking:
            self._is_asking = True
            self.asked.emit(WATCH, (text, missing))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ask()
