"""How good a pretrained model is: sets of our own, one JSON object on each line, and text, file by file.

The cloze set has everyday sentences with one obvious word missing. Of a minimal pair, a good sentence and one that
differs in as little as possible and is wrong, a model prefers the one with the higher pseudo-log-likelihood: the sum of
ln p of each token, all others seen (Salazar et al. 2020, "Masked Language Model Scoring"; the test is that of BLiMP,
Warstadt et al. 2020).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.passes import Batch, for_each, predict_heads
from bertcore.analysis.predict import WordGuess, top_words
from bertcore.analysis.words import surprises
from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.data.cloze import ClozeSentence, accepted_ids, lines_of, read_cloze, records
from bertcore.data.corpus import Lines, load_corpus
from bertcore.data.text import Documents, TextFormat, text_files
from bertcore.errors import BertcoreError
from bertcore.files import jsonable
from bertcore.locations import assets, minimal_pairs_file
from bertcore.progress import ReportProgress, no_progress
from bertcore.table import Table
from bertcore.training.evaluate import data_of_pretraining, evaluate_corpus

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


@dataclass(frozen=True)
class ClozeScore:
    top1: Estimate
    top5: Estimate

    @classmethod
    def of(cls, answers: Sequence[ClozeAnswer]) -> ClozeScore:
        ranks = [GUESSES + 1 if answer.rank is None else answer.rank for answer in answers]
        return cls(share([rank == 1 for rank in ranks]), share([rank <= GUESSES for rank in ranks]))


@dataclass(frozen=True)
class Cloze:
    answers: tuple[ClozeAnswer, ...]

    @property
    def score(self) -> ClozeScore:
        return ClozeScore.of(self.answers)

    @property
    def score_of_possible(self) -> ClozeScore:
        """Of the sentences alone that have an answer of one token."""
        return ClozeScore.of([answer for answer in self.answers if answer.rank is not None])

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


def cloze_files() -> tuple[Path, Path]:
    """The set that ships with BERTscope, and the test set: reported beside it, never used to choose a setting."""
    return assets() / "evaluation" / "cloze.jsonl", assets() / "evaluation" / "cloze-second.jsonl"


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
                    **{name: each for name, each in vars(p).items() if name != "pair"},
                    "right": p.is_right,
                }
                for p in self.preferences
            ],
        }


def read_minimal_pairs(file: Path) -> list[MinimalPair]:
    """Ours, and BLiMP's: `good` and `bad` or `sentence_good` and `sentence_bad`; `phenomenon` or `UID`.

    Raises BertcoreError for a file that is no such set.
    """
    return listed_minimal_pairs(lines_of(file))


def listed_minimal_pairs(lines: Iterable[tuple[str, str]]) -> list[MinimalPair]:
    """Of (place, line) each; as `read_minimal_pairs`."""
    found = []
    for place, record in records(lines):
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


# --- the report: all of them, and text


MOST_SEQUENCES = 1024  # of each file: 130,000 tokens at the usual length
ALL_FILES = "all"


@dataclass(frozen=True, repr=False)
class ModelReport(Table):
    """What `bertcore evaluate --all` and `LoadedModel.report` give."""

    name: str
    step: int | None
    parameters: int
    # By file, and of several files of "all": the numbers of `evaluate_text`. Empty where no text was given.
    text: dict[str, dict[str, float | None]]
    cloze: Cloze
    second_cloze: Cloze  # the test set: no setting was chosen by it
    minimal_pairs: MinimalPairs

    def to_dict(self) -> dict[str, Any]:
        """JSON's own types; a number that is not known is None."""
        values = asdict(replace(self, cloze=None, second_cloze=None, minimal_pairs=None))  # type: ignore[arg-type]
        sets = {name: getattr(self, name).to_dict() for name in ("cloze", "second_cloze", "minimal_pairs")}
        found: dict[str, Any] = jsonable({**values, **sets})
        return found

    def rows(self) -> list[dict[str, Any]]:
        """One figure each: what it is of, its name, and its value with the standard error, where it has one."""
        found = [
            {"of": file, "figure": name, "value": value, "standard_error": None, "count": numbers["words"]}
            for file, numbers in self.text.items()
            for name, value in numbers.items()
            if value is not None and name not in ("words", "pairs", "documents", "documents_in_text")
        ]
        for title, cloze in (("cloze set", self.cloze), ("second cloze set", self.second_cloze)):
            for figure, share in (("top1", cloze.score.top1), ("top5", cloze.score.top5)):
                found.append({"of": title, "figure": figure, **asdict(share)})
        for row in self.minimal_pairs.rows():
            found.append({"of": "minimal pairs", "figure": row.pop("phenomenon"), **row})
        return found


def measure_model(
    checkpoint: Checkpoint,
    files: Sequence[Path] = (),
    *,
    whole: bool = False,
    sequence_length: int = 128,
    tell: Callable[[str], None] = lambda sentence: None,
) -> ModelReport:
    """Our own sets, and the part of each file that a run on all of these files holds out; with `whole`, all of it.

    `tell` is called with a sentence about what is being measured. The same checkpoint and files give the same report.
    Raises BertcoreError where the model has no masked-word head, or the text cannot be read.
    """
    if "mlm" in checkpoint.missing:
        raise BertcoreError(checkpoint.missing["mlm"])
    files = text_files(files)  # raises at once for what is not there
    tell("The cloze sets and the minimal pairs.")
    cloze, second_cloze = (answer_cloze(checkpoint, read_cloze(file)) for file in cloze_files())
    return ModelReport(
        name=checkpoint.name,
        step=checkpoint.step,
        parameters=checkpoint.parameters,
        cloze=cloze,
        second_cloze=second_cloze,
        minimal_pairs=judge_minimal_pairs(checkpoint, read_minimal_pairs(minimal_pairs_file())),
        text=_text(checkpoint, files, sequence_length, whole, tell) if files else {},
    )


def _text(
    checkpoint: Checkpoint, files: list[Path], length: int, whole: bool, tell: Callable[[str], None]
) -> dict[str, dict[str, float | None]]:
    form = data_of_pretraining(checkpoint.folder).text_format
    corpus = load_corpus(files, checkpoint.tokenizer, form=form)
    measured = np.ones_like(corpus.held_out) if whole else corpus.held_out
    names, counts = names_of(files), _documents_by_file(files, form, len(measured))
    of_file = np.repeat(np.arange(len(counts)), counts)  # (D) number of each document's file
    parts = {names[number]: of_file == number for number in range(len(counts))}
    if len(parts) != 1:
        parts[ALL_FILES] = np.ones_like(measured)
    found = {}
    for name, part in parts.items():
        if (measured & part).any():
            tell(f"{name}: masked words and next sentence.")
            most = MOST_SEQUENCES * (len(files) if name == ALL_FILES else 1)
            found[name] = evaluate_corpus(checkpoint, replace(corpus, held_out=measured & part), length, most)
            found[name]["documents_in_text"] = int(part.sum())
    return found


def _documents_by_file(files: Sequence[Path], form: TextFormat, documents: int) -> list[int]:
    """How many of the `documents` of a corpus are of each file. Empty where some have no token: the corpus leaves them
    out, and so does not say where one file ends."""
    for kind in (Documents, Lines):  # as `load_corpus`, which reads a tiny text line by line
        counts = [sum(1 for _ in kind([file], form)) for file in files]
        if sum(counts) == documents:
            return counts
    return []


def names_of(files: Sequence[Path]) -> list[str]:
    """What each file is called in a table: with its folder, or a number, where two would be called the same."""
    names = [file.name for file in files]
    if len(set(names)) < len(names):
        names = [f"{file.absolute().parent.name}/{file.name}" for file in files]
    taken = {name for name in names if names.count(name) > 1} | {ALL_FILES}
    return [f"{number}: {name}" if name in taken else name for number, name in enumerate(names, 1)]
