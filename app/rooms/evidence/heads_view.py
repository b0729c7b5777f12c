"""View "Heads": what each head does over many pairs, those that do most, who looks and who acts, and every pair."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from PySide6.QtWidgets import QLayout, QWidget

from ...compute.evidence_questions import heads_of
from ...figures.figure import Numbers, joined
from ...figures.values import Side, Values, all_heads, heads, layers
from ...look import numbers, theme
from ...look.say import mark, say
from ...state.selection import Contrast
from ...widgets.card import GAP_PX, Card, button, scrolled
from ...widgets.charts.bars import BarList
from ...widgets.controls import Choice
from ...widgets.folding_card import folding_on_projector
from ...widgets.layouts import hbox, vbox
from ...widgets.scatter import Scatter
from ...widgets.table import ROW, Column, Table
from ..pictures import Bars, Cells, Dots
from .sentences import MEASURES, head_text, heads_finding, pairs_text
from .view import EvidenceView, OpenedRow, interval_bars

if TYPE_CHECKING:
    from bertcore.evidence.collection import Pair
    from bertcore.evidence.heads import HeadEvidence, HeadMeasure

    from ...state.model_info import ModelInfo
    from ...state.readings import Reading

LARGEST = 10
GRID_PX = 420, 250
LEAST_WRITTEN = 0.005  # what rounds to nothing is not written into its cell


class PairRow(NamedTuple):
    """One pair, and what the chosen head does in it."""

    pair: Pair
    effect: float
    score: float  # ln p(wanted) - ln p(unwanted)
    is_counter: bool  # the effect has the other sign than on average


class HeadsView(EvidenceView):
    """The chosen head of all rooms is the one whose pairs are listed."""

    needs, stays = "pairs", ("grid",)
    functions: ClassVar = {"effect": heads_of, "attention": heads_of}
    pictures = (
        Cells(
            key="grid",
            title=mark("What each head does"),
            name=mark("Mean effect of each head: rows are layers, columns are heads"),
            number="mean_effect",
            python="about.heads({0!r}).means.value",
            axis_names=(mark("layer"), mark("head")),
        ),
        Bars(
            key="largest",
            title=mark("The ten largest"),
            name=mark("The ten heads with the largest mean effect, with their intervals"),
            intro=mark("Bar: the mean. Line: its 95% interval, for all heads at once. Grey: the interval includes 0."),
            number="mean_effect",
            python="(found := about.heads({0!r})).means.value[tuple(np.transpose(found.order()[:10]))]",
            chart=partial(BarList, clickable=True, stretch_to_px=30),
        ),
        Dots(
            key="both",
            title=mark("Who looks, and who acts?"),
            name=mark("Heads by their attention to the word that differs, and by their effect"),
            intro=mark(
                "Right: looks at the word that differs. Up or down: changes the answer. Often not the same heads."
            ),
            saved_as="attention_and_effect",
            python='np.stack([about.heads(each).means.value.ravel() for each in ("attention", {0!r})], axis=1)',
            asks="attention",
            chart=partial(Scatter, axis_names=(mark("attention to the word that differs"), mark("effect"))),
        ),
    )

    def lay_out_cards(self) -> QLayout:
        measures = {key: say(title) for key, (title, _, _) in MEASURES.items()}
        self.measure = Choice(say("What is done with each head"), measures, self.ask_again)
        self.cards["grid"].add_to_header(self.measure)
        self.charts["grid"].hint_px = GRID_PX
        self.pairs_card = Card(say("The pairs"))
        self.table = Table(say("The pairs, and what the head does in each"), _columns())
        hint = say("All rooms show the selected pair and this head (double-click)")
        self.pairs_card.add_to_header(button(say("Open in all rooms"), self._open_current, look="small", hint=hint))
        self.pairs_card.body.addWidget(self.table, 1)
        self.table.row_opened.connect(self._open_row)
        self.beside_pairs = self.folded("both")
        if theme.is_projector():
            table = folding_on_projector(self.pairs_card, self.pairs_card.title)
            return hbox((self.cards["grid"], 1), self.folded("largest"), self.beside_pairs, table, gap_px=GAP_PX)
        above = hbox((self.cards["grid"], 3), (self.cards["largest"], 2), gap_px=GAP_PX)
        below = hbox((self.beside_pairs, 2), (self.pairs_card, 3), gap_px=GAP_PX)
        inside = QWidget()
        vbox((above, 3), (below, 2), parent=inside, gap_px=GAP_PX)
        return vbox((scrolled(inside), 1))

    def missing(self, reading: Reading) -> str:
        return reading.request.model.missing.get("mlm", "")

    def arguments(self, asks: str, reading: Reading) -> tuple[HeadMeasure] | None:
        measure: HeadMeasure = self.measure.currentData()
        if asks == "attention":  # what a person waits for comes first
            return None if self.found is None or measure == "attention" else ("attention",)
        return (measure,)

    def passes(self, asks: str, model: ModelInfo) -> float:
        is_one = asks == "attention" or self.measure.currentData() in ("attention", "gradient")
        return 3.0 if is_one else 2 + model.layers * model.heads / 2

    def values_of(self, key: str, looks: HeadEvidence) -> Values | None:
        found: HeadEvidence | None = self.found  # of what both pictures of effects show
        if found is None:
            return None
        means, (count, width) = found.means, found.means.value.shape
        limit = float(np.abs(means.value).max()) or 1.0
        if key == "grid":
            is_signed = found.measure != "attention"
            texts = [
                [numbers.decimal(v) if abs(v) >= LEAST_WRITTEN else "" for v in row] for row in means.value.tolist()
            ]
            marks = {"hatched": ~means.is_clear} if is_signed else {}
            of = layers(count), heads(width), -limit if is_signed else 0.0, limit, texts, marks
            return Values(means.value, *of, self.how_many(key, found), say(MEASURES[found.measure][1]))
        value, low, high, clear = (getattr(means, name).ravel() for name in ("value", "low", "high", "is_clear"))
        if key == "both":
            columns = Side("none", ("attention", "effect"), axis_name="measure")
            colors = np.where(clear, "accent", "faint").tolist()
            places = np.stack([looks.means.value.ravel(), value], axis=1)  # (L*N,2)
            return Values(places, all_heads(count, width, colors=colors), columns)
        order = [layer * width + head for layer, head in found.order()[:LARGEST]]
        longest = float(np.max(high[order], initial=limit, where=np.isfinite(high[order])))
        ends = np.stack([value, low, high], axis=1)[order].tolist()
        colors = np.where(clear, "bar_strong", "faint")[order].tolist()
        return interval_bars(all_heads(count, width, order), ends, write=numbers.decimal, high=longest, color=colors)

    def sentence(self, key: str, row: int, column: int | None) -> str:
        found = self.found
        if found is None:
            return ""
        number = self.shown[key].rows.number(row)
        place = divmod(number, found.means.value.shape[1]) if key != "grid" or column is None else (row, column)
        return joined(head_text(found, *place), self.how_many(key, found))

    def finding_in(self, found: HeadEvidence) -> str:
        return heads_finding(found)

    def how_many(self, key: str, found: HeadEvidence) -> str:
        return say("%Ln pair(s)", n=len(found.pairs))

    def numbers(self, key: str) -> dict[str, Numbers]:
        arrays = super().numbers(key)
        if self.found is not None and key == "grid":
            axes, means = self.shown[key].axes, self.found.means
            arrays |= {"low": Numbers(means.low, axes), "high": Numbers(means.high, axes)}
        return arrays

    # The pairs.

    def show_found(self, found: HeadEvidence | None) -> None:
        rows, hint, place = list[PairRow](), "", (self.selection.layer, self.selection.head)
        self.beside_pairs.setVisible(found is None or found.measure != "attention")
        if found is not None:
            effects = found.values[:, *place]
            sign = float(np.sign(found.means.value[place])) or 1.0
            order = np.argsort(-effects * sign, kind="stable").tolist()
            each = ((found.pairs[at], float(effects[at]), float(found.score[at])) for at in order)
            rows = [PairRow(pair, effect, score, effect * sign < 0) for pair, effect, score in each]
            hint = pairs_text(found, *place)
        self.table.update_rows(rows)
        self.pairs_card.set_hint(hint)

    def _open_current(self) -> None:
        row = self.table.currentIndex().data(ROW)
        for one in [row] if row is not None else self.table.shown[:1]:
            self._open_row(one)

    def _open_row(self, row: PairRow) -> None:
        pair, head = row.pair, (self.selection.layer, self.selection.head)
        contrast = Contrast(pair.wanted, pair.against)
        self.row_opened.emit(OpenedRow(pair.text, head=head, contrast=contrast, other=pair.other))


def _columns() -> list[Column]:
    """The pair in which the head does most comes first; counter-examples last."""

    def both(row: PairRow) -> str:
        return f"{row.pair.text}\n{row.pair.other}".strip()

    return [
        Column(say("Text"), lambda row: row.pair.text, tip=both, is_widest=True),
        Column(say("Wanted / unwanted"), lambda row: f"{row.pair.wanted} / {row.pair.against}"),
        _numbers(say("Effect"), attrgetter("effect"), attrgetter("is_counter")),
        _numbers(say("ln p wanted − unwanted"), attrgetter("score"), lambda row: row.score < 0),
    ]


def _numbers(title: str, value: Callable[[PairRow], float], is_bad: Callable[[PairRow], bool]) -> Column:
    """A column of signed numbers; those of rows that go the wrong way stand out."""

    def color(row: PairRow) -> str:
        return "bad_text" if is_bad(row) else ""

    return Column(
        title, lambda row: numbers.signed(value(row)), color=color, sort=value, is_strong=is_bad, is_number=True
    )
