"""span: the words of a passage that answer a question (Devlin et al. 2019, sections 4.2 and 4.3).

Passages are cut into windows that overlap as run_squad.py of google-research/bert does it. W longest answer in tokens.
"""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertcore.errors import BertcoreError
from bertcore.tasks.kinds import base
from bertcore.tasks.kinds.base import USUAL
from bertcore.tasks.packed import Floats, Ints, Ragged, SequenceWriter, portions, text_ids, text_pieces
from bertcore.tasks.spec import Columns, TaskSpec

if TYPE_CHECKING:
    from torch import Tensor


MAX_QUESTION_TOKENS = 64  # as google-research/bert
ANSWERED, UNANSWERED = "answered here", "no answer here"  # what is said of a window
ANSWER_COLUMNS: Columns = {
    "text": ("passage", "context", "text"),
    "text_b": ("question", "text_b"),
    "label": ("answer", "answers", "label"),
}


@dataclass(frozen=True, slots=True)
class AnswerExample(base.Example):
    """A question and a passage. `answers` are texts that stand in it, with the character where each begins."""

    id: str
    question: str
    passage: str
    answers: tuple[tuple[str, int], ...] = ()  # none: the passage does not answer it, or it is not known

    @property
    def answer(self) -> tuple[str, ...]:
        """The accepted texts; none: no answer, which is one too."""
        return tuple(text for text, _ in self.answers)


@dataclass(frozen=True)
class SpanFeatures(base.Features):
    """A sequence for each window of a passage; the windows of one example follow each other.

    `answers` (N,2): first and last token of the answer; 0 and 0 where the window has none.
    """

    passage: Ints  # (N,3) place of the passage's first token in the window, their number, number before
    offsets: Ragged  # E rows (tokens of the passage, 2): characters [start, end)

    @property
    def example_lengths(self) -> Ints:
        """(E) question and whole passage in one sequence, as if there were no windows."""
        first = np.searchsorted(self.example_of, np.arange(len(self.examples)))  # window of each example
        framed = self.ids.lengths[first] + self.cut[first] - self.passage[first, 1]
        lengths: Ints = framed + self.offsets.lengths
        return lengths

    def in_passage(self, sequences: Ints, length: int) -> NDArray[np.bool_]:
        """(len(sequences), length): which tokens are the passage's, and not the question's, special or padding."""
        place = np.arange(length)
        first, count, _ = (column[:, None] for column in self.passage[sequences].T)
        return (place >= first) & (place < first + count)

    def text(self, window: int, start: int, end: int) -> tuple[str, int, int]:
        """What tokens start ... end (inclusive) of a window stand for, and its characters [start, end)."""
        first, _, before = self.passage[window]
        example = int(self.example_of[window])
        offsets, passage = self.offsets[example], self.examples[example].passage
        begin, stop = int(offsets[start - first + before, 0]), int(offsets[end - first + before, 1])
        text = passage[begin:stop]
        begin += len(text) - len(text.lstrip())  # some tokens begin with the space before a word
        return text.strip(), begin, begin + len(text.strip())


@dataclass(frozen=True)
class AnswerPrediction(base.Prediction):
    """`start` and `end` are characters of the passage, end exclusive; -1 without an answer."""

    answer_field = "text"
    text: str  # "": no answer
    start: int
    end: int
    score: float  # of the best span, start logit + end logit
    no_answer_score: float  # the same of [CLS], the lowest of all windows


class Span(base.TaskKind[AnswerExample, SpanFeatures]):
    name = head = "span"
    example = AnswerExample
    answer_fields = ("answers",)
    metrics = ("f1", "exact_match")
    pipeline = "question-answering"
    needs_b = chooses_tokens = True
    missing_head = "This model has no head that finds answers."
    tasks = (
        TaskSpec(
            "answer", "span", "Find the answer in a passage", "squad", ("f1", "exact_match"),
            columns=ANSWER_COLUMNS, sample="questions",
        ),
    )  # fmt: skip

    def typed(self, text_a: str, text_b: str | None) -> AnswerExample:
        """A is the question, B the passage."""
        if not (text_b or "").strip():
            raise BertcoreError("There is no passage; put the text that holds the answer into B.")
        return AnswerExample("typed", text_a, text_b or "")

    def features(self, examples: Sequence[AnswerExample], reading: base.Reading) -> SpanFeatures:
        """Question and passage as a pair. Where the passage does not fit, a window begins every `stride` tokens of it.

        The question loses what is beyond MAX_QUESTION_TOKENS, or beyond half of the room. A window that does not hold
        the whole answer (the first one given) is labelled with position 0, [CLS].
        Raises BertcoreError for an answer that does not stand where it is said to, or no room for a passage.
        """
        tokenizer, _, max_length, stride, _ = reading
        framing = tokenizer.framing
        room = max_length - framing.pair.specials
        if room < 2 or stride < 1:
            raise BertcoreError(
                f"A window of {max_length} tokens with a stride of {stride} has no room for a passage; raise them."
            )
        writer, offsets = SequenceWriter(), []
        passage: list[tuple[int, int, int]] = []
        answers: list[tuple[int, int]] = []
        for portion in portions(len(examples)):
            questions = text_ids(tokenizer, [examples[i].question for i in portion])
            passages = text_pieces(tokenizer, [examples[i].passage for i in portion])
            for i, question, pieces in zip(portion, questions, passages, strict=True):
                kept = question[: min(MAX_QUESTION_TOKENS, room // 2)]
                spans = np.array(pieces.offsets, dtype=np.int32).reshape(-1, 2)
                answer = _answer_tokens(i, examples[i], spans)
                offsets.append(spans)
                begin = len(framing.pair.before) + len(kept) + len(framing.pair.between)
                for first, count in windows(len(pieces.ids), room - len(kept), stride):
                    ids, segments = framing.framed(kept, pieces.ids[first : first + count])
                    writer.add(i, ids, segments, len(question) - len(kept))
                    passage.append((begin, count, first))
                    answers.append(_in_window(answer, begin, count, first))
        starts = np.cumsum([0, *(len(spans) for spans in offsets)])
        return base.packed(
            SpanFeatures, self, examples, writer, np.array(answers, dtype=np.int64).reshape(-1, 2),
            passage=np.array(passage, dtype=np.int64).reshape(-1, 3),
            offsets=Ragged(np.concatenate([np.zeros((0, 2), np.int32), *offsets]), starts),
        )  # fmt: skip

    def config(self, spec: TaskSpec, labels: tuple[str, ...], examples: Sequence[AnswerExample]) -> dict[str, Any]:
        return {**super().config(spec, labels, examples), "no_answer": not all(each.answers for each in examples)}

    def losses(self, logits: Tensor, labels: Tensor) -> Tensor:
        """(B,S,2), (B,2) -> (B,2): where the answer begins and where it ends."""
        return base.cross_entropy(logits.transpose(1, 2), labels)

    def loss(self, model: Any, logits: Tensor, batch: Any) -> Tensor:
        if batch.attention_mask is not None:
            import torch

            logits = logits.masked_fill(batch.attention_mask[..., None] == 0, torch.finfo(logits.dtype).min)
        return super().loss(model, logits, batch)

    def decode(
        self, features: SpanFeatures, logits: Sequence[Floats], settings: base.DecodeSettings
    ) -> list[AnswerPrediction]:
        """(S,2) of each window: the best span of all windows of a passage, as its text; on equal scores the first's.

        With `no_answer_above` (SQuAD 2.0) there is none where the no-answer score, the lowest of all windows, is higher
        than the span's by more: a question is unanswerable only if no window has its answer. Both rules are those of
        `write_predictions` in run_squad.py of google-research/bert. That code also drops starts that another window
        shows with more context around; here the same span counts in every window.
        """
        longest = settings.decoding.max_answer_tokens
        best = [best_span(row, self._in_passage(features, unit), longest) for unit, row in enumerate(logits)]
        found = []
        ends = np.searchsorted(features.example_of, np.arange(len(features.examples) + 1)).tolist()
        for first, end in pairwise(ends):
            window = max(range(first, end), key=lambda unit: best[unit].score)
            start, last, score = best[window]
            no_answer = min(no_answer_score(logits[unit]) for unit in range(first, end))
            above = settings.no_answer_above
            is_none = start < 0 or (above is not None and no_answer - score > above)
            text = ("", -1, -1) if is_none else features.text(window, start, last)
            found.append(AnswerPrediction(*text, score, no_answer))
        return found

    def _in_passage(self, features: SpanFeatures, unit: int) -> NDArray[np.bool_]:
        return features.in_passage(np.array([unit]), len(features.ids[unit]))[0]

    def measure(self, gold: Sequence[Sequence[str]], predicted: Sequence[str], labels: list[str]) -> dict[str, float]:
        """Means over the questions; of several accepted texts the one that fits best counts, "" is accepted where none
        is. Where some questions have no answer (SQuAD 2.0), also over those that have one and those that have none."""
        exact, f1 = (
            np.array([_best_score(score, accepted, given) for accepted, given in zip(gold, predicted, strict=True)])
            for score in (exact_match, word_f1)
        )
        metrics = {"exact_match": float(exact.mean()), "f1": float(f1.mean())}
        has_answer = np.array([bool(texts) for texts in gold])
        if not has_answer.all():
            metrics["no_answer_accuracy"] = float(exact[~has_answer].mean())
            if has_answer.any():
                metrics["has_answer_exact_match"] = float(exact[has_answer].mean())
                metrics["has_answer_f1"] = float(f1[has_answer].mean())
        return metrics

    def measure_scores(self, features: SpanFeatures, logits: Sequence[Floats], gold: Sequence[Any]) -> dict[str, float]:
        """Where some questions have no answer: what the best threshold for saying so would reach."""
        if all(gold):
            return {}
        always = self.decode(features, logits, base.DecodeSettings())  # an answer to every question
        leads = [prediction.no_answer_score - prediction.score for prediction in always]
        return best_thresholds(gold, [prediction.text for prediction in always], leads)

    def unit_answer(self, features: SpanFeatures, scored: base.ScoredUnit) -> base.UnitAnswer:
        """The likeliest first and last token of a window; [CLS] for no answer in it."""
        unit, logits, losses = scored.number, scored.logits, scored.losses
        right = features.answers[unit].tolist()
        start, end, score = best_span(logits, self._in_passage(features, unit), USUAL.max_answer_tokens)
        given = [0, 0] if start < 0 or no_answer_score(logits) > score else [start, end]
        names, likely = [scored.token(number) for number in features.ids[unit].tolist()], self.probabilities(logits.T)
        places = tuple(
            self._one_of(names, likely[at], right[at], given[at], right[at], float(losses[at]), what=what)
            for at, what in enumerate(("start", "end"))
        )
        text, given_text = ("" if ends[0] == 0 else features.text(unit, *ends)[0] for ends in (right, given))
        return base.UnitAnswer(range(1), text, given_text, float(losses.mean()), places)

    def written(self, example: AnswerExample) -> tuple[str, str | None, str]:
        return example.question, example.passage, example.answers[0][0] if example.answers else ""

    def label_words(self, example: AnswerExample) -> Iterable[str]:
        return ("answered",) if example.answers else ("not answered",)

    def answer_numbers(self, features: SpanFeatures, units: Ints) -> tuple[Sequence[str], NDArray]:
        return (UNANSWERED, ANSWERED), (features.answers[units, 0] > 0).astype(np.int64)


def windows(tokens: int, room: int, stride: int) -> Iterator[tuple[int, int]]:
    """First token and number of tokens of each window; the last one ends with the passage. At least one."""
    first = 0
    while first + room < tokens:
        yield first, room
        first += min(room, stride)
    yield first, tokens - first


def _answer_tokens(place: int, example: AnswerExample, offsets: NDArray[np.int32]) -> tuple[int, int] | None:
    """First and last token of the passage that share a character with the answer; None without one."""
    if not example.answers:
        return None
    text, start = example.answers[0]
    if not text or start < 0 or example.passage[start : start + len(text)] != text:
        raise BertcoreError(
            f"Example {place + 1} ({example.id}): the answer “{text}” is not at character {start} of its passage."
        )
    touched = np.flatnonzero((offsets[:, 1] > start) & (offsets[:, 0] < start + len(text)))
    return (int(touched[0]), int(touched[-1])) if len(touched) else None


def _in_window(answer: tuple[int, int] | None, begin: int, count: int, first: int) -> tuple[int, int]:
    """Tokens of the passage as places in a window; 0 and 0 where it does not hold all of them."""
    if answer is None or answer[0] < first or answer[1] >= first + count:
        return 0, 0
    return begin + answer[0] - first, begin + answer[1] - first


# --- the best span


class BestSpan(NamedTuple):
    """Of one window. Where it has none: score -inf, places -1."""

    start: int  # first token
    end: int  # last token, inclusive
    score: float  # start logit + end logit


def best_span(logits: NDArray, in_passage: NDArray[np.bool_], max_answer_tokens: int) -> BestSpan:
    """The span with the highest start + end logit, from (S,2) and the tokens of the passage (S).

    start <= end < start + max_answer_tokens, and both lie in the passage. All such spans are compared, where the
    paper's code looks at the 20 best starts and ends only; on equal scores it is the first.
    Raises BertcoreError for a longest answer below one token.
    """
    if max_answer_tokens < 1:
        raise BertcoreError(f"The longest answer is set to {max_answer_tokens} tokens; it must be 1 or more.")
    starts, ends = np.where(in_passage[:, None], logits, -math.inf).astype(np.float32).T
    width = min(max_answer_tokens, len(ends))
    # Row s of the band holds its ends s, s+1 ... s+W-1: S x W numbers instead of S x S.
    padded = np.append(ends, np.full(width - 1, -math.inf, dtype=np.float32))
    scores = starts[:, None] + np.lib.stride_tricks.sliding_window_view(padded, width)  # (S,W)
    start, length = divmod(int(scores.argmax()), width)
    score = float(scores[start, length])
    return BestSpan(-1, -1, score) if score == -math.inf else BestSpan(start, start + length, score)


def no_answer_score(logits: NDArray) -> float:
    """(S,2) of a window -> of the first token alone, [CLS] or <s>: start + end logit."""
    start, end = logits[0].astype(np.float32)
    return float(start + end)


# --- metrics, as SQuAD's scripts count them


_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_MARKS = str.maketrans("", "", string.punctuation)


def normalised(text: str) -> str:
    """Lower case, without ASCII punctuation and English articles, one space between words."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_MARKS)).split())


def exact_match(gold: str, predicted: str) -> float:
    """1 if both are the same after normalisation, else 0."""
    return float(normalised(gold) == normalised(predicted))


def word_f1(gold: str, predicted: str) -> float:
    """F1 of the words that both texts contain, each counted as often as it occurs in both; 1 if neither has any."""
    right, given = normalised(gold).split(), normalised(predicted).split()
    if not right or not given:
        return float(right == given)
    shared = sum((Counter(right) & Counter(given)).values())
    return 2 * shared / (len(right) + len(given))


def best_thresholds(
    gold: Sequence[Sequence[str]], best_spans: Sequence[str], leads: Sequence[float]
) -> dict[str, float]:
    """What the model would reach with the best threshold for "no answer", found on these very questions.

    `best_spans` are the model's answers where it has to give one; `leads` how much higher its score of "no answer" is.
    Above the threshold a question gets no answer. Of equal ones the lowest threshold is given, as `find_best_thresh` of
    the SQuAD 2.0 script does; that one may also cut between questions of equal lead, which no threshold can.
    """
    finite = np.nan_to_num(np.asarray(leads, dtype=np.float64))  # infinite where a passage has no span at all
    order = np.argsort(finite, kind="stable")
    sorted_leads = finite[order]
    is_last = np.append(np.diff(sorted_leads) > 0, True)  # of questions with one lead
    cuts = np.append(sorted_leads[0] - 1.0, sorted_leads[is_last])  # below all: never an answer
    metrics: dict[str, float] = {}
    for name, score in (("best_exact_match", exact_match), ("best_f1", word_f1)):
        answered = np.array([_best_score(score, gold[i], best_spans[i]) for i in order])
        silent = np.array([float(not gold[i]) for i in order])
        totals = silent.sum() + np.append(0.0, np.cumsum(answered - silent)[is_last])
        at = int(totals.argmax())
        metrics |= {name: float(totals[at]) / len(gold), f"{name}_threshold": float(cuts[at])}
    return metrics


def _best_score(score: Callable[[str, str], float], accepted: Sequence[str], given: str) -> float:
    """Of several accepted texts the one that fits best counts; "" is accepted where there is none.

    One of articles and marks alone is passed over, as the SQuAD 2.0 script does.
    """
    return max(score(text, given) for text in [text for text in accepted if normalised(text)] or [""])
