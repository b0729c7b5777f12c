"""View "Hidden states": how large each is after each layer, and how similar the tokens are after one of them."""

from functools import partial

import numpy as np

from bertcore.analysis.vectors import cosines, lengths

from ...figures.figure import joined
from ...figures.values import Values, stage_name, stages, tokens
from ...look import mark, numbers, say
from ...state import Reading, Selection
from ...widgets.charts.cells import LabelledGrid
from ..pictures import Cells
from ..values_view import ValuesView

LEAST_SPREAD = 0.001  # of the largest: a LayerNorm leaves all vectors equally large, up to rounding


class HiddenView(ValuesView):
    """Sizes (L2 norms) on the left, cosines at the chosen stage on the right."""

    pictures = (
        Cells(
            key="lengths",
            title=mark("Size of each hidden state"),
            name=mark("Size of each hidden state: rows are tokens, columns are layers"),
            hovered=mark("{row}, {column}: size {value}"),
            number="length",
            python="np.linalg.norm(t.hidden_states, axis=-1).T",
            width=2,
            folds=True,
        ),
        Cells(
            key="cosines",
            title=mark("How similar are the tokens?"),
            name=mark("Cosine similarity of each pair of tokens"),
            hovered=mark("{row} and {column}, {stage}: cosine {value}"),
            intro=mark("Each cell: two tokens. Red: they point the same way. No colour: unrelated. Blue: opposite."),
            difference=mark("Red: more similar now than with {baseline}. Blue: less similar."),
            number="cosine",
            python="(u := t.hidden_states[stage] / np.linalg.norm(t.hidden_states[stage], axis=1)[:, None]) @ u.T",
            follows=("stage",),
            width=3,
            chart=partial(LabelledGrid, square=True, signed=True, tilted=True),
        ),
    )

    def values(self, key: str, reading: Reading, selection: Selection) -> Values:
        units, states = selection.units(reading), reading.trace.hidden_states
        side, words = tokens(units), selection.token_view.vectors_note
        if key == "cosines":
            hint = joined(say("cosine of each pair, {stage}", stage=stage_name(selection.stage)), words)
            return Values(cosines(units.vectors(states[selection.stage])), side, side, -1, 1, hint=hint)
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
