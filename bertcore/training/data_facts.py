"""What a run would learn from, as it is read, and what it would take: described before the start. Imports no torch.

facts = task_facts(options, tokenizer)      # examples, labels, lengths, what is cut
facts = text_facts(options.data)            # documents and sentences of plain text
`trial_run.estimate_run` finds the `RunEstimate`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from bertcore.data.corpus import Lines
from bertcore.data.text import Documents, is_records
from bertcore.data.tokenising import split_sentences
from bertcore.errors import BertcoreError
from bertcore.json_text import Plain
from bertcore.tasks.kinds import TASK_KINDS, make_features
from bertcore.tasks.kinds.base import Example, TaskKind
from bertcore.tasks.readers.lines import layout_suffix, numbered_lines
from bertcore.tasks.readers.reading import task_named
from bertcore.tasks.readers.tables import read_rows
from bertcore.tasks.spec import Request, Role, TaskSpec
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.pretrain_options import DataOptions
from bertcore.training.task_examples import read_examples

ROWS_SHOWN = 6
LABELS_SHOWN = 12
_CHARACTERS_SHOWN = 300
_MOST_TOKENISED = 5_000  # examples whose lengths are counted
_MOST_READ = 8_000_000  # bytes of plain text
_BINS = 32
_AROUND = 2  # lines shown before and after one with a fault


@dataclass(frozen=True)
class ShownRow:
    """An example as a person would write it down."""

    text_a: str
    text_b: str | None
    label: str


@dataclass(frozen=True)
class Lengths(Plain):
    """How long the examples are in tokens, special ones included, before anything is cut.

    counts: of `bin_tokens` lengths each, from 1 on; the last bin has all that are longer, too.
    """

    counts: tuple[int, ...]
    bin_tokens: int
    cut_at: int  # the longest that is read in one piece
    longer: int  # examples above that
    counted: int
    longest: int

    @classmethod
    def of(cls, lengths: NDArray[np.int64], cut_at: int) -> Self:
        longest = int(lengths.max(initial=1))
        shown = min(longest, 3 * cut_at)
        width = max(1, -(-max(shown, cut_at) // _BINS))
        bins = np.minimum((lengths - 1) // width, -(-max(shown, cut_at) // width) - 1)
        counts = np.bincount(np.maximum(bins, 0), minlength=-(-max(shown, cut_at) // width))
        return cls(tuple(counts.tolist()), width, cut_at, int((lengths > cut_at).sum()), len(lengths), longest)


@dataclass(frozen=True)
class FileLayout:
    """How a file is read. `name`: "table", "cola", "conll", "squad", "choices", "summaries" for examples; "blocks",
    "lines", "records", "files" for plain text."""

    name: str
    ending: str  # ".tsv"
    columns: dict[str, str] = field(default_factory=dict)  # role -> column that is read as it


@dataclass(frozen=True)
class TaskFacts(Plain):
    """Of a task's examples. `train` and `held_out` are how many there are."""

    file: str
    layout: FileLayout
    rows: tuple[ShownRow, ...]
    labels: tuple[tuple[str, int], ...]  # the most frequent first; of taggers per word, of numbers in ranges
    other_labels: int
    train: int
    held_out: int
    held_out_file: str | None  # None: a share of the training file
    lengths: Lengths
    is_sampled: bool  # lengths were counted in some of the examples only
    notes: tuple[str, ...]


@dataclass(frozen=True)
class TextFacts(Plain):
    """Of plain text. `share`: how much of it was read, 0..1; the counts are of that part."""

    files: tuple[str, ...]
    layout: FileLayout
    rows: tuple[str, ...]  # how the first documents begin
    documents: int
    sentences: int
    words: int
    share: float


@dataclass(frozen=True)
class Fault(Plain):
    """Why a file cannot be read: a sentence, and the lines around the place where there is one.

    The first line is among them, since it names the columns of a table; tabs between cells are kept.
    """

    message: str
    line: int | None
    lines: tuple[tuple[int, str], ...]  # number, text


# --- a task's examples


def task_facts(options: FinetuneOptions, tokenizer: Tokenizer) -> TaskFacts:
    """Of what this run would learn from, in the vocabulary of the model that it starts from.

    Raises BertcoreError, one sentence with file and line, for what cannot be learned from.
    """
    spec = task_named(options.data.task)
    train, dev = read_examples(options)
    some = _spread(train.examples, _MOST_TOKENISED)
    kind = TASK_KINDS[spec.kind]
    counts, limit = kind.label_counts(train.examples), options.data.max_length
    stride = options.data.stride
    features = make_features(
        kind.name, some, tokenizer, train.labels, max_length=limit, stride=stride, need_answers=True
    )
    return TaskFacts(
        file=train.file.name,
        layout=_layout_of(spec, train.file, options),
        rows=tuple(_shown(kind, example) for example in train.examples[:ROWS_SHOWN]),
        labels=tuple(counts[:LABELS_SHOWN]),
        other_labels=len(counts[LABELS_SHOWN:]),
        train=len(train.examples),
        held_out=len(dev.examples),
        held_out_file=None if dev.file == train.file else dev.file.name,
        lengths=Lengths.of(features.example_lengths, limit),
        is_sampled=len(some) < len(train.examples),
        notes=tuple(dict.fromkeys((*train.notes, *dev.notes))),
    )


def fault_of(error: BertcoreError, file: Path) -> Fault:
    """The lines of the file that the sentence is about."""
    message = str(error)
    place = re.search(rf"{re.escape(file.name)}, line ([\d,]+)", message)
    if place is None or layout_suffix(file) == ".parquet":
        return Fault(message, None, ())
    number = int(place[1].replace(",", ""))
    lines = []
    try:
        for at, line in numbered_lines(file):
            if at > number + _AROUND:
                break
            if at == 1 or at >= number - _AROUND:
                lines.append((at, "\t".join(map(_short, line.rstrip("\n").split("\t")))))
    except BertcoreError:  # the very line cannot be read
        pass
    return Fault(message, number, tuple(lines))


def _spread(examples: Sequence[Example], most: int) -> Sequence[Example]:
    """So many of them at most, evenly spread over all: files are often sorted."""
    return examples if len(examples) <= most else [examples[i * len(examples) // most] for i in range(most)]


def _shown(kind: TaskKind[Any, Any], example: Example) -> ShownRow:
    text_a, text_b, label = kind.written(example)
    return ShownRow(_short(text_a), None if text_b is None else _short(text_b), _short(label))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _CHARACTERS_SHOWN else text[: _CHARACTERS_SHOWN - 1] + "…"


def _layout_of(spec: TaskSpec, file: Path, options: FinetuneOptions) -> FileLayout:
    """Which columns are read as what; those of a file in columns without names are numbered from 1."""
    suffix = layout_suffix(file)
    own = cast(dict[Role, str], options.data.columns)
    if spec.layout == "conll" and suffix not in (".jsonl", ".ndjson", ".parquet"):
        first = next((line.split() for _, line in numbered_lines(file) if line.strip()), [])
        tag = own.get("label") or str(spec.tag_column or len(first))
        return FileLayout("conll", suffix, {"text": own.get("text") or "1", "label": tag})
    if spec.layout == "cola" or suffix == ".json":
        return FileLayout(spec.layout, suffix)
    available = list(next(iter(read_rows(file))).fields)
    request = Request(spec, file, False, own)
    found = {role: request.column(role, available, required=False) for role in spec.columns}
    return FileLayout(spec.layout, suffix, {str(role): column for role, column in found.items() if column})


# --- plain text


def text_facts(data: DataOptions) -> TextFacts:
    """Of the files that a pretraining run would read: the first megabytes of them. Raises BertcoreError."""
    files, form = data.files, data.text_format
    documents: Documents = Documents(files, form)
    is_by_line = sum(1 for _ in islice(documents, 3)) < 3  # as `load_corpus` decides it
    documents = Lines(files, form) if is_by_line else documents
    rows: list[str] = []
    counts = Counter[str]()
    characters, share = 0, 1.0
    for document in documents:
        if len(rows) < ROWS_SHOWN:
            rows.append(_short(document[0]))
        for paragraph in document:
            counts["sentences"] += len(split_sentences(paragraph))
            counts["words"] += len(paragraph.split())
            characters += len(paragraph)
        counts["documents"] += 1
        if characters > _MOST_READ:
            share = documents.fraction
            break
    forms = {"records": any(map(is_records, files)), "lines": is_by_line, "files": form.document_per_file}
    name = next((name for name, is_it in forms.items() if is_it), "blocks")
    return TextFacts(
        tuple(file.name for file in files),
        FileLayout(name, layout_suffix(files[0]), {"text": data.text_field} if name == "records" else {}),
        tuple(rows),
        counts["documents"],
        counts["sentences"],
        counts["words"],
        share,
    )


# --- what a run would take


@dataclass(frozen=True)
class Cost:
    """Seconds as they passed, with whatever else the machine was doing, and seconds of the processor, which other
    programs hardly change."""

    seconds: float = 0.0
    processor_s: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.seconds + other.seconds, self.processor_s + other.processor_s)

    def __mul__(self, factor: float) -> Cost:
        return Cost(self.seconds * factor, self.processor_s * factor)


@dataclass(frozen=True)
class RunEstimate(Plain):
    """What a run would take. The seconds of its parts add up to `total`."""

    preparing: Cost  # starting, reading, tokenising
    training: Cost  # its steps
    measuring: Cost
    saving: Cost
    steps: int
    epochs: float | None
    memory_mib: float | None  # the most that it holds at once, of the main memory
    gpu_memory_mib: float | None
    parameters: int
    vocab_size: int
    device: str
    precision: str
    threads: int
    load: float | None  # what the machine was doing besides: processes that wanted a core, for each core
    is_sampled: bool  # made from a part of the data
    tokens: tuple[int, int] | None = None  # of plain text: to train on, and held out
    lengths: Lengths | None = None  # of its sentences

    @property
    def total(self) -> Cost:
        return self.preparing + self.training + self.measuring + self.saving

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "total": asdict(self.total)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        return super().from_dict({name: value for name, value in values.items() if name != "total"})
