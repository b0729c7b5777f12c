"""Room Embed: how the input vector of each token is put together, in four views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from app.rooms.base import ExploreRoom
from app.rooms.embed.parts_view import PartsView
from app.state.readings import Reading
from app.state.state import ExploreState
from app.widgets.pages import Pages
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
        self.pages: Pages[EmbedView] = Pages(VIEWS, self._make)
        super().__init__(state, self.pages)
        self.pages.chosen.connect(self.open_view)
        kept = state.kept.get(KEPT_VIEW)
        self.open_view(str(kept) if kept in VIEWS else "parts")

    @property
    def view(self) -> EmbedView:
        """The one on show."""
        return self.pages.page

    @property
    def parts(self) -> PartsView:
        """The overview, made if it is not yet."""
        view = self.pages.get("parts")
        assert isinstance(view, PartsView)
        return view

    def open_view(self, key: str) -> EmbedView:
        """Shows a view (a key of VIEWS)."""
        if self.pages.open_key not in ("", key):
            self.view.leave()
        self.pages.open(key)
        self.state.kept[KEPT_VIEW] = key
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
        for view in self.pages.made.values():
            if view is self.view or kind == "tables":  # tables are asked for once
                view.show_answer(kind, answer)

    def _make(self, key: str) -> EmbedView:
        from app.rooms.embed import cuts_view, map_view, what_if_view

        makers: dict[str, Callable[[EmbedRoom], EmbedView]] = {
            "parts": PartsView,
            "map": map_view.MapView,
            "what_if": what_if_view.WhatIfView,
            "cuts": cuts_view.CutsView,
        }
        return makers[key](self)
