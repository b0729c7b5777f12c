"""Covers parts of the window until the question of a page is answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from ..look.say import say
from ..widgets.cover import Cover


class Covers(QObject):
    """Of one frame; call `update_covers` when another page, or another room, may be on show."""

    def __init__(self, over: QWidget, names: Callable[[], Sequence[str]]) -> None:
        """names: of what is covered now, some of widgets.spots.SPOTS."""
        super().__init__(over)
        self._over, self._names = over, names
        self._covers: dict[str, list[Cover]] = {}

    def update_covers(self) -> None:
        """All of that name; a room or view that is built later is covered when it opens."""
        wanted = self._names()
        for name in list(self._covers):
            if name not in wanted:
                for cover in self._covers.pop(name):
                    cover.remove()
        for name in wanted:
            found = self._over.findChildren(QWidget, name) if name not in self._covers else []
            if found:
                sentence = say("Hidden until you have answered the question")
                self._covers[name] = [Cover(widget, sentence) for widget in found]
