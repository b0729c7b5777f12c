"""Numbers and words that a lesson can ask of the window: for placeholders, answers, tasks and claims.

Everything is computed from the reading on show and from what is selected, so a lesson says nothing that the open model
does not do.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from bertcore.analysis.attention_heads import KINDS, HeadKind, classify_heads
from bertcore.tasks.kinds.classify import LabelPrediction
from bertcore.tasks.kinds.span import AnswerPrediction
from bertcore.tasks.kinds.tag import TaggedExample, TagsPrediction
from bertcore.tokenizer.text_spans import Place, positions_of

from ..look import numbers
from ..look.say import say
from ..state.readings import Reading
from .lesson import Condition, Measure, WordAt

if TYPE_CHECKING:
    from bertcore.analysis.predict import WordGuess, WordRank

    from ..compute.applying import Applied
    from ..compute.masks import MaskLens

Value = float | str | None  # None: not known here, or not yet
Prediction = TypeVar("Prediction")
OUTSIDE = "O"  # the tag of words that are no names
WORD = re.compile(r"(?:(?P<part>[ab]):)?(?P<word>\S+?)(?:#(?P<nth>[1-9]\d?))?")
OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


@dataclass(frozen=True, eq=False)
class Facts:
    """What the window shows: a reading and the selected head.

    Once they are known, also the mask's best word after each layer, and the answer of a fine-tuned model.
    """

    reading: Reading
    layer: int
    head: int
    lens: MaskLens | None = None
    applied: Applied | None = None

    @cached_property
    def kinds(self) -> list[HeadKind]:
        """Of all heads, layer by layer."""
        attentions = self.reading.trace.attentions
        return classify_heads(attentions.reshape(-1, *attentions.shape[2:]), self.reading.encoding)

    def but(self, **changed: Any) -> Facts:
        """The same with other fields, and with the kinds of heads, which take a while with many heads."""
        made = replace(self, **changed)
        if "kinds" in vars(self):
            vars(made)["kinds"] = self.kinds
        return made

    def score(self, kind: str, layer: int, head: int) -> float | None:
        heads = self.reading.trace.attentions.shape[1]
        return self.kinds[layer * heads + head].scores.get(kind)

    def head_by(self, kind: str, lowest: bool = False) -> tuple[int, int] | None:
        """The head with the highest or lowest score; None where no token of the text can show this kind."""
        scores = [found.scores.get(kind) for found in self.kinds]
        known = [score for score in scores if score is not None]
        if not known:
            return None
        return divmod(scores.index(min(known) if lowest else max(known)), self.reading.trace.attentions.shape[1])

    def positions(self, word: WordAt) -> list[int]:
        """The tokens of a word; none where it is not in the text."""
        encoding = self.reading.encoding
        found: list[list[int]]
        if word.word.upper() == "[MASK]":
            found = [[p] for p in self.reading.request.masked if not word.part or encoding.parts[p] == word.part]
        elif any(label == word.word for label in self.reading.special_names):
            found = [[p] for p, label in enumerate(encoding.labels) if label == word.word]
        else:
            found = [positions_of(encoding, [place]) for place in word_places(encoding.text_a, encoding.text_b, word)]
        return found[word.nth - 1] if word.nth <= len(found) else []

    def token_ids(self, word: str) -> list[int]:
        encoding = self.reading.request.model.tokenizer.encode(word)
        return [i for i, part in zip(encoding.ids, encoding.parts, strict=True) if part != "special"]

    def mask_row(self) -> np.ndarray | None:
        """The first mask's logits (V)."""
        logits, places = self.reading.trace.mlm_logits, self.reading.request.masked
        if logits is None or not places:
            return None
        row: np.ndarray = logits[0]
        return row


def word_places(text_a: str, text_b: str | None, word: WordAt) -> list[Place]:
    """Where a word stands, in A first, then in B, as a whole and however it is written."""
    pattern = re.compile(rf"(?<!\w){re.escape(word.word)}(?!\w)", re.IGNORECASE)
    texts = {"a": text_a, "b": text_b or ""}
    parts = [word.part] if word.part else ["a", "b"]
    return [Place(part, *match.span()) for part in parts for match in pattern.finditer(texts[part])]


def parse_word(text: str) -> WordAt | None:
    """`cat`, `a:cat`, `cat#2`; None for anything else."""
    match = WORD.fullmatch(text.strip())
    return None if match is None else WordAt(match["word"], match["part"] or "", int(match["nth"] or 1))


def number_of(text: str) -> float:
    """ "0.5" or "50%" of a lesson's file, whatever the language of the window."""
    return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)


@dataclass(frozen=True)
class Spec:
    """A measure: how it is written, what it is, and how it is read off."""

    argument: str  # one of ARGUMENTS
    unit: str  # share, count, number or word
    read: Callable[[Facts, str], Value]
    needs: str = ""  # "lens" or "answer", of a fine-tuned model: what takes a further computation


ARGUMENTS: Mapping[str, Callable[[str], bool]] = {  # as docs/lessons.md writes it -> whether that is one
    "": lambda text: not text,
    "[N]": lambda text: bool(re.fullmatch(r"[1-9]|10|", text)),
    "WORD": lambda text: parse_word(text) is not None,
    "WORD -> WORD": lambda text: len(_pair(text)) == 2,
    "KIND": lambda text: text in KINDS,
    "CLASS": bool,
}


def _pair(text: str) -> list[WordAt]:
    words = [parse_word(part) for part in text.split("->")]
    return [word for word in words if word is not None]


def _guess(facts: Facts, argument: str) -> WordGuess | None:
    masks, place = facts.reading.masks, int(argument or 1) - 1
    return masks[0].words[place] if masks and place < len(masks[0].words) else None


def _rank(facts: Facts, word: str) -> WordRank | None:
    from bertcore.analysis.predict import word_rank

    row, ids = facts.mask_row(), facts.token_ids(word)
    return word_rank(row, ids[0]) if row is not None and len(ids) == 1 else None


def _looks(facts: Facts, argument: str) -> Value:
    one, other = (facts.positions(word) for word in _pair(argument))
    weights = facts.reading.trace.attentions[facts.layer, facts.head]
    return float(weights[np.ix_(one, other)].sum(axis=1).mean()) if one and other else None


def _looked_at(facts: Facts, argument: str) -> Value:
    word = parse_word(argument)
    places = facts.positions(word) if word else []
    if not places:
        return None
    row = facts.reading.trace.attentions[facts.layer, facts.head, places[0]]
    return facts.reading.shown_tokens[int(row.argmax())]


def _cosine(facts: Facts, argument: str) -> Value:
    one, other = (facts.positions(word) for word in _pair(argument))
    if not one or not other:
        return None
    states = facts.reading.trace.hidden_states[facts.layer + 1]
    first, second = states[one].mean(axis=0), states[other].mean(axis=0)
    return float(first @ second / max(float(np.linalg.norm(first) * np.linalg.norm(second)), 1e-12))


def _prediction(facts: Facts, kind: type[Prediction]) -> Prediction | None:
    """What the fine-tuned model answers, if it is of this kind."""
    found = facts.applied.prediction if facts.applied else None
    return found if isinstance(found, kind) else None


def _tag(facts: Facts, argument: str) -> Value:
    """The type of name that a word is part of, without the letter of the scheme; O for none."""
    word, prediction = parse_word(argument), _prediction(facts, TagsPrediction)
    if word is None or prediction is None or facts.applied is None:
        return None
    assert isinstance(facts.applied.example, TaggedExample)
    pairs = zip(facts.applied.example.words, prediction.tags, strict=True)
    tags = [tag for each, tag in pairs if each.casefold() == word.word.casefold()]
    return tags[word.nth - 1].partition("-")[2] or OUTSIDE if word.nth <= len(tags) else None


def _head_name(facts: Facts, kind: str) -> Value:
    found = facts.head_by(kind)
    return None if found is None else f"{found[0] + 1}·{found[1] + 1}"


def _best_score(facts: Facts, kind: str) -> Value:
    found = facts.head_by(kind)
    return None if found is None else facts.score(kind, *found)


def _text_of(facts: Facts) -> str:
    return " ".join(part for part in (facts.reading.encoding.text_a, facts.reading.encoding.text_b) if part)


def _most_pieces(facts: Facts) -> Value:
    """Of the word of the text that is cut into the most pieces."""
    pairs = zip(facts.reading.encoding.parts, facts.reading.encoding.words, strict=True)
    counts = Counter(pair for pair in pairs if pair[1] is not None)
    return float(max(counts.values())) if counts else None


def _most_repeats(facts: Facts) -> Value:
    """How often the most frequent word of the text stands in it."""
    return float(max(Counter(re.findall(r"\w+", _text_of(facts).casefold())).values(), default=0))


def _of(thing: object, name: str) -> Value:
    """A field, as a number or a word; None of nothing."""
    value = None if thing is None else getattr(thing, name)
    return float(value) if isinstance(value, int) else value


MEASURES: Mapping[str, Spec] = {
    "tokens": Spec("", "count", lambda facts, _: float(len(facts.reading.encoding))),
    "pieces": Spec("WORD", "count", lambda facts, word: float(len(facts.token_ids(word))) or None),
    "most-pieces": Spec("", "count", lambda facts, _: _most_pieces(facts)),
    "most-repeats": Spec("", "count", lambda facts, _: _most_repeats(facts)),
    "vocabulary": Spec("", "count", lambda facts, _: _of(facts.reading.request.model.tokenizer, "vocab_size")),
    "layers": Spec("", "count", lambda facts, _: _of(facts.reading.request.model, "layers")),
    "heads": Spec("", "count", lambda facts, _: _of(facts.reading.request.model, "heads")),
    "all-heads": Spec("", "count", lambda facts, _: float(len(facts.kinds))),
    "text": Spec("", "word", lambda facts, _: _text_of(facts)),
    "guess": Spec("[N]", "word", lambda facts, place: _of(_guess(facts, place), "token")),
    "guess-probability": Spec("[N]", "share", lambda facts, place: _of(_guess(facts, place), "probability")),
    "probability": Spec("WORD", "share", lambda facts, word: _of(_rank(facts, word), "probability")),
    "rank": Spec("WORD", "count", lambda facts, word: _of(_rank(facts, word), "rank")),
    "settles": Spec("", "count", lambda f, _: None if f.lens is None else float(f.lens.decided(0)), "lens"),
    "next-sentence": Spec("", "share", lambda facts, _: _of(facts.reading.next_sentence, "is_next")),
    "score": Spec("KIND", "share", lambda facts, kind: facts.score(kind, facts.layer, facts.head)),
    "best-score": Spec("KIND", "share", _best_score),
    "best-head": Spec("KIND", "word", _head_name),
    "looks": Spec("WORD -> WORD", "share", _looks),
    "looked-at": Spec("WORD", "word", _looked_at),
    "cosine": Spec("WORD -> WORD", "number", _cosine),
    "class": Spec("", "word", lambda facts, _: _of(_prediction(facts, LabelPrediction), "label"), "answer"),
    "class-probability": Spec("CLASS", "share", lambda facts, name: _class_probability(facts, name), "answer"),
    "tag": Spec("WORD", "word", _tag, "answer"),
    "answer": Spec("", "word", lambda facts, _: _of(_prediction(facts, AnswerPrediction), "text") or None, "answer"),
}


def _class_probability(facts: Facts, name: str) -> Value:
    prediction = _prediction(facts, LabelPrediction)
    return None if prediction is None else prediction.probabilities.get(name)


def parse_measure(text: str) -> Measure | str:
    """A measure from its words, or a sentence on what is wrong with it."""
    name, _, argument = text.strip().partition(" ")
    spec = MEASURES.get(name)
    if spec is None:
        return say("There is no measure “{name}”; use one of {known}.", name=name[:40], known=", ".join(MEASURES))
    argument = argument.strip()
    if not ARGUMENTS[spec.argument](argument):
        usage = f"{name} {spec.argument}".strip()
        if spec.argument == "KIND":
            usage += f" ({', '.join(KINDS)})"
        return say(
            "“{name}” cannot be read of “{argument}”; write: {usage}.", name=name, argument=argument[:40], usage=usage
        )
    return Measure(name, argument)


def value_of(measure: Measure, facts: Facts) -> Value:
    """None where it is not known here, such as a probability without a mask, or not yet."""
    value = MEASURES[measure.name].read(facts, measure.argument)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def shown(measure: Measure, value: Value) -> str:
    """As a person reads it."""
    return shown_in(MEASURES[measure.name].unit, value)


def shown_in(unit: str, value: Value) -> str:
    if value is None:
        return "…"
    if isinstance(value, str):
        return value
    if unit == "share":
        return numbers.percent(value)
    return numbers.count(round(value)) if unit == "count" else numbers.decimal(value)


def holds(condition: Condition, facts: Facts, start: Value = None) -> bool:
    """Whether a condition is met; start: the measure's value at the beginning of the page."""
    value = value_of(condition.measure, facts)
    wanted = start if condition.value is None else condition.value
    if value is None or wanted is None:
        return False
    if isinstance(value, str) or isinstance(wanted, str):
        is_same = str(value).casefold() == str(wanted).casefold()
        return is_same if condition.operator == "=" else not is_same
    return OPERATORS[condition.operator](value, wanted)


def needs(what: str, measures: Sequence[Measure]) -> bool:
    """Whether any of them needs a further computation: the "lens", what the mask would be after each layer, or the
    "answer" of a fine-tuned model."""
    return any(MEASURES[measure.name].needs == what for measure in measures)
