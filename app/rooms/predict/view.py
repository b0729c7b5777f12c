"""What the views of the room Predict share: masks to choose from, or a sentence on why there is nothing to show."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QPushButton

from bertcore.analysis.predict import WordGuess

from ...compute.masks import MaskLens, lens_of
from ...compute.question import Job
from ...look import say
from ...state import Selection
from ...state.readings import MaskReading, Reading, word_to_mask
from ...widgets.card import button, set_role
from ...widgets.context_menu import Entry
from ..values_view import ValuesView
from .predict_sentences import missing_words

MOST_MASKS = 12  # that are shown
LEAST_SCALE = 0.01  # what is hardly likely after any layer stays pale
QUICK_ROWS = 40  # stages times masks whose words are read off at each key: a few ms in a small model


class PredictView(ValuesView):
    """Where no word is masked it offers to mask one, and of a model that predicts no words it says so."""

    text_requested = Signal(object, object)  # A, B: str, or None to leave it as it is
    words_inserted = Signal(object)  # list of (position, token id): words for the text, in place of masks
    _mask: int | None = None  # position of the mask that was clicked last
    _to_mask: int | None = None  # position that a button offers to mask

    def __init__(self) -> None:
        super().__init__()
        set_role(self.nothing_title, "number")
        set_role(self.nothing_text, "")

    @property
    def masks(self) -> list[MaskReading]:
        """The first so many of the reading on show."""
        return self.reading.masks[:MOST_MASKS] if self.reading else []

    @property
    def mask_number(self) -> int:
        """Which of these is looked at: the one that was clicked last, else the first."""
        positions = [mask.position for mask in self.masks]
        if self.selection.pinned in positions:
            self._mask = self.selection.pinned
        return positions.index(self._mask) if self._mask in positions else 0

    def nothing(self, reading: Reading, selection: Selection) -> tuple[str, str] | None:
        self.offer_mask(reading, selection)
        if missing := missing_words(reading):
            return say("No predictions"), missing
        text = say("Mask a word, and the model guesses it: double-click a token, or select it and press M.")
        return None if reading.masks else (say("Mask a word"), text)

    def offers(self) -> list[QPushButton]:
        self.mask_button = button("", lambda: self.mask_toggled.emit(self._to_mask), look="primary")
        return [self.mask_button]

    def offer_mask(self, reading: Reading, selection: Selection) -> None:
        """A button masks the selected token, or else the first word."""
        self._to_mask = None if missing_words(reading) else word_to_mask(reading, selection.position)
        self.mask_button.setVisible(self._to_mask is not None)
        if self._to_mask is not None:
            self.mask_button.setText(say("Mask “{token}”", token=reading.encoding.labels[self._to_mask]))


def word_entries(word: WordGuess, insert: Callable[[], object]) -> list[Entry]:
    """What a right click on a word predicted at a mask offers besides what can be done with the mask."""
    return [
        (say("Insert “{word}”", word=word.token), insert),
        (say("Copy “{word}”", word=word.token), lambda: QApplication.clipboard().setText(word.token)),
    ]


def lens_job(reading: Reading) -> Job | None:
    """What each layer would predict at the masks that are shown."""
    positions = tuple(mask.position for mask in reading.masks[:MOST_MASKS])
    is_quick = len(reading.trace.hidden_states) * len(positions) <= QUICK_ROWS
    return Job(lens_of, (reading, positions), (reading.request.model,), is_quick) if positions else None


def highest(lens: MaskLens) -> float:
    """The probability of the strongest colour for these masks."""
    return max(max(words[0].probability for stage in lens.words for words in stage), LEAST_SCALE)
