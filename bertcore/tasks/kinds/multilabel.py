"""multilabel: several labels at once for a text, or none."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertcore.errors import BertcoreError
from bertcore.tasks.kinds import base
from bertcore.tasks.kinds.texts import TEXT_COLUMNS, TextExample, TextKind
from bertcore.tasks.packed import Floats, Ints
from bertcore.tasks.readers.lines import label_text
from bertcore.tasks.spec import Request, TaskSpec

THRESHOLD = 0.5  # probability from which on a label is given
_BETWEEN_LABELS = re.compile(r"[|;,]")


@dataclass(frozen=True)
class LabelSetPrediction(base.Prediction):
    answer_field = "labels"
    labels: tuple[str, ...]  # those at or above the threshold
    probabilities: dict[str, float]  # of every label, each for itself


class Multilabel(TextKind):
    name = "multilabel"
    has_labels = True
    problem = "multi_label_classification"
    probability = "sigmoid"
    metrics = ("f1_micro", "f1_macro", "accuracy")
    tasks = (
        TaskSpec(
            "multilabel", "multilabel", "Give texts several labels at once", "table",
            ("f1_micro", "f1_macro", "accuracy"),
            columns={"text": TEXT_COLUMNS, "label": ("labels", "label")}, sample="topics",
        ),
    )  # fmt: skip

    def read_label(self, request: Request, place: str, column: str, value: object) -> tuple[str, ...]:
        """Several labels, or none: a list in JSON and Parquet, elsewhere parted by | or ; or a comma."""
        pieces = value if isinstance(value, list) else _BETWEEN_LABELS.split(label_text(value) or "")
        labels = (request.spec.name_of(text) for piece in pieces if (text := label_text(piece)))
        return tuple(dict.fromkeys(request.check_known(place, label) for label in labels))

    def label_in(self, request: Request, place: str, label: str | None) -> tuple[str, Any]:
        return "labels", self.read_label(request, place, "", label)

    def answers(self, examples: Sequence[TextExample], numbers: dict[str, int]) -> NDArray[np.float32]:
        table = np.zeros((len(examples), len(numbers)), dtype=np.float32)
        for i, example in enumerate(examples):
            if example.label is None:
                table[i] = math.nan
            elif isinstance(example.label, tuple):
                table[i, [base.label_number(i, label, numbers) for label in example.label]] = 1.0
            else:
                raise BertcoreError(f"Example {i + 1} has “{example.label}” where a list of labels is expected.")
        return table

    def decode_unit(self, features: base.Features, scores: Floats) -> LabelSetPrediction:
        """(K): every label whose probability is at or above the threshold."""
        likely = dict(zip(features.labels, self.probabilities(scores).tolist(), strict=True))
        return LabelSetPrediction(tuple(label for label, share in likely.items() if share >= THRESHOLD), likely)

    def measure(
        self, gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]], labels: list[str]
    ) -> dict[str, Any]:
        """accuracy (all of them right), f1_micro, f1_macro (over the labels that occur)."""
        right, given = (np.array([[label in row for label in labels] for row in side]) for side in (gold, predicted))
        both, there, found = ((side.sum(axis=0).astype(np.float64)) for side in (right & given, right, given))
        occurs = (right | given).any(axis=0)
        return {
            "accuracy": (right == given).all(axis=1).mean(),
            "f1_micro": base.f1_of_counts(both.sum(), there.sum(), found.sum()),
            "f1_macro": base.f1_of_counts(both, there, found)[occurs].mean() if occurs.any() else 0.0,
        }

    def first_answer(self, features: base.Features, right: Any, scores: Floats, loss: float) -> base.TokenAnswer:
        likely, is_right = self.probabilities(scores), right > 0.5
        names, given = (
            ", ".join(name for name, is_in in zip(features.labels, chosen, strict=True) if is_in)
            for chosen in (is_right, likely >= THRESHOLD)
        )
        options = self._options(features.labels, likely, is_right)
        return base.TokenAnswer(0, 0, names, given, loss, names == given, options)

    def answer_numbers(self, features: base.Features, units: Ints) -> tuple[Sequence[str], NDArray]:
        return features.labels, np.nonzero(features.answers[units] > 0.5)[1]

    def label_written(self, label: Any) -> str:
        return ", ".join(label or ())

    def label_words(self, example: TextExample) -> Iterable[str]:
        return example.label if isinstance(example.label, tuple) else ()
