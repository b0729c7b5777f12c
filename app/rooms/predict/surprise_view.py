"""How unexpected each word is to the model, each masked in turn, and the pseudo-perplexity of the text."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtWidgets import QLayout, QWidget

from ...compute.question import Job
from ...compute.word_questions import surprise_of
from ...figures.figure import Numbers
from ...figures.values import Values, tokens
from ...look import mark, numbers, say, theme
from ...look.number_kinds import explain
from ...state import Reading, Selection, Units
from ...widgets.card import label, show_text
from ...widgets.charts.bars import BarList
from ...widgets.layouts import fill
from ..pictures import Bars, Tokens
from .predict_sentences import missing_words, perplexities, surprise_sentences
from .view import PredictView

LEAST_SCALE_BITS = 10.0  # what is hardly surprising looks so
LEAST_CHANGE_BITS = 1.0  # the same of a difference
MOST_BARS = 12
SIDE_PX = 320
BITS = "m.surprise({view.reading.encoding.text_a!r}, {view.reading.encoding.text_b!r}).scores"


class SurpriseView(PredictView):
    """The text in colours on the left, the most surprising words on the right."""

    pictures = (
        Tokens(
            key="bits",
            title=mark("How surprising is each word?"),
            name=mark("Surprise of each word"),
            number="surprise",
            intro=mark(
                "Each word is masked once while the model reads all the others as typed. Stronger colour: harder to "
                "guess."
            ),
            difference=mark("Red: harder to guess now than {there}. Blue: easier."),
            python=f"np.where((bits := {BITS}) > 0, bits, np.nan)",
            asks="bits",
            scale=mark("surprise (0: certain)"),
            difference_scale=mark("change of the surprise"),
            least_change=LEAST_CHANGE_BITS,
            least_px=110,
        ),
        Bars(
            key="most",
            title=mark("Most surprising"),
            name=mark("Most surprising words"),
            number="surprise",
            python=f"np.sort((bits := {BITS})[bits > 0])[::-1][:{MOST_BARS}]",
            is_compared=False,  # it shows what the colours are of
            asks="bits",
            chart=partial(BarList, clickable=True, stretch_to_px=42, may_cut=True),
            marks_selected=False,
            notes_positions=True,
            width=0,
            folds=True,
        ),
    )

    def lay_out(self) -> QLayout:
        self.perplexity, self.explanation = label("", "number"), label("", "muted", wrap=True)
        explain("perplexity", self.perplexity)
        fill(self.columns["bits"], self.perplexity, self.explanation)
        self.cards["most"].setFixedWidth(theme.column_px(SIDE_PX))
        return super().lay_out()

    def nothing(self, reading: Reading, selection: Selection) -> tuple[str, str] | None:
        return super().nothing(reading, selection) if missing_words(reading) else None

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        if missing_words(reading):
            return None
        request, words = reading.request, selection.token_view.words
        encoding, what_if, text = request.encoding, request.what_if, request.model_input
        if not what_if.swap:  # else masks count: they are hidden in the other text as well
            text = replace(text, input_ids=tuple(encoding.ids))
        return Job(surprise_of, (encoding, text, words, what_if), (request.model,))

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        if key == "most":
            return self._most()
        units, found = selection.units(reading), self.answer_of("bits", reading)
        typed = Units(reading.encoding, reading.encoding.labels, (), units.view).labels  # a mask over a word hides none
        bits, side = np.full(len(units), np.nan), replace(tokens(units), labels=typed, axis_name="word")
        if found is not None:
            counted = set(found.positions.tolist())
            is_counted = [bool(counted.intersection(members)) for members in units.members]
            bits = np.where(is_counted, units.sums(found.by_token(len(reading.encoding))), np.nan)
        elif reading is not self.reading:
            return None
        return Values(bits, side, low=0, high=max(LEAST_SCALE_BITS, *bits[np.isfinite(bits)].tolist(), 0.0))

    def _most(self) -> Values:
        """The words with the strongest colours."""
        shown, chart, is_difference = self.shown["bits"], self.charts["bits"], "bits" in self.differences
        known = [
            unit for unit in np.argsort(-np.abs(shown.array), kind="stable").tolist() if not np.isnan(shown.array[unit])
        ]
        order = known[:MOST_BARS]
        now, before = (bits[order].tolist() for bits in self.bits)
        if is_difference:
            values = [numbers.difference(*pair) for pair in zip(before, now, strict=True)]
            marks, texts = [chart.tokens[unit].number for unit in order], [[numbers.signed(value)] for value in values]
            click = say("The change, then the surprise in the baseline and now. Click a word to select it.")
        else:
            values, texts = now, [[numbers.decimal(value)] for value in now]
            marks = ["" if np.isnan(one) else say("baseline {bits}", bits=numbers.decimal(one)) for one in before]
            click = say("Click a word to select it, and press M to mask it.")
        signs = [int(np.sign(value)) * is_difference for value in values]
        detail = {"mark": marks, "sign": signs, "color": ["bar" if is_difference else "bar_strong"] * len(order)}
        rows, high = shown.rows.some(order), shown.range[1]
        return Values(np.abs(values), rows, high=high, texts=texts, detail=detail, intro=click)

    @property
    def bits(self) -> tuple[np.ndarray, np.ndarray]:
        """(U) of this reading, and of the baseline in the same places; NaN where nothing is known."""
        now, before = self.both["bits"]
        return now.array, np.full(len(now.rows), np.nan) if before is None else before.array

    def drawn(self, reading: Reading, selection: Selection) -> None:
        if self.shows_nothing:
            return
        now, before = self.bits
        found, baseline = self.asked["bits"].answer, self.asked_of_baseline["bits"].answer
        is_difference = "bits" in self.differences
        self.cards["most"].set_title(say("Changed most") if is_difference else say("Most surprising"))
        has_gaps = is_difference and bool(np.any(np.isfinite(now) & np.isnan(before)))
        words = selection.token_view.words
        perplexity = sentences = ""
        if found is not None and len(found.bits):
            perplexity = perplexities(found, baseline, reading)
            sentences = surprise_sentences(found, baseline, reading, words=words, has_gaps=has_gaps)
        show_text(self.perplexity, perplexity)
        show_text(self.explanation, sentences)

    def sentence(self, key: str, row: int, column: int | None) -> str:
        bits = self.bits[0][row] if key == "bits" else np.nan
        if np.isnan(bits):
            return ""
        chance = numbers.number(2**-bits) if numbers.is_technical() else numbers.percent(2**-bits)
        text, name = mark("{token}: {surprise}, probability {probability}"), self.shown[key].rows.name(row)
        return say(text, token=name, surprise=numbers.surprise(bits), probability=chance)

    def saved(self, key: str) -> list[QWidget]:
        return [*super().saved(key), *([self.perplexity] if key == "bits" else [])]

    def caption(self, key: str) -> dict[str, Any]:
        return {"hint": say("bits, each word masked in turn"), "settings": self.perplexity.text(), "masks": False}

    def numbers(self, key: str) -> dict[str, Numbers]:
        (now, before), axes = self.bits, self.shown[key].axes
        if key != "bits" or np.isnan(before).all():
            return super().numbers(key)
        arrays = {"surprise": now, "surprise with the baseline": before, "change of surprise": now - before}
        return {name: Numbers(array, axes) for name, array in arrays.items()}
