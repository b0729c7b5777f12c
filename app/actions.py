"""Every command of the window once: id, title, shortcut, menu, callback. Menus and shortcuts come from this list."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

MENUS = ("Model", "Text", "Room", "View")


@dataclass(frozen=True)
class Command:
    """Something a person can ask the window to do."""

    id: str  # "menu.verb"
    title: str  # as the menu says it; … where a dialog follows
    menu: str  # one of MENUS
    callback: Callable[[], object]
    shortcut: str = ""


class Actions:
    """The commands as QActions of one window."""

    def __init__(self, window: QWidget, commands: Iterable[Command]) -> None:
        self.commands = {command.id: command for command in commands}
        self.actions: dict[str, QAction] = {}
        for command in self.commands.values():
            action = QAction(command.title, window)
            if command.shortcut:
                action.setShortcut(QKeySequence(command.shortcut))
            action.triggered.connect(lambda _checked=False, run=command.callback: run())
            window.addAction(action)
            self.actions[command.id] = action

    def fill(self, menu: QMenu) -> None:
        """All commands, menu by menu."""
        for name in MENUS:
            part = menu.addMenu(name)
            part.addActions([self.actions[c.id] for c in self.commands.values() if c.menu == name])

    def run(self, command_id: str) -> None:
        self.actions[command_id].trigger()
