"""View "Grammar": for each relation of a treebank the head that finds it best, beside always guessing one distance."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtWidgets import QLayout, QWidget

from ...compute.evidence import FoundGrammar, grammar_of, looks_in_sentence
from ...figures.figure import Axis, Numbers
from ...figures.values import Side, Values
from ...look import numbers, theme
from ...look.say import mark, say
from ...state.what_if import head_name
from ...widgets.card import GAP_PX, Card, button, label, scrolled
from ...widgets.charts.bars import BarList
from ...widgets.charts.cells import LabelledGrid
from ...widgets.folding_card import folding_on_projector
from ...widgets.layouts import fill, hbox, vbox
from ..pictures import Bars, Cells
from .arcs import Arc, SentenceArcs
from .sentences import about_relation, direction_arrow, grammar_finding, relation_name
from .view import EvidenceView, OpenedRow

if TYPE_CHECKING:
    from bertcore.evidence.collection import Tree
    from bertcore.evidence.grammar import RelationHead

    from ...state.readings import Reading
    from ...state.selection import Selection

FEWEST_WORDS, MOST_WORDS = 5, 14  # of a sentence with arrows
SIDE_PX = 270


class GrammarView(EvidenceView):
    """A click on a row chooses its relation, and the head there for all rooms."""

    needs = "trees"
    asks: ClassVar = {"looks": False}  # of the sentence on show
    pictures = (
        Cells(
            key="relations",
            title=mark("Which head finds which relation?"),
            name=mark("Share of each relation that each head finds: rows are relations, columns are heads"),
            intro=mark(
                "Each cell: how often that head looks most at the right word. Frame: the best on one half of the "
                "sentences. Bar: how it did on the other half, with its interval. Orange line: always guessing the "
                "same distance. Grey: no better."
            ),
            number="relation_found",
            asks="grammar",
            is_compared=False,
            scale=mark("found"),
            scale_ends=numbers.percent,
            scale_below=True,
            chart=partial(LabelledGrid, scale=False, longest_px=190, largest_px=(60, 40)),
        ),
        Bars(
            key="best",
            name=mark("What the best head of each relation finds on the other half"),
            number="relation_found",
            saved_as="best_head",
            asks="grammar",
            is_compared=False,
            on="relations",
            chart=partial(BarList, clickable=True, label_share=0.3, stretch_to_px=60),
        ),
    )

    def lay_out_cards(self) -> QLayout:
        self.relation = ""  # that a person has chosen; empty: the first
        self._number = 0  # of the sentence on show, among those that have the relation
        grid, bars, card = self.charts["relations"], self.charts["best"], self.cards["relations"]
        bars.row_beside = lambda row: grid.cell_rect(row, 0)
        self.columns["relations"].insertLayout(0, hbox((grid, 3), (bars, 2), gap_px=GAP_PX), 1)
        self.one, self.arcs = Card(say("One sentence of the other half")), SentenceArcs()
        previous = button("‹", lambda: self._turn(-1), look="small", hint=say("Previous sentence"))
        following = button("›", lambda: self._turn(1), look="small", hint=say("Next sentence"))
        for made, name in ((previous, say("Previous sentence")), (following, say("Next sentence"))):
            made.setAccessibleName(name)
        for made in (previous, following, button(say("Open in all rooms"), self._open_sentence, look="small")):
            self.one.add_to_header(made)
        self.one.body.addWidget(self.arcs, 1)
        self.about, self.facts, self.rest = Card(), label("", wrap=True), label("", "muted", wrap=True)
        self.show_head = button("", partial(self.room_requested.emit, "attend", "matrix"), look="small")
        inside = QWidget()
        vbox(self.facts, self.rest, None, parent=inside, gap_px=8)
        fill(self.about.body, (scrolled(inside), 1), self.show_head)
        if theme.is_projector():
            folded = (folding_on_projector(each, each.title) for each in (self.one, self.about))
            return hbox((card, 1), *folded, gap_px=GAP_PX)
        self.about.setFixedWidth(theme.column_px(SIDE_PX))
        return vbox((card, 3), (hbox((self.one, 1), self.about, gap_px=GAP_PX), 2), gap_px=GAP_PX)

    def missing(self, reading: Reading) -> str:
        return ""  # every model has heads

    def question(
        self, asks: str, reading: Reading, selection: Selection
    ) -> tuple[Callable[..., Any], tuple[Any, ...]] | None:
        if asks == "grammar":
            return grammar_of, ()
        number = self.sentence_number
        return None if number is None else (looks_in_sentence, (number,))

    def draw_answer(self, asks: str) -> None:
        self.redraw()

    @property
    def found(self) -> FoundGrammar | None:
        """The answer on show."""
        answer: FoundGrammar | None = self.asked["grammar"].answer
        return answer

    @property
    def chosen_row(self) -> int:
        """Of the relation that was chosen, else the first that is one of words."""
        found = self.found
        names = [] if found is None else [each.relation for each in found.best]
        chosen = self.relation if self.relation in names else next((each for each in names if each != "punct"), "")
        return names.index(chosen) if chosen else 0

    @property
    def sentence_number(self) -> int | None:
        """Of the sentence on show: one of the measured half that has the relation; None where there is none."""
        found = self.found
        if found is None or not found.best:
            return None
        grammar = found.grammar
        having = grammar.sentences[grammar.relations == found.best[self.chosen_row].relation]
        rows = grammar.collection.rows
        numbers_ = [
            number
            for number in np.intersect1d(having, found.measured).tolist()
            if FEWEST_WORDS <= len(rows[number].words) <= MOST_WORDS
        ]
        return numbers_[self._number % len(numbers_)] if numbers_ else None

    def nothing(self, reading: Reading, selection: Selection) -> tuple[str, str] | None:
        reason, found = super().nothing(reading, selection), self.found
        if reason is None and found is not None and not found.best:
            text = say("No relation occurs often enough on both halves of the sentences; choose a larger treebank.")
            return say("Too few sentences"), text
        return reason

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        found = self.found
        if found is None:
            self.cleared(key)
            return None
        best, (count, depth, width) = found.best, found.shares.shape
        if key == "relations":
            columns = Side("part", [str(head + 1) for _ in range(depth) for head in range(width)], axis_name="head")
            rows = Side("class", [relation_name(each.relation) for each in best], axis_name="relation")
            framed = [(row, each.layer * width + each.head) for row, each in enumerate(best)]
            groups = [say("layer {layer}", layer=layer + 1) for layer in range(depth)]
            measured = len(found.measured)
            hint = say(
                "heads chosen on {chosen} sentences, measured on the other {measured}",
                chosen=numbers.count(len(np.unique(found.grammar.sentences)) - measured),
                measured=numbers.count(measured),
            )
            array = found.shares.reshape(count, depth * width)
            return Values(array, rows, columns, 0, detail={"framed": framed, "groups": groups}, hint=hint)
        labels = [f"{head_name(each.layer, each.head)} {direction_arrow(each)}" for each in best]
        detail = {
            "low": [each.low for each in best],
            "high": [each.high for each in best],
            "tick": [each.distance_share for each in best],
            "color": ["bar_strong" if each.is_found else "faint" for each in best],
        }
        texts = [[numbers.percent(each.share)] for each in best]
        shares = np.array([each.share for each in best])
        return Values(shares, Side("class", labels, axis_name="best head"), high=1.0, texts=texts, detail=detail)

    def clicked(self, key: str, row: int, column: int | None) -> None:
        found = self.found
        if found is None:
            return
        chosen = found.best[row]
        if chosen.relation != self.relation:
            self.relation, self._number = chosen.relation, 0
        head = (chosen.layer, chosen.head) if column is None else divmod(column, found.shares.shape[2])
        self.head_clicked.emit(*head)
        self.pause_ms = 0
        self.redraw()

    def selected(self, key: str, side: Side, selection: Selection) -> int | None:
        if side.kind == "class":
            return self.chosen_row
        found = self.found
        return None if found is None else side.place_of(selection.layer * found.shares.shape[2] + selection.head)

    def sentence(self, key: str, row: int, column: int | None) -> str:
        found = self.found
        if found is None:
            return ""
        best = found.best[row]
        if column is None:
            return grammar_finding(best)
        layer, head = divmod(column, found.shares.shape[2])
        return say(
            "{relation} ({label}): head {head} finds {share}, all sentences together",
            relation=relation_name(best.relation),
            label=best.relation,
            head=head_name(layer, head),
            share=numbers.percent(float(found.shares[row, layer, head])),
        )

    def finding_of(self, reading: Reading, selection: Selection) -> str:
        found = self.found
        return "" if found is None or not found.best else grammar_finding(found.best[self.chosen_row])

    def how_many(self, key: str) -> str:
        found = self.found
        return "" if found is None else say("measured on %Ln sentence(s)", n=len(found.measured))

    def numbers(self, key: str) -> dict[str, Numbers]:
        found, arrays = self.found, super().numbers(key)
        if found is None:
            return arrays
        relations = Axis("relation", [each.relation for each in found.best])
        if key == "relations":
            _, depth, width = found.shares.shape
            heads = Axis("head", [head_name(layer, head) for layer in range(depth) for head in range(width)])
            return {"found": Numbers(self.shown[key].array, (relations, heads))}
        names = ("layer", "head", "share", "low", "high", "count", "distance", "distance_share", "gain")
        values = np.array([[float(getattr(each, name)) for name in names] for each in found.best])
        values[:, :2] += 1  # as on the screen
        return {"best_head": Numbers(values, (relations, Axis("measure", names)))}

    # The sentence, and the relation.

    def drawn(self, reading: Reading, selection: Selection) -> None:
        super().drawn(reading, selection)
        found, number = self.found, self.sentence_number
        for card in (self.one, self.about):
            card.setEnabled(found is not None)
        if found is None or not found.best:
            self.arcs.set_sentence((), (), ())
            self.facts.setText("")
            return
        best = found.best[self.chosen_row]
        self.about.set_title(relation_name(best.relation))
        self.about.set_hint(say("in the treebank: {label}", label=best.relation))
        self.facts.setText(about_relation(best))
        clear = sum(each.is_found for each in found.best)
        rest = say("%Ln relation(s) (has|have) a head that beats the best fixed distance", n=clear)
        self.rest.setText(say("{relations}, of {all} that are common enough.", relations=rest, all=len(found.best)))
        self.show_head.setText(say("Show head {head} in Attend", head=head_name(best.layer, best.head)))
        looks = self.asked["looks"].answer
        if number is not None and looks is not None:
            tree: Tree = found.grammar.collection.rows[number]
            arcs = arcs_of(tree, found.best, looks)
            self.arcs.set_sentence(tree.words, tree.tags, arcs)
            right = sum(arc.is_right for arc in arcs)
            hint = say("right in {right} of {all}; dashed: wrong", right=right, all=len(arcs))
            self.one.set_hint(hint)

    def _turn(self, step: int) -> None:
        self._number += step
        self.pause_ms = 0
        self.redraw("best")

    def _open_sentence(self) -> None:
        found, number = self.found, self.sentence_number
        if found is not None and number is not None:
            best, tree = found.best[self.chosen_row], found.grammar.collection.rows[number]
            at = tree.relations.index(best.relation)
            at = at if direction_arrow(best) == "→" else tree.heads[at]
            self.row_opened.emit(OpenedRow(tree.text, chosen=place_of(tree, at), head=(best.layer, best.head)))


def arcs_of(tree: Tree, best: list[RelationHead], looks: np.ndarray) -> list[Arc]:
    """What the best head of each relation looks at in a sentence. looks (L,N,W)."""
    by_relation, arcs = {each.relation: each for each in best}, []
    for word, (head, relation) in enumerate(zip(tree.heads, tree.relations, strict=True)):
        found = by_relation.get(relation)
        if found is not None and head >= 0:
            start, right = (word, head) if direction_arrow(found) == "→" else (head, word)
            end = int(looks[found.layer, found.head, start])
            arcs.append(Arc(start, end, f"{relation} {head_name(found.layer, found.head)}", end == right))
    return arcs


def place_of(tree: Tree, word: int) -> tuple[int, int]:
    """Where a word stands in the text: characters."""
    begin = sum(len(one) + (not joined) for one, joined in zip(tree.words[:word], tree.is_joined, strict=False))
    return begin, begin + len(tree.words[word])
