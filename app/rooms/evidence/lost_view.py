"""View "What would be lost?": parts are taken out one by one; and is the model right as often as it is sure?"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtWidgets import QFileDialog, QLayout

from ...compute.evidence_scores import MOST_PRUNED, Part, calibration_of, pruning_of, save_pruned
from ...figures.values import Side, Values, heads, layers
from ...look import numbers, theme
from ...look.say import mark, say
from ...widgets.card import GAP_PX, button
from ...widgets.charts.bars import BarList
from ...widgets.charts.cells import LabelledGrid
from ...widgets.controls import Choice
from ...widgets.curve_specs import CurveSpec
from ...widgets.layouts import hbox, vbox
from ..pictures import Bars, Cells, Lines
from .sentences import pruning_finding
from .view import EvidenceView

if TYPE_CHECKING:
    from bertcore.evidence.calibration import Calibration
    from bertcore.evidence.pruning import Pruning

    from ...state.model_info import ModelInfo
    from ...state.readings import Reading
    from ...state.selection import Selection

CURVE_PX = 260
PASSES = 200.0  # over the texts, about: each part alone, then twenty random orders beside that of importance
PARTS: tuple[tuple[Part, str], ...] = (("head", mark("Heads")), ("layer", mark("Layers")))


class LostView(EvidenceView):
    """A click on the curve chooses how many parts are out; a checkpoint without them can be saved."""

    shows, guesses = "pruning", True
    asks: ClassVar = {"saved": False}
    pictures = (
        Lines(
            key="loss",
            title=mark("The loss with ever fewer parts"),
            name=mark("Loss"),
            curves=(
                CurveSpec("loss", mark("the least important first"), "curve_train", markers=True),
                CurveSpec("low", mark("95% interval"), "faint", dashed=True),
                CurveSpec("high", mark("95% interval"), "faint", dashed=True),
                CurveSpec("random", mark("random orders, mean"), "curve_held_out", markers=True, symbol="s"),
                CurveSpec("best", mark("best random order"), "muted", dashed=True),
            ),
            left_label=mark("loss of a masked word (nats)"),
            bottom_label=mark("parts taken out"),
            at=mark("{x} taken out"),
            width=3,
        ),
        Cells(
            key="importance",
            title=mark("What each is worth"),
            name=mark("How much higher the loss is without it"),
            intro=mark("How much higher the loss is without this one alone, on the half that they are ordered by."),
            hovered=mark("head {row}·{column}: the loss is {value} higher without it"),
            number="mean_effect",
            saved_as="importance",
            axis_names=(mark("layer"), mark("head")),
            chart=LabelledGrid,
            folds=True,
            width=2,
        ),
        Bars(
            key="calibration",
            title=mark("Right as often as sure?"),
            name=mark("Share of right answers by how sure the model was"),
            intro=mark("Bar: how many of these guesses are right, with its interval. Orange line: how sure it was."),
            asks="calibration",
            saved_as="right",
            chart=partial(BarList, stretch_to_px=30),
            folds=True,
        ),
    )

    def lay_out_cards(self) -> QLayout:
        self.out = 0  # how many parts are taken out: the place on the curve that was clicked
        self._folder: Path | None = None  # that a person wants a checkpoint in
        self.part = Choice(say("What is taken out"))
        for key, title in PARTS:
            self.part.addItem(say(title), key)
        self.part.activated.connect(self._on_part_chosen)
        self.save = button("", self._on_save_clicked, look="small")
        self.save.setToolTip(say("A checkpoint in which they add what they add on average; it opens everywhere"))
        for made in (self.part, self.save):
            self.cards["loss"].add_to_header(made)
        curve, grid, bars = (self.folded(picture.key) for picture in self.pictures)
        if theme.is_projector():
            return hbox((curve, 1), grid, bars, gap_px=GAP_PX)
        curve.setMinimumHeight(theme.px(CURVE_PX))
        return vbox((curve, 3), (hbox((grid, 2), (bars, 3), gap_px=GAP_PX), 3), gap_px=GAP_PX)

    def question(
        self, asks: str, reading: Reading, selection: Selection
    ) -> tuple[Callable[..., Any], tuple[Any, ...]] | None:
        if asks == "calibration":
            return calibration_of, ()
        if asks == "pruning":
            return pruning_of, (self.part.currentData(),)
        return None if self._folder is None else (save_pruned, (self.part.currentData(), self.out, self._folder))

    def passes(self, asks: str, model: ModelInfo) -> float:
        return PASSES * min(1.0, MOST_PRUNED / max(len(self.collection or ()), 1)) if asks == "pruning" else 1.0

    def draw_answer(self, asks: str) -> None:
        saved = self.asked["saved"]
        if asks == "saved" and self._folder is not None:
            text = say("Saved in {folder}: open it as any other model.", folder=str(self._folder))
            self.show_hovered(text if saved.answer is not None else saved.sentence)
        self.redraw()

    def values_of(self, key: str, found: Any, selection: Selection) -> Values:
        if key == "calibration":
            return _calibration(found)
        if key == "importance":
            count, limit = len(found.importance), float(np.abs(found.importance).max()) or 1.0
            array = found.importance if found.importance.ndim == 2 else found.importance[:, None]
            texts = [[numbers.decimal(each) for each in row] for row in array.tolist()]
            width = array.shape[1]
            columns = heads(width) if found.part == "head" else Side("none", ("",), axis_name="layer as a whole")
            return Values(array, layers(count), columns, -limit, limit, texts)
        loss, random = found.loss, found.random_loss
        curves = [[one.value for one in loss], [one.low for one in loss], [one.high for one in loss]]
        array = np.array([*curves, random.mean(axis=0), random.min(axis=0)])
        names = [curve.name for curve in self._pictures["loss"].curves]  # type: ignore[attr-defined]
        sides = Side("none", names), Side("none", list(map(str, found.steps)), axis_name="taken out")
        rows = numbers.count(len(found.loss) and found.loss[0].count)
        hint = say("{all} random orders; measured on {rows} sentences", all=len(random), rows=rows)
        return Values(array, *sides, hint=hint)

    def selected(self, key: str, side: Side, selection: Selection) -> int | None:
        found = self.found
        if key == "loss":
            return side.place_of(found.steps.index(self.out)) if found and self.out in found.steps else None
        return super().selected(key, side, selection)

    def clicked(self, key: str, row: int, column: int | None) -> None:
        found = self.found
        if key == "loss" and found is not None and column is not None:
            self.out = found.steps[min(max(column, 0), len(found.steps) - 1)]
            self.redraw("loss")

    def finding_in(self, found: Pruning, selection: Selection) -> str:
        return pruning_finding(found)

    def how_many(self, key: str) -> str:
        found = self.found
        return (
            "" if found is None or key == "calibration" else say("measured on %Ln sentence(s)", n=found.loss[0].count)
        )

    def drawn(self, reading: Reading, selection: Selection) -> None:
        super().drawn(reading, selection)
        found = self.found
        self.save.setVisible(found is not None and self.out > 0)
        self.save.setText(say("Save a checkpoint without {count}…", count=numbers.count(self.out)))

    def _on_save_clicked(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, say("An empty folder for the checkpoint"))
        if chosen:
            self._folder = Path(chosen)
            self.redraw("loss")

    def _on_part_chosen(self) -> None:
        self.out, self._folder = 0, None
        self.ask_again()


def _calibration(found: Calibration) -> Values:
    """A bar for each class of answers of like confidence."""
    bins = found.bins
    names = [f"{numbers.percent(one.low)} – {numbers.percent(one.high)}" for one in bins]
    detail = {
        "low": [one.right.low for one in bins],
        "high": [one.right.high for one in bins],
        "tick": [one.confidence for one in bins],
        "note": [numbers.count(one.right.count) for one in bins],
    }
    texts = [[numbers.percent(one.right.value)] for one in bins]
    hint = say("off by {error} points on average", error=numbers.decimal(100 * found.error, 1))
    array = np.array([one.right.value for one in bins])
    return Values(array, Side("class", names, axis_name="sure"), high=1.0, texts=texts, detail=detail, hint=hint)
