"""View "What can be read off?": the tag of a word from its hidden state, layer by layer, and what a probe learns by
heart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtWidgets import QLayout

from ...compute.evidence_questions import probes_of
from ...figures.figure import Axis, Numbers
from ...figures.values import Side, Values, stages
from ...look import numbers, theme
from ...look.say import mark, say
from ...widgets.card import GAP_PX
from ...widgets.curve_specs import CurveSpec
from ...widgets.layouts import hbox
from ..pictures import Lines
from .sentences import probes_finding, share_text
from .view import EvidenceView

if TYPE_CHECKING:
    from bertcore.evidence.probing import Probes

CURVES = {  # picture -> its curves; "without" is that of no model: the commonest tag of each word
    "own": (
        CurveSpec("right", mark("its tag"), "curve_train", markers=True),
        CurveSpec("unseen", mark("of words never seen"), "curve_mlm", markers=True, symbol="t"),
        CurveSpec("control", mark("a tag by chance for each word"), "curve_held_out", markers=True, symbol="s"),
        CurveSpec("without", mark("without a model"), "muted", dashed=True),
    ),
    "before": (
        CurveSpec("previous", mark("the tag of the word before"), "curve_train", markers=True),
        CurveSpec("without", mark("without a model"), "muted", dashed=True),
    ),
}
LABELS: dict[str, Any] = {
    "left_label": mark("share right"),
    "saved_as": "right",
    "includes_zero": True,
}


class ProbesView(EvidenceView):
    """Click a place of a curve: all rooms show that layer."""

    needs, stays = "trees", ("own",)
    functions: ClassVar = {"probes": probes_of}
    pictures = (
        Lines(
            key="own",
            title=mark("The word’s own tag"),
            name=mark("Tags read off"),
            intro=mark(
                "A probe is a linear reader of hidden states. Only what lies above the squares is in the states: a tag "
                "by chance for each word can only be learned by heart."
            ),
            curves=CURVES["own"],
            **LABELS,
        ),
        Lines(
            key="before",
            title=mark("The tag of the word before"),
            name=mark("The previous word’s tag"),
            intro=mark("A word alone cannot tell it: where the curve rises, the context has arrived."),
            curves=CURVES["before"],
            **LABELS,
        ),
    )

    def lay_out_cards(self) -> QLayout:
        own, before = (self.folded(picture.key) for picture in self.pictures)
        return hbox((own, 3), (before, 0 if theme.is_projector() else 2), gap_px=GAP_PX)

    def values_of(self, key: str, found: Probes) -> Values:
        asked = CURVES[key][0].key
        alone = [getattr(found.without, asked)] * len(found.layers)
        curves = [
            alone if curve.key == "without" else [getattr(layer, curve.key) for layer in found.layers]
            for curve in CURVES[key]
        ]
        array = np.array([[one.value for one in curve] for curve in curves])
        words = say("%Ln word(s)", n=getattr(found.layers[-1], asked).count)
        names = Side("none", [say(curve.name) for curve in CURVES[key]])
        return Values(array, names, stages(array.shape[1]), hint=words)

    def sentence(self, key: str, row: int, column: int | None) -> str:
        found: Probes | None = self.found
        if found is None or column is None:
            return ""
        layer = found.layers[min(column, len(found.layers) - 1)]
        one, control = getattr(layer, CURVES[key][0].key), numbers.percent(layer.control.value, 1)
        text = mark("{share}, of {count} words; by heart {control}")
        return say(text, share=share_text(one, 1), count=numbers.count(one.count), control=control)

    def finding_in(self, found: Probes) -> str:
        return probes_finding(found)

    def how_many(self, key: str, found: Probes) -> str:
        return say("measured on %Ln word(s)", n=found.without.right.count)

    def numbers(self, key: str) -> dict[str, Numbers]:
        found: Probes | None = self.found
        arrays = super().numbers(key)
        if found is not None:
            shown = [getattr(layer, CURVES[key][0].key) for layer in found.layers]
            ends = np.array([[one.low for one in shown], [one.high for one in shown]])
            arrays["interval"] = Numbers(ends, (Axis("end", ("low", "high")), self.shown[key].axes[1]))
        return arrays
