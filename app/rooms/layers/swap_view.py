"""View "Swap in": one place of the text gets what the other text has there; how much of its answer comes back?"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QStackedWidget, QWidget

from ...compute.head_questions import HeadTarget
from ...compute.patching import SwapMaps, swap_maps, swap_targets
from ...figures.figure import Axis, Figure, Numbers
from ...look import numbers, theme
from ...look.number_kinds import explain
from ...state.baseline import OtherText
from ...state.token_units import TokenView, Units
from ...widgets.card import GAP_PX, Card, label, scrolled
from ...widgets.controls import Choice
from ...widgets.folding_card import folded_on_projector
from ...widgets.labelled_grid import LabelledGrid, Labels
from ...widgets.layouts import fill, hbox, vbox
from ...widgets.progress_line import ProgressLine
from .stages import LayersView, stage_labels, stage_name

if TYPE_CHECKING:
    from bertcore.analysis.patching import PatchingMap
    from bertcore.checkpoint.checkpoint import Checkpoint

    from ...compute.question import Step
    from ...state.readings import Reading
    from ...state.selection import Selection

LEAST_WRITTEN = 0.005  # shares that round to nothing are not written into their cells
LEAST_NAMED = 0.1  # a layer's highest share is named from here on


class SwapView(LayersView):
    """The map of places, the map of heads below, and what comes out beside them."""

    def __init__(self) -> None:
        super().__init__()
        self.target = Choice(self.tr("The prediction to explain"))
        self.states = LabelledGrid(
            self.tr("Share of the difference that each place carries: rows are layers, columns are tokens"),
            signed=True,
            tilted=True,
        )
        self.heads = LabelledGrid(
            self.tr("Share of the difference that each head carries: rows are layers, columns are heads"), signed=True
        )
        self.states_card = Card(
            self.tr("Where is the difference?"),
            intro=self.tr(
                "Each cell is one try: the numbers of this token after this layer are replaced by those "
                "from the other text. Red: the answer moves to that of the other text; 1 is all the way. "
                "White: nothing changes."
            ),
        )
        self.heads_card = Card(
            self.tr("Which heads carry it?"),
            intro=self.tr(
                "The same for one head at a time, at all tokens. Row: a layer. Column: a head. Click one "
                "and open Attend to see where it looks."
            ),
        )
        self.out_card = Card(self.tr("What comes out"))
        self.path, self.cell = label("", wrap=True), label("", wrap=True)
        self.scores = label("", wrap=True)
        self.formula = label("", "muted", wrap=True)
        self.line = ProgressLine()
        self.maps = self.add_question(self._on_maps_answered, self.line)
        self._targets: list[HeadTarget] = []
        self._picked: HeadTarget | None = None  # what the person chose
        self._cell: tuple[int, int] | None = None  # of the map of places, that was clicked
        self._build()

    def _build(self) -> None:
        for card, grid, figure in (
            (self.states_card, self.states, self._states_figure),
            (self.heads_card, self.heads, self._heads_figure),
        ):
            explain("swapped_share", grid)
            card.set_figure(figure)
            card.body.addWidget(grid, 1)
        inside = QWidget()
        fill(vbox(parent=inside), self.target, self.scores, self.path, self.cell, self.formula, None)
        self.out_card.body.addWidget(scrolled(inside), 1)
        maps = QWidget()
        vbox((self.states_card, 3), (self.heads_card, 2), self.line, parent=maps, gap_px=GAP_PX)
        content = QWidget()
        hbox((maps, 3), folded_on_projector(self.out_card, self.out_card.title), parent=content, gap_px=GAP_PX)
        self.out_card.setMinimumWidth(theme.column_px(230))
        self._nothing = Card()
        self.nothing_title, self.nothing_text = label("", "title", wrap=True), label("", "muted", wrap=True)
        self.try_it = self.offer_of_texts()
        self._nothing.fill_with_message(self.nothing_title, self.nothing_text, self.try_it)
        self._pages = QStackedWidget()
        self._content = content
        for page in (content, self._nothing):
            self._pages.addWidget(page)
        vbox(self._pages, parent=self)
        self.target.activated.connect(self._on_target_activated)
        self.states.clicked.connect(self._on_states_clicked)
        self.states.hovered.connect(self._on_states_hovered)
        self.heads.clicked.connect(lambda cell: self.head_clicked.emit(*cell))
        self.heads.hovered.connect(self._on_heads_hovered)
        self.add_token_menu(self.states, lambda cell: cell[1])

    @property
    def chosen(self) -> HeadTarget | None:
        """What is asked about."""
        return self._targets[self.target.currentIndex()] if self._targets else None

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        ours, theirs = reading.plain, reading.baseline
        if theirs is None or not isinstance(reading.request.baseline, OtherText):
            self._show_nothing(
                self.tr("Two texts that differ in one word"),
                self.tr(
                    "Compare this text with another one of the same length (Ctrl+Alt+A) that gets a "
                    "different answer. Then you see in which layer, at which token and in which head the "
                    "answer is decided."
                ),
            )
            return
        self._targets = swap_targets(ours, theirs, selection.position)
        if not self._targets:
            self._show_nothing(
                self.tr("No prediction to explain"),
                self.tr(
                    "Hide a word in both texts: select it and press M. Then the model’s guesses there are compared."
                ),
            )
            return
        if len(ours.encoding) != len(theirs.encoding):
            self._show_nothing(
                self.tr("The texts differ in length"),
                self.tr(
                    "This text has {ours} tokens, the other one {theirs}. Each place is swapped with the same place of "
                    "the other text, so both need the same number of tokens."
                ).format(ours=numbers.count(len(ours.encoding)), theirs=numbers.count(len(theirs.encoding))),
            )
            return
        self._pages.setCurrentWidget(self._content)
        self._fill_targets()
        self._ask(ours, theirs)
        self._draw()

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        if self.maps.answer is not None:
            self._show_frames()

    def _fill_targets(self) -> None:
        names = [one.label + one.note for one in self._targets]
        if names != [self.target.itemText(i) for i in range(self.target.count())]:
            self.target.clear()
            self.target.addItems(names)
        wanted = self._picked.target if self._picked is not None else None
        self.target.setCurrentIndex(next((i for i, one in enumerate(self._targets) if one.target == wanted), 0))

    def _ask(self, ours: Reading, theirs: Reading) -> None:
        chosen = self.chosen
        assert chosen is not None
        text, other, target = ours.request.model_input, theirs.request.model_input, chosen.target

        def work(checkpoint: Checkpoint, step: Step) -> SwapMaps:
            return swap_maps(checkpoint, text, other, target, step)

        key = tuple((one.request.model, one.request.input_ids, tuple(one.request.segments)) for one in (ours, theirs))
        self.maps.ask_model(ours.request.model, (*key, target), work, self.pause_ms)

    def _on_maps_answered(self, _maps: SwapMaps) -> None:
        self._cell = None
        self._draw()

    def _draw(self) -> None:
        maps, reading = self.maps.answer, self.reading
        for grid in (self.states, self.heads):
            grid.clear()
        for words in (self.scores, self.path, self.cell, self.formula):
            words.setVisible(maps is not None)
        if maps is None or reading is None:
            return
        layers = stage_labels(len(maps.states.patched))
        units = self._units(reading)
        for grid, one, rows, columns in (
            (self.states, maps.states, Labels(layers), Labels(self._columns(reading), units.kinds)),
            (
                self.heads,
                maps.heads,
                Labels(layers[1:]),
                Labels([str(n + 1) for n in range(maps.heads.patched.shape[1])]),
            ),
        ):
            shares = one.shares
            limit = max(1.0, float(np.abs(shares).max()))
            texts = [[numbers.decimal(v) if abs(v) >= LEAST_WRITTEN else "" for v in row] for row in shares.tolist()]
            grid.set_grid(shares, rows, columns, -limit, limit, texts)
        if self._cell is None:
            self._cell = self._most_telling(maps.states)
        self._show_words(maps, reading)
        self._show_frames()

    def _show_frames(self) -> None:
        row, column = self._cell or (None, None)
        self.states.set_selected(row, column)
        self.heads.set_selected(self.selection.layer, self.selection.head)

    def _show_words(self, maps: SwapMaps, reading: Reading) -> None:
        states = maps.states
        self.scores.setText(
            self.tr("{what}\nThis text: {ours}\nThe other text: {theirs}").format(
                what=self._number, ours=self._said(states.text), theirs=self._said(states.other)
            )
        )
        self.path.setText(
            " ".join([self._path(states, self._columns(reading)), self._strongest_head(maps.heads)]).strip()
        )
        if self._cell is not None:
            row, column = self._cell
            self.cell.setText(
                self.tr(
                    "This text with “{token}” swapped in, {stage}: {score}. That is {share} of the way to the other "
                    "text."
                ).format(
                    token=self._other_token(reading, column),
                    stage=stage_name(row),
                    score=self._said(float(states.patched[row, column])),
                    share=numbers.percent(float(states.shares[row, column])),
                )
            )
        self.formula.setText(
            self.tr("Share = (swapped − this text) / (other text − this text). Shares need not add up to 1.")
        )

    @property
    def _number(self) -> str:
        """What the numbers are, of the prediction that was chosen."""
        chosen = self.chosen
        assert chosen is not None
        if chosen.is_score:
            return self.tr("Its score:")
        if chosen.target.against is None:
            return self.tr("Its probability:")
        if numbers.is_technical():
            return self.tr("ln p of the first word − ln p of the second, in nats:")
        return self.tr("Probability of the first word divided by that of the second:")

    def _strongest_head(self, heads: PatchingMap) -> str:
        layer, head = divmod(int(heads.shares.argmax()), heads.shares.shape[1])
        share = float(heads.shares[layer, head])
        if share < LEAST_NAMED:
            return self.tr("No head alone carries much of it.")
        return self.tr("Of all heads, {head} carries most of it: {share}.").format(
            head=f"{layer + 1}·{head + 1}", share=numbers.percent(share)
        )

    def _path(self, states: PatchingMap, tokens: list[str]) -> str:
        """At which token most of the difference is: "embeddings to layer 5 at woman, layer 6 at [MASK]"."""
        shares = states.shares
        best = [int(row.argmax()) for row in shares]
        parts = []
        for place, rows in groupby(range(len(best)), key=lambda row: best[row]):
            stages = [row for row in rows if shares[row, place] >= LEAST_NAMED]
            if not stages:
                continue
            names = [self.tr("layer {layer}").format(layer=stage) if stage else stage_name(0) for stage in stages]
            span = names[0] if len(names) == 1 else self.tr("{first} to {last}").format(first=names[0], last=names[-1])
            parts.append(self.tr("{stages} at “{token}”").format(stages=span, token=tokens[place]))
        return self.tr("Where most of the difference is: {places}.").format(places="; ".join(parts)) if parts else ""

    def _said(self, score: float) -> str:
        """A target's number, as a person reads it."""
        chosen = self.chosen
        assert chosen is not None
        if chosen.target.against is not None:
            return numbers.log_factor(score)
        return numbers.decimal(score) if chosen.is_score else numbers.probability(math.exp(min(score, 0.0)))

    def _most_telling(self, states: PatchingMap) -> tuple[int, int] | None:
        """The highest share behind the first layer and before the last, where neither end makes it 1 of itself."""
        between = states.shares[1:-1]
        if not between.size:
            return None
        row, column = divmod(int(between.argmax()), between.shape[1])
        return row + 1, column

    def _units(self, reading: Reading) -> Units:
        """Single tokens: each is swapped alone, whatever the other rooms merge."""
        return reading.plain.units(TokenView())

    def _columns(self, reading: Reading) -> list[str]:
        """(S) this text's tokens, and what stands in their place in the other one: "man → woman"."""
        assert reading.baseline is not None
        pairs = zip(self._units(reading).labels, reading.baseline.units(TokenView()).labels, strict=True)
        return [ours if ours == theirs else f"{ours} → {theirs}" for ours, theirs in pairs]

    def _other_token(self, reading: Reading, position: int) -> str:
        assert reading.baseline is not None
        return reading.baseline.units(TokenView()).labels[position]

    def _show_nothing(self, title: str, sentence: str) -> None:
        self._targets = []
        self.nothing_title.setText(title)
        self.nothing_text.setText(sentence)
        self._pages.setCurrentWidget(self._nothing)
        self.maps.forget()

    def _on_target_activated(self, index: int) -> None:
        self._picked = self._targets[index]
        if self.reading is not None and self.reading.baseline is not None:
            self.pause_ms = 0
            self._ask(self.reading.plain, self.reading.baseline)
            self._draw()

    def _on_states_clicked(self, cell: tuple[int, int]) -> None:
        self._cell = cell
        self.position_clicked.emit(cell[1])
        self.stage_clicked.emit(cell[0])
        if self.maps.answer is not None and self.reading is not None:
            self._show_words(self.maps.answer, self.reading)
            self._show_frames()

    def _on_states_hovered(self, cell: tuple[int, int] | None) -> None:
        text, maps = "", self.maps.answer
        if cell is not None and maps is not None and self.reading is not None:
            text = self.tr("{token}, {stage}: carries {share} of the difference").format(
                token=self._other_token(self.reading, cell[1]),
                stage=stage_name(cell[0]),
                share=numbers.decimal(float(maps.states.shares[cell]), 3),
            )
        self.hover_text_changed.emit(text)
        self.position_hovered.emit(cell[1] if cell is not None else None)

    def _on_heads_hovered(self, cell: tuple[int, int] | None) -> None:
        text, maps = "", self.maps.answer
        if cell is not None and maps is not None:
            text = self.tr("Layer {layer}, head {head}: carries {share} of the difference").format(
                layer=cell[0] + 1, head=cell[1] + 1, share=numbers.decimal(float(maps.heads.shares[cell]), 3)
            )
        self.hover_text_changed.emit(text)

    def _states_figure(self) -> Figure | None:
        return self._figure(self.states_card, self.states, lambda maps: maps.states, "token")

    def _heads_figure(self) -> Figure | None:
        return self._figure(self.heads_card, self.heads, lambda maps: maps.heads, "head")

    def _figure(
        self, card: Card, grid: LabelledGrid, part: Callable[[SwapMaps], PatchingMap], along: str
    ) -> Figure | None:
        maps, reading, chosen = self.maps.answer, self.reading, self.chosen
        if maps is None or reading is None or chosen is None:
            return None
        one = part(maps)
        stages = stage_labels(len(maps.states.patched))
        rows = Axis("layer", stages if along == "token" else stages[1:])
        columns = Axis("token", self._units(reading).labels) if along == "token" else Axis("head", first=1)
        arrays = {"share": Numbers(one.shares, (rows, columns)), "target": Numbers(one.patched, (rows, columns))}
        scores = self.tr("{prediction}: this text {ours}, the other text {theirs}").format(
            prediction=chosen.label, ours=self._said(one.text), theirs=self._said(one.other)
        )
        return self.figure(card.title, [grid], arrays, hint=scores, settings=scores, plain=True, by_token=True)
