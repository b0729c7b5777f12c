"""The teacher's notes for the page on show, in a window of their own: for the second screen."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from ..look import theme
from ..widgets.card import label
from ..widgets.layouts import vbox
from .player import LessonPlayer


class NotesWindow(QWidget):
    """Large enough to be read standing."""

    def __init__(self, player: LessonPlayer, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle(self.tr("Speaker notes"))
        self.resize(theme.px(460), theme.px(340))
        self._player = player
        self._title, self.text = label("", "lesson-title", wrap=True), label("", wrap=True)
        self._next = label("", "muted", wrap=True)
        pad = theme.px(16)
        vbox(self._title, self.text, None, self._next, parent=self, gap_px=10, margins=(pad, pad, pad, pad))
        player.page_changed.connect(self._show_page)
        player.opened.connect(self._show_page)
        self._show_page()

    def _show_page(self) -> None:
        page, lesson = self._player.page, self._player.lesson
        if page is None or lesson is None:
            self.close()
            return
        self._title.setText(page.title)
        self.text.setText(page.notes or self.tr("No notes for this page."))
        following = lesson.pages[self._player.number + 1 :]
        self._next.setText(self.tr("Next: {title}").format(title=following[0].title) if following else "")
