"""Numbers and words that a lesson can ask of the window: for placeholders, answers, tasks and claims; what is right.

Everything is computed from the reading on show and from what is selected, so a lesson says nothing that the open model
does not do.
"""

from __future__ import annotations

import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bertcore.analysis.attention_heads import KINDS, HeadKind, classify_heads
from bertcore.config import PUBLISHED, BertConfig, parameter_parts
from bertcore.tasks.kinds.classify import LabelPrediction
from bertcore.tasks.kinds.span import AnswerPrediction
from bertcore.tasks.kinds.tag import TaggedExample, TagsPrediction
from bertcore.tokenizer.text_spans import Place, positions_of

from ..compute.applying import Applied
from ..compute.circuit import FEW, PairParts, enough
from ..compute.masks import MaskLens
from ..look import mark, numbers, say
from ..state import Reading
from .lesson import CODE, PLACEHOLDER, Condition, Measure, Page, Question, WordAt

if TYPE_CHECKING:
    from bertcore.analysis.predict import WordGuess, WordRank
    from bertcore.evidence.grammar import Grammar, RelationHead
    from bertcore.evidence.heads import HeadEvidence


Value = float | str | None  # None: not known here, or not yet
OUTSIDE = "O"  # the tag of words that are no names
WORD = re.compile(r"(?:(?P<part>[ab]):)?(?P<word>\S+?)(?:#(?P<nth>[1-9]\d?))?")
OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
    "!=": operator.ne,
}


@dataclass(frozen=True, eq=False)
class Facts:
    """What the window shows: a reading and the selected head.

    Once they are known, also the mask's best word after each layer, the answer of a fine-tuned model, and what heads do
    over the collections that ship.
    """

    reading: Reading
    layer: int
    head: int
    lens: MaskLens | None = None
    applied: Applied | None = None
    pairs: HeadEvidence | None = None  # swapped in, over the pairs that ship
    pair: HeadEvidence | None = None  # the same in the one whose text is on show
    grammar: Grammar | None = None  # of the treebank that ships
    circuit: PairParts | None = None  # which parts make the difference between the page's two texts

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

    def scores(self, kind: str) -> dict[tuple[int, int], float]:
        """How far each head (layer, head) is of a kind; none where no token of the text can show it."""
        heads, scores = self.reading.trace.attentions.shape[1], [found.scores.get(kind) for found in self.kinds]
        return {divmod(number, heads): score for number, score in enumerate(scores) if score is not None}

    def head_by(self, kind: str, lowest: bool = False) -> tuple[int, int] | None:
        """The head with the highest or lowest score; None where no token of the text can show this kind."""
        scores = self.scores(kind)
        return (min if lowest else max)(scores, key=scores.__getitem__, default=None)

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

    def positions_in(self, argument: str) -> list[list[int]] | None:
        """The tokens of each word of `WORD -> WORD`; None where one of them is not in the text."""
        found = [self.positions(word) for word in _words(argument)]
        return found if all(found) else None

    def token_ids(self, word: str) -> list[int]:
        encoding = self.reading.request.model.tokenizer.encode(word)
        return [i for i, part in zip(encoding.ids, encoding.parts, strict=True) if part != "special"]

    @property
    def text(self) -> str:
        return f"{self.reading.encoding.text_a} {self.reading.encoding.text_b or ''}".strip()


def word_places(text_a: str, text_b: str | None, word: WordAt) -> list[Place]:
    """Where a word stands, in A first, then in B, as a whole and however it is written."""
    begins, ends = (r"\b" if each.isalnum() else "" for each in (word.word[:1], word.word[-1:]))  # not “.”
    pattern = re.compile(f"{begins}{re.escape(word.word)}{ends}", re.IGNORECASE)
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
    read: Callable[..., Value]  # of Facts and argument; before them, what it needs
    needs: str = ""  # the field of Facts that a further computation fills


ARGUMENTS: Mapping[str, Callable[[str], bool]] = {  # as docs/lessons.md writes it -> whether that is one
    "": lambda text: not text,
    "[N]": lambda text: bool(re.fullmatch(r"[1-9]|10|", text)),
    "WORD": lambda text: parse_word(text) is not None,
    "WORD -> WORD": lambda text: len(_words(text)) == 2,
    "KIND": lambda text: text in KINDS,
    "CLASS": bool,
    "RELATION": bool,
    "MODEL [PART]": lambda text: text.partition(" ")[0] in PUBLISHED,
}


def _words(text: str) -> list[WordAt]:
    words = [parse_word(part) for part in text.split("->")]
    return [word for word in words if word is not None]


def _guess(facts: Facts, argument: str) -> WordGuess | None:
    masks, place = facts.reading.masks, int(argument or 1) - 1
    return masks[0].words[place] if masks and place < len(masks[0].words) else None


def _rank(facts: Facts, word: str) -> WordRank | None:
    from bertcore.analysis.predict import word_rank

    logits, ids = facts.reading.trace.mlm_logits, facts.token_ids(word)
    is_known = logits is not None and bool(facts.reading.request.masked) and len(ids) == 1
    return word_rank(logits[0], ids[0]) if logits is not None and is_known else None


def _looks(facts: Facts, argument: str) -> Value:
    found, weights = facts.positions_in(argument), facts.reading.trace.attentions[facts.layer, facts.head]
    return None if found is None else float(weights[np.ix_(*found)].sum(axis=1).mean())


def _looked_at(facts: Facts, argument: str) -> Value:
    found, weights = facts.positions_in(argument), facts.reading.trace.attentions[facts.layer, facts.head]
    return None if found is None else facts.reading.shown_tokens[int(weights[found[0][0]].argmax())]


def _cosine(facts: Facts, argument: str) -> Value:
    found, states = facts.positions_in(argument), facts.reading.trace.hidden_states[facts.layer + 1]
    if found is None:
        return None
    one, other = (states[positions].mean(axis=0) for positions in found)
    return float(one @ other / max(float(np.linalg.norm(one) * np.linalg.norm(other)), 1e-12))


def _tag(applied: Applied, _: Facts, argument: str) -> Value:
    """The type of name that a word is part of, without the letter of the scheme; O for none."""
    word, prediction = parse_word(argument), applied.prediction
    if word is None or not isinstance(prediction, TagsPrediction):
        return None
    assert isinstance(applied.example, TaggedExample)
    pairs = zip(applied.example.words, prediction.tags, strict=True)
    tags = [tag for each, tag in pairs if each.casefold() == word.word.casefold()]
    return tags[word.nth - 1].partition("-")[2] or OUTSIDE if word.nth <= len(tags) else None


def _class(applied: Applied, _: Facts, name: str) -> Value:
    """How likely a class is; without a name: the likeliest one."""
    found = applied.prediction
    if not isinstance(found, LabelPrediction):
        return None
    return found.probabilities.get(name) if name else found.label


def _answer(applied: Applied, *_: object) -> Value:
    return (applied.prediction.text or None) if isinstance(applied.prediction, AnswerPrediction) else None


def _best_head(facts: Facts, kind: str) -> Value:
    found = facts.head_by(kind)
    return None if found is None else f"{found[0] + 1}·{found[1] + 1}"


def _most_pieces(facts: Facts, _: str) -> Value:
    """Of the word of the text that is cut into the most pieces."""
    pairs = zip(facts.reading.encoding.parts, facts.reading.encoding.words, strict=True)
    counts = Counter(pair for pair in pairs if pair[1] is not None)
    return float(max(counts.values())) if counts else None


def _most_repeats(facts: Facts, _: str) -> Value:
    """How often the most frequent word of the text stands in it."""
    return float(max(Counter(re.findall(r"\w+", facts.text.casefold())).values(), default=0))


def _place(found: HeadEvidence, _: Facts, place: str) -> Value:
    """The head with the largest effect, or the one in that place."""
    return "{}·{}".format(*(each + 1 for each in found.order()[int(place or 1) - 1]))


def _effect(found: HeadEvidence, facts: Facts, _: str) -> Value:
    """Of the chosen head, on average."""
    return float(found.means.value[facts.layer, facts.head])


def _times_first(found: HeadEvidence, facts: Facts, _: str) -> Value:
    """In how many pairs the chosen head has the largest effect."""
    values = found.values.reshape(len(found.pairs), -1)
    return float((values.argmax(axis=1) == facts.layer * found.values.shape[2] + facts.head).sum())


def _relation(read: Callable[[Grammar, RelationHead, Facts], Value]) -> Callable[[Grammar, Facts, str], Value]:
    """Of the head that finds a relation best, measured on the half of the sentences that it was not chosen on."""

    def read_best(grammar: Grammar, facts: Facts, name: str) -> Value:
        best = next((each for each in grammar.best if each.relation == name), None)
        return None if best is None else read(grammar, best, facts)

    return read_best


def _finds(grammar: Grammar, best: RelationHead, facts: Facts) -> Value:
    """What share of a relation the chosen head finds, of all sentences."""
    return float(grammar.best_shares[grammar.best.index(best), facts.layer, facts.head])


def _strongest_head(found: PairParts, _: Facts, place: str) -> Value:
    part = found.heads()[int(place or 1) - 1]
    return f"{part.layer + 1}·{part.head + 1}"


def _lost(found: PairParts, facts: Facts, _: str) -> Value:
    """By the chosen head alone."""
    return float(found.lost[found.head(facts.layer, facts.head)])


def _pushed_word(found: PairParts, facts: Facts, place: str) -> Value:
    """Up, by the chosen head."""
    return found.words[found.head(facts.layer, facts.head)].up[int(place or 1) - 1][0] if found.words else None


def _of(thing: object, name: str) -> Value:
    """A field, as a number or a word; None of nothing."""
    value = None if thing is None else getattr(thing, name)
    return float(value) if isinstance(value, int) else value


def _millions(_: Facts, text: str) -> Value:
    """Of parameters of a published model, or of one of its parts; None where it has no such part."""
    name, _space, part = text.partition(" ")
    found = parameter_parts(BertConfig.preset(name))
    return sum(each.count for each in found if part in ("", each.name)) / 1e6 or None


MEASURES: Mapping[str, Spec] = {
    "tokens": Spec("", "count", lambda facts, _: float(len(facts.reading.encoding))),
    "pieces": Spec("WORD", "count", lambda facts, word: float(len(facts.token_ids(word))) or None),
    "most-pieces": Spec("", "count", _most_pieces),
    "most-repeats": Spec("", "count", _most_repeats),
    "vocabulary": Spec("", "count", lambda facts, _: _of(facts.reading.request.model.tokenizer, "vocab_size")),
    "layers": Spec("", "count", lambda facts, _: _of(facts.reading.request.model, "layers")),
    "heads": Spec("", "count", lambda facts, _: _of(facts.reading.request.model, "heads")),
    "all-heads": Spec("", "count", lambda facts, _: float(len(facts.kinds))),
    "text": Spec("", "word", lambda facts, _: facts.text),
    "guess": Spec("[N]", "word", lambda facts, place: _of(_guess(facts, place), "token")),
    "guess-probability": Spec("[N]", "share", lambda facts, place: _of(_guess(facts, place), "probability")),
    "probability": Spec("WORD", "share", lambda facts, word: _of(_rank(facts, word), "probability")),
    "rank": Spec("WORD", "count", lambda facts, word: _of(_rank(facts, word), "rank")),
    "settles": Spec("", "count", lambda lens, *_: float(lens.decided(0)), "lens"),
    "next-sentence": Spec("", "share", lambda facts, _: _of(facts.reading.next_sentence, "is_next")),
    "score": Spec("KIND", "share", lambda facts, kind: facts.scores(kind).get((facts.layer, facts.head))),
    "best-score": Spec("KIND", "share", lambda facts, kind: max(facts.scores(kind).values(), default=None)),
    "best-head": Spec("KIND", "word", _best_head),
    "looks": Spec("WORD -> WORD", "share", _looks),
    "looked-at": Spec("WORD", "word", _looked_at),
    "cosine": Spec("WORD -> WORD", "number", _cosine),
    "class": Spec("", "word", _class, "applied"),
    "class-probability": Spec("CLASS", "share", _class, "applied"),
    "tag": Spec("WORD", "word", _tag, "applied"),
    "answer": Spec("", "word", _answer, "applied"),
    "pairs": Spec("", "count", lambda found, *_: float(len(found.pairs)), "pairs"),
    "pairs-right": Spec("", "count", lambda found, *_: float((found.score > 0).sum()), "pairs"),
    "pairs-first": Spec("", "count", _times_first, "pairs"),
    "pairs-head": Spec("[N]", "word", _place, "pairs"),
    "pairs-effect": Spec("", "share", _effect, "pairs"),
    "pair-head": Spec("[N]", "word", _place, "pair"),
    "pair-effect": Spec("", "share", _effect, "pair"),
    "finds": Spec("RELATION", "share", _relation(_finds), "grammar"),
    "found-by": Spec(
        "RELATION", "word", _relation(lambda _, best, *__: f"{best.layer + 1}·{best.head + 1}"), "grammar"
    ),
    "found-share": Spec("RELATION", "share", _relation(lambda _, best, *__: best.share), "grammar"),
    "distance-share": Spec("RELATION", "share", _relation(lambda _, best, *__: best.distance_share), "grammar"),
    "gain": Spec("RELATION", "share", _relation(lambda _, best, *__: best.gain), "grammar"),
    "circuit-parts": Spec("", "count", lambda found, *_: float(len(found.parts)), "circuit"),
    "circuit-kept": Spec("[N]", "share", lambda found, _, n: float(found.curve[int(n or FEW) - 1]), "circuit"),
    "circuit-random": Spec("", "share", lambda found, *_: float(found.random.max()), "circuit"),
    "circuit-enough": Spec("", "count", lambda found, *_: float(enough(found.curve)), "circuit"),
    "circuit-head": Spec("[N]", "word", _strongest_head, "circuit"),
    "circuit-lost": Spec("", "share", _lost, "circuit"),
    "circuit-word": Spec("[N]", "word", _pushed_word, "circuit"),
    "millions": Spec("MODEL [PART]", "number", _millions),
}


def parse_measure(text: str) -> Measure:
    """A measure from its words. Raises ValueError with a sentence on what is wrong with them."""
    name, _, argument = text.strip().partition(" ")
    spec, argument = MEASURES.get(name), argument.strip()
    if spec is None:
        known = ", ".join(nearest(name, MEASURES))
        raise ValueError(say("There is no measure “{name}”; use one of {known}.", name=name[:40], known=known))
    if not ARGUMENTS[spec.argument](argument):
        usage = f"{name} {spec.argument}".strip() + (f" ({', '.join(KINDS)})" if spec.argument == "KIND" else "")
        wrong = mark("“{name}” cannot be read of “{argument}”; write: {usage}.")
        raise ValueError(say(wrong, name=name, argument=argument[:40], usage=usage))
    return Measure(name, argument)


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """The known names that look most like this one; all of them where none does."""
    names = list(known)
    return get_close_matches(name, names) or names


def value_of(measure: Measure, facts: Facts) -> Value:
    """None where it is not known here, such as a probability without a mask, or not yet."""
    spec = MEASURES[measure.name]
    found = [getattr(facts, spec.needs)] if spec.needs else []
    value = None if None in found else spec.read(*found, facts, measure.argument)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def shown(measure: Measure, value: Value) -> str:
    """As a person reads it."""
    unit = MEASURES[measure.name].unit
    if value is None or isinstance(value, str):
        return "…" if value is None else value
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
        value, wanted = str(value).casefold(), str(wanted).casefold()
    return OPERATORS[condition.operator](value, wanted)


def needs(what: str, measures: Sequence[Measure]) -> bool:
    """Whether any of them needs a further computation, by the field of Facts that it fills."""
    return any(MEASURES[measure.name].needs == what for measure in measures)


# Whether an answer is right. What is right may depend on what the model does just then.


def right_options(question: Question, facts: Facts) -> list[int]:
    """The options of a choice that are right now."""
    return [
        number
        for number, option in enumerate(question.options)
        if (holds(option.is_right, facts) if isinstance(option.is_right, Condition) else option.is_right)
    ]


def right_answers(question: Question, facts: Facts) -> list[Value]:
    """Of a number or word question; empty where the answer cannot be computed here."""
    if isinstance(question.answer, Measure):
        value = value_of(question.answer, facts)
        return [] if value is None else [value]
    answers = question.answer or ()
    return [number_of(text) for text in answers] if question.kind == "number" else list(answers)


def is_right(question: Question, given: str, facts: Facts) -> bool | None:
    """None for a free question, and where the right answer is not known.

    given: the number of an option, or what was typed.
    """
    if question.kind == "free":
        return None
    if question.kind == "choice":
        return given in map(str, right_options(question, facts))
    wanted = right_answers(question, facts)
    if not wanted:
        return None
    if question.kind == "word":
        return _plain(given) in {_plain(str(word)) for word in wanted}
    number = _typed_number(question, given)
    if number is None:
        return False
    within, is_share = question.within
    known = [value for value in wanted if isinstance(value, float)]
    return any(abs(number - value) <= max(within * (abs(value) if is_share else 1), 1e-9) for value in known)


def _typed_number(question: Question, given: str) -> float | None:
    number = numbers.read(given)
    is_measured = isinstance(question.answer, Measure) and MEASURES[question.answer.name].unit == "share"
    return number / 100 if number and number > 1 and is_measured and "%" not in given else number  # 46 for 46%


def hint_for(page: Page, given: str, facts: Facts) -> str:
    """Markdown, after a first wrong answer: that of the lesson; of a number too, whether it is too high or too low."""
    question = page.question
    assert question is not None
    own, wanted = filled(question.hint, facts), right_answers(question, facts) if question.kind != "choice" else []
    number = _typed_number(question, given) if question.kind == "number" else None
    if number is not None:
        nearest = min((float(value) for value in wanted if value is not None), key=lambda value: abs(value - number))
        return f"{say('Too high.') if number > nearest else say('Too low.')} {own}".strip()
    if question.kind == "word" and len(wanted) == 1 and not own and str(wanted[0])[:1].isalpha():
        return say("It begins with “{letter}”.", letter=str(wanted[0])[0])
    is_lit = bool(set(page.highlights) - set(page.covers))
    return own or (say("Look again at what has a ring around it.") if is_lit else say("Read the question once more."))


def filled(text: str, facts: Facts | None) -> str:
    """A text with its placeholders computed, outside of code; … where that is not possible yet."""

    def fill(match: re.Match[str]) -> str:
        if match[1]:
            return match[0]  # code
        if facts is None:
            return "…"
        measure = parse_measure(match[2])
        value = shown(measure, value_of(measure, facts))
        return re.sub(r"([\\`*_#\[\]<>])", r"\\\1", value)  # a token such as ##s or * is no Markdown

    return re.sub(f"{CODE}|{PLACEHOLDER.pattern}", fill, text, flags=re.MULTILINE)


def _plain(text: str) -> str:
    return text.strip().removeprefix("##").strip(" .,;:!?\"'„“”").casefold()
