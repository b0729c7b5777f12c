"""What a model's head for a task says of a reading's text, as words with their probabilities; on the worker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bertcore.progress import ReportProgress
from bertcore.tasks.kinds.choice import ChoicePrediction
from bertcore.tasks.kinds.classify import LabelPrediction
from bertcore.tasks.kinds.multilabel import LabelSetPrediction
from bertcore.tasks.kinds.regress import NumberPrediction
from bertcore.tasks.kinds.span import AnswerPrediction
from bertcore.tasks.kinds.summarise import SummaryExample, SummaryPrediction
from bertcore.tasks.kinds.tag import TaggedExample, TagsPrediction

from ..look import numbers, say
from ..state import Reading
from .applying import apply_model, request_for
from .word_questions import sentence_similarity

if TYPE_CHECKING:
    from bertcore.checkpoint.checkpoint import Checkpoint

MOST_WORDS = 5  # of each text or token
Editors = tuple[tuple[str, str], ...]  # kind of task -> what is in the room Apply, such as a passage


@dataclass(frozen=True)
class Guesses:
    """At one position, or about the whole text."""

    position: int | None
    words: tuple[tuple[str, float | None], ...]  # word and its probability, where it has one; most likely first
    was: str = ""  # the word that was hidden; empty where the mask itself was typed

    @property
    def best(self) -> tuple[str, float | None]:
        return max(self.words, key=lambda one: one[1] or 0.0)

    @property
    def is_right(self) -> bool:
        return bool(self.was) and self.best[0] == self.was


def said_by_task(checkpoint: Checkpoint, reading: Reading, editors: Editors, progress: ReportProgress) -> list[Guesses]:
    """Of the whole text; of each word where it tags words, of each token of an answer that stands in B.

    None where the text is no example of the task.
    Of a sentence encoder how similar A and B are, of a head for replaced tokens how likely each is one.
    """
    request, (a, b) = request_for(reading, dict(editors)), (reading.encoding.text_a, reading.encoding.text_b or "")
    if reading.replaced is not None:
        return [Guesses(at, ((numbers.percent(share), None),)) for at, share in enumerate(reading.replaced.tolist())]
    if checkpoint.pooling is not None and b:
        return [_alone(numbers.decimal(sentence_similarity(checkpoint, a, b, progress)))]
    if request is None:
        return []
    applied = apply_model(checkpoint, request, progress)
    example, prediction = applied.example, applied.prediction
    match prediction:
        case LabelPrediction() | LabelSetPrediction():
            return [_ranked(prediction.probabilities.items())]
        case NumberPrediction():
            return [_alone(numbers.decimal(prediction.number))]
        case AnswerPrediction():
            answer, encoding = _alone(prediction.text or say("no answer")), reading.encoding
            span, part = range(prediction.start, prediction.end), "b" if request.text_b == b else None
            places = enumerate(zip(encoding.parts, encoding.offsets, strict=True))
            inside = (at for at, (own, (first, _)) in places if own == part and first in span)
            return [answer, *(replace(answer, position=at) for at in inside)]
        case ChoicePrediction():
            shares = enumerate(prediction.probabilities, start=1)
            return [_ranked((say("ending {number}", number=number), share) for number, share in shares)]
        case SummaryPrediction() if isinstance(example, SummaryExample):
            return [_ranked(zip(example.sentences, prediction.probabilities, strict=False))]
        case TagsPrediction() if isinstance(example, TaggedExample):
            tags = zip(_positions(example.words, reading), prediction.tags, prediction.probabilities, strict=True)
            return [Guesses(at, ((tag, share),)) for at, tag, share in tags if at is not None]
    return []


def _alone(text: str) -> Guesses:
    return Guesses(None, ((text, None),))


def _ranked(shares: Iterable[tuple[str, float]]) -> Guesses:
    return Guesses(None, tuple(sorted(shares, key=lambda one: -one[1])[:MOST_WORDS]))


def _positions(words: tuple[str, ...], reading: Reading) -> Iterator[int | None]:
    """The first token of each word of A."""
    encoding, end = reading.encoding, 0
    begins = [first if part == "a" else None for part, (first, _) in zip(encoding.parts, encoding.offsets, strict=True)]
    for word in words:
        start = encoding.text_a.find(word, end)
        end = start + len(word)
        yield begins.index(start) if start in begins else None
