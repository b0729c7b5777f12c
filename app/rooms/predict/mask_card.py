"""One mask: the likeliest words, how the word that was there fares, and what the layers would say on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.look import theme
from app.rooms.predict.lens_cells import LensStrip
from app.rooms.predict.numbers import probability_text
from app.rooms.predict.page import decided_sentence
from app.state.readings import MaskReading
from app.widgets.bar_list import Bar, BarList
from app.widgets.card import Card, label
from app.widgets.raster import ColorBar

if TYPE_CHECKING:
    from app.compute.mask_lens import MaskLens


class MaskCard(Card):
    """Emits the word that was clicked, to be put in."""

    word_chosen = Signal(int, int)  # position, token id
    told = Signal(str)  # what is under the mouse

    def __init__(self) -> None:
        super().__init__()
        self._position = 0
        self._ids: list[int] = []
        self._words: list[tuple[str, float]] = []
        self._bars = BarList("Likeliest words", clickable=True, stretch_to_px=27)
        self._changed = label("", "muted", wrap=True)
        self._strip = LensStrip("Best guess after each layer")
        self._decided = label("", "muted", wrap=True)
        self._bars.clicked.connect(self._on_bars_clicked)
        self._strip.told.connect(self.told)
        self.body.addWidget(self._changed)
        self.body.addWidget(self._bars)
        self.body.addWidget(label("Click a word to put it in.", "muted"))
        self.body.addSpacing(theme.px(4))
        scale = ColorBar(signed=False, width_px=130)
        scale.set_range(0, 1)
        line = QHBoxLayout()
        title = label("After each layer", "title")
        title.setToolTip("The best guess if the model stopped there; the colour is its probability")
        line.addWidget(title, 1)
        line.addWidget(scale)
        self.body.addLayout(line)
        self.body.addWidget(self._strip)
        self.body.addWidget(self._decided)
        self.body.addStretch(1)
        self.setMinimumWidth(theme.column_px(300))

    @property
    def bars(self) -> list[Bar]:
        return self._bars.bars

    @property
    def words(self) -> list[tuple[str, float]]:
        """What the bars show: words and their probabilities."""
        return self._words

    @property
    def position(self) -> int:
        return self._position

    @property
    def picture(self) -> list[QWidget]:
        """What a saved picture shows."""
        return [self._bars, self._strip]

    @property
    def before(self) -> str:
        """What was said before something was changed inside; empty where nothing is."""
        return "" if self._changed.isHidden() else self._changed.text()

    @property
    def decided(self) -> str:
        """The sentence on the layer where it decides, and the words that the picture above it shows."""
        return self._decided.text()

    @property
    def layer_words(self) -> list[str]:
        return self._strip.words

    def show_reading(
        self, reading: MaskReading, full_bar: float, mask: str, before: dict[int, float] | None = None
    ) -> None:
        """full_bar: the probability of a bar that fills the card; the same for all cards, so that they compare.

        mask: what the model calls its mask. before: probabilities by token id without what is changed inside.
        """
        if reading.position != self._position:
            self.show_lens(None, 0)
        self._position = reading.position
        words = list(reading.words)
        was = reading.was
        if was and was.id not in {word.id for word in words}:
            words.append(was)
        self._ids = [word.id for word in words]
        self._words = [(word.token, word.probability) for word in words]
        self.set_title(f"Position {reading.position}")
        self.set_hint(_history(reading, mask))
        bars = []
        for word in words:
            is_own = was is not None and word.id == was.id
            marks = [*(["was here"] if is_own else [])]
            if before is not None:
                marks.append(f"before {probability_text(before[word.id])}")
            number, share = probability_text(word.probability), word.probability / full_bar
            color = "good" if is_own else "bar"
            bars.append(Bar(word.token, number, share, color, is_strong=is_own, mark=" · ".join(marks)))
        self._bars.set_bars(bars)

    def show_before(self, before: MaskReading | None, now: MaskReading) -> None:
        """What is changed inside does to the best guess; None: nothing is changed."""
        self._changed.setVisible(before is not None)
        if before is None:
            return
        first, then = before.words[0], now.words[0]
        self._changed.setText(
            f"Before your changes: {first.token} {probability_text(first.probability)} → "
            f"now: {then.token} {probability_text(then.probability)}"
        )

    def show_lens(self, lens: MaskLens | None, mask: int) -> None:
        """mask: which of the lens's masks this card is of. None: not known yet."""
        self._strip.set_stages([] if lens is None else [stage[mask] for stage in lens.words])
        self._decided.setText("" if lens is None else decided_sentence(lens, mask))

    def _on_bars_clicked(self, row: int) -> None:
        self.word_chosen.emit(self._position, self._ids[row])


def _history(reading: MaskReading, mask: str) -> str:
    if reading.was is None or reading.rank is None:
        return f"{mask} stands in the text; the likeliest words"
    rank = reading.rank
    return (
        f"was “{reading.was.token}” · rank {rank.rank:,} · p {probability_text(rank.probability)} · "
        f"surprise {rank.surprise_bits:.2f} bits"
    )
