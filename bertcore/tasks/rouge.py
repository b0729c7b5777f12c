"""ROUGE (Lin 2004): how much of a summary that someone wrote is in one that a model chose, as rouge-score counts it."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from bertcore.tasks.stemmer import stem

_WORD = re.compile(r"[a-z0-9]+")
_LEAST_STEMMED = 4  # letters


class Rouge(NamedTuple):
    """F1 of each kind, 0..1."""

    rouge1: float  # words
    rouge2: float  # pairs of words that follow each other
    rougeL: float  # the longest common subsequence of words
    rougeLsum: float  # the same line by line, as papers report ROUGE-L


def rouge(reference: str, given: str) -> Rouge:
    """Both a sentence a line. Words are ASCII letters and digits in lower case, stemmed as in rouge-score."""
    sides = [[_words(line) for line in text.split("\n")] for text in (reference, given)]
    right, other = ([word for line in side for word in line] for side in sides)
    return Rouge(
        f_measure(Counter(other), Counter(right)),
        f_measure(Counter(pairwise(other)), Counter(pairwise(right))),
        _f(len(_common(right, other)), len(right), len(other)),
        _f(_common_by_line(*sides), len(right), len(other)),
    )


def f_measure(counts: Mapping[Any, int], target: Mapping[Any, int]) -> float:
    """2 * shared / (all of one + all of the other), where what occurs twice is shared twice at most."""
    shared = sum(min(count, counts.get(ngram, 0)) for ngram, count in target.items())
    return _f(shared, sum(counts.values()), sum(target.values()))


def _f(shared: int, one: int, other: int) -> float:
    return 2 * shared / (one + other) if one + other else 0.0


def _words(text: str) -> list[str]:
    return [stem(word) if len(word) >= _LEAST_STEMMED else word for word in _WORD.findall(text.lower())]


def _common(reference: Sequence[str], given: Sequence[str]) -> list[int]:
    """Places in `reference` of a longest common subsequence; of several the one that rouge-score takes."""
    longest = [[0] * (len(given) + 1)]  # [i][j]: of the first i and the first j words
    for word in reference:
        above, row = longest[-1], [0]
        for j, other in enumerate(given):
            row.append(above[j] + 1 if word == other else max(above[j + 1], row[j]))
        longest.append(row)
    places = []
    i, j = len(reference), len(given)
    while i and j:
        if reference[i - 1] == given[j - 1]:
            i, j = i - 1, j - 1
            places.append(i)
        elif longest[i][j - 1] > longest[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return places


def _common_by_line(reference: Sequence[Sequence[str]], given: Sequence[Sequence[str]]) -> int:
    """For each line of the reference the union of what it shares with any given line; no word counts more often than
    both sides have it (Lin 2004, section 3.2)."""
    left = Counter(word for line in reference for word in line) & Counter(word for line in given for word in line)
    hits = 0
    for line in reference:
        for place in set().union(*(_common(line, other) for other in given)):
            word = line[place]
            hits += left[word] > 0
            left[word] -= left[word] > 0
    return hits
