"""The page Surprise: how little the model expected each word, and the pseudo-perplexity of the text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.figures.figure import Figure, numbers_of
from app.look import theme
from app.rooms.predict.page import PredictPage, asked_text, what_is_missing
from app.state.readings import Reading
from app.widgets.bar_list import Bar, BarList
from app.widgets.card import GAP_PX, Card, label, scrolled
from app.widgets.heat_tokens import HeatToken, HeatTokens
from app.widgets.question import Question, WorkLine
from app.widgets.raster import ColorBar

if TYPE_CHECKING:
    from app.rooms.predict.room import PredictRoom
    from app.state.readings import Step
    from bertcore.analysis.words import Surprise
    from bertcore.checkpoint.checkpoint import Checkpoint

LEAST_SCALE_BITS = 10.0  # what is hardly surprising looks so
MOST_BARS = 12
SIDE_PX = 320
LEAST_PX = 110  # where the window is lower, the whole room scrolls
TITLE = "How surprising is each word?"


class SurprisePage(PredictPage):
    """The text as heat on the left, the most surprising words on the right."""

    def __init__(self, room: PredictRoom) -> None:
        self.line = WorkLine("surprise of each word")
        self.question = Question("predict.surprise", self.line)
        super().__init__(room, [self.question])
        self.tokens = HeatTokens("Surprise of each word, in bits")
        self.bars = BarList("Most surprising words", clickable=True, stretch_to_px=27, may_cut=True)
        self.total = label("", "number")
        self._said = label("", "muted", wrap=True)
        self._scale = ColorBar(signed=False)
        self._card = Card(TITLE, "each masked in turn, all others seen · bits = −log₂ p")
        self._side = Card("Most surprising")
        self.bits: list[float | None] = []  # (U) as they are shown
        self._order: list[int] = []  # units of the bars
        self._build()
        self.tokens.clicked.connect(lambda unit: room.state.set_focus(room.position_of(unit)))
        self.tokens.hovered.connect(self._on_tokens_hovered)
        self.bars.clicked.connect(lambda row: room.state.set_focus(room.position_of(self._order[row])))
        self.question.answered.connect(lambda _answer: self._draw())

    @property
    def perplexity(self) -> str:
        return self.total.text()

    def draw_reading(self, reading: Reading) -> None:
        missing = what_is_missing(reading)
        if missing:
            self.show_nothing("No predictions", missing)
            return
        self.show_content()
        self._ask(reading)
        self._draw()

    def draw_focus(self, reading: Reading) -> None:
        units = self.room.units
        self.tokens.set_current(units.unit_of(self.room.current) if units else None)

    def _ask(self, reading: Reading) -> None:
        request, words = reading.request, self.room.state.token_view.words
        encoding, what_if, text = request.encoding, request.what_if, asked_text(reading)
        key = (request.model, tuple(encoding.ids), tuple(encoding.words), tuple(text.segments), what_if, words)

        def work(checkpoint: Checkpoint, step: Step) -> Surprise:
            from app.compute.word_questions import surprise_of

            return surprise_of(checkpoint, encoding, text, step, whole_words=words, what_if=what_if)

        self.question.want(key, work, self.room.pause_ms)

    def _draw(self) -> None:
        reading, found = self.room.state.reading, self.question.answer
        units = self.room.units
        if reading is None or units is None:
            return
        self.bits = [None] * len(units)
        if found is not None:
            bits = units.sums(found.by_token(len(reading.encoding)))  # (U)
            counted = set(found.positions.tolist())
            self.bits = [
                float(value) if counted.intersection(members) else None
                for value, members in zip(bits, units.members, strict=True)
            ]
        highest = max(LEAST_SCALE_BITS, *(bits for bits in self.bits if bits is not None), 0.0)
        self._scale.set_range(0, highest)
        self.tokens.set_tokens(
            [
                HeatToken(
                    token,
                    None if bits is None else bits / highest,
                    "" if bits is None else f"{bits:.2f}",
                    is_quiet=kind == "special",
                )
                for token, kind, bits in zip(self._typed(reading), units.kinds, self.bits, strict=True)
            ]
        )
        self._draw_bars(reading, highest)
        self._draw_total(found)
        self.draw_focus(reading)

    def _typed(self, reading: Reading) -> list[str]:
        """(U) the text's own words: a mask put over one is not read here."""
        from app.state.token_units import Units

        view = self.room.state.token_view
        return Units(reading.encoding, reading.encoding.labels, (), view).labels

    def _draw_bars(self, reading: Reading, highest: float) -> None:
        units, typed = self.room.units, self._typed(reading)
        assert units is not None
        known = [i for i, bits in enumerate(self.bits) if bits is not None]
        self._order = sorted(known, key=lambda i: -(self.bits[i] or 0.0))[:MOST_BARS]
        self.bars.set_bars(
            [
                Bar(typed[i], f"{bits:.2f}", bits / highest, "bar_strong", note=str(units.first_positions[i]))
                for i in self._order
                if (bits := self.bits[i]) is not None
            ]
        )

    def _draw_total(self, found: Any) -> None:
        known = found is not None and len(found.bits) > 0
        for widget in (self.total, self._said):
            widget.setVisible(known)
        if not known:
            return
        self.total.setText(f"pseudo-perplexity {found.pseudo_perplexity:.2f}")
        count, mean = len(found.bits), float(found.bits.mean())
        said = (
            f"2 to the mean of {mean:.2f} bits over {count} tokens: as unsure as among that many equally likely words. "
        )
        said += "0 bits: certain. 1 bit: a coin toss. 10 bits: one in a thousand."
        if self.room.state.token_view.words:
            said += " Words: the later pieces of a word are hidden with it, and their bits added up."
        self._said.setText(said + _changed(self.room))

    def _build(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(theme.px(GAP_PX))
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, theme.px(4), 0)
        column.addWidget(self.tokens)
        column.addStretch(1)
        scale = QHBoxLayout()
        scale.addWidget(label("surprise in bits", "muted"))
        scale.addWidget(self._scale)
        scale.addStretch(1)
        self._card.body.addWidget(self.total)
        self._card.body.addWidget(self._said)
        self._card.body.addLayout(scale)
        self._card.body.addWidget(self.line)
        area = scrolled(inside)
        area.setMinimumHeight(theme.px(LEAST_PX))
        self._card.body.addWidget(area, 1)
        self._card.set_figure(self._figure)
        row.addWidget(self._card, 1)
        self._side.setFixedWidth(theme.column_px(SIDE_PX))
        self._side.body.addWidget(self.bars, 1)
        self._side.body.addWidget(label("Click one to choose it; M masks it in all rooms.", "muted", wrap=True))
        row.addWidget(self._side)
        self.column.addLayout(row)

    def _figure(self) -> Figure | None:
        reading, found = self.room.state.reading, self.question.answer
        if reading is None or found is None:
            return None
        values = np.array([np.nan if bits is None else bits for bits in self.bits])
        numbers = {"surprise": numbers_of("word", self._typed(reading), values)}
        widgets: list[QWidget] = [self.tokens, self._scale, self.total]
        return self.room.figure(
            TITLE, widgets, numbers, hint="bits, each word masked in turn", settings=self.perplexity, masks=False
        )

    def _on_tokens_hovered(self, unit: int | None) -> None:
        reading = self.room.state.reading
        self.room.state.set_hover(self.room.position_of(unit))
        bits = self.bits[unit] if unit is not None and unit < len(self.bits) else None
        if reading is None or unit is None or bits is None:
            self.room.hover_text_changed.emit("")
        else:
            self.room.hover_text_changed.emit(f"{self._typed(reading)[unit]}: {bits:.4f} bits, p {2**-bits:.6f}")


def _changed(room: PredictRoom) -> str:
    return " Of the model with your changes." if room.state.what_if else ""
