"""Is this normal? What the engine's diagnosis says of a run, in the window's words and numbers."""

from bertcore.runs.diagnosis import Diagnosis, diagnose, normal
from bertcore.runs.diagnosis_words import NOTHING_FOUND, Format, in_words
from bertcore.runs.run_record import RunRecord

from ..look import numbers
from ..look.say import say
from ..state.task_info import metric_name, metric_value
from .finding import TRY, Finding


def health_of(record: RunRecord) -> list[Diagnosis]:
    """What is wrong, the most urgent first; or that it looks normal; or nothing, while it is too early to say."""
    found = diagnose(record)
    fine = None if found else normal(record)
    return [fine] if fine is not None else found


def is_normal(diagnosis: Diagnosis) -> bool:
    return diagnosis.kind.startswith("normal")


def warning_of(diagnosis: Diagnosis, *, in_short: bool) -> Finding:
    """What is seen, why, and the change to try; in_short: without the why."""
    words = in_words(diagnosis, window_format(), say)
    advice = words.suggestion if in_short else f"{words.why} {words.suggestion}".strip()
    actions = (TRY,) if words.suggestion else ()
    return Finding(words.seen, advice, actions, is_bad=True, suggestion=diagnosis.suggestion)


def normal_sentence(diagnosis: Diagnosis, *, is_over: bool = False) -> str:
    """is_over: the figures stand above already, in what is said of the end."""
    if is_over and diagnosis.kind != "normal_surer":  # which has figures of its own
        return say(NOTHING_FOUND)
    return in_words(diagnosis, window_format(), say).seen


def share_of_weights(ratio: float, *, keeps_zeros: bool = False) -> str:
    """ "0.31%", "0.0004%". keeps_zeros: as in `numbers.number`."""
    return f"{numbers.number(100 * ratio, 2, keeps_zeros=keeps_zeros)}{numbers.percent(0)[1:]}"


def window_format() -> Format:
    """Numbers as the window writes them."""
    return Format(
        loss=numbers.decimal,
        score=metric_value,
        name=metric_name,
        rate=numbers.rate,
        share=numbers.percent,
        ratio=share_of_weights,
        count=lambda value: numbers.count(round(value)),
    )
