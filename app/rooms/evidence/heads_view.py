"""View "Heads": what each head does over many pairs, those that do most, who looks and who acts, and every pair."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtWidgets import QLayout

from ...figures.figure import joined
from ...figures.values import Side, Values, all_heads, heads, layers
from ...look import mark, numbers, say
from ...state.selection import Contrast
from ...widgets.card import Card, button
from ...widgets.charts.bars import BarList
from ...widgets.controls import Choice
from ...widgets.folding_card import folding_on_projector
from ...widgets.scatter import Scatter
from ...widgets.table import Column, Table
from ..pictures import Bars, Cells, Dots
from .sentences import MEASURES, effect_form, head_text, heads_finding, pairs_text
from .view import EvidenceView, OpenedRow, interval_bars, wrong_ones

if TYPE_CHECKING:
    from bertcore.evidence.heads import HeadEvidence, HeadMeasure, PairEffect

    from ...state.model_info import ModelInfo
    from ...state.readings import Reading

LARGEST = 10
GRID_PX = 420, 250
LEAST_WRITTEN = 0.005  # what rounds to nothing is not written into its cell
METHOD = mark("95% intervals, bootstrap-t by pair, for all heads together (Westfall and Young)")


class HeadsView(EvidenceView):
    """The chosen head of all rooms is the one whose pairs are listed."""

    needs, head, stays = "pairs", "mlm", ("grid",)
    functions: ClassVar = {"effect": "heads", "attention": "heads"}
    counted = mark("%Ln pair(s)"), lambda found: len(found.pairs)
    finding_in = staticmethod(heads_finding)
    pictures = (
        Cells(
            key="grid",
            title=mark("What each head does"),
            name=mark("Mean effect of each head: rows are layers, columns are heads"),
            method=METHOD,
            number="mean_effect",
            python="found.means.value",
            axis_names=(mark("layer"), mark("head")),
        ),
        Bars(
            key="largest",
            title=mark("The ten largest"),
            name=mark("The ten heads with the largest mean effect, with their intervals"),
            intro=mark(
                "Bar: the mean over all pairs. Line: its 95% interval. Grey: may be 0. Heads overlap, so they need not "
                "add up."
            ),
            method=METHOD,
            number="mean_effect",
            python=f"found.means.value[tuple(np.transpose(found.order()[:{LARGEST}]))]",
            chart=partial(BarList, clickable=True, stretch_to_px=30),
        ),
        Dots(
            key="both",
            title=mark("Who looks, and who acts?"),
            name=mark("Heads by their attention to the word that differs, and by their effect"),
            intro=mark(
                "Dots are heads. Further right: looks at the word that differs. Further up or down: changes the answer."
            ),
            method=METHOD,
            saved_as="attention_and_effect",
            python="np.stack([each.means.value.ravel() for each in (found, about.heads({0!r}))], axis=1)",
            asks="attention",
            chart=partial(Scatter, axis_names=(mark("attention to the word that differs"), mark("effect"))),
        ),
    )

    def lay_out_cards(self) -> QLayout:
        measures = {key: say(title) for key, (title, _, _) in MEASURES.items()}
        self.measure = Choice(say("What is done with each head"), measures, self.ask_again)
        self.cards["grid"].add_to_header(self.measure)
        self.charts["grid"].hint_px = GRID_PX
        about = say("Effect: what this head does here; orange: the opposite of its mean.")
        if numbers.is_technical():
            preference = say("Preference: ln p(wanted) − ln p(unwanted); orange: the model prefers the unwanted word.")
            about = f"{about} {preference}"
        self.pairs_card = Card(say("The pairs"), intro=about)
        self.table = Table(
            say("The pairs, and what the head does in each"),
            _columns(lambda effect: effect_form(self.found.measure)(effect)),
        )
        hint = say("All rooms show the selected pair and this head (double-click)")
        opens = button(say("Open in all rooms"), lambda: self._open_row(self.table.current), look="small", hint=hint)
        self.pairs_card.add_to_header(opens)
        self.pairs_card.body.addWidget(self.table, 1)
        self.table.row_opened.connect(self._open_row)
        self.beside_pairs, table = self.folded("both"), folding_on_projector(self.pairs_card, self.pairs_card.title)
        above = {self.cards["grid"]: 3, self.folded("largest"): 2}
        return self.in_rows((above, 3), ({self.beside_pairs: 2, table: 3}, 2))

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
        means, (count, width), write = found.means, found.means.value.shape, effect_form(found.measure)
        limit = float(np.abs(means.value).max()) or 1.0
        if key == "grid":
            is_signed = found.measure != "attention"
            texts = [[write(v) if abs(v) >= LEAST_WRITTEN else "" for v in row] for row in means.value.tolist()]
            marks = {"hatched": ~means.is_clear} if is_signed else {}
            of = layers(count), heads(width), -limit if is_signed else 0.0, limit, texts, marks
            words, ends = (self.how_many(key, found), say(MEASURES[found.measure][1])), (means.low, means.high)
            return Values(means.value, *of, *words, more=dict(zip(("low", "high"), ends, strict=True)))
        if key == "both":
            columns = Side("none", ("attention", "effect"), axis_name="measure")
            colors = np.where(means.is_clear.ravel(), "accent", "faint").tolist()
            places = np.stack([looks.means.value.ravel(), means.value.ravel()], axis=1)  # (L*N,2)
            return Values(places, all_heads(count, width, colors=colors), columns)
        order = found.order()[:LARGEST]
        rows, shown = all_heads(count, width, [at[0] * width + at[1] for at in order]), [means[at] for at in order]
        longest = max([limit, *(one.high for one in shown if np.isfinite(one.high))])
        colors = ["bar_strong" if means.is_clear[at] else "faint" for at in order]
        return interval_bars(rows, shown, write=write, high=longest, color=colors)

    def sentence(self, key: str, row: int, column: int | None) -> str:
        number = self.shown[key].rows.number(row)
        place = divmod(number, self.found.means.value.shape[1]) if key != "grid" or column is None else (row, column)
        return joined(head_text(self.found, *place), self.how_many(key, self.found))

    # The pairs.

    def show_found(self, found: HeadEvidence | None) -> None:
        place = self.selection.layer, self.selection.head
        self.beside_pairs.setVisible(found is None or found.measure != "attention")
        self.table.update_rows([] if found is None else found.pairs_by_effect(*place))
        self.pairs_card.set_hint("" if found is None else pairs_text(found, *place))

    def _open_row(self, row: PairEffect | None) -> None:
        if row is not None:
            pair, head = row.pair, (self.selection.layer, self.selection.head)
            contrast = Contrast(pair.wanted, pair.against)
            self.row_opened.emit(OpenedRow(pair.text, head=head, contrast=contrast, other=pair.other))


def _columns(write_effect: Callable[[float], str]) -> list[Column]:
    """The pair in which the head does most comes first; counter-examples last."""

    def signed(
        title: str, name: str, is_bad: Callable[[PairEffect], bool], write: Callable[[float], str] = numbers.signed
    ) -> Column:
        """Numbers; those of rows that go the wrong way stand out."""
        value = attrgetter(name)
        return wrong_ones(title, lambda row: write(value(row)), is_bad, sort=value, is_strong=is_bad, is_number=True)

    return [
        Column(
            say("Text (point at it: the other one)"),
            lambda row: row.pair.text,
            lambda row: f"{row.pair.text}\n{row.pair.other}".strip(),
            is_widest=True,
        ),
        Column(say("Wanted / unwanted"), lambda row: f"{row.pair.wanted} / {row.pair.against}"),
        signed(say("Effect"), "effect", attrgetter("is_counter"), write_effect),
        *([signed(say("Preference"), "score", lambda row: row.score < 0)] if numbers.is_technical() else []),
    ]
