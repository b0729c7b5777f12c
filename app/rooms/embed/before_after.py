"""What a change does to the model's predictions: each before and after, in a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from app.figures.figure import Numbers, numbers_of
from app.look import theme
from app.widgets.card import Hint, label

if TYPE_CHECKING:
    from app.state.readings import MaskReading, Reading

NOTHING = "Nothing is changed yet."
MASK_ONE = "Mask a word (M) to see what a change does to it."
REPLACED_FROM = 0.5


@dataclass(frozen=True)
class Effect:
    """One prediction."""

    what: str
    before: str
    after: str
    numbers: tuple[float, float]


def effects_of(reading: Reading) -> list[Effect]:
    """The best word of each mask, what is said of the pair and of replaced tokens; empty where nothing is changed."""
    before = reading.before
    if before is None:
        return []
    found = [_mask_effect(old, new) for old, new in zip(before.masks, reading.masks, strict=False)]
    if before.next_sentence is not None and reading.next_sentence is not None:
        found.append(_share_effect("B follows A", before.next_sentence.is_next, reading.next_sentence.is_next))
    if before.sentence_order is not None and reading.sentence_order is not None:
        found.append(_share_effect("A before B", before.sentence_order.in_order, reading.sentence_order.in_order))
    if before.replaced is not None and reading.replaced is not None:
        was, now = (int((one > REPLACED_FROM).sum()) for one in (before.replaced, reading.replaced))
        found.append(Effect("taken for replaced", _tokens(was), _tokens(now), (was, now)))
    return found


def words_about(reading: Reading, position: int) -> str:
    """What else there is to say: what to do where there is little to compare, and how far the last layer has moved."""
    before = reading.before
    wants_mask = "mlm" in reading.request.model.tasks and not reading.request.masked
    if before is None:
        return MASK_ONE if wants_mask else NOTHING
    cosine = _cosine(before.trace.hidden_states[-1][position], reading.trace.hidden_states[-1][position])
    moved = f"Last hidden state of “{reading.shown_tokens[position]}”: cosine {_signed(cosine)} with what it was."
    return f"{moved} {MASK_ONE}" if wants_mask and not effects_of(reading) else moved


class BeforeAfter(QWidget):
    """Rows: what is predicted, before, after. The widgets of a row are kept for the next reading."""

    def __init__(self, most_rows: int) -> None:
        super().__init__()
        self.effects: list[Effect] = []
        self._most = most_rows
        self._rows: list[tuple[QLabel, ...]] = []
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(theme.px(6))
        self._grid.setVerticalSpacing(theme.px(4))
        for column in (1, 3):
            self._grid.setColumnStretch(column, 1)
        self._more, self._words = label("", "muted"), label("", "muted", wrap=True)
        self._words.setMinimumHeight(2 * self._words.fontMetrics().lineSpacing())  # it may wrap: nothing shall move
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.px(6))
        layout.addLayout(self._grid)
        layout.addWidget(self._more)
        layout.addWidget(self._words)

    @property
    def words(self) -> str:
        return self._words.text()

    def draw(self, reading: Reading, position: int) -> None:
        self.effects = effects_of(reading)
        shown = self.effects[: self._most]
        while len(self._rows) < len(shown):
            self._add_row()
        for number, row in enumerate(self._rows):
            for cell in row:
                cell.setVisible(number < len(shown))
        for row, effect in zip(self._rows, shown, strict=False):
            for cell, text in zip(row, (effect.what, effect.before, "→", effect.after), strict=True):
                cell.setText(text)
        rest = len(self.effects) - len(shown)
        self._more.setText(f"and {rest} more")
        self._more.setVisible(rest > 0)
        self.draw_words(reading, position)

    def draw_words(self, reading: Reading, position: int) -> None:
        """Another token is looked at."""
        self._words.setText(words_about(reading, position))

    def numbers(self) -> dict[str, Numbers]:
        """For a figure."""
        names = [effect.what for effect in self.effects]
        values = np.array([effect.numbers for effect in self.effects]).reshape(-1, 2)
        return {name: numbers_of("prediction", names, values[:, i]) for i, name in enumerate(("before", "after"))}

    def _add_row(self) -> None:
        row: tuple[QLabel, ...] = (label("", "muted"), Hint(), label("→", "muted"), Hint())
        for column, cell in enumerate(row):
            self._grid.addWidget(cell, len(self._rows), column)
        self._rows.append(row)


def _mask_effect(was: MaskReading, now: MaskReading) -> Effect:
    best = was.words[0], now.words[0]
    words = [f"{word.token} {chance(word.probability)}" for word in best]
    return Effect(f"mask at {was.position}", words[0], words[1], (best[0].probability, best[1].probability))


def _share_effect(what: str, was: float, now: float) -> Effect:
    return Effect(what, chance(was), chance(now), (was, now))


def chance(probability: float) -> str:
    """A probability, never rounded to nothing."""
    return f"{probability:.2f}" if probability >= 0.005 else "< 0.01"


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def _tokens(count: int) -> str:
    return "1 token" if count == 1 else f"{count} tokens"


def _cosine(one: np.ndarray, other: np.ndarray) -> float:
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / lengths if lengths else 0.0
