"""Plays a lesson: brings the window to each page, follows what the student does, and keeps the answers."""

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

from bertcore.errors import BertcoreError
from bertcore.locations import BUILT_IN

from ..compute.open_model import OpenModel, portable_reference
from ..compute.question import Question as Ask
from ..state.explore_state import ExploreState
from ..state.session_file import Session
from .answers import Answer, HandIn, Progress
from .lesson import Lesson, LessonError, Page, Question
from .measures import Facts, Value, filled, hint_for, holds, is_right, shown, value_of
from .page_setup import FURTHER, further, model_folder, set_input, set_selection
from .parser import Rooms, load_lesson
from .verify import line_of, page_problems

MOST_GIVEN = 1000  # characters of an answer that are kept
RELOAD_MS = 200  # a file that is being saved may be written in several steps


class LessonPlayer(QObject):
    """`lesson` and `page` are what is on show."""

    opened = Signal()  # another lesson, or none
    page_changed = Signal()  # another page, or the same page of a file that was saved anew
    facts_changed = Signal()  # the window shows something else
    arrived = Signal()  # the page's model has read its text; or cannot be opened
    problem_found = Signal(str)  # a sentence
    view_requested = Signal(str, str)  # room, view; "" for the view that is open there
    question_requested = Signal(object)  # compute.question.Question
    prediction_rooms: Collection[str] = ()  # as for `verify.check_lesson`

    def __init__(
        self, state: ExploreState, open_model: OpenModel, session: Callable[[], Session], rooms: Rooms, parent: QObject
    ) -> None:
        """session: what is on show, for a file."""
        super().__init__(parent)
        self.lesson: Lesson | None = None
        self.number = 0  # of the page, from 0
        self.problem = ""  # with the file, after it was saved last
        self._is_edited = False  # saved since it was opened: somebody writes it
        self.start: Facts | None = None  # what the page showed when it opened; None until the model has read the text
        self.facts: Facts | None = None  # what is on show now
        self.kept = Progress(Path())  # what was answered, until another lesson is opened
        self.exercises: dict[str, Path] = {}  # exercise -> the student's file that was marked last
        self._state, self._open_model, self._session, self._rooms = state, open_model, session, rooms
        self._is_arriving = False  # the page's selection waits for its reading
        self._asked: dict[str, Ask[Any]] = {  # see `page_setup.further`
            name: Ask(self, partial(self._add_to_facts, name)) for name in FURTHER
        }
        for question in self._asked.values():
            question.requested.connect(self.question_requested)
        self._watcher = QFileSystemWatcher(self)
        self._reload = QTimer(self, singleShot=True, interval=RELOAD_MS)
        self._reload.timeout.connect(self.reload)
        self._watcher.fileChanged.connect(lambda _file: self._reload.start())
        self._watcher.directoryChanged.connect(lambda _folder: self._reload.start())
        state.reading_changed.connect(self._on_state_reading_changed)
        state.head_changed.connect(self._on_state_head_changed)

    @property
    def page(self) -> Page | None:
        return self.lesson.pages[self.number] if self.lesson else None

    def open(self, file: Path) -> None:
        """Opens a lesson at its first page; one that cannot be read leaves what is open."""
        try:
            lesson = load_lesson(file, self._rooms)
        except BertcoreError as error:
            self.problem_found.emit(str(error))
            return
        self.kept = Progress(file)
        self.lesson, self.number, self.problem, self._is_edited = lesson, 0, "", False
        self._watch(file)
        self.opened.emit()
        self.go(0)

    def close(self) -> None:
        """The window stays as it is."""
        if self.lesson is not None:
            self.lesson = None
            self._leave_page()
            self._watch(None)
            self.opened.emit()

    def next(self) -> None:
        self.go(self.number + 1)

    def back(self) -> None:
        self.go(self.number - 1)

    def go(self, number: int) -> None:
        """Another page, by its number from 0; nothing happens before the first and after the last."""
        if self.lesson is not None and 0 <= number < len(self.lesson.pages):
            self.number = self.kept.page = number
            self._show_page(self.lesson.pages[number])
            self.page_changed.emit()

    def reload(self, file: Path | None = None) -> None:
        """The same page of the file as it is now, or why it cannot be read. file: another one with the same pages."""
        old, page = self.lesson, self.page
        if old is None or page is None:
            return
        self._watch(file or old.file)
        self._is_edited = file is None
        try:
            lesson = load_lesson(file or old.file, self._rooms)
        except BertcoreError as error:
            if str(error) != self.problem:
                self.problem = str(error)
                self.page_changed.emit()
            return
        if lesson == old and not self.problem:
            return  # something else in its folder
        self.lesson, self.problem = lesson, ""
        titles = [each.title for each in lesson.pages]
        self.number = titles.index(page.title) if page.title in titles else min(self.number, len(titles) - 1)
        found = lesson.pages[self.number]
        if found.setup != page.setup:
            self._show_page(found)
        self.page_changed.emit()

    def change_file(self, file: Path) -> None:
        """The same lesson in another language, at the same page and with what was answered."""
        old = self.lesson
        if old is None or file == old.file:
            return
        self.reload(file)
        if self.lesson is not old and self.lesson is not None:
            kept, pairs = self.kept, zip(old.pages, self.lesson.pages, strict=False)
            names = {one.title: new.title for one, new in pairs}
            for name in ("choices", "revealed", "missed"):
                setattr(kept, name, {names.get(title, title): one for title, one in getattr(kept, name).items()})
            answers = [replace(one, page=names.get(one.page, one.page)) for one in kept.answers.values()]
            kept.file, kept.answers = file, {(one.page, one.kind): one for one in answers}
            self.page_changed.emit()

    @property
    def advice(self) -> str:
        """For whoever writes the lesson: what does not hold on the page, or gives its answer away; "" for nothing."""
        lesson, page, start = self.lesson, self.page, self.start
        is_waiting = any(question.is_running for question in self._asked.values())
        if lesson is None or page is None or start is None or is_waiting or not self._is_edited:
            return ""
        found = page_problems(page, start, self._state.selection, self.prediction_rooms)
        return next((str(LessonError(lesson.file, *problem)) for problem in found), "")

    # Questions and tasks.

    @property
    def covered(self) -> tuple[str, ...]:
        """Names of what is hidden until the question is answered."""
        page = self.page
        return () if page is None or page.title in self.kept.revealed else page.covers

    def check(self, given: str) -> None:
        """What a student answers: a wrong one is followed by a hint, another one by what is right."""
        page, start = self.page, self.start
        assert page is not None and page.question is not None
        missed = self.kept.missed.get(page.title)
        if missed is not None or start is None or is_right(page.question, given, start) is not False:
            if given != missed:
                self.reveal(given)
            return
        self.kept.missed[page.title] = given
        self.kept.choices[page.title] = "" if page.question.kind == "choice" else given
        self._keep_answer(page, page.question, given, start)
        self.page_changed.emit()

    def reveal(self, given: str = "") -> None:
        """Shows the answer; `given`, where there is one, is kept for handing in."""
        page = self.page
        assert page is not None and page.question is not None
        if page.title not in self.kept.revealed and given and self.start is not None:
            self._keep_answer(page, page.question, given, self.start)
        self.kept.revealed[page.title] = True
        self.kept.choices[page.title] = given or self.kept.missed.get(page.title, "")
        self.page_changed.emit()

    @property
    def hint(self) -> str:
        """After a wrong first answer to the page's question; empty before one."""
        page, start = self.page, self.start
        missed = None if page is None else self.kept.missed.get(page.title)
        return "" if page is None or missed is None or start is None else hint_for(page, missed, start)

    @property
    def task_answer(self) -> Answer | None:
        """How the page's task was done; once it is done it stays so."""
        return None if self.page is None else self.kept.answers.get((self.page.title, "task"))

    def task_value(self, facts: Facts | None) -> Value:
        """Of the task's measure."""
        page = self.page
        return None if page is None or page.task is None or facts is None else value_of(page.task.done.measure, facts)

    def hand_in(self, name: str) -> HandIn:
        """What was answered so far, in the order of the pages."""
        assert self.lesson is not None
        order, answers = [page.title for page in self.lesson.pages], self.kept.answers.values()
        in_order = sorted(answers, key=lambda each: order.index(each.page) if each.page in order else 0)
        return HandIn(name, self.lesson.title, tuple(in_order))

    def take_up(self, progress: Progress) -> None:
        """Goes on with the open lesson from there."""
        assert self.lesson is not None
        self.kept = progress
        self.go(min(max(progress.page, 0), len(self.lesson.pages) - 1))

    # Showing a page.

    def _leave_page(self) -> None:
        self.start = self.facts = None
        self._is_arriving = False
        for question in self._asked.values():
            question.clear()

    def _show_page(self, page: Page) -> None:
        self._leave_page()
        self._is_arriving = True
        try:
            folder = model_folder(page.setup)
        except BertcoreError as error:
            self._report(error, page)
            self.arrived.emit()
            return
        reference = (page.setup.model or BUILT_IN) if not page.setup.step else portable_reference(str(folder))
        opener = self._open_model
        is_open = (opener.newest_reference or BUILT_IN) == reference and (opener.is_opening or opener.model is not None)
        if not is_open:
            opener.open(None if reference == BUILT_IN else reference, self._on_model_opened)
        elif opener.is_opening:
            opener.when_open(self._on_model_opened, self.problem_found.emit)
        else:
            self._on_model_opened()

    def _on_model_opened(self, _model: object = None) -> None:
        """The page's model, unless the lesson has gone on meanwhile: text and view follow."""
        page = self.page
        if page is None or not self._is_arriving:
            return
        try:
            set_input(self._state, page.setup)
        except BertcoreError as error:
            self._report(error, page)
        if page.setup.room:
            for view in (page.setup.view or "").split() or [""]:
                self.view_requested.emit(page.setup.room, view)
        self._on_state_reading_changed()

    def _on_state_reading_changed(self) -> None:
        page, state, reading, is_arriving = self.page, self._state, self._state.reading, self._is_arriving
        if page is None or reading is None or self._open_model.is_opening:
            return
        if reading.encoding is not state.encoding or reading.request.masked != state.all_masked:
            return  # it is of an earlier text
        self.facts = Facts(reading, state.layer, state.head)
        if is_arriving:
            try:
                set_selection(state, page.setup, self.facts)
            except BertcoreError as error:
                self._report(error, page)
            self.facts = self.start = self.facts.but(layer=state.layer, head=state.head)
            self._is_arriving = False
        for name, job in further(reading, state.applied_texts, page.setup, page.measures).items():
            self._asked[name].ask_job(job, pause_ms=0)
            if self._asked[name].answer is not None:  # the same page of a file that was saved
                self._add_to_facts(name, self._asked[name].answer)
        self._look()
        if is_arriving:
            self.arrived.emit()

    def _on_state_head_changed(self) -> None:
        if self.facts is not None and not self._is_arriving:
            self.facts = self.facts.but(layer=self._state.layer, head=self._state.head)
            self._look()

    def _add_to_facts(self, name: str, found: Any) -> None:
        """Something about the reading on show that took a further computation."""
        if self.facts is not None:
            is_start = self.start is not None and self.start.reading is self.facts.reading
            self.facts = self.facts.but(**{name: found})
            if is_start and self.start is not None:
                self.start = self.start.but(**{name: found})
            self._look()

    def _report(self, error: BertcoreError, page: Page) -> None:
        assert self.lesson is not None
        self.problem_found.emit(str(LessonError(self.lesson.file, line_of(error, page), str(error))))

    def _look(self) -> None:
        """Perhaps the task is done now."""
        page, task = self.page, self.page and self.page.task
        start = self.task_value(self.start)
        if page and task and self.facts and self.task_answer is None and holds(task.done, self.facts, start):
            given = shown(task.done.measure, self.task_value(self.facts))
            done = Answer(page.title, "task", task.text, given[:MOST_GIVEN], True, self._session())
            self.kept.answers[page.title, "task"] = done
        self.facts_changed.emit()

    def _keep_answer(self, page: Page, question: Question, given: str, start: Facts) -> None:
        """A second one in place of the first."""
        missed, options = self.kept.missed.get(page.title, given), enumerate(question.options)
        named = {str(number): filled(option.text, start) for number, option in options}
        text, first = (named.get(each, each)[:MOST_GIVEN] for each in (given, missed))
        asked, right, is_first = filled(question.text, start), is_right(question, given, start), given == missed
        answer = Answer(page.title, question.kind, asked, text, right, self._session(), hint=self.hint)
        self.kept.answers[page.title, question.kind] = answer if is_first else replace(answer, tries=2, first=first)

    def _watch(self, file: Path | None) -> None:
        """An editor may replace the file, which ends the watch: its folder tells that there is a new one."""
        old = [*self._watcher.files(), *self._watcher.directories()]
        if old:
            self._watcher.removePaths(old)
        if file is not None:
            self._watcher.addPaths([str(file), str(file.parent)])
