"""Exact match and F1 of answers by SQuAD's rules (Rajpurkar et al. 2016 and 2018, their evaluate scripts)."""

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence

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


def best_thresholds(
    gold: Sequence[Sequence[str]], best_spans: Sequence[str], leads: Sequence[float]
) -> dict[str, float]:
    """What the model would reach with the best threshold for "no answer", found on these very questions.

    `best_spans` are the model's answers where it has to give one; `leads` how much higher its score of "no answer" is.
    Above the threshold a question gets no answer. Of equal ones the lowest threshold is given, as `find_best_thresh` of
    the SQuAD 2.0 script does; that one may also cut between questions of equal lead, which no threshold can.
    """
    finite = np.nan_to_num(np.asarray(leads, dtype=np.float64))  # infinite where a passage has no span at all
    order = np.argsort(finite, kind="stable")
    sorted_leads = finite[order]
    is_last = np.append(np.diff(sorted_leads) > 0, True)  # of questions with one lead
    cuts = np.append(sorted_leads[0] - 1.0, sorted_leads[is_last])  # below all: never an answer
    metrics: dict[str, float] = {}
    for name, score in (("best_exact_match", exact_match), ("best_f1", word_f1)):
        answered = np.array([_best_score(score, gold[i], best_spans[i]) for i in order])
        silent = np.array([float(not gold[i]) for i in order])
        totals = silent.sum() + np.append(0.0, np.cumsum(answered - silent)[is_last])
        at = int(totals.argmax())
        metrics |= {name: float(totals[at]) / len(gold), f"{name}_threshold": float(cuts[at])}
    return metrics


def _best_score(score: Callable[[str, str], float], accepted: Sequence[str], given: str) -> float:
    """Of several accepted texts the one that fits best counts; "" is accepted where there is none.

    One of articles and marks alone is passed over, as the SQuAD 2.0 script does.
    """
    return max(score(text, given) for text in [text for text in accepted if normalised(text)] or [""])


def answer_scores(gold: Sequence[Sequence[str]], predicted: Sequence[str]) -> dict[str, float]:
    """Means over the questions; of several accepted texts the one that fits best counts, "" is accepted where none is.

    Where some questions have no answer (SQuAD 2.0), also the means over those that have one and those that have none.
    """
    exact, f1 = (
        np.array([_best_score(score, accepted, given) for accepted, given in zip(gold, predicted, strict=True)])
        for score in (exact_match, word_f1)
    )
    metrics = {"exact_match": float(exact.mean()), "f1": float(f1.mean())}
    has_answer = np.array([bool(texts) for texts in gold])
    if not has_answer.all():
        metrics["no_answer_accuracy"] = float(exact[~has_answer].mean())
        if has_answer.any():
            metrics["has_answer_exact_match"] = float(exact[has_answer].mean())
            metrics["has_answer_f1"] = float(f1[has_answer].mean())
    return metrics
