"""One mask: the likeliest words, how the word in the text fares, and what the layers would predict on the way."""

from dataclasses import replace

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QWidget

from bertcore.analysis.predict import WordGuess

from ...compute.masks import MaskLens
from ...look import numbers, theme
from ...look.bidi import isolated
from ...look.number_kinds import explain
from ...look.say import say
from ...state.baseline_names import beside
from ...state.compared_words import ComparedMask
from ...state.readings import MaskReading
from ...widgets.card import Card, Hint, label
from ...widgets.charts.bars import Bar, BarList
from ...widgets.charts.raster import ColorBar
from ...widgets.layouts import fill, hbox, vbox
from ...widgets.word_shift import ShiftedWord, WordShift
from .lens_cells import LensStrip, highest
from .lens_sentences import decided_sentence

LEAST_CHANGE = 0.05  # of a probability, as a share of it: less is not worth an arrow


class MaskCard(Card):
    """A click on a word asks to insert it into the text."""

    word_chosen = Signal(int, int)  # position, token id
    word_menu_requested = Signal(object, QPoint)  # row of the bars or None, a point of the screen
    hover_text_changed = Signal(str)

    def __init__(self) -> None:
        super().__init__(intro=" ")
        self.position = 0
        self.words: list[WordGuess] = []  # what the bars show
        self.bars = BarList(say("Most likely words"), clickable=True, stretch_to_px=38)
        self._changed = label("", "muted", wrap=True)
        self.shift = WordShift(say("Most likely words, with the baseline and now"))
        self._theirs, self._beside_title = (
            BarList(say("Most likely words with the baseline"), stretch_to_px=38),
            Hint(),
        )
        self._now_title = Hint(say("now"))
        self._own_id: int | None = None  # of the word that stands in the text
        self.compared: ComparedMask | None = None  # on show
        self._strip = LensStrip(say("Top guess after each layer"))
        self._decided = label("", "muted", wrap=True)
        self.bars.clicked.connect(lambda row: self.word_chosen.emit(self.position, self.words[row].id))
        self.bars.context_menu_requested.connect(self.word_menu_requested)
        self.shift.clicked.connect(lambda row: self.word_chosen.emit(self.position, self.words[row].id))
        self.shift.context_menu_requested.connect(self.word_menu_requested)
        self._strip.hovered.connect(lambda stage: self.hover_text_changed.emit(self._strip.description(stage)))
        self._strip.context_menu_requested.connect(lambda _stage, at: self.word_menu_requested.emit(None, at))
        self._scale = ColorBar(signed=False, width_px=130)
        explain("probability", self.bars, self._theirs, self.shift, self._strip, self._scale)
        title = label(say("After each layer"), "title")
        title.setToolTip(say("The top guess if the model stopped there; the colour shows its probability"))
        line = hbox((title, 1), self._scale)
        self._lists, self._beside = QWidget(), QWidget()
        vbox(self._beside_title, (self._theirs, 1), parent=self._beside, gap_px=2)
        hbox((self._beside, 1), (vbox(self._now_title, (self.bars, 1), gap_px=2), 1), parent=self._lists, gap_px=12)
        fill(
            self.body,
            self._changed,
            (self._lists, 1),
            (self.shift, 1),
            4,
            line,
            self._strip,
            self._decided,
        )
        self.setMinimumWidth(theme.column_px(270))

    @property
    def picture(self) -> list[QWidget]:
        """What a saved picture shows."""
        return [self._lists, self.shift, self._strip]

    @property
    def before(self) -> str:
        """What the baseline predicts, or why there is nothing to compare; empty where there is no baseline."""
        return "" if self._changed.isHidden() else self._changed.text()

    @property
    def decided(self) -> str:
        """At which layer it settles on its word."""
        return self._decided.text()

    @property
    def layer_words(self) -> list[str]:
        """The best guess after each layer."""
        return self._strip.words

    def show_reading(self, reading: MaskReading, name: str, mask: str) -> None:
        """To be followed by `show_compared`. name: "[MASK] (7)". mask: what the model calls its mask."""
        if reading.position != self.position:
            self.show_lens(None, 0)
        self.position = reading.position
        words = list(reading.words)
        was = reading.was
        if was and was.id not in {word.id for word in words}:
            words.append(was)
        self.words = words
        self._own_id = None if was is None else was.id
        self.set_title(name)
        self.set_hint(self._history(reading, mask))

    def show_compared(
        self,
        compared: ComparedMask | str | None,
        name: str,
        full_bar: float,
        *,
        where: str = "",
        wants_difference: bool = False,
        earlier: bool = False,
    ) -> None:
        """The words, beside those of the baseline. compared: a sentence where there is nothing to compare, None without
        a baseline. name: of the baseline; where: the same as `baseline_names.where_first` has it. earlier: see
        `baseline_names.is_earlier`. full_bar: the probability of a bar that fills the card; the same for all cards, so
        that they compare."""
        bars, is_compared = [], isinstance(compared, ComparedMask)
        for word in self.words:
            is_own = word.id == self._own_id
            mark, color = (say("in the text"), "good") if is_own else ("", "bar")
            number, share = numbers.probability(word.probability, fine=is_compared), word.probability / full_bar
            bars.append(Bar(word.token, number, share, color, is_strong=is_own, mark=mark))
        self.bars.set_bars(bars)
        self.compared = compared if isinstance(compared, ComparedMask) else None
        is_shift = self.compared is not None and wants_difference
        self._lists.setVisible(not is_shift)
        self.shift.setVisible(is_shift)
        self.set_intro(self._intro_of_shift(self.compared) if self.compared and is_shift else self._intro_of_bars())
        for widget in (self._beside, self._now_title):
            widget.setVisible(self.compared is not None)
        self._changed.setVisible(compared is not None)
        if isinstance(compared, str):
            self._changed.setText(compared)
        elif compared is not None:
            self._show_both(compared, name, where, full_bar, earlier)

    def _intro_of_bars(self) -> str:
        return say("Its best guesses; the longer the bar, the likelier. Click one to insert it.")

    def _intro_of_shift(self, compared: ComparedMask) -> str:
        lines = say("Red: more likely now. Blue: less likely. Thicker line: more percentage points.")
        kept = {change.baseline_id for change in compared.changes.values()}
        is_any_lost = any(word.id not in kept for word in compared.words)
        lost = say("Grey on the left: not in the list any more.") if is_any_lost else ""
        return " ".join(filter(None, (lines, lost, say("Click a word on the right to insert it."))))

    def _show_both(self, compared: ComparedMask, name: str, where: str, full_bar: float, earlier: bool) -> None:
        first, now = compared.words[0], self.words[0]
        self._changed.setText(
            say(
                "{where}: “{word}” {probability} → now: “{new_word}” {new_probability}",
                where=where,
                word=isolated(first.token),
                probability=numbers.probability(first.probability, fine=True),
                new_word=isolated(now.token),
                new_probability=numbers.probability(now.probability, fine=True),
            )
        )
        self._beside_title.setText(name)
        self._theirs.set_bars(
            [
                Bar(word.token, numbers.probability(word.probability, fine=True), word.probability / full_bar)
                for word in compared.words
            ]
        )
        changed = {
            word.id: abs(word.probability - compared.changes[word.id].probability)
            for word in self.words
            if word.id in compared.changes
        }
        most = max(changed.values(), default=0.0) or 1.0
        rows = {word.id: row for row, word in enumerate(compared.words)}
        before = [ShiftedWord(one.token, numbers.probability(one.probability, fine=True)) for one in compared.words]
        shifted = []
        for word in self.words:
            change = compared.changes.get(word.id)
            number = numbers.probability(word.probability, fine=True)
            shown = ShiftedWord(word.token, number, changed.get(word.id, 0.0) / most)
            if change is None:
                unknown = say("not in {baseline}’s vocabulary", baseline=name)
                shown = replace(shown, change=unknown, has_line=False)
            else:
                sign, text = said_change(change.probability, word.probability)
                row = rows.get(change.baseline_id)
                if row is None:
                    rank = beside(say("rank {rank}", rank=numbers.count(change.rank)), earlier)
                    text = f"{text} · {rank}".removeprefix(" · ")
                shown = replace(shown, sign=sign, change=text, before=row)
            if word.id == self._own_id:
                shown = replace(shown, change=f"{shown.change} · {say('in the text')}".removeprefix(" · "))
            shifted.append(shown)
        self.shift.show_words(before, shifted, (name, say("now")))

    def show_lens(self, lens: MaskLens | None, mask: int) -> None:
        """mask: which of the lens's masks this card is of. None: not known yet."""
        full = 1.0 if lens is None else highest(lens)
        self._strip.set_stages([] if lens is None else [stage[mask] for stage in lens.words], full)
        self._scale.set_range(0, full, numbers.probability)
        self._decided.setText("" if lens is None else decided_sentence(lens, mask))

    def _surprise(self, bits: float, rank: int) -> str:
        """What the model puts first does not surprise it, however unsure it is."""
        if numbers.is_technical():
            return say("surprise {bits}", bits=numbers.surprise(bits))
        return numbers.surprise(0.0 if rank == 1 else bits)

    def _history(self, reading: MaskReading, mask: str) -> str:
        if reading.was is None or reading.rank is None:
            return say("{mask} is in the text", mask=mask)
        rank = reading.rank
        return say(
            "hides “{word}” · rank {rank} · probability {probability} · {surprise}",
            word=isolated(reading.was.token),
            rank=numbers.count(rank.rank),
            probability=numbers.percent(rank.probability),
            surprise=self._surprise(rank.surprise_bits, rank.rank),
        )


def said_change(before: float, now: float) -> tuple[int, str]:
    """Its sign, and how many times as likely: "▲ ×2.2"; nothing where it is the same but for rounding."""
    factor = now / before if before > 0 else float("inf")
    text = "×" + numbers.number(factor, 2)
    if abs(factor - 1) < LEAST_CHANGE:
        return 0, ""
    return (1, f"▲ {text}") if factor > 1 else (-1, f"▼ {text}")
