"""How unexpected each word is to the model, each masked in turn, and the pseudo-perplexity of the text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ...compute.question import Job
from ...compute.word_questions import surprise_of
from ...figures.figure import Figure, numbers_of
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import say
from ...state.baseline_names import replacing, where_compared
from ...state.readings import Reading
from ...state.selection import Selection
from ...state.token_units import Units
from ...widgets.card import GAP_PX, Card, label
from ...widgets.charts.bars import Bar, BarList
from ...widgets.charts.raster import ColorBar
from ...widgets.charts.tokens import HeatTokens
from ...widgets.folding_card import folded_on_projector
from ...widgets.layouts import fill, hbox
from .predict_sentences import missing_words, perplexities, surprise_sentences
from .view import PredictView, scrolled_column

if TYPE_CHECKING:
    from bertcore.analysis.words import Surprise

LEAST_SCALE_BITS = 10.0  # what is hardly surprising looks so
LEAST_CHANGE_BITS = 1.0  # the same of a difference
MOST_BARS = 12
SIDE_PX = 320
LEAST_PX = 110  # where the window is lower, the whole room scrolls


class SurpriseView(PredictView):
    """The text as heat on the left, the most surprising words on the right."""

    asks: ClassVar = {"bits": True}

    def __init__(self) -> None:
        super().__init__()
        self.tokens = HeatTokens(say("Surprise of each word, in bits"))
        self.bars = BarList(say("Most surprising words"), clickable=True, stretch_to_px=42, may_cut=True)
        self.perplexity, self.explanation = label("", "number"), label("", "muted", wrap=True)
        self.bits: list[float | None] = []  # (U) as they are shown
        self.baseline_bits: list[float | None] = []  # (U) of what each is compared with
        self.changes: list[float | None] = []  # (U) now minus before as both are shown, where that is what is drawn
        self._words: list[str] = []  # (U) as typed
        self._bar_units: list[int] = []
        self._scale, self._scale_name = ColorBar(signed=False), label("", "muted")
        explain("surprise", self.tokens, self.bars, self._scale)
        explain("perplexity", self.perplexity)
        self._card = Card(say("How surprising is each word?"), intro=" ")
        self._side = side = Card(say("Most surprising"), intro=" ")
        area = scrolled_column(self.tokens, self.perplexity, self.explanation, least_px=LEAST_PX)
        fill(self._card.body, hbox(self._scale_name, self._scale, None, gap_px=8), (area, 1))
        self._card.set_figure(self._figure)
        side.setFixedWidth(theme.column_px(SIDE_PX))
        side.body.addWidget(self.bars, 1)
        self.column.addLayout(hbox((self._card, 1), folded_on_projector(side, side.title), gap_px=GAP_PX))
        self.add_token_menu(self.tokens)
        self.add_token_menu(self.bars, lambda row: self.first_position(self._bar_units[row]))
        self.tokens.clicked.connect(self.click_unit)
        self.tokens.hovered.connect(self._on_tokens_hovered)
        self.bars.clicked.connect(lambda row: self.click_unit(self._bar_units[row]))

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        missing = missing_words(reading)
        if missing:
            self.show_nothing(say("No predictions"), missing)
            return
        self.show_content()
        self.ask_all()
        self._show(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        self.tokens.select(selection.units(reading).unit_of(selection.position))

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        if missing_words(reading):
            return None
        request, words = reading.request, selection.token_view.words
        encoding, what_if, text = request.encoding, request.what_if, request.model_input
        if not what_if.swap:  # else masks count: they are hidden in the other text as well
            text = replace(text, input_ids=tuple(encoding.ids))
        return Job(surprise_of, (encoding, text, words, what_if), (request.model,))

    def _show(self, reading: Reading, selection: Selection) -> None:
        units, baseline = selection.units(reading), reading.baseline
        self._words, self.bits = typed_words(reading, units), bits_of(self.answer_of("bits", reading), reading, units)
        self.baseline_bits, counterparts = [None] * len(units), list[str | None]([None] * len(units))
        if baseline is not None:
            others = baseline.units(units.view)
            bits, words = bits_of(self.answer_of("bits", baseline), baseline, others), typed_words(baseline, others)
            places = reading.places_in_baseline(units.view)
            self.baseline_bits = [None if place is None else bits[place] for place in places]
            counterparts = [None if place is None else words[place] for place in places]
        pairs = list(zip(self.baseline_bits, self.bits, strict=True))
        changes = [None if None in pair else numbers.difference(*pair) for pair in pairs]  # type: ignore[arg-type]
        is_difference = selection.wants_difference and any(one is not None for one in changes)
        self.changes = changes if is_difference else [None] * len(units)
        drawn = self.changes if is_difference else self.bits
        least = LEAST_CHANGE_BITS if is_difference else LEAST_SCALE_BITS
        limit = max(least, *(abs(one) for one in drawn if one is not None), 0.0)
        self._show_words(reading, is_difference, limit)
        labels, texts = list(map(replacing, self._words, counterparts)), [_written(*pair) for pair in pairs]
        self.tokens.set_values(labels, units.kinds, drawn, texts, limit, signed=is_difference)
        known = [(value, unit) for unit, value in enumerate(drawn) if value is not None]
        most = sorted(known, key=lambda one: -abs(one[0]))[:MOST_BARS]
        self._bar_units = [unit for _, unit in most]
        self.bars.set_bars(
            [
                Bar(
                    self._words[unit],
                    numbers.signed(value) if is_difference else numbers.decimal(value),
                    abs(value) / limit,
                    "bar" if is_difference else "bar_strong",
                    mark=self._mark(unit, counterparts[unit]),
                    note=str(units.first_positions[unit]),
                    sign=int(np.sign(value)) if is_difference else 0,
                )
                for value, unit in most
            ]
        )
        self._show_total(reading, selection)
        self.show_selection(reading, selection)

    def _mark(self, unit: int, counterpart: str | None) -> str:
        """What stands behind a bar of the baseline."""
        before = self.baseline_bits[unit]
        if self.changes[unit] is None:
            return "" if before is None else say("baseline {bits}", bits=numbers.decimal(before))
        other = "" if counterpart in (None, self._words[unit]) else f"{counterpart} "
        return other + _written(before, self.bits[unit])

    def _show_words(self, reading: Reading, is_difference: bool, limit: float) -> None:
        """What colours, scale and list are of: the bits, or what has changed."""
        if is_difference:
            name, title = say("change in bits"), say("Changed most")
            there = where_compared(reading)
            intro = say("Red: harder to guess now than {there}. Blue: easier.", there=there)
            click = say("The change, then the bits in the baseline and now. Click a word to select it.")
            self._scale.set_range(-limit, limit, numbers.signed, signed=True)
        else:
            name, title = say("surprise in bits"), say("Most surprising")
            intro = say(
                "Each word is masked once while the model reads all the others as typed. Stronger colour: harder to "
                "guess."
            )
            click = say("Click a word to select it, and press M to mask it.")
            self._scale.set_range(0, limit, signed=False)
        self._scale_name.setText(name)
        self._card.set_intro(intro)
        self._side.set_title(title)
        self._side.set_intro(click)

    def _show_total(self, reading: Reading, selection: Selection) -> None:
        found, baseline = self.asked["bits"].answer, self.asked_of_baseline["bits"].answer
        is_known = found is not None and len(found.bits) > 0
        for widget in (self.perplexity, self.explanation):
            widget.setVisible(is_known)
        if found is None or not is_known:
            return
        self.perplexity.setText(perplexities(found, baseline, reading))
        known = [change for bits, change in zip(self.bits, self.changes, strict=True) if bits is not None]
        has_gaps = None in known and any(change is not None for change in known)
        words = selection.token_view.words
        self.explanation.setText(surprise_sentences(found, baseline, reading, words=words, has_gaps=has_gaps))

    def _figure(self) -> Figure | None:
        if self.reading is None or self.answer_of("bits", self.reading) is None:
            return None
        now, before = (np.array(bits, dtype=float) for bits in (self.bits, self.baseline_bits))
        values = {"surprise": now}
        if not np.isnan(before).all():
            values |= {"surprise with the baseline": before, "change of surprise": now - before}
        arrays = {name: numbers_of("word", self._words, one) for name, one in values.items()}
        pictures = [self.tokens, self._scale, self.perplexity]
        hint, settings = say("bits, each word masked in turn"), self.perplexity.text()
        return self.figure(self._card.title, pictures, arrays, hint=hint, settings=settings, masks=False)

    def _on_tokens_hovered(self, unit: int | None) -> None:
        self.hover_unit(unit)
        bits, text = self.bits[unit] if unit is not None and unit < len(self.bits) else None, ""
        if unit is not None and bits is not None:
            chance = numbers.number(2**-bits) if numbers.is_technical() else numbers.percent(2**-bits)
            text = say("{token}: {surprise}, probability {probability}")
            text = text.format(token=self._words[unit], surprise=numbers.surprise(bits), probability=chance)
        self.hover_text_changed.emit(text)


def bits_of(found: Surprise | None, reading: Reading, units: Units) -> list[float | None]:
    """(U) of each unit; None where it was not hidden, or is not known yet."""
    if found is None:
        return [None] * len(units)
    bits, counted = units.sums(found.by_token(len(reading.encoding))), set(found.positions.tolist())
    each = zip(bits, units.members, strict=True)
    return [float(value) if counted.intersection(members) else None for value, members in each]


def typed_words(reading: Reading, units: Units) -> list[str]:
    """(U) the text's own words: a mask over one is not read here."""
    return Units(reading.encoding, reading.encoding.labels, (), units.view).labels


def _written(before: float | None, now: float | None) -> str:
    """`3.20 → 1.15`; where nothing is compared, `1.15`."""
    if now is None:
        return ""
    return numbers.decimal(now) if before is None else f"{numbers.decimal(before)} → {numbers.decimal(now)}"
