"""Whole texts and pairs: what classifying, scoring and giving several labels have in common."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from bertcore.errors import BertcoreError
from bertcore.tasks.kinds import base
from bertcore.tasks.packed import Floats, SequenceWriter
from bertcore.tasks.readers.lines import label_text, refuse
from bertcore.tasks.spec import Columns, Request

LABEL_COLUMNS = ("label", "labels", "score", "gold_label", "is_duplicate", "Quality")
TEXT_COLUMNS = ("text", "sentence", "sentence1", "premise")
PAIR_COLUMNS: Columns = {
    "text": ("text", "text_a", "sentence1", "question1", "premise", "#1 String"),
    "text_b": ("text_b", "sentence2", "question2", "hypothesis", "#2 String"),
}
_UNLABELLED = "-1"  # how test files are marked whose labels are secret


@dataclass(frozen=True, slots=True)
class TextExample(base.Example):
    """A sentence or pair, and what is to be said about it: a label, a number, or several labels at once."""

    answer_field = "label"
    text_a: str
    text_b: str | None = None
    label: str | float | tuple[str, ...] | None = None  # None: not known


class TextKind(base.TaskKind[TextExample, base.Features]):
    """A sequence for each example, and an answer that is read off its [CLS]."""

    head = "classify"
    example = TextExample
    pipeline = "text-classification"
    reads = "first"
    reads_as_typed = True
    missing_head = "This model has no classification head."
    fewest_labels: ClassVar[int] = 1  # in a file that is learned from

    def typed(self, text_a: str, text_b: str | None) -> TextExample:
        return TextExample(text_a, text_b if text_b and text_b.strip() else None)

    def read_label(self, request: Request, place: str, column: str, value: object) -> Any:
        label = label_text(value)
        if not request.needs_labels and label in (None, _UNLABELLED):
            return None
        expected, found = self.label_in(request, place, label)
        if found is None:
            raise refuse(place, f"{expected} in column '{column}'", value)
        return found

    @abstractmethod
    def label_in(self, request: Request, place: str, label: str | None) -> tuple[str, Any]:
        """What a column should have, in words, and the label that its text is; None where it is none."""

    def features(self, examples: Sequence[TextExample], reading: base.Reading) -> base.Features:
        """Raises BertcoreError for a label that `labels` does not have, or what is no number."""
        pairs = ((i, each.text_a, each.text_b or None) for i, each in enumerate(examples))
        writer = SequenceWriter().add_pairs(pairs, reading.tokenizer, reading.max_length)
        answers = self.answers(examples, {label: number for number, label in enumerate(reading.labels)})
        return base.packed(base.Features, self, examples, writer, answers, labels=reading.labels)

    @abstractmethod
    def answers(self, examples: Sequence[TextExample], numbers: dict[str, int]) -> NDArray:
        """(E,...) what is right; `numbers` are those of the labels."""

    def unit_answer(self, features: base.Features, scored: base.ScoredUnit) -> base.UnitAnswer:
        loss = float(scored.losses.mean())
        found = self.first_answer(features, features.answers[scored.number], scored.logits, loss)
        return base.UnitAnswer(range(1), found.right, found.given, loss, (found,))

    @abstractmethod
    def first_answer(self, features: base.Features, right: Any, scores: Floats, loss: float) -> base.TokenAnswer:
        """What is read off [CLS], the token 0 of row 0."""

    def written(self, example: TextExample) -> tuple[str, str | None, str]:
        return example.text_a, example.text_b, self.label_written(example.label)

    def label_written(self, label: Any) -> str:
        return str(label or "")

    def lines(self, prediction: Any, example: TextExample) -> list[tuple[str | float, str]]:
        likely = getattr(prediction, "probabilities", {})  # a number has none
        return [(share, name) for name, share in sorted(likely.items(), key=lambda item: -item[1])]

    def labels_of(self, request: Request, examples: Sequence[TextExample]) -> tuple[str, ...]:
        if request.known_labels or not self.has_labels:
            return request.known_labels
        labelled = (example for example in examples if example.label is not None)
        seen = tuple(sorted({label for example in labelled for label in self.label_words(example)}))
        if request.needs_labels and len(seen) < self.fewest_labels:
            few = ", ".join(seen) or "none at all"
            raise BertcoreError(
                f"{request.file.name} has fewer than two different labels ({few}); a classifier needs at least "
                "two. Name the label column with --label."
            )
        return seen
