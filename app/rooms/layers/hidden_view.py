"""View "Hidden states": how similar the tokens are after a layer; folded away, how large each is after each layer."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtWidgets import QLayout

from bertcore.analysis.vectors import cosines, lengths

from ...figures.figure import joined
from ...figures.values import Values, stage_name, stages, tokens
from ...look import mark, numbers, say
from ...state import Reading, Selection
from ...widgets.card import GAP_PX
from ...widgets.charts.bars import BarList
from ...widgets.charts.cells import LabelledGrid
from ...widgets.folding_card import FoldingCard
from ...widgets.layouts import hbox
from ..pictures import Bars, Cells
from ..values_view import ValuesView

COSINES = "((u := t.hidden_states[stage] / np.linalg.norm(t.hidden_states[stage], axis=1)[:, None]) @ u.T)"
LEAST_SPREAD = 0.001  # of the largest: a LayerNorm leaves all vectors equally large, up to rounding


class HiddenView(ValuesView):
    """Cosines at the chosen stage, beside them those of the selected token; behind a tab, sizes (L2 norms)."""

    pictures = (
        Cells(
            key="cosines",
            title=mark("How similar are the tokens?"),
            name=mark("Cosine similarity of each pair of tokens"),
            hovered=mark("{row} and {column}, {stage}: similarity {value}"),
            intro=mark(
                "Each cell: two tokens. Red: their numbers are alike (1). No colour: unrelated. Blue: opposite."
            ),
            difference=mark("Red: more similar now than with {baseline}. Blue: less similar."),
            number="cosine",
            python=COSINES,
            follows=("stage",),
            width=3,
            chart=partial(LabelledGrid, square=True, signed=True, tilted=True),
        ),
        Bars(
            key="nearest",
            title=mark("Most similar to the selected token"),
            name=mark("Similarity of the other tokens to the selected one, the highest first"),
            intro=mark("Click another token, or move the slider: what makes two words alike, early and late?"),
            number="cosine",
            python=f"-np.sort(-np.delete({COSINES}[position], position))",
            follows=("token", "stage"),
            chart=partial(BarList, stretch_to_px=44, may_cut=True),
            notes_positions=True,
            width=2,
            folds=True,
        ),
        Cells(
            key="lengths",
            title=mark("Size of each hidden state"),
            name=mark("Size of each hidden state: rows are tokens, columns are layers"),
            hovered=mark("{row}, {column}: size {value}"),
            number="length",
            python="np.linalg.norm(t.hidden_states, axis=-1).T",
            width=2,
        ),
    )

    def lay_out(self) -> QLayout:
        sizes = FoldingCard(self.cards["lengths"], self.cards["lengths"].title)
        sizes.set_foldable(True)
        return hbox((self.cards["cosines"], 3), (self.folded("nearest"), 2), (sizes, 2), gap_px=GAP_PX)

    def values(self, key: str, reading: Reading, selection: Selection) -> Values:
        units, states = selection.units(reading), reading.trace.hidden_states
        side, words = tokens(units), selection.token_view.vectors_note
        if key != "lengths":
            alike, stage = cosines(units.vectors(states[selection.stage])), stage_name(selection.stage)
            if key == "cosines":
                return Values(alike, side, side, -1, 1, hint=joined(stage, words))
            unit = selection.unit(reading)
            if unit is None:
                return Values(np.zeros(0), side.some([]), high=1)
            order = [one for one in np.argsort(-alike[unit], kind="stable").tolist() if one != unit]
            return Values(alike[unit][order], side.some(order), high=1, hint=joined(units.labels[unit], stage))
        # One layer at a time: words are merged in double precision.
        sizes = np.stack([lengths(units.vectors(one)) for one in states], axis=1)  # (U,L+1)
        begins_at_zero = not sizes.size or np.ptp(sizes) < LEAST_SPREAD * sizes.max()
        is_pre = reading.request.model.config.norm == "pre"
        hint = joined(say("the last column is after the model’s final LayerNorm") if is_pre else "", words)
        what = say("Row: a token. Column: a layer. Stronger colour: numbers farther from zero (L2 norm).")
        why = say("Each layer ends with a LayerNorm, which keeps sizes close together.")
        if is_pre:
            why = say("Each layer adds to them: the larger they are, the less one more layer changes them.")
        low = 0.0 if begins_at_zero else float(sizes.min())
        begin = say("Colours begin at {low}, not 0.", low=numbers.number(low)) if low else ""
        intro = f"{what} {why} {begin}".strip()
        return Values(np.ascontiguousarray(sizes), side, stages(len(states)), low, hint=hint, intro=intro)
