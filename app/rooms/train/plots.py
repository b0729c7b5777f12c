"""What is drawn of a run, by its kind: what everybody wants to see, and more for experts. One thing in each plot."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from bertcore.runs.diagnosis import LARGE
from bertcore.runs.run_metrics import metric_key

from ...look import numbers, theme
from ...runs.run_info import RunInfo
from ...state.task_info import SHARES, metric_form, metric_name
from ...widgets.curve_specs import CurveSpec, Level, PlotSpec
from .updates_picture import share

translate = QCoreApplication.translate
Specs = tuple[PlotSpec, ...]
_COLORS = ("curve_held_out", "curve_mlm", "curve_nsp", "curve_rate")
_SHAPES = ("o", "s", "t", "d")  # dots of several curves differ in shape, too: circle, square, triangle, diamond


@dataclass(frozen=True)
class Number:
    """A big number: the newest point of the first of these curves that has one, what it is, and how it is written."""

    curves: tuple[str, ...]
    units: tuple[str, ...]
    formats: tuple[Callable[[float | None], str], ...]


@dataclass(frozen=True)
class RunPlots:
    """The plots of a run and its two numbers."""

    specs: Specs
    more: Specs  # for experts
    loss: Number
    quality: Number
    tip: str  # for the number of quality


def plots_of(info: RunInfo) -> RunPlots:
    """The plots and numbers of a run's kind."""
    if info.kind == "distil":
        return _distillation()
    return _task(info.metrics) if info.metrics else _pretraining()


def _pretraining() -> RunPlots:
    return _language_model(
        (
            CurveSpec(
                "loss_next_word",
                translate("RunPlots", "training, next word"),
                "curve_rate",
                numbers.decimal,
                dashed=True,
                noisy=True,
            ),
            *_masked_words_loss(),
        )
    )


def _distillation() -> RunPlots:
    soft = CurveSpec(
        "loss_soft",
        translate("RunPlots", "against the teacher’s predictions"),
        "curve_nsp",
        numbers.decimal,
        dashed=True,
        noisy=True,
    )
    return _language_model((soft, *_masked_words_loss()))


def _masked_words_loss() -> tuple[CurveSpec, CurveSpec]:
    training, held_out = translate("RunPlots", "training, masked words"), translate("RunPlots", "held-out text")
    return (
        CurveSpec("loss_masked", training, "curve_train", numbers.decimal, noisy=True),
        CurveSpec("loss_held_out", held_out, "curve_held_out", numbers.decimal, dots=True),
    )


def _language_model(loss: tuple[CurveSpec, ...]) -> RunPlots:
    training, held_out = translate("RunPlots", "training"), translate("RunPlots", "held-out text")
    words = (
        CurveSpec("words_right", training, "curve_train", numbers.percent, noisy=True),
        CurveSpec("words_right_held_out", held_out, "curve_held_out", numbers.percent, dots=True),
    )
    sentences = (
        CurveSpec("sentence_right", training, "curve_train", numbers.percent, noisy=True),
        CurveSpec("sentence_right_held_out", held_out, "curve_held_out", numbers.percent, dots=True),
    )
    return RunPlots(
        (
            _loss(loss),
            PlotSpec(
                translate("RunPlots", "Masked words guessed right"),
                words,
                translate("RunPlots", "right"),
                percent=True,
                sentence=translate("RunPlots", "How often its first guess is the word behind the mask."),
            ),
            PlotSpec(
                translate("RunPlots", "Next sentence guessed right"),
                sentences,
                translate("RunPlots", "right"),
                percent=True,
                sentence=translate(
                    "RunPlots", "Does B follow A? It does in half of the pairs: guessing gets 50% (dashed)."
                ),
                # The sentence names it; on the line it would cover the curves, which come close to it.
                level=Level(0.5, translate("RunPlots", "guessing: 50%") if theme.is_projector() else ""),
            ),
        ),
        _for_experts(),
        Number(("loss_masked",), (translate("RunPlots", "masked-word loss"),), (numbers.decimal,)),
        Number(("words_right_held_out",), (translate("RunPlots", "held-out accuracy"),), (numbers.percent,)),
        translate("RunPlots", "Masked words, in text that the run never trains on; the latest measurement"),
    )


def _task(metrics: tuple[str, ...]) -> RunPlots:
    """metrics: those of the task, the main one first."""
    training, examples = translate("RunPlots", "training"), translate("RunPlots", "held-out examples")
    loss = (
        CurveSpec("loss_task", training, "curve_train", numbers.decimal, noisy=True),
        CurveSpec("loss_task_held_out", examples, "curve_held_out", numbers.decimal, dots=True),
    )
    scores = tuple(
        CurveSpec(metric_key(metric), metric_name(metric), color, metric_form(metric), dots=True, symbol=shape)
        for metric, color, shape in zip(metrics, _COLORS, _SHAPES, strict=False)
    )
    label = metric_name(metrics[0]) if len(metrics) == 1 else translate("RunPlots", "score (1 is perfect)")
    held_out = translate("RunPlots", "held-out {metric}")
    return RunPlots(
        (
            _loss(loss),
            PlotSpec(
                translate("RunPlots", "How well it does"),
                scores,
                label,
                percent=all(metric in SHARES for metric in metrics),
                sentence=translate("RunPlots", "On held-out examples, which it never trains on: 1 is perfect."),
            ),
        ),
        _for_experts(),
        Number(("loss_task",), (translate("RunPlots", "training loss"),), (numbers.decimal,)),
        Number(
            tuple(metric_key(metric) for metric in metrics),
            tuple(held_out.format(metric=metric_name(metric)) for metric in metrics),
            tuple(map(metric_form, metrics)),
        ),
        translate("RunPlots", "On examples that the run never trains on; the latest measurement"),
    )


def _loss(curves: tuple[CurveSpec, ...]) -> PlotSpec:
    return PlotSpec(
        translate("RunPlots", "Loss"),
        curves,
        translate("RunPlots", "loss: lower is better"),
        sentence=translate(
            "RunPlots",
            "The loss says how wrong its guesses are. If it falls in training but no longer on held-out text, "
            "the model has begun to memorise.",
        ),
        may_be_logarithmic=True,
    )


def _for_experts() -> Specs:
    return (
        _expert(
            "learning_rate",
            translate("RunPlots", "Learning rate"),
            translate(
                "RunPlots", "How far each step moves the weights, as planned. Too high, and the loss jumps or grows."
            ),
            translate("RunPlots", "learning rate"),
            numbers.rate,
            may_be_logarithmic=True,
        ),
        _expert(
            "gradient_norm",
            translate("RunPlots", "Gradient norm"),
            translate(
                "RunPlots",
                "How hard a batch pulls on the weights. Steady is good. Does the loss rise after a peak? "
                "Try a lower learning rate.",
            ),
            translate("RunPlots", "gradient norm"),
            noisy=True,
            may_be_logarithmic=True,
        ),
        PlotSpec(
            translate("RunPlots", "How far a step moves the weights"),
            (CurveSpec("update_ratio", translate("RunPlots", "the part that moves most"), "curve_train", share),),
            translate("RunPlots", "share of the weights"),
            percent=True,
            sentence=translate(
                "RunPlots",
                "How much a step changes the weights, as a share of their length. Healthy runs stay below the "
                "dashed line, {limit}.",
            ).format(limit=share(LARGE)),
            level=Level(LARGE, ""),
            may_be_logarithmic=True,
        ),
        _expert(
            "speed",
            translate("RunPlots", "Speed"),
            translate("RunPlots", "Tokens read per second of training."),
            translate("RunPlots", "tokens/s"),
            noisy=True,
        ),
        _expert(
            "memory",
            translate("RunPlots", "Memory"),
            translate("RunPlots", "The most memory in use at once since the run was last started or resumed."),
            translate("RunPlots", "MB"),
        ),
        _expert(
            "cores",
            translate("RunPlots", "Processor"),
            translate("RunPlots", "How many processor cores the training uses, on average."),
            translate("RunPlots", "cores"),
            noisy=True,
        ),
    )


def _expert(
    key: str,
    title: str,
    sentence: str,
    unit: str,
    form: Callable[[float], str] = numbers.number,
    *,
    noisy: bool = False,
    may_be_logarithmic: bool = False,
) -> PlotSpec:
    """One curve, named after what it counts."""
    curve = CurveSpec(key, unit, "curve_train", form, noisy=noisy)
    return PlotSpec(
        title,
        (curve,),
        unit,
        includes_zero=not may_be_logarithmic,
        sentence=sentence,
        may_be_logarithmic=may_be_logarithmic,
    )
