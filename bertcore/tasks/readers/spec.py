"""What a task is, as data; what a reader is asked for, and what it gives back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from bertcore.errors import BertcoreError
from bertcore.tag_schemes import Scheme
from bertcore.tasks.examples import Example, Kind, TextExample

Layout = Literal["table", "cola", "conll", "squad", "choices", "summaries"]
Role = Literal["text", "text_b", "label"]  # what a column is for; --text, --text-b and --label name one's own

# Measured on held-out examples, by kind of task; the first is the main one where the task names no other.
METRICS: dict[Kind, tuple[str, ...]] = {
    "classify": ("accuracy", "f1", "f1_macro", "matthews_correlation"),
    "regress": ("spearmanr", "pearson"),
    "multilabel": ("f1_micro", "f1_macro", "accuracy"),
    "tag": ("f1", "precision", "recall", "accuracy"),
    "span": ("f1", "exact_match"),
    "choice": ("accuracy",),
    "summarise": ("rouge2", "rouge1", "rougeL"),
}


@dataclass(frozen=True)
class TaskSpec:
    """One task: what is asked of the model, how it is measured, and how its files are laid out."""

    name: str
    kind: Kind
    title: str
    layout: Layout
    metrics: tuple[str, ...]  # the first is the main one
    labels: tuple[str, ...] = ()  # none: those in the training file
    label_names: Mapping[str, str] = field(default_factory=dict)  # as the file writes a label -> our name
    columns: Mapping[Role, tuple[str, ...]] = field(default_factory=dict)  # names to try, in this order
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by part: names in the folder as published
    scheme: Scheme | None = None  # of tags; None: as the training file has it, with IOB1 written as BIO
    tag_column: int | None = None  # in "conll" files, from 1; None: the last
    number_range: tuple[float, float] | None = None  # lowest and highest, for "regress"
    no_label: tuple[str, ...] = ()  # rows with this label are left out: the annotators did not agree
    drops_broken_rows: bool = False  # known to be in the file as published
    has_unanswerable: bool = True  # for "span": some questions may have no answer in their passage
    sample: str | None = None  # folder in assets/tasks

    @property
    def is_pair(self) -> bool:
        return "text_b" in self.columns

    @property
    def measured(self) -> tuple[str, ...]:
        """The metrics of its held-out examples, the main one first."""
        known = METRICS[self.kind]
        main = next((name for name in self.metrics if name in known), known[0])
        return (main, *(name for name in known if name != main))

    @property
    def problem(self) -> str | None:
        """As config.json's `problem_type` has it; None where the head is no classifier of whole texts."""
        return _PROBLEMS.get(self.kind)

    def range_of(self, examples: Sequence[Example]) -> tuple[float, float] | None:
        """Lowest and highest number of a "regress" task: as published, else as the examples to learn from have them."""
        numbers = [each.label for each in examples if isinstance(each, TextExample) and isinstance(each.label, float)]
        if self.kind != "regress" or self.number_range or not numbers:
            return self.number_range
        return (min(numbers), max(numbers)) if min(numbers) < max(numbers) else None

    def name_of(self, label: str) -> str:
        return self.label_names.get(label, label)


_PROBLEMS = {
    "classify": "single_label_classification",
    "regress": "regression",
    "multilabel": "multi_label_classification",
}


@dataclass(frozen=True)
class Request:
    """What a reader is to read."""

    spec: TaskSpec
    file: Path
    needs_labels: bool = True  # False: a test file, which may or may not have them
    columns: Mapping[Role, str] = field(default_factory=dict)  # a person's own names
    labels: tuple[str, ...] = ()  # those of the training file; none: not known yet

    @property
    def known_labels(self) -> tuple[str, ...]:
        return self.spec.labels or self.labels

    @cached_property
    def known_label_set(self) -> frozenset[str]:
        """To look up thousands of them, row by row."""
        return frozenset(self.known_labels)

    def column(self, role: Role, available: Sequence[str], required: bool = True) -> str | None:
        """The name of the column for a role. None if it is absent and not required, or the task has none of the kind.

        Raises BertcoreError that names the columns there are, also for an own name that does not fit.
        """
        own = self.columns.get(role)
        names = (own,) if own else self.spec.columns.get(role, ())
        column = next((name for name in names if name in available), None)
        if column is None and names and (required or own):
            there_are = ", ".join(repr(name[:40]) for name in available[:20])
            flag = role.replace("_", "-")
            raise BertcoreError(
                f"{self.file.name} has no column '{names[0]}'; it has {there_are}. Name the right one with --{flag}."
            )
        return column


class Contents(NamedTuple):
    """What a reader found in a file."""

    examples: Sequence[Example]
    labels: tuple[str, ...] = ()
    dropped: int = 0  # examples that were left out; `notes` say which and why
    notes: tuple[str, ...] = ()
    scheme: Scheme | None = None
