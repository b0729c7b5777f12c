"""choice: one of several endings of a beginning, each scored as a pair with it (Devlin et al. 2019, section 4.4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bertcore.data.pairs import NO_LABEL
from bertcore.errors import BertcoreError
from bertcore.tasks.kinds import base
from bertcore.tasks.packed import Floats, Ints, SequenceWriter
from bertcore.tasks.spec import Columns, TaskSpec

if TYPE_CHECKING:
    from torch import Tensor


CHOICE_COLUMNS: Columns = {"text": ("sent1", "context", "text"), "text_b": ("sent2", "text_b"), "label": ("label",)}


@dataclass(frozen=True, slots=True)
class ChoiceExample(base.Example):
    """A beginning and some endings, one of them right."""

    answer_field = "label"
    context: str
    endings: tuple[str, ...]
    label: int | None = None  # which of the endings


@dataclass(frozen=True)
class ChoicePrediction(base.Prediction):
    answer_field = "choice"
    choice: int  # from 0
    probabilities: tuple[float, ...]  # of each ending; they sum to 1


class Choice(base.TaskKind[ChoiceExample, base.Features]):
    """A unit is a question with a sequence for each ending."""

    name = head = "choice"
    example = ChoiceExample
    metrics = ("accuracy",)
    reads = "first"
    probability = None  # of the score of one ending by itself
    number_name = "score of this choice"
    missing_head = "This model has no head that chooses."
    needs_b = True
    tasks = (
        TaskSpec(
            "choose", "choice", "Choose the best ending", "choices", ("accuracy",),
            columns=CHOICE_COLUMNS, sample="endings",
        ),
    )  # fmt: skip

    def typed(self, text_a: str, text_b: str | None) -> ChoiceExample:
        """A is the beginning, each line of B an ending."""
        endings = tuple(line.strip() for line in (text_b or "").splitlines() if line.strip())
        if len(endings) < 2:
            raise BertcoreError("There is nothing to choose from; put two or more endings into B, one on each line.")
        return ChoiceExample(text_a, endings)

    def features(self, examples: Sequence[ChoiceExample], reading: base.Reading) -> base.Features:
        """The beginning with each of its endings, as pairs. Raises BertcoreError where there is no such ending."""
        answers = np.array([_ending(i, example) for i, example in enumerate(examples)], dtype=np.int64)
        pairs = ((i, each.context, ending or None) for i, each in enumerate(examples) for ending in each.endings)
        writer = SequenceWriter().add_pairs(pairs, reading.tokenizer, reading.max_length)
        starts = np.cumsum([0, *(len(example.endings) for example in examples)])
        return base.packed(base.Features, self, examples, writer, answers, unit_starts=starts)

    def arrange(self, scores: Tensor, choices: int) -> Tensor:
        return scores.view(-1, choices)  # (U*C,1) -> (U,C)

    def decode_unit(self, features: base.Features, scores: Floats) -> ChoicePrediction:
        """(C): the likeliest ending."""
        return ChoicePrediction(int(scores.argmax()), tuple(self.probabilities(scores).tolist()))

    def measure(self, gold: Sequence[int], predicted: Sequence[int], labels: list[str]) -> dict[str, Any]:
        return {"accuracy": sum(right == given for right, given in zip(gold, predicted, strict=True)) / len(gold)}

    def unit_answer(self, features: base.Features, scored: base.ScoredUnit) -> base.UnitAnswer:
        """Each ending off its own [CLS]; the loss stands at the right one's."""
        scores, right, loss = scored.logits, int(features.answers[scored.number]), float(scored.losses)
        names, likely = [str(at + 1) for at in range(len(scores))], self.probabilities(scores)
        found = self._one_of(names, likely, right, int(scores.argmax()), 0, loss, row=right)
        return base.UnitAnswer(range(len(scores)), found.right, found.given, loss, (found,))

    def written(self, example: ChoiceExample) -> tuple[str, str | None, str]:
        right = "" if example.label is None else example.endings[example.label]
        return example.context, " / ".join(example.endings), right

    def label_words(self, example: ChoiceExample) -> Iterable[str]:
        return () if example.label is None else (str(example.label + 1),)

    def answer_numbers(self, features: base.Features, units: Ints) -> tuple[Sequence[str], NDArray]:
        most = int(np.diff(features.unit_starts).max())
        return [str(at + 1) for at in range(most)], features.answers[units]

    def lines(self, prediction: ChoicePrediction, example: ChoiceExample) -> list[tuple[str | float, str]]:
        return list(zip(prediction.probabilities, example.endings, strict=True))


def _ending(place: int, example: ChoiceExample) -> int:
    if not example.endings:
        raise BertcoreError(f"Example {place + 1} has no endings to choose from.")
    if example.label is None:
        return NO_LABEL
    if not 0 <= example.label < len(example.endings):
        raise BertcoreError(
            f"Example {place + 1} says that ending {example.label + 1} is right, but has {len(example.endings)}."
        )
    return example.label
