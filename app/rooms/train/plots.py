"""What is drawn of a run, by its kind: what everybody wants to see, and more for experts. One thing in each plot."""

from collections.abc import Callable
from dataclasses import dataclass

from bertcore.runs.diagnosis import LARGE
from bertcore.runs.run_metrics import metric_key
from bertcore.training.distil_options import DistilOptions

from ...look import numbers, theme
from ...look.say import say
from ...runs.run_info import RunInfo
from ...state.task_info import SHARES, metric_form, metric_name
from ...widgets.curve_specs import CurveSpec, Level, PlotSpec
from .updates_picture import share

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
    return _task(info.metrics) if info.metrics else _OF_TEXT.get(info.kind, _pretraining)()


def _pretraining() -> RunPlots:
    return _language_model(
        (
            CurveSpec(
                "loss_next_word",
                say("training, next word"),
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
        say("against the teacher’s predictions"),
        "curve_nsp",
        numbers.decimal,
        dashed=True,
        noisy=True,
    )
    return _language_model((soft, *_masked_words_loss()))


_OF_TEXT = {DistilOptions.kind: _distillation}  # command -> its plots, where they are not those of pretraining


def _masked_words_loss() -> tuple[CurveSpec, CurveSpec]:
    training, held_out = say("training, masked words"), say("held-out text")
    return (
        CurveSpec("loss_masked", training, "curve_train", numbers.decimal, noisy=True),
        CurveSpec("loss_held_out", held_out, "curve_held_out", numbers.decimal, dots=True),
    )


def _language_model(loss: tuple[CurveSpec, ...]) -> RunPlots:
    training, held_out = say("training"), say("held-out text")
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
                say("Masked words guessed right"),
                words,
                say("right"),
                percent=True,
                sentence=say("How often its first guess is the word behind the mask."),
            ),
            PlotSpec(
                say("Next sentence guessed right"),
                sentences,
                say("right"),
                percent=True,
                sentence=say("Does B follow A? It does in half of the pairs: guessing gets 50% (dashed)."),
                # The sentence names it; on the line it would cover the curves, which come close to it.
                level=Level(0.5, say("guessing: 50%") if theme.is_projector() else ""),
            ),
        ),
        _for_experts(),
        Number(("loss_masked",), (say("masked-word loss"),), (numbers.decimal,)),
        Number(("words_right_held_out",), (say("held-out accuracy"),), (numbers.percent,)),
        say("Masked words, in text that the run never trains on; the latest measurement"),
    )


def _task(metrics: tuple[str, ...]) -> RunPlots:
    """metrics: those of the task, the main one first."""
    training, examples = say("training"), say("held-out examples")
    loss = (
        CurveSpec("loss_task", training, "curve_train", numbers.decimal, noisy=True),
        CurveSpec("loss_task_held_out", examples, "curve_held_out", numbers.decimal, dots=True),
    )
    scores = tuple(
        CurveSpec(metric_key(metric), metric_name(metric), color, metric_form(metric), dots=True, symbol=shape)
        for metric, color, shape in zip(metrics, _COLORS, _SHAPES, strict=False)
    )
    label = metric_name(metrics[0]) if len(metrics) == 1 else say("score (1 is perfect)")
    held_out = say("held-out {metric}")
    return RunPlots(
        (
            _loss(loss),
            PlotSpec(
                say("How well it does"),
                scores,
                label,
                percent=all(metric in SHARES for metric in metrics),
                sentence=say("On held-out examples, which it never trains on: 1 is perfect."),
            ),
        ),
        _for_experts(),
        Number(("loss_task",), (say("training loss"),), (numbers.decimal,)),
        Number(
            tuple(metric_key(metric) for metric in metrics),
            tuple(held_out.format(metric=metric_name(metric)) for metric in metrics),
            tuple(map(metric_form, metrics)),
        ),
        say("On examples that the run never trains on; the latest measurement"),
    )


def _loss(curves: tuple[CurveSpec, ...]) -> PlotSpec:
    return PlotSpec(
        say("Loss"),
        curves,
        say("loss: lower is better"),
        sentence=say(
            "The loss says how wrong its guesses are. If it falls in training but no longer on held-out text, "
            "the model has begun to memorise."
        ),
        may_be_logarithmic=True,
    )


def _for_experts() -> Specs:
    return (
        _expert(
            "learning_rate",
            say("Learning rate"),
            say("How far each step moves the weights, as planned. Too high, and the loss jumps or grows."),
            say("learning rate"),
            numbers.rate,
            may_be_logarithmic=True,
        ),
        _expert(
            "gradient_norm",
            say("Gradient norm"),
            say(
                "How hard a batch pulls on the weights. Steady is good. Does the loss rise after a peak? "
                "Try a lower learning rate."
            ),
            say("gradient norm"),
            noisy=True,
            may_be_logarithmic=True,
        ),
        PlotSpec(
            say("How far a step moves the weights"),
            (CurveSpec("update_ratio", say("the part that moves most"), "curve_train", share),),
            say("share of the weights"),
            percent=True,
            sentence=say(
                "How much a step changes the weights, as a share of their length. Healthy runs stay below the "
                "dashed line, {limit}.",
                limit=share(LARGE),
            ),
            level=Level(LARGE, ""),
            may_be_logarithmic=True,
        ),
        _expert(
            "speed",
            say("Speed"),
            say("Tokens read per second of training."),
            say("tokens/s"),
            noisy=True,
        ),
        _expert(
            "memory",
            say("Memory"),
            say("The most memory in use at once since the run was last started or resumed."),
            say("MB"),
        ),
        _expert(
            "cores",
            say("Processor"),
            say("How many processor cores the training uses, on average."),
            say("cores"),
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
