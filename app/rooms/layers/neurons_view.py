"""View "Neurons": which feed-forward neurons fire most for a token; where one fires, and which words it pushes up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from app.figures.figure import Axis, Figure, Numbers
from app.look import theme
from app.rooms.layers.view import LayersView, note
from app.widgets.bar_list import Bar, BarList
from app.widgets.card import GAP_PX, Card, label

if TYPE_CHECKING:
    from app.rooms.layers.room import LayersRoom
    from app.state.readings import Reading, ReadingRequest, Step
    from bertcore.analysis.neurons import PushedWords, StrongestNeurons
    from bertcore.checkpoint.checkpoint import Checkpoint

STRONGEST, ONE = "layers.neurons", "layers.neuron"
MOST, MOST_WORDS = 20, 15
REST_MS = 200
PUSHED = "dot product of its output weights with each row of the token table"
NOTE = (
    "“It pushes up” is read off the token table alone. Later layers and the masked-word head stand between, "
    "and the head’s transform is not linear: what it predicts may differ."
)
Neuron = tuple[int, int]  # layer, neuron, from 0


class NeuronList(BarList):
    """A bar list that the arrow keys walk through."""

    def __init__(self, name: str) -> None:
        super().__init__(name, clickable=True, stretch_to_px=27, may_cut=True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.chosen_row = 0

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up.value: -1, Qt.Key.Key_Down.value: 1}.get(event.key())
        if step is None or not self.bars:
            super().keyPressEvent(event)
            return
        self.clicked.emit(min(max(self.chosen_row + step, 0), len(self.bars) - 1))


class NeuronsView(LayersView):
    """The strongest of all layers on the left, the chosen one on the right."""

    def __init__(self, room: LayersRoom) -> None:
        super().__init__(room)
        self.strongest = NeuronList("Neurons that fire most for this token")
        self.tokens = BarList("Tokens where the neuron fires most", stretch_to_px=27, may_cut=True)
        self.words = BarList("Words that the neuron pushes up", stretch_to_px=27, may_cut=True)
        self._strongest_card, self._one_card = Card("Neurons that fire most"), Card("One neuron")
        self._strongest_card.set_figure(self._strongest_figure)
        self._one_card.set_figure(self._one_figure)
        self._found: tuple[object, StrongestNeurons] | None = None
        self._rows: list[Neuron] = []
        self._chosen: Neuron | None = None
        self._one: tuple[Any, np.ndarray, PushedWords] | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.timeout.connect(self._on_rest)
        self._build()
        self.strongest.clicked.connect(self._on_strongest_clicked)

    @property
    def chosen(self) -> Neuron | None:
        return self._chosen

    def draw_reading(self, reading: Reading) -> None:
        request, wanted = reading.request, self._wanted(reading)
        members = reading.units(self.room.state.token_view).members

        def answer(checkpoint: Checkpoint, step: Step) -> tuple[object, StrongestNeurons]:
            from bertcore.analysis.neurons import strongest_neurons

            read = request.input_ids, request.segments, request.positions
            changes = request.what_if.changes()
            return wanted, strongest_neurons(checkpoint.model, *read, k=MOST, members=members, changes=changes)

        if members:
            self.room.ask_soon(lambda: self.room.ask_model(STRONGEST, answer))
        else:
            for bars in (self.strongest, self.tokens, self.words):
                bars.set_bars([])

    def draw_focus(self, reading: Reading) -> None:
        unit, units = self.unit, self.room.units
        if self._found is None or self._found[0] != self._wanted(reading) or unit is None or units is None:
            return
        found = self._found[1]
        self._rows = list(zip(found.layers[unit].tolist(), found.neurons[unit].tolist(), strict=True))
        if self._chosen is None or (self._chosen not in self._rows and self.room.state.hover is None):
            self._chosen = self._rows[0]  # the mouse passing over other tokens changes no choice
        values = found.activations[unit]
        highest = max(float(values[0]), 1e-9)
        self.strongest.chosen_row = self._rows.index(self._chosen) if self._chosen in self._rows else -1
        self.strongest.set_bars(
            [
                Bar(
                    f"layer {layer + 1} · {neuron}",
                    f"{value:.2f}",
                    value / highest,
                    "bar_strong" if (layer, neuron) == self._chosen else "bar",
                    is_strong=(layer, neuron) == self._chosen,
                )
                for (layer, neuron), value in zip(self._rows, values.tolist(), strict=True)
            ]
        )
        self._strongest_card.set_hint(
            f"for “{units.labels[unit]}” · by activation · layer · neuron{self.merged_note()}"
        )
        if self.room.state.hover is None:
            self._ask_one(reading)
        else:
            self._rest.start(REST_MS)  # the mouse passes over many tokens

    def show_answer(self, kind: str, answer: Any) -> None:
        reading = self.room.state.reading
        if reading is None:
            return
        if kind == STRONGEST and answer[0] == self._wanted(reading):
            self._found = answer
            self.draw_focus(reading)
        elif kind == ONE and answer[0] == (*self._wanted(reading), self._chosen):
            self._one = answer
            self._show_one(*answer[1:])

    def _wanted(self, reading: Reading) -> tuple[ReadingRequest, object]:
        return reading.request, self.room.state.token_view

    def _ask_one(self, reading: Reading) -> None:
        chosen, request = self._chosen, reading.request
        wanted = (*self._wanted(reading), chosen)
        if chosen is None:
            return
        if self._one is not None and self._one[0] == wanted:
            self._show_one(*self._one[1:])  # another token is looked at, perhaps
            return
        members = reading.units(self.room.state.token_view).members

        def answer(checkpoint: Checkpoint, step: Step) -> tuple[Any, np.ndarray, PushedWords]:
            from bertcore.analysis.neurons import neuron_activations, pushed_words

            (layer, neuron), model = chosen, checkpoint.model
            read = request.input_ids, request.segments, request.positions
            changes = request.what_if.changes()
            fires = neuron_activations(model, layer, neuron, *read, members=members, changes=changes)
            return wanted, fires, pushed_words(model, checkpoint.tokenizer, layer, neuron, MOST_WORDS)

        self.room.ask_model(ONE, answer)

    def _show_one(self, fires: np.ndarray, words: PushedWords) -> None:
        units, chosen = self.room.units, self._chosen
        if units is None or chosen is None:
            return
        order = np.argsort(-fires, kind="stable")[:MOST_WORDS].tolist()
        highest = max(float(fires.max()), 1e-9)
        self.tokens.set_bars(
            [
                Bar(
                    units.labels[i],
                    f"{fires[i]:.2f}",
                    float(fires[i]) / highest,
                    note=str(units.first_positions[i]),
                    is_strong=i == self.unit,
                )
                for i in order
            ]
        )
        longest = max((abs(score) for _, score in words.up), default=1.0) or 1.0
        self.words.set_bars([Bar(word, f"{score:.2f}", score / longest, "good") for word, score in words.up])
        self._one_card.set_title(f"Layer {chosen[0] + 1} · Neuron {chosen[1]}")
        self._one_card.set_hint(f"an activation of 1 adds a vector of length {words.output_length:.2f} to the stream")

    def _build(self) -> None:
        self._strongest_card.body.addWidget(label("click one, or use the arrow keys; neurons count from 0", "muted"))
        self._strongest_card.body.addWidget(self.strongest, 1)
        halves = QHBoxLayout()
        halves.setSpacing(theme.px(24))
        for title, hint, bars in (
            ("It fires for", "activation, the highest of this text", self.tokens),
            ("It pushes up", PUSHED, self.words),
        ):
            half = QVBoxLayout()
            half.setSpacing(theme.px(5))
            half.addWidget(label(title, "title"))
            half.addWidget(note(hint))
            half.addWidget(bars, 1)
            halves.addLayout(half, 1)
        self._one_card.body.addLayout(halves, 1)
        self._one_card.body.addWidget(note(NOTE))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(GAP_PX))
        row.addWidget(self._strongest_card, 2)
        row.addWidget(self._one_card, 4)

    def _strongest_figure(self) -> Figure | None:
        if not self._rows or self._found is None or self.unit is None:
            return None
        rows = [f"layer {layer + 1}, neuron {neuron}" for layer, neuron in self._rows]
        numbers = {"activation": Numbers(self._found[1].activations[self.unit], (Axis("neuron", rows),))}
        return self.room.figure("Neurons that fire most", [self.strongest], numbers, token=True)

    def _one_figure(self) -> Figure | None:
        units = self.room.units
        if self._one is None or units is None or len(self._one[1]) != len(units):
            return None
        up = self._one[2].up
        numbers = {
            "activation": Numbers(self._one[1], (Axis("token", units.labels),)),
            "pushes up": Numbers(np.array([score for _, score in up]), (Axis("word", [word for word, _ in up]),)),
        }
        hint = "left: activation by token · right: words it pushes up, by the token table"
        return self.room.figure(self._one_card.title, [self.tokens, self.words], numbers, hint=hint)

    def _on_rest(self) -> None:
        reading = self.room.state.reading
        if reading is not None and self._found is not None and self._found[0] == self._wanted(reading):
            self._ask_one(reading)

    def _on_strongest_clicked(self, row: int) -> None:
        self._chosen = self._rows[row]
        if self.room.state.reading is not None:
            self.draw_focus(self.room.state.reading)
