"""One mask: the likeliest words, how the word in the text fares, and what the layers would predict on the way."""

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QWidget

from bertcore.analysis.predict import WordGuess

from ...compute.masks import MaskLens
from ...look import numbers, theme
from ...look.bidi import isolated
from ...look.number_kinds import explain
from ...state.readings import MaskReading
from ...widgets.bar_list import Bar, BarList
from ...widgets.card import Card, label
from ...widgets.layouts import fill, hbox
from ...widgets.raster import ColorBar
from .lens_cells import LensStrip
from .view import decided_sentence


class MaskCard(Card):
    """A click on a word asks to insert it into the text."""

    word_chosen = Signal(int, int)  # position, token id
    word_menu_requested = Signal(object, QPoint)  # row of the bars or None, a point of the screen
    hover_text_changed = Signal(str)

    def __init__(self) -> None:
        super().__init__(intro=self.tr("Its best guesses for the hidden word. Click one to put it into the text."))
        self.position = 0
        self.words: list[WordGuess] = []  # what the bars show
        self.bars = BarList(self.tr("Most likely words"), clickable=True, stretch_to_px=38)
        self._changed = label("", "muted", wrap=True)
        self._strip = LensStrip(self.tr("Top guess after each layer"))
        self._decided = label("", "muted", wrap=True)
        self.bars.clicked.connect(lambda row: self.word_chosen.emit(self.position, self.words[row].id))
        self.bars.context_menu_requested.connect(self.word_menu_requested)
        self._strip.hovered.connect(lambda stage: self.hover_text_changed.emit(self._strip.description(stage)))
        self._strip.context_menu_requested.connect(lambda _stage, at: self.word_menu_requested.emit(None, at))
        scale = ColorBar(signed=False, width_px=130)
        explain("probability", self.bars, self._strip, scale)
        scale.set_range(0, 1)
        title = label(self.tr("After each layer"), "title")
        title.setToolTip(self.tr("The top guess if the model stopped there; the colour shows its probability"))
        line = hbox((title, 1), scale)
        fill(
            self.body,
            self._changed,
            (self.bars, 1),
            4,
            line,
            self._strip,
            self._decided,
        )
        self.setMinimumWidth(theme.column_px(270))

    @property
    def picture(self) -> list[QWidget]:
        """What a saved picture shows."""
        return [self.bars, self._strip]

    @property
    def before(self) -> str:
        """What the unchanged model predicts; empty where nothing is changed inside."""
        return "" if self._changed.isHidden() else self._changed.text()

    @property
    def decided(self) -> str:
        """At which layer it settles on its word."""
        return self._decided.text()

    @property
    def layer_words(self) -> list[str]:
        """The best guess after each layer."""
        return self._strip.words

    def show_reading(
        self, reading: MaskReading, full_bar: float, mask: str, before: dict[int, float] | None = None
    ) -> None:
        """full_bar: the probability of a bar that fills the card; the same for all cards, so that they compare.

        mask: what the model calls its mask. before: probabilities by token id in the unchanged model.
        """
        if reading.position != self.position:
            self.show_lens(None, 0)
        self.position = reading.position
        words = list(reading.words)
        was = reading.was
        if was and was.id not in {word.id for word in words}:
            words.append(was)
        self.words = words
        self.set_title(self.tr("Position {position}").format(position=reading.position))
        self.set_hint(self._history(reading, mask))
        bars = []
        for word in words:
            is_own = was is not None and word.id == was.id
            marks = [self.tr("in the text")] if is_own else []
            if before is not None:
                marks.append(self.tr("before {probability}").format(probability=numbers.probability(before[word.id])))
            number, share = numbers.probability(word.probability), word.probability / full_bar
            color = "good" if is_own else "bar"
            bars.append(Bar(word.token, number, share, color, is_strong=is_own, mark=" · ".join(marks)))
        self.bars.set_bars(bars)

    def show_before(self, before: MaskReading | None, now: MaskReading) -> None:
        """What the changes inside do to the best guess; None: nothing is changed."""
        self._changed.setVisible(before is not None)
        if before is None:
            return
        first, then = before.words[0], now.words[0]
        self._changed.setText(
            self.tr("Before your changes: {word} {probability} → now: {new_word} {new_probability}").format(
                word=isolated(first.token),
                probability=numbers.probability(first.probability),
                new_word=isolated(then.token),
                new_probability=numbers.probability(then.probability),
            )
        )

    def show_lens(self, lens: MaskLens | None, mask: int) -> None:
        """mask: which of the lens's masks this card is of. None: not known yet."""
        self._strip.set_stages([] if lens is None else [stage[mask] for stage in lens.words])
        self._decided.setText("" if lens is None else decided_sentence(lens, mask))

    def _surprise(self, bits: float) -> str:
        words = numbers.surprise(bits)
        return self.tr("surprise {bits}").format(bits=words) if numbers.is_technical() else words

    def _history(self, reading: MaskReading, mask: str) -> str:
        if reading.was is None or reading.rank is None:
            return self.tr("{mask} is part of the text; the most likely words").format(mask=mask)
        rank = reading.rank
        return self.tr("hides “{word}” · rank {rank} · probability {probability} · {surprise}").format(
            word=isolated(reading.was.token),
            rank=numbers.count(rank.rank),
            probability=numbers.percent(rank.probability),
            surprise=self._surprise(rank.surprise_bits),
        )
