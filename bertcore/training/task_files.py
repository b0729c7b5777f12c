"""A checkpoint on the file of a task: predicting and measuring as its own run did."""

import hashlib
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.config import BertConfig
from bertcore.errors import BertcoreError
from bertcore.files import read_json_or_empty
from bertcore.locations import ABOUT_FILE
from bertcore.progress import ReportProgress
from bertcore.runs.known_runs import run_around
from bertcore.runs.run_folder import RunFolder
from bertcore.tasks.batches import TaskBatches
from bertcore.tasks.kinds import TASK_KINDS, make_features
from bertcore.tasks.kinds.base import USUAL, Decoding, Example, Prediction
from bertcore.tasks.predict import (
    PassageWindows,
    TaskEvaluation,
    evaluate_task,
    labels_of,
    predict,
    reading_batches,
    required_kind,
    task_kind,
)
from bertcore.tasks.readers.reading import TaskFile, read_task, task_named
from bertcore.tasks.spec import Role
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions
from bertcore.training.task_examples import with_answers


def examples_of_file(
    checkpoint: Checkpoint, file: str, task: str | None, columns: Mapping[Role, str]
) -> Sequence[Example]:
    """As the model's own run reads them; else laid out as `task`, or as files for its kind of task usually are.

    Raises BertcoreError where the file does not fit, or the model was not fine-tuned on a task.
    """
    kind, learned = TASK_KINDS[required_kind(checkpoint)], data_of_run(checkpoint.folder)
    if learned is not None and task in (None, learned.task):
        own = {role: name for role, name in learned.columns.items() if role != "label"}  # the file may have none
        return read_task(learned.task, file, "test", cast(Mapping[Role, str], {**own, **columns})).examples
    usual, *others = (spec.name for spec in kind.tasks)
    for name in others if task is None else ():  # pairs, where the file has them
        with suppress(BertcoreError):
            return read_task(name, file, "test", columns).examples
    return read_task(task or usual, file, "test", columns).examples


def training_batches(
    options: FinetuneOptions, train: TaskFile, tokenizer: Tokenizer, config: BertConfig
) -> TaskBatches:
    """What a run on these examples reads, epoch after epoch."""
    data, training = options.data, options.training
    features = make_features(
        task_named(data.task).kind,
        train.examples,
        tokenizer,
        train.labels,
        max_length=min(data.max_length, config.max_length),
        crf=options.crf,
        stride=data.stride,
        need_answers=True,
    )
    has_segments = config.type_vocab_size > 1
    return TaskBatches(features, training.batch_size, tokenizer.pad_id, training.seed, segments=has_segments)


def data_key(train: TaskFile, dev: TaskFile, tokenizer: Tokenizer) -> str:
    """Changes with any example, the labels or the vocabulary.

    A field that an example gets one day may only count where it is not its default: the key of a run that has begun
    must not change.
    """
    digest = hashlib.sha256(tokenizer.raw.to_str().encode())
    for file in (train, dev):
        digest.update(repr((file.labels, file.examples)).encode("utf-8", "replace"))
    return digest.hexdigest()[:32]


def evaluate_file(
    checkpoint: Checkpoint, task: str, path: str, columns: Mapping[Any, str], decoding: Decoding = USUAL
) -> TaskEvaluation:
    """A fine-tuned checkpoint on a task's held-out file (or a folder's dev part).

    A snapshot of a run on this task reads it as its run does: the same columns and windows.
    Raises BertcoreError where the file does not fit the task, or the checkpoint has no head or other labels for it.
    """
    spec, labels = task_named(task), labels_of(checkpoint)
    if task_kind(checkpoint) != spec.kind:
        raise BertcoreError(f"The model {checkpoint.name} was not fine-tuned on {spec.name}; open one that was.")
    data = data_of_run(checkpoint.folder)
    own = data.columns if data is not None and data.task == task else {}
    read_as = {**cast(Mapping[Role, str], own), **columns}
    file = with_answers(spec, read_task(spec, path, "dev", read_as, labels))
    if file.labels and file.labels != labels:
        raise BertcoreError(
            f"The model {checkpoint.name} chooses from {', '.join(labels)}; {spec.name} has {', '.join(file.labels)}."
        )
    if lacks := TASK_KINDS[spec.kind].lacks():
        warnings.warn(lacks, stacklevel=3)
    windows = passage_windows(data)
    batches = reading_batches(checkpoint.model, checkpoint.tokenizer, file.examples, windows, need_answers=True)
    return evaluate_task(checkpoint.model, batches, decoding)


def predict_as_learned(
    checkpoint: Checkpoint, examples: Sequence[Example], progress: ReportProgress | None = None, **how: Any
) -> list[Prediction]:
    """As `predict`, with passages in the windows of the model's own run."""
    return predict(checkpoint, examples, progress, windows=passage_windows(data_of_run(checkpoint.folder)), **how)


def passage_windows(data: TaskDataOptions | None) -> PassageWindows | None:
    """Those of a run with this data; None: whatever is usual."""
    return None if data is None else PassageWindows(data.max_length, data.stride)


def data_of_run(folder: Path | None) -> TaskDataOptions | None:
    """How the fine-tuning run that a snapshot is in reads its examples, or that of a model that ships; else None."""
    run = run_around(folder)
    try:
        if run is not None:
            return FinetuneOptions.from_dict(RunFolder(run).config()).data
        data = None if folder is None else read_json_or_empty(folder / ABOUT_FILE).get("data")
        return None if data is None else TaskDataOptions.from_table(data, "data")
    except BertcoreError:  # it learned something else
        return None
