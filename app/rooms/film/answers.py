"""What a snapshot predicts: words for a mask, or of a fine-tuned run classes, a tag, words of a passage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bertcore.tasks.kinds.base import Example, Prediction
from bertcore.tasks.kinds.choice import ChoicePrediction
from bertcore.tasks.kinds.classify import LabelPrediction
from bertcore.tasks.kinds.multilabel import LabelSetPrediction
from bertcore.tasks.kinds.regress import NumberPrediction
from bertcore.tasks.kinds.span import AnswerPrediction
from bertcore.tasks.kinds.tag import TaggedExample, TagsPrediction

from ...compute.applying import apply_model, request_for
from ...compute.over_time import OpenSnapshot
from ...look import numbers
from ...look.say import say
from ...state.readings import Reading

WORDS = 5  # of each frame
NO_TAG = "O"  # of a word that belongs to nothing


@dataclass(frozen=True)
class Guesses:
    """At one position, or about the whole text."""

    position: int | None
    words: tuple[tuple[str, float | None], ...]  # word and its probability, where it has one; most likely first
    was: str = ""  # the word that was hidden; empty where the mask itself was typed

    @property
    def is_right(self) -> bool:
        return bool(self.was) and self.words[0][0] == self.was

    @property
    def best(self) -> str:
        return self.words[0][0]

    @property
    def best_share(self) -> float | None:
        return self.words[0][1]


def position_to_show(newest: Sequence[Guesses], selected: int | None) -> int | None:
    """The selected one where something is predicted there; else the first that is no mere absence of a tag."""
    positions = [guess.position for guess in newest]
    if selected in positions:
        return selected
    telling = [guess.position for guess in newest if guess.best != NO_TAG]
    return next(iter([*telling, *positions]), None)


def answers_of(opened: OpenSnapshot, editors: Mapping[str, str]) -> tuple[Guesses, ...]:
    """Of the snapshot's task; one for each word where it tags words, none where the text is no example of the task.

    editors: kind of task -> what is in the room Apply, such as a passage.
    """
    request = request_for(opened.reading, editors)
    if request is None:
        return ()
    applied = apply_model(opened.checkpoint, request, _ignore)
    if applied.prediction is None or applied.example is None:
        return ()
    return tuple(_answers(applied.prediction, applied.example, opened.reading))


def _ignore(_share: float) -> None:
    """One text is no work to report on."""


def _answers(prediction: Prediction, example: Example, reading: Reading) -> Iterator[Guesses]:
    if isinstance(prediction, LabelPrediction | LabelSetPrediction):
        ranked = sorted(prediction.probabilities.items(), key=lambda one: -one[1])
        yield Guesses(None, tuple(ranked[:WORDS]))
    elif isinstance(prediction, NumberPrediction):
        yield Guesses(None, ((numbers.decimal(prediction.number), None),))
    elif isinstance(prediction, AnswerPrediction):
        yield Guesses(None, ((prediction.text or say("no answer"), None),))
    elif isinstance(prediction, ChoicePrediction):
        ending = say("ending {number}")
        shares = enumerate(prediction.probabilities, start=1)
        named = [(ending.format(number=number), share) for number, share in shares]
        yield Guesses(None, tuple(sorted(named, key=lambda one: -one[1])[:WORDS]))
    elif isinstance(prediction, TagsPrediction) and isinstance(example, TaggedExample):
        positions = _positions(example.words, reading)
        for position, tag, share in zip(positions, prediction.tags, prediction.probabilities, strict=True):
            if position is not None:
                yield Guesses(position, ((tag, share),))


def _positions(words: tuple[str, ...], reading: Reading) -> Iterator[int | None]:
    """The first token of each word of A."""
    encoding, end = reading.encoding, 0
    starts = {
        first: at
        for at, (part, (first, _)) in reversed(list(enumerate(zip(encoding.parts, encoding.offsets, strict=True))))
        if part == "a"
    }
    for word in words:
        start = encoding.text_a.find(word, end)
        end = start + len(word)
        yield starts.get(start)
