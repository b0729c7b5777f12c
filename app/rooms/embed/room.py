"""Room Embed: how the input vector of each token is put together, in four views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app import theme
from app.readings import Reading
from app.rooms.embed.parts_view import PartsView
from app.rooms.explore import ExploreRoom
from app.state import ExploreState
from app.widgets.card import GAP_PX, button
from bertcore.analysis.nearest import WordFinder

if TYPE_CHECKING:
    from app.rooms.embed.view import EmbedView

VIEWS = {  # key -> name, hint
    "parts": ("Overview", "What each token's vector is added up from"),
    "map": ("Map", "Which tokens are alike, and which words lie around them"),
    "what_if": ("What if", "Other segments, swapped positions, parts left out"),
    "cuts": ("Two vocabularies", "The same text cut by another vocabulary"),
}
KEPT_VIEW = "embed.view"  # what a window built anew finds in the state


class EmbedRoom(ExploreRoom):
    """Views, one at a time, under a row of buttons."""

    def __init__(self, state: ExploreState, recent_models: Callable[[], Sequence[str]] = tuple) -> None:
        """recent_models: references of models that were open lately, newest first; their vocabularies are offered."""
        self.recent_models, self.finder = recent_models, WordFinder()
        self.views: dict[str, EmbedView] = {}
        self.open_key = ""
        self._tabs: dict[str, QPushButton] = {}
        self._group = QButtonGroup()
        self._stack = QStackedWidget()
        super().__init__(state, self._build())
        kept = state.kept.get(KEPT_VIEW)
        self.parts = PartsView(self)
        self._add("parts", self.parts)
        self.open_view(str(kept) if kept in VIEWS else "parts")

    @property
    def view(self) -> EmbedView:
        """The one on show."""
        return self.views[self.open_key]

    def open_view(self, key: str) -> EmbedView:
        """Shows a view (a key of VIEWS); it is made when it is the first time."""
        if key not in self.views:
            self._add(key, self._make(key))
        if self.open_key and key != self.open_key:
            self.view.leave()
        self.open_key = self.state.kept[KEPT_VIEW] = key
        self._tabs[key].setChecked(True)
        for name, view in self.views.items():  # those that are not seen ask for no space
            policy = QSizePolicy.Policy.Preferred if name == key else QSizePolicy.Policy.Ignored
            view.setSizePolicy(policy, policy)
        self._stack.setCurrentWidget(self.view)
        if self.is_drawn and self.isVisible() and self.state.reading is not None:
            self.view.draw_reading(self.state.reading)
        return self.view

    def set_part(self, name: str, is_in: bool) -> None:
        """Leaves the token, segment or position embedding out of the sum, or puts it back."""
        self.state.set_what_if(self.state.what_if.with_dropped(name, not is_in))

    def draw_reading(self, reading: Reading) -> None:
        self.view.draw_reading(reading)

    def draw_focus(self, reading: Reading) -> None:
        self.view.draw_focus(reading)

    def show_answer(self, kind: str, answer: Any) -> None:
        for key, view in self.views.items():
            if key == self.open_key or kind == "tables":  # tables are asked for once
                view.show_answer(kind, answer)

    def _add(self, key: str, view: EmbedView) -> None:
        self.views[key] = view
        self._stack.addWidget(view)

    def _make(self, key: str) -> EmbedView:
        from app.rooms.embed import cuts_view, map_view, what_if_view

        makers: dict[str, Callable[[EmbedRoom], EmbedView]] = {
            "map": map_view.MapView,
            "what_if": what_if_view.WhatIfView,
            "cuts": cuts_view.CutsView,
        }
        return makers[key](self)

    def _build(self) -> QWidget:
        content = QWidget()
        top = QHBoxLayout()
        top.setSpacing(theme.px(6))
        for key, (name, hint) in VIEWS.items():
            tab = button(name, partial(self.open_view, key), hint=hint, checkable=True)
            self._tabs[key] = tab
            self._group.addButton(tab)
            top.addWidget(tab)
        top.addStretch(1)
        layout = QVBoxLayout(content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(GAP_PX - 2))
        layout.addLayout(top)
        layout.addWidget(self._stack, 1)
        return content
