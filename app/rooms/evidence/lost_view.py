"""View "What would be lost?": parts are taken out one by one; and is the model right as often as it is sure?"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtWidgets import QFileDialog, QLayout, QWidget

from ...compute.evidence import Kind
from ...compute.evidence_questions import save_pruned
from ...figures.values import Side, Values, heads, layers
from ...look import mark, numbers, say, theme
from ...widgets.card import GAP_PX, button
from ...widgets.charts.bars import BarList
from ...widgets.controls import Choice
from ...widgets.curve_specs import CurveSpec
from ...widgets.layouts import hbox, vbox
from ..pictures import Bars, Cells, Lines
from .sentences import pruning_finding
from .view import EvidenceView, interval_bars

if TYPE_CHECKING:
    from bertcore.evidence.calibration import Calibration
    from bertcore.evidence.pruning import Part, Pruning

    from ...state.model_info import ModelInfo
    from ...state.readings import Reading
    from ...state.selection import Selection

CURVE_PX = 260
RANDOM = 100  # times that parts are taken out in random orders, about
RANDOM_ORDERS, RANDOM_EVERY = 20, 3  # of the steps at which heads are taken out so: all would take twice as long
MOST_PRUNED = 60  # rows that parts are taken out over, hundreds of times: drawn where there are more
WORDS_A_ROW = 20  # of a file of examples whose rows are not counted yet, about
TAKEN_OUT: dict[str, Any] = {
    "bottom_label": mark("parts taken out"),
    "at": mark("{x} taken out"),
    "method": mark("95% intervals, bootstrap by sentence or example, beside 20 random orders"),
}
STEPS = "[*zip(*((one.value, one.low, one.high) for one in found.{0})), found.random_{0}.mean(axis=0), {1}]"
OWN_ORDER = (
    CurveSpec("own", mark("the least important first"), "curve_train", markers=True),
    CurveSpec("low", mark("95% interval"), "faint", dashed=True),
    CurveSpec("high", mark("95% interval"), "faint", dashed=True),
    CurveSpec("random", mark("random orders, mean"), "curve_held_out", markers=True, symbol="s"),
    CurveSpec("best", mark("best random order"), "muted", dashed=True),
)


class LostView(EvidenceView):
    """A click on a curve chooses how many parts are out; a checkpoint without them can be saved.

    The loss is that of masked words; of a fine-tuned model also the share of right answers to labelled examples.
    """

    functions: ClassVar = {"pruning": "prune", "calibration": "calibration", "saved": save_pruned}
    head = "mlm"
    pictures = (
        Lines(
            key="loss",
            title=mark("The loss with ever fewer parts"),
            name=mark("Loss"),
            curves=OWN_ORDER,
            left_label=mark("loss of a masked word"),
            python=STEPS.format("loss", "found.random_loss.min(axis=0)"),
            **TAKEN_OUT,
        ),
        Lines(
            key="right",
            title=mark("Right answers with ever fewer parts"),
            name=mark("Right answers"),
            curves=(*OWN_ORDER, CurveSpec("always", mark("always the commonest answer"), "bad_text", dashed=True)),
            left_label=mark("share right"),
            python=STEPS.format("right", "found.random_right.max(axis=0), [found.always_right] * len(found.steps)"),
            includes_zero=True,
            **TAKEN_OUT,
        ),
        Cells(
            key="importance",
            title=mark("What each is worth"),
            name=mark("How much higher the loss is without it"),
            intro=mark("How much higher the loss is where only this one is taken out. They go in this order."),
            hovered=mark("head {row}·{column}: the loss is {value} higher without it"),
            number="mean_effect",
            saved_as="importance",
            python="found.importance.reshape(len(found.importance), -1)",
            axis_names=(mark("layer"), mark("head")),
        ),
        Bars(
            key="calibration",
            title=mark("Is it right as often as it is sure?"),
            name=mark("Share of right answers by how sure the model was"),
            intro=mark(
                "Rows: guesses by how sure the model was, and how many (grey). Bar: how many are right, with 95% "
                "interval. Yellow line: how sure it was on average."
            ),
            asks="calibration",
            saved_as="right",
            method=mark("95% intervals by Wilson"),
            python="[one.right.value for one in found.bins]",
            chart=partial(BarList, stretch_to_px=30, label_share=0.5),
        ),
    )
    stays = ("loss", "right")

    def lay_out_cards(self) -> QLayout:
        self.out = 0  # how many parts are taken out: the place on the curve that was clicked
        self._folder: Path | None = None  # that a person wants a checkpoint in ...
        self._saved = 0  # ... and how often so far
        self._model: ModelInfo | None = None
        measured = {"sentences": say("Masked words"), "examples": say("Labelled examples")}
        self.measured = Choice(say("What is measured"), measured, self._on_measured_chosen)
        parts: dict[Part, str] = {"head": say("Heads"), "layer": say("Layers")}
        self.part = Choice(say("What is taken out"), parts, self._on_part_chosen)
        self.save = button("", self._on_save_clicked, look="small")
        self.save.setToolTip(say("A checkpoint in which they add what they add on average; it opens everywhere"))
        curves = QWidget()
        curves.setMinimumHeight(theme.px(CURVE_PX))
        vbox(*((self.folded(key), 1) for key in self.stays), parent=curves, gap_px=GAP_PX)
        rows = self.in_rows(({curves: 1}, 3), ({self.folded("importance"): 2, self.folded("calibration"): 3}, 3))
        return vbox(
            hbox(self.measured, self.part, self.save, (self.own_line(self.asked["pruning"]), 1), gap_px=8),
            (rows, 1),
            gap_px=GAP_PX,
        )

    @property
    def needs(self) -> Kind:  # type: ignore[override]
        kind: Kind = self.measured.currentData()
        return kind

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        """A fine-tuned model is measured at its task first."""
        model = reading.request.model
        if model != self._model:
            self._model, before = model, self.needs
            self.measured.setCurrentIndex(int(model.task is not None))
            self.measured.setVisible(model.task is not None)
            if self.needs != before:
                self._on_measured_chosen()
        super().show_reading(reading, selection)

    def missing(self, reading: Reading) -> str:
        return "" if self.needs == "examples" else super().missing(reading)

    def arguments(self, asks: str, reading: Reading) -> tuple[Any, ...] | None:
        part = self.part.currentData()
        pruned = part, RANDOM_ORDERS, RANDOM_EVERY if part == "head" else 1, MOST_PRUNED
        if asks == "saved":
            return None if self._folder is None else (pruned, self.out, self._folder, self._saved)
        return pruned if asks == "pruning" else ()

    def passes(self, asks: str, model: ModelInfo) -> float:
        """Each part alone on one half of the rows; those in order of importance, and random ones, on the other."""
        if asks != "pruning" or self.collection is None:
            return 1.0
        parts = model.layers * (model.heads if self.part.currentData() == "head" else 1)
        rows = len(self.collection) or self.collection.words / WORDS_A_ROW
        return (parts + min(parts, 16) + RANDOM) / 2 * min(1.0, MOST_PRUNED / max(rows, 1))

    def draw_answer(self, asks: str) -> None:
        saved = self.asked["saved"]
        if asks == "saved" and self._folder is not None:
            text = say("Saved in {folder}: open it as any other model.", folder=str(self._folder))
            self.show_hovered(text if saved.answer is not None else saved.sentence)
        self.redraw()

    def values_of(self, key: str, found: Any) -> Values:
        if key == "calibration":
            return _calibration(found)
        return _importance(found) if key == "importance" else _curves(key, found, self.curve_names(key))

    def selected(self, key: str, side: Side, selection: Selection) -> int | None:
        if key in self.stays:
            return side.place_of(self.found.steps.index(self.out)) if self.out in self.found.steps else None
        return super().selected(key, side, selection)

    def clicked(self, key: str, row: int, column: int | None) -> None:
        if key in self.stays and column is not None:
            self.out = self.found.steps[min(max(column, 0), len(self.found.steps) - 1)]
            self.redraw(key)

    def finding_in(self, found: Pruning) -> str:
        return pruning_finding(found, by_answers=self.needs == "examples")

    @property
    def about(self) -> tuple[str, str]:
        return super().about if self.found is None else (self.found.name, self.found.sha256)

    def how_many(self, key: str, found: Any) -> str:
        if key == "calibration":
            return say("%Ln answer(s)", n=found.right.count)
        return say("measured on %Ln answer(s)", n=found.loss[0].count)

    def show_found(self, found: Pruning | None) -> None:
        for key in self.stays:
            self.cards[key].setVisible((key == "right") == (self.needs == "examples"))
        for key in (*self.stays, "importance") if found is None else ():
            self.cards[key].set_intro(
                say("Not computed yet: heads or layers are taken out one by one (Compute, above).")
            )
        self.save.setVisible(found is not None and self.out > 0)
        self.save.setText(say("Save a checkpoint without {count}…", count=numbers.count(self.out)))

    def _on_save_clicked(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, say("An empty folder for the checkpoint"))
        if chosen:
            self._folder, self._saved = Path(chosen), self._saved + 1
            self.redraw(*self.stays)

    def _on_part_chosen(self) -> None:
        self.out, self._folder = 0, None
        self.ask_again()

    def _on_measured_chosen(self) -> None:
        self._on_part_chosen()
        self.needs_changed.emit()


def _curves(key: str, found: Pruning, names: Side) -> Values:
    """The loss or the share of right answers, by how many parts are out."""
    own, random = (found.right, found.random_right) if key == "right" else (found.loss, found.random_loss)
    best = random.max(axis=0) if key == "right" else random.min(axis=0)
    curves = [[getattr(one, name) for one in own] for name in ("value", "low", "high")]
    array = np.array([*curves, random.mean(axis=0), best, np.full(len(own), found.always_right)])
    sides = names, Side("none", list(map(str, found.steps)), axis_name="taken out")
    hint = say("{all} random orders; measured on %Ln answer(s)", n=own[0].count, all=len(random))
    return Values(array[: len(names)], *sides, hint=hint)


def _importance(found: Pruning) -> Values:
    array = found.importance if found.importance.ndim == 2 else found.importance[:, None]
    limit = float(np.abs(array).max()) or 1.0
    texts = [[numbers.decimal(each) for each in row] for row in array.tolist()]
    columns = heads(array.shape[1]) if found.part == "head" else Side("none", ("",), axis_name="layer as a whole")
    return Values(array, layers(len(array)), columns, -limit, limit, texts)


def _calibration(found: Calibration) -> Values:
    """A bar for each class of answers of like confidence."""
    bins = found.bins
    write = numbers.percent
    names = [say("{low} to {high} sure", low=write(one.low), high=write(one.high)) for one in bins]
    return interval_bars(
        Side("class", names, axis_name="sure"),
        [one.right for one in bins],
        hint=say("off by {error} points on average", error=numbers.decimal(100 * found.error, 1)),
        tick=[one.confidence for one in bins],
        note=[numbers.count(one.right.count) for one in bins],
    )
