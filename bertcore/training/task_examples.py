"""What a fine-tuning run learns from, and what it holds out. Imports no torch."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np

from bertcore.errors import BertcoreError
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tasks.kinds.base import Example
from bertcore.tasks.readers.reading import TaskFile, find_file, read_task, task_named
from bertcore.tasks.spec import Role, TaskSpec
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.options import HELD_OUT_SEED


def read_examples(options: FinetuneOptions) -> tuple[TaskFile, TaskFile]:
    """The examples to learn from and those held out: the dev file, or some of the training file, always the same."""
    data = options.data
    spec = task_named(data.task)
    columns = cast(Mapping[Role, str], data.columns)
    train = with_answers(spec, read_task(spec, data.train, "train", columns))
    if data.max_examples is not None:
        train = replace(train, examples=train.examples[: data.max_examples])
    try:
        place = (
            Path(data.dev) if data.dev else find_file(spec, data.train, "dev") if Path(data.train).is_dir() else None
        )
    except BertcoreError:
        place = None
    if place is not None:
        dev = with_answers(spec, read_task(spec, place, "dev", columns, train.labels))
        return train, replace(dev, examples=sample(dev.examples, data.max_held_out))
    count = round(data.dev_share * len(train.examples))
    if count < 2 or len(train.examples) - count < 2:
        raise BertcoreError(
            f"The file {train.file} has {len(train.examples)} examples, too few to hold some out; "
            "name a held-out file with --dev."
        )
    chosen = set(np.random.default_rng(HELD_OUT_SEED).permutation(len(train.examples))[:count].tolist())
    sides = [tuple(each for at, each in enumerate(train.examples) if (at in chosen) == side) for side in (False, True)]
    held_out = sample(sides[1], data.max_held_out)
    return replace(train, examples=sides[0]), replace(train, split="dev", examples=held_out)


def sample(examples: Sequence[Example], count: int | None) -> tuple[Example, ...]:
    """So many of the examples at most, in their order; always the same ones. None: all."""
    if count is None or count >= len(examples):
        return tuple(examples)
    chosen = np.random.default_rng(HELD_OUT_SEED).permutation(len(examples))[:count]
    return tuple(examples[at] for at in sorted(chosen.tolist()))


def with_answers(spec: TaskSpec, file: TaskFile) -> TaskFile:
    """With those answers that are first to be found in what the file says."""
    return replace(file, examples=tuple(map(TASK_KINDS[spec.kind].labelled, file.examples)))
