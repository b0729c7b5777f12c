"""What the views of the room Predict share: masks to choose from, or a sentence on why there is nothing to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QHBoxLayout, QScrollArea, QStackedLayout, QWidget

from ...compute.masks import lens_of
from ...compute.question import Job
from ...look import theme
from ...look.say import say
from ...state.readings import word_to_mask
from ...widgets.card import GAP_PX, Card, button, label, scrolled
from ...widgets.charts.raster import ColorBar
from ...widgets.context_menu import Entry
from ...widgets.layouts import hbox, vbox
from ..view import View
from .predict_sentences import missing_words

if TYPE_CHECKING:
    from bertcore.analysis.predict import WordGuess

    from ...state.readings import MaskReading, Reading
MOST_MASKS = 12  # that are shown
QUICK_ROWS = 40  # stages times masks whose words are read off at each key: a few ms in a small model


class PredictView(View):
    """`column` takes what the view shows; `show_nothing` shows a sentence instead."""

    text_requested = Signal(object, object)  # A, B: str, or None to leave it as it is
    words_inserted = Signal(object)  # list of (position, token id): words for the text, in place of masks

    def __init__(self) -> None:
        super().__init__()
        self._mask: int | None = None  # position of the mask that was clicked last
        self._content, self._nothing = QWidget(), Card()
        self._nothing_title, self._nothing_text = label("", "number"), label("", wrap=True)
        self.column = vbox(parent=self._content, gap_px=GAP_PX)
        self.offer = button(say("Mask"), lambda: self.mask_toggled.emit(self._to_mask), look="primary")
        self._to_mask = 0  # position that the button masks
        self._nothing.fill_with_message(self._nothing_title, self._nothing_text, self.offer)
        self._layers = QStackedLayout(self)
        self._layers.addWidget(self._content)
        self._layers.addWidget(self._nothing)

    @property
    def nothing(self) -> str:
        """The sentence shown instead of the content; empty where there is content."""
        return self._nothing_text.text() if self._layers.currentWidget() is self._nothing else ""

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

    def show_nothing(self, title: str, sentence: str, to_mask: int | None = None) -> None:
        """to_mask: the token that a button offers to mask."""
        self.offer.setVisible(to_mask is not None)
        if to_mask is not None and self.reading is not None:
            self._to_mask = to_mask
            self.offer.setText(say("Mask “{token}”", token=self.reading.encoding.labels[to_mask]))
        self._nothing_title.setText(title)
        self._nothing_text.setText(sentence)
        self._layers.setCurrentWidget(self._nothing)
        for question in self.questions:
            question.cancel()

    def show_content(self) -> None:
        self._layers.setCurrentWidget(self._content)

    def word_entries(self, position: int, word: WordGuess) -> list[Entry]:
        """What a right click on a word predicted at a mask offers."""
        return [
            (say("Insert “{word}”", word=word.token), lambda: self.words_inserted.emit([(position, word.id)])),
            (say("Copy “{word}”", word=word.token), lambda: QApplication.clipboard().setText(word.token)),
            None,
            (say("Pin this mask"), lambda: self.position_clicked.emit(position)),
            (say("Remove this mask"), lambda: self.mask_toggled.emit(position)),
        ]

    def check_masks(self, reading: Reading) -> bool:
        """Whether there are masks and a head that predicts words; shows the content, or says what is missing."""
        missing = missing_words(reading)
        if missing:
            self.show_nothing(say("No predictions"), missing)
        elif not reading.masks:
            text = say("Mask a word, and the model guesses it: double-click a token, or select it and press M.")
            self.show_nothing(say("Mask a word"), text, word_to_mask(reading, self.selection.position))
        else:
            self.show_content()
        return not missing and bool(reading.masks)


def scrolled_column(picture: QWidget, *words: QWidget, least_px: int = 0) -> QScrollArea:
    """A picture that takes what height there is, with words below, in an area that scrolls if it must.

    least_px: where the window leaves less, the whole room scrolls.
    """
    inside = QWidget()
    vbox((picture, 1), *words, parent=inside, margins=(0, 0, theme.px(4), 0))
    area = scrolled(inside)
    area.setMinimumHeight(theme.px(least_px))
    return area


def with_name(text: str, scale: ColorBar) -> QHBoxLayout:
    """A colour scale with what it shows before it."""
    return hbox(label(text, "muted"), scale, None)


def lens_job(reading: Reading) -> Job | None:
    """What each layer would predict at the masks that are shown."""
    positions = tuple(mask.position for mask in reading.masks[:MOST_MASKS])
    is_quick = len(reading.trace.hidden_states) * len(positions) <= QUICK_ROWS
    return Job(lens_of, (reading, positions), (reading.request.model,), is_quick) if positions else None
