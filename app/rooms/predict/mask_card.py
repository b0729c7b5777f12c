"""One mask: the likeliest words, how the word in the text fares, and what the layers would predict on the way."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QWidget

from bertcore.analysis.predict import WordGuess

from ...compute.masks import MaskLens
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import isolated, say
from ...state.baseline_names import baseline_name, beside, is_earlier, where_first
from ...state.compared_words import ComparedMask, compared_mask
from ...state.readings import MaskReading, Reading
from ...widgets.card import Card, Hint, label
from ...widgets.charts.bars import Bar, BarList
from ...widgets.charts.raster import ColorBar
from ...widgets.layouts import fill, hbox, vbox
from ...widgets.word_shift import ShiftedWord, WordShift
from .lens_cells import LensStrip, describe, highest
from .predict_sentences import change_of, decided_sentence, hidden_word, mask_token, shift_intro


class MaskCard(Card):
    """A click on a word asks to insert it into the text."""

    word_chosen = Signal(int, int)  # position, token id
    word_menu_requested = Signal(object, QPoint)  # row of the bars or None, a point of the screen
    hover_text_changed = Signal(str)

    def __init__(self) -> None:
        super().__init__(intro=" ")
        self.position = 0
        self.words: list[WordGuess] = []  # what the bars show
        self.compared: ComparedMask | None = None  # on show
        self._own_id: int | None = None  # of the word that stands in the text
        self.bars = BarList(say("Most likely words"), clickable=True, stretch_to_px=38)
        self.shift = WordShift(say("Most likely words, with the baseline and now"))
        self._baseline_bars = BarList(say("Most likely words with the baseline"), stretch_to_px=38)
        self.strip, self._scale = LensStrip(say("Top guess after each layer")), ColorBar(signed=False, width_px=130)
        self._baseline_title, self._now_title = Hint(), Hint(say("now"))
        self._changed, self.decided = label("", "muted", wrap=True), label("", "muted", wrap=True)
        explain("probability", self.bars, self._baseline_bars, self.shift, self.strip, self._scale)
        for words in (self.bars, self.shift):
            words.clicked.connect(lambda row: self.word_chosen.emit(self.position, self.words[row].id))
            words.context_menu_requested.connect(self.word_menu_requested)
        self.strip.hovered.connect(self._on_strip_hovered)
        self.strip.context_menu_requested.connect(lambda _stage, at: self.word_menu_requested.emit(None, at))
        title = label(say("After each layer"), "title")
        title.setToolTip(say("The top guess if the model stopped there; the colour shows its probability"))
        self._lists, self._beside = QWidget(), QWidget()
        vbox(self._baseline_title, (self._baseline_bars, 1), parent=self._beside, gap_px=2)
        now = vbox(self._now_title, (self.bars, 1), gap_px=2)
        hbox((self._beside, 1), (now, 1), parent=self._lists, gap_px=12)
        line = hbox((title, 1), self._scale)
        fill(self.body, self._changed, (self._lists, 1), (self.shift, 1), 4, line, self.strip, self.decided)
        self.setMinimumWidth(theme.column_px(270))

    @property
    def picture(self) -> list[QWidget]:
        """What a saved picture shows."""
        return [self._lists, self.shift, self.strip]

    @property
    def baseline(self) -> str:
        """What the baseline predicts, or why there is nothing to compare; empty where there is no baseline."""
        return "" if self._changed.isHidden() else self._changed.text()

    def show_mask(self, reading: Reading, mask: MaskReading, full_bar: float, *, wants_difference: bool) -> None:
        """full_bar: the probability of a bar that fills the card; the same for all cards, so that they compare."""
        if mask.position != self.position:
            self.show_lens(None, 0)
        was = mask.was
        self.position, self._own_id = mask.position, None if was is None else was.id
        is_listed = was is None or was.id in {word.id for word in mask.words}
        self.words = [*mask.words, *([] if was is None or is_listed else [was])]
        self.set_title(reading.mask_name(mask.position))
        self.set_hint(hidden_word(mask, mask_token(reading)))
        found = compared_mask(reading, mask)
        self.compared = compared = found if isinstance(found, ComparedMask) else None
        is_shift = compared is not None and wants_difference
        self._lists.setVisible(not is_shift)
        self.shift.setVisible(is_shift)
        for widget in (self._beside, self._now_title):
            widget.setVisible(compared is not None)
        bars = say("Its best guesses; the longer the bar, the likelier. Click one to insert it.")
        self.set_intro(shift_intro(compared) if compared is not None and is_shift else bars)
        self.bars.set_bars(_bars(self.words, full_bar, compared is not None, self._own_id))
        self._changed.setVisible(found is not None)
        if isinstance(found, str):
            self._changed.setText(found)
        elif compared is not None:
            self._baseline_title.setText(baseline_name(reading))
            self._baseline_bars.set_bars(_bars(compared.words, full_bar, True))
            self._show_change(reading, compared)

    def _show_change(self, reading: Reading, compared: ComparedMask) -> None:
        first, now, name = compared.words[0], self.words[0], baseline_name(reading)
        text = say("{where}: “{word}” {probability} → now: “{new_word}” {new_probability}")
        words = {"word": isolated(first.token), "new_word": isolated(now.token)}
        chances = {"probability": _fine(first), "new_probability": _fine(now)}
        self._changed.setText(text.format(where=where_first(reading), **words, **chances))
        changes = compared.changes
        known = [word for word in self.words if word.id in changes]
        changed = {word.id: abs(word.probability - changes[word.id].probability) for word in known}
        most, rows = max(changed.values(), default=0.0) or 1.0, {word.id: i for i, word in enumerate(compared.words)}
        shifted = []
        for word in self.words:
            change, sign, row = changes.get(word.id), 0, None
            if change is None:
                parts = [say("not in {baseline}’s vocabulary", baseline=name)]
            else:
                (sign, factor), row = change_of(change.probability, word.probability), rows.get(change.baseline_id)
                rank = beside(say("rank {rank}", rank=numbers.count(change.rank)), is_earlier(reading))
                parts = [factor, rank if row is None else ""]
            parts.append(say("in the text") if word.id == self._own_id else "")
            said, share = " · ".join(filter(None, parts)), changed.get(word.id, 0.0) / most
            shifted.append(ShiftedWord(word.token, _fine(word), share, said, sign, row, has_line=change is not None))
        before = [ShiftedWord(word.token, _fine(word)) for word in compared.words]
        self.shift.show_words(before, shifted, (name, say("now")))

    def show_lens(self, lens: MaskLens | None, mask: int) -> None:
        """mask: which of the lens's masks this card is of. None: not known yet."""
        full = 1.0 if lens is None else highest(lens)
        self.strip.set_stages([] if lens is None else [stage[mask] for stage in lens.words], full)
        self._scale.set_range(0, full, numbers.probability)
        self.decided.setText("" if lens is None else decided_sentence(lens, mask))

    def _on_strip_hovered(self, stage: int | None) -> None:
        self.hover_text_changed.emit("" if stage is None else describe(stage, self.strip.stages[stage]))


def _fine(word: WordGuess) -> str:
    return numbers.probability(word.probability, fine=True)


def _bars(words: Sequence[WordGuess], full_bar: float, fine: bool, own_id: int | None = None) -> list[Bar]:
    """own_id: of the word that stands in the text."""
    bars = []
    for word in words:
        is_own, number = word.id == own_id, numbers.probability(word.probability, fine=fine)
        mark, color = (say("in the text"), "good") if is_own else ("", "bar")
        bars.append(Bar(word.token, number, word.probability / full_bar, color, is_strong=is_own, mark=mark))
    return bars
