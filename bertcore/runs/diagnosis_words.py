"""A diagnosis in sentences: what is seen, why it matters, what to try. The same in the shell and in the window."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from bertcore.runs.diagnosis import Diagnosis, Suggestion


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:
    """Marks a text for the translators of the window: Qt's lupdate finds it by this name."""
    return text


Translate = Callable[[str, str], str]  # of a context and a text, as Qt's


def as_it_is(context: str, text: str) -> str:
    return text


CONTEXT = "Diagnosis"
_OVERSHOOTS = QT_TRANSLATE_NOOP(
    "Diagnosis", "The steps are too large: each one overshoots, and what was learned is lost."
)
_TEXT = QT_TRANSLATE_NOOP("Diagnosis", "Such a head cannot tell tokens apart, so the model learns little from context.")
WORDS = {  # kind -> what is seen, why it matters
    "not_finite": (
        QT_TRANSLATE_NOOP("Diagnosis", "At step {step} the loss became infinite, so the run had to stop."),
        _OVERSHOOTS,
    ),
    "diverging": (
        QT_TRANSLATE_NOOP("Diagnosis", "The training loss is rising: {last} now, after {best} at step {step}."),
        _OVERSHOOTS,
    ),
    "too_high": (
        QT_TRANSLATE_NOOP(
            "Diagnosis",
            "The learning rate is too high: a single step changed the weights of one part by {ratio}. Healthy "
            "runs stay below {limit}.",
        ),
        QT_TRANSLATE_NOOP("Diagnosis", "Such large steps jump past good weights instead of getting closer to them."),
    ),
    "too_low": (
        QT_TRANSLATE_NOOP(
            "Diagnosis",
            "The learning rate is too low: no step has changed the weights of any part by more than {ratio}.",
        ),
        QT_TRANSLATE_NOOP("Diagnosis", "At this rate it would take far too long to learn anything."),
    ),
    "one_class": (
        QT_TRANSLATE_NOOP(
            "Diagnosis",
            "It answers “{label}” to {share} of the held-out examples, although that is right for only {right}.",
        ),
        QT_TRANSLATE_NOOP(
            "Diagnosis", "It has not learned to use the text: giving the same answer every time takes no reading."
        ),
    ),
    "overfitting": (
        QT_TRANSLATE_NOOP(
            "Diagnosis",
            "It is overfitting: its held-out loss was best at step {step} ({best}) and is {last} now, while the "
            "training loss keeps falling.",
        ),
        QT_TRANSLATE_NOOP(
            "Diagnosis", "It is memorising its training text and getting worse on text that it has not seen."
        ),
    ),
    "by_frequency": (
        QT_TRANSLATE_NOOP(
            "Diagnosis",
            "It is on a plateau: its held-out loss is {loss}; guessing by word frequency alone would give "
            "{by_frequency}.",
        ),
        QT_TRANSLATE_NOOP("Diagnosis", "It knows which words are frequent, but does not use context yet."),
    ),
    "stuck": (
        QT_TRANSLATE_NOOP(
            "Diagnosis", "It has hardly learned: its held-out loss was {start} at the start and is {loss} now."
        ),
        QT_TRANSLATE_NOOP(
            "Diagnosis", "Training longer will not help; the learning rate is probably too high or too low."
        ),
    ),
    "memorised": (
        QT_TRANSLATE_NOOP(
            "Diagnosis",
            "It only memorises: its training loss is {train}, but its held-out loss is {loss}, no better than at the "
            "start ({start}).",
        ),
        QT_TRANSLATE_NOOP(
            "Diagnosis",
            "It has read the same text too often. More text or more examples would help most, fewer steps a little.",
        ),
    ),
    "plateau": (
        QT_TRANSLATE_NOOP(
            "Diagnosis", "It is on a plateau: its held-out loss was {before} at step {step} and is {loss} now."
        ),
        QT_TRANSLATE_NOOP(
            "Diagnosis",
            "While the learning rate is high, the loss should keep falling; a different rate may get it moving again.",
        ),
    ),
    "dead_heads_even": (
        QT_TRANSLATE_NOOP(
            "Diagnosis", "{count} of its {all} attention heads spread their attention evenly over all tokens."
        ),
        _TEXT,
    ),
    "dead_heads_one": (
        QT_TRANSLATE_NOOP(
            "Diagnosis", "{count} of its {all} attention heads look at the same token from every position."
        ),
        _TEXT,
    ),
    "normal": (
        QT_TRANSLATE_NOOP("Diagnosis", "This looks normal: the held-out loss fell from {start} to {loss}."),
        "",
    ),
    "normal_updates": (
        QT_TRANSLATE_NOOP(
            "Diagnosis",
            "This looks normal: the held-out loss fell from {start} to {loss}, and no step changed the weights of "
            "any part by more than {ratio}.",
        ),
        "",
    ),
    "normal_score": (
        QT_TRANSLATE_NOOP(
            "Diagnosis", "This looks normal: on held-out examples its {name} went from {first} to {score}."
        ),
        "",
    ),
    "normal_score_of": (
        QT_TRANSLATE_NOOP(
            "Diagnosis", "This looks normal: on {count} held-out examples its {name} went from {first} to {score}."
        ),
        "",
    ),
    "normal_surer": (
        QT_TRANSLATE_NOOP(
            "Diagnosis",
            "This looks normal: its {name} is better than at the start. The held-out loss has risen from {best} at "
            "step {step} to {last} all the same: the model has grown surer of its mistakes, too.",
        ),
        "",
    ),
}
NOTHING_FOUND = QT_TRANSLATE_NOOP(
    "Diagnosis",
    "This looks normal: no sign of a learning rate that is too high or too low, of a plateau or of overfitting.",
)
SUGGESTIONS = {  # setting -> what to try
    "learning_rate": QT_TRANSLATE_NOOP("Diagnosis", "Try a learning rate of {new} instead of {old}."),
    "steps": QT_TRANSLATE_NOOP("Diagnosis", "Try {new} steps instead of {old}."),
    "causal_share": QT_TRANSLATE_NOOP("Diagnosis", "Try next-word prediction for the first half of the run."),
    "from_scratch": QT_TRANSLATE_NOOP("Diagnosis", "Try starting from a pretrained model instead of random weights."),
    "frozen_layers": QT_TRANSLATE_NOOP("Diagnosis", "Try training without frozen layers."),
}
_SHARES, _COUNTS = ("share", "right"), ("step", "steps", "count", "all")


@dataclass(frozen=True)
class Format:
    """How numbers are written; a ratio is a small share of the weights."""

    loss: Callable[[float], str] = "{:.2f}".format
    score: Callable[[str, float], str] = lambda _metric, value: f"{value:.3f}"
    name: Callable[[str], str] = lambda name: name.replace("_", " ")
    rate: Callable[[float], str] = "{:.2g}".format
    share: Callable[[float], str] = "{:.0%}".format
    ratio: Callable[[float], str] = lambda value: f"{100 * value:.2g}%"
    count: Callable[[float], str] = lambda value: f"{round(value):,}"

    def of(self, name: str, value: float | str, metric: str = "") -> str:
        """metric: what a score is one of."""
        if isinstance(value, str):
            return self.name(value) if name == "name" else value
        by_name = {"learning_rate": self.rate, "ratio": self.ratio, "limit": self.ratio}
        by_name |= dict.fromkeys(("score", "first"), partial(self.score, metric))
        others = self.share if name in _SHARES else self.count if name in _COUNTS else self.loss
        return by_name.get(name, others)(value)


@dataclass(frozen=True)
class DiagnosisInWords:
    seen: str
    why: str
    suggestion: str  # empty where there is none


PLAIN = Format()


def in_words(diagnosis: Diagnosis, form: Format = PLAIN, translate: Translate = as_it_is) -> DiagnosisInWords:
    seen, why = (translate(CONTEXT, text) if text else "" for text in WORDS[diagnosis.kind])
    metric = str(diagnosis.values.get("name", ""))
    values: Mapping[str, str] = {name: form.of(name, value, metric) for name, value in diagnosis.values.items()}
    suggestion = "" if diagnosis.suggestion is None else suggestion_in_words(diagnosis.suggestion, form, translate)
    return DiagnosisInWords(seen.format(**values), why, suggestion)


def suggestion_in_words(suggestion: Suggestion, form: Format = PLAIN, translate: Translate = as_it_is) -> str:
    name, before = suggestion.setting, suggestion.before
    old = "" if before is None else form.of(name, before)
    new = form.of(name, suggestion.value) if isinstance(suggestion.value, int | float) else ""
    return translate(CONTEXT, SUGGESTIONS[name]).format(new=new, old=old)
