"""View "Swap in": one place of the text gets what the other text has there; how much of its answer comes back?

A click on a cell has all rooms show that pass: what is swapped in becomes part of what is changed inside the model.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from bertcore.errors import BertcoreError

from ...compute.head_questions import mask_at, own_target, why_no_target
from ...compute.patching import MOST_S, SwapMap, places_first, swap_map, swap_targets
from ...figures.figure import Axis, Figure, Numbers
from ...figures.values import stage_labels, stage_name
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import say
from ...state.baseline import OtherText
from ...state.contrast import NO_CONTRAST
from ...state.token_units import TokenView
from ...state.what_if import Swap
from ...widgets.card import GAP_PX, Card, button, label
from ...widgets.charts.cells import LabelledGrid, Labels
from ...widgets.controls import Choice
from ...widgets.folding_card import folded_on_projector
from ...widgets.layouts import hbox, vbox
from ...widgets.progress_line import ProgressLine
from .stages import LayersView
from .swap_result import SwapResult

if TYPE_CHECKING:
    from bertcore.analysis.interventions import PatchedPart

    from ...compute.head_questions import HeadTarget
    from ...compute.question import Key, Question
    from ...state.contrast import Contrast
    from ...state.model_info import ModelInfo
    from ...state.readings import ModelInput, Reading
    from ...state.selection import Selection

LEAST_WRITTEN = 0.005  # shares that round to nothing are not written into their cells
PARTS: tuple[PatchedPart, ...] = ("state", "attention", "feed-forward")


class SwapView(LayersView):
    """The map of places, the map of heads below, and what comes out beside them."""

    def __init__(self) -> None:
        super().__init__()
        self.part = Choice(say("What to swap in"))
        self.part.addItems([say("the whole hidden state"), say("what attention adds"), say("what feed-forward adds")])
        self.states = LabelledGrid(
            say("Share of the difference that each place carries: rows are layers, columns are tokens"),
            signed=True,
            tilted=True,
        )
        self.heads = LabelledGrid(
            say("Share of the difference that each head carries: rows are layers, columns are heads"), signed=True
        )
        self.states_card = Card(
            say("Where is the difference?"),
            intro=say(
                "Each cell is one experiment: this token’s numbers after this layer come from the other text. Red: the"
                " answer moves to the other text’s (1: all the way; no colour: hardly). Click a cell to try it in all"
                " views."
            ),
        )
        self.heads_card = Card(
            say("Which heads make the difference?"),
            intro=say("The same with the output of one head, at all tokens. Row: a layer. Column: a head."),
        )
        self.result = SwapResult()
        self.some = label("", "muted", wrap=True)
        self.all_places = button(say("All tokens"), self._on_all_clicked, look="small")
        self._some_line = QWidget()
        hbox((self.some, 1), self.all_places, parent=self._some_line, gap_px=8)
        self.places_line, self.heads_line = ProgressLine(), ProgressLine()
        self.place_map: Question[SwapMap] = self.add_question(self._on_places_answered, self.places_line)
        self.head_map: Question[SwapMap] = self.add_question(self._on_heads_answered, self.heads_line)
        self._some: tuple[Key, SwapMap] | None = None  # the map of some tokens, shown until that of all is there
        self._clicked: Swap | None = None
        self._pair: Key = ()  # the two texts on show
        self._asked: Key = ()  # what the map of places is of, and the time for it
        self._ask_heads: Callable[[SwapMap], None] | None = None  # once the places are known
        self._wants_all: Key = ()  # the two texts of which all places are wanted, however long that takes
        self._pinned: list[int] = []  # tokens of a long text that were clicked
        self._build()

    def _build(self) -> None:
        self.states_card.add_to_header(self.part)
        for card, grid, figure, line in (
            (self.states_card, self.states, self._states_figure, self.places_line),
            (self.heads_card, self.heads, self._heads_figure, self.heads_line),
        ):
            explain("swapped_share", grid)
            card.set_figure(figure)
            card.body.addWidget(grid, 1)
            card.body.addWidget(line)
        self.states_card.body.addWidget(self._some_line)
        maps = QWidget()
        vbox((self.states_card, 3), (self.heads_card, 2), parent=maps, gap_px=GAP_PX)
        for grid in (self.states, self.heads):  # the shares above count, not what each would like best
            grid.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        content = QWidget()
        hbox((maps, 3), folded_on_projector(self.result, self.result.title), parent=content, gap_px=GAP_PX)
        self.result.setMinimumWidth(theme.column_px(300))
        self._nothing = Card()
        self.nothing_title, self.nothing_text = label("", "title", wrap=True), label("", "muted", wrap=True)
        self.try_it = self.offer_of_texts()
        self._nothing.fill_with_message(self.nothing_title, self.nothing_text, self.try_it)
        self._pages = QStackedWidget()
        self._content = content
        for page in (content, self._nothing):
            self._pages.addWidget(page)
        vbox(self._pages, parent=self)
        self.part.activated.connect(self._ask_again)
        self.result.target.activated.connect(self._on_target_activated)
        self.result.fields.edited.connect(self.contrast_edited)
        self.states.clicked.connect(self._on_states_clicked)
        self.states.hovered.connect(self._on_states_hovered)
        self.heads.clicked.connect(self._on_heads_clicked)
        self.heads.hovered.connect(self._on_heads_hovered)
        self.add_token_menu(self.states, lambda cell: self._position(cell[1]))

    @property
    def chosen(self) -> HeadTarget | None:
        """What is asked about."""
        return self.result.chosen

    @property
    def places(self) -> SwapMap | None:
        """The map of places on show: of all tokens that are known."""
        some = self._some
        is_of_it = some is not None and some[0] == self._asked[:-1]
        return self.place_map.answer or (some[1] if some is not None and is_of_it else None)

    @property
    def is_running(self) -> bool:
        return self.place_map.is_running or self.head_map.is_running

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        ours, theirs = reading.plain, reading.other_text
        if theirs is None:
            self._show_nothing(
                say("Two texts that differ in one word"),
                say(
                    "“Compare” at the top takes another text (Ctrl+Alt+A): one of the same length that gets a "
                    "different answer. Then you see in which layer, at which token and in which head the "
                    "answer is decided."
                ),
            )
            return
        targets = swap_targets(ours, theirs, selection.position)
        if not targets:
            self._show_nothing(
                say("No prediction to explain"),
                why_no_target(reading),
            )
            return
        if len(ours.encoding) != len(theirs.encoding):
            self._show_nothing(
                say("The texts differ in length"),
                say(
                    "This text has {ours} tokens, the other one {theirs}. Each place is swapped with the same place of "
                    "the other text, so both need the same number of tokens.",
                    ours=numbers.count(len(ours.encoding)),
                    theirs=numbers.count(len(theirs.encoding)),
                ),
            )
            return
        self._pages.setCurrentWidget(self._content)
        pair = _pair(ours, theirs)
        self._set_targets(targets, pair, selection.contrast)
        self._ask(ours, theirs, selection)
        self._draw()

    def _set_targets(
        self, targets: list[HeadTarget], pair: tuple[ModelInfo, ModelInput, ModelInput], contrast: Contrast
    ) -> None:
        """With the words that were typed for the mask that is asked about."""
        assert self.reading is not None
        ours, theirs = self.reading.plain, self.reading.other_text
        chosen, own, problem = self.chosen, None, ""
        about = chosen if chosen is not None and pair == self._pair else targets[0]
        try:
            own = own_target(ours, about.target.position, contrast, theirs)
        except BertcoreError as error:
            problem = str(error)
        self.result.set_targets(targets, own=own, is_same_pair=pair == self._pair)
        first = next((one for one in targets if one.target.head == "mlm"), None)
        self.result.fields.setVisible(first is not None)
        if first is not None:
            guess = mask_at(theirs or ours, first.target.position)
            alone = "" if guess is None else guess.words[0].token
            self.result.fields.show_contrast(contrast, first.answers if first.is_contrast else (alone, ""), problem)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        self._show_frames()

    def leave(self) -> None:
        super().leave()
        self._ask_heads = None

    def _ask(self, ours: Reading, theirs: Reading, selection: Selection) -> None:
        chosen = self.chosen
        assert chosen is not None
        target, part, pair = chosen.target, PARTS[self.part.currentIndex()], _pair(ours, theirs)
        if pair != self._pair:
            self._pair, self._pinned, self._clicked = pair, [], None
        if selection.pinned is not None and selection.pinned not in self._pinned:
            self._pinned.append(selection.pinned)
        first, most_s = places_first(ours, theirs, target, self._pinned), MOST_S
        if self._wants_all == pair:
            first, most_s = (), math.inf
        model, text, other = pair
        about = (*pair, target)
        if about != self._asked[:-2]:
            self.head_map.clear()

        def ask_heads(found: SwapMap) -> None:
            takes_s = found.seconds_for(model.heads, "head")
            offer = say(
                "For a text of {count} tokens this map takes about {time}.",
                count=numbers.count(len(text.input_ids)),
                time=numbers.duration(takes_s),
            )
            offer = offer if takes_s > MOST_S else ""
            self.head_map.ask_model(model, swap_map, text, other, target, "head", (), math.inf, pause_ms=0, offer=offer)

        answer, before = self.place_map.answer, self._asked
        self._ask_heads, self._asked = ask_heads, (*about, part, most_s)
        if before != self._asked or answer is None or not set(first) <= set(answer.places):
            self.place_map.ask_model(model, swap_map, text, other, target, part, first, most_s, pause_ms=self.pause_ms)
        else:
            ask_heads(answer)

    def _show_some(self, places: SwapMap | None) -> None:
        """That a long text has not all of its tokens on the map, and how long they would take."""
        length = 0 if self.reading is None else len(self.reading.encoding)
        is_asked_for = self.place_map.answer is None  # the line below the map says how far that is
        self._some_line.setVisible(places is not None and not is_asked_for and len(places.places) < length)
        if places is not None:
            sentence = say(
                "The map shows {some} of {all} tokens: the one to predict, those that differ and those you "
                "clicked. All tokens would take about {time}."
            )
            takes_s = places.seconds_for(length, places.part)
            counts = {"some": numbers.count(len(places.places)), "all": numbers.count(length)}
            self.some.setText(sentence.format(time=numbers.duration(takes_s), **counts))

    def _on_places_answered(self, places: SwapMap) -> None:
        self._some = self._asked[:-1], places
        if self._ask_heads is not None:
            self._ask_heads(places)  # only now it is known how long they take
        self._draw()

    def _on_heads_answered(self, _map: SwapMap) -> None:
        self._draw()

    def _draw(self) -> None:
        places, heads, reading = self.places, self.head_map.answer, self.reading
        for grid, one in ((self.states, places), (self.heads, heads)):
            if one is None or reading is None:
                grid.clear()
                continue
            shares = one.shares
            if one.part == "head":
                columns = Labels([str(place + 1) for place in one.places])
            else:
                kinds = reading.plain.units(TokenView()).kinds
                columns = Labels(self._columns(reading, one), [kinds[place] for place in one.places])
            limit = max(1.0, float(np.abs(shares).max()))
            texts = [[numbers.decimal(v) if abs(v) >= LEAST_WRITTEN else "" for v in row] for row in shares.tolist()]
            grid.set_grid(shares, Labels(_row_labels(one)), columns, -limit, limit, texts)
            grid.setMinimumHeight(grid.minimumSizeHint().height())
        self._show_some(places)
        if reading is not None:
            names = [] if places is None else self._columns(reading, places)
            self.result.show_maps(places, heads, names, _texts(reading))
        self._show_frames()

    def _show_frames(self) -> None:
        """The cell that is spoken of, in its map."""
        reading, places, heads = self.reading, self.places, self.head_map.answer
        if reading is None:
            return
        on = reading.request.what_if.swap
        swap = on or self._clicked or (None if places is None else self._most_telling(reading, places))
        is_head = swap is not None and swap.part == "head"
        found = heads if is_head else places
        self.states.set_selected(None, None)
        self.heads.set_selected(self.selection.layer, self.selection.head)
        if swap is None or found is None or found.part != swap.part or swap.place not in found.places:
            self.result.cell.setText("")
            return
        column = found.places.index(swap.place)
        (self.heads if is_head else self.states).set_selected(swap.row, column)
        self.result.show_swap(swap, found, column, is_on=on is not None)

    def _most_telling(self, reading: Reading, places: SwapMap) -> Swap | None:
        """The highest share; of states behind the first layer and before the last, where neither end makes it 1."""
        rows = slice(1, -1) if places.part == "state" else slice(None)
        between = places.shares[rows]
        if not between.size:
            return None
        row, column = divmod(int(between.argmax()), between.shape[1])
        return self._swap(reading, places, row + (rows.start or 0), column)

    def _swap(self, reading: Reading, found: SwapMap, row: int, column: int) -> Swap:
        """The cell of a map as a change inside the model."""
        chosen, on, place = reading.request.baseline, reading.request.what_if.swap, found.places[column]
        text = chosen if isinstance(chosen, OtherText) else on.text if on is not None else None
        assert text is not None and reading.other_text is not None
        labels = reading.other_text.units(TokenView()).labels
        return Swap(found.part, row, place, text, "" if found.part == "head" else labels[place])

    def _columns(self, reading: Reading, found: SwapMap) -> list[str]:
        """This text's tokens, each alone, and what stands in their place in the other one: "man → woman"."""
        assert reading.other_text is not None
        ours, theirs = (one.units(TokenView()).labels for one in (reading.plain, reading.other_text))
        pairs = [(ours[place], theirs[place]) for place in found.places]
        return [our if our == their else f"{our} → {their}" for our, their in pairs]

    def _position(self, column: int) -> int | None:
        found = self.places
        return None if found is None else found.places[column]

    def _show_nothing(self, title: str, sentence: str) -> None:
        self._pair, self._asked, self._ask_heads = (), (), None
        self.result.set_targets([])
        self.nothing_title.setText(title)
        self.nothing_text.setText(sentence)
        self._pages.setCurrentWidget(self._nothing)
        self.place_map.clear()
        self.head_map.clear()

    def _ask_again(self) -> None:
        """A person has chosen something else to be asked about."""
        reading = self.reading
        if reading is not None and reading.other_text is not None and self.result.targets:
            self.pause_ms, self._clicked = 0, None
            self._ask(reading.plain, reading.other_text, self.selection)
            self._draw()

    def _on_target_activated(self) -> None:
        """In place of the words that were typed."""
        self._ask_again()
        if self.chosen != self.result.own:
            self.contrast_edited.emit(NO_CONTRAST)

    def _on_all_clicked(self) -> None:
        self._wants_all = self._pair
        self._ask_again()

    def _on_states_clicked(self, cell: tuple[int, int]) -> None:
        found = self.places
        if found is None:
            return
        self.position_clicked.emit(found.places[cell[1]])
        self.stage_clicked.emit(_stage(found, cell[0]))
        self._show_in_all_rooms(found, cell)

    def _on_heads_clicked(self, cell: tuple[int, int]) -> None:
        self.head_clicked.emit(*cell)
        if self.head_map.answer is not None:
            self._show_in_all_rooms(self.head_map.answer, cell)

    def _show_in_all_rooms(self, found: SwapMap, cell: tuple[int, int]) -> None:
        """The pass of this cell; again what was there before where all rooms show it already."""
        if self.reading is not None and self.reading.other_text is not None:
            swap = self._clicked = self._swap(self.reading, found, *cell)
            self.what_if_edited.emit(lambda what_if: what_if.with_swap(None if what_if.swap == swap else swap))
            self._show_frames()

    def _on_states_hovered(self, cell: tuple[int, int] | None) -> None:
        text, found = "", self.places
        if cell is not None and found is not None and self.reading is not None:
            text = say(
                "{token}, {stage}: carries {share} of the difference",
                token=self._columns(self.reading, found)[cell[1]],
                stage=stage_name(_stage(found, cell[0])),
                share=numbers.decimal(float(found.shares[cell]), 3),
            )
        self.hover_text_changed.emit(text)
        self.position_hovered.emit(self._position(cell[1]) if cell is not None else None)

    def _on_heads_hovered(self, cell: tuple[int, int] | None) -> None:
        text, found = "", self.head_map.answer
        if cell is not None and found is not None:
            text = say(
                "Layer {layer}, head {head}: carries {share} of the difference",
                layer=cell[0] + 1,
                head=cell[1] + 1,
                share=numbers.decimal(float(found.shares[cell]), 3),
            )
        self.hover_text_changed.emit(text)

    def _states_figure(self) -> Figure | None:
        return self._figure(self.states_card, self.states, self.places)

    def _heads_figure(self) -> Figure | None:
        return self._figure(self.heads_card, self.heads, self.head_map.answer)

    def _figure(self, card: Card, grid: LabelledGrid, found: SwapMap | None) -> Figure | None:
        reading, chosen = self.reading, self.chosen
        if found is None or reading is None or chosen is None:
            return None
        rows, labels = Axis("layer", _row_labels(found)), reading.plain.units(TokenView()).labels
        tokens = [labels[place] for place in found.places] if found.part != "head" else []
        columns = Axis("token", tokens) if tokens else Axis("head", first=1)
        arrays = {"share": Numbers(found.shares, (rows, columns)), "target": Numbers(found.patched, (rows, columns))}
        scores = say(
            "{prediction}: this text {ours}, the other text {theirs}",
            prediction=chosen.label,
            ours=self.result.score_text(found.text),
            theirs=self.result.score_text(found.other),
        )
        return self.figure(card.title, [grid], arrays, hint=scores, settings=scores, plain=True, by_token=True)


def _pair(ours: Reading, theirs: Reading) -> tuple[ModelInfo, ModelInput, ModelInput]:
    """What the maps are of."""
    return ours.request.model, ours.request.model_input, theirs.request.model_input


def _texts(reading: Reading) -> tuple[str, str]:
    """This text and the other one, as typed."""
    assert reading.other_text is not None
    ours, theirs = (
        f"{one.encoding.text_a} {one.encoding.text_b or ''}".strip() for one in (reading.plain, reading.other_text)
    )
    return ours, theirs


def _stage(found: SwapMap, row: int) -> int:
    """The stage that a row belongs to: 0 is the embeddings, which only states have a row for."""
    return row if found.part == "state" else row + 1


def _row_labels(found: SwapMap) -> list[str]:
    labels = stage_labels(len(found.patched) + 1)
    return labels[:-1] if found.part == "state" else labels[1:]
