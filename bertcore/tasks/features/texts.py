"""Features of sentences and pairs, and of multiple choice."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bertcore.data.pairs import NO_LABEL
from bertcore.errors import BertcoreError
from bertcore.tasks.examples import ChoiceExample, Kind, TextExample
from bertcore.tasks.features.kinds import ChoiceFeatures, TextFeatures
from bertcore.tasks.features.tokenise import SequenceWriter, portions, text_ids
from bertcore.tokenizer.tokenizer import Tokenizer


def text_features(
    kind: Kind, examples: Sequence[TextExample], tokenizer: Tokenizer, labels: tuple[str, ...], max_length: int
) -> TextFeatures:
    """Sentences or pairs with one label ("classify"), a number ("regress") or several labels ("multilabel").

    Raises BertcoreError for a label that `labels` does not have, or what is no number.
    """
    writer, framing = SequenceWriter(), tokenizer.framing
    for portion in portions(len(examples)):
        texts = [(examples[i].text_a, examples[i].text_b or None) for i in portion]
        of_a = text_ids(tokenizer, [a for a, _ in texts])
        of_b = iter(text_ids(tokenizer, [b for _, b in texts if b]))
        for a, (_, b) in zip(of_a, texts, strict=True):
            ids, segments, _ = framing.fitted(a, next(of_b) if b else None, max_length)
            writer.add(ids, segments)
    answers = _ANSWERS[kind](examples, labels)
    known = all(example.label is not None for example in examples)
    numbers = np.arange(len(examples))
    return TextFeatures(kind, "classify", examples, labels, *writer.done(), numbers, known, answers)


def choice_features(examples: Sequence[ChoiceExample], tokenizer: Tokenizer, max_length: int) -> ChoiceFeatures:
    """The beginning with each of its endings, as pairs. Raises BertcoreError where there is no such ending."""
    writer, framing = SequenceWriter(), tokenizer.framing
    for portion in portions(len(examples)):
        pairs = [(examples[i].context, ending or None) for i in portion for ending in examples[i].endings]
        of_a = text_ids(tokenizer, [a for a, _ in pairs])
        of_b = iter(text_ids(tokenizer, [b for _, b in pairs if b]))
        for a, (_, b) in zip(of_a, pairs, strict=True):
            ids, segments, _ = framing.fitted(a, next(of_b) if b else None, max_length)
            writer.add(ids, segments)
    counts = [len(example.endings) for example in examples]
    answers = np.array([_ending(i, example) for i, example in enumerate(examples)], dtype=np.int64)
    known = all(example.label is not None for example in examples)
    numbers, starts = np.repeat(np.arange(len(examples)), counts), np.cumsum([0, *counts])
    return ChoiceFeatures("choice", "choice", examples, (), *writer.done(), numbers, known, starts, answers)


def label_number(place: int, label: str, numbers: dict[str, int], what: str = "label") -> int:
    """The label's number. Raises BertcoreError where there is no such label."""
    if label not in numbers:
        known = ", ".join(list(numbers)[:12])
        raise BertcoreError(
            f"Example {place + 1} has the {what} “{label}”, which the model does not have; it has {known}."
        )
    return numbers[label]


def _classes(examples: Sequence[TextExample], labels: tuple[str, ...]) -> NDArray[np.int64]:
    numbers = {label: number for number, label in enumerate(labels)}
    return np.array(
        [
            NO_LABEL if example.label is None else label_number(i, str(example.label), numbers)
            for i, example in enumerate(examples)
        ],
        dtype=np.int64,
    )


def _numbers(examples: Sequence[TextExample], labels: tuple[str, ...]) -> NDArray[np.float32]:
    return np.array([_number(i, example) for i, example in enumerate(examples)], dtype=np.float32)


def _number(place: int, example: TextExample) -> float:
    if example.label is None:
        return math.nan
    try:
        number = float(example.label)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise BertcoreError(f"Example {place + 1} has “{example.label}” where a number is expected.")
    return number


def _label_sets(examples: Sequence[TextExample], labels: tuple[str, ...]) -> NDArray[np.float32]:
    numbers = {label: number for number, label in enumerate(labels)}
    table = np.zeros((len(examples), len(labels)), dtype=np.float32)
    for i, example in enumerate(examples):
        if example.label is None:
            table[i] = math.nan
        elif isinstance(example.label, tuple):
            table[i, [label_number(i, label, numbers) for label in example.label]] = 1.0
        else:
            raise BertcoreError(f"Example {i + 1} has “{example.label}” where a list of labels is expected.")
    return table


_ANSWERS: dict[Kind, Callable[[Sequence[TextExample], tuple[str, ...]], NDArray]] = {
    "classify": _classes,
    "regress": _numbers,
    "multilabel": _label_sets,
}


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
