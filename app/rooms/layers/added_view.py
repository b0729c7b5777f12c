"""View "What layers add": how much attention and feed-forward add to one token's residual stream, layer by layer."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ...compute.model_text import text_of
from ...figures.figure import Axis, Figure, Numbers, joined
from ...look.say import say
from ...widgets.card import GAP_PX, Card, note, tip
from ...widgets.curve_plot import CurvePlot
from ...widgets.curve_specs import CurveSpec, PlotSpec
from ...widgets.folding_card import folded_on_projector
from ...widgets.layouts import hbox
from .stages import LayersView

if TYPE_CHECKING:
    from bertcore.analysis.residual import ResidualStream
    from bertcore.checkpoint.checkpoint import Checkpoint

    from ...compute.question import Question, ReportOrCancel
    from ...state.readings import Reading, ReadingRequest
    from ...state.selection import Selection


def stream_of(
    checkpoint: Checkpoint, request: ReadingRequest, members: tuple[tuple[int, ...], ...], _progress: ReportOrCancel
) -> ResidualStream:
    """members (U): the tokens of each unit."""
    from bertcore.analysis.residual import residual_stream

    text, changes = text_of(checkpoint.model, request.model_input), request.what_if.changes()
    return residual_stream(checkpoint.model, text, members=members, changes=changes)


class AddedView(LayersView):
    """Lengths on the left, cosines with the vector they are added to on the right; both over layers."""

    def __init__(self) -> None:
        super().__init__()
        layer, at = say("layer"), say("layer {x}")
        self.lengths = CurvePlot(
            PlotSpec(
                say("Length of what is added"),
                (
                    CurveSpec("entering", say("entering the layer"), "muted", markers=True, dashed=True),
                    CurveSpec("attention", say("attention adds"), "curve_train", markers=True),
                    CurveSpec("feed_forward", say("feed-forward adds"), "curve_held_out", markers=True, symbol="s"),
                    *self._curves_before(),
                ),
                left_label=say("length (L2 norm)"),
                bottom_label=layer,
                at=at,
                includes_zero=True,
            )
        )
        self.cosines = CurvePlot(
            PlotSpec(
                say("Cosine with what was there"),
                (
                    CurveSpec("attention", say("attention"), "curve_train", markers=True),
                    CurveSpec("feed_forward", say("feed-forward"), "curve_held_out", markers=True, symbol="s"),
                    *self._curves_before(),
                ),
                left_label=say("cosine"),
                bottom_label=layer,
                at=at,
                includes_zero=True,
            )
        )
        self.lengths_card = Card(
            say("How much each layer adds"),
            intro=say("Higher: this part adds more. Compare with the grey line: what enters the layer."),
        )
        self.cosines_card = Card(
            say("In which direction"),
            intro=say(
                "Above 0: it confirms what was there (x or m). At 0: it adds something new. Below 0: it takes some of"
                " it back."
            ),
        )
        self.cosines.setToolTip(
            tip(
                say(
                    "Attention: its cosine with what enters the layer (x). Feed-forward: its cosine with what "
                    "attention has made of that (m)."
                )
            )
        )
        self._formula = note("")
        both = ["attention", "feed_forward"]
        for card, chart, keys in (
            (self.lengths_card, self.lengths, ["entering", *both]),
            (self.cosines_card, self.cosines, both),
        ):
            card.body.addWidget(chart, 1)
            card.set_figure(partial(self._chart_figure, chart, card, keys))
            chart.clicked.connect(lambda place: self.stage_clicked.emit(round(place) + 1))
        self.lengths_card.body.addWidget(self._formula)
        right = folded_on_projector(self.cosines_card, self.cosines_card.title)
        hbox((self.lengths_card, 1), (right, 1), parent=self, gap_px=GAP_PX)
        self._shown: tuple[object, ...] = ()  # what the curves are of: the streams of both, and their units
        self.stream = self.add_question(self._on_stream_answered)
        self.baseline_stream = self.add_question(self._on_stream_answered)

    def _curves_before(self) -> tuple[CurveSpec, ...]:
        """Of the baseline."""
        return (
            CurveSpec("attention_before", say("attention, baseline"), "curve_train", dashed=True),
            CurveSpec("feed_forward_before", say("feed-forward, baseline"), "curve_held_out", dashed=True),
        )

    def _show_names(self, is_compared: bool) -> None:
        """The legend has the baseline's curves while there are some."""
        for chart in (self.lengths, self.cosines):
            kept = [curve for curve in chart.spec.curves if is_compared or not curve.key.endswith("_before")]
            chart.set_names({curve.key: curve.name for curve in kept})

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        self._formula.setText(
            say("x enters a layer; m = x + attention; m + feed-forward goes on to the next. Nothing is overwritten.")
            if reading.request.model.config.norm == "pre"
            else say("x enters a layer; m = LayerNorm(x + attention); LayerNorm(m + feed-forward) goes on to the next.")
        )

        self._shown = ()
        if len(selection.units(reading)):
            self._ask(self.stream, reading, selection)
            self._ask(self.baseline_stream, reading.baseline, selection)
        else:
            self.stream.clear()
            self.baseline_stream.clear()
            self.lengths.set_points({})
            self.cosines.set_points({})
        self._show_names(reading.baseline is not None)
        self.show_selection(reading, selection)

    def _ask(self, question: Question[ResidualStream], reading: Reading | None, selection: Selection) -> None:
        if reading is None or not len(selection.units(reading)):
            question.clear()
            return
        members = tuple(map(tuple, selection.units(reading).members))
        question.ask_model(reading.request.model, stream_of, reading.request, members, pause_ms=self.pause_ms)

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
        theirs = self.baseline_stream.answer
        place = None if unit is None else reading.places_in_baseline(selection.token_view)[unit]
        if unit is None or self._shown == (stream, unit, theirs, place):
            return
        self._shown = stream, unit, theirs, place
        layers = len(stream.entering)
        x, places = np.arange(layers), [str(layer) for layer in range(1, layers + 1)]
        lengths = {
            "entering": stream.entering,
            "attention": stream.attention,
            "feed_forward": stream.feed_forward,
        }  # (L,U) each
        cosines = {"attention": stream.attention_cosine, "feed_forward": stream.feed_forward_cosine}
        before = (
            ({}, {})
            if theirs is None or place is None
            else (
                {"attention_before": theirs.attention, "feed_forward_before": theirs.feed_forward},
                {"attention_before": theirs.attention_cosine, "feed_forward_before": theirs.feed_forward_cosine},
            )
        )
        for chart, values, others in ((self.lengths, lengths, before[0]), (self.cosines, cosines, before[1])):
            points = {key: (x, one[:, unit]) for key, one in values.items()}
            for key, one in others.items():
                points[key] = x[: len(one)], one[:layers, place]
            chart.set_points(points, places)
        token, words = selection.units(reading).labels[unit], selection.token_view.vectors_note
        self.lengths_card.set_hint(
            joined(say("{token} · length of what each part adds to its vector", token=token), words)
        )
        self.cosines_card.set_hint(say("{token} · cosine between what is added and what was there", token=token))

    def _chart_figure(self, chart: CurvePlot, card: Card, keys: list[str]) -> Figure | None:
        if self.stream.answer is None:
            return None
        names = [*keys, "attention_before", "feed_forward_before"]
        keys = [key for key in names if len(chart.points(key)[1]) == len(chart.points(keys[0])[1])]
        values = np.stack([chart.points(key)[1] for key in keys])
        numbers = {"value": Numbers(values, (Axis("part", keys), Axis("layer", first=1)))}
        return self.figure(card.title, [chart], numbers, hint=card.hint, token=True)
