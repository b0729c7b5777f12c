"""Room Predict: the words the model would put behind masks and why, and what it says of A and B."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtGui import QHideEvent, QShowEvent

from app.rooms.base import ExploreRoom
from app.rooms.predict.page import PredictPage
from app.rooms.predict.words_page import MOST_CARDS, WordsPage
from app.state.readings import MaskReading, Reading
from app.state.state import ExploreState
from app.widgets.pages import Pages
from app.widgets.question import PAUSE_MS, Question

if TYPE_CHECKING:
    from app.compute.mask_lens import MaskLens
    from app.rooms.predict.mask_card import MaskCard
    from app.rooms.predict.replaced_card import ReplacedCard
    from app.rooms.predict.verdict import VerdictCard
    from app.state.readings import Step
    from bertcore.checkpoint.checkpoint import Checkpoint

PAGES = {  # key -> name, hint
    "words": ("Words", "The likeliest words for each mask, and the verdict on A and B"),
    "lens": ("Layer by layer", "At which layer it decides, and how a word of yours fares"),
    "surprise": ("Surprise", "How little the model expected each word"),
    "decided": ("Which words decided", "What a prediction rests on, by three methods"),
    "fill": ("Fill in order", "Fill the masks one by one"),
}
KEPT_PAGE = "predict.page"  # what a window built anew finds in the state
QUICK_ROWS = 40  # stages times masks that are read as words at each key: a few ms in a small model


class PredictRoom(ExploreRoom):
    """Pages, one at a time, under a row of buttons; a page is made when it is opened for the first time."""

    def __init__(self, state: ExploreState) -> None:
        self.pages: Pages[PredictPage] = Pages(PAGES, self._make)
        self.lens = Question("predict.lens")
        self._mask: int | None = None  # position of the mask that was clicked last
        self._is_urgent = True  # the person has just come here: nobody is typing
        super().__init__(state, self.pages)
        self.pages.chosen.connect(self.open_view)
        self._connect(self.lens)
        self.lens.answered.connect(self._on_lens_answered)
        kept = state.kept.get(KEPT_PAGE)
        self.open_view(str(kept) if kept in PAGES else "words")

    # What the tests reach for.

    @property
    def words_page(self) -> WordsPage:
        page = self.pages.get("words")
        assert isinstance(page, WordsPage)
        return page

    @property
    def mask_cards(self) -> list[MaskCard]:
        """The cards that are on show."""
        return self.words_page.shown_cards

    @property
    def verdict(self) -> VerdictCard:
        return self.words_page.pair.card

    @property
    def replaced_card(self) -> ReplacedCard | None:
        """What a discriminator says; None where the model is none."""
        return None if self.words_page.replaced.isHidden() else self.words_page.replaced

    @property
    def invitation(self) -> str:
        """The sentence in place of predictions; empty where there are some."""
        return self.words_page.invitation

    # What the pages use.

    @property
    def page(self) -> PredictPage:
        """The one on show."""
        return self.pages.page

    @property
    def pause_ms(self) -> int:
        """How long to wait before the model is asked for more than the reading."""
        return 0 if self._is_urgent else PAUSE_MS

    @property
    def mask_number(self) -> int:
        """Which of the shown masks the pages with one mask are about: the one clicked last, else the first."""
        positions = [mask.position for mask in self.masks()]
        return positions.index(self._mask) if self._mask in positions else 0

    def masks(self) -> list[MaskReading]:
        """Those that are shown."""
        return self.state.reading.masks[:MOST_CARDS] if self.state.reading else []

    def choose_mask(self, number: int) -> None:
        """Looks at one of the shown masks; all rooms do."""
        masks = self.masks()
        if number < len(masks):
            self.state.set_focus(masks[number].position)

    def position_of(self, unit: int | None) -> int | None:
        """The position that a token or word of the view goes by."""
        units = self.units
        return units.first_positions[unit] if units is not None and unit is not None and unit < len(units) else None

    def open_view(self, key: str) -> PredictPage:
        """Shows a page (a key of PAGES)."""
        if self.pages.open_key not in ("", key):
            self.page.leave()
        self.pages.open(key)
        self.state.kept[KEPT_PAGE] = key
        if self.is_drawn and self.isVisible() and self.state.reading is not None:
            self._is_urgent = True
            self.draw_reading(self.state.reading)
        return self.page

    def put_in(self, position: int, token_id: int) -> None:
        """Writes one word in place of a mask, and keeps the guesses from before."""
        tokenizer = self.state.model.tokenizer if self.state.model else None
        word = tokenizer.label(token_id) if tokenizer else ""
        self.put_in_all([(position, token_id, word)], f"“{word}” was put in")

    def put_in_all(self, words: list[tuple[int, int, str]], what: str) -> None:
        """(position, token id, word) of each."""
        kept = self.words_page.keep(what, [(position, word) for position, _, word in words])
        before = self.state.text_a, self.state.text_b, self.state.masked
        if kept is not None:
            self.words_page.show_former(kept)
        self.state.put_words([(position, token_id) for position, token_id, _ in words])
        if before == (self.state.text_a, self.state.text_b, self.state.masked):
            self.words_page.kept_card.dismissed.emit()  # nothing could be put in

    def draw_reading(self, reading: Reading) -> None:
        self._follow_focus(reading)
        self.page.draw_reading(reading)
        if self.page.needs_lens:
            self._want_lens(reading)
        self._is_urgent = False

    def draw_focus(self, reading: Reading) -> None:
        self._follow_focus(reading)
        self._is_urgent = True  # a click, no typing
        self.page.draw_focus(reading)
        self._is_urgent = False

    def show_answer(self, kind: str, answer: Any) -> None:
        if kind == "similarity":
            self.words_page.pair.show_compared(answer)
        self.lens.take(kind, answer)
        for question in self.page.questions:
            question.take(kind, answer)

    def show_progress(self, kind: str, share: float) -> None:
        for question in self.page.questions:
            question.show_progress(kind, share)

    def _follow_focus(self, reading: Reading) -> None:
        if self.state.focus in [mask.position for mask in reading.masks]:
            self._mask = self.state.focus

    def _want_lens(self, reading: Reading) -> None:
        positions = [mask.position for mask in self.masks()]
        if not positions:
            self.lens.forget()
            return
        hidden = np.asarray(reading.trace.hidden_states[:, positions], dtype=np.float32)  # (L+1,M,H)

        def work(checkpoint: Checkpoint, step: Step) -> MaskLens:
            from app.compute.mask_lens import lens_at

            return lens_at(checkpoint, hidden)

        quick = hidden.shape[0] * hidden.shape[1] <= QUICK_ROWS
        self.lens.want((reading.request,), work, 0 if quick else self.pause_ms)
        if self.lens.answer is not None:
            self.page.draw_lens(self.lens.answer)

    def _on_lens_answered(self, lens: MaskLens) -> None:
        reading = self.state.reading
        if self.page.needs_lens and reading is not None and self.lens.key == (reading.request,):
            self.page.draw_lens(lens)

    def _make(self, key: str) -> PredictPage:
        from app.rooms.predict import decided_page, fill_page, lens_page, surprise_page

        makers: dict[str, Callable[[PredictRoom], PredictPage]] = {
            "words": WordsPage,
            "lens": lens_page.LensPage,
            "surprise": surprise_page.SurprisePage,
            "decided": decided_page.DecidedPage,
            "fill": fill_page.FillPage,
        }
        page = makers[key](self)
        for question in page.questions:
            self._connect(question)
        return page

    def _connect(self, question: Question) -> None:
        question.setParent(self)  # ends with the room; without, its connections would keep the room for ever
        question.asked.connect(self.ask_model)
        question.unasked.connect(self.unasked)

    def showEvent(self, event: QShowEvent) -> None:
        self._is_urgent = True
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Nothing is worked out for a room that nobody sees; it comes back with it."""
        super().hideEvent(event)
        self.page.leave()
        self.lens.leave()
