"""View "Neurons": which feed-forward neurons fire most for a token; where one fires, and which words it promotes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from ...compute.model_text import text_of
from ...figures.figure import Axis, Figure, Numbers, joined
from ...look import numbers
from ...look.number_kinds import explain
from ...look.say import say
from ...widgets.card import GAP_PX, Card, label, note
from ...widgets.charts.bars import Bar, BarList
from ...widgets.folding_card import folded_on_projector
from ...widgets.layouts import hbox, vbox
from .stages import LayersView

if TYPE_CHECKING:
    from bertcore.analysis.residual import PushedWords, StrongestNeurons
    from bertcore.checkpoint.checkpoint import Checkpoint

    from ...compute.question import Question, ReportOrCancel
    from ...state.readings import Reading, ReadingRequest
    from ...state.selection import Selection

MOST_NEURONS, MOST_WORDS = 20, 15
Neuron = tuple[int, int]  # layer, neuron, from 0
Members = tuple[tuple[int, ...], ...]  # (U) the tokens of each unit


def neurons_of(
    checkpoint: Checkpoint, request: ReadingRequest, members: Members, _progress: ReportOrCancel
) -> StrongestNeurons:
    from bertcore.analysis.residual import strongest_neurons

    text, changes = text_of(checkpoint.model, request.model_input), request.what_if.changes()
    return strongest_neurons(checkpoint.model, text, k=MOST_NEURONS, members=members, changes=changes)


def neuron_of(
    checkpoint: Checkpoint, request: ReadingRequest, members: Members, neuron: Neuron, _progress: ReportOrCancel
) -> tuple[np.ndarray, PushedWords]:
    """How strongly it fires for each unit (U), and the words that it promotes."""
    from bertcore.analysis.residual import neuron_activations, pushed_words

    text, changes = text_of(checkpoint.model, request.model_input), request.what_if.changes()
    activations = neuron_activations(checkpoint.model, text, *neuron, members=members, changes=changes)
    return activations, pushed_words(checkpoint.model, checkpoint.tokenizer, *neuron, MOST_WORDS)


class NeuronList(BarList):
    """A bar list in which the arrow keys choose, too."""

    def __init__(self, name: str) -> None:
        super().__init__(name, clickable=True, stretch_to_px=32, may_cut=True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.chosen_row = 0

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up.value: -1, Qt.Key.Key_Down.value: 1}.get(event.key())
        if step is None or not self.bars:
            super().keyPressEvent(event)
            return
        row = min(max(self.chosen_row + step, 0), len(self.bars) - 1)
        self.clicked.emit(row, Qt.KeyboardModifier.NoModifier)


class NeuronsView(LayersView):
    """The strongest of all layers on the left, the chosen one on the right."""

    def __init__(self) -> None:
        super().__init__()
        self.strongest = NeuronList(say("Neurons that fire most for this token"))
        self.tokens = BarList(say("Tokens for which the neuron fires most"), stretch_to_px=32, may_cut=True)
        self.words = BarList(say("Words that the neuron promotes"), stretch_to_px=32, may_cut=True)
        explain("activation", self.strongest, self.tokens)
        explain("promotes", self.words)
        self.strongest_card = Card(
            say("Neurons that fire most"),
            intro=say("Longer: it fires more for the selected token. Click one, or use the arrow keys."),
        )
        self.neuron_card = Card(
            say("One neuron"),
            intro=say(
                "Left: how much it fires at each token of your text. Right: the words that it makes more "
                "likely, unless a later layer undoes it. Many neurons stand for nothing that has a name."
            ),
        )
        self.strongest_card.set_figure(self._strongest_figure)
        self.neuron_card.set_figure(self._neuron_figure)
        self.chosen: Neuron | None = None
        self._rows: list[Neuron] = []
        self._build()
        self.strongest.clicked.connect(self._on_strongest_clicked)
        self.all_neurons = self.add_question(self._on_all_neurons_answered)
        self.one_neuron: Question[tuple[np.ndarray, PushedWords]] = self.add_question(
            lambda answer: self._show_neuron(*answer)
        )

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        request, members = reading.request, tuple(map(tuple, selection.units(reading).members))
        if members:
            self.all_neurons.ask_model(request.model, neurons_of, request, members, pause_ms=self.pause_ms)
            self.show_selection(reading, selection)
        else:
            self.all_neurons.clear()
            self.one_neuron.clear()
            for bars in (self.strongest, self.tokens, self.words):
                bars.set_bars([])

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        found, unit = self.all_neurons.answer, selection.unit(reading)
        if found is None or unit is None:
            return
        self._rows = list(zip(found.layers[unit].tolist(), found.neurons[unit].tolist(), strict=True))
        if self.chosen is None or (self.chosen not in self._rows and selection.hovered is None):
            self.chosen = self._most_selective(found)  # hovering over other tokens changes no choice
        values = found.activations[unit]
        highest = max(float(values[0]), 1e-9)
        self.strongest.chosen_row = self._rows.index(self.chosen) if self.chosen in self._rows else -1
        self.strongest.set_bars(
            [
                Bar(
                    say("layer {layer} · {neuron}", layer=layer + 1, neuron=neuron),
                    numbers.decimal(value),
                    value / highest,
                    "bar_strong" if (layer, neuron) == self.chosen else "bar",
                    is_strong=(layer, neuron) == self.chosen,
                )
                for (layer, neuron), value in zip(self._rows, values.tolist(), strict=True)
            ]
        )
        token = selection.units(reading).labels[unit]
        self.strongest_card.set_hint(
            joined(say("for “{token}”, by activation", token=token), selection.token_view.vectors_note)
        )
        self._ask_neuron(reading, selection, self.chosen)
        if self.one_neuron.answer is not None:
            self._show_neuron(*self.one_neuron.answer)

    def _most_selective(self, found: StrongestNeurons) -> Neuron:
        """Of those on show the one that is among the strongest of the fewest other tokens; then the strongest."""
        everywhere = Counter(zip(found.layers.ravel().tolist(), found.neurons.ravel().tolist(), strict=True))
        return min(self._rows, key=everywhere.__getitem__)

    def _on_all_neurons_answered(self, _found: StrongestNeurons) -> None:
        if self.reading is not None:
            self.show_selection(self.reading, self.selection)

    def _ask_neuron(self, reading: Reading, selection: Selection, chosen: Neuron) -> None:
        request, members = reading.request, tuple(map(tuple, selection.units(reading).members))
        self.one_neuron.ask_model(request.model, neuron_of, request, members, chosen, pause_ms=0)

    def _show_neuron(self, activations: np.ndarray, words: PushedWords) -> None:
        """activations (U)."""
        if self.reading is None or self.chosen is None:
            return
        units, unit = self.selection.units(self.reading), self.selection.unit(self.reading)
        order = np.argsort(-activations, kind="stable")[:MOST_WORDS].tolist()
        highest = max(float(activations.max()), 1e-9)
        self.tokens.set_bars(
            [
                Bar(
                    units.labels[i],
                    numbers.decimal(float(activations[i])),
                    float(activations[i]) / highest,
                    note=str(units.first_positions[i]),
                    is_strong=i == unit,
                )
                for i in order
            ]
        )
        longest = max((abs(score) for _, score in words.up), default=1.0) or 1.0
        self.words.set_bars([Bar(word, numbers.decimal(score), score / longest, "good") for word, score in words.up])
        layer, neuron = self.chosen
        self.neuron_card.set_title(say("Layer {layer} · Neuron {neuron}", layer=layer + 1, neuron=neuron))
        self.neuron_card.set_hint(
            say(
                "an activation of 1 adds a vector of length {length} to the token’s hidden state",
                length=numbers.decimal(words.output_length),
            )
        )

    def _build(self) -> None:
        self.strongest_card.body.addWidget(self.strongest, 1)
        halves = hbox(gap_px=24)
        for title, hint, bars in (
            (say("Activation"), say("highest first"), self.tokens),
            (
                say("Promotes"),
                say("dot product of its output weights with each token’s embedding"),
                self.words,
            ),
        ):
            halves.addLayout(vbox(label(title, "title"), note(hint), (bars, 1), gap_px=5), 1)
        self.neuron_card.body.addLayout(halves, 1)
        left = folded_on_projector(self.strongest_card, self.strongest_card.title)
        hbox((left, 2), (self.neuron_card, 4), parent=self, gap_px=GAP_PX)

    def _strongest_figure(self) -> Figure | None:
        unit = self.selection.unit(self.reading) if self.reading is not None else None
        if self.all_neurons.answer is None or unit is None:
            return None
        rows = [f"layer {layer + 1}, neuron {neuron}" for layer, neuron in self._rows]
        arrays = {"activation": Numbers(self.all_neurons.answer.activations[unit], (Axis("neuron", rows),))}
        return self.figure(self.strongest_card.title, [self.strongest], arrays, token=True)

    def _neuron_figure(self) -> Figure | None:
        if self.one_neuron.answer is None or self.reading is None:
            return None
        activations, words = self.one_neuron.answer
        labels = self.selection.units(self.reading).labels
        arrays = {
            "activation": Numbers(activations, (Axis("token", labels),)),
            "promotes": Numbers(
                np.array([score for _, score in words.up]), (Axis("word", [word for word, _ in words.up]),)
            ),
        }
        hint = say("left: activation by token · right: words it promotes, by the token embeddings")
        return self.figure(self.neuron_card.title, [self.tokens, self.words], arrays, hint=hint)

    def _on_strongest_clicked(self, row: int) -> None:
        self.chosen = self._rows[row]
        if self.reading is not None:
            self.show_selection(self.reading, self.selection)
