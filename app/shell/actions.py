"""Every command of the window once: id, title, shortcut, menu, callback. Menus, keys and the command list use these."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

MENUS = ("File", "Edit", "Model", "Text", "Room", "View")


@dataclass(frozen=True)
class Command:
    """Something a person can ask the window to do."""

    id: str  # "menu.verb"
    title: str  # as the menu says it; … where a dialog follows
    menu: str  # one of MENUS
    callback: Callable[[], object]
    shortcut: str
    more_shortcuts: tuple[str, ...] = ()  # that other programs taught people
    also: str = ""  # other words by which people look for it


class Actions:
    """The commands as QActions of one window."""

    def __init__(self, window: QWidget, commands: Iterable[Command]) -> None:
        self.commands = {command.id: command for command in commands}
        self.actions: dict[str, QAction] = {}
        for command in self.commands.values():
            action = QAction(command.title, window)
            action.setShortcuts([QKeySequence(keys) for keys in (command.shortcut, *command.more_shortcuts)])
            action.triggered.connect(lambda _checked=False, run=command.callback: run())
            window.addAction(action)
            self.actions[command.id] = action

    def fill(self, menu: QMenu) -> None:
        """All commands, menu by menu."""
        for name in MENUS:
            part = menu.addMenu(name)
            part.addActions([self.actions[c.id] for c in self.commands.values() if c.menu == name])

    def show(self, command_id: str, title: str, enabled: bool) -> None:
        """What a command would do now, and whether it would do anything."""
        self.actions[command_id].setText(title)
        self.actions[command_id].setEnabled(enabled)

    def run(self, command_id: str) -> None:
        self.actions[command_id].trigger()
