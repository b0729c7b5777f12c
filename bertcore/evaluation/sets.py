"""The sets of our own, one JSON object on each line, and what a model makes of them.

The cloze set has everyday sentences with one obvious word missing. Of a minimal pair, a good sentence and one that
differs in as little as possible and is wrong, a model prefers the one with the higher pseudo-log-likelihood: the sum of
ln p of each token, all others seen (Salazar et al. 2020, "Masked Language Model Scoring"; the test is that of BLiMP,
Warstadt et al. 2020).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.passes import Batch, for_each, predict_heads
from bertcore.analysis.predict import WordGuess, top_words
from bertcore.analysis.words import surprises
from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.data.cloze import ClozeSentence, accepted_ids, listed_records, records
from bertcore.errors import BertcoreError
from bertcore.locations import assets
from bertcore.progress import ReportProgress, no_progress
from bertcore.table import Table

GUESSES = 5


@dataclass(frozen=True)
class Estimate:
    """A mean over `count` words, pairs or sentences; shares are 0..1. NaN where nothing was counted."""

    value: float
    standard_error: float  # NaN where a single document or sentence does not tell
    count: int


def share(right: Sequence[bool]) -> Estimate:
    """Share of True (R), each drawn by itself: the standard error of a binomial share."""
    count = len(right)
    if not count:
        return Estimate(math.nan, math.nan, 0)
    value = float(np.mean(right))
    return Estimate(value, math.sqrt(value * (1 - value) / count), count)


@dataclass(frozen=True)
class ClozeAnswer:
    """What a model says to one sentence."""

    sentence: ClozeSentence
    guesses: tuple[WordGuess, ...]  # the first five, likeliest first
    rank: int | None  # the best among the answers; None where each of them is more than one token
    accepted: tuple[int, ...] = ()  # ids of the answers that are one token

    @property
    def is_first(self) -> bool:
        return self.rank == 1

    @property
    def is_possible(self) -> bool:
        """Whether the vocabulary has an answer as one token; else the model can never be right."""
        return self.rank is not None

    @property
    def is_in_five(self) -> bool:
        return self.rank is not None and self.rank <= GUESSES


@dataclass(frozen=True)
class ClozeScore:
    top1: Estimate
    top5: Estimate

    @classmethod
    def of(cls, answers: Sequence[ClozeAnswer]) -> ClozeScore:
        return cls(share([answer.is_first for answer in answers]), share([answer.is_in_five for answer in answers]))


@dataclass(frozen=True)
class Cloze:
    answers: tuple[ClozeAnswer, ...]

    @property
    def score(self) -> ClozeScore:
        return ClozeScore.of(self.answers)

    @property
    def score_of_possible(self) -> ClozeScore:
        """Of the sentences alone that have an answer of one token."""
        return ClozeScore.of([answer for answer in self.answers if answer.is_possible])

    def by_category(self) -> dict[str, ClozeScore]:
        names = dict.fromkeys(answer.sentence.category for answer in self.answers)  # in the order of the set
        return {name: ClozeScore.of([a for a in self.answers if a.sentence.category == name]) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """Scores, and every sentence with the first five guesses."""
        return {
            **asdict(self.score),
            "possible": asdict(self.score_of_possible),
            "by_category": {name: asdict(score) for name, score in self.by_category().items()},
            "sentences": [
                {**asdict(answer.sentence), "guesses": [asdict(guess) for guess in answer.guesses], "rank": answer.rank}
                for answer in self.answers
            ],
        }


def cloze_file() -> Path:
    """The set that ships with BERTscope."""
    return assets() / "evaluation" / "cloze.jsonl"


def second_cloze_file() -> Path:
    """The test set: reported beside the first, never used to choose a setting."""
    return assets() / "evaluation" / "cloze-second.jsonl"


def answer_cloze(checkpoint: Checkpoint, sentences: Sequence[ClozeSentence]) -> Cloze:
    """Raises BertcoreError where the model has no masked-word head, or cannot read a sentence to its end."""
    model, tokenizer, mask_id = checkpoint.model, checkpoint.tokenizer, checkpoint.tokenizer.mask_id
    if "mlm" in checkpoint.missing:
        raise BertcoreError(checkpoint.missing["mlm"])
    if mask_id is None:
        raise BertcoreError("This vocabulary has no mask, so no missing word can be predicted.")
    encodings = [tokenizer.encode(sentence.text) for sentence in sentences]
    masks = [encoding.ids.index(mask_id) for encoding in encodings]

    def answer(number: int, logits: NDArray) -> ClozeAnswer:
        accepted = accepted_ids(sentences[number], encodings[number], masks[number], tokenizer)
        rank = int((logits > max(logits[token] for token in accepted)).sum()) + 1 if accepted else None
        return ClozeAnswer(sentences[number], tuple(top_words(logits, tokenizer, GUESSES)), rank, tuple(accepted))

    def answers(batch: Batch, _: ReportProgress) -> list[ClozeAnswer]:
        said = predict_heads(model, batch, [[masks[number]] for number in batch.numbers])
        rows = [each.mlm_logits[0] for each in said if each.mlm_logits is not None]  # (V) each
        return [answer(*each) for each in zip(batch.numbers, rows, strict=True)]

    row = model.config.vocab_size // 1024  # a row of logits takes the room of that many tokens
    return Cloze(tuple(for_each(model, encodings, answers, cost=lambda encoding: len(encoding) + row)))


@dataclass(frozen=True)
class MinimalPair:
    phenomenon: str
    good: str
    bad: str


@dataclass(frozen=True)
class Preference:
    """How little a model expects each of the two, in bits over all their tokens."""

    pair: MinimalPair
    good_bits: float
    bad_bits: float
    good_tokens: int  # with the special ones
    bad_tokens: int

    @property
    def is_right(self) -> bool:
        return self.good_bits < self.bad_bits


@dataclass(frozen=True, repr=False)
class MinimalPairs(Table):
    """Their rows are the shares right, by phenomenon and of all."""

    preferences: tuple[Preference, ...]

    @property
    def right(self) -> Estimate:
        return share([preference.is_right for preference in self.preferences])

    @property
    def of_different_length(self) -> int:
        """In how many pairs the two differ in tokens: the longer one has more to add up, whatever it says."""
        return sum(preference.good_tokens != preference.bad_tokens for preference in self.preferences)

    def by_phenomenon(self) -> dict[str, Estimate]:
        names = dict.fromkeys(preference.pair.phenomenon for preference in self.preferences)
        return {name: share([p.is_right for p in self.preferences if p.pair.phenomenon == name]) for name in names}

    def rows(self) -> list[dict[str, Any]]:
        shares = {**self.by_phenomenon(), "all": self.right}
        return [{"phenomenon": name, **asdict(right)} for name, right in shares.items()]

    def summary(self) -> dict[str, Any]:
        """Share right, its standard error and number of pairs, of all and by phenomenon: for `evaluate --pairs`."""

        def counted(right: Estimate) -> dict[str, float | int]:
            return {"right": right.value, "standard_error": right.standard_error, "pairs": right.count}

        phenomena = {name: counted(right) for name, right in self.by_phenomenon().items()}
        return {**counted(self.right), "phenomena": phenomena}

    def to_dict(self) -> dict[str, Any]:
        """Shares, and every pair with what the model makes of it."""
        return {
            "right": asdict(self.right),
            "of_different_length": self.of_different_length,
            "by_phenomenon": {name: asdict(found) for name, found in self.by_phenomenon().items()},
            "pairs": [
                {
                    **vars(p.pair),
                    **{name: value for name, value in vars(p).items() if name != "pair"},
                    "right": p.is_right,
                }
                for p in self.preferences
            ],
        }


def read_minimal_pairs(file: Path) -> list[MinimalPair]:
    """Ours, and BLiMP's: `good` and `bad` or `sentence_good` and `sentence_bad`; `phenomenon` or `UID`.

    Raises BertcoreError for a file that is no such set.
    """
    return _pairs_of(records(file, {}))


def listed_minimal_pairs(lines: Iterable[tuple[str, str]]) -> list[MinimalPair]:
    """Of (place, line) each; as `read_minimal_pairs`."""
    return _pairs_of(listed_records(lines, {}))


def _pairs_of(numbered: Iterable[tuple[str, dict[str, Any]]]) -> list[MinimalPair]:
    found = []
    for place, record in numbered:
        values = [_one_of(names, record, place) for names in (("phenomenon", "UID"), *_SENTENCES)]
        pair = MinimalPair(*values)
        if pair.good == pair.bad:
            raise BertcoreError(f"{place}: both sentences are the same.")
        found.append(pair)
    return found


_SENTENCES = (("good", "sentence_good"), ("bad", "sentence_bad"))


def _one_of(names: Sequence[str], record: dict[str, Any], place: str) -> str:
    """The first of these fields that the record has. Raises BertcoreError where it has none that is text."""
    value = next((record[name] for name in names if name in record), None)
    if not isinstance(value, str) or not value.strip():
        raise BertcoreError(f"{place}: expected the field {' or '.join(map(repr, names))} as text.")
    return value


def judge_minimal_pairs(
    checkpoint: Checkpoint, pairs: Sequence[MinimalPair], progress: ReportProgress = no_progress
) -> MinimalPairs:
    """Raises BertcoreError where the model has no masked-word head or no mask."""
    if "mlm" in checkpoint.missing:
        raise BertcoreError(checkpoint.missing["mlm"])
    tokenizer = checkpoint.tokenizer
    sentences = list(dict.fromkeys(text for pair in pairs for text in (pair.good, pair.bad)))
    encodings = [tokenizer.encode(text, max_length=checkpoint.config.max_length) for text in sentences]
    found = surprises(checkpoint.model, encodings, tokenizer.mask_id, progress=progress)
    scores = {text: float(each.bits.sum()) for text, each in zip(sentences, found, strict=True)}
    tokens = dict(zip(sentences, map(len, encodings), strict=True))
    return MinimalPairs(
        tuple(Preference(p, scores[p.good], scores[p.bad], tokens[p.good], tokens[p.bad]) for p in pairs)
    )
