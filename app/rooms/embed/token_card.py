"""The token that is looked at: how long each part of its vector is, and which words lie near it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QWidget

from app.look import theme
from app.rooms.embed.parts import Length, has_last, last_name, lengths_at
from app.widgets.bar_list import ROW_PX, Bar, BarList
from app.widgets.card import Card, Hint, button, label
from app.widgets.chips import part_name, segment_name

if TYPE_CHECKING:
    from app.state.readings import Reading
    from app.state.token_units import Units
    from bertcore.analysis.nearest import Measure, NearWord

PART_COLORS = {"token": "curve_train", "segment": "curve_held_out", "position": "good", "sum": "muted"}
LEAST_WORDS = 3
MEASURES: dict[Measure, tuple[str, str, str]] = {  # name, hint, how to read it
    "cosine": ("Cosine", "Words whose vectors point the same way", "1: the same direction"),
    "distance": ("Distance", "Words whose vectors end close by (Euclidean)", "0: the same place"),
}


class TokenCard(Card):
    """Lengths above, words below; which measure the words are found by is the person's choice."""

    measure_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setFixedWidth(theme.column_px(310))
        self.norms = BarList("Length of each part, and its share of the sum")
        self.length_after = label("", "muted")
        self.nearest = BarList("Nearest words in the token table", stretch_to_px=28, may_cut=True)
        self.lengths: list[Length] = []
        self.words: list[NearWord] = []
        self.measures: dict[Measure, QPushButton] = {}
        self._group = QButtonGroup(self)
        self._words = (
            Hint("length (L2 norm) · share of the sum"),
            label("Nearest words in the token table", "title"),
        )
        self._words[0].setToolTip(
            "Share: how much of the sum’s length the part gives, p·x / |x|². All add up to 100 %."
        )
        self._reading_hint = Hint()
        self._lay_out()

    @property
    def widgets(self) -> list[QWidget]:
        """What a saved picture shows."""
        return [*self._words, self.norms, self.length_after, self._reading_hint, self.nearest]

    def draw(self, reading: Reading, units: Units, unit: int) -> None:
        self._draw_title(reading, units, unit)
        self.lengths = lengths_at(reading, units, unit)
        longest = max(one.length for one in self.lengths) or 1.0
        self.norms.set_bars([_length_bar(one, longest) for one in self.lengths])
        after = last_name(reading.request.model).replace(",\n", " and ")
        vector = reading.trace.embeddings[units.members[unit]].mean(axis=0)
        self.length_after.setText(f"after {after}: {np.linalg.norm(vector):.2f}")
        self.length_after.setVisible(has_last(reading.request.model))

    def draw_nothing(self) -> None:
        """There is no token to look at."""
        self.set_title("No tokens")
        self.set_hint("")
        self.lengths = []
        self.norms.set_bars([])
        self.length_after.hide()
        self.show_words([], "cosine")

    def show_words(self, words: Sequence[NearWord], by: Measure, labels: Sequence[str] = ()) -> None:
        """labels: the words as a person should see them."""
        self.words = list(words)
        self.measures[by].setChecked(True)
        self._reading_hint.setText(MEASURES[by][2])
        values = [word.cosine if by == "cosine" else word.distance for word in words]
        most = 1.0 if by == "cosine" else max(values, default=1.0) or 1.0
        bars = [
            Bar(name, f"{value:.2f}".replace("-", "−"), value / most)
            for name, value in zip(labels, values, strict=True)
        ]
        self.nearest.set_bars(bars)

    def _draw_title(self, reading: Reading, units: Units, unit: int) -> None:
        members, model = units.members[unit], reading.request.model
        first = members[0]
        where, segment = part_name(reading.encoding, first, model.has_segments), reading.request.segments[first]
        if model.has_segments and segment != reading.encoding.segments[first]:
            where = f"read as {segment_name(segment)}"
        where = where and f" · {where}"
        self.set_title(units.labels[unit])
        if len(members) > 1:
            self.set_hint(f"tokens {first}–{members[-1]}{where} · mean of {len(members)} pieces")
        else:
            self.set_hint(f"token {first}{where} · id {reading.request.input_ids[first]}")

    def _lay_out(self) -> None:
        self.body.addWidget(self._words[0])
        self.body.addWidget(self.norms)
        self.body.addWidget(self.length_after)
        self.body.addSpacing(theme.px(4))
        self.body.addWidget(self._words[1])
        line = QHBoxLayout()
        line.setSpacing(theme.px(5))
        for by, (name, hint, _) in MEASURES.items():
            made = button(name, look="small", hint=hint, checkable=True)
            made.clicked.connect(lambda _checked=False, by=by: self.measure_chosen.emit(by))
            self.measures[by] = made
            self._group.addButton(made)
            line.addWidget(made)
        line.addWidget(self._reading_hint, 1)
        self.body.addLayout(line)
        self.nearest.setMinimumHeight(LEAST_WORDS * theme.px(ROW_PX))
        self.body.addWidget(self.nearest, 1)


def _length_bar(one: Length, longest: float) -> Bar:
    share = "" if one.share is None else f"{one.share:.0%}".replace("-", "−").replace("%", " %")
    return Bar(one.name, f"{one.length:.2f}", one.length / longest, PART_COLORS[one.name], mark=share)
