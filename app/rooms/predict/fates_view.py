"""80 / 10 / 10: the text masked a hundred times as training masks it, and small models trained with it and without."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtWidgets import QLayout

from bertcore.files import read_json
from bertcore.locations import assets

from ...compute.question import Job
from ...compute.word_questions import draws_of
from ...figures.values import Side, Values, tokens
from ...look import mark, numbers, say, theme
from ...state import Reading, Selection, TokenView, Units
from ...widgets.card import GAP_PX, button, label
from ...widgets.charts.cells import LabelledGrid
from ...widgets.layouts import fill, hbox, vbox
from ..pictures import Cells, Tokens
from .predict_sentences import masking_runs_sentence, missing_words
from .view import PredictView

if TYPE_CHECKING:
    from bertcore.analysis.masked_draws import MaskedDraws

FATES = (mark("became [MASK]"), mark("became another token"), mark("chosen, but kept"), mark("not chosen"))
MASKED, KEPT = 0, 2
ENDS = {"written": numbers.percent}  # of a scale
RUNS = {
    "masking-80-10-10": mark("80 / 10 / 10"),
    "masking-100-0-0": mark("100% [MASK]"),
    "masking-0-100-0": mark("100% random"),
}
DRAWS = "for d in [m.masked_draws({view.reading.encoding.text_a!r}, {view.reading.encoding.text_b!r})]"
MEAN = "(met * d['probability']).sum(0) / np.maximum(met.sum(0), 1)"


@cache
def masking_runs() -> np.ndarray:
    """(4,3) fates, ways of training: in what share of the places the token is found, the mean of three seeds."""
    right = read_json(assets() / "evaluation" / "masking.json")["right"]
    shares: np.ndarray = np.mean([right[recipe] for recipe in RUNS], axis=1).T
    return shares


class FatesView(PredictView):
    """One draw and the totals of all at the left; at the right, what small models learned from each way."""

    pictures = (
        Tokens(
            key="draw",
            title=mark("One draw of a hundred"),
            name=mark("The text as the model reads it in this draw, and how likely it finds each original token"),
            intro=mark(
                "What the model reads; framed: chosen to be predicted. Below each: how likely it finds the original "
                "token."
            ),
            hovered=mark("{row}: the token of the text has probability {value}"),
            number="probability",
            python=f"[np.where(d['fate'] < 0, np.nan, d['probability']) {DRAWS}][0][{{view.number}}]",
            asks="draws",
            is_compared=False,
            scale=mark("probability of the original token"),
            scale_ends=numbers.probability,
            least_px=90,
        ),
        Cells(
            key="fates",
            title=mark("All hundred draws"),
            name=mark("Probability of each token of the text, by what became of it"),
            intro=mark(
                "Rows: what became of a token, how often, and how likely the model then finds the original. Columns: "
                "the tokens of the text; numbers in percent. Hatched: never drawn."
            ),
            hovered=mark("“{column}”, {row}: probability {value}"),
            write=numbers.percent,
            chart=partial(LabelledGrid, tilted=True, longest_px=260, largest_px=(90, 70)),
            number="probability",
            python=f"[{MEAN} {DRAWS} for met in [d['fate'] == fate for fate in range(4)]]",
            asks="draws",
            is_compared=False,
            folds=True,
        ),
        Cells(
            key="trained",
            title=mark("Trained in three ways"),
            name=mark("How often tiny models find the original token, by how they were trained"),
            intro=mark(
                "Other, tiny models read easy, unseen text. Columns: what training did with the chosen tokens; rows: "
                "what is done here. Number: how often the likeliest token is the original."
            ),
            chart=partial(LabelledGrid, tilted=True, longest_px=260, largest_px=(110, 70)),
            hovered=mark("{row}, trained with {column}: found in {value} of the places"),
            write=numbers.percent,
            is_compared=False,
            folds=True,
        ),
    )
    number = 0  # of the draw on show

    def lay_out(self) -> QLayout:
        paper = say(
            "In the paper (Devlin et al. 2019) it hardly matters after fine-tuning: on MNLI, a test of understanding, "
            "84.2% are right with 80 / 10 / 10 and 84.3% with [MASK] alone. It matters a little where BERT is only "
            "read and not fine-tuned: names are found from its states with an F1 of 94.9 and 94.0, of 100."
        )
        finding = label(masking_runs_sentence(masking_runs()), wrap=True)
        more = [label(paper, "muted", wrap=True)] if numbers.is_technical() and not theme.is_projector() else []
        fill(self.columns["trained"], finding, *more)
        self.another = button(say("Another draw"), self._on_another_clicked, look="primary")
        self.cards["draw"].add_to_header(self.another)
        if theme.is_projector():
            return super().lay_out()
        left = vbox(self.cards["draw"], (self.cards["fates"], 1), gap_px=GAP_PX)
        return hbox((left, 3), (self.cards["trained"], 2), gap_px=GAP_PX)

    def nothing(self, reading: Reading, selection: Selection) -> tuple[str, str] | None:
        return super().nothing(reading, selection) if missing_words(reading) else None

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        encoding = reading.encoding
        if missing_words(reading) or all(part == "special" for part in encoding.parts):
            return None
        return Job(draws_of, (tuple(encoding.ids), tuple(encoding.segments)), (reading.request.model,))

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        if key == "trained":
            shares, fates, ways = masking_runs(), [say(fate) for fate in FATES], [say(way) for way in RUNS.values()]
            texts = [[numbers.percent(one) for one in row] for row in shares.tolist()]
            return Values(shares, Side("class", fates), Side("class", ways, axis_name="training"), 0, 1, texts, ENDS)
        found: MaskedDraws | None = self.answer_of("draws", reading)
        if found is None:
            return None
        encoding, view = reading.encoding, TokenView(specials=selection.token_view.specials)
        units = Units(encoding, encoding.labels, (), view)
        return self._draw(found, units) if key == "draw" else _totals(found, units)

    def _draw(self, found: MaskedDraws, units: Units) -> Values:
        assert self.reading is not None
        fate, chances, encoding = found.fate[self.number], found.probability[self.number], self.reading.encoding
        tokenizer, places = self.reading.request.model.tokenizer, units.first_positions
        labels = [tokenizer.label(token) for token in found.seen[self.number].tolist()]
        seen = Units(encoding, labels, tuple(np.flatnonzero(fate == MASKED).tolist()), units.view)
        texts = [[_below(encoding.labels[place], fate[place], chances[place])] for place in places]
        chosen = {unit for unit, place in enumerate(places) if 0 <= fate[place] <= KEPT}
        detail, hint = {"marked": chosen, "frame": "mask"}, say("draw {number}", number=self.number + 1)
        shown = np.where(fate < 0, np.nan, chances)[places]
        return Values(shown, tokens(seen), low=0, high=1, texts=texts, detail=detail, hint=hint)

    def sentence(self, key: str, row: int, column: int | None) -> str:
        is_never = key == "fates" and self.shown[key].detail["hatched"][row, column]
        return "" if is_never else super().sentence(key, row, column)

    def caption(self, key: str) -> dict[str, Any]:
        return {"masks": False, "plain": key == "trained"}

    def _on_another_clicked(self) -> None:
        found = self.answer_of("draws", self.reading)
        self.number = 0 if found is None else (self.number + 1) % len(found.seen)
        self.redraw("draw")


def _below(token: str, fate: int, chance: float) -> str:
    """Of a token in a draw: how surely it is found, and which it was where another is seen."""
    shown = "" if fate < 0 else numbers.probability(float(chance))
    return shown if fate < 0 or fate >= KEPT else say("{token}: {probability}", token=token, probability=shown)


def _totals(found: MaskedDraws, units: Units) -> Values:
    """For each fate and token the mean over all draws; 0 where the token never met the fate."""
    met = np.stack([found.fate == fate for fate in range(len(FATES))])  # (4,D,S)
    sums, counts = (met * found.probability).sum(axis=1), met.sum(axis=1)
    means, never = (sums / np.maximum(counts, 1))[:, units.first_positions], counts[:, units.first_positions] == 0
    percents = np.vectorize(partial(numbers.decimal, digits=0), otypes=[object])(100 * means)
    texts = np.where(never, "", percents).tolist()
    names = [
        say(
            "{fate}, %n time(s): {mean}",
            n=int(count),
            fate=say(fate),
            mean=numbers.probability(count and total / count),
        )
        for fate, count, total in zip(FATES, counts.sum(axis=1), sums.sum(axis=1), strict=True)
    ]
    return Values(means, Side("class", names, axis_name="fate"), tokens(units), 0, 1, texts, {"hatched": never, **ENDS})
