"""Room Embed: how the input vector of each token is put together, in four views."""

from collections.abc import Callable, Sequence

from ...look.language import QT_TRANSLATE_NOOP
from ...state.explore_state import ExploreState
from ..base import View, ViewRoom, ViewSpec, later
from .parts_view import PartsView


class EmbedRoom(ViewRoom):
    key = "embed"
    specs = (
        ViewSpec(
            "parts",
            QT_TRANSLATE_NOOP("ViewSpec", "Overview"),
            QT_TRANSLATE_NOOP("ViewSpec", "The vectors that add up to each token’s input"),
            PartsView,
        ),
        ViewSpec(
            "map",
            QT_TRANSLATE_NOOP("ViewSpec", "Map"),
            QT_TRANSLATE_NOOP("ViewSpec", "Which tokens are similar, and which words lie near them"),
            later(__package__, "map_view", "MapView"),
        ),
        ViewSpec(
            "what_if",
            QT_TRANSLATE_NOOP("ViewSpec", "What if"),
            QT_TRANSLATE_NOOP("ViewSpec", "Change segments, swap positions, leave parts out, and see what changes"),
            later(__package__, "what_if_view", "WhatIfView"),
        ),
        ViewSpec(
            "vocabularies",
            QT_TRANSLATE_NOOP("ViewSpec", "Two vocabularies"),
            QT_TRANSLATE_NOOP("ViewSpec", "The same text, tokenised by two vocabularies"),
            later(__package__, "vocabularies_view", "VocabulariesView"),
        ),
    )

    def __init__(self, state: ExploreState, recent_models: Callable[[], Sequence[str]] = tuple) -> None:
        """recent_models: references of models opened lately, newest first; their vocabularies are offered."""
        self._recent_models = recent_models
        super().__init__(state)

    def connect_view(self, view: View) -> None:
        from .vocabularies_view import VocabulariesView

        if isinstance(view, VocabulariesView):
            view.recent_models = self._recent_models
