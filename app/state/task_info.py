"""What the window knows of the task that a model was taught. No torch, no widgets."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from bertcore.evidence.intervals import share_interval
from bertcore.files import read_json_or_empty
from bertcore.tasks.readers.reading import TASKS, metrics_of
from bertcore.tasks.spec import TaskSpec

from ..look import mark, names, numbers, say

METRIC_NAMES: dict[str, str] = names("metrics")
SHARES = (  # of examples or words: in percent; others, such as F1, are no share of anything
    *("accuracy", "exact_match", "has_answer_exact_match", "no_answer_accuracy", "best_exact_match"),
    *("mlm_accuracy", "mlm_top5"),
)
FEW = 50  # held-out examples: below that, one more right or wrong is worth more than two percent
EVALUATION_FILE, ABOUT_FILE = "evaluation.json", "bertscope.json"  # of a run, of a checkpoint
_TASK_WORDS: dict[str, str] = names("tasks")  # what a run learns, in a word


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
    return say(name) if name else metric.replace("_", " ")


def metric_value(metric: str, value: float | None) -> str:
    """As the whole window writes it: "78.6%" of a share, "0.786" of any other."""
    return numbers.percent(value, 1) if metric in SHARES else numbers.decimal(value, 3)


def counted(kind: str | None, metric: str, share: float | None, examples: int | None) -> tuple[str, str]:
    """Of a share of few examples: "6 of 6 right", and what it may be on others. Empty for one of many, and for what is
    no share of examples."""
    is_share = kind != "tag" and metric in ("accuracy", "exact_match") and share is not None and 0 <= share <= 1
    if not is_share or share is None or not examples or examples >= FEW:
        return "", ""
    found = share_interval(round(share * examples), examples)
    low, high = (numbers.percent(end) for end in (found.low, found.high))
    words = mark("On other examples like these it may be anything from {low} to {high} (95% interval).")
    return say("{right} of {all} right", right=round(share * examples), all=examples), say(words, low=low, high=high)


def counted_value(kind: str | None, metric: str, value: float | None, examples: int | None) -> str:
    """As `metric_value`, of few examples with how many are right: "100.0% (6 of 6 right)"."""
    right, _ = counted(kind, metric, value, examples)
    return metric_value(metric, value) + (f" ({right})" if right else "")


@cache
def metric_form(metric: str) -> Callable[[float | None], str]:
    """`metric_value` of one metric; the same function each time, so that what holds it can be compared."""
    return partial(metric_value, metric)


def task_title(spec: TaskSpec) -> str:
    """What one learns with a task: "Classify texts"."""
    return say(spec.title)


def spec_of(config: Mapping[str, Any]) -> TaskSpec | None:
    """The task of a fine-tuning run, by its config.json; None for other runs."""
    data = config.get("data")
    name = data.get("task") if isinstance(data, dict) else None
    return TASKS.get(name) if isinstance(name, str) else None


def task_word(spec: TaskSpec) -> str:
    """What a run learns with a task, in a word."""
    return say(_TASK_WORDS["pairs" if spec.kind == "classify" and spec.is_pair else spec.kind])


def task_info(
    kind: str, labels: tuple[str, ...], folder: Path, number_range: tuple[float, float] | None = None
) -> TaskInfo:
    """What a checkpoint was fine-tuned for: by its own files, and by those of its run, if it is a snapshot of one."""
    run = folder.resolve().parent.parent
    spec = spec_of(read_json_or_empty(run / "config.json"))
    measured = run / EVALUATION_FILE
    if spec is None:
        measured = folder / ABOUT_FILE
        spec = spec_of(read_json_or_empty(measured))
    if spec is None or spec.kind != kind:
        return TaskInfo(kind, labels, number_range=number_range)
    is_pair = spec.is_pair if kind in ("classify", "regress", "multilabel") else None
    limits = spec.number_range or number_range
    found = read_json_or_empty(measured).get("metrics")
    values = found if isinstance(found, dict) else {}
    scores = ((name, values.get(name)) for name in metrics_of(spec))
    main = next(((name, float(value)) for name, value in scores if isinstance(value, int | float)), None)
    return TaskInfo(kind, labels, task_title(spec), is_pair, limits, main)
