"""From the logits of all batches back to the examples.

`outputs` are pairs: the units of a batch (as `TaskBatches.order` gives them) and the logits of the task's head for it,
NumPy or torch. Every unit has to come once; the order does not matter. B sequences, S tokens, K labels, C choices.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import expit, softmax
from torch import Tensor
from torch.nn import functional as F

from bertcore.errors import BertcoreError
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


class BestSpans(NamedTuple):
    """The best span of each of B windows. Where a window has none: score -inf, places -1."""

    start: Tensor  # (B) first token
    end: Tensor  # (B) last token, inclusive
    score: Tensor  # (B) start logit + end logit
    no_answer: Tensor  # (B) the same of the first token, [CLS] or <s>

    def rows(self, first: int, end: int) -> BestSpans:
        """Those of rows first, first + 1 ... end - 1, for instance all windows of one example."""
        return BestSpans(*(part[first:end] for part in self))


@dataclass(frozen=True)
class Answer:
    """The answer to one question. `window` None: no answer, and then `start` and `end` are -1."""

    window: int | None  # which of the windows, from 0
    start: int  # first token in that window
    end: int  # last token, inclusive
    score: float  # of the best span, also where it was not chosen; -inf if there is none
    no_answer: float  # the lowest no-answer score of all windows


def best_spans(
    start_logits: Tensor, end_logits: Tensor, in_passage: Tensor, *, max_answer_tokens: int = 30
) -> BestSpans:
    """The span with the highest start + end logit: three times (B,S), `in_passage` bool. W longest answer in tokens.

    Devlin et al. 2019, section 4.2 (SQuAD 1.1) and 4.3 (SQuAD 2.0: no answer is the span of [CLS] alone).

    start <= end < start + max_answer_tokens, and both lie in the passage. All such spans are compared, where the
    paper's code looks at the 20 best starts and ends only. Of spans that score alike it is any.
    Raises BertcoreError for a longest answer below one token.
    """
    if max_answer_tokens < 1:
        raise BertcoreError(f"The longest answer is set to {max_answer_tokens} tokens; it must be 1 or more.")
    starts = start_logits.float().masked_fill(~in_passage, -math.inf)
    ends = end_logits.float().masked_fill(~in_passage, -math.inf)
    width = min(max_answer_tokens, ends.shape[1])
    # Row s of a window's band holds its ends s, s+1 ... s+W-1: B x S x W numbers instead of B x S x S.
    band = F.pad(ends, (0, width - 1), value=-math.inf).unfold(1, width, 1)  # (B,S,W), a view
    scores = (starts[:, :, None] + band).flatten(1)  # (B, S x W)
    score, place = scores.max(dim=1)
    is_span = score > -math.inf
    first = place // width
    no_answer = start_logits[:, 0].float() + end_logits[:, 0].float()
    return BestSpans(torch.where(is_span, first, -1), torch.where(is_span, first + place % width, -1), score, no_answer)


def best_over_windows(windows: BestSpans, *, threshold: float | None = None) -> Answer:
    """The answer to one question about a long passage that was cut into overlapping windows, one row each.

    The span with the highest score of all windows; on equal scores the first window's. With a `threshold` (SQuAD 2.0)
    there is no answer if the no-answer score minus the best span's is above it; without one (SQuAD 1.1), only if no
    window has a span. The no-answer score is the lowest over the windows: a question is unanswerable only if no window
    has its answer. Both rules are those of `write_predictions` in run_squad.py of google-research/bert. That code also
    drops starts that another window shows with more context around; here the same span counts in every window.
    Raises ValueError if there is no window.
    """
    if not len(windows.score):
        raise ValueError("there is no window to choose from")
    score, null = windows.score.tolist(), min(windows.no_answer.tolist())
    window = max(range(len(score)), key=score.__getitem__)
    best = score[window]
    if best == -math.inf or (threshold is not None and null - best > threshold):
        return Answer(None, -1, -1, best, null)
    return Answer(window, int(windows.start[window]), int(windows.end[window]), best, null)


_WORD = re.compile(r"\w+|[^\w\s]")

Trigram = tuple[str, str, str]


def choose_sentences(
    scores: Sequence[float], sentences: Sequence[str], count: int, block_trigrams: bool = True
) -> list[int]:
    """Places of at most `count` sentences with the highest scores, in the order of the text.

    With `block_trigrams` a sentence that shares three words in a row with one already chosen is passed over, as BertSum
    does (Liu 2019, "Fine-tune BERT for Extractive Summarization"), so there may be fewer. Words are runs of letters and
    digits, each mark counts as one, upper and lower case are alike; a script without spaces is hardly ever blocked.
    On equal scores the earlier sentence goes first. Raises BertcoreError if scores and sentences differ in number.
    """
    if len(scores) != len(sentences):
        raise BertcoreError(f"There are {len(scores)} scores for {len(sentences)} sentences; each needs one.")
    chosen: list[int] = []
    seen: set[Trigram] = set()
    for place in sorted(range(len(scores)), key=lambda place: -scores[place]):
        if len(chosen) >= count:
            break
        trigrams = _trigrams(sentences[place]) if block_trigrams else set()
        if seen.isdisjoint(trigrams):
            chosen.append(place)
            seen |= trigrams
    return sorted(chosen)


def _trigrams(sentence: str) -> set[Trigram]:
    """All runs of three words; none in a sentence of one or two."""
    words = _WORD.findall(sentence.casefold())
    return set(zip(words, words[1:], words[2:], strict=False))


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
    ratio: float | None = None  # summarise: how many as a share of the text's sentences, instead
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
        return decode_summaries(features, outputs, settings.sentences, settings.block_trigrams, settings.ratio)
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
    features: SummaryFeatures,
    outputs: Outputs,
    count: int = 3,
    block_trigrams: bool = True,
    ratio: float | None = None,
) -> list[Prediction]:
    """Logits (R): at most `count` sentences with the highest scores, of those that the model saw; with `ratio` at most
    this share of all sentences, and at least one."""
    predictions: list[Prediction] = []
    for example, scores in zip(features.examples, by_unit(features, outputs), strict=True):
        seen = example.sentences[: len(scores)]
        most = count if ratio is None else max(1, round(ratio * len(example.sentences)))
        chosen = choose_sentences(scores.tolist(), seen, most, block_trigrams)
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
    places = torch.full((2, count), -1)
    best = BestSpans(places[0], places[1], torch.zeros(count), torch.zeros(count))
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
