"""The card at the right: what every snapshot of a run predicts for the [MASK] of one sentence."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QLineEdit

from ....compute.word_questions import words_over_time
from ....look.say import say
from ....runs.run_state import RunState
from ....widgets.card import label, scrolled
from ....widgets.layouts import fill
from .card import SnapshotCard
from .lists import SnapshotList

MASK = "[MASK]"
SENTENCE = "Anna asked her [MASK] for help."


class WatchCard(SnapshotCard):
    """Hidden for runs that do not learn to predict words."""

    at_once = 4

    def __init__(self, state: RunState) -> None:
        intro = say("What it guessed at each saved step of its training. Type a sentence with a [MASK].")
        super().__init__(state, say("Watch it learn"), intro)
        self._text = SENTENCE
        self.sentence = QLineEdit(SENTENCE)
        self.sentence.setCursorPosition(0)  # a long one shows its beginning
        self.sentence.setAccessibleName(say("Sentence with a [MASK] to predict at every snapshot"))
        self.list = SnapshotList()
        self.note, self._none = label("", "muted", wrap=True), label("", "muted", wrap=True)
        self.note.hide()
        fill(self.body, self.sentence, self.problem, self.note, self._none, (scrolled(self.list), 1))
        self.sentence.textChanged.connect(self._on_sentence_changed)
        self.draw()

    def draw(self) -> None:
        if list(self.list.rows) != self._state.snapshots:
            self.list.set_snapshots(self._state.snapshots)
        self._none.setText(  # in place of the list while it is empty
            say("Only the curves of this run were kept. The snapshots of your own runs appear here.")
            if self._state.run.is_built_in
            else say("Snapshots of the run appear here: the model as it was at that step.")
        )
        self._none.setVisible(not self._state.snapshots)
        self.list.set_guesses({path: guess for path, guess in self._answers.items() if guess})

    def wanted(self) -> Sequence[Path]:
        return [path for _, path in self._state.snapshots] if MASK in self._text else []

    def ask_about(self, snapshots: tuple[Path, ...]) -> None:
        self._question.ask(words_over_time, snapshots, self._text, pause_ms=0)

    def _on_sentence_changed(self) -> None:
        self._text = self.sentence.text()
        self.clear()
        masks = self._text.count(MASK)
        no_mask = say("Type [MASK] where the model should predict a word.")
        self.note.setText(no_mask if not masks else say("Only the first [MASK] is predicted.") if masks > 1 else "")
        self.note.setVisible(masks != 1)
        self._ask()
