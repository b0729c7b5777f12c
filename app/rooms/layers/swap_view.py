"""View "Swap in": one place of the text gets what the other text has there; how much of its answer comes back?

A click on a cell has all rooms show that pass: what is swapped in becomes part of what is changed inside the model.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtWidgets import QLayout, QSizePolicy

from ...compute.patching import MOST_S, SwapMap, places_first, swap_map
from ...compute.question import Job, Key
from ...figures.figure import Numbers
from ...figures.values import Side, Values, heads, stage_labels
from ...look import mark, numbers, say, theme
from ...state import OtherText, Reading, Selection, Swap, TokenView
from ...widgets.card import GAP_PX, Card, button, label, scrolled
from ...widgets.charts.cells import LabelledGrid
from ...widgets.controls import Choice
from ...widgets.folding_card import folding_on_projector
from ...widgets.layouts import hbox, held, show_if, vbox
from ...widgets.target_choice import TargetChoice
from ..pictures import Cells
from ..two_texts import TwoTextsView
from .swap_sentences import formula_sentence, head_sentence, path_sentence, score_text, scores_sentence, swap_sentence

if TYPE_CHECKING:
    from bertcore.analysis.interventions import PatchedPart


LEAST_WRITTEN = 0.005  # shares that round to nothing are not written into their cells
LINES = {"states": "places", "heads": "heads"}  # picture -> the question that it asks
PARTS: tuple[PatchedPart, ...] = ("state", "attention", "feed-forward")
PATCHED = "m.patch(a, b, {{view.compared_python}}, part={}, target={{view.targets.target.target!r}}).map"


class SwapResult(Card):
    """Beside the maps: the prediction asked about, its number in both texts, and with one place swapped in.

    What there is no map for yet is left out.
    """

    def __init__(self, choice: TargetChoice) -> None:
        super().__init__(say("What comes out"))
        self.setMinimumWidth(theme.column_px(300))
        self.choice = choice
        self.scores, self.path, self.cell = (label("", wrap=True) for _ in range(3))
        self.formula = label("", "muted", wrap=True)
        words = vbox(self.choice, self.scores, self.path, self.cell, self.formula, None)
        self.body.addWidget(scrolled(words), 1)


class SwapView(TwoTextsView):
    """The map of places, the map of heads below, and what comes out beside them."""

    what_it_shows = mark(
        "With another text you get a table of experiments, a row for each layer and a column for each token: in each, "
        "the numbers computed there come from the other text. Red squares move the answer to that of the other text."
    )
    pictures = (
        Cells(
            key="states",
            title=mark("Where is the difference?"),
            name=mark("Share of the difference that each place carries: rows are layers, columns are tokens"),
            intro=mark(
                "Each cell is one experiment: this token’s numbers after this layer come from the other text. Red: the"
                " answer moves to the other text’s (1: all the way; no colour: hardly). Click a cell to try it in all"
                " views."
            ),
            hovered=mark("{column}, {row}: carries {value} of the difference"),
            digits=3,
            number="swapped_share",
            python=PATCHED.format("{view.patched_part!r}") + "[:, {view.places}]",
            asks="places",
            is_compared=False,
            chart=partial(LabelledGrid, signed=True, tilted=True),
        ),
        Cells(
            key="heads",
            title=mark("Which heads make the difference?"),
            name=mark("Share of the difference that each head carries: rows are layers, columns are heads"),
            intro=mark("The same with the output of one head, at all tokens. Row: a layer. Column: a head."),
            hovered=mark("Layer {row}, head {column}: carries {value} of the difference"),
            digits=3,
            number="swapped_share",
            python=PATCHED.format('"head"'),
            asks="heads",
            is_compared=False,
            chart=partial(LabelledGrid, signed=True),
        ),
    )

    def lay_out_cards(self) -> QLayout:
        self.part, self.result = Choice(say("What to swap in")), SwapResult(self.choice)
        self.part.addItems([say("the whole hidden state"), say("what attention adds"), say("what feed-forward adds")])
        self.all_places = button(say("All tokens"), self._on_all_clicked, look="small")
        self.some = label("", "muted", wrap=True)
        self._some_line = held(hbox((self.some, 1), self.all_places, gap_px=8))
        self._some: tuple[Key, SwapMap] | None = None  # the map of some tokens, shown until that of all is there
        self._clicked: Swap | None = None
        self._jobs: dict[str, Job] = {}  # what was asked for last
        self._wants_all: Key = ()  # the two texts of which all places are wanted, however long that takes
        self._pinned: list[int] = []  # tokens of a long text that were clicked
        self.part.activated.connect(self.ask_again)
        states = self.cards["states"]
        states.add_to_header(self.part)
        self.lines = {asks: self.own_line(question) for asks, question in self.asked.items()}
        for key, grid in self.charts.items():
            grid.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)  # the shares below count
            self.cards[key].body.addWidget(self.lines[LINES[key]])
        states.body.addWidget(self._some_line)
        maps = vbox((states, 3), (self.cards["heads"], 2), gap_px=GAP_PX)
        return hbox((maps, 3), folding_on_projector(self.result, self.result.title), gap_px=GAP_PX)

    @property
    def patched_part(self) -> PatchedPart:
        """What is swapped in at each token."""
        return PARTS[self.part.currentIndex()]

    @property
    def places(self) -> list[int]:
        """The tokens that are on the map."""
        found = self.found("places")
        return [] if found is None else list(found.places)

    def found(self, asks: str) -> SwapMap | None:
        """The map on show: of places, of all tokens that are known."""
        some, answer = self._some, self.asked[asks].answer
        if asks == "places" and answer is None and some is not None and some[0] == self._about("places"):
            return some[1]
        return answer

    def _about(self, asks: str) -> Key:
        """What a map is of, whatever places it has: the texts, the target, the part."""
        job = self._jobs.get(asks)
        return () if job is None else (job.models, *job.arguments[:4])

    def other_pair(self) -> None:
        self._pinned, self._clicked = [], None

    def choose_targets(self, reading: Reading, selection: Selection) -> None:
        super().choose_targets(reading, selection)
        if not self.pair:
            self._jobs = {}
        if selection.pinned is not None and selection.pinned not in self._pinned:
            self._pinned.append(selection.pinned)

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        chosen, theirs = self.targets.target, reading.other_text
        if chosen is None or theirs is None:
            return None
        model, texts = reading.request.model, self.pair[1:]
        if asks == "heads":
            job = Job(swap_map, (*texts, chosen.target, "head", (), math.inf), (model,))
            is_known = asks in self._jobs and self._jobs[asks].key == job.key
            if not is_known and self.asked["places"].answer is None:
                return None  # only then it is known how long they take
        else:
            first, most_s = places_first(reading.plain, theirs, chosen.target, self._pinned), MOST_S
            if self._wants_all == self.pair:
                first, most_s = (), math.inf
            part, answer = self.patched_part, self.asked[asks].answer
            job = Job(swap_map, (*texts, chosen.target, part, first, most_s), (model,))
            last = self._jobs.get(asks)
            if last is not None and answer is not None and set(first) <= set(answer.places):
                same = (last.models, *last.arguments[:4], last.arguments[5])
                job = last if same == (job.models, *job.arguments[:4], most_s) else job
        self._jobs[asks] = job
        return job

    def time_needed(self, asks: str) -> str:
        found, reading = self.asked["places"].answer, self.reading
        takes_s = 0.0
        if asks == "heads" and found is not None and reading is not None:
            takes_s = found.seconds_for(reading.request.model.heads, "head")
        if reading is None or takes_s <= MOST_S:
            return ""
        count, time = numbers.count(len(reading.encoding)), numbers.duration(takes_s)
        return say("For a text of {count} tokens this map takes about {time}.", count=count, time=time)

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        found = self.found(LINES[key])
        if found is None:
            self.charts[key].clear()
            self.shown.pop(key, None)
            return None
        labels, count = stage_labels(len(found.patched) + 1), len(found.patched)
        first = 0 if found.part == "state" else 1  # only states have a row for the embeddings
        if found.part == "head":
            rows, columns = Side("layer", labels[1:]), heads(len(found.places))
        else:
            rows = Side("stage", labels[first : first + count], numbers=range(first, first + count))
            columns = self._tokens(reading, found)
        limit = max(1.0, float(np.abs(found.shares).max()))
        texts = [[numbers.decimal(v) if abs(v) >= LEAST_WRITTEN else "" for v in row] for row in found.shares.tolist()]
        return Values(found.shares, rows, columns, -limit, limit, texts)

    def _tokens(self, reading: Reading, found: SwapMap) -> Side:
        """This text's tokens, each alone, and what stands in their place in the other one: "man → woman"."""
        assert reading.other_text is not None
        units, theirs = (one.units(TokenView()) for one in (reading.plain, reading.other_text))
        pairs = [(units.labels[place], theirs.labels[place]) for place in found.places]
        labels = [our if our == their else f"{our} → {their}" for our, their in pairs]
        return Side("token", labels, [units.kinds[place] for place in found.places], found.places, units)

    def drawn(self, reading: Reading, selection: Selection) -> None:
        chosen, places, other = self.targets.target, self.found("places"), reading.other_text
        if places is not None and self.asked["places"].answer is not None:
            self._some = self._about("places"), places
        for key in self.shown:
            self.charts[key].setMinimumHeight(self.charts[key].minimumSizeHint().height())
        self._show_some(places, len(reading.encoding))
        if chosen is None or other is None:
            return
        found, result = self.found("heads"), self.result
        one = places or found
        show_if(one is not None, result.scores, result.path, result.cell, result.formula)
        if one is not None:
            ours, theirs = (f"{e.text_a} {e.text_b or ''}".strip() for e in (reading.plain.encoding, other.encoding))
            result.scores.setText(scores_sentence(chosen, one, (ours, theirs)))
            result.formula.setText(formula_sentence(chosen))
            path = "" if places is None else path_sentence(places, self._tokens(reading, places).labels)
            result.path.setText(f"{path} {'' if found is None else head_sentence(found)}".strip())
        text, (swap, cell) = "", self._framed()
        found = None if cell is None else self.found(cell[0])
        if swap is not None and cell is not None and found is not None:
            is_on = reading.request.what_if.swap is not None
            text = swap_sentence(chosen, swap, found, cell[2], is_on=is_on)
        self.result.cell.setText(text)

    def _show_some(self, places: SwapMap | None, length: int) -> None:
        """That a long text has not all of its tokens on the map, and how long they would take."""
        is_asked_for = self.asked["places"].answer is None  # the line below the map says how far that is
        self._some_line.setVisible(places is not None and not is_asked_for and len(places.places) < length)
        if places is not None:
            sentence = say(
                "The map shows {some} of {all} tokens: the one to predict, those that differ and those you "
                "clicked. All tokens would take about {time}.",
                some=numbers.count(len(places.places)),
                all=numbers.count(length),
                time=numbers.duration(places.seconds_for(length, places.part)),
            )
            self.some.setText(sentence)

    # The cell that is spoken of.

    def _framed(self) -> tuple[Swap | None, tuple[str, int, int] | None]:
        """What is swapped in, or was clicked, or tells most; and its place: what was asked, row, column."""
        reading, places = self.reading, self.found("places")
        if reading is None:
            return None, None
        swap = reading.request.what_if.swap or self._clicked
        swap = swap or (None if places is None else self._most_telling(reading, places))
        asks = "heads" if swap is not None and swap.part == "head" else "places"
        found = self.found(asks)
        if swap is None or found is None or found.part != swap.part or swap.place not in found.places:
            return swap, None
        return swap, (asks, swap.row, found.places.index(swap.place))

    def _most_telling(self, reading: Reading, places: SwapMap) -> Swap | None:
        """The highest share; of states behind the first layer and before the last, where neither end makes it 1."""
        first = 1 if places.part == "state" else 0
        between = places.shares[first : len(places.shares) - first]
        if not between.size:
            return None
        row, column = divmod(int(between.argmax()), between.shape[1])
        return self._swap(reading, places, row + first, column)

    def _swap(self, reading: Reading, found: SwapMap, row: int, column: int) -> Swap:
        """The cell of a map as a change inside the model."""
        chosen, on, place = reading.request.baseline, reading.request.what_if.swap, found.places[column]
        text = chosen if isinstance(chosen, OtherText) else on.text if on is not None else None
        assert text is not None and reading.other_text is not None
        labels = reading.other_text.units(TokenView()).labels
        return Swap(found.part, row, place, text, "" if found.part == "head" else labels[place])

    def selected(self, key: str, side: Side, selection: Selection) -> int | None:
        _, cell = self._framed()
        if cell is not None and cell[0] == LINES[key]:
            return cell[2] if side.kind in ("token", "head") else cell[1]
        return None if key == "states" else {"head": selection.head}.get(side.kind, selection.layer)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        if not self.shows_nothing:
            self._show_selected(selection)
            self.drawn(reading, selection)

    # What a person does.

    def clicked(self, key: str, row: int, column: int | None) -> None:
        """All rooms show the pass of this cell; again what was there before where they show it already."""
        found, reading = self.found(LINES[key]), self.reading
        if found is not None and column is not None and reading is not None and reading.other_text is not None:
            swap = self._clicked = self._swap(reading, found, row, column)
            self.what_if_edited.emit(lambda what_if: what_if.with_swap(None if what_if.swap == swap else swap))
            self.show_selection(reading, self.selection)

    def ask_again(self) -> None:
        self._clicked = None
        super().ask_again()

    def _on_all_clicked(self) -> None:
        self._wants_all = self.pair
        self.ask_again()

    # What is saved.

    def numbers(self, key: str) -> dict[str, Numbers]:
        found, axes = self.found(LINES[key]), self.shown[key].axes
        return {} if found is None else {"share": Numbers(found.shares, axes), "target": Numbers(found.patched, axes)}

    def caption(self, key: str) -> dict[str, Any]:
        found, chosen = self.found(LINES[key]), self.targets.target
        if found is None or chosen is None:
            return {}
        scores = say(
            "{prediction}: this text {ours}, the other text {theirs}",
            prediction=chosen.label,
            ours=score_text(chosen, found.text),
            theirs=score_text(chosen, found.other),
        )
        return {"hint": scores, "settings": scores, "plain": True, "by_token": True}
