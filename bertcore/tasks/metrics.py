"""The numbers that people compare, from right and predicted answers. Importable without torch.

Shares are 0..1 (papers and SQuAD's script often show them times 100).
"""

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertcore.errors import BertcoreError
from bertcore.tag_schemes import detect_scheme, entity_spans
from bertcore.tasks.examples import KINDS, Kind
from bertcore.tasks.rouge import Rouge, rouge

Metrics = dict[str, float]
Counts = NDArray[np.float64]


class EntityScores(NamedTuple):
    """Of the entities of one type; a found one counts if its first word, last word and type are right."""

    precision: float
    recall: float
    f1: float
    there: int  # entities of this type in the right answers


def measure(kind: Kind, gold: Sequence[Any], predicted: Sequence[Any], labels: Sequence[str] = ()) -> Metrics:
    """Metrics by name. `gold` and `predicted` as `gold_answers` and `Prediction.answer` give them, one per example.

    classify    labels: accuracy, f1 (of the second of two labels, as GLUE), f1_macro (over the labels that occur, right
                or predicted), matthews_correlation
    regress     numbers: pearson, spearmanr, mse; a correlation is 0 where one side is constant
    multilabel  tuples of labels: accuracy (all of them right), f1_micro, f1_macro (over the labels that occur)
    tag         tuples of tags: accuracy (of words), and precision, recall, f1 of entities if the tags mark entities
    span        a tuple of accepted texts, () for none, against a text: exact_match, f1; where some have no answer also
                has_answer_exact_match, has_answer_f1, no_answer_accuracy
    choice      numbers of endings: accuracy
    summarise   texts, a sentence a line: F1 of rouge1, rouge2, rougeL, rougeLsum (over lines, as papers report ROUGE-L)

    Raises BertcoreError where there is nothing to compare, or an answer is not known.
    """
    if kind not in KINDS:
        raise ValueError(f"there is no kind {kind!r}; there are {', '.join(KINDS)}")
    if not len(gold) or len(gold) != len(predicted):
        raise BertcoreError(f"There are {len(gold)} right answers for {len(predicted)} predictions; give one for each.")
    if unknown := [i for i, answer in enumerate(gold) if answer is None]:
        raise BertcoreError(f"Example {unknown[0] + 1} has no right answer to compare with; leave it out.")
    by_kind: dict[str, Callable[..., Metrics]] = {
        "regress": _numbers,
        "span": answer_scores,
        "choice": _choices,
        "summarise": _summaries,
    }
    if kind in by_kind:
        return by_kind[kind](gold, predicted)
    by_label: dict[str, Callable[..., Metrics]] = {"classify": _classes, "multilabel": _label_sets, "tag": _tags}
    return by_label[kind](gold, predicted, list(labels))


def confusion(gold: Sequence[Any], predicted: Sequence[Any], labels: Sequence[str]) -> NDArray[np.int64]:
    """(K,K) how often the right label (row) was given as each (column). Tags of sentences count word by word.

    What is not among `labels` is left out.
    """
    numbers = {label: number for number, label in enumerate(labels)}
    pairs = [pair for pair in zip(_flat(gold), _flat(predicted), strict=True) if numbers.keys() >= set(pair)]
    table = np.zeros((len(labels), len(labels)), dtype=np.int64)
    if pairs:
        rows, columns = zip(*([numbers[label] for label in pair] for pair in pairs), strict=True)
        np.add.at(table, (rows, columns), 1)
    return table


def entity_scores(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> dict[str, EntityScores]:
    """Scores by type of entity, and of all types under ""; as conlleval and seqeval count them.

    0 where there is nothing to find, or nothing was predicted. Raises BertcoreError for what is no tag of entities.
    """
    right, given = _entities(gold), _entities(predicted)
    types = ["", *sorted({kind for _, kind, _, _ in right | given} - {""})]
    return {kind: _entity_scores(_of_type(right, kind), _of_type(given, kind)) for kind in types}


def ranked(losses: Sequence[float] | NDArray[np.float64], k: int) -> tuple[list[int], list[int]]:
    """Numbers of the k examples with the lowest losses, best first, and of the k with the highest, worst first.

    No example is in both: where there are too few for that, each gets half. NaN is left out; ties go by number.
    """
    values = np.asarray(losses, dtype=np.float64)
    order = np.argsort(values, kind="stable")[: int((~np.isnan(values)).sum())]
    worst_first = np.argsort(-values, kind="stable")[: len(order)]
    best = order[: min(k, (len(order) + 1) // 2)].tolist()
    return best, [i for i in worst_first.tolist() if i not in best][: min(k, len(order) // 2)]


def _classes(gold: Sequence[str], predicted: Sequence[str], labels: list[str]) -> Metrics:
    every = sorted({*labels, *gold, *predicted})  # no matrix of them: there may be thousands
    counted = (Counter(a for a, b in zip(gold, predicted, strict=True) if a == b), Counter(gold), Counter(predicted))
    right, there, given = (np.array([counts[label] for label in every], dtype=np.float64) for counts in counted)
    f1 = dict(zip(every, _f1(right, there, given), strict=True))
    metrics = {
        "accuracy": right.sum() / len(gold),
        "f1_macro": np.mean([f1[label] for label in sorted({*gold, *predicted})]),
        "matthews_correlation": _matthews(right, there, given),
    }
    if len(labels) == 2:
        metrics["f1"] = f1[labels[1]]
    return _plain(metrics)


def _f1(right: Counts, there: Counts, given: Counts) -> Counts:
    """Of each label: how often it was given rightly, was the right answer, was given. 0 where it never occurs."""
    return 2 * right / np.maximum(there + given, 1)


def _matthews(right: Counts, there: Counts, given: Counts) -> float:
    """For any number of labels (Gorodkin 2004); 0 where one side is constant."""
    total = there.sum()
    covariance = right.sum() * total - there @ given
    spread = (total**2 - there @ there) * (total**2 - given @ given)
    return float(covariance / np.sqrt(spread)) if spread else 0.0


def _numbers(gold: Sequence[float], predicted: Sequence[float]) -> Metrics:
    from scipy.stats import pearsonr, spearmanr

    right, given = (np.asarray(side, dtype=np.float64) for side in (gold, predicted))
    varies = len(right) > 1 and np.ptp(right) > 0 and np.ptp(given) > 0
    return _plain(
        {
            "pearson": pearsonr(right, given).statistic if varies else 0.0,
            "spearmanr": spearmanr(right, given).statistic if varies else 0.0,
            "mse": np.mean((right - given) ** 2),
        }
    )


def _label_sets(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]], labels: list[str]) -> Metrics:
    right, given = (np.array([[label in row for label in labels] for row in side]) for side in (gold, predicted))
    both, there, found = ((side.sum(axis=0).astype(np.float64)) for side in (right & given, right, given))
    occurs = (right | given).any(axis=0)
    return _plain(
        {
            "accuracy": (right == given).all(axis=1).mean(),
            "f1_micro": _f1(both.sum(), there.sum(), found.sum()),
            "f1_macro": _f1(both, there, found)[occurs].mean() if occurs.any() else 0.0,
        }
    )


def _tags(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]], labels: list[str]) -> Metrics:
    words = list(zip(_flat(gold), _flat(predicted), strict=True))
    metrics = {"accuracy": sum(right == given for right, given in words) / max(1, len(words))}
    if detect_scheme(labels or set(_flat(gold))) != "none":
        every = entity_scores(gold, predicted)[""]
        metrics |= {"precision": every.precision, "recall": every.recall, "f1": every.f1}
    return metrics


def _choices(gold: Sequence[int], predicted: Sequence[int]) -> Metrics:
    return {"accuracy": sum(right == given for right, given in zip(gold, predicted, strict=True)) / len(gold)}


def _summaries(gold: Sequence[str], predicted: Sequence[str]) -> Metrics:
    scores = np.array([rouge(right, given) for right, given in zip(gold, predicted, strict=True)])
    return dict(zip(Rouge._fields, scores.mean(axis=0).tolist(), strict=True))


def _flat(answers: Sequence[Any]) -> list[str]:
    """Labels, or tags sentence by sentence, as one list."""
    return [label for answer in answers for label in ([answer] if isinstance(answer, str) else answer)]


Entities = set[tuple[int, str, int, int]]  # sentence, type, first word, word after the last


def _entities(sentences: Sequence[Sequence[str]]) -> Entities:
    return {(number, *span) for number, tags in enumerate(sentences) for span in entity_spans(tags)}


def _of_type(entities: Entities, kind: str) -> Entities:
    return {entity for entity in entities if kind in ("", entity[1])}


def _entity_scores(gold: Entities, predicted: Entities) -> EntityScores:
    right = len(gold & predicted)
    precision, recall = right / max(1, len(predicted)), right / max(1, len(gold))
    return EntityScores(precision, recall, 2 * right / max(1, len(gold) + len(predicted)), len(gold))


def _plain(metrics: dict[str, Any]) -> Metrics:
    return {name: float(value) for name, value in metrics.items()}


_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_MARKS = str.maketrans("", "", string.punctuation)


def normalised(text: str) -> str:
    """Lower case, without ASCII punctuation and English articles, one space between words."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_MARKS)).split())


def exact_match(gold: str, predicted: str) -> float:
    """1 if both are the same after normalisation, else 0."""
    return float(normalised(gold) == normalised(predicted))


def word_f1(gold: str, predicted: str) -> float:
    """F1 of the words that both texts contain, each counted as often as it occurs in both; 1 if neither has any."""
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
