"""What a kind of task is. All that tells one kind from another stands in its own file of this package.

Everything else in bertcore asks the kind: batches, training, measuring, predicting, drawing batches again, facts about
data, what an analysis explains. Importable without torch.

N sequences of S tokens, E examples, U units, K labels, C choices, H hidden size. A label of -100 is not counted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, NamedTuple, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from bertcore.config import BertConfig
from bertcore.data.pairs import NO_LABEL
from bertcore.errors import BertcoreError
from bertcore.settings import Settings, setting
from bertcore.table import Table
from bertcore.tasks.packed import Floats, Ints, Ragged, SequenceWriter
from bertcore.tasks.spec import Request, TaskSpec
from bertcore.tokenizer.tokenizer import Tokenizer

if TYPE_CHECKING:
    from torch import Tensor

    from bertcore.model.bert import Bert
    from bertcore.model.output_heads import LinearChainCrf


@dataclass(frozen=True)
class Decoding(Settings):
    """For a model that answers questions, and one that summarises."""

    max_answer_tokens: int = setting(30, "Longest answer to a question", unit="tokens", within=(1, 512))
    sentences: int = setting(3, "Most sentences of a summary", within=(1, 10_000))
    ratio: float | None = setting(
        None, "Sentences of a summary as a share of the text's, instead of a number", within=(0.001, 1.0)
    )


class DecodingOptions(TypedDict, total=False):
    """The same as arguments."""

    max_answer_tokens: int
    sentences: int
    ratio: float | None


USUAL = Decoding()


DOC_STRIDE = 128  # between the windows of a long passage: the default of google-research/bert
TOP = 4  # options that are kept of each answer, and the right one
Answer = str | float  # a label, or a number


@dataclass(frozen=True, slots=True)  # there may be a million of them
class Example:
    """What a task is made of, as a person would write it down."""

    answer_field: ClassVar[str]  # where the answer stands

    @property
    def answer(self) -> Any:
        """What is right, in the form that the metrics compare; None where it is not known."""
        return getattr(self, self.answer_field)


@dataclass(frozen=True)
class Prediction(Table):
    """What a model says about an example; one row."""

    answer_field: ClassVar[str]

    @property
    def answer(self) -> Any:
        """In the form that the metrics compare."""
        return getattr(self, self.answer_field)

    @property
    def certainty(self) -> float | None:
        """The probability of the answer; None where it is none of several."""
        return None

    def rows(self) -> list[dict[str, Any]]:
        return [{"answer": self.answer, **asdict(self)}]


@dataclass(frozen=True)
class Features:
    """Examples as the model reads them: N sequences in packed arrays, and the way back.

    A unit is what cannot be torn apart: a sequence, or all choices of a question.
    """

    kind: TaskKind
    head: str  # the name of the model's head
    examples: Sequence[Any]
    labels: tuple[str, ...]  # what is chosen from; () where that is not named
    ids: Ragged  # N rows, 32 bits
    segments: Ragged  # N rows, 8 bits; the frame's, whether or not the model has segments
    cut: Ints  # (N) tokens that a sequence had no room for; of a passage none, as it has windows
    example_of: Ints  # (N) the example that a sequence is of
    unit_starts: Ints  # (U+1): unit i is sequences unit_starts[i] ... unit_starts[i+1] - 1
    answers: Any  # U rows of what is right, as an array or Ragged; -100 or NaN where it is not known
    labelled: bool  # whether every example's answer is known; if not, a loss means nothing

    @property
    def units(self) -> int:
        return len(self.unit_starts) - 1

    @property
    def examples_cut(self) -> int:
        """How many examples the model does not read to their end."""
        return len(np.unique(self.example_of[self.cut > 0]))

    @property
    def unit_lengths(self) -> Ints:
        """(U) tokens of each unit's longest sequence."""
        return np.maximum.reduceat(self.ids.lengths, self.unit_starts[:-1])

    @property
    def example_lengths(self) -> Ints:
        """(E) tokens of each example's longest sequence before it was cut."""
        lengths = np.zeros(len(self.examples), dtype=np.int64)
        np.maximum.at(lengths, self.example_of, self.ids.lengths + self.cut)
        return lengths

    def sequences_of(self, units: Ints) -> Ints:
        """The numbers of the sequences of some units, unit by unit."""
        return np.concatenate([np.arange(*self.unit_starts[unit : unit + 2]) for unit in units])


@dataclass(frozen=True)
class TaskBatch:
    """B sequences of U units as tensors, with the right answers.

    labels: of whole texts (B) numbers of labels, (B) numbers or (B,K) 0 and 1; of choices (U); of tags (B,S); of
    passages (B,2) the answer's first and last token; of sentences (R) 0 and 1, for the `rows`.
    """

    kind: TaskKind
    head: str
    input_ids: Tensor  # (B,S)
    segment_ids: Tensor | None
    attention_mask: Tensor | None
    labels: Tensor
    rows: Tensor | None = None  # (R) indices into B*S of the tokens that the head reads, where the kind names them
    choices: int = 1  # sequences of each unit

    @property
    def counted(self) -> int:
        """How many labels the loss is a mean over. Numbers all count: -100 may be one of them."""
        return self.labels.numel() if self.labels.is_floating_point() else int((self.labels != NO_LABEL).sum())

    @property
    def tokens(self) -> int:
        """Real ones, without padding."""
        return self.input_ids.numel() if self.attention_mask is None else int(self.attention_mask.sum())

    def to(self, device: Any) -> TaskBatch:
        if self.input_ids.device == device:
            return self
        names = ("input_ids", "segment_ids", "attention_mask", "labels", "rows")
        values = {name: getattr(self, name) for name in names}
        return replace(self, **{name: value.to(device) for name, value in values.items() if value is not None})


@dataclass(frozen=True)
class DecodeSettings:
    """How scores become answers: as a person chose it, and by what the model has learned."""

    decoding: Decoding = USUAL
    crf: LinearChainCrf | None = None  # finds the best tags of a whole sentence; None: the best tag of each word
    no_answer_above: float | None = None  # passages: no answer if its score is higher by this; None: always one

    @classmethod
    def of(cls, model: Bert, decoding: Decoding = USUAL) -> DecodeSettings:
        return cls(decoding, model.crf, 0.0 if model.config.no_answer else None)


class Reading(NamedTuple):
    """How examples are read."""

    tokenizer: Tokenizer
    labels: tuple[str, ...]  # what is chosen from, in the model's order
    max_length: int  # tokens of a sequence
    stride: int  # between the first tokens of two windows, where a long passage is cut into windows
    crf: bool  # tags are learned with a CRF


class ScoredUnit(NamedTuple):
    """A unit of a batch, and what a model makes of it."""

    number: int  # of the unit, in its features
    logits: Floats
    losses: Floats  # of its labels, in their shape
    crf: LinearChainCrf | None
    token: Callable[[int], str]  # how an id is written


@dataclass(frozen=True)
class Option:
    """`name`: a label, a tag, the number of an ending (from 1), or the token at which an answer begins."""

    name: str
    probability: float
    is_right: bool


@dataclass(frozen=True)
class TokenAnswer:
    """An answer that is read off a token; `loss` in nats (for a number the squared error)."""

    row: int  # of the unit's sequences; in a batch, of that
    position: int
    right: Answer
    given: Answer
    loss: float
    is_right: bool | None  # None for a number, which is more or less right
    options: tuple[Option, ...] = ()  # the likeliest first; none where the answer is a number
    what: str = ""  # "start" or "end" of an answer in a passage


@dataclass(frozen=True)
class UnitAnswer:
    """What a model says of a unit. `right` and `given` as in Option; an answer in a passage as its text, "" for none in
    this window; several labels with a comma between; for tags and sentences "", as each has its token."""

    rows: range  # its sequences
    right: Answer
    given: Answer
    loss: float
    places: tuple[TokenAnswer, ...]

    def moved(self, row: int) -> UnitAnswer:
        """The same with its sequences from `row` of a batch on."""
        places = tuple(replace(place, row=row + place.row) for place in self.places)
        return replace(self, rows=range(row, row + len(self.rows)), places=places)

    @property
    def is_right(self) -> bool | None:
        if isinstance(self.right, float):
            return None
        return self.right == self.given and (bool(self.right) or all(place.is_right for place in self.places))


E = TypeVar("E", bound=Example)
F = TypeVar("F", bound=Features)


class TaskKind(ABC, Generic[E, F]):
    """One kind of task: its examples, what the model reads and learns of them, its answers, and words about them."""

    name: ClassVar[str]  # in files and commands
    head: ClassVar[str]  # of the model
    example: ClassVar[type[Any]]
    answer_fields: ClassVar[tuple[str, ...]] = ("label",)  # of an example: what is right
    metrics: ClassVar[tuple[str, ...]]  # on held-out examples; the first is the main one where a task names no other
    tasks: ClassVar[tuple[TaskSpec, ...]]  # for people's own files; of several, those read first stand last
    problem: ClassVar[str | None] = None  # as config.json's `problem_type` has it
    pipeline: ClassVar[str | None] = None  # as the hub names the kind; None: the library has no pipeline for it
    has_labels: ClassVar[bool] = False  # whether its answers are labels that have names
    has_confusion: ClassVar[bool] = False  # whether its answers fill a table of right and given labels
    reads: ClassVar[Literal["first", "all"]] = (
        "all"  # the hidden states that its head reads: of [CLS], or of all tokens
    )
    probability: ClassVar[Literal["softmax", "sigmoid"] | None] = "softmax"  # of the scores; None: they have none
    takes_crf: ClassVar[bool] = False  # whether its answers are sequences that a CRF can score
    chooses_tokens: ClassVar[bool] = False  # an answer is a first and a last token of a text, read in windows if long
    number_name: ClassVar[str] = ""  # what the head gives, where that is one number
    missing_head: ClassVar[str]  # that a model cannot do this, in a sentence
    needs_b: ClassVar[bool] = False  # whether there is no example without a second text
    takes_b: ClassVar[bool] = True
    reads_as_typed: ClassVar[bool] = False  # whether its tokens are those of the typed texts, just as they are
    several_answers: ClassVar[bool] = False  # whether an example has an answer at each of several tokens

    # --- examples

    @abstractmethod
    def typed(self, text_a: str, text_b: str | None) -> E:
        """What was typed, as an example. Raises BertcoreError where a part is missing."""

    def unanswered(self, example: E) -> E:
        """Without what a file says is right: it may be written in other words than the model's labels."""
        defaults = {each.name: each.default for each in fields(self.example) if each.name in self.answer_fields}
        return replace(example, **defaults)

    def is_labelled(self, example: E) -> bool:
        """Whether there is something to learn from it."""
        return getattr(example, self.answer_fields[0]) is not None

    def labelled(self, example: E) -> E:
        """With an answer that is first to be found in what its file says."""
        return example

    def read_label(self, request: Request, place: str, column: str, value: object) -> Any:
        """The label in a row of a table; `place` is where that stands. Raises BertcoreError where it is none."""
        raise NotImplementedError

    def labels_of(self, request: Request, examples: Sequence[E]) -> tuple[str, ...]:
        """The labels to choose from: known ones, or those of a table's rows. Raises BertcoreError for what are none."""
        return request.known_labels

    # --- what the model reads, and how it is made

    @abstractmethod
    def features(self, examples: Sequence[E], reading: Reading) -> F:
        """Raises BertcoreError for what does not fit, with the number of the example."""

    def batch_labels(self, features: F, units: Ints, sequences: Ints) -> NDArray:
        answers: NDArray = features.answers[units]
        return answers

    def batch_rows(self, features: F, sequences: Ints, length: int) -> Ints | None:
        """(R) `TaskBatch.rows` of some sequences, padded to `length`."""
        return None

    def config(self, spec: TaskSpec, labels: tuple[str, ...], examples: Sequence[E]) -> dict[str, Any]:
        """The fields of BertConfig that say what a model has learned."""
        return {"labels": labels, "problem_type": self.problem, "number_range": None, "no_answer": False}

    def fits(self, heads: Sequence[str], config: BertConfig) -> bool:
        """Whether a model with these heads was fine-tuned on this kind."""
        return self.head in heads and self.problem in (None, config.problem)

    def refuse(self, name: str, config: BertConfig) -> None:
        """Raises BertcoreError where a model of that name says more than can be shown."""

    # --- logits and loss

    def arrange(self, scores: Tensor, choices: int) -> Tensor:
        """The scores of a batch as its labels are laid out."""
        return scores

    def losses(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Of each label of a batch, in the shape of the labels; 0 where a label is not counted.

        Their mean over the labels that count is what training minimises (`loss`), over those of one example what is
        said of it. Where several labels can be right, each by itself, the binary cross-entropy of each; else the
        cross-entropy, also of a tagger that a CRF stands on.
        """
        if self.probability == "sigmoid":
            from torch.nn import functional as F

            return F.binary_cross_entropy_with_logits(logits, labels.to(logits.dtype), reduction="none")
        return cross_entropy(logits, labels)

    def loss(self, model: Bert, logits: Tensor, batch: TaskBatch) -> Tensor:
        """Mean over the labels that count; 0 where none does."""
        losses = self.losses(logits.float(), batch.labels)
        if batch.labels.is_floating_point():
            return losses.mean()
        return losses.sum() / (batch.labels != NO_LABEL).sum().clamp(min=1)

    # --- answers

    def split(self, features: F, units: Ints, logits: NDArray) -> list[NDArray]:
        """The logits of a batch, unit by unit, without padding."""
        if self.reads == "first":
            return list(logits)
        lengths = features.ids.lengths_of(units)
        return [row[:length] for row, length in zip(logits, lengths, strict=True)]

    def probabilities(self, scores: Floats) -> Floats:
        """Of the scores of one answer (...,K): each by itself where several can be right, else summing to 1."""
        from scipy.special import expit, softmax  # here: they take 0.2 s, which the window's start need not wait for

        found: Floats = expit(scores) if self.probability == "sigmoid" else softmax(scores, axis=-1)
        return found

    def decode(self, features: F, logits: Sequence[Floats], settings: DecodeSettings) -> Sequence[Prediction]:
        """A prediction for each example, from the logits of each unit."""
        return [self.decode_unit(features, scores) for scores in logits]

    def decode_unit(self, features: F, scores: Floats) -> Prediction:
        """The same of one, in kinds whose examples have one unit each, and where nothing is to be chosen."""
        raise NotImplementedError

    @abstractmethod
    def measure(self, gold: Sequence[Any], predicted: Sequence[Any], labels: list[str]) -> Mapping[str, Any]:
        """Metrics by name, of what `Example.answer` and `Prediction.answer` give."""

    def lacks(self) -> str:
        """What has to be installed for its metrics, in a sentence; empty where nothing is missing."""
        return ""

    def measure_scores(self, features: F, logits: Sequence[Floats], gold: Sequence[Any]) -> Mapping[str, float]:
        """Metrics that need more than the answers."""
        return {}

    def measured(self, main: Sequence[str]) -> tuple[str, ...]:
        """The metrics of its held-out examples, the main one first: the first of those that a task names."""
        first = next((name for name in main if name in self.metrics), self.metrics[0])
        return (first, *(name for name in self.metrics if name != first))

    @abstractmethod
    def unit_answer(self, features: F, scored: ScoredUnit) -> UnitAnswer:
        """What is right and what is given of a unit, and off which tokens that is read."""

    # --- descriptions

    @abstractmethod
    def written(self, example: E) -> tuple[str, str | None, str]:
        """The texts, and what is right, as a person reads them."""

    def label_words(self, example: E) -> Iterable[str]:
        """What is right about it, label by label."""
        return (str(example.answer),)

    def label_counts(self, examples: Sequence[E]) -> list[tuple[str, int]]:
        """The labels and how often each occurs, the most frequent first."""
        return Counter(label for example in examples for label in self.label_words(example)).most_common()

    @abstractmethod
    def answer_numbers(self, features: F, units: Ints) -> tuple[Sequence[str], NDArray]:
        """Names of what may be right, and the number of each right answer of these units; no names for numbers."""

    def lines(self, prediction: Any, example: E) -> list[tuple[str | float, str]]:
        """A prediction piece by piece: words with their tags, or names with their probabilities. None: its answer."""
        return []

    # --- help for the kinds

    def _options(self, names: Sequence[str], likely: Floats, is_right: NDArray[np.bool_]) -> tuple[Option, ...]:
        """The likeliest, and the right ones behind them where they are not among these."""
        order = np.argsort(-likely, kind="stable").tolist()
        kept = [at for place, at in enumerate(order) if place < TOP or is_right[at]]
        return tuple(Option(names[at], float(likely[at]), bool(is_right[at])) for at in kept)

    def _one_of(
        self,
        names: Sequence[str],
        likely: Floats,
        right: int,
        given: int,
        position: int,
        loss: float,
        *,
        row: int = 0,
        what: str = "",
    ) -> TokenAnswer:
        """One name of several."""
        options = self._options(names, likely, np.arange(len(likely)) == right)
        return TokenAnswer(row, position, names[right], names[given], loss, right == given, options, what)


def packed(
    made: type[F], kind: TaskKind, examples: Sequence[Any], writer: SequenceWriter, answers: Any, **more: Any
) -> F:
    """Features of sequences that have been written; each is a unit, where `unit_starts` says no other."""
    starts, labelled = np.arange(len(writer) + 1), all(map(kind.is_labelled, examples))
    usual = {"head": kind.head, "labels": (), "unit_starts": starts, "labelled": labelled}
    return made(kind=kind, examples=examples, answers=answers, **{**usual, **writer.done(), **more})


def label_number(place: int, label: str, numbers: Mapping[str, int], what: str = "label") -> int:
    """The label's number. Raises BertcoreError where there is no such label."""
    if label not in numbers:
        known = ", ".join(list(numbers)[:12])
        raise BertcoreError(
            f"Example {place + 1} has the {what} “{label}”, which the model does not have; it has {known}."
        )
    return numbers[label]


def cross_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    """(...,K), (...) -> (...); 0 where a label is -100."""
    from torch.nn import functional as F

    flat = F.cross_entropy(logits.flatten(0, -2), labels.flatten(), ignore_index=NO_LABEL, reduction="none")
    return flat.view(labels.shape)


def f1_of_counts(right: Floats, there: Floats, given: Floats) -> Floats:
    """Of each label: how often it was given rightly, was the right answer, was given. 0 where it never occurs."""
    return 2 * right / np.maximum(there + given, 1)


def flat(answers: Sequence[Any]) -> list[str]:
    """Labels, or tags sentence by sentence, as one list."""
    return [label for answer in answers for label in ([answer] if isinstance(answer, str) else answer)]
