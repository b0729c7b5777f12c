"""What a task is, as data; what a reader is asked for, and what it gives back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

from bertcore.errors import BertcoreError
from bertcore.tag_schemes import Scheme
from bertcore.tasks.readers.lines import refuse

LayoutName = Literal["table", "cola", "conll", "squad", "choices", "summaries"]
Role = Literal["text", "text_b", "label"]  # what a column is for; --text, --text-b and --label name one's own

Columns = Mapping[Role, tuple[str, ...]]  # names to try, in this order
LABELS_SHOWN = 12  # in messages


@dataclass(frozen=True)
class TaskSpec:
    """One task: what is asked of the model, how it is measured, and how its files are laid out."""

    name: str
    kind: str
    title: str
    layout: LayoutName
    metrics: tuple[str, ...]  # the first is the main one
    labels: tuple[str, ...] = ()  # none: those in the training file
    label_names: Mapping[str, str] = field(default_factory=dict)  # as the file writes a label -> our name
    columns: Columns = field(default_factory=dict)  # names to try, in this order
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

    def name_of(self, label: str) -> str:
        return self.label_names.get(label, label)


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

    def check_known(self, place: str, label: str) -> str:
        """The label itself. Raises BertcoreError if the task, or the training file, does not have it."""
        known = self.known_labels
        if known and label not in self.known_label_set:
            more = ", ..." if len(known) > LABELS_SHOWN else ""
            raise refuse(place, f"one of the labels {', '.join(known[:LABELS_SHOWN])}{more}", label)
        return label

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

    examples: Sequence[Any]
    labels: tuple[str, ...] = ()
    dropped: int = 0  # examples that were left out; `notes` say which and why
    notes: tuple[str, ...] = ()
    scheme: Scheme | None = None
