"""What a model says about an example, kind by kind. `answer` is it in the form that the metrics compare."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bertcore.tasks.examples import AnswerExample, ChoiceExample, Example, SummaryExample, TaggedExample, TextExample


@dataclass(frozen=True)
class LabelPrediction:
    label: str
    probabilities: Mapping[str, float]  # of every label; they sum to 1

    @property
    def answer(self) -> str:
        return self.label


@dataclass(frozen=True)
class NumberPrediction:
    number: float

    @property
    def answer(self) -> float:
        return self.number


@dataclass(frozen=True)
class LabelSetPrediction:
    labels: tuple[str, ...]  # those at or above the threshold
    probabilities: Mapping[str, float]  # of every label, each for itself

    @property
    def answer(self) -> tuple[str, ...]:
        return self.labels


@dataclass(frozen=True)
class TagsPrediction:
    tags: tuple[str, ...]  # one for each word; "O" for words that the model did not see
    probabilities: tuple[float, ...]  # of each word's tag (with a CRF over all sequences of tags); 0 where not seen
    words_cut: int  # how many were not seen

    @property
    def answer(self) -> tuple[str, ...]:
        return self.tags


@dataclass(frozen=True)
class AnswerPrediction:
    """`start` and `end` are characters of the passage, end exclusive; -1 without an answer."""

    text: str  # "": no answer
    start: int
    end: int
    score: float  # of the best span, start logit + end logit
    no_answer_score: float  # the same of [CLS], the lowest of all windows

    @property
    def answer(self) -> str:
        return self.text


@dataclass(frozen=True)
class ChoicePrediction:
    choice: int  # from 0
    probabilities: tuple[float, ...]  # of each ending; they sum to 1

    @property
    def answer(self) -> int:
        return self.choice


@dataclass(frozen=True)
class SummaryPrediction:
    chosen: tuple[int, ...]  # places of the sentences, from 0, in the order of the text
    sentences: tuple[str, ...]  # these sentences
    probabilities: tuple[float, ...]  # of each sentence that the model saw, from the first on

    @property
    def answer(self) -> str:
        """One sentence a line."""
        return "\n".join(self.sentences)


Prediction = (
    LabelPrediction
    | NumberPrediction
    | LabelSetPrediction
    | TagsPrediction
    | AnswerPrediction
    | ChoicePrediction
    | SummaryPrediction
)


def gold_answers(examples: Sequence[Example]) -> list[Any]:
    """What the examples themselves say, in the form that the metrics compare with; None where nothing is known."""
    return [_gold(example) for example in examples]


def _gold(example: Example) -> Any:
    if isinstance(example, TextExample | ChoiceExample):
        return example.label
    if isinstance(example, TaggedExample):
        return example.tags
    if isinstance(example, AnswerExample):
        return tuple(text for text, _ in example.answers)
    assert isinstance(example, SummaryExample)
    if example.reference is not None or example.labels is None:
        return example.reference
    return "\n".join(sentence for sentence, is_in in zip(example.sentences, example.labels, strict=True) if is_in)
