"""Several pages in one place: a row of buttons above, one page at a time below."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Generic, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from app.look import theme
from app.widgets.card import GAP_PX, button

Page = TypeVar("Page", bound=QWidget)


class Pages(QWidget, Generic[Page]):
    """A page is made when it is opened for the first time. `made` has those that are, by key; `top` the buttons.

    A click is told by `chosen`; who hears it opens the page.
    """

    chosen = Signal(str)  # key

    def __init__(self, names: Mapping[str, tuple[str, str]], make: Callable[[str], Page]) -> None:
        """names: key -> name and hint, in order. make: of a key."""
        super().__init__()
        self.made: dict[str, Page] = {}
        self.open_key = ""
        self.top = QHBoxLayout()
        self._make, self._stack, self._group = make, QStackedWidget(), QButtonGroup(self)
        self.buttons: dict[str, QPushButton] = {}
        self.top.setSpacing(theme.px(6))
        for key, (name, hint) in names.items():
            self.buttons[key] = button(name, partial(self.chosen.emit, key), hint=hint, checkable=True)
            self._group.addButton(self.buttons[key])
            self.top.addWidget(self.buttons[key])
        self.top.addStretch(0)  # keeps the buttons together where a room puts nothing beside them
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(GAP_PX - 2))
        layout.addLayout(self.top)
        layout.addWidget(self._stack, 1)

    @property
    def page(self) -> Page:
        """The one on show."""
        return self.made[self.open_key]

    def get(self, key: str) -> Page:
        """A page, made where it is not yet, but not shown."""
        if key not in self.made:
            self.made[key] = self._make(key)
            self._stack.addWidget(self.made[key])
        return self.made[key]

    def open(self, key: str) -> Page:
        """Shows a page."""
        shown, self.open_key = self.get(key), key
        self.buttons[key].setChecked(True)
        for page in self.made.values():  # those that are not seen ask for no space
            policy = QSizePolicy.Policy.Preferred if page is shown else QSizePolicy.Policy.Ignored
            page.setSizePolicy(policy, policy)
        self._stack.setCurrentWidget(shown)
        return shown
