"""classify: one label of several for a text or a pair (Devlin et al. 2019, section 4.1)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertcore.data.pairs import NO_LABEL
from bertcore.errors import BertcoreError
from bertcore.tasks.kinds import base
from bertcore.tasks.kinds.texts import LABEL_COLUMNS, PAIR_COLUMNS, TEXT_COLUMNS, TextExample, TextKind
from bertcore.tasks.packed import Floats, Ints
from bertcore.tasks.readers.lines import quoted
from bertcore.tasks.spec import LABELS_SHOWN, Request, TaskSpec


@dataclass(frozen=True)
class LabelPrediction(base.Prediction):
    answer_field = "label"
    label: str
    probabilities: dict[str, float]  # of every label; they sum to 1

    @property
    def certainty(self) -> float:
        return self.probabilities[self.label]


class Classify(TextKind):
    name = "classify"
    problem = "single_label_classification"
    metrics = ("accuracy", "f1", "f1_macro", "matthews_correlation")
    has_labels = has_confusion = True
    fewest_labels = 2
    tasks = (
        TaskSpec(
            "classify", "classify", "Classify texts", "table", ("accuracy", "f1_macro"),
            columns={"text": TEXT_COLUMNS, "label": LABEL_COLUMNS}, sample="sentiment",
        ),
        TaskSpec(
            "pairs", "classify", "Classify pairs of texts", "table", ("accuracy", "f1_macro"),
            columns={**PAIR_COLUMNS, "label": LABEL_COLUMNS}, sample="paraphrase",
        ),
    )  # fmt: skip

    def label_in(self, request: Request, place: str, label: str | None) -> tuple[str, Any]:
        return "a label", None if label is None else request.check_known(place, request.spec.name_of(label))

    def labels_of(self, request: Request, examples: Sequence[TextExample]) -> tuple[str, ...]:
        labels = super().labels_of(request, examples)
        if not request.known_labels and len(labels) == len(examples) > LABELS_SHOWN:
            raise BertcoreError(
                f"{request.file.name} has a different label in each of its {len(examples)} rows, such as "
                f"{quoted(labels[0])}; name the label column with --label."
            )
        return labels

    def answers(self, examples: Sequence[TextExample], numbers: dict[str, int]) -> Ints:
        found = (
            NO_LABEL if each.label is None else base.label_number(i, str(each.label), numbers)
            for i, each in enumerate(examples)
        )
        return np.fromiter(found, dtype=np.int64, count=len(examples))

    def decode_unit(self, features: base.Features, scores: Floats) -> LabelPrediction:
        """(K): the likeliest label."""
        labels, likely = features.labels, self.probabilities(scores).tolist()
        return LabelPrediction(labels[int(scores.argmax())], dict(zip(labels, likely, strict=True)))

    def measure(self, gold: Sequence[str], predicted: Sequence[str], labels: list[str]) -> dict[str, Any]:
        """accuracy, f1 (of the second of two labels, as GLUE), f1_macro (over the labels that occur, right or
        predicted), matthews_correlation."""
        every = sorted({*labels, *gold, *predicted})  # no matrix of them: there may be thousands
        shared = Counter(a for a, b in zip(gold, predicted, strict=True) if a == b)
        counted = (shared, Counter(gold), Counter(predicted))
        right, there, given = (np.array([counts[label] for label in every], dtype=np.float64) for counts in counted)
        f1 = dict(zip(every, base.f1_of_counts(right, there, given), strict=True))
        metrics = {
            "accuracy": right.sum() / len(gold),
            "f1_macro": np.mean([f1[label] for label in sorted({*gold, *predicted})]),
            "matthews_correlation": _matthews(right, there, given),
        }
        return metrics | ({"f1": f1[labels[1]]} if len(labels) == 2 else {})

    def first_answer(self, features: base.Features, right: Any, scores: Floats, loss: float) -> base.TokenAnswer:
        return self._one_of(features.labels, self.probabilities(scores), int(right), int(scores.argmax()), 0, loss)

    def answer_numbers(self, features: base.Features, units: Ints) -> tuple[Sequence[str], NDArray]:
        return features.labels, features.answers[units]


def _matthews(right: Floats, there: Floats, given: Floats) -> float:
    """For any number of labels (Gorodkin 2004); 0 where one side is constant."""
    total = there.sum()
    covariance = right.sum() * total - there @ given
    spread = (total**2 - there @ there) * (total**2 - given @ given)
    return float(covariance / np.sqrt(spread)) if spread else 0.0
