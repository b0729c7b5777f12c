"""What is drawn of a run, by its kind: what everybody wants to see, and more for experts. One thing in each plot."""

from collections.abc import Callable
from dataclasses import dataclass

from bertcore.runs.diagnosis import LARGE
from bertcore.runs.run_metrics import metric_key
from bertcore.training.distil_options import DistilOptions

from ....look import numbers, say, theme
from ....runs.finding import share_of_weights
from ....runs.run_info import RunInfo
from ....state.task_info import SHARES, metric_form, metric_name
from ....widgets.curve_specs import CurveSpec, Level, PlotSpec

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

    specs: tuple[PlotSpec, ...]
    more: tuple[PlotSpec, ...]  # for experts
    loss: Number
    quality: Number
    tip: str  # for the number of quality


def plots_of(info: RunInfo) -> RunPlots:
    """The plots and numbers of a run's kind."""
    return _of_task(info.metrics) if info.metrics else _of_text(info.kind)


def _of_text(kind: str) -> RunPlots:
    begins = say(
        "Where a run begins with a warm-up (grey), it predicts the next word there, which gets it started sooner."
    )
    key, name, color, begins = {
        DistilOptions.kind: ("loss_soft", say("against the teacher’s predictions"), "curve_nsp", ""),
    }.get(kind, ("loss_next_word", say("training, next word"), "curve_rate", begins))
    first = CurveSpec(key, name, color, numbers.decimal, dashed=True, noisy=True)
    held_out, words = say("held-out text"), say("training, masked words")
    right = PlotSpec(
        say("Masked words guessed right"),
        _curves("words_right", "words_right_held_out", numbers.percent, held_out),
        say("right"),
        percent=True,
        sentence=say("How often its first guess is the word behind the mask."),
    )
    next_sentence = PlotSpec(
        say("Next sentence guessed right"),
        _curves("sentence_right", "sentence_right_held_out", numbers.percent, held_out),
        say("right"),
        percent=True,
        sentence=say("Does B follow A? It does in half of the pairs: guessing gets 50% (dashed)."),
        # The sentence names it; on the line it would cover the curves, which come close to it.
        level=Level(0.5, say("guessing: 50%") if theme.is_projector() else ""),
    )
    losses = _curves("loss_masked", "loss_held_out", numbers.decimal, held_out, words)
    return RunPlots(
        (_loss((first, *losses), begins), right, next_sentence),
        _for_experts(),
        Number(("loss_masked",), (say("masked-word loss"),), (numbers.decimal,)),
        Number(("words_right_held_out",), (say("held-out words right"),), (numbers.percent,)),
        say("Masked words, in text that the run never trains on; the latest measurement"),
    )


def _of_task(metrics: tuple[str, ...]) -> RunPlots:
    """metrics: those of the task, the main one first."""
    keys, names = tuple(map(metric_key, metrics)), tuple(map(metric_name, metrics))
    forms = tuple(map(metric_form, metrics))
    scores = PlotSpec(
        say("How well it does"),
        tuple(
            CurveSpec(key, name, color, form, dots=True, symbol=shape)
            for key, name, color, form, shape in zip(keys, names, _COLORS, forms, _SHAPES, strict=False)
        ),
        names[0] if len(metrics) == 1 else say("score (1 is perfect)"),
        percent=all(metric in SHARES for metric in metrics),
        sentence=say("On held-out examples, which it never trains on: 1 is perfect."),
    )
    losses = _curves("loss_task", "loss_task_held_out", numbers.decimal, say("held-out examples"))
    return RunPlots(
        (_loss(losses), scores),
        _for_experts(),
        Number(("loss_task",), (say("training loss"),), (numbers.decimal,)),
        Number(keys, tuple(say("held-out {metric}", metric=name) for name in names), forms),
        say("On examples that the run never trains on; the latest measurement"),
    )


def _curves(
    key: str, held_out_key: str, form: Callable[[float], str], held_out: str, training: str = ""
) -> tuple[CurveSpec, CurveSpec]:
    """A line of what is measured at each step in training, and a dot for each measurement on what is held out."""
    return (
        CurveSpec(key, training or say("training"), "curve_train", form, noisy=True),
        CurveSpec(held_out_key, held_out, "curve_held_out", form, dots=True),
    )


def _loss(curves: tuple[CurveSpec, ...], begins: str = "") -> PlotSpec:
    return PlotSpec(
        say("Loss"),
        curves,
        say("loss: lower is better"),
        sentence=say(
            "The loss says how wrong its guesses are. If it falls in training but no longer on held-out text, "
            "the model has begun to memorise. {begins}",
            begins=begins,
        ).strip(),
        may_be_logarithmic=True,
    )


def _for_experts() -> tuple[PlotSpec, ...]:
    """One curve each, named after what it counts."""

    def plot(key: str, title: str, sentence: str, unit: str, form: Callable[[float], str] = numbers.number) -> PlotSpec:
        is_counted = key in ("speed", "memory", "cores")
        curve = CurveSpec(key, unit, "curve_train", form, noisy=key in ("gradient_norm", "speed", "cores"))
        zero, log = is_counted, not is_counted
        return PlotSpec(title, (curve,), unit, sentence=sentence, includes_zero=zero, may_be_logarithmic=log)

    moved = say(
        "How much a step changes the weights, as a share of their length. Healthy runs stay below the "
        "dashed line, {limit}.",
        limit=share_of_weights(LARGE),
    )
    return (
        plot(
            "learning_rate",
            say("Learning rate"),
            say("How far each step moves the weights, as planned. Too high, and the loss jumps or grows."),
            say("learning rate"),
            numbers.rate,
        ),
        plot(
            "gradient_norm",
            say("Gradient norm"),
            say(
                "How hard a batch pulls on the weights. Steady is good. Does the loss rise after a peak? "
                "Try a lower learning rate."
            ),
            say("gradient norm"),
        ),
        PlotSpec(
            say("How far a step moves the weights"),
            (CurveSpec("update_ratio", say("the part that moves most"), "curve_train", share_of_weights),),
            say("share of the weights"),
            percent=True,
            sentence=moved,
            level=Level(LARGE, ""),
            may_be_logarithmic=True,
        ),
        plot("speed", say("Speed"), say("Tokens read per second of training."), say("tokens/s")),
        plot(
            "memory",
            say("Memory"),
            say("The most memory in use at once since the run was last started or resumed."),
            say("MB"),
        ),
        plot(
            "cores",
            say("Processor"),
            say("How many processor cores the training uses, on average."),
            say("cores"),
        ),
    )
