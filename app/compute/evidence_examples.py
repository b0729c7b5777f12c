"""What the room Evidence asks about labelled examples: which are right, where the model does worse, what flips one.

Importable without torch. M examples, K labels.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bertcore.errors import BertcoreError
from bertcore.files import read_bytes
from bertcore.locations import built_in_checkpoint
from bertcore.progress import ReportProgress

from ..look.say import say
from .evidence import Gathered, Kept

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.evidence.examples import AnsweredExamples, Flip, Slice, Threshold
    from bertcore.evidence.intervals import Interval

MOST_LABELS = 24  # of a confusion matrix


@dataclass(frozen=True)
class ExampleRow:
    number: int
    text: str
    right: str
    given: str
    confidence: float  # NaN where the answer has none
    is_right: bool
    loss: float


@dataclass(frozen=True, eq=False)
class FoundExamples:
    name: str
    sha256: str
    rows: Sequence[ExampleRow]  # (M)
    right: Interval
    always: str  # the answer that is right most often ...
    always_right: float  # ... and how often it is
    labels: Sequence[str]  # (K); none where there are too many to be crossed
    confusion: NDArray[np.int64]  # (K,K) rows: the right one, columns: the answer
    slices: Sequence[Slice]
    thresholds: Mapping[str, Threshold]  # by label; none where answers have no probabilities


def _answered(checkpoint: Checkpoint, gathered: Gathered, kept: Kept, progress: ReportProgress) -> AnsweredExamples:
    from bertcore.evidence.examples import AnsweredExamples
    from bertcore.evidence.scoring import TaskExamples
    from bertcore.tasks.kinds import TASK_KINDS
    from bertcore.tasks.predict import required_kind
    from bertcore.tasks.readers.reading import sample_folder, task_named
    from bertcore.training.task_files import data_of_run, examples_of_file

    def find() -> AnsweredExamples:
        kind, file = TASK_KINDS[required_kind(checkpoint)], gathered.collection.file
        if file is None:
            learned = data_of_run(checkpoint.folder)
            folder = sample_folder(kind.tasks[0] if learned is None else task_named(learned.task))
            file = next(iter(sorted(folder.glob("dev.*"))), None) if folder is not None else None
            if file is None:
                raise BertcoreError(say("No sample ships for the task of this model; open a file of examples."))
        examples = examples_of_file(checkpoint, str(file), None, {})
        digest = hashlib.sha256(read_bytes(file)).hexdigest()
        scored = TaskExamples(checkpoint, examples, file.name, digest)
        return AnsweredExamples(scored, scored.answers(progress=progress))

    return kept.get(checkpoint, (gathered, "answered"), find)


def examples_of(checkpoint: Checkpoint, gathered: Gathered, kept: Kept, progress: ReportProgress) -> FoundExamples:
    """Raises BertcoreError for a model without a task, and for a file that does not fit its task."""
    from bertcore.evidence.intervals import share_interval

    answered = _answered(checkpoint, gathered, kept, progress)
    given = answered.rows()
    rows = [
        ExampleRow(*(row[name] for name in ("example", "text", "right", "given", "confidence", "is_right", "loss")))
        for row in given
    ]
    counts = Counter(row.right for row in rows)
    labels = sorted(counts | Counter(row.given for row in rows))
    labels = labels if len(labels) <= MOST_LABELS else []
    confusion = np.zeros((len(labels), len(labels)), dtype=np.int64)
    for row in rows if labels else ():
        confusion[labels.index(row.right), labels.index(row.given)] += 1
    has_probabilities = bool(answered.answers.likely) and bool(labels)
    thresholds = {label: answered.threshold(label) for label in labels if has_probabilities and counts[label]}
    always, often = counts.most_common(1)[0]
    scored, is_right = answered.scored, share_interval(sum(row.is_right for row in rows), len(rows))
    majority = always, often / len(rows)
    about = scored.name, scored.sha256, rows, is_right
    return FoundExamples(*about, *majority, labels, confusion, answered.slices(), thresholds)


def flips_of(
    checkpoint: Checkpoint, gathered: Gathered, number: int, kept: Kept, progress: ReportProgress
) -> Sequence[Flip]:
    """Changes of one word that change the answer to an example (`evidence.examples.flips`).

    Words are guessed by the model itself, or by the built-in one where it guesses none.
    """
    from bertcore.checkpoint.checkpoint import load_checkpoint
    from bertcore.evidence.examples import flips

    answered, guesses = _answered(checkpoint, gathered, kept, progress), checkpoint
    if "mlm" in checkpoint.missing:
        guesses = kept.get(checkpoint, "guesses", lambda: load_checkpoint(built_in_checkpoint()))
    return flips(checkpoint, answered.scored.rows[number], guesses, progress)
