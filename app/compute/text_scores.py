"""A list of texts or of minimal pairs, scored for the view "Many texts". Importable without torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.evaluation.estimates import Estimate
    from bertcore.evaluation.score_texts import TextScore

    from .question import Step

MOST_GRID = 12  # words at one place that a grid still has room for


@dataclass(frozen=True, eq=False)
class ScoredTexts:
    scores: list[TextScore]
    means: list[dict[str, float]]  # of a template: for each place, each word's mean (`mean_by_choice`)

    @property
    def is_of_word(self) -> bool:
        """The means are of the probability of a word at [MASK], not of ln p of the text."""
        return self.scores[0].word_probability is not None

    def pairs(self) -> np.ndarray | None:
        """(R,C) means of a template of two places; None where a pair is missing or they are too many."""
        if len(self.means) != 2:
            return None
        found: dict[tuple[str, ...], list[float]] = {}
        for score in self.scores:
            value = score.word_probability if score.word_probability is not None else score.log_likelihood
            if value is not None:
                found.setdefault(score.choices, []).append(value)
        rows, columns = self.means
        if len(found) != len(rows) * len(columns) or max(len(rows), len(columns)) > MOST_GRID:
            return None
        return np.array([[np.mean(found[row, column]) for column in columns] for row in rows])


def score_lines(checkpoint: Checkpoint, lines: list[tuple[str, str]], word: str | None, step: Step) -> ScoredTexts:
    """lines: what each is called in messages, and what it says. Raises as `read_lines` and `score_texts`."""
    from bertcore.evaluation.score_texts import mean_by_choice, read_lines, score_texts

    scores = score_texts(checkpoint, read_lines(lines), word, step)
    return ScoredTexts(scores, mean_by_choice(scores))


@dataclass(frozen=True)
class PairScore:
    """Of a minimal pair: which of its sentences the model finds better."""

    a: str  # the right one
    b: str
    phenomenon: str
    is_right: bool  # it prefers the right one
    margin_bits: float  # how much more surprising the wrong one is


@dataclass(frozen=True, eq=False)
class ScoredPairs:
    scores: list[PairScore]
    right: Estimate  # share in which the right sentence is preferred
    phenomena: dict[str, Estimate]  # the same for each, in the order of the list


def are_minimal_pairs(text: str) -> bool:
    """Lines of JSON, as BLiMP's files have."""
    return text.lstrip().startswith("{")


def score_pairs(checkpoint: Checkpoint, lines: list[tuple[str, str]], step: Step) -> ScoredPairs:
    """lines: what each is called in messages, and what it says. As `bertcore evaluate --pairs` measures it.

    Raises BertcoreError for lines that are no minimal pairs, and for a model that predicts no words.
    """
    from bertcore.evaluation.sets import judge_minimal_pairs, listed_minimal_pairs

    found = judge_minimal_pairs(checkpoint, listed_minimal_pairs(lines), step)
    scores = [
        PairScore(one.pair.good, one.pair.bad, one.pair.phenomenon, one.is_right, one.bad_bits - one.good_bits)
        for one in found.preferences
    ]
    return ScoredPairs(scores, found.right, found.by_phenomenon())
