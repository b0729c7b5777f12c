"""View "What is added": how much attention and feed-forward add to one token's residual stream, layer by layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtWidgets import QHBoxLayout

from app.figures.figure import Axis, Figure, Numbers
from app.look import theme
from app.rooms.layers.line_chart import Line, LineChart
from app.rooms.layers.view import LayersView, note
from app.widgets.card import GAP_PX, Card

if TYPE_CHECKING:
    from app.rooms.layers.room import LayersRoom
    from app.state.readings import Reading, Step
    from bertcore.analysis.residual import ResidualStream
    from bertcore.checkpoint.checkpoint import Checkpoint

KIND = "layers.added"
POST = "In each layer: m = LayerNorm(x + attention), then LayerNorm(m + feed-forward) goes on to the next."
PRE = "In each layer: m = x + attention, then m + feed-forward goes on to the next: all that is added stays."
COSINES = "Above 0: what is added points the way the stream went already. At 0: something new. Below 0: it takes away."


class AddedView(LayersView):
    """Lengths on the left, cosines with what was there on the right; both over layers."""

    def __init__(self, room: LayersRoom) -> None:
        super().__init__(room)
        self.lengths = LineChart("Length of what is added, by layer", "layer", "length (L2 norm)")
        self.cosines = LineChart("Cosine of what is added with what was there", "layer", "cosine")
        self._lengths_card, self._cosines_card = Card("How much is added"), Card("In which direction")
        self._formula = note("")
        self._answer: tuple[object, ResidualStream] | None = None
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(GAP_PX))
        for card, chart, below in (
            (self._lengths_card, self.lengths, self._formula),
            (self._cosines_card, self.cosines, note(COSINES)),
        ):
            card.body.addWidget(chart, 1)
            card.body.addWidget(below)
            row.addWidget(card, 1)
            chart.told.connect(room.hover_text_changed)
            chart.chosen.connect(lambda place: room.set_stage(place + 1))
        self._lengths_card.set_figure(lambda: self._figure(self.lengths, self._lengths_card))
        self._cosines_card.set_figure(lambda: self._figure(self.cosines, self._cosines_card))

    def draw_reading(self, reading: Reading) -> None:
        view, request = self.room.state.token_view, reading.request
        members = reading.units(view).members
        self._formula.setText(PRE if request.model.config.norm == "pre" else POST)

        def answer(checkpoint: Checkpoint, step: Step) -> tuple[object, ResidualStream]:
            from bertcore.analysis.residual import residual_stream

            changes = request.what_if.changes()
            read = request.input_ids, request.segments, request.positions
            return (reading.request, view), residual_stream(checkpoint.model, *read, members=members, changes=changes)

        if members:
            self.room.ask_soon(lambda: self.room.ask_model(KIND, answer))
        else:
            self.lengths.set_lines([], [])
            self.cosines.set_lines([], [])

    def draw_focus(self, reading: Reading) -> None:
        if self._answer is not None and self._answer[0] == (reading.request, self.room.state.token_view):
            self._draw(self._answer[1])

    def draw_stage(self, reading: Reading) -> None:
        for chart in (self.lengths, self.cosines):
            chart.set_marked(self.room.state.layer)

    def show_answer(self, kind: str, answer: Any) -> None:
        reading = self.room.state.reading
        if kind == KIND and reading is not None and answer[0] == (reading.request, self.room.state.token_view):
            self._answer = answer
            self.draw_focus(reading)

    def _draw(self, stream: ResidualStream) -> None:
        unit, units = self.unit, self.room.units
        if unit is None or units is None:
            return
        there = np.stack([stream.entering[:, unit], stream.middle[:, unit]])  # (2,L)
        places = [str(layer + 1) for layer in range(there.shape[1])]
        self.lengths.set_lines(
            [
                Line("enters the layer", there[0], "muted", dashed=True),
                Line("attention adds", stream.attention[:, unit], "curve_train"),
                Line("feed-forward adds", stream.feed_forward[:, unit], "curve_held_out", "s"),
            ],
            places,
            low=0.0,
        )
        self.cosines.set_lines(
            [
                Line("attention with x", stream.attention_cosine[:, unit], "curve_train"),
                Line("feed-forward with m", stream.feed_forward_cosine[:, unit], "curve_held_out", "s"),
            ],
            places,
            low=0.0,
        )
        for chart in (self.lengths, self.cosines):
            chart.set_marked(self.room.state.layer)
        name = units.labels[unit]
        self._lengths_card.set_hint(
            f"{name} · length of what each part adds to the residual stream{self.merged_note()}"
        )
        self._cosines_card.set_hint(f"{name} · cosine of what is added with what was there")

    def _figure(self, chart: LineChart, card: Card) -> Figure | None:
        if not chart.lines:
            return None
        values = np.stack([line.values for line in chart.lines])
        axes = Axis("part", [line.name for line in chart.lines]), Axis("layer", first=1)
        return self.room.figure(card.title, [chart], {"value": Numbers(values, axes)}, hint=card.hint, token=True)
