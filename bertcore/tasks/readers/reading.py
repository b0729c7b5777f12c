"""The one way to read a file of a task: by its path, or from the folder that it was published in."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bertcore.data.text import PACKED
from bertcore.errors import BertcoreError
from bertcore.locations import assets
from bertcore.tag_schemes import Scheme
from bertcore.tasks.kinds.base import Example
from bertcore.tasks.readers.choices import read_choices
from bertcore.tasks.readers.conll import read_tagged
from bertcore.tasks.readers.registry import TASKS
from bertcore.tasks.readers.squad import read_answers
from bertcore.tasks.readers.summaries import read_summaries
from bertcore.tasks.readers.tables import read_cola, read_labelled_texts
from bertcore.tasks.spec import LayoutName, Request, Role, TaskSpec

_READERS = {
    "table": read_labelled_texts,
    "cola": read_cola,
    "conll": read_tagged,
    "squad": read_answers,
    "choices": read_choices,
    "summaries": read_summaries,
}
_ENDINGS: dict[LayoutName, tuple[str, ...]] = {  # of files that are named by their part alone, as "train.csv"
    "table": (".tsv", ".csv", ".jsonl", ".parquet"),
    "cola": (".tsv",),
    "conll": (".conll", ".txt", ".tsv", ".bio", ".jsonl", ".parquet"),
    "squad": (".json", ".jsonl", ".csv", ".tsv", ".parquet"),
    "choices": (".csv", ".jsonl", ".parquet"),
    "summaries": (".jsonl", ".parquet"),
}
_STEMS = {"train": ("train",), "dev": ("dev", "valid", "validation", "val"), "test": ("test",)}
_FILES_SHOWN = 12


@dataclass(frozen=True)
class TaskFile:
    """What stands in one file of a task."""

    task: str
    file: Path
    split: str
    examples: tuple[Example, ...]
    labels: tuple[str, ...]  # of the task, or found in this file; none for numbers, answers, choices and summaries
    scheme: Scheme | None  # of tags, as they are given here
    dropped: int  # examples of the file that were left out
    notes: tuple[str, ...]  # what was left out, put right or written in another way, a sentence each


def read_task(
    task: TaskSpec | str,
    path: str | Path,
    split: str = "train",
    columns: Mapping[Role, str] | None = None,
    labels: Sequence[str] | None = None,
) -> TaskFile:
    """Read a file of a task, or the file of that part ("train", "dev", "test"; MNLI also "dev_mismatched" and
    "test_mismatched") in a folder.

    `columns` are a person's own names for "text", "text_b" and "label" (in a CoNLL file: numbers from 1). `labels` are
    those of the training file, for tasks that have none of their own. A test file need not have labels.
    Raises BertcoreError for a task or file that is not there, and a file that does not fit: it names file and line.
    """
    spec = task if isinstance(task, TaskSpec) else task_named(task)
    file = find_file(spec, path, split)
    own = {role: name for role, name in (columns or {}).items() if name}
    needs_labels = not split.startswith("test")
    contents = _READERS[spec.layout](Request(spec, file, needs_labels, own, tuple(labels or ())))
    found = contents._replace(examples=tuple(contents.examples))._asdict()
    return TaskFile(task=spec.name, file=file, split=split, **found)


def task_named(name: str) -> TaskSpec:
    """Raises BertcoreError that names the tasks there are."""
    if name not in TASKS:
        raise BertcoreError(f"There is no task '{name}'; choose one of {', '.join(TASKS)}.")
    return TASKS[name]


def find_file(spec: TaskSpec, path: str | Path, split: str) -> Path:
    """The file itself, or the one of this part in a folder: under its published name, else as "train.tsv" and the like.

    Raises BertcoreError if there is none, or more than one that could be meant.
    """
    path = Path(os.path.expanduser(path))  # Path's own fails where nobody has that name
    if not path.is_dir():
        if not path.is_file():
            raise BertcoreError(f"There is no file or folder {path}.")
        return path
    plain = [stem + ending for stem in _STEMS.get(split, ()) for ending in _ENDINGS[spec.layout]]
    published = spec.files.get(split, ())
    files_there = next((files for name in published if (files := _there(path, [name]))), None) or _there(path, plain)
    if len(files_there) > 1:
        both = " and ".join(file.name for file in files_there)
        raise BertcoreError(f"The folder {path} has {both}; name the one that is meant.")
    if not files_there:
        names = sorted(file.name for file in path.iterdir())[:_FILES_SHOWN]
        wanted = " or ".join(published or plain) or "a file of that name"
        raise BertcoreError(
            f"The folder {path} has no {split} part of {spec.name} ({wanted}); it has {', '.join(names) or 'no files'}."
        )
    return files_there[0]


def sample_folder(spec: TaskSpec) -> Path | None:
    """The folder with small files of this task that ship with BERTscope; None where there are none."""
    return assets() / "tasks" / spec.sample if spec.sample else None


def _there(folder: Path, names: Sequence[str]) -> list[Path]:
    files = (folder / (name + packed) for name in names for packed in ("", *PACKED))
    return [file for file in files if file.is_file()]
