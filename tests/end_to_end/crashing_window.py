"""BERTscope in whose window somebody works until it crashes, or finds what the last one has left:
`... crash|restore|look OFFER`, with a word of the offer that is wanted.

Prints what is on show at the end as JSON.
"""

import ctypes
import json
import os
import sys
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

import app.shell.window
from app import __main__
from app.lessons.card import LessonCard
from app.lessons.shipped import tour_file
from app.shell import recovery
from app.widgets.banner import OfferLine

LESSON = tour_file()
TEXT, TYPED = "The old king went home.", "7"


class WorkedWindow(app.shell.window.Window):
    """Takes one step after the other, each as soon as what it waits for is there."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._steps = {"crash": self.work_and_crash, "restore": self.restore, "look": self.look}[sys.argv[1]]()
        self._waits_for = next(self._steps)
        self._timer = QTimer(self, interval=20)
        self._timer.timeout.connect(self._go_on)
        self._timer.start()

    def _go_on(self):
        if self._waits_for():
            self._waits_for = next(self._steps, lambda: False)

    def offer(self):
        lines = self.frame.findChildren(OfferLine)
        return next((line for line in lines if sys.argv[2] in line.accessibleName()), None)

    def question(self):
        """The number of the first page where something can be typed."""
        pages = self.lessons.player.lesson.pages
        return next(i for i, page in enumerate(pages) if page.question and page.question.kind in ("number", "word"))

    def work_and_crash(self):
        yield self.is_settled
        self.lessons.open(LESSON)
        player = self.lessons.player
        player.go(self.question())
        yield lambda: player.start is not None and self.is_settled()
        card = self.findChild(LessonCard)
        QTest.keyClicks(card.findChild(QLineEdit), TYPED)
        self.frame.sentences.a.setText("")
        QTest.keyClicks(self.frame.sentences.a, TEXT)
        yield lambda: self.is_written(TEXT) and self.is_written(f'"{TYPED}"')
        ctypes.string_at(0)

    def is_written(self, text):
        files = (Path(os.environ["BERTSCOPE_HOME"]) / "windows").glob("*/*.json")
        return any(text in file.read_text(encoding="utf-8") for file in files)

    def restore(self):
        yield lambda: self.offer() is not None
        line = self.offer()
        QTest.mouseClick(line.accept_button, Qt.MouseButton.LeftButton)
        yield lambda: self.state.text_a == TEXT and self.is_settled()
        self.tell_and_close()

    def look(self):
        yield self.is_settled
        self.tell_and_close()

    def tell_and_close(self):
        player = self.lessons.player
        lesson = player is not None and player.lesson is not None and player.page is not None
        shown = {
            "text": self.state.text_a,
            "room": self.room_key,
            "model": self.state.model.name if self.state.model else "",
            "lesson": player.lesson.file.name if lesson else "",
            "is_question": lesson and player.number == self.question(),
            "typed": player.kept.choices.get(player.page.title, "") if lesson else "",
            "offer": self.offer() is not None,
        }
        print(json.dumps(shown), flush=True)
        self.close()


if __name__ == "__main__":
    recovery.EVERY_MS = 50
    app.shell.window.Window = WorkedWindow
    sys.exit(__main__.main([]))
