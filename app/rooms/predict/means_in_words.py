"""What a template shows: which of its words the model finds more likely, and the means behind that."""

from __future__ import annotations

import math

import numpy as np

from ...compute.text_scores import ScoredTexts
from ...look import numbers
from ...look.bidi import isolated
from ...look.say import say

MOST_ROWS = 4  # words that have a sentence of their own
LEAST_FACTOR = 1.05  # less is no difference


def means_in_words(scored: ScoredTexts) -> str:
    """Empty where there are no means, as without a template."""
    if not scored.means:
        return ""
    findings = _by_row(scored) or [_finding(scored, *means.items()) for means in scored.means if len(means) == 2]
    kind = say("Mean ln p (nearer to 0: more likely): {means}.")
    if scored.is_of_word:
        kind = say("Mean probability of the word at [MASK]: {means}.")
    listed = (
        ", ".join(f"{word or numbers.MISSING} {written_mean(scored, value)}" for word, value in means.items())
        for means in scored.means
    )
    return " ".join([*(one for one in findings if one), kind.format(means="; ".join(listed))])


def written_mean(scored: ScoredTexts, value: float) -> str:
    return numbers.probability(value) if scored.is_of_word else numbers.decimal(value)


def _by_row(scored: ScoredTexts) -> list[str]:
    """Of two places, two words at the second: what each word at the first does to them."""
    values = scored.pairs()
    if values is None or values.shape[1] != 2 or len(values) > MOST_ROWS:
        return []
    rows, columns = (list(means) for means in scored.means)
    text = say("With “{row}”: {finding}")
    found = [(row, _finding(scored, *zip(columns, pair, strict=True))) for row, pair in zip(rows, values, strict=True)]
    return [text.format(row=isolated(row), finding=finding) for row, finding in found if finding]


def _finding(scored: ScoredTexts, first: tuple[str, float], second: tuple[str, float]) -> str:
    """(word, mean) of two words at one place; empty where the texts cannot be compared in that way."""
    if scored.is_of_word and (scored.word is None or not min(first[1], second[1]) > 0):
        return ""
    change = float(np.log(first[1] / second[1])) if scored.is_of_word else first[1] - second[1]
    more, less = (first, second) if change >= 0 else (second, first)
    factor = math.exp(min(abs(change), 700.0))
    named = {"more": isolated(more[0]), "less": isolated(less[0]), "factor": numbers.number(factor, 2)}
    if factor < LEAST_FACTOR:
        return say("“{more}” and “{less}” are equally likely.").format(**named)
    if scored.is_of_word:
        text = say("“{word}” is {factor} times as likely with “{more}” as with “{less}”.")
        return text.format(word=isolated(scored.word or ""), **named)
    text = say("“{more}” makes the text {factor} times as likely as “{less}” does.")
    return text.format(**named)
