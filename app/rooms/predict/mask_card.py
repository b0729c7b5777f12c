"""One mask: the likeliest words, and how the word that was there fares."""

from __future__ import annotations

from PySide6.QtCore import Signal

from app.readings import MaskReading
from app.widgets.bar_list import Bar, BarList
from app.widgets.card import Card, label


class MaskCard(Card):
    """Emits the word that was clicked, to be put in."""

    word_chosen = Signal(int, int)  # position, token id

    def __init__(self) -> None:
        super().__init__()
        self._position = 0
        self._ids: list[int] = []
        self._bars = BarList("Likeliest words", clickable=True, stretch_to_px=52)
        self._bars.clicked.connect(self._on_bars_clicked)
        self.body.addWidget(self._bars)
        self.body.addWidget(label("Click a word to put it in.", "muted"))
        self.body.addStretch(1)
        self.setMinimumWidth(300)

    @property
    def bars(self) -> list[Bar]:
        return self._bars.bars

    @property
    def hint(self) -> str:
        return self._hint.text()

    def show_reading(self, reading: MaskReading, full_bar: float, mask: str) -> None:
        """full_bar: the probability of a bar that fills the card; the same for all cards, so that they compare.

        mask: what the model calls its mask.
        """
        self._position = reading.position
        words = list(reading.words)
        if reading.was and reading.was.id not in {word.id for word in words}:
            words.append(reading.was)
        self._ids = [word.id for word in words]
        self.set_title(f"Position {reading.position}")
        self.set_hint(_history(reading, mask))
        self._bars.set_bars(
            [
                Bar(
                    word.token,
                    probability_text(word.probability),
                    word.probability / full_bar,
                    "good" if reading.was and word.id == reading.was.id else "bar",
                    is_strong=bool(reading.was and word.id == reading.was.id),
                    mark="was here" if reading.was and word.id == reading.was.id else "",
                )
                for word in words
            ]
        )

    def _on_bars_clicked(self, row: int) -> None:
        self.word_chosen.emit(self._position, self._ids[row])


def probability_text(probability: float) -> str:
    """Two digits, three where it is small; what would round to nothing or to certain is said as less or more than."""
    if probability >= 0.995 and probability < 1:
        return "> 0.99"
    if probability < 0.0005:
        return "< 0.001"
    return f"{probability:.2f}" if probability >= 0.0995 else f"{probability:.3f}"


def _history(reading: MaskReading, mask: str) -> str:
    if reading.was is None or reading.rank is None:
        return f"{mask} stands in the text; the likeliest words"
    rank = reading.rank
    return (
        f"was “{reading.was.token}” · rank {rank.rank:,} · p {probability_text(rank.probability)} · "
        f"surprise {rank.surprise_bits:.2f} bits"
    )
