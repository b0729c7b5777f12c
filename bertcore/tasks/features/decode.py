"""From the logits of all batches back to the examples.

`outputs` are pairs: the units of a batch (as `TaskBatches.order` gives them) and the logits of the task's head for it,
NumPy or torch. Every unit has to come once; the order does not matter. B sequences, S tokens, K labels, C choices.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import expit, softmax

from bertcore.tasks.features.kinds import (
    OUTSIDE,
    ChoiceFeatures,
    Features,
    SpanFeatures,
    SummaryFeatures,
    TagFeatures,
    TextFeatures,
)
from bertcore.tasks.features.predictions import (
    AnswerPrediction,
    ChoicePrediction,
    LabelPrediction,
    LabelSetPrediction,
    NumberPrediction,
    Prediction,
    SummaryPrediction,
    TagsPrediction,
)
from bertcore.tasks.features.spans import BestSpans, best_over_windows, best_spans
from bertcore.tasks.summary_sentences import choose_sentences

Outputs = Iterable[tuple[NDArray[np.int64], Any]]
_Found = TypeVar("_Found")
BestTags = Callable[[Any, Any], list[list[int]]]  # Bert.best_tags: torch scores (B,S,K), mask (B,S) -> sequences
TagShares = Callable[[Any, Any], Any]  # LinearChainCrf.marginals: the same -> probabilities (B,S,K)


@dataclass(frozen=True)
class DecodeSettings:
    """How scores become answers; each is for one kind alone."""

    threshold: float = 0.5  # multilabel: probability from which on a label is given
    best_tags: BestTags | None = None  # tag: the CRF's search; None: the best tag of each word by itself
    tag_shares: TagShares | None = None  # tag: the CRF's probabilities; None: those of each word by itself
    max_answer_tokens: int = 30  # span: longest answer, as in google-research/bert
    no_answer_above: float | None = None  # span: none if its score is higher by this much; None: always an answer
    sentences: int = 3  # summarise: how many at most, as BertSum for news
    block_trigrams: bool = True  # summarise: no sentence that shares three words in a row with one chosen


_USUAL = DecodeSettings()


def decode(features: Features, outputs: Outputs, settings: DecodeSettings = _USUAL) -> list[Prediction]:
    """A prediction for each example, in their order. Raises ValueError where the logits of one are missing."""
    if isinstance(features, SpanFeatures):
        return decode_answers(features, outputs, settings.max_answer_tokens, settings.no_answer_above)
    if isinstance(features, TagFeatures):
        return decode_tags(features, outputs, settings.best_tags, settings.tag_shares)
    if isinstance(features, ChoiceFeatures):
        return decode_choices(features, outputs)
    if isinstance(features, SummaryFeatures):
        return decode_summaries(features, outputs, settings.sentences, settings.block_trigrams)
    assert isinstance(features, TextFeatures)
    if features.kind == "regress":
        return decode_numbers(features, outputs)
    if features.kind == "multilabel":
        return decode_label_sets(features, outputs, settings.threshold)
    return decode_labels(features, outputs)


def decode_labels(features: TextFeatures, outputs: Outputs) -> list[Prediction]:
    """Logits (B,K): the likeliest label."""
    return [
        LabelPrediction(features.labels[int(row.argmax())], _by_label(features, softmax(row)))
        for row in by_unit(features, outputs)
    ]


def decode_numbers(features: TextFeatures, outputs: Outputs) -> list[Prediction]:
    """Logits (B,1): the number itself."""
    return [NumberPrediction(float(row.item())) for row in by_unit(features, outputs)]


def decode_label_sets(features: TextFeatures, outputs: Outputs, threshold: float = 0.5) -> list[Prediction]:
    """Logits (B,K): every label whose probability is at or above the threshold."""
    predictions: list[Prediction] = []
    for row in by_unit(features, outputs):
        probabilities = _by_label(features, expit(row))
        given = tuple(label for label, probability in probabilities.items() if probability >= threshold)
        predictions.append(LabelSetPrediction(given, probabilities))
    return predictions


def decode_choices(features: ChoiceFeatures, outputs: Outputs) -> list[Prediction]:
    """Logits (B/C,C): the likeliest ending."""
    return [ChoicePrediction(int(row.argmax()), tuple(softmax(row).tolist())) for row in by_unit(features, outputs)]


def decode_tags(
    features: TagFeatures, outputs: Outputs, best_tags: BestTags | None = None, tag_shares: TagShares | None = None
) -> list[Prediction]:
    """Logits (B,S,K): a tag for each word, read off its first piece."""
    of_unit: dict[int, Prediction] = {}
    for units, logits in outputs:
        words = features.words.padded(units, -1)  # (B,S)
        likely = softmax(_array(logits), axis=-1) if tag_shares is None else _shares(tag_shares, logits, words >= 0)
        best = likely.argmax(axis=-1) if best_tags is None else _searched(best_tags, logits, words >= 0)
        for unit, row, tags, share in zip(units.tolist(), words, best, likely, strict=True):
            of_unit[unit] = _tags(features, unit, row, tags, share)
    return _all(of_unit, len(features.examples))


def decode_summaries(
    features: SummaryFeatures, outputs: Outputs, count: int = 3, block_trigrams: bool = True
) -> list[Prediction]:
    """Logits (R): at most `count` sentences with the highest scores, of those that the model saw."""
    predictions: list[Prediction] = []
    for example, scores in zip(features.examples, by_unit(features, outputs), strict=True):
        seen = example.sentences[: len(scores)]
        chosen = choose_sentences(scores.tolist(), seen, count, block_trigrams)
        sentences = tuple(seen[i] for i in chosen)
        predictions.append(SummaryPrediction(tuple(chosen), sentences, tuple(expit(scores).tolist())))
    return predictions


def decode_answers(
    features: SpanFeatures, outputs: Outputs, max_answer_tokens: int = 30, no_answer_above: float | None = None
) -> list[Prediction]:
    """Logits (B,S,2) of each batch of windows: the best span of all windows of a passage, as its text.

    With `no_answer_above` (SQuAD 2.0) there is none where the no-answer score is higher than the span's by more.
    Raises ValueError where a window's logits are missing.
    """
    count = len(features.ids)
    places = torch.full((2, count, 1), -1)
    best = BestSpans(places[0], places[1], torch.zeros(count, 1), torch.zeros(count))
    seen = np.zeros(count, dtype=bool)
    for units, output in outputs:
        logits = torch.as_tensor(output).float().cpu()
        in_passage = torch.from_numpy(features.in_passage(units, logits.shape[1]))
        start, end = logits.unbind(-1)
        spans = best_spans(start, end, in_passage, max_answer_tokens=max_answer_tokens)
        for column, part in zip(best, spans, strict=True):
            column[torch.from_numpy(units)] = part
        seen[units] = True
    if not seen.all():
        raise ValueError(f"no logits for {int((~seen).sum())} of {count} windows")
    ends = np.searchsorted(features.example_of, np.arange(len(features.examples) + 1)).tolist()
    return [_answer(features, best, first, end, no_answer_above) for first, end in pairwise(ends)]


def _answer(
    features: SpanFeatures, best: BestSpans, first: int, end: int, no_answer_above: float | None
) -> AnswerPrediction:
    """Of the example whose windows are first, first + 1 ... end - 1."""
    span = best_over_windows(best.rows(first, end), threshold=no_answer_above)
    if span.window is None:
        return AnswerPrediction("", -1, -1, span.score, span.no_answer)
    text, begin, stop = features.text(first + span.window, span.start, span.end)
    return AnswerPrediction(text, begin, stop, span.score, span.no_answer)


def by_unit(features: Features, outputs: Outputs) -> list[NDArray[np.float64]]:
    """The logits of each unit, by number: a row of (B,...), or for summaries those of its sentences (R)."""
    of_unit: dict[int, NDArray[np.float64]] = {}
    for units, logits in outputs:
        rows = list(_array(logits))
        if isinstance(features, SummaryFeatures):
            rows = np.split(rows, np.cumsum(features.firsts.lengths_of(units))[:-1])
        of_unit.update(zip(units.tolist(), rows, strict=True))
    return _all(of_unit, len(features.unit_starts) - 1)


def _array(logits: Any) -> NDArray[np.float64]:
    if hasattr(logits, "detach"):  # a torch tensor; NumPy knows no bfloat16
        logits = logits.detach().float().cpu().numpy()
    return np.asarray(logits, dtype=np.float64)


def _all(of_unit: dict[int, _Found], count: int) -> list[_Found]:
    missing = [i for i in range(count) if i not in of_unit]
    if missing:
        raise ValueError(f"no logits for {len(missing)} of {count}, the first of them number {missing[0]}")
    return [of_unit[i] for i in range(count)]


def _by_label(features: Features, probabilities: NDArray[np.float64]) -> dict[str, float]:
    return dict(zip(features.labels, probabilities.tolist(), strict=True))


def _tags(
    features: TagFeatures, unit: int, words: NDArray[np.int64], tags: NDArray[np.int64], share: NDArray[np.float64]
) -> TagsPrediction:
    """`words` (S) the word that each token is the first piece of, `tags` (S) numbers, `share` (S,K)."""
    names = [OUTSIDE] * len(features.examples[unit].words)
    probabilities = [0.0] * len(names)
    places = np.flatnonzero(words >= 0)
    for place in places.tolist():
        names[words[place]] = features.labels[tags[place]]
        probabilities[words[place]] = float(share[place, tags[place]])
    return TagsPrediction(tuple(names), tuple(probabilities), len(names) - len(places))


def _searched(best_tags: BestTags, logits: Any, labelled: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The CRF's tags (B,S), found on the device of the logits; 0 where a token is no first piece."""
    scores = torch.as_tensor(logits)
    rows = best_tags(scores, torch.from_numpy(labelled).to(scores.device))
    tags = np.zeros(labelled.shape, dtype=np.int64)
    tags[labelled] = [tag for row in rows for tag in row]
    return tags


def _shares(tag_shares: TagShares, logits: Any, labelled: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The CRF's probabilities (B,S,K), found on the device of the logits."""
    scores = torch.as_tensor(logits)
    return _array(tag_shares(scores, torch.from_numpy(labelled).to(scores.device)))
