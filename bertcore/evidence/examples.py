"""The data set as the unit: which examples a model gets right, where it does worse, what flips an answer, and whether
another model is better. M examples."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis.passes import for_each, predict_heads
from bertcore.analysis.predict import top_words
from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.errors import BertcoreError
from bertcore.evidence.intervals import Interval, mcnemar, mean_interval, share_interval
from bertcore.evidence.scoring import Answers, TaskExamples
from bertcore.progress import ReportProgress, no_progress
from bertcore.table import Records, Table
from bertcore.tasks.kinds import kind_named
from bertcore.tasks.predict import confusion, predict, required_kind
from bertcore.tokenizer.special_tokens import MASK

FEWEST = 20  # examples in a slice, and outside it
GUESSES = 8  # of the masked-word head for each word


@dataclass(frozen=True)
class Slice:
    """Examples that have something in common, against all others."""

    by: str  # label, length, word
    name: str
    value: float  # the share that is right, its interval (Wilson), and how many examples it is of
    low: float
    high: float
    count: int
    others_right: float
    loss: float
    p: float  # how likely so large a difference is by chance: Fisher's exact test, corrected for all slices of its sort


@dataclass(frozen=True, eq=False)
class Threshold:
    """A label said wherever it is at least so likely; K thresholds, the lowest first."""

    thresholds: NDArray[np.float64]  # (K)
    precision: NDArray[np.float64]  # (K) of what is said to have the label, the share that has it
    recall: NDArray[np.float64]  # (K) of what has the label, the share that is said to
    count: int  # examples that have it


@dataclass(frozen=True)
class Flip:
    """One word in place of another that changes the answer."""

    position: int  # of its first character
    word: str
    instead: str
    answer: str
    confidence: float | None
    likely: float | None  # what the masked-word head gives the new word; None for words that were given


@dataclass(frozen=True)
class TwoModels:
    """Two models on the same examples."""

    first: Interval
    second: Interval
    difference: Interval  # second - first
    only_first: tuple[int, ...]  # examples that the first alone gets right
    only_second: tuple[int, ...]
    p: float  # McNemar's test: how likely so uneven a split is, were they equally good


@dataclass(frozen=True, eq=False, repr=False)
class AnsweredExamples(Table):
    """Examples of a task with what a model says of them, `scored.answers()`."""

    scored: TaskExamples
    answers: Answers  # (M)

    def rows(self) -> list[dict[str, Any]]:
        said, names = self.answers, ("example", "text", "right", "given", "confidence", "is_right", "loss")
        columns = said.row.tolist(), self.texts(), said.right, said.given, said.confidence, said.is_right, said.loss
        return [dict(zip(names, each, strict=True)) for each in zip(*columns, strict=True)]

    def texts(self) -> list[str]:
        kind = kind_named(required_kind(self.scored.checkpoint))
        written = (kind.written(self.scored.rows[row]) for row in self.answers.row)
        return [" · ".join(filter(None, (text, other))) for text, other, _ in written]

    @property
    def labels(self) -> list[str]:
        """(K) all that are right somewhere, or given."""
        return sorted({*self.answers.right, *self.answers.given})

    def confusion(self, labels: Sequence[str] | None = None) -> NDArray[np.int64]:
        """(K,K) how often each label (row) was given as each (column)."""
        return confusion(self.answers.right, self.answers.given, self.labels if labels is None else labels)

    def cell(self, right: str, given: str) -> list[dict[str, Any]]:
        """The rows of one cell of the confusion matrix."""
        return [row for row in self.rows() if (row["right"], row["given"]) == (right, given)]

    def slices(self) -> Records[Slice]:
        """By label, length in words (quarters), and word, the least likely by chance first."""
        texts = [re.findall(r"\w+", text.lower()) for text in self.texts()]
        lengths = np.array([len(text) for text in texts])
        quarters = np.searchsorted(np.quantile(lengths, [0.25, 0.5, 0.75]), lengths)
        of = {at: lengths[quarters == at] for at in range(4)}
        names = {at: f"{each.min()} to {each.max()}" for at, each in of.items() if len(each)}
        sorts: dict[str, list[set[str]]] = {
            "label": [{label} for label in self.answers.right],
            "length": [{names[at]} for at in quarters.tolist()],
            "word": [set(text) for text in texts],
        }
        found = [each for by, members in sorts.items() for each in self._slices(by, members)]
        return Records(sorted(found, key=lambda each: each.p))

    def _slices(self, by: str, members: Sequence[set[str]]) -> list[Slice]:
        from scipy.stats import false_discovery_control, fisher_exact

        where: dict[str, list[int]] = {}
        for number, names in enumerate(members):
            for name in names:
                where.setdefault(name, []).append(number)
        is_right, total = self.answers.is_right, len(members)
        kept = [name for name in sorted(where) if FEWEST <= len(where[name]) <= total - FEWEST]
        right = [int(is_right[where[name]].sum()) for name in kept]
        tables = [
            [[each, len(where[name]) - each], [is_right.sum() - each, (~is_right).sum() - len(where[name]) + each]]
            for name, each in zip(kept, right, strict=True)
        ]
        chances = false_discovery_control([fisher_exact(table).pvalue for table in tables]) if kept else []
        return [
            Slice(
                by,
                name,
                **vars(share_interval(each, len(where[name]))),
                others_right=float(table[1][0] / sum(table[1])),
                loss=float(self.answers.loss[where[name]].mean()),
                p=float(p),
            )
            for name, each, table, p in zip(kept, right, tables, chances, strict=True)
        ]

    def threshold(self, label: str) -> Threshold:
        """Raises BertcoreError where no example has the label, or the model gives labels no probability."""
        has = np.array(self.answers.right) == label
        if not self.answers.likely or not has.any():
            raise BertcoreError(f"No example has the label {label!r} with a probability; choose another.")
        likely = np.array([each[label] for each in self.answers.likely])
        order = np.argsort(-likely, kind="stable")
        last = np.flatnonzero(np.diff(likely[order], append=-1))[::-1]  # of those that are equally likely
        right = has[order].cumsum()[last]
        return Threshold(likely[order][last], right / (last + 1), right / has.sum(), int(has.sum()))


def two_models(first: Answers, second: Answers, seed: int = 0) -> TwoModels:
    """Of answers to the same examples. Raises BertcoreError for others."""
    if first.row.tolist() != second.row.tolist() or first.right != second.right:
        raise BertcoreError("The models have answered different examples; measure both on the same file.")
    one, two = first.is_right, second.is_right
    shares = [share_interval(int(each.sum()), len(each)) for each in (one, two)]
    only = [tuple(first.row[each].tolist()) for each in (one & ~two, two & ~one)]
    difference = mean_interval(two.astype(float) - one, seed)
    return TwoModels(shares[0], shares[1], difference, only[0], only[1], mcnemar(one, two))


def flips(
    checkpoint: Checkpoint, example: Any, words: Sequence[str] | Checkpoint, progress: ReportProgress = no_progress
) -> Records[Flip]:
    """Every change of one word that changes the answer: to one of `words`, or to what the masked-word head of a model
    finds likeliest there. The most natural first: the likeliest word, else the surest answer.

    Raises BertcoreError where an example is no text, or the model has no masked-word head.
    """
    text = getattr(example, "text_a", None)
    if not isinstance(text, str):
        raise BertcoreError("Words can be replaced where a whole text is labelled; this task labels something else.")
    spans = [found.span() for found in re.finditer(r"\w+", text)]
    guesses = _guesses(words, text, spans) if isinstance(words, Checkpoint) else [dict.fromkeys(words)] * len(spans)
    changes = [
        (start, text[start:end], word, likely)
        for (start, end), each in zip(spans, guesses, strict=True)
        for word, likely in each.items()
        if word.lower() != text[start:end].lower()
    ]
    tried = [replace(example, text_a=text[:at] + word + text[at + len(old) :]) for at, old, word, _ in changes]
    before, *after = predict(checkpoint, [example, *tried], progress)
    found = [
        Flip(*change[:3], str(said.answer), said.certainty, change[3])
        for change, said in zip(changes, after, strict=True)
        if said.answer != before.answer
    ]
    return Records(sorted(found, key=lambda each: (-(each.likely or 0), -(each.confidence or 0))))


def _guesses(
    checkpoint: Checkpoint, text: str, spans: Sequence[tuple[int, int]]
) -> Sequence[Mapping[str, float | None]]:
    """Likely words in place of each, with their probability; none where the text is cut before it."""
    if "mlm" in checkpoint.missing:
        raise BertcoreError(checkpoint.missing["mlm"])
    tokenizer = checkpoint.tokenizer
    encodings = [checkpoint.encode(f"{text[:start]}{MASK}{text[end:]}") for start, end in spans]
    masks = [[at for at, each in enumerate(one.ids) if each == tokenizer.mask_id][:1] for one in encodings]
    said = for_each(
        checkpoint.model,
        encodings,
        lambda batch, _: predict_heads(checkpoint.model, batch, [masks[at] for at in batch.numbers]),
    )
    rows: list[Any] = [[] if each.mlm_logits is None else each.mlm_logits for each in said]  # (0,V) or (1,V) each
    best = [[guess for logits in each for guess in top_words(logits, tokenizer, GUESSES)] for each in rows]
    named = [{tokenizer.label(guess.id): guess.probability for guess in each} for each in best]
    return [{word: each for word, each in one.items() if re.fullmatch(r"\w+", word)} for one in named]
