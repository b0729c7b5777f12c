"""View "Neurons": which feed-forward neurons fire most for a token; where one fires, and which words it promotes."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QLayout

from ...compute.model_text import text_of
from ...compute.question import Job, ReportOrCancel
from ...figures.figure import Numbers, joined
from ...figures.values import Side, Values, tokens
from ...look import mark, say
from ...state import Reading, ReadingRequest, Selection
from ...widgets.card import GAP_PX, label
from ...widgets.charts.bars import BarList
from ...widgets.layouts import hbox, vbox
from ..pictures import Bars
from ..values_view import ValuesView

if TYPE_CHECKING:
    from bertcore.analysis.residual import PushedWords, StrongestNeurons
    from bertcore.checkpoint.checkpoint import Checkpoint


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


class NeuronsView(ValuesView):
    """The strongest of all layers on the left, the chosen one on the right."""

    pictures = (
        Bars(
            key="strongest",
            title=mark("Neurons that fire most"),
            name=mark("Neurons that fire most for this token"),
            intro=mark("Longer: it fires more for the selected token. Click one, or use the arrow keys."),
            number="activation",
            python='m.neurons(a, b)["activation"][position]',
            follows=("token",),
            asks="all",
            is_compared=False,
            chart=partial(BarList, clickable=True, arrows_click=True, stretch_to_px=32, may_cut=True),
            strong_color="bar_strong",
            width=2,
            folds=True,
        ),
        Bars(
            key="tokens",
            title=mark("One neuron"),
            name=mark("Tokens for which the neuron fires most"),
            intro=mark(
                "Left: how much it fires at each token of your text. Right: the words that it makes more "
                "likely, unless a later layer undoes it. Many neurons stand for nothing that has a name."
            ),
            number="activation",
            python='m.run(a, b, keep=[name := "layer.{view.chosen[0]}.feed_forward.activation"])[name]'
            "[:, {view.chosen[1]}]",
            asks="one",
            is_compared=False,
            chart=partial(BarList, stretch_to_px=32, may_cut=True),
            notes_positions=True,
            width=4,
        ),
        Bars(
            key="words",
            title="",
            name=mark("Words that the neuron promotes"),
            number="promotes",
            on="tokens",
            asks="one",
            is_compared=False,
            chart=partial(BarList, stretch_to_px=32, may_cut=True),
            color="good",
        ),
    )
    chosen: Neuron | None = None

    def lay_out(self) -> QLayout:
        halves, card = hbox(gap_px=24), self.cards["tokens"]
        titles = {"tokens": say("How much it fires"), "words": say("Words that it makes more likely")}
        for key, title in titles.items():
            halves.addLayout(vbox(label(title, "title"), (self.charts[key], 1), gap_px=5), 1)
        card.body.addLayout(halves, 1)
        return hbox((self.folded("strongest"), 2), (card, 4), gap_px=GAP_PX)

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        request, members = reading.request, tuple(map(tuple, selection.units(reading).members))
        if not members:
            return None
        if asks == "all":
            return Job(neurons_of, (request, members), (request.model,))
        self._choose(reading, selection)
        return None if self.chosen is None else Job(neuron_of, (request, members, self.chosen), (request.model,))

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        units, unit = selection.units(reading), selection.unit(reading)
        if unit is None:
            return Values(np.zeros(0), Side("none", []))
        answer = self.answer_of("all" if key == "strongest" else "one", reading)
        if answer is None:
            return None
        if key == "strongest":
            name = mark("layer {layer} · {neuron}")
            rows = [say(name, layer=layer + 1, neuron=neuron) for layer, neuron in self._rows(reading, selection)]
            hint = say("for “{token}”, by activation", token=units.labels[unit])
            hint = joined(hint, selection.token_view.vectors_note)
            return Values(answer.activations[unit], Side("neuron", rows), hint=hint)
        activations, words = answer
        if key == "words":
            return Values(np.array([score for _, score in words.up]), Side("word", [word for word, _ in words.up]))
        order = np.argsort(-activations, kind="stable")[:MOST_WORDS].tolist()
        return Values(activations[order], tokens(units).some(order))

    def drawn(self, reading: Reading, selection: Selection) -> None:
        if self.chosen is not None and self.answer_of("one", reading) is not None:
            layer, neuron = self.chosen
            self.cards["tokens"].set_title(say("Layer {layer} · Neuron {neuron}", layer=layer + 1, neuron=neuron))

    def selected(self, key: str, side: Side, selection: Selection) -> int | None:
        if key != "strongest" or self.reading is None:
            return super().selected(key, side, selection)
        rows = self._rows(self.reading, selection)
        return rows.index(self.chosen) if self.chosen in rows else None

    def clicked(self, key: str, row: int, column: int | None) -> None:
        if key == "strongest" and self.reading is not None:
            self.chosen = self._rows(self.reading, self.selection)[row]
            self.redraw()

    def _rows(self, reading: Reading, selection: Selection) -> list[Neuron]:
        """The strongest for the selected token; none while that is not known."""
        found: StrongestNeurons | None = self.answer_of("all", reading)
        unit = selection.unit(reading)
        if found is None or unit is None:
            return []
        return list(zip(found.layers[unit].tolist(), found.neurons[unit].tolist(), strict=True))

    def _choose(self, reading: Reading, selection: Selection) -> None:
        """Of those on show the one that is among the strongest of the fewest other tokens; then the strongest."""
        found, rows = self.answer_of("all", reading), self._rows(reading, selection)
        if rows and (self.chosen is None or (self.chosen not in rows and selection.hovered is None)):
            everywhere = Counter(zip(found.layers.ravel().tolist(), found.neurons.ravel().tolist(), strict=True))
            self.chosen = min(rows, key=everywhere.__getitem__)  # hovering over other tokens changes no choice

    def numbers(self, key: str) -> dict[str, Numbers]:
        """Of all tokens, in the order of the text."""
        if key != "tokens" or self.reading is None:
            return super().numbers(key)
        activations, _ = self.answer_of("one", self.reading)
        return {"activation": Numbers(activations, (tokens(self.selection.units(self.reading)).axis(),))}
