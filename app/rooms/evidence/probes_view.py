"""View "What can be read off?": the tag of a word from its hidden state, layer by layer, and what a probe learns by
heart."""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtWidgets import QLayout

from ...figures.values import Values, stages
from ...look import mark, numbers, say
from ...widgets.curve_specs import CurveSpec
from ..pictures import Lines
from .sentences import interval_text, probes_finding
from .view import EvidenceView

if TYPE_CHECKING:
    from bertcore.evidence.probing import Probes

CURVES = {  # picture -> its curves; "without" is that of no model: the commonest tag of each word
    "own": (
        CurveSpec("right", mark("its tag"), "curve_train", numbers.percent, markers=True),
        CurveSpec("unseen", mark("that of unseen words"), "curve_mlm", numbers.percent, markers=True, symbol="t"),
        CurveSpec("control", mark("random tags"), "curve_held_out", numbers.percent, markers=True, symbol="s"),
        CurveSpec("without", mark("without a model"), "muted", numbers.percent, dashed=True),
    ),
    "before": (
        CurveSpec("previous", mark("its tag"), "curve_train", numbers.percent, markers=True),
        CurveSpec("without", mark("without a model"), "muted", numbers.percent, dashed=True),
    ),
}
LABELS: dict[str, Any] = {
    "left_label": mark("share right"),
    "method": mark("95% intervals in the file, bootstrap by sentence; on the half that was not learned from"),
    "saved_as": "right",
    "includes_zero": True,
}
OF_LAYERS = "[[getattr(each, of).value for each in found.layers] for of in {}]"


class ProbesView(EvidenceView):
    """Click a place of a curve: all rooms show that layer."""

    needs, stays = "trees", ("own",)
    functions: ClassVar = {"probes": "probe"}
    counted = mark("measured on %Ln word(s)"), attrgetter("without.right.count")
    pictures = (
        Lines(
            key="own",
            title=mark("The word’s own tag"),
            name=mark("Tags read off"),
            intro=mark(
                "A probe, a linear classifier, learns to read a word’s part of speech (its tag) from the hidden state. "
                "Random tags it can only memorise: how far the other curves lie above that one is really in the states."
            ),
            curves=CURVES["own"],
            python=OF_LAYERS.format(("right", "unseen", "control"))
            + " + [[found.without.right.value] * len(found.layers)]",
            **LABELS,
        ),
        Lines(
            key="before",
            title=mark("The tag of the word before"),
            name=mark("The previous word’s tag"),
            intro=mark(
                "The word itself hardly tells it: where the curve rises, the state has learned of its neighbour."
            ),
            curves=CURVES["before"],
            python=OF_LAYERS.format(("previous",)) + " + [[found.without.previous.value] * len(found.layers)]",
            **LABELS,
        ),
    )

    def lay_out_cards(self) -> QLayout:
        return self.in_rows(({self.folded("own"): 3, self.folded("before"): 2}, 1))

    def values_of(self, key: str, found: Probes) -> Values:
        asked = CURVES[key][0].key
        curves = [[getattr(layer, curve.key) for layer in found.layers] for curve in CURVES[key][:-1]]
        curves.append([getattr(found.without, asked)] * len(found.layers))
        ends = np.array([[(one.value, one.low, one.high) for one in curve] for curve in curves])
        array, low, high = np.moveaxis(ends, -1, 0)
        words = say("%Ln word(s)", n=curves[0][-1].count)
        return Values(array, self.curve_names(key), stages(array.shape[1]), hint=words, more={"low": low, "high": high})

    def finding_in(self, found: Probes) -> str:
        return probes_finding(found, self.selection.stage)

    def sentence(self, key: str, row: int, column: int | None) -> str:
        layer = self.found.layers[min(column or 0, len(self.found.layers) - 1)]
        one, control = getattr(layer, CURVES[key][0].key), numbers.percent(layer.control.value, 1)
        text = mark("{share}, of {count} words; random tags {control}")
        return say(
            text,
            share=interval_text(one, partial(numbers.percent, digits=1)),
            count=numbers.count(one.count),
            control=control,
        )
