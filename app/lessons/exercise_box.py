"""An exercise on the card of a lesson: its file with gaps, and what is said of a file in which they are filled."""

from collections.abc import Generator
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QFrame

from bertcore.errors import BertcoreError
from bertcore.exercises import Mark, mark
from bertcore.files import read_bytes

from ..compute.question import Question, ReportOrCancel, ignore
from ..figures.files import write_whole
from ..look import say, theme, translated
from ..widgets.card import button, label
from ..widgets.layouts import FlowLayout, show_if, vbox
from ..widgets.progress_line import ProgressLine
from ..widgets.save_dialog import ask_for_file
from .player import LessonPlayer

ENDING = ".py"


def marks_of(file: Path, progress: ReportOrCancel) -> Generator[Mark, None, None]:
    for one in mark(file):
        yield one
        progress(0.5)  # how many are to come it does not know; between two of them typing comes first


class ExerciseBox(QFrame):
    """Saves the file, and has one marked on the worker: its functions run in processes of their own."""

    def __init__(self, player: LessonPlayer, exercise: str) -> None:
        super().__init__()
        self.setProperty("look", "task")
        self._player, self._name = player, exercise
        self._found, self._wants_hints = list[Mark](), False
        self.marking = Question[None](self, ignore, self._add)
        self.marking.requested.connect(player.question_requested)
        self.marks, save = label("", wrap=True), button(say("Save the exercise…"), self._on_save_clicked, look="small")
        choose = button(say("Mark my file…"), self._on_choose_clicked, look="small")
        self.again = button(say("Mark it again"), self.mark, look="small")
        self.hint = button(say("Hints"), self._on_hints_clicked, look="small")
        about = label(say("Marking a file runs it: choose only one that you would run yourself."), "muted", wrap=True)
        buttons, progress = FlowLayout(save, choose, self.again, self.hint), ProgressLine([self.marking])
        vbox(about, buttons, progress, self.marks, parent=self, gap_px=6, margins=theme.px(10))
        self._show()

    def mark(self, file: Path | None = None) -> None:
        """Marks a file, or the one that was marked last."""
        self._player.exercises[self._name] = file = file or self._player.exercises[self._name]
        self._found = []
        self.marking.clear()
        self.marking.ask(marks_of, file, pause_ms=0)
        self._show()

    def _add(self, one: Mark) -> None:
        self._found.append(one)
        self._show()

    def _show(self) -> None:
        lines = [f"{'✓' if one.is_right else '✗'} {one.name}: {say(one.says, **one.values)}" for one in self._found]
        hints = [f"{one.name}: {say(one.hint)}" for one in self._found if one.hint]
        self.marks.setText("\n\n".join(lines + hints if self._wants_hints else lines))
        show_if(bool(lines), self.marks)
        show_if(bool(hints) and not self._wants_hints, self.hint)
        show_if(self._name in self._player.exercises, self.again)

    def _on_hints_clicked(self) -> None:
        self._wants_hints = True
        self._show()

    def _on_save_clicked(self) -> None:
        name = f"{self._name}{ENDING}"
        title, filters = say("Save the exercise"), {ENDING: f"Python (*{ENDING})"}
        file = ask_for_file(self.window(), title, self._folder() / name, filters)
        if file is not None:
            try:
                write_whole(file, read_bytes(translated.asset(f"exercises/{name}")))
            except BertcoreError as error:
                self._player.problem_found.emit(str(error))

    def _on_choose_clicked(self) -> None:
        title, folder = say("Mark my file"), str(self._folder())
        chosen, _ = QFileDialog.getOpenFileName(self.window(), title, folder, f"Python (*{ENDING})")
        if chosen:
            self.mark(Path(chosen))

    def _folder(self) -> Path:
        known = self._player.exercises.get(self._name)
        return known.parent if known else Path.home()
