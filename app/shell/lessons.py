"""Lessons in the window: the card at the right, the spotlight, handing in and collecting."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QFileDialog, QInputDialog, QWidget

from bertcore.errors import BertcoreError

from ..figures.files import write_whole
from ..lessons.answers import ENDING, answers_as_json
from ..lessons.shipped import in_language, shipped_lessons, tour_file
from ..look import say
from ..widgets.banner import OfferLine
from ..widgets.layouts import discard
from ..widgets.save_dialog import ask_for_file
from .frame import Frame, Offers
from .rooms import prediction_rooms, room_views
from .services import Services
from .sessions import Sessions

if TYPE_CHECKING:
    from ..lessons.answers import Progress
    from ..lessons.card import LessonCard
    from ..lessons.class_answers import HandedIn
    from ..lessons.class_page import ClassPage
    from ..lessons.lesson import Lesson
    from ..lessons.notes_window import NotesWindow
    from ..lessons.player import LessonPlayer
    from ..lessons.spotlight import Covers, Spotlight
TOUR = "tour"  # the name of its offer


class Lessons(QObject):
    """What a window does with lessons. The parts that a lesson needs are imported when one is opened."""

    problem_found = Signal(str)  # a sentence
    saved = Signal(str)  # a sentence
    changed = Signal()  # a lesson is open, or none is any more
    view_requested = Signal(str, str)  # room, view; "" for the view that is open there

    def __init__(
        self, services: Services, sessions: Sessions, frame: Callable[[], Frame], offers: Offers, parent: QWidget
    ) -> None:
        """frame: of the window, as it is now."""
        super().__init__(parent)
        self._services, self._sessions, self._offers = services, sessions, offers
        self._frame, self._window = frame, parent
        self._folder = Path.home()
        self.player: LessonPlayer | None = None  # of the lesson that is open
        self._attached: tuple[LessonCard, Covers, Spotlight] | None = None  # to the frame, for the player
        self.notes: NotesWindow | None = None
        self._opened_at = 0.0
        self.class_page: ClassPage | None = None

    @property
    def is_open(self) -> bool:
        return self.player is not None and self.player.lesson is not None

    def open(self, file: Path) -> None:
        """Opens a lesson beside the rooms."""
        from ..lessons.player import LessonPlayer

        services = self._services
        if self.player is None:
            opener, rooms = services.open_model, room_views()
            self.player = player = LessonPlayer(services.state, opener, self._sessions.current, rooms, self)
            player.prediction_rooms = prediction_rooms()
            player.question_requested.connect(services.inference.ask)
            player.problem_found.connect(self.problem_found)
            player.view_requested.connect(self.view_requested)
            player.opened.connect(self._start_clock)  # before the notes hear of it
            player.opened.connect(self.changed)
            # Queued: when all who follow the player have heard that its lesson is closed.
            player.opened.connect(self._discard_closed, Qt.ConnectionType.QueuedConnection)
            self._attach_lesson(player, self._frame())
        self._offers.end(TOUR)
        self.player.open(file)
        self._discard_closed()  # where it could not be read, and none was open before

    def take_up(self, progress: Progress, then: Callable[[], object]) -> None:
        """Opens a lesson where it was. then: called when its page is on show, or cannot be."""
        self.open(progress.file)
        if self.player is None or self.player.lesson is None:
            then()
            return
        self.player.arrived.connect(then, Qt.ConnectionType.SingleShotConnection)
        self.player.take_up(progress)

    def open_tour(self) -> None:
        self.open(in_language(tour_file()))

    def offer_tour(self) -> None:
        """Once, at the first start. It stays in the menu of lessons."""
        settings = self._services.settings
        if settings.tour_offered or self.is_open:
            return
        settings.tour_offered = True
        self._services.save_settings()
        self._offers.show(TOUR, self._tour_offer)

    def choose(self) -> None:
        """Asks for a file and opens it."""
        title = say("Open lesson")
        chosen, _ = QFileDialog.getOpenFileName(self._window, title, str(self._folder), "Markdown (*.md)")
        if chosen:
            self._folder = Path(chosen).parent
            self.open(Path(chosen))

    def change_language(self) -> None:
        """The lesson that is open, in the language of the window if it ships."""
        if self.player is not None and self.player.lesson is not None:
            self.player.change_file(in_language(self.player.lesson.file))
        if self.notes is not None:
            is_shown = self.notes.isVisible()
            discard(self.notes)
            self.notes = None
            if is_shown:
                self.show_notes()

    def attach(self, frame: Frame) -> None:
        """Puts the card of the open lesson, and the answers of a class, into a frame that has just been built."""
        player, page = self.player, self.class_page
        if player is not None:
            self._attach_lesson(player, frame)
        if page is not None:
            self._place_answers(page.handed_in)

    def _attach_lesson(self, player: LessonPlayer, frame: Frame) -> None:
        from ..lessons.card import LessonCard
        from ..lessons.spotlight import Covers, Spotlight

        card = LessonCard(player, frame)
        card.hand_in_requested.connect(self.hand_in)
        frame.dock(card)
        covers = Covers(frame, lambda: () if card.isHidden() else player.covered)
        spotlight = Spotlight(
            frame, card, lambda: player.page.highlights if player.page and not card.isHidden() else ()
        )
        for changed in (player.page_changed, player.opened):
            changed.connect(covers.update_covers)
            changed.connect(spotlight.update_spots)
        player.facts_changed.connect(covers.update_covers)  # a view is built when it is opened, after its page
        for update in (covers.update_covers, spotlight.update_spots):
            frame.room_opened.connect(update)
        covers.update_covers()
        self._attached = card, covers, spotlight

    def _tour_offer(self) -> OfferLine:
        sentence = say("New here? A five-minute tour shows what each room is for.")
        offer = OfferLine(sentence, say("Start the tour"))
        offer.accepted.connect(self.open_tour)
        return offer

    def turn(self, by: int) -> None:
        """To a page before or after the one on show."""
        if self.player is not None:
            self.player.go(self.player.number + by)

    def close(self) -> None:
        if self.player is not None:
            self.player.close()

    def insert_view(self) -> None:
        """What is on show into the clipboard, as the lines of a page: for the editor beside the window."""
        from ..lessons.insert import page_lines
        from ..rooms.room import ViewStack

        frame, page = self._frame(), self.player.page if self.player is not None else None
        open_now = {stack.key for stack in (frame.room or frame).findChildren(ViewStack)}
        views = [key for key in room_views()[frame.open_key] if key in open_now]
        try:
            lines = page_lines(self._services.state, frame.open_key, views, page.covers if page is not None else ())
        except BertcoreError as error:
            self.problem_found.emit(str(error))
            return
        QApplication.clipboard().setText(lines)
        self.saved.emit(say("What you see is in the clipboard, as the lines of a page; paste it into your lesson."))

    def show_notes(self) -> None:
        """The teacher's notes, in a window for the second screen."""
        if self.player is None:
            return
        from ..lessons.notes_window import NotesWindow, place_beside

        if self.notes is None:
            self.notes = NotesWindow(self.player, lambda: self._opened_at, self._window)
        place_beside(self.notes, self._window)
        self.notes.show()
        self.notes.raise_()

    def hand_in(self) -> None:
        """Asks for a name and a file, and writes the answers there."""
        if self.player is None or self.player.lesson is None:
            return
        title = say("Hand in your answers")
        name, is_given = QInputDialog.getText(self._window, title, say("Your name"))
        if not is_given or not name.strip():
            return
        file_name = "-".join(re.findall(r"\w+", f"{name} {self.player.lesson.title}"))[:80] + ENDING
        filters = {ENDING: f"{say('Answers')} (*{ENDING})"}
        file = ask_for_file(self._window, title, self._folder / file_name, filters, ".json")
        if file is not None:
            self.save_answers(name.strip(), file)

    def save_answers(self, name: str, file: Path) -> None:
        assert self.player is not None
        try:
            write_whole(file, answers_as_json(self.player.hand_in(name)))
        except BertcoreError as error:
            self.problem_found.emit(str(error))
            return
        self._folder = file.parent
        self.saved.emit(say("Saved {file}. Give it to your teacher.", file=file))

    def collect(self) -> None:
        """Asks for a folder of what was handed in, and follows it."""
        title = say("Folder with answers that were handed in")
        folder = QFileDialog.getExistingDirectory(self._window, title, str(self._folder))
        if folder:
            self.show_answers(Path(folder))

    def show_answers(self, folder: Path) -> ClassPage:
        from ..lessons.class_answers import HandedIn

        return self._place_answers(HandedIn(folder))

    def _place_answers(self, handed_in: HandedIn) -> ClassPage:
        """On the second screen if there is one, else beside the rooms, in the place of the card of a lesson."""
        from ..lessons.class_page import ClassPage
        from ..lessons.notes_window import other_screen, place_beside

        self._on_class_page_closed()
        is_apart = other_screen(self._window, QApplication.screens()) is not None
        page = ClassPage(handed_in, self._titled, self._window if is_apart else self._frame(), is_apart)
        page.state_requested.connect(self._sessions.show)
        page.closed.connect(self._on_class_page_closed)
        self.class_page = page
        if is_apart:
            place_beside(page, self._window)
        else:
            self._frame().dock(page)
            self._show_card(False)
        page.show()
        return page

    def _on_class_page_closed(self) -> None:
        if self.class_page is not None:
            discard(self.class_page)
            self._show_card(self.is_open)
        self.class_page = None

    def _show_card(self, is_wanted: bool) -> None:
        """While it is hidden the lesson dims and covers nothing; the next page brings it back."""
        if self._attached is not None:
            card, covers, spotlight = self._attached
            card.setVisible(is_wanted)
            covers.update_covers()
            spotlight.update_spots()

    def _titled(self, title: str) -> Lesson | None:
        """The open lesson, or one that ships, in the language of the window."""
        from ..lessons.parser import load_lesson

        if self.player is not None and self.player.lesson is not None and self.player.lesson.title == title:
            return self.player.lesson
        files = [each.file for each in shipped_lessons() if each.title == title]
        return load_lesson(files[0], room_views()) if files else None

    def _start_clock(self) -> None:
        self._opened_at = time.monotonic()

    def _discard_closed(self) -> None:
        """Nothing stays of a lesson that is closed."""
        if self.player is None or self.player.lesson is not None:
            return
        if self.notes is not None:
            discard(self.notes)
        if self._attached is not None:
            card, covers, spotlight = self._attached
            spotlight.place()  # the room begins at its top again
            covers.deleteLater()
            discard(card, spotlight)
        self.player.deleteLater()
        self.player = self.notes = self._attached = None
