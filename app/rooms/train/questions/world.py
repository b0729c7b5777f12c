"""The small world that a class demo learns: a word of it is changed, kept in a file, and trained on."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from bertcore.data.small_world import World, usual_questions
from bertcore.errors import BertcoreError
from bertcore.tokenizer.special_tokens import MASK

from ....look import mark, say, theme
from ....runs.run_info import RunInfo, read_questions
from ....runs.run_sentences import BUSY
from ....runs.run_state import RunState
from ....widgets.card import button, label, set_role
from ....widgets.layouts import hbox, vbox
from ....widgets.save_dialog import ask_for_file

FIELD_PX = 110


def worlds_of(state: RunState) -> list[RunInfo]:
    """Other finished runs that have learned a small world, the unchanged ones first."""
    done = [
        run for run in state.runs if run.has_questions and run.status.state == "done" and run.path != state.selected
    ]
    found = [(run, world) for run in done if (world := World.of(read_questions(run.path))) is not None]
    return [run for run, _ in sorted(found, key=lambda each: bool(each[1].changes))]


class WorldRow(QWidget):
    """The sentence of a fact, with its word in a field."""

    train_requested = Signal(object)  # World

    def __init__(self, state: RunState) -> None:
        super().__init__()
        self.world, self._index, self._state = World(), 0, state
        self._is_word = True  # what stands in the field can be learned
        self._before, self.field, self._after = label("", "strong"), QLineEdit(), label("", "strong")
        self.field.setMaximumWidth(theme.px(FIELD_PX))
        self.field.setAccessibleName(say("The word in this world"))
        self.train = button(say("Train this world"), lambda: self.train_requested.emit(self.world), look="primary")
        files = (
            button(say("Open…"), self._on_open_clicked, look="small", hint=say("A changed world from a file")),
            button(say("Save…"), self._on_save_clicked, look="small", hint=say("This world as one file, to share")),
        )
        self.note = label("", "muted", wrap=True)
        sentence = label(say("In this world:"), "muted"), self._before, self.field, self._after
        vbox(hbox(*sentence, None, *files, self.train, gap_px=6), self.note, parent=self, gap_px=2)
        self.field.textEdited.connect(self._on_field_text_edited)
        self.field.returnPressed.connect(self.train.click)
        state.runs_changed.connect(self._show_runs)

    def show_world(self, world: World) -> None:
        self.world, self._is_word = world, True
        self.show_fact(self._index)
        text = mark("Type another word: every story will agree with it. Which boxes will say something else then?")
        if world.changes:
            text = mark("Changed: {words}. Which boxes will say something else? Guess first, then train.")
        set_role(self.note, "muted")
        self.note.setText(say(text, words=str(world)))
        self._show_runs()

    def _show_runs(self) -> None:
        self.train.setEnabled(self._is_word and bool(self.world.changes) and not self._state.is_busy)
        self.train.setToolTip(say(BUSY) if self._state.is_busy else "")

    def show_fact(self, index: int) -> None:
        """By the number of its question."""
        self._index, question = index, self.world.questions()[index]
        before, _, after = question.text.partition(MASK)
        self._before.setText(before.strip())
        self._after.setText(after.strip())
        if self.field.text().strip().lower() != question.answers[0]:  # the cursor stays where somebody types
            self.field.setText(question.answers[0])

    def open(self, file: Path) -> None:
        self._try(lambda: self.show_world(World.load(file)))

    def save(self, file: Path) -> None:
        self._try(lambda: self.world.save(file))

    def _try(self, act: Callable[[], object]) -> None:
        """What is wrong is said where the changes are."""
        try:
            act()
        except BertcoreError as error:
            set_role(self.note, "error")
            self.note.setText(str(error))

    def _on_field_text_edited(self, text: str) -> None:
        self._is_word = False
        self._show_runs()
        usual = usual_questions()[self._index].answers[0]
        self._try(lambda: self.show_world(self.world.with_word(usual, text.strip().lower())))

    def _on_open_clicked(self) -> None:
        if name := QFileDialog.getOpenFileName(self, say("Open a world"), "", say("A world (*.json)"))[0]:
            self.open(Path(name))

    def _on_save_clicked(self) -> None:
        kinds = {".json": say("A world (*.json)")}
        if file := ask_for_file(self, say("Save this world"), Path.home() / "world.json", kinds):
            self.save(file)
