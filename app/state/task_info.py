"""What the window knows of the task that a model was taught. No torch, no widgets."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication

from bertcore.files import read_json_or_empty
from bertcore.tasks.readers.registry import TASKS, metrics_of
from bertcore.tasks.spec import TaskSpec

from ..look import numbers
from ..look.language import QT_TRANSLATE_NOOP

METRIC_NAMES: dict[str, str] = {
    "accuracy": QT_TRANSLATE_NOOP("Metric", "accuracy"),
    "precision": QT_TRANSLATE_NOOP("Metric", "precision"),
    "recall": QT_TRANSLATE_NOOP("Metric", "recall"),
    "exact_match": QT_TRANSLATE_NOOP("Metric", "exact match"),
    "f1": QT_TRANSLATE_NOOP("Metric", "F1"),
    "f1_macro": QT_TRANSLATE_NOOP("Metric", "macro F1"),
    "f1_micro": QT_TRANSLATE_NOOP("Metric", "micro F1"),
    "matthews_correlation": QT_TRANSLATE_NOOP("Metric", "Matthews"),
    "pearson": QT_TRANSLATE_NOOP("Metric", "Pearson"),
    "spearmanr": QT_TRANSLATE_NOOP("Metric", "Spearman"),
    "mse": QT_TRANSLATE_NOOP("Metric", "squared error"),
    "rouge1": QT_TRANSLATE_NOOP("Metric", "ROUGE-1"),
    "rouge2": QT_TRANSLATE_NOOP("Metric", "ROUGE-2"),
    "rougeL": QT_TRANSLATE_NOOP("Metric", "ROUGE-L"),
    "rougeLsum": QT_TRANSLATE_NOOP("Metric", "ROUGE-Lsum"),
    "has_answer_exact_match": QT_TRANSLATE_NOOP("Metric", "exact match, answered"),
    "has_answer_f1": QT_TRANSLATE_NOOP("Metric", "F1, answered"),
    "no_answer_accuracy": QT_TRANSLATE_NOOP("Metric", "correct “no answer”"),
    "best_exact_match": QT_TRANSLATE_NOOP("Metric", "exact match, best threshold"),
    "best_exact_match_threshold": QT_TRANSLATE_NOOP("Metric", "threshold for exact match"),
    "best_f1": QT_TRANSLATE_NOOP("Metric", "F1, best threshold"),
    "best_f1_threshold": QT_TRANSLATE_NOOP("Metric", "threshold for F1"),
    "mlm_accuracy": QT_TRANSLATE_NOOP("Metric", "words correct"),
    "mlm_top5": QT_TRANSLATE_NOOP("Metric", "in the top five"),
    "mlm_loss": QT_TRANSLATE_NOOP("Metric", "masked-word loss"),
}
SHARES = (  # of examples or words: in percent; others, such as F1, are no share of anything
    *("accuracy", "exact_match", "has_answer_exact_match", "no_answer_accuracy", "best_exact_match"),
    *("mlm_accuracy", "mlm_top5"),
)
EVALUATION_FILE, ABOUT_FILE = "evaluation.json", "bertscope.json"  # of a run, of a checkpoint
_KIND_WORDS: dict[str, str] = {  # what a run does, in a word
    "classify": QT_TRANSLATE_NOOP("TaskKind", "classify"),
    "regress": QT_TRANSLATE_NOOP("TaskKind", "similarity"),
    "multilabel": QT_TRANSLATE_NOOP("TaskKind", "several labels"),
    "tag": QT_TRANSLATE_NOOP("TaskKind", "tag"),
    "span": QT_TRANSLATE_NOOP("TaskKind", "answer"),
    "choice": QT_TRANSLATE_NOOP("TaskKind", "choose"),
    "summarise": QT_TRANSLATE_NOOP("TaskKind", "summarise"),
    "pairs": QT_TRANSLATE_NOOP("TaskKind", "pairs"),
    "pretrain": QT_TRANSLATE_NOOP("TaskKind", "pretrain"),
    "continue": QT_TRANSLATE_NOOP("TaskKind", "continue"),
    "distil": QT_TRANSLATE_NOOP("TaskKind", "distil"),
    "finetune": QT_TRANSLATE_NOOP("TaskKind", "fine-tune"),
}
TASK_TITLES: dict[str, str] = {  # the engine's titles of its tasks, for translators
    "sst2": QT_TRANSLATE_NOOP("Task", "Sentiment of a sentence (SST-2)"),
    "cola": QT_TRANSLATE_NOOP("Task", "Is the sentence acceptable English? (CoLA)"),
    "mrpc": QT_TRANSLATE_NOOP("Task", "Do two sentences mean the same? (MRPC)"),
    "qqp": QT_TRANSLATE_NOOP("Task", "Do two questions mean the same? (QQP)"),
    "stsb": QT_TRANSLATE_NOOP("Task", "How similar are two sentences, 0 to 5? (STS-B)"),
    "mnli": QT_TRANSLATE_NOOP("Task", "Does B follow from A, or contradict it? (MNLI)"),
    "qnli": QT_TRANSLATE_NOOP("Task", "Does the sentence answer the question? (QNLI)"),
    "rte": QT_TRANSLATE_NOOP("Task", "Does B follow from A? (RTE)"),
    "wnli": QT_TRANSLATE_NOOP("Task", "Who does the pronoun refer to? (WNLI)"),
    "conll2003": QT_TRANSLATE_NOOP("Task", "Names in a sentence (CoNLL-2003)"),
    "conll2003-pos": QT_TRANSLATE_NOOP("Task", "Parts of speech (CoNLL-2003)"),
    "conll2003-chunk": QT_TRANSLATE_NOOP("Task", "Phrases in a sentence (CoNLL-2003)"),
    "squad": QT_TRANSLATE_NOOP("Task", "The answer in a passage (SQuAD 1.1)"),
    "squad2": QT_TRANSLATE_NOOP("Task", "The answer in a passage, if it has one (SQuAD 2.0)"),
    "swag": QT_TRANSLATE_NOOP("Task", "What happens next? (SWAG)"),
    "commonsenseqa": QT_TRANSLATE_NOOP("Task", "Choose the right answer (CommonsenseQA)"),
    "summaries": QT_TRANSLATE_NOOP("Task", "The sentences that sum up a text"),
    "classify": QT_TRANSLATE_NOOP("Task", "Classify texts"),
    "pairs": QT_TRANSLATE_NOOP("Task", "Classify pairs of texts"),
    "similarity": QT_TRANSLATE_NOOP("Task", "Score pairs of texts"),
    "multilabel": QT_TRANSLATE_NOOP("Task", "Give texts several labels at once"),
    "tag": QT_TRANSLATE_NOOP("Task", "Tag the words in a text"),
    "answer": QT_TRANSLATE_NOOP("Task", "Find the answer in a passage"),
    "choose": QT_TRANSLATE_NOOP("Task", "Choose the best ending"),
    "summarise": QT_TRANSLATE_NOOP("Task", "Pick the sentences that sum up a text"),
}


@dataclass(frozen=True)
class TaskInfo:
    """A model's task. What only its run or `bertscope.json` says is None, or empty, for one from elsewhere."""

    kind: str
    labels: tuple[str, ...] = ()
    title: str = ""
    is_pair: bool | None = None
    number_range: tuple[float, float] | None = None
    measured: tuple[str, float] | None = None  # the main metric on held-out examples


def metric_name(metric: str) -> str:
    """As people write it: "F1", "exact match"."""
    name = METRIC_NAMES.get(metric)
    return QCoreApplication.translate("Metric", name) if name else metric.replace("_", " ")


def metric_value(metric: str, value: float | None) -> str:
    """As the whole window writes it: "78.6%" of a share, "0.786" of any other."""
    return numbers.percent(value, 1) if metric in SHARES else numbers.decimal(value, 3)


@cache
def metric_form(metric: str) -> Callable[[float | None], str]:
    """`metric_value` of one metric; the same function each time, so that what holds it can be compared."""
    return partial(metric_value, metric)


def task_title(spec: TaskSpec) -> str:
    """What one learns with a task: "Classify texts"."""
    return QCoreApplication.translate("Task", TASK_TITLES.get(spec.name, spec.title))


def spec_of(config: dict[str, Any]) -> TaskSpec | None:
    """The task of a fine-tuning run, by its config.json; None for other runs."""
    data = config.get("data")
    name = data.get("task") if isinstance(data, dict) else None
    return TASKS.get(name) if config.get("kind") == "finetune" and isinstance(name, str) else None


def kind_words(config: dict[str, Any]) -> str:
    """What a run does, in a word: "pretrain", "classify", "tag + CRF", "distil"."""
    spec = spec_of(config)
    key: str = str(config.get("kind", "pretrain"))
    if spec is not None:
        key = "pairs" if spec.kind == "classify" and spec.is_pair else spec.kind
    elif key == "pretrain" and config.get("start"):
        key = "continue"
    word = QCoreApplication.translate("TaskKind", _KIND_WORDS.get(key, key))
    return f"{word} + CRF" if spec is not None and config.get("crf") else word


def task_info(
    kind: str, labels: tuple[str, ...], folder: Path, number_range: tuple[float, float] | None = None
) -> TaskInfo:
    """What a checkpoint was fine-tuned for: by its own files, and by those of its run, if it is a snapshot of one."""
    run = folder.resolve().parent.parent
    spec = spec_of(read_json_or_empty(run / "config.json"))
    measured = run / EVALUATION_FILE
    if spec is None:
        measured = folder / ABOUT_FILE
        spec = spec_of({**read_json_or_empty(measured), "kind": "finetune"})
    if spec is None or spec.kind != kind:
        return TaskInfo(kind, labels, number_range=number_range)
    is_pair = spec.is_pair if kind in ("classify", "regress", "multilabel") else None
    limits = spec.number_range or number_range
    return TaskInfo(kind, labels, task_title(spec), is_pair, limits, _measured(measured, metrics_of(spec)))


def _measured(file: Path, metrics: tuple[str, ...]) -> tuple[str, float] | None:
    metrics_in_file = read_json_or_empty(file).get("metrics")
    values = metrics_in_file if isinstance(metrics_in_file, dict) else {}
    return next(((name, float(values[name])) for name in metrics if isinstance(values.get(name), int | float)), None)
