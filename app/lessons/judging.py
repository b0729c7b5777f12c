"""Whether an answer is right. What is right may depend on what the model does just then."""

from __future__ import annotations

import re

from ..look import numbers
from .lesson import CODE, PLACEHOLDER, Condition, Measure, Question
from .measures import MEASURES, Facts, Value, holds, number_of, parse_measure, shown, value_of


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
        return int(given) in right_options(question, facts)
    wanted = right_answers(question, facts)
    if not wanted:
        return None
    if question.kind == "word":
        return _plain(given) in {_plain(str(word)) for word in wanted}
    number = numbers.read(given)
    if number is None:
        return False
    is_measured = isinstance(question.answer, Measure) and MEASURES[question.answer.name].unit == "share"
    if is_measured and number > 1 and "%" not in given:
        number /= 100  # 46 for 46%
    within, is_share = question.within
    known = [value for value in wanted if isinstance(value, float)]
    return any(abs(number - value) <= max(within * (abs(value) if is_share else 1), 1e-9) for value in known)


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
