"""regress: a number for a text or a pair, such as how similar two sentences are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bertcore.config import BertConfig
from bertcore.errors import BertcoreError
from bertcore.tasks.kinds import base
from bertcore.tasks.kinds.texts import PAIR_COLUMNS, TextExample, TextKind
from bertcore.tasks.packed import Floats, Ints
from bertcore.tasks.spec import Request, TaskSpec

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class NumberPrediction(base.Prediction):
    answer_field = "number"
    number: float


class Regress(TextKind):
    name = "regress"
    problem = "regression"
    probability = None
    number_name = "number"
    metrics = ("spearmanr", "pearson")
    tasks = (
        TaskSpec(
            "similarity", "regress", "Score pairs of texts", "table", ("spearmanr", "pearson"),
            columns={**PAIR_COLUMNS, "label": ("score", "label")}, sample="similarity",
        ),
    )  # fmt: skip

    def label_in(self, request: Request, place: str, label: str | None) -> tuple[str, Any]:
        limits, number = request.spec.number_range, finite(label)
        if limits is None:
            return "a number", None if math.isnan(number) else number
        lowest, highest = limits
        return f"a number from {lowest:g} to {highest:g}", number if lowest <= number <= highest else None

    def answers(self, examples: Sequence[TextExample], numbers: dict[str, int]) -> NDArray[np.float32]:
        found = [math.nan if each.label is None else finite(each.label) for each in examples]
        for i, (number, example) in enumerate(zip(found, examples, strict=True)):
            if math.isnan(number) and example.label is not None:
                raise BertcoreError(f"Example {i + 1} has “{example.label}” where a number is expected.")
        return np.array(found, dtype=np.float32)

    def config(self, spec: TaskSpec, labels: tuple[str, ...], examples: Sequence[TextExample]) -> dict[str, Any]:
        numbers = [each.label for each in examples if isinstance(each.label, float)]
        learned = (min(numbers), max(numbers)) if numbers and min(numbers) < max(numbers) else None  # None: all alike
        return {**super().config(spec, labels or ("score",), examples), "number_range": spec.number_range or learned}

    def refuse(self, name: str, config: BertConfig) -> None:
        if config.label_count > 1:
            raise BertcoreError(f"The model {name} gives {config.label_count} numbers at once; only one is shown here.")

    def losses(self, logits: Tensor, labels: Tensor) -> Tensor:
        return (logits.view(labels.shape) - labels.to(logits.dtype)) ** 2

    def decode_unit(self, features: base.Features, scores: Floats) -> NumberPrediction:
        """(1): the number itself."""
        return NumberPrediction(float(scores.item()))

    def measure(self, gold: Sequence[float], predicted: Sequence[float], labels: list[str]) -> dict[str, Any]:
        """pearson, spearmanr, mse; a correlation is 0 where one side is constant."""
        from scipy.stats import pearsonr, spearmanr

        right, given = (np.asarray(side, dtype=np.float64) for side in (gold, predicted))
        varies = len(right) > 1 and np.ptp(right) > 0 and np.ptp(given) > 0
        return {
            "pearson": pearsonr(right, given).statistic if varies else 0.0,
            "spearmanr": spearmanr(right, given).statistic if varies else 0.0,
            "mse": np.mean((right - given) ** 2),
        }

    def first_answer(self, features: base.Features, right: Any, scores: Floats, loss: float) -> base.TokenAnswer:
        return base.TokenAnswer(0, 0, float(right), float(scores[0]), loss, None)

    def answer_numbers(self, features: base.Features, units: Ints) -> tuple[Sequence[str], NDArray]:
        return (), np.zeros(0, dtype=np.int64)

    def label_written(self, label: Any) -> str:
        return f"{label:g}" if isinstance(label, float) else super().label_written(label)

    def label_counts(self, examples: Sequence[TextExample]) -> list[tuple[str, int]]:
        """In five ranges, from the lowest on."""
        counts, edges = np.histogram([float(str(each.label)) for each in examples], bins=5)
        return [(f"{a:.3g} – {b:.3g}", int(n)) for n, a, b in zip(counts, edges[:-1], edges[1:], strict=True)]


def finite(value: Any) -> float:
    """The value as a number; NaN where it is none, or an infinite one."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return math.nan
    return number if math.isfinite(number) else math.nan
