"""What is drawn of a run, by its kind: the same three plots, with the losses and metrics that the kind has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from app.rooms.train import words
from app.rooms.train.metrics import metric_key
from app.runs.run_info import RunInfo
from app.state.task_info import metric_name
from app.widgets.curves import CurveSpec, PlotSpec

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
class RunLook:
    """The plots of a run and its two numbers."""

    specs: Specs
    loss: Number
    quality: Number
    tip: str


RATE = PlotSpec(
    "Step size",
    (
        CurveSpec("gradient_norm", "gradient norm", "curve_norm"),
        CurveSpec("learning_rate", "learning rate", "curve_rate", "{:.1e}".format, dashed=True, on_right=True),
    ),
    left_label="gradient norm",
    right_label="learning rate",
)
_SENTENCE_HELD_OUT = CurveSpec("sentence_right_held_out", "held out", "curve_nsp", words.percent, dots=True, symbol="s")
_LOSS_HELD_OUT = CurveSpec("loss_held_out", "held out, masked words", "curve_held_out", words.loss, dots=True)
LOSS = PlotSpec(
    "Loss",
    (
        CurveSpec("loss_next_word", "training, next word", "curve_rate", words.loss),
        CurveSpec("loss_masked", "training, masked words", "curve_train", words.loss),
        _LOSS_HELD_OUT,
    ),
    left_label="loss (nats)",
)
RIGHT = PlotSpec(
    "Right",
    (
        CurveSpec("words_right", "masked words", "curve_mlm", words.percent),
        CurveSpec("words_right_held_out", "held out", "curve_mlm", words.percent, dots=True),
        CurveSpec("sentence_right", "next sentence", "curve_nsp", words.percent, dashed=True),
        _SENTENCE_HELD_OUT,
    ),
    left_label="right",
    percent=True,
)
_DISTIL_LOSS = PlotSpec(
    "Loss",
    (
        CurveSpec("loss_soft", "against the teacher's words", "curve_nsp", words.loss, dashed=True),
        CurveSpec("loss_masked", "training, masked words", "curve_train", words.loss),
        _LOSS_HELD_OUT,
    ),
    left_label="loss (nats)",
)
_DISTIL_RIGHT = PlotSpec(
    "Right",
    (*RIGHT.curves[:2], replace(_SENTENCE_HELD_OUT, name="next sentence, held out")),
    left_label="right",
    percent=True,
)
_TASK_LOSS = PlotSpec(
    "Loss",
    (
        CurveSpec("loss_task", "training", "curve_train", words.loss),
        CurveSpec("loss_task_held_out", "held out", "curve_held_out", words.loss, dots=True),
    ),
    left_label="loss",
)
_WORDS_RIGHT = Number(("words_right_held_out",), ("held-out words right",), words.percent)
_WORDS_TIP = "Masked words, on text that the run never learns from; the newest measurement"
_PRETRAIN = RunLook(
    (LOSS, RIGHT, RATE), Number(("loss_masked",), ("masked-word loss",), words.loss), _WORDS_RIGHT, _WORDS_TIP
)
_DISTIL = RunLook(
    (_DISTIL_LOSS, _DISTIL_RIGHT, RATE),
    Number(("loss_masked",), ("masked-word loss",), words.loss),
    _WORDS_RIGHT,
    _WORDS_TIP,
)
_TASK_TIP = "On examples that the run never learns from; the newest measurement"


def look_of(info: RunInfo) -> RunLook:
    """The plots and numbers of a run's kind."""
    if info.kind == "distil":
        return _DISTIL
    if not info.metrics:
        return _PRETRAIN
    return RunLook(
        (_TASK_LOSS, _scores(info.metrics), RATE),
        Number(("loss_task",), ("training loss",), words.loss),
        Number(
            tuple(metric_key(metric) for metric in info.metrics),
            tuple(f"held-out {metric_name(metric)}" for metric in info.metrics),
            words.score,
        ),
        _TASK_TIP,
    )


def _scores(metrics: tuple[str, ...]) -> PlotSpec:
    """A plot of held-out metrics, the main one first."""
    curves = tuple(
        CurveSpec(metric_key(metric), metric_name(metric), color, words.score, dots=True, symbol=shape)
        for metric, color, shape in zip(metrics, _COLORS, _SHAPES, strict=False)
    )
    label = metric_name(metrics[0]) if len(metrics) == 1 else "score (1 is perfect)"
    return PlotSpec("Held out", curves, left_label=label)
