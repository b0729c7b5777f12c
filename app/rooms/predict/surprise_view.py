"""How unexpected each word is to the model, each masked in turn, and the pseudo-perplexity of the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QWidget

from ...compute.word_questions import surprise_of
from ...figures.figure import Figure, joined, numbers_of
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import say
from ...state.baseline import OtherText
from ...state.baseline_names import baseline_name, replacing, where_compared
from ...state.readings import Reading
from ...state.selection import Selection
from ...widgets.card import GAP_PX, Card, label
from ...widgets.charts.bars import Bar, BarList
from ...widgets.charts.raster import ColorBar
from ...widgets.folding_card import folded_on_projector
from ...widgets.heat_tokens import HeatToken, HeatTokens
from ...widgets.layouts import fill, hbox
from .view import PredictView, missing_words, scrolled_column

if TYPE_CHECKING:
    from bertcore.analysis.words import Surprise

    from ...compute.question import Question
    from ...state.token_units import Units

LEAST_SCALE_BITS = 10.0  # what is hardly surprising looks so
LEAST_CHANGE_BITS = 1.0  # the same of a difference
MOST_BARS = 12
SIDE_PX = 320
LEAST_PX = 110  # where the window is lower, the whole room scrolls


class SurpriseView(PredictView):
    """The text as heat on the left, the most surprising words on the right."""

    def __init__(self) -> None:
        super().__init__()
        self.surprise = self.add_question(self._on_surprise_answered)
        self.baseline_surprise = self.add_question(self._on_surprise_answered)
        self.tokens = HeatTokens(say("Surprise of each word, in bits"))
        self.bars = BarList(say("Most surprising words"), clickable=True, stretch_to_px=42, may_cut=True)
        self.perplexity = label("", "number")
        self.bits: list[float | None] = []  # (U) as they are shown
        self.baseline_bits: list[float | None] = []  # (U) of what each is compared with
        self.changes: list[float | None] = []  # (U) now minus before as both are shown, where that is what is drawn
        self._baseline_words: list[str | None] = []  # (U) of the baseline's text
        self._explanation = label("", "muted", wrap=True)
        self._scale, self._scale_name = ColorBar(signed=False), label("", "muted")
        explain("surprise", self.tokens, self.bars, self._scale)
        explain("perplexity", self.perplexity)
        self._card = Card(say("How surprising is each word?"), intro=" ")
        self._side = Card(say("Most surprising"), intro=" ")
        self._bar_units: list[int] = []
        self._build()
        self.add_token_menu(self.tokens)
        self.add_token_menu(self.bars, lambda row: self.first_position(self._bar_units[row]))
        self.tokens.clicked.connect(self.click_unit)
        self.tokens.hovered.connect(self._on_tokens_hovered)
        self.bars.clicked.connect(lambda row: self.click_unit(self._bar_units[row]))

    @property
    def explanation(self) -> str:
        """What the numbers mean, and where they cannot be compared."""
        return self._explanation.text()

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        missing = missing_words(reading)
        if missing:
            self.show_nothing(say("No predictions"), missing)
            return
        self.show_content()
        self._ask(self.surprise, reading, selection)
        if reading.baseline is None or missing_words(reading.baseline):
            self.baseline_surprise.clear()
        else:
            self._ask(self.baseline_surprise, reading.baseline, selection)
        self._show(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        self.tokens.set_current(selection.units(reading).unit_of(selection.position))

    def _ask(self, question: Question[Surprise], reading: Reading, selection: Selection) -> None:
        request, words = reading.request, selection.token_view.words
        encoding, what_if, text = request.encoding, request.what_if, request.model_input
        if not what_if.swap:  # else masks count: they are hidden in the other text as well
            text = replace(text, input_ids=tuple(encoding.ids))
        question.ask_model(request.model, surprise_of, encoding, text, words, what_if, pause_ms=self.pause_ms)

    def _show(self, reading: Reading, selection: Selection) -> None:
        units, found = selection.units(reading), self.surprise.answer
        self.bits = _bits_of(found, reading, units)
        self.baseline_bits = [None] * len(units)
        if reading.baseline is not None:
            theirs = _bits_of(self.baseline_surprise.answer, reading.baseline, reading.baseline.units(units.view))
            places = reading.places_in_baseline(units.view)
            self.baseline_bits = [None if place is None else theirs[place] for place in places]
        differences = [
            None if now is None or before is None else numbers.difference(before, now)
            for now, before in zip(self.bits, self.baseline_bits, strict=True)
        ]
        is_difference = selection.wants_difference and any(one is not None for one in differences)
        self.changes = differences if is_difference else [None] * len(units)
        drawn = self.changes if is_difference else self.bits
        least = LEAST_CHANGE_BITS if is_difference else LEAST_SCALE_BITS
        highest = max(least, *(abs(one) for one in drawn if one is not None), 0.0)
        self._show_words(reading, is_difference, highest)
        typed = typed_units(reading, selection)
        self._baseline_words = _baseline_words(reading, selection)
        self.tokens.set_tokens(
            [
                HeatToken(
                    replacing(token, other),
                    None if value is None else value / highest,
                    _before_and_now(before, bits),
                    is_quiet=kind == "special",
                )
                for token, other, kind, value, bits, before in zip(
                    typed, self._baseline_words, units.kinds, drawn, self.bits, self.baseline_bits, strict=True
                )
            ],
            signed=is_difference,
        )
        self._show_bars(units, typed, drawn, highest)
        self._show_total(found, selection)
        self.show_selection(reading, selection)

    def _show_words(self, reading: Reading, is_difference: bool, highest: float) -> None:
        """What colours, scale and list are of: the bits, or what has changed."""
        if is_difference:
            self._scale_name.setText(say("change in bits"))
            self._scale.set_range(-highest, highest, numbers.signed, signed=True)
            colors = say("Red: harder to guess now than {there}. Blue: easier.")
            self._card.set_intro(colors.format(there=where_compared(reading)))
            self._side.set_title(say("Changed most"))
            self._side.set_intro(say("The change, then the bits in the baseline and now. Click a word to select it."))
        else:
            self._scale_name.setText(say("surprise in bits"))
            self._scale.set_range(0, highest, signed=False)
            self._card.set_intro(
                say(
                    "Each word is masked once while the model reads all the others as typed. Stronger colour: harder "
                    "to guess."
                )
            )
            self._side.set_title(say("Most surprising"))
            self._side.set_intro(say("Click a word to select it, and press M to mask it."))

    def _show_bars(self, units: Units, typed: list[str], drawn: Sequence[float | None], highest: float) -> None:
        known = [(value, i) for i, value in enumerate(drawn) if value is not None]
        most = sorted(known, key=lambda one: -abs(one[0]))[:MOST_BARS]
        self._bar_units = [i for _, i in most]
        bar = self._change_bar if any(one is not None for one in self.changes) else self._bar
        self.bars.set_bars([bar(typed[i], value, highest, i, units) for value, i in most])

    def _change_bar(self, word: str, change: float, highest: float, unit: int, units: Units) -> Bar:
        note, both = str(units.first_positions[unit]), _before_and_now(self.baseline_bits[unit], self.bits[unit])
        other = self._baseline_words[unit]
        both = both if other in (None, word) else f"{other} {both}"
        return Bar(word, numbers.signed(change), abs(change) / highest, mark=both, note=note, sign=int(np.sign(change)))

    def _bar(self, word: str, bits: float, highest: float, unit: int, units: Units) -> Bar:
        before, note = self.baseline_bits[unit], str(units.first_positions[unit])
        mark = "" if before is None else say("baseline {bits}", bits=numbers.decimal(before))
        return Bar(word, numbers.decimal(bits), bits / highest, "bar_strong", mark=mark, note=note)

    def _show_total(self, found: Surprise | None, selection: Selection) -> None:
        is_known = found is not None and len(found.bits) > 0
        for widget in (self.perplexity, self._explanation):
            widget.setVisible(is_known)
        if found is None or not is_known or self.reading is None:
            return
        perplexity = say("pseudo-perplexity {perplexity}", perplexity=self._perplexity(found, self.reading))
        theirs = self.baseline_surprise.answer
        if theirs is not None and len(theirs.bits) and self.reading.baseline is not None:
            before = say("baseline {perplexity}")
            if len(theirs.bits) != len(found.bits):
                before = say("baseline {perplexity} (not directly comparable)")
            perplexity = joined(perplexity, before.format(perplexity=self._perplexity(theirs, self.reading.baseline)))
        self.perplexity.setText(perplexity)
        mean = say(
            "0 bits: certain. 1 bit: a coin toss. 10 bits: one in a thousand. Pseudo-perplexity says how unsure the "
            "model is on average: as if it chose among that many equally likely words. It is 2 to the power of the "
            "mean, {mean} bits over {count} tokens.",
            mean=numbers.decimal(float(found.bits.mean()), 3),
            count=numbers.count(len(found.bits)),
        )
        sentences = [*self._comparison_in_words(found), mean]
        if selection.token_view.words:
            sentences.append(say("Words: all pieces of a word are masked together, and their bits added up."))
        if self.reading.request.what_if:
            sentences.append(say("Your changes inside the model are included."))
        self._explanation.setText(" ".join(sentences))

    def _perplexity(self, found: Surprise, reading: Reading) -> str:
        """One digit: two would not follow from the mean as it is shown."""
        number = numbers.decimal(found.pseudo_perplexity, 1)
        if found.pseudo_perplexity <= reading.request.model.config.vocab_size:
            return number
        return say("{perplexity} (worse than guessing at random)", perplexity=number)

    def _comparison_in_words(self, found: Surprise) -> list[str]:
        """What is before the arrows, and what cannot be compared."""
        reading, theirs = self.reading, self.baseline_surprise.answer
        if reading is None or reading.baseline is None or theirs is None:
            return []
        name = baseline_name(reading)
        sentences = [say("Left of the arrow: the bits {there}.", there=where_compared(reading))]
        known = [change for bits, change in zip(self.bits, self.changes, strict=True) if bits is not None]
        if None in known and any(change is not None for change in known):
            sentences.append(say("Striped: nothing to compare with in {baseline}.", baseline=name))
        if len(theirs.bits) and len(theirs.bits) != len(found.bits):
            text = say(
                "The two pseudo-perplexities are taken over {ours} and {theirs} tokens, because {baseline} cuts the "
                "text differently."
            )
            if isinstance(reading.request.baseline, OtherText):
                text = say(
                    "The two pseudo-perplexities are taken over {ours} and {theirs} tokens, because they are of two "
                    "texts."
                )
            counts = {"ours": numbers.count(len(found.bits)), "theirs": numbers.count(len(theirs.bits))}
            sentences.append(text.format(baseline=name, **counts))
        return sentences

    def _build(self) -> None:
        fill(
            self._card.body,
            hbox(self._scale_name, self._scale, None, gap_px=8),
            (scrolled_column(self.tokens, self.perplexity, self._explanation, least_px=LEAST_PX), 1),
        )
        self._card.set_figure(self._figure)
        side = self._side
        side.setFixedWidth(theme.column_px(SIDE_PX))
        side.body.addWidget(self.bars, 1)
        self.column.addLayout(hbox((self._card, 1), folded_on_projector(side, side.title), gap_px=GAP_PX))

    def _figure(self) -> Figure | None:
        if self.reading is None or self.surprise.answer is None:
            return None
        values = np.array([np.nan if bits is None else bits for bits in self.bits])
        arrays = {"surprise": numbers_of("word", typed_units(self.reading, self.selection), values)}
        if any(bits is not None for bits in self.baseline_bits):
            before = np.array([np.nan if bits is None else bits for bits in self.baseline_bits])
            typed = typed_units(self.reading, self.selection)
            arrays["surprise with the baseline"] = numbers_of("word", typed, before)
            arrays["change of surprise"] = numbers_of("word", typed, values - before)
        widgets: list[QWidget] = [self.tokens, self._scale, self.perplexity]
        hint, settings = say("bits, each word masked in turn"), self.perplexity.text()
        return self.figure(self._card.title, widgets, arrays, hint=hint, settings=settings, masks=False)

    def _on_surprise_answered(self, _found: Surprise) -> None:
        if self.reading is not None:
            self._show(self.reading, self.selection)

    def _on_tokens_hovered(self, unit: int | None) -> None:
        self.hover_unit(unit)
        bits = self.bits[unit] if unit is not None and unit < len(self.bits) else None
        text = ""
        if self.reading is not None and unit is not None and bits is not None:
            token = typed_units(self.reading, self.selection)[unit]
            text = say("{token}: {surprise}, probability {probability}")
            chance = numbers.number(2**-bits) if numbers.is_technical() else numbers.percent(2**-bits)
            text = text.format(token=token, surprise=numbers.surprise(bits), probability=chance)
        self.hover_text_changed.emit(text)


def _bits_of(found: Surprise | None, reading: Reading, units: Units) -> list[float | None]:
    """(U) of each unit; None where it was not hidden, or is not known yet."""
    if found is None:
        return [None] * len(units)
    bits = units.sums(found.by_token(len(reading.encoding)))  # (U)
    counted = set(found.positions.tolist())
    return [
        float(value) if counted.intersection(members) else None
        for value, members in zip(bits, units.members, strict=True)
    ]


def _before_and_now(before: float | None, now: float | None) -> str:
    """`3.20 → 1.15`; where nothing is compared, `1.15`."""
    if now is None:
        return ""
    return numbers.decimal(now) if before is None else f"{numbers.decimal(before)} → {numbers.decimal(now)}"


def _baseline_words(reading: Reading, selection: Selection) -> list[str | None]:
    """(U) what stands in the baseline's text in the place of each unit."""
    if reading.baseline is None:
        return [None] * len(selection.units(reading))
    theirs = typed_units(reading.baseline, selection)
    places = reading.places_in_baseline(selection.token_view)
    return [None if place is None else theirs[place] for place in places]


def typed_units(reading: Reading, selection: Selection) -> list[str]:
    """(U) the text's own words: a mask over one is not read here."""
    from ...state.token_units import Units

    return Units(reading.encoding, reading.encoding.labels, (), selection.token_view).labels
