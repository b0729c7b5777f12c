"""What a checkpoint makes of a batch of examples: its answers beside the right ones, and where they are read off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import expit, log_softmax, softmax

from bertcore.model.bert import Bert
from bertcore.model.evaluation_mode import evaluation_mode
from bertcore.model.losses import task_losses
from bertcore.tasks.features.decode import best_spans
from bertcore.tasks.features.kinds import ChoiceFeatures, SpanFeatures, SummaryFeatures, TagFeatures, TextFeatures
from bertcore.training.drawn_examples import IN, OUT, DrawnExamples

TOP = 4  # options that are kept of each place, and the right one
Said = str | float  # a label, or a number


@dataclass(frozen=True)
class Option:
    """`name`: a label, a tag, the number of an ending (from 1), IN or OUT, or the token at which an answer begins."""

    name: str
    probability: float
    is_right: bool


@dataclass(frozen=True)
class Place:
    """A token off which an answer is read; `loss` in nats (for a number the squared error)."""

    row: int
    position: int
    right: Said
    given: Said
    loss: float
    is_right: bool | None  # None for a number, which is more or less right
    options: tuple[Option, ...] = ()  # the likeliest first; none where the answer is a number
    what: str = ""  # "start" or "end" of an answer in a passage


@dataclass(frozen=True)
class Answered:
    """A unit. `right` and `given` as in Option; an answer in a passage as its text, "" for none in this window; several
    labels with a comma between; for tags and sentences "", as each has its place."""

    rows: range  # its sequences
    right: Said
    given: Said
    loss: float
    places: tuple[Place, ...]

    @property
    def is_right(self) -> bool | None:
        if isinstance(self.right, float):
            return None
        return self.right == self.given and (bool(self.right) or all(place.is_right for place in self.places))


@dataclass(frozen=True, eq=False)
class BatchAnswers:
    """`loss` is what training minimises, the mean over what is counted; `losses` (B,S) are those of the places, NaN
    elsewhere."""

    loss: float
    units: tuple[Answered, ...]
    losses: NDArray[np.float32]

    @property
    def right(self) -> int | None:
        """How many units are wholly right; None for numbers."""
        found = [unit.is_right for unit in self.units]
        return None if None in found else sum(map(bool, found))


@torch.inference_mode()
def example_answers(model: Bert, drawn: DrawnExamples, token: Callable[[int], str]) -> BatchAnswers:
    """In fp32 and without dropout; `token` is how a token id is written."""
    with evaluation_mode(model):
        found = task_losses(model, drawn.batch)
    features = drawn.features
    logits = found.logits[features.head].float()
    if isinstance(features, SpanFeatures):
        units = list(_spans(model, drawn, logits, token))
    elif isinstance(features, TagFeatures):
        units = list(_tagged(model, drawn, logits))
    elif isinstance(features, SummaryFeatures):
        units = list(_sentences(drawn, logits.numpy()))
    elif isinstance(features, ChoiceFeatures):
        units = list(_choices(drawn, logits.numpy()))
    else:
        units = list(_texts(drawn, logits.numpy()))
    losses = np.full(drawn.ids.shape, np.nan, dtype=np.float32)
    for place in (place for unit in units for place in unit.places):
        before = losses[place.row, place.position]  # an answer of one token begins and ends at it
        losses[place.row, place.position] = place.loss if np.isnan(before) else (before + place.loss) / 2
    return BatchAnswers(float(found.total), tuple(units), losses)


def _texts(drawn: DrawnExamples, logits: NDArray[np.float32]) -> Iterator[Answered]:
    """Off [CLS]: (B,K), or (B,1) for a number."""
    features = drawn.features
    assert isinstance(features, TextFeatures)
    for row, (unit, scores) in enumerate(zip(drawn.units, logits.astype(np.float64), strict=True)):
        label = features.answers[unit]
        options: tuple[Option, ...] = ()
        right: Said
        given: Said
        if features.kind == "regress":
            right, given = float(label), float(scores[0])
            loss = (given - right) ** 2
        elif features.kind == "multilabel":
            likely = expit(scores)
            right, given = (
                ", ".join(name for name, is_in in zip(features.labels, chosen, strict=True) if is_in)
                for chosen in (label > 0.5, likely >= 0.5)
            )
            loss = float((np.logaddexp(0.0, scores) - label * scores).mean())
            options = _options(features.labels, likely, label > 0.5)
        else:
            right, given = features.labels[label], features.labels[int(scores.argmax())]
            loss = -float(log_softmax(scores)[label])
            options = _options(features.labels, softmax(scores), np.arange(len(scores)) == label)
        is_right = None if features.kind == "regress" else right == given
        place = Place(row, 0, right, given, loss, is_right, options)
        yield Answered(range(row, row + 1), right, given, loss, (place,))


def _choices(drawn: DrawnExamples, logits: NDArray[np.float32]) -> Iterator[Answered]:
    """(B/C,C), each off the [CLS] of its ending; the loss stands at the right one's."""
    features = drawn.features
    assert isinstance(features, ChoiceFeatures)
    for unit, rows, scores in zip(drawn.units, drawn.rows, logits.astype(np.float64), strict=True):
        label = int(features.answers[unit])
        names = tuple(str(number + 1) for number in range(len(scores)))
        right, given = names[label], names[int(scores.argmax())]
        loss = -float(log_softmax(scores)[label])
        options = _options(names, softmax(scores), np.arange(len(scores)) == label)
        place = Place(rows[label], 0, right, given, loss, right == given, options)
        yield Answered(rows, right, given, loss, (place,))


def _tagged(model: Bert, drawn: DrawnExamples, logits: torch.Tensor) -> Iterator[Answered]:
    """(B,S,K), off the first piece of each word. With a CRF a place has the probability of its tag over all sequences
    of tags, and the loss of a sentence is that of its whole sequence, by the word."""
    features = drawn.features
    (labels,) = drawn.batch.labels.values()  # (B,S)
    asked = labels >= 0
    if model.crf is None:
        likely, best = logits.softmax(dim=-1), logits.argmax(dim=-1)
        whole = None
    else:
        likely, best = model.crf.marginals(logits, asked), torch.zeros_like(labels)
        best[asked] = torch.tensor([tag for row in model.best_tags(logits, asked) for tag in row])
        whole = -model.tag_log_likelihood(logits, labels) / asked.sum(dim=1).clamp(min=1)
    shares, tags = likely.double().numpy(), best.numpy()
    for row in range(len(labels)):
        places = []
        for position in np.flatnonzero(asked[row].numpy()).tolist():
            label, share = int(labels[row, position]), shares[row, position]
            options = _options(features.labels, share, np.arange(len(share)) == label)
            right, given = features.labels[label], features.labels[int(tags[row, position])]
            loss = -float(np.log(max(share[label], 1e-30)))
            places.append(Place(row, position, right, given, loss, right == given, options))
        mean = float(np.mean([place.loss for place in places])) if places else float("nan")
        yield Answered(range(row, row + 1), "", "", mean if whole is None else float(whole[row]), tuple(places))


def _spans(model: Bert, drawn: DrawnExamples, logits: torch.Tensor, token: Callable[[int], str]) -> Iterator[Answered]:
    """(B,S,2): the likeliest first and last token of a window; [CLS] for no answer in it."""
    features = drawn.features
    assert isinstance(features, SpanFeatures)
    in_passage = torch.from_numpy(features.in_passage(drawn.units, logits.shape[1]))
    spans = best_spans(logits[..., 0], logits[..., 1], in_passage)
    for row, window in enumerate(drawn.units.tolist()):
        length = int((~drawn.is_padding[row]).sum())
        scores = logits[row, :length].double().numpy()  # (S,2)
        label = features.answers[window].tolist()
        start, end = int(spans.start[row]), int(spans.end[row])
        is_none = start < 0 or float(spans.no_answer[row]) > float(spans.score[row])
        given_at = (0, 0) if is_none else (start, end)
        names = [token(number) for number in drawn.ids[row, :length].tolist()]
        places = []
        for what, column, right in zip(("start", "end"), scores.T, label, strict=True):
            options = _options(tuple(names), softmax(column), np.arange(length) == right)
            given = given_at[0 if what == "start" else 1]
            loss = -float(log_softmax(column)[right])
            places.append(Place(row, right, names[right], names[given], loss, given == right, options, what))
        right_text, given_text = (
            "" if first == 0 else features.text(window, first, last)[0] for first, last in (label, given_at)
        )
        loss = float(np.mean([place.loss for place in places]))
        yield Answered(range(row, row + 1), right_text, given_text, loss, tuple(places))


def _sentences(drawn: DrawnExamples, logits: NDArray[np.float32]) -> Iterator[Answered]:
    """(R), off the [CLS] before each sentence."""
    features = drawn.features
    assert isinstance(features, SummaryFeatures)
    ends = np.cumsum(features.firsts.lengths_of(drawn.units))
    for row, (unit, scores) in enumerate(zip(drawn.units, np.split(logits, ends[:-1]), strict=True)):
        places = []
        for position, is_in, score in zip(features.firsts[unit], features.answers[unit], scores, strict=True):
            likely, right = float(expit(float(score))), bool(is_in)
            options = _options((IN, OUT), np.array([likely, 1 - likely]), np.array([right, not right]))
            loss = float(np.logaddexp(0.0, float(score)) - is_in * float(score))
            given = likely >= 0.5
            words = (IN if right else OUT), (IN if given else OUT)
            places.append(Place(row, int(position), *words, loss, given == right, options))
        loss = float(np.mean([place.loss for place in places])) if places else float("nan")
        yield Answered(range(row, row + 1), "", "", loss, tuple(places))


def _options(names: tuple[str, ...], likely: NDArray[np.float64], is_right: NDArray[np.bool_]) -> tuple[Option, ...]:
    """The likeliest, and the right ones behind them where they are not among these."""
    order = np.argsort(-likely, kind="stable").tolist()
    kept = [at for place, at in enumerate(order) if place < TOP or is_right[at]]
    return tuple(Option(names[at], float(likely[at]), bool(is_right[at])) for at in kept)
