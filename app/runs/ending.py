"""What happened in a run that is over, in a sentence, and what one can do next. Plain data; no torch, no widgets."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QCoreApplication

from bertcore.runs.failure_causes import cause_of
from bertcore.runs.run_metrics import RunMetrics, metric_key
from bertcore.runs.run_record import common_answer, held_out_examples, loss_by_frequency

from ..look import numbers
from ..state.task_info import metric_name, metric_value
from .run_info import RunInfo

OPEN, BEST, APPLY, COMPARE, GO_ON, ON, SLOWER, AGAIN, LOG = (
    "open",
    "best",
    "apply",
    "compare",
    "go_on",
    "on",
    "slower",
    "again",
    "log",
)
WORSE = 1.02  # of the best loss: less than this is chance
FEW_EXAMPLES = 50  # below that, one more right or wrong is worth more than two percent
translate = QCoreApplication.translate


@dataclass(frozen=True)
class Ending:
    sentence: str
    advice: str = ""
    actions: tuple[str, ...] = ()  # what helps most comes first
    best_step: int | None = None  # for BEST
    is_bad: bool = False
    details: str = ""  # as the run says it, for who wants to look into it


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
    best = int(np.argmin(losses)) if len(losses) > 1 else None
    is_past = best is not None and losses[-1] > WORSE * losses[best]  # it was better before
    actions: tuple[str, ...] = (BEST,) if is_past else ()
    actions += (APPLY, OPEN, COMPARE) if info.task_kind else (OPEN, COMPARE, ON)
    if state == "stopped" and info.can_resume:
        actions = (GO_ON, *actions)
    advice = " ".join(filter(None, (_best(info, metrics, steps, losses), _chance(info, metrics))))
    return Ending(f"{what} {told}".strip(), advice, (*actions, AGAIN), int(steps[best]) if is_past else None)


def _failed(info: RunInfo) -> Ending:
    """Why, as the run says it, and what has helped others."""
    why = info.status.message or translate("Ending", "It ended without saying why.")
    cause = cause_of(why)
    if cause == "diverged":
        at = re.search(r"at step (\d+)", why)
        text = translate(
            "Ending", "Training stopped at step {step}: {what} became infinite or undefined. Try a lower learning rate."
        )
        is_loss = why.startswith("The loss")
        what = translate("Ending", "the loss") if is_loss else translate("Ending", "a weight")
        sentence = text.format(step=numbers.count(int(at[1]) if at else info.status.step), what=what)
        advice = translate(
            "Ending", "Most often each step was too large: it jumped past good weights, and the next one further still."
        )
        return Ending(sentence, advice, (SLOWER, LOG), is_bad=True, details=why)
    if cause == "memory":
        advice = translate("Ending", "Try a smaller model or smaller batches, and close other programs.")
        return Ending(why, advice, (AGAIN, LOG), is_bad=True)
    if cause == "disk":
        advice = translate("Ending", "Make room on the disk: old runs can be deleted in the list. Then resume.")
        return Ending(why, advice, (GO_ON, LOG) if info.can_resume else (AGAIN, LOG), is_bad=True)
    advice = translate("Ending", "The log shows what happened before.")
    return Ending(why, advice, (*((GO_ON,) if info.can_resume else ()), LOG, AGAIN), is_bad=True)


def _measured(info: RunInfo, metrics: RunMetrics, losses: np.ndarray) -> str:
    """From where to where: of a task its main score, else the loss on held-out text."""
    for metric in info.metrics:
        scores = metrics.series[metric_key(metric)].arrays[1]
        if len(scores):
            before, after = (metric_value(metric, float(score)) for score in (scores[0], scores[-1]))
            return _scored(info, metric_name(metric), before, after, held_out_examples(metrics.newest["held_out"]))
    if len(losses) < 2:
        return ""
    right = metrics.latest_value("words_right_held_out")
    text = translate(
        "Ending", "On held-out text its loss went from {before} to {after}; {share} of the masked words are right."
    )
    before, after = (numbers.decimal(float(loss)) for loss in (losses[0], losses[-1]))
    return text.format(before=before, after=after, share=numbers.percent(right))


def _scored(info: RunInfo, metric: str, before: str, after: str, examples: int | None) -> str:
    """With what it rests on."""
    if examples is None:
        text = translate("Ending", "On held-out examples its {metric} went from {before} to {after}.")
        return text.format(metric=metric, before=before, after=after)
    many = translate(
        "Ending", "Its {metric} went from {before} to {after} in {steps} steps, measured on {count} held-out examples."
    )
    few = translate(
        "Ending",
        "Its {metric} went from {before} to {after} in {steps} steps. That says little: there are only {count} "
        "held-out examples.",
    )
    rests_on = {"steps": numbers.count(info.status.step), "count": numbers.count(examples)}
    text = few if examples < FEW_EXAMPLES else many
    return text.format(metric=metric, before=before, after=after, **rests_on)


def _best(info: RunInfo, metrics: RunMetrics, steps: np.ndarray, losses: np.ndarray) -> str:
    """When it was best, if that was not at the end."""
    for metric in info.metrics:
        at, scores = metrics.series[metric_key(metric)].arrays
        if len(scores):
            best = int(np.argmax(scores))
            text = translate("Ending", "Its best was {best}, at step {step}.")
            values = {"best": metric_value(metric, float(scores[best])), "step": numbers.count(int(at[best]))}
            return "" if best == len(scores) - 1 else text.format(**values)
    if len(losses) < 2 or int(np.argmin(losses)) == len(losses) - 1:
        return ""
    best = int(np.argmin(losses))
    text = translate("Ending", "Its lowest loss was {best}, at step {step}.")
    return text.format(best=numbers.decimal(float(losses[best])), step=numbers.count(int(steps[best])))


def _chance(info: RunInfo, metrics: RunMetrics) -> str:
    """What one would get without reading the text."""
    newest = metrics.newest.get("held_out", {})
    if info.metrics:
        answer = common_answer(newest)
        if answer is None or answer.chance is None or info.metrics[0] != "accuracy":
            return ""
        text = translate("Ending", "Always giving the most common answer would get {chance}.")
        return text.format(chance=metric_value("accuracy", answer.chance))
    level = loss_by_frequency(newest)
    text = translate("Ending", "Guessing by word frequency alone would give a loss of {level}.")
    return "" if level is None else text.format(level=numbers.decimal(level))


def nearest_snapshot(steps: Sequence[int], step: int) -> int | None:
    """Index of the snapshot next to a step."""
    return min(range(len(steps)), key=lambda index: abs(steps[index] - step), default=None)
