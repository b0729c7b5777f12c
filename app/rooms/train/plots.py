"""What is drawn of a run, by its kind: the same three plots, with the losses and metrics that the kind has."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from ...look import numbers
from ...runs.metrics import metric_key
from ...runs.run_info import RunInfo
from ...state.task_info import metric_name
from ...widgets.curve_specs import CurveSpec, PlotSpec

translate = QCoreApplication.translate
Specs = tuple[PlotSpec, PlotSpec, PlotSpec]
_COLORS = ("curve_held_out", "curve_mlm", "curve_nsp", "curve_rate")
_SHAPES = ("o", "s", "t", "d")  # dots of several curves differ in shape, too: circle, square, triangle, diamond


@dataclass(frozen=True)
class Number:
    """A big number: the newest point of the first of these curves that has one, and what it is."""

    curves: tuple[str, ...]
    units: tuple[str, ...]
    format: Callable[[float | None], str]


@dataclass(frozen=True)
class RunPlots:
    """The plots of a run and its two numbers."""

    specs: Specs
    loss: Number
    quality: Number
    tip: str  # for the number of quality


def plots_of(info: RunInfo) -> RunPlots:
    """The plots and numbers of a run's kind."""
    if info.kind == "distil":
        return _distillation()
    return _task(info.metrics) if info.metrics else _pretraining()


def _pretraining() -> RunPlots:
    loss = (
        CurveSpec("loss_next_word", translate("RunPlots", "training, next word"), "curve_rate", numbers.decimal),
        CurveSpec("loss_masked", translate("RunPlots", "training, masked words"), "curve_train", numbers.decimal),
        CurveSpec(
            "loss_held_out",
            translate("RunPlots", "held out, masked words"),
            "curve_held_out",
            numbers.decimal,
            dots=True,
        ),
    )
    right = (
        *_words_right(),
        CurveSpec("sentence_right", translate("RunPlots", "next sentence"), "curve_nsp", numbers.percent, dashed=True),
        _sentence_held_out(translate("RunPlots", "held out")),
    )
    return _language_model(loss, right)


def _distillation() -> RunPlots:
    loss = (
        CurveSpec(
            "loss_soft",
            translate("RunPlots", "against the teacher’s predictions"),
            "curve_nsp",
            numbers.decimal,
            dashed=True,
        ),
        CurveSpec("loss_masked", translate("RunPlots", "training, masked words"), "curve_train", numbers.decimal),
        CurveSpec(
            "loss_held_out",
            translate("RunPlots", "held out, masked words"),
            "curve_held_out",
            numbers.decimal,
            dots=True,
        ),
    )
    return _language_model(
        loss, (*_words_right(), _sentence_held_out(translate("RunPlots", "next sentence, held out")))
    )


def _task(metrics: tuple[str, ...]) -> RunPlots:
    """metrics: those of the task, the main one first."""
    loss = (
        CurveSpec("loss_task", translate("RunPlots", "training"), "curve_train", numbers.decimal),
        CurveSpec(
            "loss_task_held_out", translate("RunPlots", "held out"), "curve_held_out", numbers.decimal, dots=True
        ),
    )
    scores = tuple(
        CurveSpec(metric_key(metric), metric_name(metric), color, score, dots=True, symbol=shape)
        for metric, color, shape in zip(metrics, _COLORS, _SHAPES, strict=False)
    )
    label = metric_name(metrics[0]) if len(metrics) == 1 else translate("RunPlots", "score (1 is perfect)")
    held_out = translate("RunPlots", "held-out {metric}")
    return RunPlots(
        (
            PlotSpec(translate("RunPlots", "Loss"), loss, translate("RunPlots", "loss")),
            PlotSpec(translate("RunPlots", "Held out"), scores, label),
            _step_size(),
        ),
        Number(("loss_task",), (translate("RunPlots", "training loss"),), numbers.decimal),
        Number(
            tuple(metric_key(metric) for metric in metrics),
            tuple(held_out.format(metric=metric_name(metric)) for metric in metrics),
            score,
        ),
        translate("RunPlots", "On examples that the run never trains on; the latest measurement"),
    )


def _language_model(loss: tuple[CurveSpec, ...], right: tuple[CurveSpec, ...]) -> RunPlots:
    return RunPlots(
        (
            PlotSpec(translate("RunPlots", "Loss"), loss, translate("RunPlots", "loss (nats)")),
            PlotSpec(
                translate("RunPlots", "Correct predictions"), right, translate("RunPlots", "correct"), percent=True
            ),
            _step_size(),
        ),
        Number(("loss_masked",), (translate("RunPlots", "masked-word loss"),), numbers.decimal),
        Number(("words_right_held_out",), (translate("RunPlots", "held-out accuracy"),), numbers.percent),
        translate("RunPlots", "Masked words, in text that the run never trains on; the latest measurement"),
    )


def _step_size() -> PlotSpec:
    curves = (
        CurveSpec("gradient_norm", translate("RunPlots", "gradient norm"), "curve_norm"),
        CurveSpec("learning_rate", translate("RunPlots", "learning rate"), "curve_rate", dashed=True, on_right=True),
    )
    return PlotSpec(
        translate("RunPlots", "Step size"),
        curves,
        translate("RunPlots", "gradient norm"),
        translate("RunPlots", "learning rate"),
    )


def _words_right() -> tuple[CurveSpec, CurveSpec]:
    return (
        CurveSpec("words_right", translate("RunPlots", "masked words"), "curve_mlm", numbers.percent),
        CurveSpec("words_right_held_out", translate("RunPlots", "held out"), "curve_mlm", numbers.percent, dots=True),
    )


def _sentence_held_out(name: str) -> CurveSpec:
    return CurveSpec("sentence_right_held_out", name, "curve_nsp", numbers.percent, dots=True, symbol="s")


def score(value: float | None) -> str:
    """A metric as papers write it: 0.812."""
    return numbers.decimal(value, 3)
