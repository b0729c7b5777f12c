"""What a run folder says of a training, as arrays: what a diagnosis is made from. No torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertcore.errors import name_from_file
from bertcore.runs.metrics_file import number
from bertcore.runs.run_folder import RunFolder, RunStatus
from bertcore.runs.run_metrics import RunMetrics, metric_key

Points = tuple[NDArray[np.float64], NDArray[np.float64]]  # steps (P) rising, values (P)
SCORES = (  # of all tasks
    "accuracy",
    "f1",
    "f1_macro",
    "f1_micro",
    "matthews_correlation",
    "pearson",
    "spearmanr",
    "exact_match",
    "rouge2",
)
_LOSS_OF_PHASE = {"causal": "loss_next_word", "masked": "loss_masked"}


@dataclass(frozen=True)
class CommonAnswer:
    """Of a task with labels: the label that the model gives most often, and its shares of all and of the right ones."""

    label: str
    share: float
    right: float
    chance: float | None = None  # what always giving the most common right answer would get


@dataclass(frozen=True)
class HeadActivity:
    """Of all heads (K): `training/head_activity.py` says what the numbers are."""

    varies: NDArray[np.float64]
    even: NDArray[np.float64]


_NONE: Points = (np.empty(0), np.empty(0))


@dataclass(frozen=True)
class RunRecord:
    """One run so far."""

    state: str = "running"
    message: str = ""
    fraction: float = 1.0  # of the budget, 0..1
    total_steps: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)  # config.json
    train_loss: Points = _NONE  # of what it predicts now: next words or masked words
    held_out_loss: Points = _NONE
    scores: Mapping[str, Points] = field(default_factory=dict)  # of a task, on held-out examples; higher is better
    rate: Points = _NONE
    update_ratio: Points = _NONE  # of the part of the model that moved most
    by_frequency: float | None = None  # held-out loss of always guessing words by their frequency
    examples: int | None = None  # of a task: how many each measurement was made on
    answer: CommonAnswer | None = None  # at the newest measurement
    heads: HeadActivity | None = None  # at the newest measurement
    is_causal: bool = False  # it predicts next words now
    phase_from: float = 0.0  # first step of what it predicts now

    def setting(self, name: str) -> Any:
        """Of how it trains; None where the run does not say."""
        training = self.settings.get("training")
        return training.get(name) if isinstance(training, Mapping) else None

    def until(self, step: float) -> RunRecord:
        """Its curves up to this step; all else as it is now."""

        def before(points: Points) -> Points:
            steps, values = points
            return steps[steps <= step], values[steps <= step]

        return replace(
            self,
            train_loss=before(self.train_loss),
            held_out_loss=before(self.held_out_loss),
            scores={name: before(points) for name, points in self.scores.items()},
            rate=before(self.rate),
            update_ratio=before(self.update_ratio),
        )

    @property
    def step(self) -> int:
        return int(max((steps[-1] for steps, _ in (self.train_loss, self.held_out_loss) if len(steps)), default=0))


def read_record(run: Path) -> RunRecord:
    """From a run folder. Raises BertcoreError where it is none."""
    folder, metrics = RunFolder(run), RunMetrics()
    settings, status = folder.config(), folder.status()
    metrics.append(folder.tail().read_new())
    return record_of(metrics, settings, status)


def record_of(metrics: RunMetrics, settings: Mapping[str, Any], status: RunStatus) -> RunRecord:
    """metrics: all lines so far; settings: config.json. Its curves are views: they cost nothing and do not grow."""

    def points(curve: str) -> Points:
        return metrics.series[curve].arrays

    since, phase = metrics.phases[-1] if metrics.phases else (0, "")
    steps, losses = points(_LOSS_OF_PHASE.get(phase, "loss_task"))
    newest = metrics.last_measured
    record = RunRecord(
        status.state,
        status.message or "",
        status.fraction,
        status.total_steps,
        settings,
        train_loss=(steps[steps >= since], losses[steps >= since]),
        held_out_loss=points("loss_held_out" if "mlm_loss" in newest else "loss_task_held_out"),
        scores={name: points(metric_key(name)) for name in SCORES if len(metrics.series[metric_key(name)])},
        rate=points("learning_rate"),
        update_ratio=points("update_ratio"),
        by_frequency=loss_by_frequency(newest),
        examples=metrics.examples,
        answer=common_answer(newest),
        heads=activity_of_heads(newest),
        is_causal=phase == "causal",
        phase_from=since,
    )
    return record if status.ends_with is None else record.until(status.ends_with)  # what came after is not kept


def loss_by_frequency(held_out: Mapping[str, Any]) -> float | None:
    """Of a measurement; None where its line does not say, or is damaged. So are the two below."""
    return number(held_out.get("by_frequency"))


def common_answer(held_out: Mapping[str, Any]) -> CommonAnswer | None:
    values = held_out.get("answers")
    if not isinstance(values, Mapping):
        return None
    share, right, chance = (number(values.get(name)) for name in ("share", "right", "chance"))
    if share is None or right is None:
        return None
    return CommonAnswer(name_from_file(values.get("label")), share, right, chance)


def activity_of_heads(held_out: Mapping[str, Any]) -> HeadActivity | None:
    values = held_out.get("heads")
    try:
        varies, even = (np.array(values[name], dtype=np.float64).ravel() for name in ("varies", "even"))  # type: ignore[index]
    except (TypeError, ValueError, KeyError):
        return None
    is_whole = len(varies) == len(even) > 0 and np.isfinite(varies).all() and np.isfinite(even).all()
    return HeadActivity(varies, even) if is_whole else None
