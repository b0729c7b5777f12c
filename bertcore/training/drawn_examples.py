"""Any step's batch of a fine-tuning run, drawn again: it follows from the seed, the step and the file alone. And what
a checkpoint makes of it: its answers beside the right ones, and where they are read off.

    batches = open_examples(run)
    drawn = batches.at(12)                      ids, labels, what was cut
    example_answers(model, drawn, token)        answers, losses

Pretraining and distillation: drawn_batches.py.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.checkpoint.config_file import read_config
from bertcore.model.bert import Bert
from bertcore.model.torch_parts import evaluation_mode
from bertcore.progress import ReportProgress
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.sources import changed_since
from bertcore.tasks.batches import TaskBatches
from bertcore.tasks.kinds.base import Features, ScoredUnit, TaskBatch, UnitAnswer
from bertcore.tasks.predict import batch_logits, unit_losses
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.redrawing import Drawn, check_first_batch, newest_snapshot, refuse_step, training_states
from bertcore.training.task_examples import read_examples
from bertcore.training.task_files import data_key, training_batches


@dataclass(frozen=True, eq=False)
class DrawnExamples(Drawn):
    """B sequences of S tokens, of U units: examples, windows of a passage, or questions with all their endings.

    `batch` is what was trained on, as one part. `units` (U) and `sequences` (B): their numbers in `features`, which
    are those of all examples. `segments` (B,S) also where the model has none.
    """

    epoch: int  # passes over the examples before this one
    batch: TaskBatch
    features: Features
    units: NDArray[np.int64]
    sequences: NDArray[np.int64]
    segments: NDArray[np.int64]

    @property
    def examples(self) -> NDArray[np.int64]:
        """(B): the example that a sequence is of, from 0, in the order of what is learned from."""
        return self.features.example_of[self.sequences]

    @property
    def cut(self) -> NDArray[np.int64]:
        """(B): tokens that a sequence had no room for."""
        return self.features.cut[self.sequences]

    @property
    def rows(self) -> list[range]:
        """The sequences of each unit, as rows of the batch."""
        starts = self.features.unit_starts
        ends = np.cumsum(starts[self.units + 1] - starts[self.units]).tolist()
        return [range(first, end) for first, end in zip([0, *ends[:-1]], ends, strict=True)]


class ExampleBatches:
    """The batches of one fine-tuning run."""

    def __init__(self, run: RunFolder, options: FinetuneOptions, tokenizer: Tokenizer, batches: TaskBatches) -> None:
        self.run, self.options, self.tokenizer, self.batches = run, options, tokenizer, batches

    def at(self, step: int) -> DrawnExamples:
        """The batch of a step, counted from 1. Raises BertcoreError for one that the run has not taken yet."""
        refuse_step(step, self.run.status().step)
        return self.draw(step)

    def model_at(self, snapshot: tuple[int, Path]) -> Bert:
        return load_checkpoint(snapshot[1]).model

    def draw(self, step: int) -> DrawnExamples:
        """The batch of any step, taken or not."""
        (epoch, units), features = self.batches.of_step(step), self.batches.features
        sequences = features.sequences_of(units)
        batch = self.batches.batch(units)
        is_padding = np.arange(batch.input_ids.shape[1]) >= features.ids.lengths_of(sequences)[:, None]
        segments = features.segments.padded(sequences, 0)
        return DrawnExamples(step, is_padding, batch, epoch, features, units, sequences, segments)


def open_examples(run: str | Path, progress: ReportProgress = lambda share: None) -> ExampleBatches:
    """The batches of a fine-tuning run. Raises BertcoreError where they cannot be drawn again."""
    folder = RunFolder(Path(run))
    options = FinetuneOptions.from_dict(folder.config())
    newest = newest_snapshot(folder)
    progress(0.0)
    train, dev = read_examples(options)
    tokenizer = Tokenizer.from_folder(newest)
    states = training_states(folder)
    if states and states[-1].corpus_key != data_key(train, dev, tokenizer):
        raise changed_since(folder.path)
    progress(0.2)
    batches = ExampleBatches(
        folder, options, tokenizer, training_batches(options, train, tokenizer, read_config(newest))
    )
    check_first_batch(folder, batches.draw)
    return batches


def label_counts(features: Features, units: NDArray[np.int64] | None = None) -> dict[str, int]:
    """How often each right answer occurs, in these units or in all; empty where answers are numbers.

    By the names of `TaskKind.answer_numbers`.
    """
    names, numbers = features.kind.answer_numbers(features, np.arange(features.units) if units is None else units)
    counts = np.bincount(numbers[numbers >= 0].astype(np.int64), minlength=len(names))
    return dict(zip(names, counts.tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class BatchAnswers:
    """`loss` is what training minimises, the mean over what is counted; `losses` (B,S) are those of the places, NaN
    elsewhere."""

    loss: float
    units: tuple[UnitAnswer, ...]
    losses: NDArray[np.float32]

    @property
    def right(self) -> int | None:
        """How many units are wholly right; None for numbers."""
        found = [unit.is_right for unit in self.units]
        return None if None in found else sum(map(bool, found))


@torch.inference_mode()
def example_answers(model: Bert, drawn: DrawnExamples, token: Callable[[int], str]) -> BatchAnswers:
    """In fp32 and without dropout; `token` is how a token id is written."""
    features, kind = drawn.features, drawn.features.kind
    with evaluation_mode(model):
        found = batch_logits(model, drawn.batch)
        loss = float(kind.loss(model, found, drawn.batch))
    logits = kind.split(features, drawn.units, found.double().numpy())
    units = [
        kind.unit_answer(features, ScoredUnit(unit, row, of_labels, model.crf, token)).moved(rows.start)
        for unit, row, of_labels, rows in zip(
            drawn.units.tolist(), logits, unit_losses(features, drawn.units, logits), drawn.rows, strict=True
        )
    ]
    losses = np.full(drawn.ids.shape, np.nan, dtype=np.float32)
    for place in (place for unit in units for place in unit.places):
        before = losses[place.row, place.position]  # an answer of one token begins and ends at it
        losses[place.row, place.position] = place.loss if np.isnan(before) else (before + place.loss) / 2
    return BatchAnswers(loss, tuple(units), losses)
