"""The tasks by name, and the one way to read a file of one: by its path, or from the folder it was published in."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bertcore.data.text import PACKED
from bertcore.errors import BertcoreError
from bertcore.locations import assets
from bertcore.tag_schemes import Scheme
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tasks.kinds.base import Example, TaskKind
from bertcore.tasks.kinds.choice import CHOICE_COLUMNS
from bertcore.tasks.kinds.span import ANSWER_COLUMNS
from bertcore.tasks.kinds.summarise import ROUGE, SUMMARY_COLUMNS
from bertcore.tasks.kinds.tag import ENTITY_METRICS, WORD_COLUMNS
from bertcore.tasks.readers.conll import read_tagged
from bertcore.tasks.readers.squad import read_answers
from bertcore.tasks.readers.tables import read_choices, read_cola, read_labelled_texts, read_summaries
from bertcore.tasks.spec import Columns, LayoutName, Request, Role, TaskSpec

_ACCURACY = ("accuracy",)


def _pair(a: str, b: str, label: str) -> Columns:
    """Columns as GLUE names them, or as `datasets` and our samples do."""
    return {"text": (a, "sentence1", "premise"), "text_b": (b, "sentence2", "hypothesis"), "label": (label, "label")}


def _files(**parts: str | Iterable[str]) -> dict[str, tuple[str, ...]]:
    return {part: (names,) if isinstance(names, str) else tuple(names) for part, names in parts.items()}


_TSV = _files(train="train.tsv", dev="dev.tsv", test="test.tsv")
_CONLL = _files(train="eng.train", dev="eng.testa", test="eng.testb")


def _numbers(*names: str) -> dict[str, Any]:
    """Labels that the files write as 0, 1 ..."""
    return {"labels": names, "label_names": {str(number): name for number, name in enumerate(names)}}


_GLUE = (
    TaskSpec(
        "sst2", "classify", "Sentiment of a sentence (SST-2)", "table", _ACCURACY,
        columns={"text": ("sentence", "text"), "label": ("label",)}, files=_TSV, sample="sentiment",
        **_numbers("negative", "positive"),
    ),
    TaskSpec(
        "cola", "classify", "Is the sentence acceptable English? (CoLA)", "cola", ("matthews_correlation", "accuracy"),
        columns={"text": ("sentence",), "label": ("label",)}, files=_TSV, sample="acceptability",
        **_numbers("unacceptable", "acceptable"),
    ),
    TaskSpec(
        "mrpc", "classify", "Do two sentences mean the same? (MRPC)", "table", ("f1", "accuracy"),
        columns=_pair("#1 String", "#2 String", "Quality"), sample="paraphrase",
        files=_files(
            train=("train.tsv", "msr_paraphrase_train.txt"), dev="dev.tsv", test=("test.tsv", "msr_paraphrase_test.txt")
        ),
        **_numbers("not_equivalent", "equivalent"),
    ),
    TaskSpec(
        "qqp", "classify", "Do two questions mean the same? (QQP)", "table", ("f1", "accuracy"),
        columns=_pair("question1", "question2", "is_duplicate"), files=_TSV, sample="same-question",
        drops_broken_rows=True,  # some questions have line breaks in them
        **_numbers("not_duplicate", "duplicate"),
    ),
    TaskSpec(
        "stsb", "regress", "How similar are two sentences, 0 to 5? (STS-B)", "table", ("spearmanr", "pearson"),
        columns=_pair("sentence1", "sentence2", "score"), files=_TSV, number_range=(0.0, 5.0), sample="similarity",
    ),
    TaskSpec(
        "mnli", "classify", "Does B follow from A, or contradict it? (MNLI)", "table", _ACCURACY,
        columns=_pair("sentence1", "sentence2", "gold_label"), no_label=("-",), sample="entailment",
        files=_files(
            train="train.tsv", dev="dev_matched.tsv", test="test_matched.tsv",
            dev_mismatched="dev_mismatched.tsv", test_mismatched="test_mismatched.tsv",
        ),
        **_numbers("entailment", "neutral", "contradiction"),
    ),
    TaskSpec(
        "qnli", "classify", "Does the sentence answer the question? (QNLI)", "table", _ACCURACY,
        columns=_pair("question", "sentence", "label"), files=_TSV, sample="answering",
        **_numbers("entailment", "not_entailment"),
    ),
    TaskSpec(
        "rte", "classify", "Does B follow from A? (RTE)", "table", _ACCURACY,
        columns=_pair("sentence1", "sentence2", "label"), files=_TSV, sample="entailment-two",
        **_numbers("entailment", "not_entailment"),
    ),
    TaskSpec(
        "wnli", "classify", "Who does the pronoun refer to? (WNLI)", "table", _ACCURACY,
        columns=_pair("sentence1", "sentence2", "label"), files=_TSV, sample="pronouns",
        **_numbers("not_entailment", "entailment"),
    ),
)  # fmt: skip
_CLASSIC = (
    TaskSpec(
        "conll2003", "tag", "Names in a sentence (CoNLL-2003)", "conll", ENTITY_METRICS,
        columns=WORD_COLUMNS, files=_CONLL, scheme="BIO", sample="names",
        labels=("O", *(f"{letter}-{kind}" for kind in ("PER", "ORG", "LOC", "MISC") for letter in "BI")),
    ),
    TaskSpec(
        "conll2003-pos", "tag", "Parts of speech (CoNLL-2003)", "conll", _ACCURACY,
        columns=WORD_COLUMNS, files=_CONLL, scheme="none", tag_column=2, sample="names",
    ),
    TaskSpec(
        "conll2003-chunk", "tag", "Phrases in a sentence (CoNLL-2003)", "conll", ENTITY_METRICS,
        columns=WORD_COLUMNS, files=_CONLL, scheme="BIO", tag_column=3, sample="names",
    ),
    TaskSpec(
        "squad", "span", "The answer in a passage (SQuAD 1.1)", "squad", ("f1", "exact_match"),
        columns=ANSWER_COLUMNS, has_unanswerable=False, files=_files(train="train-v1.1.json", dev="dev-v1.1.json"),
        sample="questions-answered",
    ),
    TaskSpec(
        "squad2", "span", "The answer in a passage, if it has one (SQuAD 2.0)", "squad", ("f1", "exact_match"),
        columns=ANSWER_COLUMNS, files=_files(train="train-v2.0.json", dev="dev-v2.0.json"), sample="questions",
    ),
    TaskSpec(
        "swag", "choice", "What happens next? (SWAG)", "choices", _ACCURACY,
        columns=CHOICE_COLUMNS, files=_files(train="train.csv", dev="val.csv", test="test.csv"), sample="endings",
    ),
    TaskSpec(
        "commonsenseqa", "choice", "Choose the right answer (CommonsenseQA)", "choices", _ACCURACY,
        columns=CHOICE_COLUMNS, sample="everyday",
        files=_files(
            train=("train_rand_split.jsonl", "train.jsonl"), dev=("dev_rand_split.jsonl", "valid.jsonl"),
            test=("test_rand_split_no_answers.jsonl", "test.jsonl"),
        ),
    ),
    TaskSpec(
        "summaries", "summarise", "The sentences that sum up a text", "summaries", ROUGE,
        columns=SUMMARY_COLUMNS, sample="summaries",
    ),
)  # fmt: skip
# And for people's own files those of each kind.
TASKS: dict[str, TaskSpec] = {
    spec.name: spec for spec in (*_GLUE, *_CLASSIC, *(own for kind in TASK_KINDS.values() for own in kind.tasks))
}


def metrics_of(spec: TaskSpec) -> tuple[str, ...]:
    """What is measured on a task's held-out examples, the main metric first."""
    return TASK_KINDS[spec.kind].measured(spec.metrics)


def register(kind: TaskKind[Any, Any]) -> None:
    """Make a kind of task, and the tasks that it names, known to everything that asks for one by its name."""
    known = dict(TASK_KINDS)
    TASK_KINDS.clear()
    TASK_KINDS.update({kind.name: kind, **known})  # asked before those that are more general
    TASKS.update({spec.name: spec for spec in kind.tasks})


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
