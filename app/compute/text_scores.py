"""A list of texts or of minimal pairs, scored for the view "Many texts". Importable without torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bertcore.errors import BertcoreError
from bertcore.json_text import parse_json

if TYPE_CHECKING:
    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.evaluation.score_texts import TextScore
    from bertcore.evaluation.sets import Estimate, MinimalPair
    from bertcore.progress import ReportProgress

MOST_GRID = 12  # words at one place that a grid still has room for
BETTER, PHENOMENON = " > ", "#"  # between the sentences of a pair; before the name of the phenomenon of those below


@dataclass(frozen=True, eq=False)
class ScoredTexts:
    scores: list[TextScore]
    means: list[dict[str, float]]  # of a template: for each place, each word's mean (`mean_by_choice`)

    @property
    def is_of_word(self) -> bool:
        """The means are of the probability of a word at [MASK], not of ln p of the text."""
        return self.scores[0].word_probability is not None

    @property
    def word(self) -> str | None:
        """At [MASK], where it is the same in all texts."""
        words = {score.word for score in self.scores}
        return words.pop() if len(words) == 1 else None

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


def score_typed(
    checkpoint: Checkpoint, lines: Sequence[tuple[str, str]], word: str | None, progress: ReportProgress
) -> ScoredTexts | ScoredPairs:
    """As the lines are texts or minimal pairs, as `bertcore score` and `bertcore evaluate --pairs` measure them.

    lines: what each is called in messages, and what it says. Raises BertcoreError for lines that are neither, and for
    a model that predicts no words.
    """
    from bertcore.evaluation.score_texts import mean_by_choice, read_lines, score_texts
    from bertcore.evaluation.sets import judge_minimal_pairs

    if are_minimal_pairs("\n".join(line for _, line in lines)):
        found = judge_minimal_pairs(checkpoint, listed_pairs(lines), progress)
        judged = [
            PairScore(one.pair.good, one.pair.bad, one.pair.phenomenon, one.is_right, one.bad_bits - one.good_bits)
            for one in found.preferences
        ]
        return ScoredPairs(judged, found.right, found.by_phenomenon())
    scores = score_texts(checkpoint, read_lines(lines), word, progress)
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
    """Lines of JSON, as BLiMP's files have, or each "right > wrong"."""
    lines = [line for line in text.split("\n") if line.strip() and not line.startswith(PHENOMENON)]
    return text.lstrip().startswith("{") or (bool(lines) and all(BETTER in line for line in lines))


def readable_pairs(lines: Sequence[str]) -> str | None:
    """Minimal pairs in JSON as a person would type them; None where these lines are none."""
    written: list[str] = []
    before = None
    for line in lines:
        try:
            record = parse_json(line)
        except ValueError:
            return None
        if not isinstance(record, dict):
            return None
        names = ("phenomenon", "UID"), ("good", "sentence_good"), ("bad", "sentence_bad")
        values = [next((record[name] for name in either if name in record), None) for either in names]
        if not all(isinstance(value, str) and value.strip() and not {*"\n>"} & {*value} for value in values):
            return None
        phenomenon, good, bad = values
        if phenomenon != before:
            written.append(f"{PHENOMENON} {phenomenon}")
        written.append(f"{good}{BETTER}{bad}")
        before = phenomenon
    return "\n".join(written) or None


def listed_pairs(lines: Sequence[tuple[str, str]]) -> list[MinimalPair]:
    """The pairs that such lines are. Raises BertcoreError for lines that are no minimal pairs."""
    from bertcore.evaluation.sets import MinimalPair, listed_minimal_pairs

    first = next((line for _, line in lines if line.strip()), "")
    if first.lstrip().startswith("{"):
        return listed_minimal_pairs(lines)
    pairs, phenomenon = [], ""
    for place, line in lines:
        if line.startswith(PHENOMENON):
            phenomenon = line.removeprefix(PHENOMENON).strip()
        elif line.strip():
            good, _, bad = (part.strip() for part in line.partition(BETTER))
            if not good or not bad or good == bad:
                raise BertcoreError(f"{place}: expected a right sentence, “>”, and a wrong one.")
            pairs.append(MinimalPair(phenomenon, good, bad))
    return pairs
