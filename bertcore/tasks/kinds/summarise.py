"""summarise: which sentences of a document make its summary (BertSum: Liu and Lapata 2019, section 3.1).

R sentences of all sequences of a batch.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bertcore.data.tokenising import split_sentences
from bertcore.errors import BertcoreError
from bertcore.tasks.kinds import base
from bertcore.tasks.packed import Floats, Ints, Ragged, SequenceWriter, portions, text_ids
from bertcore.tasks.spec import Columns, TaskSpec
from bertcore.tokenizer.framing import Framing

if TYPE_CHECKING:
    from torch import Tensor


IN, OUT = "in the summary", "not in the summary"  # what is said of a sentence
SUMMARY_COLUMNS: Columns = {
    "text": ("sentences", "document", "text", "article"),
    "label": ("labels", "summary", "reference", "highlights"),
}
ROUGE = ("rouge2", "rouge1", "rougeL")
NO_ROUGE = "Summaries are measured with ROUGE by the package rouge-score: pip install bertscope[summaries]."
_WORD_OR_MARK = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class SummaryExample(base.Example):
    """A document in sentences, and which of them make its summary."""

    sentences: tuple[str, ...]
    labels: tuple[bool, ...] | None = None
    reference: str | None = None  # a summary that someone wrote

    @property
    def answer(self) -> str | None:
        if self.reference is not None or self.labels is None:
            return self.reference
        return "\n".join(text for text, is_in in zip(self.sentences, self.labels, strict=True) if is_in)


@dataclass(frozen=True)
class SummaryFeatures(base.Features):
    """A sequence for each document, with a [CLS] before each sentence. `answers`: N rows, 1 for a sentence of the
    summary, 0 for another; NaN if not known."""

    firsts: Ragged  # N rows: places of the [CLS] tokens in the sequence, one for each sentence that fits


@dataclass(frozen=True)
class SummaryPrediction(base.Prediction):
    chosen: tuple[int, ...]  # places of the sentences, from 0, in the order of the text
    sentences: tuple[str, ...]  # these sentences
    probabilities: tuple[float, ...]  # of each sentence that the model saw, from the first on

    @property
    def answer(self) -> str:
        """One sentence a line."""
        return "\n".join(self.sentences)


class Summarise(base.TaskKind[SummaryExample, SummaryFeatures]):
    name = head = "summarise"
    example = SummaryExample
    answer_fields = ("labels", "reference")
    metrics = ROUGE
    probability = "sigmoid"
    number_name = IN
    missing_head = "This model has no head that picks sentences for a summary."
    takes_b = False
    several_answers = True
    tasks = (
        TaskSpec(
            "summarise", "summarise", "Pick the sentences that sum up a text", "summaries", ROUGE,
            columns=SUMMARY_COLUMNS, sample="summaries",
        ),
    )  # fmt: skip

    def typed(self, text_a: str, text_b: str | None) -> SummaryExample:
        """A is cut into sentences."""
        return SummaryExample(tuple(split_sentences(text_a)))

    def labelled(self, example: SummaryExample) -> SummaryExample:
        """Summaries in someone's own words say only in a roundabout way which sentences to pick: these are found first.

        Raises ValueError where there is neither a label nor a reference.
        """
        if example.labels is not None:
            return example
        if example.reference is None:
            raise ValueError("a document without labels or reference has nothing to learn from")
        return replace(example, labels=greedy_labels(example.sentences, example.reference))

    def features(self, examples: Sequence[SummaryExample], reading: base.Reading) -> SummaryFeatures:
        """All sentences in one sequence, [CLS] before and [SEP] after each, segments 0 and 1 by turns.

        Sentences from the first on that does not fit as a whole are left out; a first sentence too long alone is cut.
        Raises BertcoreError for a document without sentences, or with as many labels as it has no sentences.
        """
        framing, max_length, writer = reading.tokenizer.framing, reading.max_length, SequenceWriter()
        if max_length < framing.single.specials:
            raise BertcoreError(f"Sequences of {max_length} tokens have no room for a sentence; allow more.")
        firsts: list[list[int]] = []
        for portion in portions(len(examples)):
            ids = iter(text_ids(reading.tokenizer, list(chain.from_iterable(examples[i].sentences for i in portion))))
            for i in portion:
                count, labels = len(examples[i].sentences), examples[i].labels
                if not count:
                    raise BertcoreError(f"Document {i + 1} has no sentences; leave it out.")
                if labels is not None and len(labels) != count:
                    raise BertcoreError(f"Document {i + 1} has {count} sentences and {len(labels)} labels.")
                sentences = [next(ids) for _ in range(count)]
                firsts.append(_write(writer, i, sentences, framing, max_length))
        rows = Ragged.of(firsts)
        known = [each.labels or [math.nan] * len(each.sentences) for each in examples]
        flat = chain.from_iterable(values[: len(places)] for values, places in zip(known, firsts, strict=True))
        answers = Ragged(np.array(list(flat), dtype=np.float32), rows.starts)
        return base.packed(SummaryFeatures, self, examples, writer, answers, firsts=rows)

    def batch_labels(self, features: SummaryFeatures, units: Ints, sequences: Ints) -> NDArray[np.float32]:
        answers: NDArray[np.float32] = features.answers.joined(sequences)  # (R)
        return answers

    def batch_rows(self, features: SummaryFeatures, sequences: Ints, length: int) -> Ints | None:
        """Of every sentence's [CLS]."""
        begins = np.repeat(np.arange(len(sequences)) * length, features.firsts.lengths_of(sequences))
        rows: Ints = begins + features.firsts.joined(sequences)
        return rows

    def arrange(self, scores: Tensor, choices: int) -> Tensor:
        return scores.squeeze(-1)  # (R,1) -> (R)

    def split(self, features: SummaryFeatures, units: Ints, logits: NDArray) -> list[NDArray]:
        return np.split(logits, np.cumsum(features.firsts.lengths_of(units))[:-1])

    def decode(
        self, features: SummaryFeatures, logits: Sequence[Floats], settings: base.DecodeSettings
    ) -> list[SummaryPrediction]:
        """(R) of each: at most so many sentences with the highest scores, of those that the model saw; with a ratio at
        most this share of all sentences, and at least one."""
        predictions, ratio = [], settings.decoding.ratio
        for example, scores in zip(features.examples, logits, strict=True):
            seen = example.sentences[: len(scores)]
            most = settings.decoding.sentences if ratio is None else max(1, round(ratio * len(example.sentences)))
            chosen = tuple(choose_sentences(scores.tolist(), seen, most))
            likely = tuple(self.probabilities(scores).tolist())
            predictions.append(SummaryPrediction(chosen, tuple(seen[i] for i in chosen), likely))
        return predictions

    def measure(self, gold: Sequence[str], predicted: Sequence[str], labels: list[str]) -> dict[str, Any]:
        """F1 of rouge1, rouge2, rougeL, rougeLsum (over lines, as papers report ROUGE-L), with stems as in papers.

        Empty where rouge-score is not installed: `lacks` says so.
        """
        if self.lacks():
            return {}
        from rouge_score.rouge_scorer import RougeScorer

        scorer = RougeScorer([*sorted(self.metrics), "rougeLsum"], use_stemmer=True)
        scores = [scorer.score(right, given) for right, given in zip(gold, predicted, strict=True)]
        return {name: np.mean([score[name].fmeasure for score in scores]) for name in scorer.rouge_types}

    def lacks(self) -> str:
        try:
            import rouge_score  # noqa: F401
        except ImportError:
            return NO_ROUGE
        return ""

    def unit_answer(self, features: SummaryFeatures, scored: base.ScoredUnit) -> base.UnitAnswer:
        """Off the [CLS] before each sentence."""
        places: list[base.TokenAnswer] = []
        positions, answers = features.firsts[scored.number].tolist(), features.answers[scored.number]
        chances, losses = self.probabilities(scored.logits).tolist(), scored.losses.tolist()
        for position, is_in, likely, loss in zip(positions, answers, chances, losses, strict=True):
            right, given = (0 if chosen else 1 for chosen in (is_in, likely >= 0.5))
            shares = np.array([likely, 1 - likely])
            places.append(self._one_of((IN, OUT), shares, right, given, position, loss))
        return base.UnitAnswer(range(1), "", "", float(scored.losses.mean()) if places else math.nan, tuple(places))

    def written(self, example: SummaryExample) -> tuple[str, str | None, str]:
        picked = (text for text, is_in in zip(example.sentences, example.labels or (), strict=False) if is_in)
        return " ".join(example.sentences), None, " ".join(picked)

    def label_words(self, example: SummaryExample) -> Iterable[str]:
        return ("picked" if label else "left out" for label in example.labels or ())

    def answer_numbers(self, features: SummaryFeatures, units: Ints) -> tuple[Sequence[str], NDArray]:
        return (OUT, IN), features.answers.joined(units).astype(np.int64)


def _write(
    writer: SequenceWriter, place: int, sentences: list[list[int]], framing: Framing, max_length: int
) -> list[int]:
    """Add a document's sequence; the places where its sentences begin."""
    ids: list[int] = []
    segments, places, cut = bytearray(), [], 0
    for number, sentence in enumerate(sentences):
        if number and len(ids) + len(sentence) + framing.single.specials > max_length:
            cut += sum(map(len, sentences[number:]))
            break
        framed, _, lost = framing.fitted(sentence, None, max_length)
        cut += lost
        places.append(len(ids))
        ids += framed
        segments += bytes((number % 2,)) * len(framed)
    writer.add(place, ids, segments, cut)
    return places


def choose_sentences(scores: Sequence[float], sentences: Sequence[str], count: int) -> list[int]:
    """Places of at most `count` sentences with the highest scores, in the order of the text.

    A sentence that shares three words in a row with one already chosen is passed over, as BertSum does (Liu 2019,
    "Fine-tune BERT for Extractive Summarization"), so there may be fewer. Words are runs of letters and digits, each
    mark counts as one, upper and lower case are alike; a script without spaces is hardly ever blocked. On equal scores
    the earlier sentence goes first. Raises BertcoreError if scores and sentences differ in number.
    """
    if len(scores) != len(sentences):
        raise BertcoreError(f"There are {len(scores)} scores for {len(sentences)} sentences; each needs one.")
    chosen: list[int] = []
    seen: set[tuple[str, ...]] = set()
    for place in sorted(range(len(scores)), key=lambda place: -scores[place]):
        if len(chosen) >= count:
            break
        words = _WORD_OR_MARK.findall(sentences[place].casefold())
        trigrams = set(zip(words, words[1:], words[2:], strict=False))  # none in a sentence of one or two words
        if seen.isdisjoint(trigrams):
            chosen.append(place)
            seen |= trigrams
    return sorted(chosen)


def greedy_labels(sentences: Sequence[str], reference: str, most: int = 3) -> tuple[bool, ...]:
    """Which sentences, at most so many, come close to a summary that someone wrote.

    One is added after the other, each time the one that raises ROUGE-1 F + ROUGE-2 F most, until none does (Nallapati
    et al. 2017, section 3; Liu and Lapata 2019, section 4.1). Pairs of words are counted within sentences. On equal
    gains the earlier sentence is taken. Words as rouge-score has them, without stemming, with letters of any script.
    """
    target, counted = _ngrams(reference), [_ngrams(sentence) for sentence in sentences]
    chosen: set[int] = set()
    best, so_far = 0.0, _ngrams("")
    while len(chosen) < most:
        left = [place for place in range(len(sentences)) if place not in chosen]
        with_one = {place: [a + b for a, b in zip(so_far, counted[place], strict=True)] for place in left}
        scores = {place: sum(map(f_measure, counts, target)) for place, counts in with_one.items()}
        winner = max(left, key=lambda place: scores[place], default=None)
        if winner is None or scores[winner] <= best:
            break
        best, so_far = scores[winner], with_one[winner]
        chosen.add(winner)
    return tuple(place in chosen for place in range(len(sentences)))


def _ngrams(text: str) -> list[Counter[Any]]:
    """How often each word, and each pair of words, occurs."""
    words = _WORD.findall(text.lower())
    return [Counter(words), Counter(pairwise(words))]


def f_measure(counts: Mapping[Any, int], target: Mapping[Any, int]) -> float:
    """2 * shared / (all of one + all of the other), where what occurs twice is shared twice at most."""
    shared = sum(min(count, counts.get(ngram, 0)) for ngram, count in target.items())
    total = sum(counts.values()) + sum(target.values())
    return 2 * shared / total if total else 0.0
