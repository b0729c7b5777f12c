"""What happened in a run that is over, in a sentence, and what one can do next. Plain data; no torch, no widgets."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QCoreApplication

from ..look import numbers
from ..state.task_info import metric_name
from .metrics import RunMetrics, metric_key
from .run_info import RunInfo

OPEN, BEST, APPLY, COMPARE, GO_ON, SLOWER, AGAIN, LOG = (
    "open",
    "best",
    "apply",
    "compare",
    "go_on",
    "slower",
    "again",
    "log",
)
HARDLY, WORSE = 0.98, 1.02  # of the loss at the start, of the best: less than this is chance
translate = QCoreApplication.translate


@dataclass(frozen=True)
class Ending:
    sentence: str
    advice: str = ""
    actions: tuple[str, ...] = ()  # what helps most comes first
    best_step: int | None = None  # for BEST
    is_bad: bool = False


def ending_of(info: RunInfo, metrics: RunMetrics) -> Ending | None:
    """None while the run is at work, and where nothing can be said of it."""
    state = info.status.state
    if info.is_built_in or info.status.active or state == "unknown":
        return None
    if state == "failed":
        return _failed(info)
    loss = "loss_task_held_out" if info.metrics else "loss_held_out"
    steps, losses = metrics.series[loss].arrays
    told = _measured(info, metrics, losses)
    begins = {"time": numbers.duration(info.status.elapsed_s), "step": numbers.count(info.status.step)}
    if state == "stopped":
        what = translate("Ending", "Stopped at step {step}.").format(**begins)
    else:
        what = translate("Ending", "Done, after {time} of training.").format(**begins)
    advice, actions, best = _advice(info, steps, losses)
    if state == "stopped" and info.can_resume:
        actions = (GO_ON, *actions)
    return Ending(f"{what} {told}".strip(), advice, actions, best)


def _failed(info: RunInfo) -> Ending:
    """Why, as the run says it, and what has helped others."""
    why = info.status.message or translate("Ending", "It ended without saying why.")
    words = why.lower()
    if any(word in words for word in ("not finite", "infinite", "nan", "diverge")):
        advice = translate("Ending", "A lower learning rate usually helps.")
        return Ending(why, advice, (SLOWER, LOG), is_bad=True)
    if "memory" in words or "killed" in words:
        advice = translate("Ending", "Try a smaller model or smaller batches, and close other programs.")
        return Ending(why, advice, (AGAIN, LOG), is_bad=True)
    if "disk" in words or "space" in words:
        advice = translate("Ending", "Make room on the disk: old runs can be deleted in the list. Then resume.")
        return Ending(why, advice, (GO_ON, LOG) if info.can_resume else (AGAIN, LOG), is_bad=True)
    advice = translate("Ending", "The log shows what happened before.")
    return Ending(why, advice, (*((GO_ON,) if info.can_resume else ()), LOG, AGAIN), is_bad=True)


def _measured(info: RunInfo, metrics: RunMetrics, losses: np.ndarray) -> str:
    """From where to where: of a task its main score, else the loss on held-out text."""
    for metric in info.metrics:
        scores = metrics.series[metric_key(metric)].arrays[1]
        if len(scores):
            text = translate("Ending", "On held-out examples its {metric} went from {before} to {after}.")
            before, after = (numbers.decimal(float(score), 3) for score in (scores[0], scores[-1]))
            return text.format(metric=metric_name(metric), before=before, after=after)
    if len(losses) < 2:
        return ""
    right = metrics.latest_value("words_right_held_out")
    text = translate(
        "Ending", "On held-out text its loss went from {before} to {after}; {share} of the words are right."
    )
    before, after = (numbers.decimal(float(loss)) for loss in (losses[0], losses[-1]))
    return text.format(before=before, after=after, share=numbers.percent(right))


def _advice(info: RunInfo, steps: np.ndarray, losses: np.ndarray) -> tuple[str, tuple[str, ...], int | None]:
    """A sentence, actions, and the step at which it was best."""
    try_it = (APPLY, OPEN) if info.task_kind else (OPEN,)
    more: tuple[str, ...] = (COMPARE, AGAIN)
    if len(losses) < 2:
        return "", (*try_it, *more), None
    best = int(np.argmin(losses))
    if losses[best] > HARDLY * losses[0]:
        return (
            translate("Ending", "It has hardly learned: try a lower learning rate, or more time."),
            (SLOWER, AGAIN),
            None,
        )
    if losses[-1] > WORSE * losses[best]:
        text = translate("Ending", "It was best at step {step}; since then it has only been memorising.")
        return text.format(step=numbers.count(int(steps[best]))), (BEST, *try_it, AGAIN), int(steps[best])
    return "", (*try_it, *more), None


def nearest_snapshot(steps: Sequence[int], step: int) -> int | None:
    """Index of the snapshot next to a step."""
    return min(range(len(steps)), key=lambda index: abs(steps[index] - step), default=None)
