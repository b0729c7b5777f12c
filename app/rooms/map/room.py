"""Room Map: the whole model for this text in one picture, which leads to all other rooms; and which parts of it made
the answer."""

from ...look import mark
from ..room import Room
from ..view import View, ViewSpec, later
from .view import MapView

ABOUT_MODELS = mark("This view is about models as such, not about a text.")


class MapRoom(Room):
    """The map says itself what it is, so there are words above the other views alone."""

    key = "map"
    specs = (
        ViewSpec(
            "model",
            mark("The whole model"),
            mark("Words, tokens, embeddings, layers and answers in one picture"),
            MapView,
        ),
        ViewSpec(
            "circuit",
            mark("Which parts made this?"),
            mark(
                "Sometimes a few heads and feed-forward networks do most of the work, sometimes many together. Which "
                "ones made this answer, and what do they tell each other? Compare with a text of the same length that "
                "gets another answer."
            ),
            later(__package__, "circuit_view", "CircuitView"),
        ),
        ViewSpec(
            "speaks",
            mark("Which part says what?"),
            mark(
                "The logit of a word is a sum: each head and each feed-forward network adds its own share. Which ones "
                "speak for this word, which against it, and which words does each push?"
            ),
            later(__package__, "speaks_view", "SpeaksView"),
        ),
        ViewSpec(
            "family",
            mark("The family"),
            mark(
                "BERT-base has 109 million parameters (the paper rounds to 110): where are they? And what did those "
                "that came after it change, to be better, smaller or faster?"
            ),
            later(__package__, "family_view", "FamilyView"),
            only=ABOUT_MODELS,
        ),
        ViewSpec(
            "published",
            mark("Papers"),
            mark(
                "One table made BERT famous: eight tasks, one model, better at each than anything before it. What did "
                "smaller and later models reach, and how does your own run compare?"
            ),
            later(__package__, "published_view", "PublishedView"),
            only=ABOUT_MODELS,
        ),
    )

    def show_tab(self) -> None:
        super().show_tab()
        self.intro.setVisible(self.views.key != "model")

    def connect_view(self, view: View) -> None:
        if isinstance(view, MapView):
            view.texts = self.state.applied_texts
        if hasattr(view, "model_requested"):
            view.model_requested.connect(self.model_requested)
