"""View "Grammar": for each relation of a treebank the head that finds it best, beside always guessing one distance."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtWidgets import QLayout

from ...compute.evidence_questions import grammar_of, looks_in_sentence
from ...figures.figure import joined
from ...figures.values import Side, Values, all_heads
from ...look import mark, numbers, say, theme
from ...state.what_if import head_name
from ...widgets.card import GAP_PX, Card, button
from ...widgets.charts.bars import BarList
from ...widgets.charts.cells import LabelledGrid
from ...widgets.controls import Choice
from ...widgets.folding_card import folding_on_projector
from ...widgets.layouts import hbox
from ..pictures import Bars, Cells
from .arcs import Arc, SentenceArcs
from .sentences import direction_arrow, grammar_finding, looks_text, relation_name
from .view import EvidenceView, OpenedRow, interval_bars

if TYPE_CHECKING:
    from bertcore.evidence.collection import Tree
    from bertcore.evidence.grammar import Grammar, RelationHead

    from ...state.readings import Reading
    from ...state.selection import Selection

PUNCTUATION = "punct"
GRID_PX, ABOVE_PX, ROW_PX = (600, 230), 48, 19
WORDS = range(5, 15)  # how many a sentence with arrows has
METHOD = mark("95% intervals, bootstrap by sentence, each relation for itself; on the half that was not chosen on")


class GrammarView(EvidenceView):
    """A click on a row chooses its relation, and the head there for all rooms."""

    needs, stays, call = "trees", ("relations", "best"), "about.grammar({0!r})"
    functions: ClassVar = {"grammar": grammar_of, "looks": looks_in_sentence}
    pictures = (
        Cells(
            key="relations",
            title=mark("Which head finds which relation?"),
            name=mark("Share of each relation that each head finds: rows are relations, columns are heads"),
            intro=mark(
                "Cell: how often the head looks from one word of the pair to the other; framed: the best head. Bar: "
                "how often it is right in other sentences (95% interval); ← the second word looks at the first. Yellow "
                "line: guessing a fixed distance; grey bar: not surely better."
            ),
            hovered=mark("{row}: head {column} finds {value}, all sentences together"),
            method=METHOD,
            python="found.best_shares.reshape(len(found.best), -1)",
            write=numbers.percent,
            number="relation_found",
            scale=mark("found"),
            scale_ends=numbers.percent,
            scale_below=True,
            chart=partial(LabelledGrid, scale=False, longest_px=190, largest_px=(60, 40)),
        ),
        Bars(
            key="best",
            saved_as="best_head",
            name=mark("What the best head of each relation finds on the other half"),
            number="relation_found",
            on="relations",
            chart=partial(BarList, clickable=True, label_share=0.3, stretch_to_px=60),
        ),
    )

    def lay_out_cards(self) -> QLayout:
        self.relation = ""  # that a person has chosen; empty: the first
        self._turned = 0  # how often another sentence was wanted
        directions = {None: say("Best of both directions"), "to its head": say("First word → second")}
        directions["to its dependent"] = say("First word ← second")
        self.direction = Choice(say("Who looks at whom"), directions, self.ask_again)
        self.cards["relations"].add_to_header(self.direction)
        grid, bars = self.charts["relations"], self.charts["best"]
        grid.hint_px = GRID_PX
        bars.row_beside = lambda row: grid.cell_rect(row, 0)
        self.columns["relations"].insertLayout(0, hbox((grid, 3), (bars, 2), gap_px=GAP_PX), 1)
        self.one, self.arcs = Card(say("Where the best heads look in one sentence")), SentenceArcs()
        for text, name, step in (("‹", say("Previous sentence"), -1), ("›", say("Next sentence"), 1)):
            turn = button(text, partial(self._turn, step), look="small", hint=name)
            turn.setAccessibleName(name)
            self.one.add_to_header(turn)
        self.one.add_to_header(button(say("Open in all rooms"), self._open_sentence, look="small"))
        self.one.body.addWidget(self.arcs, 1)
        one = folding_on_projector(self.one, self.one.title)
        return self.in_rows(({self.cards["relations"]: 1}, 4), ({one: 1}, 3))

    def arguments(self, asks: str, reading: Reading) -> tuple[Any, ...] | None:
        if asks == "grammar":
            return (self.direction.currentData(),)
        return None if self.sentence_number is None else (self.sentence_number,)

    @property
    def chosen(self) -> int:
        """The row of the relation that a person has chosen, else of the first that is one of words."""
        names = [] if self.found is None else [each.relation for each in self.found.best]
        wanted = self.relation if self.relation in names else next((each for each in names if each != PUNCTUATION), "")
        return names.index(wanted) if wanted else 0

    @property
    def sentence_number(self) -> int | None:
        """Of the sentence on show: one of the measured half that has the relation; None where there is none."""
        if self.found is None or not self.found.best:
            return None
        having = self.found.sentences[self.found.relations == self.found.best[self.chosen].relation]
        rows = np.intersect1d(having, self.found.measured).tolist()
        fitting = [at for at in rows if len(self.found.collection.rows[at].words) in WORDS]
        return fitting[self._turned % len(fitting)] if fitting else None

    def nothing(self, reading: Reading, selection: Selection) -> tuple[str, str] | None:
        if self.found is not None and not self.found.best:
            text = say("No relation occurs often enough on both halves of the sentences; choose a larger treebank.")
            return say("Too few sentences"), text
        return super().nothing(reading, selection)

    def values_of(self, key: str, found: Grammar) -> Values:
        best, shares = found.best, found.best_shares
        count, depth, width = shares.shape
        if key == "relations":
            rows = Side("class", [relation_name(each.relation) for each in best], axis_name="relation")
            self.charts[key].setMinimumHeight(theme.px(ABOVE_PX + ROW_PX * count))
            framed = [(row, each.layer * width + each.head) for row, each in enumerate(best)]
            array = shares.reshape(count, depth * width)
            of = all_heads(depth, width), 0, None, (), {"framed": framed}, self.how_many(key, found)
            return Values(array, rows, *of)
        labels = [f"{head_name(each.layer, each.head)} {direction_arrow(each)}" for each in best]
        return interval_bars(
            Side("class", labels, axis_name="best head"),
            best,
            value="share",
            tick=[each.distance_share for each in best],
            color=["bar_strong" if each.is_found else "faint" for each in best],
        )

    def clicked(self, key: str, row: int, column: int | None) -> None:
        best = self.found.best[row]
        self._turned = self._turned if best.relation == self.relation else 0
        self.relation = best.relation
        if column is None:
            self.head_clicked.emit(best.layer, best.head)
        self.redraw()

    def selected(self, key: str, side: Side, selection: Selection) -> int | None:
        return self.chosen if side.kind == "class" else super().selected(key, side, selection)

    def sentence(self, key: str, row: int, column: int | None) -> str:
        if column is not None:
            return super().sentence(key, row, column)
        return joined(grammar_finding(self.found.best[row]), looks_text(self.found.best[row]))

    def finding_in(self, found: Grammar) -> str:
        return grammar_finding(found.best[self.chosen]) if found.best else ""

    def how_many(self, key: str, found: Grammar) -> str:
        measured, all_ = len(found.measured), len(np.unique(found.sentences))
        text = mark("heads chosen on {chosen} sentences, measured on the other {measured}")
        return say(text, chosen=numbers.count(all_ - measured), measured=numbers.count(measured))

    # The sentence.

    def show_found(self, found: Grammar | None) -> None:
        number, looks = self.sentence_number, self.asked["looks"].answer
        sentence: Any = (), (), ()
        hint = ""
        if found is not None and number is not None and looks is not None:
            tree = found.collection.rows[number]
            arcs = arcs_of(tree, found.best, looks)
            right = sum(arc.is_right for arc in arcs)
            sentence = tree.words, tree.tags, arcs
            hint = say("{right} of {all} right; dashed: wrong", right=right, all=len(arcs))
        self.arcs.set_sentence(*sentence)
        self.one.set_hint(hint)

    def _turn(self, step: int) -> None:
        self._turned += step
        self.redraw()

    def _open_sentence(self) -> None:
        number = self.sentence_number
        if self.found is not None and number is not None:
            best, tree = self.found.best[self.chosen], self.found.collection.rows[number]
            at = tree.relations.index(best.relation)
            at = at if direction_arrow(best) == "→" else tree.heads[at]
            self.row_opened.emit(OpenedRow(tree.text, chosen=tree.spans[at], head=(best.layer, best.head)))


def arcs_of(tree: Tree, best: list[RelationHead], looks: np.ndarray) -> list[Arc]:
    """What the best head of each relation looks at in a sentence. looks (L,N,W)."""
    by_relation, arcs = {each.relation: each for each in best if each.relation != PUNCTUATION}, []
    for word, (head, relation) in enumerate(zip(tree.heads, tree.relations, strict=True)):
        found = by_relation.get(relation)
        if found is not None and head >= 0:
            start, right = (word, head) if direction_arrow(found) == "→" else (head, word)
            end = int(looks[found.layer, found.head, start])
            name, _, _ = relation_name(relation).partition(" – ")
            arcs.append(Arc(start, end, f"{name} {head_name(found.layer, found.head)}", end == right))
    return arcs
