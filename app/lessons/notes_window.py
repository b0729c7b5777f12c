"""The teacher's notes for the page on show, in a window of their own: on the second screen, if there is one."""

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeySequence, QScreen, QShortcut
from PySide6.QtWidgets import QApplication, QWidget

from ..look import mark, say, theme
from ..widgets.card import button, label, show_text
from ..widgets.layouts import hbox, vbox
from .lesson import unmarked
from .measures import filled
from .player import LessonPlayer
from .verify import right_answer

NOTES_PX, NEXT_PX = 19, 15  # read standing, an arm's length away
TICK_MS = 1000
FORWARD = (Qt.Key.Key_Right, Qt.Key.Key_PageDown, Qt.Key.Key_Space)
BACKWARD = (Qt.Key.Key_Left, Qt.Key.Key_PageUp)


class NotesWindow(QWidget):
    """Turns pages too: on the second screen the first one has not the keyboard."""

    def __init__(self, player: LessonPlayer, since: Callable[[], float], parent: QWidget) -> None:
        """since: when the lesson was opened, by `time.monotonic`."""
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle(say("Speaker notes"))
        self.resize(theme.px(560), theme.px(480))
        self._player, self._since = player, since
        self._place, self.clock = label("", "muted"), label("", "number")
        self.clock.setToolTip(say("Time since the lesson was opened"))
        self._title = label("", "lesson-title", wrap=True)
        self.text, self._asked, self.right, self.next_title = words = [label("", wrap=True) for _ in range(4)]
        for each in words:
            each.setFont(theme.font(NOTES_PX if each is self.text else NEXT_PX, medium=each is self.right))
        self.back = button(say("Back"), player.back)
        self.next = button(say("Next"), player.next, look="primary")
        head, foot = hbox(self._place, None, self.clock), hbox(self.back, None, self.next)
        parts = head, self._title, self.text, self._asked, self.right, None, self.next_title, foot
        vbox(*parts, parent=self, gap_px=12, margins=theme.px(18))
        for keys, run in ((FORWARD, player.next), (BACKWARD, player.back)):
            for key in keys:
                QShortcut(QKeySequence(key), self).activated.connect(run)
        self._timer = QTimer(self, interval=TICK_MS)
        self._timer.timeout.connect(self._show_time)
        self._timer.start()
        player.page_changed.connect(self._show_page)
        player.facts_changed.connect(self._show_page)
        player.opened.connect(self._show_page)
        self._show_page()

    def _show_page(self) -> None:
        page, lesson = self._player.page, self._player.lesson
        if page is None or lesson is None:
            self.close()
            return
        number, count = self._player.number, len(lesson.pages)
        place = mark("{lesson} · page {number} of {count}")
        self._place.setText(say(place, lesson=lesson.title, number=number + 1, count=count))
        self._title.setText(page.title)
        self.text.setText("\n".join(page.notes) or say("No notes for this page."))
        start, both = self._player.start, (page.question, page.task)
        asked = "\n".join(unmarked(filled(each.text, start)) for each in both if each)
        show_text(self._asked, say("On the page: {question}", question=asked) if asked else "")
        right = right_answer(page, start)
        show_text(self.right, say("Right: {answer}", answer=right) if right else "")
        following = lesson.pages[number + 1 :]
        self.next_title.setText(say("Next: {title}", title=following[0].title) if following else "")
        self.back.setEnabled(number > 0)
        self.next.setEnabled(bool(following))
        self._show_time()

    def _show_time(self) -> None:
        minutes, seconds = divmod(round(time.monotonic() - self._since()), 60)
        self.clock.setText(f"{minutes}:{seconds:02}")


def place_beside(made: QWidget, window: QWidget) -> None:
    """In the middle of another screen than the window's; where there is none, the system decides."""
    other = other_screen(window, QApplication.screens())
    if other is not None:
        frame = made.frameGeometry()
        frame.moveCenter(other.availableGeometry().center())
        made.move(frame.topLeft())


def other_screen(window: QWidget, screens: Sequence[QScreen]) -> QScreen | None:
    """The first that the window is not on."""
    return next((screen for screen in screens if screen is not window.screen()), None)
