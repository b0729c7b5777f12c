"""A diagnosis in sentences: what is seen, why it matters, what to try. The same in the shell and in the window, whose
translators get all of them (scripts/translations.py)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from bertcore.runs.diagnosis import Diagnosis, Suggestion

Translate = Callable[[str], str]
NOTHING_FOUND = (
    "This looks normal: no sign of a learning rate that is too high or too low, of a plateau or of overfitting."
)
SEEN = {  # by kind
    "not_finite": "At step {step} the loss became infinite, so the run had to stop.",
    "diverging": "The training loss is rising: {last} now, after {best} at step {step}.",
    "too_high": "The learning rate is too high: a single step changed the weights of one part by {ratio}. Healthy runs "
    "stay below {limit}.",
    "too_low": "The learning rate is too low: no step has changed the weights of any part by more than {ratio}.",
    "one_class": "It answers “{label}” to {share} of the held-out examples, although that is right for only {right}.",
    "overfitting": "It is overfitting: its held-out loss was best at step {step} ({best}) and is {last} now, while the "
    "training loss keeps falling.",
    "by_frequency": "It is on a plateau: its held-out loss is {loss}; guessing by word frequency alone would give "
    "{by_frequency}.",
    "stuck": "It has hardly learned: its held-out loss was {start} at the start and is {loss} now.",
    "memorised": "It only memorises: its training loss is {train}, but its held-out loss is {loss}, no better than at "
    "the start ({start}).",
    "plateau": "It is on a plateau: its held-out loss was {before} at step {step} and is {loss} now.",
    "dead_heads_even": "{count} of its {all} attention heads spread their attention evenly over all tokens.",
    "dead_heads_one": "{count} of its {all} attention heads look at the same token from every position.",
    "normal": "This looks normal: the held-out loss fell from {start} to {loss}.",
    "normal_updates": "This looks normal: the held-out loss fell from {start} to {loss}, and no step changed the "
    "weights of any part by more than {ratio}.",
    "normal_score": "This looks normal: on held-out examples its {name} went from {first} to {score}.",
    "normal_score_of": "This looks normal: on {count} held-out examples its {name} went from {first} to {score}.",
    "normal_surer": "This looks normal: its {name} is better than at the start. The held-out loss has risen from "
    "{best} at step {step} to {last} all the same: the model has grown surer of its mistakes, too.",
}
_OVERSHOOTS = "The steps are too large: each one overshoots, and what was learned is lost."
_SAME_EVERYWHERE = "Such a head cannot tell tokens apart, so the model learns little from context."
WHY = {  # it matters
    "not_finite": _OVERSHOOTS,
    "diverging": _OVERSHOOTS,
    "too_high": "Such large steps jump past good weights instead of getting closer to them.",
    "too_low": "At this rate it would take far too long to learn anything.",
    "one_class": "It has not learned to use the text: giving the same answer every time takes no reading.",
    "overfitting": "It is memorising its training text and getting worse on text that it has not seen.",
    "by_frequency": "It knows which words are frequent, but does not use context yet.",
    "stuck": "Training longer will not help; the learning rate is probably too high or too low.",
    "memorised": "It has read the same text too often. More text or more examples would help most, fewer steps a "
    "little.",
    "plateau": "While the learning rate is high, the loss should keep falling; a different rate may get it moving "
    "again.",
    "dead_heads_even": _SAME_EVERYWHERE,
    "dead_heads_one": _SAME_EVERYWHERE,
}
SUGGESTIONS = {  # setting -> what to try
    "learning_rate": "Try a learning rate of {new} instead of {old}.",
    "steps": "Try {new} steps instead of {old}.",
    "causal_share": "Try next-word prediction for the first half of the run.",
    "from_scratch": "Try starting from a pretrained model instead of random weights.",
    "frozen_layers": "Try training without frozen layers.",
}
ALL_SENTENCES = (NOTHING_FOUND, *SEEN.values(), *WHY.values(), *SUGGESTIONS.values())
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


def in_words(diagnosis: Diagnosis, form: Format = PLAIN, translate: Translate = str) -> DiagnosisInWords:
    metric = str(diagnosis.values.get("name", ""))
    values = {name: form.of(name, value, metric) for name, value in diagnosis.values.items()}
    suggestion = "" if diagnosis.suggestion is None else suggestion_in_words(diagnosis.suggestion, form, translate)
    why = translate(WHY[diagnosis.kind]) if diagnosis.kind in WHY else ""
    return DiagnosisInWords(translate(SEEN[diagnosis.kind]).format(**values), why, suggestion)


def suggestion_in_words(suggestion: Suggestion, form: Format = PLAIN, translate: Translate = str) -> str:
    name, before = suggestion.setting, suggestion.before
    old = "" if before is None else form.of(name, before)
    new = form.of(name, suggestion.value) if isinstance(suggestion.value, int | float) else ""
    return translate(SUGGESTIONS[name]).format(new=new, old=old)
