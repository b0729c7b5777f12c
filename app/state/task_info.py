"""What the window knows of the task that a model was taught. No torch, no widgets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bertcore.files import read_json_or_empty
from bertcore.tasks.readers.registry import TASKS

if TYPE_CHECKING:
    from bertcore.tasks.readers.spec import TaskSpec

# Measured on held-out examples, by kind of task; the first is the main one where the task names no other.
METRICS: dict[str, tuple[str, ...]] = {
    "classify": ("accuracy", "f1", "f1_macro", "matthews_correlation"),
    "regress": ("spearmanr", "pearson"),
    "multilabel": ("f1_micro", "f1_macro", "accuracy"),
    "tag": ("f1", "precision", "recall", "accuracy"),
    "span": ("f1", "exact_match"),
    "choice": ("accuracy",),
    "summarise": ("rouge2", "rouge1", "rougeL"),
}
METRIC_NAMES = {
    "f1": "F1",
    "f1_macro": "macro F1",
    "f1_micro": "micro F1",
    "matthews_correlation": "Matthews",
    "pearson": "Pearson",
    "spearmanr": "Spearman",
    "mse": "squared error",
    "rouge1": "ROUGE-1",
    "rouge2": "ROUGE-2",
    "rougeL": "ROUGE-L",
    "rougeLsum": "ROUGE-Lsum",
    "has_answer_exact_match": "exact match, answered",
    "has_answer_f1": "F1, answered",
    "no_answer_accuracy": "right to say none",
    "best_exact_match": "exact match, best threshold",
    "best_exact_match_threshold": "threshold for exact match",
    "best_f1": "F1, best threshold",
    "best_f1_threshold": "threshold for F1",
    "mlm_accuracy": "words right",
    "mlm_top5": "in the first five",
    "mlm_loss": "masked-word loss",
}
EVALUATION_FILE = "evaluation.json"
_KIND_WORDS = {
    "classify": "classify",
    "regress": "similarity",
    "multilabel": "several labels",
    "tag": "tag",
    "span": "answer",
    "choice": "choose",
    "summarise": "summarise",
}


@dataclass(frozen=True)
class TaskInfo:
    """A model's task. What stands only in the folder of its run is None, or empty, for a checkpoint from elsewhere."""

    kind: str
    labels: tuple[str, ...] = ()
    title: str = ""
    is_pair: bool | None = None
    number_range: tuple[float, float] | None = None
    measured: tuple[str, float] | None = None  # the main metric on held-out examples


def metric_name(metric: str) -> str:
    """As people write it: "F1", "exact match"."""
    return METRIC_NAMES.get(metric, metric.replace("_", " "))


def metrics_of(spec: TaskSpec) -> tuple[str, ...]:
    """What is measured for a task, the main one first."""
    known = METRICS[spec.kind]
    main = next((name for name in spec.metrics if name in known), known[0])
    return (main, *(name for name in known if name != main))


def spec_of(config: dict[str, Any]) -> TaskSpec | None:
    """The task of a fine-tuning run, by its config.json; None for other runs."""
    data = config.get("data")
    name = data.get("task") if isinstance(data, dict) else None
    return TASKS.get(name) if config.get("kind") == "finetune" and isinstance(name, str) else None


def kind_words(config: dict[str, Any]) -> str:
    """What a run does, in a word: "pretrain", "classify", "tag + CRF", "distil"."""
    spec = spec_of(config)
    if spec is None:
        is_on = config.get("kind", "pretrain") == "pretrain" and config.get("start")
        return "continue" if is_on else str(config.get("kind", "pretrain"))
    word = "pairs" if spec.kind == "classify" and spec.is_pair else _KIND_WORDS[spec.kind]
    return f"{word} + CRF" if config.get("crf") else word


def task_info(
    kind: str, labels: tuple[str, ...], folder: Path, number_range: tuple[float, float] | None = None
) -> TaskInfo:
    """What a checkpoint was taught: what it says itself, and what its run's folder says, where it lies in one."""
    run = folder.resolve().parent.parent
    spec = spec_of(read_json_or_empty(run / "config.json"))
    if spec is None or spec.kind != kind:
        return TaskInfo(kind, labels, number_range=number_range)
    is_pair = spec.is_pair if kind in ("classify", "regress", "multilabel") else None
    limits = spec.number_range or number_range
    return TaskInfo(kind, labels, spec.title, is_pair, limits, _measured(run, metrics_of(spec)))


def _measured(run: Path, metrics: tuple[str, ...]) -> tuple[str, float] | None:
    found = read_json_or_empty(run / EVALUATION_FILE).get("metrics")
    values = found if isinstance(found, dict) else {}
    return next(((name, float(values[name])) for name in metrics if isinstance(values.get(name), int | float)), None)
