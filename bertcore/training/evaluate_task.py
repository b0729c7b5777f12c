"""How well a model does a task on held-out examples: loss, metrics, confusion, and the best and worst examples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from bertcore.model.losses import TaskBatch
from bertcore.runs.registry import run_around
from bertcore.runs.run_folder import RunFolder
from bertcore.tasks.features.collate import TaskBatches
from bertcore.tasks.features.decode import DecodeSettings, Outputs, decode
from bertcore.tasks.features.example_losses import example_losses
from bertcore.tasks.features.kinds import Features
from bertcore.tasks.features.make import make_features
from bertcore.tasks.features.predictions import AnswerPrediction, Prediction, gold_answers
from bertcore.tasks.metrics import confusion, measure, ranked
from bertcore.tasks.readers.reading import read_task, task_named
from bertcore.tasks.readers.spec import Role
from bertcore.tasks.squad_metrics import best_thresholds
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions
from bertcore.training.task_examples import with_answers

EXAMPLES_SHOWN = 8
Step = Callable[[float], object]  # share done, 0..1; may raise to end the work
_SHORT = 600  # characters of an example that are written down


@dataclass(frozen=True)
class TaskEvaluation:
    loss: float  # mean over the examples
    metrics: dict[str, float]
    labels: tuple[str, ...]
    confusion: list[list[int]] | None  # rows: right labels, columns: given ones; None where there are no labels
    best: list[dict[str, Any]]  # examples with the lowest loss, and what was said of them
    worst: list[dict[str, Any]]


def evaluate_task(model: Bert, batches: TaskBatches, device: torch.device) -> TaskEvaluation:
    """Measure on all examples of `batches`, whose answers have to be known."""
    features = batches.features
    outputs = run_task(model, batches, device)
    predictions = decode(features, outputs, settings_for(model))
    gold, given = gold_answers(features.examples), [prediction.answer for prediction in predictions]
    losses, metrics = example_losses(features, outputs), measure(features.kind, gold, given, features.labels)
    if features.kind == "span" and not all(gold):
        metrics |= _best_thresholds(features, outputs, gold)
    has_table = features.kind in ("classify", "tag") and bool(features.labels)
    best, worst = ranked(losses, EXAMPLES_SHOWN)
    return TaskEvaluation(
        loss=float(np.nanmean(losses)),
        metrics={name: float(value) for name, value in metrics.items()},
        labels=features.labels,
        confusion=confusion(gold, given, features.labels).tolist() if has_table else None,
        best=[_described(features, predictions, gold, losses, at) for at in best],
        worst=[_described(features, predictions, gold, losses, at) for at in worst],
    )


@torch.no_grad()
def run_task(
    model: Bert, batches: TaskBatches, device: torch.device, step: Step | None = None
) -> list[tuple[NDArray[np.int64], NDArray]]:
    """The units of each batch with the head's logits for them, in evaluation mode; `step` is told before each one."""
    was_training = model.training
    model.eval()
    plain = TaskBatches(
        batches.features, batches.batch_size, batches.pad_id, segments=model.config.type_vocab_size > 1, shuffle=False
    )
    found = []
    order = list(plain.order())
    try:
        for number, units in enumerate(order):
            if step is not None:
                step(number / len(order))
            logits = task_logits(model, plain.batch(units), batches.features.head, device)
            found.append((units, logits.float().cpu().numpy()))
    finally:
        model.train(was_training)
    return found


def task_logits(model: Bert, batch: TaskBatch, head: str, device: torch.device) -> torch.Tensor:
    """Logits of the head: (B,K), (B/C,C), (B,S,K), (B,S,2), or (R) for the sentences of a summary."""
    ids, segments, mask = (
        None if x is None else x.to(device) for x in (batch.input_ids, batch.segment_ids, batch.attention_mask)
    )
    hidden = model(ids, segments, mask)  # (B,S,H)
    if head == "classify":
        return model.classify_logits(hidden[:, 0])
    if head == "choice":
        return model.choice_logits(hidden[:, 0], batch.choices)
    if head in ("tag", "crf"):
        return model.tag_logits(hidden)
    if head == "span":
        start, end = model.span_logits(hidden)
        return torch.stack([start, end], dim=-1)
    if head == "summarise":
        return model.sentence_logits(hidden.flatten(0, 1)[batch.rows[head].to(device)])
    raise ValueError(f"{head} is no head of a task")


def settings_for(model: Bert) -> DecodeSettings:
    """How this model's scores become answers: by the CRF if it has one, with "no answer" if it learned to say so."""
    device, crf = model.embeddings.token.weight.device, model.crf
    return DecodeSettings(
        best_tags=None if crf is None else lambda scores, mask: crf.decode(scores.to(device), mask.to(device)),
        tag_shares=None if crf is None else lambda scores, mask: crf.marginals(scores.to(device), mask.to(device)),
        no_answer_above=0.0 if model.config.no_answer else None,
    )


def _best_thresholds(features: Features, outputs: Outputs, gold: list[Any]) -> dict[str, float]:
    """Where some questions have no answer: what the best threshold for saying so would reach."""
    always = cast(list[AnswerPrediction], decode(features, outputs))  # an answer to every question
    leads = [prediction.no_answer_score - prediction.score for prediction in always]
    return best_thresholds(gold, [prediction.text for prediction in always], leads)


def _described(
    features: Features, predictions: list[Prediction], gold: list[Any], losses: NDArray[np.float64], at: int
) -> dict[str, Any]:
    example = {name: _short(value) for name, value in asdict(features.examples[at]).items() if value not in (None, ())}
    return {"example": example, "right": gold[at], "given": predictions[at].answer, "loss": round(float(losses[at]), 4)}


def _short(value: Any) -> Any:
    return value[:_SHORT] + " ..." if isinstance(value, str) and len(value) > _SHORT else value


def evaluate_file(checkpoint: Checkpoint, task: str, path: str, columns: Mapping[Any, str]) -> TaskEvaluation:
    """A fine-tuned checkpoint on a task's held-out file (or a folder's dev part).

    A snapshot of a run on this task reads it as its run does: the same columns, lengths and windows.
    Raises BertcoreError where the file does not fit the task, or the checkpoint has no head or other labels for it.
    """
    from bertcore.analysis.apply import BATCH_SIZE, STRIDE, labels_of, task_kind

    spec, labels = task_named(task), labels_of(checkpoint)
    if task_kind(checkpoint) != spec.kind:
        raise BertcoreError(f"The model {checkpoint.name} was not taught {spec.name}; open one that was.")
    length = checkpoint.config.max_length
    data = data_of_run(checkpoint.folder)
    if data is None or data.task != task:
        data = TaskDataOptions(max_length=length, stride=min(STRIDE, length // 4))
    read_as = {**cast(Mapping[Role, str], data.columns), **columns}
    file = with_answers(spec, read_task(spec, path, "dev", read_as, labels))
    if file.labels and file.labels != labels:
        raise BertcoreError(
            f"The model {checkpoint.name} chooses from {', '.join(labels)}; {spec.name} has {', '.join(file.labels)}."
        )
    features = make_features(
        spec.kind,
        file.examples,
        checkpoint.tokenizer,
        labels,
        max_length=min(data.max_length, length),
        crf="crf" in checkpoint.tasks,
        doc_stride=data.stride,
        need_answers=True,
    )
    batches = TaskBatches(features, BATCH_SIZE, checkpoint.tokenizer.pad_id, shuffle=False)
    return evaluate_task(checkpoint.model, batches, checkpoint.model.embeddings.token.weight.device)


def data_of_run(folder: Path) -> TaskDataOptions | None:
    """How the fine-tuning run that a snapshot lies in reads its examples; None elsewhere."""
    run = run_around(folder)
    try:
        return None if run is None else FinetuneOptions.from_dict(RunFolder(run).config()).data
    except BertcoreError:  # it learned something else
        return None
