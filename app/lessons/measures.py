"""Numbers and words that a lesson can ask of the window: for placeholders, answers, tasks and claims.

Everything is computed from the reading on show and from what is selected, so a lesson says nothing that the open model
does not do.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

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
    from ..compute.applying import Applied
    from ..compute.masks import MaskLens

Value = float | str | None  # None: not known here, or not yet
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

    def at(self, layer: int, head: int) -> Facts:
        """Another head of the same reading."""
        return self._copied(replace(self, layer=layer, head=head))

    def with_lens(self, lens: MaskLens) -> Facts:
        return self._copied(replace(self, lens=lens))

    def with_applied(self, applied: Applied) -> Facts:
        return self._copied(replace(self, applied=applied))

    def _copied(self, made: Facts) -> Facts:
        """With the kinds of heads, which take a while with many heads."""
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


@dataclass(frozen=True)
class Spec:
    """A measure: how it is written, what it is, and how it is read off. unit: share, count or word."""

    argument: str  # as docs/lessons.md writes it, "" for none
    unit: str
    read: Callable[[Facts, str], Value]
    accepts: Callable[[str], bool]
    needs_lens: bool = False
    needs_answer: bool = False  # of a fine-tuned model


def _is_kind(text: str) -> bool:
    return text in KINDS


def _is_rank(text: str) -> bool:
    return text == "" or bool(re.fullmatch(r"[1-9]|10", text))


def _is_word(text: str) -> bool:
    return parse_word(text) is not None


def _is_pair(text: str) -> bool:
    return len(_pair(text)) == 2


def _is_nothing(text: str) -> bool:
    return text == ""


def _pair(text: str) -> list[WordAt]:
    words = [parse_word(part) for part in text.split("->")]
    return [word for word in words if word is not None]


def _guess(facts: Facts, argument: str) -> Value:
    masks, place = facts.reading.masks, int(argument or 1) - 1
    return masks[0].words[place].token if masks and place < len(masks[0].words) else None


def _guess_probability(facts: Facts, argument: str) -> Value:
    masks, place = facts.reading.masks, int(argument or 1) - 1
    return masks[0].words[place].probability if masks and place < len(masks[0].words) else None


def _rank(facts: Facts, word: str) -> Value:
    from bertcore.analysis.predict import word_rank

    row, ids = facts.mask_row(), facts.token_ids(word)
    return float(word_rank(row, ids[0]).rank) if row is not None and len(ids) == 1 else None


def _probability(facts: Facts, word: str) -> Value:
    from bertcore.analysis.predict import word_rank

    row, ids = facts.mask_row(), facts.token_ids(word)
    return float(word_rank(row, ids[0]).probability) if row is not None and len(ids) == 1 else None


def _looks(facts: Facts, argument: str) -> Value:
    one, other = (facts.positions(word) for word in _pair(argument))
    if not one or not other:
        return None
    weights = facts.reading.trace.attentions[facts.layer, facts.head]
    return float(weights[np.ix_(one, other)].sum(axis=1).mean())


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


def _class(facts: Facts, _: str) -> Value:
    prediction = facts.applied.prediction if facts.applied else None
    return prediction.label if isinstance(prediction, LabelPrediction) else None


def _class_probability(facts: Facts, name: str) -> Value:
    prediction = facts.applied.prediction if facts.applied else None
    return prediction.probabilities.get(name) if isinstance(prediction, LabelPrediction) else None


def _tag(facts: Facts, argument: str) -> Value:
    """The type of name that a word is part of, without the letter of the scheme; O for none."""
    word, applied = parse_word(argument), facts.applied
    if word is None or applied is None or not isinstance(applied.prediction, TagsPrediction):
        return None
    assert isinstance(applied.example, TaggedExample)
    pairs = zip(applied.example.words, applied.prediction.tags, strict=True)
    tags = [tag for each, tag in pairs if each.casefold() == word.word.casefold()]
    return tags[word.nth - 1].partition("-")[2] or OUTSIDE if word.nth <= len(tags) else None


def _answer(facts: Facts, _: str) -> Value:
    prediction = facts.applied.prediction if facts.applied else None
    return prediction.text or None if isinstance(prediction, AnswerPrediction) else None


def _head_name(facts: Facts, kind: str) -> Value:
    found = facts.head_by(kind)
    return None if found is None else f"{found[0] + 1}·{found[1] + 1}"


def _best_score(facts: Facts, kind: str) -> Value:
    found = facts.head_by(kind)
    return None if found is None else facts.score(kind, *found)


def _text_of(facts: Facts) -> str:
    return " ".join(part for part in (facts.reading.encoding.text_a, facts.reading.encoding.text_b) if part)


def _next_sentence(facts: Facts) -> Value:
    found = facts.reading.next_sentence
    return None if found is None else float(found.is_next)


MEASURES: Mapping[str, Spec] = {
    "tokens": Spec("", "count", lambda facts, _: float(len(facts.reading.encoding)), _is_nothing),
    "pieces": Spec("WORD", "count", lambda facts, word: float(len(facts.token_ids(word))) or None, _is_word),
    "most-pieces": Spec("", "count", lambda facts, _: _most_pieces(facts), _is_nothing),
    "most-repeats": Spec("", "count", lambda facts, _: _most_repeats(facts), _is_nothing),
    "vocabulary": Spec("", "count", lambda f, _: float(f.reading.request.model.tokenizer.vocab_size), _is_nothing),
    "layers": Spec("", "count", lambda facts, _: float(facts.reading.request.model.layers), _is_nothing),
    "heads": Spec("", "count", lambda facts, _: float(facts.reading.request.model.heads), _is_nothing),
    "all-heads": Spec("", "count", lambda facts, _: float(len(facts.kinds)), _is_nothing),
    "text": Spec("", "word", lambda facts, _: _text_of(facts), _is_nothing),
    "guess": Spec("[N]", "word", _guess, _is_rank),
    "guess-probability": Spec("[N]", "share", _guess_probability, _is_rank),
    "probability": Spec("WORD", "share", _probability, _is_word),
    "rank": Spec("WORD", "count", _rank, _is_word),
    "settles": Spec("", "count", lambda f, _: None if f.lens is None else float(f.lens.decided(0)), _is_nothing, True),
    "next-sentence": Spec("", "share", lambda facts, _: _next_sentence(facts), _is_nothing),
    "score": Spec("KIND", "share", lambda facts, kind: facts.score(kind, facts.layer, facts.head), _is_kind),
    "best-score": Spec("KIND", "share", _best_score, _is_kind),
    "best-head": Spec("KIND", "word", _head_name, _is_kind),
    "looks": Spec("WORD -> WORD", "share", _looks, _is_pair),
    "looked-at": Spec("WORD", "word", _looked_at, _is_word),
    "cosine": Spec("WORD -> WORD", "number", _cosine, _is_pair),
    "class": Spec("", "word", _class, _is_nothing, needs_answer=True),
    "class-probability": Spec("CLASS", "share", _class_probability, bool, needs_answer=True),
    "tag": Spec("WORD", "word", _tag, _is_word, needs_answer=True),
    "answer": Spec("", "word", _answer, _is_nothing, needs_answer=True),
}


def _most_pieces(facts: Facts) -> Value:
    """Of the word of the text that is cut into the most pieces."""
    words = [word for word in facts.reading.encoding.words if word is not None]
    parts = [
        (part, word)
        for part, word in zip(facts.reading.encoding.parts, facts.reading.encoding.words, strict=True)
        if word is not None
    ]
    return float(max((parts.count(one) for one in set(parts)), default=0)) if words else None


def _most_repeats(facts: Facts) -> Value:
    """How often the most frequent word of the text stands in it."""
    words = re.findall(r"\w+", _text_of(facts).casefold())
    return float(max(Counter(words).values(), default=0))


def parse_measure(text: str) -> Measure | str:
    """A measure from its words, or a sentence on what is wrong with it."""
    name, _, argument = text.strip().partition(" ")
    spec = MEASURES.get(name)
    if spec is None:
        return say("There is no measure “{name}”; use one of {known}.", name=name[:40], known=", ".join(MEASURES))
    argument = argument.strip()
    if not spec.accepts(argument):
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


def needs_answer(measures: list[Measure]) -> bool:
    """Whether any of them is about what a fine-tuned model answers, which takes a further computation."""
    return any(MEASURES[measure.name].needs_answer for measure in measures)


def needs_lens(measures: list[Measure]) -> bool:
    """Whether any of them is about what the mask would be after each layer, which takes a further computation."""
    return any(MEASURES[measure.name].needs_lens for measure in measures)
