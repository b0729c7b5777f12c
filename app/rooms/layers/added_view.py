"""View "What layers add": how much attention and feed-forward add to one token's residual stream, layer by layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtWidgets import QLayout

from ...compute.model_text import text_of
from ...compute.question import Job, ReportOrCancel
from ...figures.figure import joined
from ...figures.values import Side, Values, layers
from ...look import mark, say
from ...state import Reading, ReadingRequest, Selection
from ...widgets.card import tip
from ...widgets.curve_specs import CurveSpec
from ..pictures import Lines
from ..values_view import ValuesView

if TYPE_CHECKING:
    from bertcore.analysis.residual import ResidualStream
    from bertcore.checkpoint.checkpoint import Checkpoint


BASELINE_CURVES = (
    CurveSpec("attention", mark("attention, baseline"), "curve_train", dashed=True),
    CurveSpec("feed_forward", mark("feed-forward, baseline"), "curve_held_out", dashed=True),
)


def stream_of(
    checkpoint: Checkpoint, request: ReadingRequest, members: tuple[tuple[int, ...], ...], _progress: ReportOrCancel
) -> ResidualStream:
    """members (U): the tokens of each unit."""
    from bertcore.analysis.residual import residual_stream

    text, changes = text_of(checkpoint.model, request.model_input), request.what_if.changes()
    return residual_stream(checkpoint.model, text, members=members, changes=changes)


ADDED = "np.stack([m.residual_stream(a, b)[part][:, position] for part in {}])"


class AddedView(ValuesView):
    """Lengths on the left, cosines with the vector they are added to on the right; both over layers."""

    pictures = (
        Lines(
            key="lengths",
            title=mark("How much each layer adds"),
            name=mark("Size of what is added"),
            curves=(
                CurveSpec("entering", mark("entering the layer"), "muted", markers=True, dashed=True),
                CurveSpec("attention", mark("attention adds"), "curve_train", markers=True),
                CurveSpec("feed_forward", mark("feed-forward adds"), "curve_held_out", markers=True, symbol="s"),
            ),
            baseline_curves=BASELINE_CURVES,
            left_label=mark("size"),
            includes_zero=True,
            saved_as="value",
            follows=("token",),
            asks="stream",
            python=ADDED.format(("entering", "attention", "feed_forward")),
        ),
        Lines(
            key="cosines",
            title=mark("Does it strengthen what was there?"),
            name=mark("Direction of what is added"),
            intro=mark(
                "Above 0: it strengthens what was there. At 0: it adds something new. Below 0: it takes some back."
            ),
            curves=(
                CurveSpec("attention", mark("attention"), "curve_train", markers=True),
                CurveSpec("feed_forward", mark("feed-forward"), "curve_held_out", markers=True, symbol="s"),
            ),
            baseline_curves=BASELINE_CURVES,
            left_label=mark("same direction (1), opposite (−1)"),
            includes_zero=True,
            saved_as="value",
            follows=("token",),
            asks="stream",
            python=ADDED.format(("attention_cosine", "feed_forward_cosine")),
            folds=True,
        ),
    )

    def lay_out(self) -> QLayout:
        about = say(
            "Attention: its cosine with what enters the layer (x). Feed-forward: its cosine with what "
            "attention has made of that (m)."
        )
        self.charts["cosines"].setToolTip(tip(about))
        return super().lay_out()

    def job(self, asks: str, reading: Reading, selection: Selection) -> Job | None:
        members = tuple(map(tuple, selection.units(reading).members))
        return Job(stream_of, (reading.request, members), (reading.request.model,)) if members else None

    def values(self, key: str, reading: Reading, selection: Selection) -> Values | None:
        unit, stream = selection.unit(reading), self.answer_of("stream", reading)
        curves = Side("part", ["attention", "feed_forward"])
        if unit is None:
            return Values(np.zeros((0, 0)), curves, layers(0))
        if stream is None:
            return None
        side, token = layers(len(stream.entering)), selection.units(reading).labels[unit]
        if key == "cosines":
            cosines = np.stack([stream.attention_cosine[:, unit], stream.feed_forward_cosine[:, unit]])  # (2,L)
            return Values(cosines, curves, side, hint=token)
        lengths = np.stack([one[:, unit] for one in (stream.entering, stream.attention, stream.feed_forward)])  # (3,L)
        most = (lengths[1:].argmax(axis=1) + 1).tolist()
        intro = say(
            "Higher: this part adds more; grey: what enters the layer, which LayerNorm brings back to one size. To "
            "“{token}”, attention adds most in layer {attention}, feed-forward in layer {feed_forward}.",
            token=token,
            attention=most[0],
            feed_forward=most[1],
        )
        hint = joined(token, selection.token_view.vectors_note)
        return Values(lengths, Side("part", ["entering", *curves.labels]), side, hint=hint, intro=intro)

    def drawn(self, reading: Reading, selection: Selection) -> None:
        text = say("x enters a layer; m = LayerNorm(x + attention); LayerNorm(m + feed-forward) goes on to the next.")
        if reading.request.model.config.norm == "pre":
            text = say(
                "x enters a layer; m = x + attention; m + feed-forward goes on to the next. Nothing is overwritten."
            )
        self.charts["lengths"].setToolTip(tip(text))
