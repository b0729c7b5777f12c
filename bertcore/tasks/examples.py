"""What the tasks are made of: one example each, as a person would write it down. Importable without torch."""

from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal["classify", "regress", "multilabel", "tag", "span", "choice", "summarise"]  # what a task asks for
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)  # there may be a million of them
class TextExample:
    """A sentence or pair, and what is to be said about it: a label, a number, or several labels at once."""

    text_a: str
    text_b: str | None = None
    label: str | float | tuple[str, ...] | None = None  # None: not known


@dataclass(frozen=True, slots=True)
class TaggedExample:
    """A sentence in words, and a tag for each of them."""

    words: tuple[str, ...]
    tags: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class AnswerExample:
    """A question and a passage. `answers` are texts that stand in it, with the character where each begins."""

    id: str
    question: str
    passage: str
    answers: tuple[tuple[str, int], ...] = ()  # none: the passage does not answer it, or it is not known


@dataclass(frozen=True, slots=True)
class ChoiceExample:
    """A beginning and some endings, one of them right."""

    context: str
    endings: tuple[str, ...]
    label: int | None = None  # which of the endings


@dataclass(frozen=True, slots=True)
class SummaryExample:
    """A document in sentences, and which of them make its summary."""

    sentences: tuple[str, ...]
    labels: tuple[bool, ...] | None = None
    reference: str | None = None  # a summary that someone wrote


Example = TextExample | TaggedExample | AnswerExample | ChoiceExample | SummaryExample
