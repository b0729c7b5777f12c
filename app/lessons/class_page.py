"""A page for the teacher: what a class has handed in, followed while files arrive. It stands beside the rooms, or on
another screen; the name at an answer opens what that student's window showed."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from bertcore.errors import BertcoreError

from ..figures.files import write_whole
from ..look import say, theme
from ..widgets.card import GAP_PX, button, label, show_text
from ..widgets.controls import IconButton
from ..widgets.layouts import hbox, vbox
from ..widgets.save_dialog import ask_for_file
from .class_answers import Asked, HandedIn, as_csv, questions
from .lab_sheet import page_of, pdf_of
from .lesson import Lesson, unmarked

WIDTH_PX, PROJECTOR_WIDTH_PX, WINDOW_PX = 430, 340, 640
LOOK_MS = 1000  # between two looks at the folder, which may be on another machine and say nothing of new files
FEW, ALL = 40, 2000  # names at one answer, and answers in words: at first, and when all are wanted
COLORS = {True: "good", False: "bad", None: "bar"}  # of an answer that is right, wrong, neither


class ClassPage(QFrame):
    state_requested = Signal(object)  # Session: what the window showed at an answer
    closed = Signal()

    def __init__(
        self, handed_in: HandedIn, lesson_of: Callable[[str], Lesson | None], parent: QWidget, is_window: bool
    ) -> None:
        """lesson_of: by its title; None for one that is not known here. is_window: one of its own."""
        super().__init__(parent, Qt.WindowType.Window if is_window else Qt.WindowType.Widget)
        self.setProperty("look", "help")
        self.setWindowTitle(say("Answers of the class"))
        if is_window:
            self.resize(theme.px(WINDOW_PX), theme.px(700))
        else:
            self.setFixedWidth(theme.column_px(PROJECTOR_WIDTH_PX if theme.is_projector() else WIDTH_PX))
        self.handed_in, self._lesson_of = handed_in, lesson_of
        self._asked: list[Asked] = []
        self._most = FEW
        handed_in.hides_names = handed_in.hides_names or theme.is_projector()
        self.names = button(say("Hide names"), self._show, look="small", checkable=True)
        self.names.setChecked(handed_in.hides_names)
        self.save = button(say("Save…"), self._on_save_clicked, look="small", hint=say("As PDF or CSV"))
        close = IconButton("close", say("Close"), self.close)
        close.setProperty("look", "quiet")
        self.problem, self.text = label("", "error", wrap=True), QTextBrowser()
        self.problem.hide()
        self.text.setAccessibleName(say("Answers of the class"))
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setProperty("look", "plain")
        self.text.setOpenLinks(False)
        self.text.anchorClicked.connect(self._on_name_clicked)
        head = hbox(self.names, self.save, None, close)
        vbox(head, self.problem, (self.text, 1), parent=self, gap_px=6, margins=theme.gap_px(GAP_PX))
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()
        handed_in.update()
        self._show()

    def look(self) -> None:
        """At the folder: perhaps something new was handed in."""
        if self.handed_in.update():
            self._show()
        self._timer.setInterval(0 if self.handed_in.is_behind else LOOK_MS)

    def _html(self, most: int, is_paper: bool = False) -> str:
        """In the colours of now."""
        values = {"asked": self._asked, "handed_in": self.handed_in, "most": most, "is_paper": is_paper}
        looks = {"colors": COLORS, "color": lambda name: theme.color(name).name(), "unmarked": unmarked}
        return page_of("class-answers.html", **values, **looks)

    def save_as(self, file: Path) -> None:
        """What is on show, with names or without. Raises BertcoreError where the file cannot be written."""
        if file.suffix.lower() == ".csv":
            write_whole(file, as_csv(self._asked), "utf-8-sig")  # so that spreadsheets read it as UTF-8
            return
        with theme.on_paper():
            write_whole(file, pdf_of(self._html(ALL, is_paper=True)))

    def _show(self) -> None:
        self.handed_in.hides_names = self.names.isChecked()
        self._asked = questions(self.handed_in.hand_ins, self._lesson_of)
        at = self.text.verticalScrollBar().value()
        self.text.setHtml(self._html(self._most))
        self.text.verticalScrollBar().setValue(at)

    def _on_name_clicked(self, url: QUrl) -> None:
        """url: the places of a question, of an answer to it, and of a name; or "all": all names are wanted."""
        if url.path() == "all":
            self._most = ALL
            self._show()
            return
        question, group, name = map(int, url.path().split("-"))
        _, answer = self._asked[question].groups[group].members[name]
        if answer is not None:
            self.state_requested.emit(answer.state)

    def _on_save_clicked(self) -> None:
        kinds = {ending: f"{ending[1:].upper()} (*{ending})" for ending in (".pdf", ".csv")}
        file = ask_for_file(self, say("Save the answers"), self.handed_in.folder / "answers.pdf", kinds)
        try:
            if file is not None:
                self.save_as(file)
        except BertcoreError as error:
            show_text(self.problem, str(error))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._show()

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()
