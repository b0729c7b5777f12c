"""Room Embed: how the input vector of each token is put together."""

from collections.abc import Callable, Sequence

from ...look import mark
from ..room import Room
from ..view import View, ViewSpec, later
from .parts_view import PartsView


class EmbedRoom(Room):
    key = "embed"
    specs = (
        ViewSpec(
            "parts",
            mark("Overview"),
            mark(
                "A model reads numbers, not words. Here you see how each token gets its numbers. Type a word twice: "
                "does it enter the model with the same numbers?"
            ),
            PartsView,
        ),
        ViewSpec(
            "map",
            mark("Map"),
            mark(
                "Tokens with similar input vectors lie close together, before any layer has read them. A and B lie "
                "apart because their segment vectors differ: choose “Token vectors” and look again."
            ),
            later(__package__, "map_view", "MapView"),
        ),
        ViewSpec(
            "what_if",
            mark("What if"),
            mark(
                "Does the model need to know the order of the words, or which sentence they belong to? Take that "
                "away, and see what it predicts."
            ),
            later(__package__, "what_if_view", "WhatIfView"),
            only=mark("Here you make the change; Overview shows its effect next to the baseline."),
        ),
        ViewSpec(
            "vocabularies",
            mark("Two vocabularies"),
            mark(
                "Every model cuts words into pieces in its own way, and a word in pieces is harder to "
                "understand. Type a rare word: which of the two cuts it into more pieces?"
            ),
            later(__package__, "vocabularies_view", "VocabulariesView"),
            only=mark("This view splits text with its own two vocabularies, so the baseline makes no difference here."),
        ),
        ViewSpec(
            "padding",
            mark("Padding and truncation"),
            mark(
                "All texts of a batch have the same length: short ones are padded with [PAD], long ones are "
                "truncated. Does [PAD] change what the model reads? Switch the attention mask off and see."
            ),
            later(__package__, "padding_view", "PaddingView"),
            only=mark("This view reads the text with the model as it is, whatever is compared or changed inside."),
        ),
    )

    # References of models opened lately, newest first; their vocabularies are offered.
    recent_models: Callable[[], Sequence[str]] = staticmethod(tuple)

    def open_view(self, key: str) -> View:
        """ "batch": A and B as two texts, in Padding and truncation."""
        view = super().open_view("padding" if key == "batch" else key)
        if key == "batch":
            view.show_batch()  # type: ignore[attr-defined]
        return view

    def connect_view(self, view: View) -> None:
        from .vocabularies_view import VocabulariesView

        if isinstance(view, VocabulariesView):
            view.recent_models = lambda: self.recent_models()  # it may be made before this is known
