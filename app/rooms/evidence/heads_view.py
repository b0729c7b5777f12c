"""View "Heads": what each head does over many pairs, those that do most, who looks and who acts, and every pair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtWidgets import QHeaderView, QLayout, QWidget

from ...compute.evidence import heads_of
from ...figures.figure import Numbers
from ...figures.values import Side, Values, heads, layers
from ...look import numbers, theme
from ...look.say import mark, say
from ...state.selection import Contrast
from ...state.what_if import head_name
from ...widgets.card import GAP_PX, Card, button, scrolled
from ...widgets.charts.bars import BarList
from ...widgets.charts.cells import LabelledGrid
from ...widgets.controls import Choice
from ...widgets.folding_card import folding_on_projector
from ...widgets.layouts import hbox, vbox
from ...widgets.scatter import Scatter
from ...widgets.table import ROW, Column, Table
from ..pictures import Bars, Cells, Dots
from .sentences import MEASURES, head_text, heads_finding, pairs_text
from .view import EvidenceView, OpenedRow

if TYPE_CHECKING:
    from bertcore.evidence.collection import Pair
    from bertcore.evidence.heads import HeadEvidence, HeadMeasure

    from ...state.model_info import ModelInfo
    from ...state.readings import Reading
    from ...state.selection import Selection

LARGEST = 10
LEAST_WRITTEN = 0.005  # what rounds to nothing is not written into its cell


@dataclass(frozen=True)
class PairRow:
    """One pair, and what the chosen head does in it."""

    pair: Pair
    effect: float
    score: float  # ln p(wanted) - ln p(unwanted)
    is_counter: bool  # the effect has the other sign than on average


class HeadsView(EvidenceView):
    """The chosen head of all rooms is the one whose pairs are listed."""

    needs = "pairs"
    pictures = (
        Cells(
            key="grid",
            title=mark("What each head does"),
            name=mark("Mean effect of each head: rows are layers, columns are heads"),
            number="mean_effect",
            asks="effect",
            is_compared=False,
            axis_names=(mark("layer"), mark("head")),
            chart=LabelledGrid,
            width=3,
        ),
        Bars(
            key="largest",
            title=mark("The ten largest"),
            name=mark("The ten heads with the largest mean effect, with their intervals"),
            intro=mark("Bar: the mean. Line: its 95% interval, for all heads at once. Grey: the interval includes 0."),
            number="mean_effect",
            asks="effect",
            is_compared=False,
            chart=partial(BarList, clickable=True, stretch_to_px=34),
            width=2,
            folds=True,
        ),
        Dots(
            key="both",
            title=mark("Who looks, and who acts?"),
            name=mark("Heads by their attention to the word that differs, and by their effect"),
            intro=mark(
                "Right: looks at the word that differs. Up or down: changes the answer. Often not the same heads."
            ),
            saved_as="attention_and_effect",
            asks="attention",
            is_compared=False,
            chart=partial(Scatter, axis_names=(mark("attention to the word that differs"), mark("effect"))),
            width=2,
            folds=True,
        ),
    )

    def lay_out_cards(self) -> QLayout:
        self.measure = Choice(say("What is done with each head"))
        for key, (title, _, _) in MEASURES.items():
            self.measure.addItem(say(title), key)
        self.measure.activated.connect(self._on_measure_chosen)
        self.cards["grid"].add_to_header(self.measure)
        self.pairs_card, self.table = Card(say("The pairs")), PairTable()
        self.open = button(say("Open in all rooms"), self._open_current, look="small")
        self.open.setToolTip(say("All rooms show the selected pair and this head (double-click)"))
        self.show_head = button(say("Show the head in Attend"), self._show_head, look="small")
        for made in (self.show_head, self.open):
            self.pairs_card.add_to_header(made)
        self.pairs_card.body.addWidget(self.table, 1)
        self.table.row_opened.connect(self._open_row)
        if theme.is_projector():
            table = folding_on_projector(self.pairs_card, self.pairs_card.title)
            return hbox((self.cards["grid"], 1), self.folded("largest"), self.folded("both"), table, gap_px=GAP_PX)
        above = hbox((self.cards["grid"], 3), (self.cards["largest"], 2), gap_px=GAP_PX)
        below = hbox((self.cards["both"], 2), (self.pairs_card, 3), gap_px=GAP_PX)
        inside = QWidget()
        vbox((above, 3), (below, 2), parent=inside, gap_px=GAP_PX)
        return vbox((scrolled(inside), 1))

    @property
    def chosen(self) -> HeadMeasure:
        measure: HeadMeasure = self.measure.currentData()
        return measure

    def question(
        self, asks: str, reading: Reading, selection: Selection
    ) -> tuple[Callable[..., Any], tuple[Any, ...]] | None:
        if asks == "attention":
            is_known = self.asked["effect"].answer is not None  # what a person waits for comes first
            return (heads_of, ("attention",)) if is_known and self.chosen != "attention" else None
        return heads_of, (self.chosen,)

    def passes(self, asks: str, model: ModelInfo) -> float:
        by_measure = {"attention": 2.0, "gradient": 3.0}
        is_attention = asks == "attention"
        return by_measure.get("attention" if is_attention else self.chosen, 2 + model.layers * model.heads / 2)

    def draw_answer(self, asks: str) -> None:
        self.redraw()

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        found: HeadEvidence | None = self.answer_of("effect", reading)
        if found is None:
            self.cleared(key)
            return None
        means, measure = found.means, found.measure
        count, width = means.value.shape
        limit = float(np.abs(means.value).max()) or 1.0
        if key == "grid":
            texts = [
                [numbers.decimal(v) if abs(v) >= LEAST_WRITTEN else "" for v in row] for row in means.value.tolist()
            ]
            low, hint = (0.0 if measure == "attention" else -limit), say("%Ln pair(s)", n=len(found.pairs))
            marks = {"hatched": ~means.is_clear if measure != "attention" else None}
            of = layers(count), heads(width), low, limit, texts, marks
            return Values(means.value, *of, hint, say(MEASURES[measure][1]))
        names = [head_name(layer, head) for layer in range(count) for head in range(width)]
        if key == "both":
            attention: HeadEvidence | None = self.answer_of("attention", reading)
            self.cards["both"].setVisible(measure != "attention")
            if attention is None:
                self.cleared(key)
                return None
            places = np.stack([attention.means.value.ravel(), means.value.ravel()], axis=1)  # (L*N,2)
            colors = ["accent" if clear else "faint" for clear in means.is_clear.ravel().tolist()]
            columns = Side("none", ("attention", "effect"), axis_name="measure")
            return Values(places, Side("part", names, colors, axis_name="head"), columns)
        order = [layer * width + head for layer, head in found.order()[:LARGEST]]
        value, low_, high_, clear = (getattr(means, one).ravel()[order] for one in ("value", "low", "high", "is_clear"))
        texts = [[numbers.decimal(one)] for one in value.tolist()]
        colors = ["bar_strong" if one else "faint" for one in clear.tolist()]
        detail = {"low": low_.tolist(), "high": high_.tolist(), "color": colors}
        side = Side("part", [names[at] for at in order], numbers=order, axis_name="head")
        most = float(np.nanmax(high_[np.isfinite(high_)], initial=limit))
        return Values(value, side, high=most, texts=texts, detail=detail)

    def _head(self, key: str, row: int, column: int | None) -> tuple[int, int]:
        """Layer and head of a place in a picture."""
        if column is not None and key == "grid":
            return row, column
        shown: HeadEvidence = self.asked["effect"].answer  # type: ignore[assignment]
        layer, head = divmod(self.shown[key].rows.number(row), shown.values.shape[2])
        return layer, head

    def clicked(self, key: str, row: int, column: int | None) -> None:
        if key != "grid":
            self.head_clicked.emit(*self._head(key, row, column))

    def selected(self, key: str, side: Side, selection: Selection) -> int | None:
        if side.kind == "part" and self.reading is not None:
            return side.place_of(selection.layer * self.reading.request.model.heads + selection.head)
        return super().selected(key, side, selection)

    def sentence(self, key: str, row: int, column: int | None) -> str:
        found: HeadEvidence | None = self.asked["effect"].answer
        if found is None:
            return ""
        text = head_text(found, *self._head(key, row, column))
        return say("{text}; interval for all heads at once, {count} pairs", text=text, count=len(found.pairs))

    def finding_of(self, reading: Reading, selection: Selection) -> str:
        found: HeadEvidence | None = self.answer_of("effect", reading)
        return "" if found is None else heads_finding(found)

    def how_many(self, key: str) -> str:
        found: HeadEvidence | None = self.asked["effect"].answer
        return "" if found is None else say("%Ln pair(s)", n=len(found.pairs))

    def numbers(self, key: str) -> dict[str, Numbers]:
        found, arrays = self.asked["effect"].answer, super().numbers(key)
        if found is not None and key == "grid":
            ends = {"interval_low": found.means.low, "interval_high": found.means.high}
            arrays |= {name: Numbers(values, self.shown[key].axes) for name, values in ends.items()}
        return arrays

    # The pairs.

    def drawn(self, reading: Reading, selection: Selection) -> None:
        super().drawn(reading, selection)
        found: HeadEvidence | None = self.answer_of("effect", reading)
        self.pairs_card.setEnabled(found is not None)
        if found is None:
            self.table.things.set_rows([])
            return
        layer, head = min(selection.layer, found.values.shape[1] - 1), min(selection.head, found.values.shape[2] - 1)
        effects, mean = found.values[:, layer, head], found.means.value[layer, head]
        rows = [
            PairRow(found.pairs[at], float(effects[at]), float(found.score[at]), bool(effects[at] * mean < 0))
            for at in np.argsort(-effects * np.sign(mean or 1), kind="stable").tolist()
        ]
        self.table.show_pairs(rows)
        self.pairs_card.set_hint(pairs_text(found, layer, head))

    def _on_measure_chosen(self) -> None:
        self.pause_ms = 0
        self.redraw()

    def _open_current(self) -> None:
        row = self.table.currentIndex().data(ROW)
        rows = self.table.shown
        if row is not None or rows:
            self._open_row(row or rows[0])

    def _open_row(self, row: PairRow) -> None:
        pair, head = row.pair, (self.selection.layer, self.selection.head)
        contrast = Contrast(pair.wanted, pair.against)
        self.row_opened.emit(OpenedRow(pair.text, head=head, contrast=contrast, other=pair.other))

    def _show_head(self) -> None:
        self.room_requested.emit("attend", "matrix")


class PairTable(Table):
    """The pair in which the head does most comes first; counter-examples last."""

    def __init__(self) -> None:
        super().__init__(say("The pairs, and what the head does in each"))
        self._rows: list[PairRow] = []

    def show_pairs(self, rows: list[PairRow]) -> None:
        """A person's place in the table stays while nothing is another."""
        if rows == self._rows:
            return
        self._rows = rows
        columns = [
            Column(
                say("Text"), lambda row: row.pair.text, tip=lambda row: f"{row.pair.text}\n{row.pair.other}".strip()
            ),
            Column(say("Wanted / unwanted"), lambda row: f"{row.pair.wanted} / {row.pair.against}"),
            Column(
                say("Effect"),
                lambda row: numbers.decimal(row.effect),
                tip=lambda row: say("counter-example") if row.is_counter else "",
                color=lambda row: "bad_text" if row.is_counter else "",
                sort=lambda row: row.effect,
                is_strong=lambda row: row.is_counter,
                is_number=True,
            ),
            Column(
                say("ln p wanted − unwanted"),
                lambda row: numbers.signed(row.score),
                color=lambda row: "bad_text" if row.score < 0 else "",
                sort=lambda row: row.score,
                is_number=True,
            ),
        ]
        self.set_rows(rows, columns)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
