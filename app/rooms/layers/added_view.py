"""View "What layers add": how much attention and feed-forward add to one token's residual stream, layer by layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QHBoxLayout

from app.figures.figure import Axis, Figure, Numbers, joined
from app.look import theme
from app.rooms.layers.line_chart import Line, LineChart
from app.rooms.layers.stages import LayersView
from app.widgets.card import GAP_PX, Card, note

if TYPE_CHECKING:
    from app.compute.question import Step
    from app.state.readings import Reading
    from app.state.selection import Selection
    from bertcore.analysis.residual import ResidualStream
    from bertcore.checkpoint.checkpoint import Checkpoint


class AddedView(LayersView):
    """Lengths on the left, cosines with the vector they are added to on the right; both over layers."""

    def __init__(self) -> None:
        super().__init__()
        self.lengths = LineChart(
            self.tr("Length of what is added, by layer"), self.tr("layer"), self.tr("length (L2 norm)")
        )
        self.cosines = LineChart(
            self.tr("Cosine between what is added and what was there, by layer"), self.tr("layer"), self.tr("cosine")
        )
        self.lengths_card = Card(self.tr("How much each layer adds"))
        self.cosines_card = Card(self.tr("In which direction"))
        self._formula = note("")
        signs = self.tr(
            "Above 0, what is added points the way the vector already went; at 0 it is something new; below 0 it "
            "takes something away."
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.px(GAP_PX))
        for card, chart, below, figure in (
            (self.lengths_card, self.lengths, self._formula, self._lengths_figure),
            (self.cosines_card, self.cosines, note(signs), self._cosines_figure),
        ):
            card.body.addWidget(chart, 1)
            card.body.addWidget(below)
            card.set_figure(figure)
            row.addWidget(card, 1)
            chart.told.connect(self.hover_text_changed)
            chart.chosen.connect(lambda place: self.stage_clicked.emit(place + 1))
        self.stream = self.add_question(self._on_stream_answered)

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        request, members = reading.request, selection.units(reading).members
        self._formula.setText(
            self.tr(
                "In each layer: m = x + attention, then m + feed-forward goes on to the next layer. Nothing is removed."
            )
            if request.model.config.norm == "pre"
            else self.tr(
                "In each layer: m = LayerNorm(x + attention), then LayerNorm(m + feed-forward) goes on to the next."
            )
        )

        def work(checkpoint: Checkpoint, _step: Step) -> ResidualStream:
            from bertcore.analysis.residual import residual_stream

            changes = request.what_if.changes()
            read = request.input_ids, request.segments, request.positions
            return residual_stream(checkpoint.model, *read, members=members, changes=changes)

        if members:
            self.stream.ask_model(request.model, (request, selection.token_view), work, self.pause_ms)
        else:
            self.stream.forget()
            self.lengths.set_lines([], [])
            self.cosines.set_lines([], [])
        self.show_selection(reading, selection)

    def show_selection(self, reading: Reading, selection: Selection) -> None:
        if self.stream.answer is not None:
            self._show_token(self.stream.answer, reading, selection)
        for chart in (self.lengths, self.cosines):
            chart.set_marked(selection.layer)

    def _on_stream_answered(self, _stream: ResidualStream) -> None:
        if self.reading is not None:
            self.show_selection(self.reading, self.selection)

    def _show_token(self, stream: ResidualStream, reading: Reading, selection: Selection) -> None:
        unit = selection.unit(reading)
        if unit is None:
            return
        places = [str(layer + 1) for layer in range(stream.entering.shape[0])]
        self.lengths.set_lines(
            [
                Line(self.tr("entering the layer"), stream.entering[:, unit], "muted", dashed=True),
                Line(self.tr("attention adds"), stream.attention[:, unit], "curve_train"),
                Line(self.tr("feed-forward adds"), stream.feed_forward[:, unit], "curve_held_out", "s"),
            ],
            places,
            low=0.0,
        )
        self.cosines.set_lines(
            [
                Line(self.tr("attention with x"), stream.attention_cosine[:, unit], "curve_train"),
                Line(self.tr("feed-forward with m"), stream.feed_forward_cosine[:, unit], "curve_held_out", "s"),
            ],
            places,
            low=0.0,
        )
        token, words = selection.units(reading).labels[unit], selection.token_view.vectors_note
        self.lengths_card.set_hint(
            joined(self.tr("{token} · length of what each part adds to its vector").format(token=token), words)
        )
        self.cosines_card.set_hint(
            self.tr("{token} · cosine between what is added and what was there").format(token=token)
        )

    def _lengths_figure(self) -> Figure | None:
        return self._chart_figure(self.lengths, self.lengths_card)

    def _cosines_figure(self) -> Figure | None:
        return self._chart_figure(self.cosines, self.cosines_card)

    def _chart_figure(self, chart: LineChart, card: Card) -> Figure | None:
        if self.stream.answer is None or not chart.lines:
            return None
        values = np.stack([line.values for line in chart.lines])
        axes = Axis("part", [line.name for line in chart.lines]), Axis("layer", first=1)
        return self.figure(card.title, [chart], {"value": Numbers(values, axes)}, hint=card.hint, token=True)
