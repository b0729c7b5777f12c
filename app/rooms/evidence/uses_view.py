"""View "Where else?": the uses of words in a collection that are nearest to the chosen one, in lines."""

from __future__ import annotations

from collections import Counter
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtWidgets import QLayout

from ...compute.evidence_questions import FoundUses, uses_of
from ...figures.values import PLANE, Side, Values, stages
from ...look import mark, numbers, say
from ...widgets.card import Card, label
from ...widgets.charts.bars import BarList
from ...widgets.controls import Choice
from ...widgets.curve_specs import CurveSpec
from ...widgets.layouts import fill
from ...widgets.scatter import Scatter
from ..pictures import Bars, Dots, Lines
from .sentences import LEAST_GAIN, groups_text, uses_finding
from .view import EvidenceView

if TYPE_CHECKING:
    from ...state.model_info import ModelInfo
    from ...state.readings import Reading
    from ...state.selection import Selection

SIDE_PX, MOST_WORDS, LEAST_ALIKE = 345, 8, 8
MOST_TOKENS = 3  # of a phrase
BINS = np.linspace(-1, 1, 41)
COLORS = ("curve_train", "curve_held_out", "curve_mlm")  # of groups of uses


class UsesView(EvidenceView):
    """Of the chosen token after the chosen layer; a click on a place of the curve chooses another layer."""

    functions: ClassVar = {"uses": uses_of}
    technical: ClassVar = "cosines"
    call = "about.index()\nasked = found.ask(m.encode(*{0!r}), {1!r})"
    counted = mark("%Ln token(s) compared"), attrgetter("tokens")
    pictures = (
        Lines(
            key="same_word",
            title=mark("By layer"),
            name=mark("The word among the 50 nearest"),
            curves=(CurveSpec("same", mark("the word itself"), "curve_train", markers=True),),
            left_label=mark("of 50"),
            includes_zero=True,
            python="[list(found.same_by_layer(asked).values())]",
        ),
        Dots(
            key="uses",
            title=mark("All its uses"),
            name=mark("All uses of the word, by their two main directions"),
            method=mark("three groups by k-means; principal components"),
            python="found.groups(asked, {2}).points",
            chart=partial(Scatter, names=False),
        ),
        Lines(
            key="cosines",
            title=mark("How alike are any two tokens?"),
            name=mark("Cosines of tokens"),
            curves=(
                CurveSpec("any", mark("any two tokens"), "curve_train"),
                CurveSpec("near", mark("the 50 nearest"), "curve_held_out", dashed=True),
            ),
            left_label=mark("share"),
            bottom_label=mark("cosine"),
            method=mark("pairs of tokens drawn at random"),
            python="[np.histogram(each, np.linspace(-1, 1, 41))[0] / len(each) for each in (found.any_two({2}), "
            "[use.value for use in found.nearest(asked, {2})])]",
        ),
        Bars(
            key="times",
            title=mark("Words of the 50 nearest"),
            name=mark("How often each word is among the 50 nearest uses"),
            shown_digits=0,
            python="np.sort(np.unique([use.word.lower() for use in found.nearest(asked, {2})], return_counts=True)[1])"
            f"[::-1][:{MOST_WORDS}]",
            chart=partial(BarList, may_cut=True),
        ),
    )

    def lay_out_cards(self) -> QLayout:
        lengths = {count: say("Look for %n token(s)", n=count) for count in range(1, MOST_TOKENS + 1)}
        self.length = Choice(say("How many tokens, from the selected one on"), lengths, self.ask_again)
        self.near_card, self.nearest = Card(say("Nearest uses"), intro=" "), self.uses_table(say("Nearest uses"))
        self.apart_title, self.apart = label("", "title", wrap=True), self.uses_table(say("The same word, least alike"))
        self.near_card.add_to_header(self.length)
        fill(self.near_card.body, (self.nearest, 5), self.apart_title, (self.apart, 2))
        return self.beside(self.near_card, SIDE_PX)

    def arguments(self, asks: str, reading: Reading) -> tuple[Any, ...] | str:
        units, unit = self.selection.units(reading), self.selection.unit(reading)
        if unit is None:
            return say("Click a token above: other uses of it are looked for.")
        positions = (at for members in units.members[unit : unit + self.length.currentData()] for at in members)
        return (reading.encoding.text_a, reading.encoding.text_b), tuple(positions), self.selection.stage

    def passes(self, asks: str, model: ModelInfo) -> float:
        return 0.0 if self._indexed == (self.collection, model) else 1.0

    _indexed: tuple[object, ...] = ()  # what an index is known to be there for

    def draw_answer(self, asks: str) -> None:
        if self.reading is not None and self.asked["uses"].answer is not None:
            self._indexed = self.collection, self.reading.request.model
        self.redraw()

    def values_of(self, key: str, found: FoundUses) -> Values:
        if key == "same_word":
            counts = np.array([list(found.by_layer.values())], dtype=float)
            return Values(counts, self.curve_names(key), stages(counts.shape[1]))
        if key == "cosines":
            near = np.array([use.value for use in found.nearest])
            shares = [np.histogram(each, BINS)[0] / max(len(each), 1) for each in (found.any_two, near)]
            middles = [numbers.decimal(at) for at in (BINS[:-1] + BINS[1:]) / 2]
            mean = numbers.decimal(float(found.any_two.mean()))
            sides = self.curve_names(key), Side("none", middles, axis_name="cosine")
            return Values(np.stack(shares), *sides, hint=say("mean {mean}", mean=mean))
        if key == "times":
            words = Counter(use.word.lower() for use in found.nearest).most_common(MOST_WORDS)
            return Values(np.array([float(count) for _, count in words]), Side("word", [word for word, _ in words]))
        groups = found.groups
        if groups is None:
            return Values(np.zeros((0, 2)), Side("text", ()), PLANE, hint=say("too few uses"))
        names = [say("here"), *(use.before[-12:] + use.word + use.after[:12] for use in groups.uses)]
        means_something = groups.apart > groups.apart_by_chance + LEAST_GAIN
        colors = [COLORS[group % len(COLORS)] if means_something else "bar" for group in groups.groups.tolist()]
        hint = say("%Ln use(s), repeats counted, and “here”", n=groups.count)
        return Values(groups.points, Side("text", names, colors), PLANE, hint=hint, intro=groups_text(groups))

    def selected(self, key: str, side: Side, selection: Selection) -> int | None:
        if side.kind == "text":
            return 0 if len(side) else None
        return super().selected(key, side, selection)

    def clicked(self, key: str, row: int, column: int | None) -> None:
        if key == "uses" and row:
            self.open_use(self.found.groups.uses[row - 1])

    def finding_in(self, found: FoundUses) -> str:
        return uses_finding(found, self.selection.stage)

    def show_found(self, found: FoundUses | None) -> None:
        self.near_card.setEnabled(found is not None)
        self.nearest.update_rows([] if found is None else found.nearest)
        self.apart.update_rows([] if found is None else found.same[:LEAST_ALIKE])
        for shown in (self.apart_title, self.apart):
            shown.setVisible(found is not None and bool(found.same))
        if found is not None:
            compared = say("%Ln token(s) compared, none left out; near-duplicates are not repeated", n=found.tokens)
            self.near_card.set_intro(compared)
            self.apart_title.setText(say("The uses of “{word}” that are least alike", word=found.word))
