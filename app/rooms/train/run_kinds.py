"""The kinds of runs that the form offers, and how each becomes a command. No torch, no widgets.

A new kind is an entry in RUN_KINDS here, its command in `bertcore`, and its plots in `app/rooms/train/plots.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bertcore.checkpoint.config_file import read_config, read_config_values
from bertcore.errors import BertcoreError
from bertcore.locations import sample_corpus
from bertcore.resolve_model import resolve_model
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tasks.readers.lines import layout_suffix, numbered_lines
from bertcore.tasks.readers.reading import find_file, read_task, sample_folder
from bertcore.tasks.readers.registry import TASKS
from bertcore.tasks.readers.tables import read_rows
from bertcore.tasks.spec import Role, TaskSpec
from bertcore.training.distil_options import DistilOptions
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions, TuningOptions
from bertcore.training.pretrain_options import DataOptions, PretrainOptions, TrainingOptions, continued

from ...look.say import mark, say
from ...runs.process import Options, RunCommand

READ_WHOLE_BYTES = 300_000  # a file up to this size is read before the start: it takes some milliseconds
_NUMBER = mark("Column with the number")
_ROLES: dict[str, dict[Role, str]] = {
    "tag": {
        "text": mark("Column with the words"),
        "label": mark("Column with the tags"),
    },
    "span": {
        "text": mark("Column with the passage"),
        "text_b": mark("Column with the question"),
        "label": mark("Column with the answer"),
    },
    "choice": {
        "text": mark("Column with the beginning"),
        "label": mark("Column with the number of the correct ending"),
    },
    "summarise": {
        "text": mark("Column with the text"),
        "label": mark("Column with the summary"),
    },
}
_TEXTS: dict[Role, str] = {
    "text": mark("Column with the text"),
    "text_b": mark("Column with the second text"),
    "label": mark("Column with the label"),
}
_LISTS = (".jsonl", ".ndjson", ".parquet")


def columns_in(spec: TaskSpec, file: Path) -> list[str]:
    """Names of the columns that can be chosen; of a CoNLL file their numbers. None for a layout without a choice.

    Raises BertcoreError where the file cannot be read.
    """
    suffix = layout_suffix(file)
    if spec.layout == "conll" and suffix not in _LISTS:
        return [str(number + 1) for number in range(_columns_of_lines(file))]
    has_none = (
        spec.layout == "cola"
        or (spec.layout == "squad" and suffix == ".json")
        or (spec.layout == "choices" and suffix != ".csv")
    )
    if has_none:
        return []
    first = next(iter(read_rows(file)), None)
    return list(first.fields) if first else []


def roles_of(spec: TaskSpec) -> dict[Role, str]:
    """The columns that a task needs, each with the title of its field."""
    titles = _ROLES.get(spec.kind, _TEXTS)
    if spec.kind == "regress":
        titles = {**titles, "label": _NUMBER}
    return {role: say(title) for role, title in titles.items() if role in spec.columns}


def likely_column(spec: TaskSpec, role: Role, columns: list[str]) -> str | None:
    """The column that the task's files usually have for this; None where no name is known."""
    if spec.layout == "conll" and columns and columns[0] == "1":
        number = 1 if role == "text" else spec.tag_column or len(columns)
        return str(number) if number <= len(columns) else None
    return next((name for name in spec.columns.get(role, ()) if name in columns), None)


def check_examples(spec: TaskSpec, place: Path, columns: dict[Role, str]) -> None:
    """Reads a small file whole, as the run will. Raises BertcoreError, one sentence, where it does not fit.

    A large file is left to the run, which reads it first of all.
    """
    file = find_file(spec, place, "train")
    if file.stat().st_size <= READ_WHOLE_BYTES:
        read_task(spec, file, "train", columns)


def _columns_of_lines(file: Path) -> int:
    first = next((line for _, line in numbered_lines(file) if line.strip()), "")
    return len(first.split())


EPOCHS, MINUTES, STEPS = "epochs", "minutes", "steps"
DEFAULT_MINUTES, SAMPLE_EPOCHS, OWN_EPOCHS, TEXT_EPOCHS, DEFAULT_STEPS = 2.0, 10.0, 3.0, 1.0, 200.0
SAMPLE_BATCH, OWN_BATCH = 8, 32  # a sample has some 60 examples: many small steps, or it learns nothing
_PREDICT_WORDS = ("ForMaskedLM", "ForPreTraining", "LMHead")  # ends of the architectures with an MLM head


@dataclass(frozen=True)
class FormValues:
    """What a person has filled in."""

    kind: RunKind
    name: str
    unit: str = MINUTES  # of `number`: MINUTES, EPOCHS or STEPS
    number: float = DEFAULT_MINUTES
    model: str | None = None  # the checkpoint to start from: a folder, or None for the built-in one
    preset: str = "tiny"
    place: Path | None = None  # the person's own file or folder; None: the sample
    task: TaskSpec | None = None
    columns: dict[Role, str] = field(default_factory=dict)
    crf: bool = False
    advanced: Mapping[str, Any] = field(default_factory=dict)  # setting -> value, where it is not the usual one
    kept: Mapping[str, Any] = field(default_factory=dict)  # of settings that were loaded: what the form does not show


@dataclass(frozen=True)
class RunKind:
    """One entry of "What to train"; title and sentence are English, translated where they are shown."""

    key: str
    title: str
    sentence: str
    make_command: Callable[[FormValues], RunCommand]
    usual_name: str = "run"
    model_title: str = ""  # of the field for the checkpoint that it starts from; "": it trains a new model
    own_task: str = ""  # the task that reads a person's own files; "": it learns from plain text
    max_length: int = 128  # tokens of an example at most

    @property
    def is_task(self) -> bool:
        return bool(self.own_task)

    @property
    def starts_from_model(self) -> bool:
        return bool(self.model_title)

    def command(self, values: FormValues) -> RunCommand:
        """The run as it is set, its data not read yet. Raises BertcoreError where a setting cannot be."""
        command = self.make_command(values)
        length = round(values.number) if values.unit == STEPS else values.number
        chosen = {values.unit: length, **values.kept, **values.advanced}
        return replace(command, options=command.options.with_changes(**chosen))

    def check(self, values: FormValues) -> None:
        """Looks at its data, as `check_examples` does. Raises BertcoreError where it is not there or does not fit."""
        if values.place is not None and not values.place.exists():
            raise BertcoreError(say("{file} is not there; choose another file.", file=values.place))
        place = values.place or (sample_folder(values.task) if values.task else None)
        if values.task is not None and place is not None:
            check_examples(values.task, place, values.columns)

    @property
    def options_key(self) -> str:
        """ "finetune" for every task; else the key."""
        return "finetune" if self.is_task else self.key

    def usual_options(self, own: bool) -> Options:
        """What the form leaves as it is; `own`: on a person's own files."""
        if self.is_task:
            batch_size = OWN_BATCH if own else SAMPLE_BATCH
            return FinetuneOptions().with_changes(batch_size=batch_size, max_length=self.max_length)
        if self.key == "distil":
            return DistilOptions()
        return PretrainOptions().with_changes(causal_share=0.0 if self.key == "continue" else None)


def _pretrain(values: FormValues) -> RunCommand:
    return RunCommand(PretrainOptions(name=values.name, preset=values.preset, data=_corpus(values)))


def _continue(values: FormValues) -> RunCommand:
    folder = _with_mlm_head(
        values,
        say("This model has no masked-word (MLM) head, so its pretraining cannot continue; choose another."),
    )
    # It predicts masked words already, so it needs no warm-up on next words.
    training = TrainingOptions(causal_share=0.0)
    return RunCommand(continued(PretrainOptions(name=values.name, data=_corpus(values), training=training), folder))


def _distil(values: FormValues) -> RunCommand:
    folder = _with_mlm_head(
        values,
        say("This model has no masked-word (MLM) head, so it cannot be a teacher; choose another."),
    )
    if read_config(folder).num_hidden_layers < 2:
        raise BertcoreError(say("This teacher has only one layer, so no student can be smaller; choose another."))
    return RunCommand(DistilOptions(name=values.name, teacher=str(folder), data=_corpus(values)))


def _finetune(values: FormValues) -> RunCommand:
    task = values.task
    if task is None:
        raise BertcoreError(say("Choose a sample or a file to learn from."))
    read_config(resolve_model(values.model, download=False))
    place = values.place or sample_folder(task)
    if place is None or (values.place is None and not place.exists()):
        raise BertcoreError(say("The sample of {task} is missing; choose a file of your own.", task=task.name))
    data = TaskDataOptions(
        task=task.name,
        train=str(place.resolve()),
        columns={str(role): column for role, column in values.columns.items()},
        max_length=values.kind.max_length,
    )
    training = TuningOptions(batch_size=SAMPLE_BATCH if values.place is None else OWN_BATCH)
    crf = values.crf and TASK_KINDS[task.kind].takes_crf
    return RunCommand(FinetuneOptions(name=values.name, model=values.model, crf=crf, data=data, training=training))


def _corpus(values: FormValues) -> DataOptions:
    corpus = values.place or sample_corpus()
    if values.place is None and not corpus.exists():
        raise BertcoreError(say("The text file {file} is missing; choose another.", file=corpus))
    return DataOptions(corpus=(str(corpus.resolve()),))


def _with_mlm_head(values: FormValues, otherwise: str) -> Path:
    """The checkpoint to start from. Raises BertcoreError with `otherwise` where it cannot predict words."""
    folder = resolve_model(values.model, download=False).resolve()
    architectures = read_config_values(folder).get("architectures") or ()
    may_be_beside = (folder / "bertscope_heads.safetensors").is_file()
    has_head = any(str(name).endswith(_PREDICT_WORDS) for name in architectures)
    if architectures and not may_be_beside and not has_head:
        raise BertcoreError(otherwise)
    return folder


_FROM = mark("Start from")


def _task(key: str, title: str, sentence: str, max_length: int = 128) -> RunKind:
    return RunKind(key, title, sentence, _finetune, model_title=_FROM, own_task=key, max_length=max_length)


RUN_KINDS = (
    RunKind(
        "pretrain",
        mark("Pretrain"),
        mark("A new model learns a language from plain text, by guessing masked words."),
        _pretrain,
        "stories",
    ),
    RunKind(
        "continue",
        mark("Continue pretraining"),
        mark("A trained model goes on guessing masked words, in more text or a different kind of text."),
        _continue,
        "more stories",
        model_title=_FROM,
    ),
    _task(
        "classify",
        mark("Classify texts"),
        mark("It learns to sort texts into classes: good or bad, right or wrong."),
    ),
    _task(
        "pairs",
        mark("Classify pairs"),
        mark("It learns how two texts relate: do they say the same thing?"),
    ),
    _task(
        "similarity",
        mark("Similarity"),
        mark("It learns to score how similar two texts are."),
    ),
    _task(
        "tag",
        mark("Tag words"),
        mark("It learns to label each word: which is a person, which is a place."),
    ),
    _task(
        "answer",
        mark("Answer questions"),
        mark("It learns to find the answer to a question in a passage."),
        256,
    ),
    _task(
        "choose",
        mark("Multiple choice"),
        mark("It learns to choose the best of several endings."),
    ),
    _task(
        "summarise",
        mark("Summarise"),
        mark("It learns to pick the sentences that sum up a text."),
        512,
    ),
    RunKind(
        "distil",
        mark("Distil"),
        mark("A student with half the layers learns to predict what its teacher predicts."),
        _distil,
        "student",
        model_title=mark("Teacher"),
    ),
)
BY_KEY = {kind.key: kind for kind in RUN_KINDS}


def tasks_of(kind: RunKind) -> tuple[TaskSpec, ...]:
    """The tasks of a kind: the one for a person's own files first, then those with published files."""
    if not kind.is_task:
        return ()
    own = TASKS[kind.own_task]
    group = _group(own)
    return (own, *(spec for spec in TASKS.values() if _group(spec) == group and spec is not own))


def samples_of(kind: RunKind) -> tuple[TaskSpec, ...]:
    """Tasks whose sample files ship with BERTscope: the published ones, and the own one where its files are others."""
    own, *published = tasks_of(kind) or (None,)
    tasks = [spec for spec in published if spec.sample]
    if own is not None and own.sample and own.sample not in {spec.sample for spec in tasks}:
        tasks.append(own)
    return tuple(tasks)


def sample_run_name(spec: TaskSpec) -> str:
    """The sample's name; of tasks that learn other things from the same files, all but the first have their own."""
    first = next(each for each in TASKS.values() if each.sample == spec.sample)
    return str(spec.sample) if spec is first else spec.name


def _group(spec: TaskSpec) -> tuple[str, bool]:
    """Several labels at once are one more way to classify; a second text makes another kind only of that."""
    kind = "classify" if spec.kind == "multilabel" else spec.kind
    return kind, kind == "classify" and spec.is_pair
