"""Exact match and F1 of answers by SQuAD's rules (Rajpurkar et al. 2016 and 2018, their evaluate scripts)."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

import numpy as np

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_MARKS = str.maketrans("", "", string.punctuation)


def normalised(text: str) -> str:
    """Lower case, without ASCII punctuation and English articles, one space between words."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_MARKS)).split())


def exact_match(gold: str, predicted: str) -> float:
    """1 if both are the same after normalisation, else 0."""
    return float(normalised(gold) == normalised(predicted))


def word_f1(gold: str, predicted: str) -> float:
    """F1 of the words that both share, each as often as it stands in both; 1 if neither has a word."""
    right, given = normalised(gold).split(), normalised(predicted).split()
    if not right or not given:
        return float(right == given)
    shared = sum((Counter(right) & Counter(given)).values())
    return 2 * shared / (len(right) + len(given))


def answer_scores(gold: Sequence[Sequence[str]], predicted: Sequence[str]) -> dict[str, float]:
    """Means over the questions; of several accepted texts the one that fits best counts, "" is accepted where none is.

    Where some questions have no answer (SQuAD 2.0), also the means over those that have one and those that have none.
    """
    # An accepted text of articles and marks alone is passed over, as the SQuAD 2.0 script does.
    accepted = [[text for text in texts if normalised(text)] or [""] for texts in gold]
    exact, f1 = (
        np.array([max(score(text, given) for text in texts) for texts, given in zip(accepted, predicted, strict=True)])
        for score in (exact_match, word_f1)
    )
    found = {"exact_match": float(exact.mean()), "f1": float(f1.mean())}
    has_answer = np.array([bool(texts) for texts in gold])
    if not has_answer.all():
        found["no_answer_accuracy"] = float(exact[~has_answer].mean())
        if has_answer.any():
            found["has_answer_exact_match"] = float(exact[has_answer].mean())
            found["has_answer_f1"] = float(f1[has_answer].mean())
    return found
