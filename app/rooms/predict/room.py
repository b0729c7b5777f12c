"""Room Predict: which words the model predicts behind masks and why, and what it says of A and B."""

from ...look import mark
from ..room import Room
from ..view import ONE_AT_A_TIME, View, ViewSpec, later
from .pair_card import PreviousPredictions
from .view import PredictView
from .words_view import WordsView


class PredictRoom(Room):
    """Its views change the text and its masks; the guesses from before a word was inserted stay beside the new ones."""

    key = "predict"
    specs = (
        ViewSpec(
            "words",
            mark("Words"),
            mark("This is how BERT learned language: guessing masked words. Mask one, and see what it expects there."),
            WordsView,
        ),
        ViewSpec(
            "lens",
            mark("Layer by layer"),
            mark(
                "When does the model make up its mind? See what it would guess if it stopped after each layer, and "
                "where the guess stops changing."
            ),
            later(__package__, "lens_view", "LensView"),
        ),
        ViewSpec(
            "surprise",
            mark("Surprise"),
            mark(
                "A model that knows a language is surprised by mistakes, rare words and twists. Put in a word that "
                "does not fit: does it notice?"
            ),
            later(__package__, "surprise_view", "SurpriseView"),
        ),
        ViewSpec(
            "texts",
            mark("Many texts"),
            mark(
                "One text may be a coincidence; a list shows a habit. Is “she” more surprising than “he” after “the "
                "doctor said that”?"
            ),
            later(__package__, "texts_view", "TextsView"),
            only=mark("This view has its own list of texts, so the baseline makes no difference here."),
        ),
        ViewSpec(
            "fates",
            mark("80 / 10 / 10"),
            mark(
                "Training chooses 15% of the tokens to be predicted: 80% of them become [MASK], 10% a random token, "
                "10% stay as they are. Why not always [MASK]?"
            ),
            later(__package__, "fates_view", "FatesView"),
            only=mark(
                "This view masks the text anew, in the model as it is, so the baseline makes no difference here."
            ),
        ),
        ViewSpec(
            "attribution",
            mark("Which words decided"),
            mark(
                "Is the model right for the right reason? Red words support its answer, blue ones work against it. "
                "Trust what the cards agree on."
            ),
            later(__package__, "attribution_view", "AttributionView"),
            is_for_experts=True,
            only=ONE_AT_A_TIME,
        ),
        ViewSpec(
            "fill",
            mark("Fill in order"),
            mark(
                "With several words missing, each guess changes the next. Fill them in one at a time, then in another "
                "order: do you get the same text?"
            ),
            later(__package__, "fill_view", "FillView"),
            only=ONE_AT_A_TIME,
        ),
    )

    @property
    def words_view(self) -> WordsView:
        view = self.get_view("words")
        assert isinstance(view, WordsView)
        return view

    def connect_view(self, view: View) -> None:
        assert isinstance(view, PredictView)
        view.text_requested.connect(self.state.set_text)
        view.words_inserted.connect(self._on_view_words_inserted)
        view.comparison_wanted.connect(lambda _: self.open_view("surprise"))  # the sentences of a pair, word by word

    def _on_view_words_inserted(self, words: list[tuple[int, int]]) -> None:
        """words: position and token id of each."""
        reading, state = self.state.reading, self.state
        before = state.text_a, state.text_b, state.masked
        state.insert_words(words)
        if reading is not None and before != (state.text_a, state.text_b, state.masked):
            self.words_view.keep(PreviousPredictions.of(reading, words))
