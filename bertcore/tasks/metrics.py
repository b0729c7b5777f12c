"""What the metrics of several kinds of tasks have in common. Importable without torch."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.float64]


def confusion(gold: Sequence[Any], predicted: Sequence[Any], labels: Sequence[str]) -> NDArray[np.int64]:
    """(K,K) how often the right label (row) was given as each (column). Tags of sentences count word by word.

    What is not among `labels` is left out.
    """
    numbers = {label: number for number, label in enumerate(labels)}
    pairs = [pair for pair in zip(flat(gold), flat(predicted), strict=True) if numbers.keys() >= set(pair)]
    table = np.zeros((len(labels), len(labels)), dtype=np.int64)
    if pairs:
        rows, columns = zip(*([numbers[label] for label in pair] for pair in pairs), strict=True)
        np.add.at(table, (rows, columns), 1)
    return table


def ranked(losses: Sequence[float] | NDArray[np.float64], k: int) -> tuple[list[int], list[int]]:
    """Numbers of the k examples with the lowest losses, best first, and of the k with the highest, worst first.

    No example is in both: where there are too few for that, each gets half. NaN is left out; ties go by number.
    """
    values = np.asarray(losses, dtype=np.float64)
    order = np.argsort(values, kind="stable")[: int((~np.isnan(values)).sum())]
    worst_first = np.argsort(-values, kind="stable")[: len(order)]
    best = order[: min(k, (len(order) + 1) // 2)].tolist()
    return best, [i for i in worst_first.tolist() if i not in best][: min(k, len(order) // 2)]


def f1_of_counts(right: Counts, there: Counts, given: Counts) -> Counts:
    """Of each label: how often it was given rightly, was the right answer, was given. 0 where it never occurs."""
    return 2 * right / np.maximum(there + given, 1)


def flat(answers: Sequence[Any]) -> list[str]:
    """Labels, or tags sentence by sentence, as one list."""
    return [label for answer in answers for label in ([answer] if isinstance(answer, str) else answer)]
