"""What happened in a run that is over, in a sentence, and what one can do next. Plain data; no torch, no widgets."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bertcore.runs.run_folder import cause_of
from bertcore.runs.run_metrics import RunMetrics, metric_key
from bertcore.runs.run_record import common_answer, loss_by_frequency

from ..look import numbers
from ..look.say import say
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
    best_kept = info.status.ends_with  # a step, where the run does not end with its last
    until = math.inf if best_kept is None else best_kept
    steps, losses = _until(until, metrics, "loss_task_held_out" if info.metrics else "loss_held_out")
    told = _measured(info, metrics, losses, until)
    begins = {"time": numbers.duration(info.status.elapsed_s), "step": numbers.count(info.status.step)}
    if state == "stopped":
        what = say("Stopped at step {step}.").format(**begins)
    elif best_kept is not None:
        kept = say("Done, after {time} of training. Step {best} was the best of {step} steps; the run ends with it.")
        what = kept.format(**begins, best=numbers.count(best_kept))
    else:
        what = say("Done, after {time} of training.").format(**begins)
    best = int(np.argmin(losses)) if len(losses) > 1 else None
    is_past = best is not None and losses[-1] > WORSE * losses[best]  # it was better before
    actions: tuple[str, ...] = (BEST,) if is_past else ()
    actions += (APPLY, OPEN, COMPARE) if info.task_kind else (OPEN, COMPARE, ON)
    if state == "stopped" and info.can_resume:
        actions = (GO_ON, *actions)
    best_of_all = "" if best_kept is not None else _best(info, metrics, steps, losses)
    advice = " ".join(filter(None, (best_of_all, _chance(info, metrics))))
    return Ending(f"{what} {told}".strip(), advice, (*actions, AGAIN), int(steps[best]) if is_past else None)


def _failed(info: RunInfo) -> Ending:
    """Why, as the run says it, and what has helped others."""
    why = info.status.message or say("It ended without saying why.")
    cause = cause_of(why)
    if cause == "diverged":
        at = re.search(r"at step (\d+)", why)
        text = say("Training stopped at step {step}: {what} became infinite or undefined. Try a lower learning rate.")
        is_loss = why.startswith("The loss")
        what = say("the loss") if is_loss else say("a weight")
        sentence = text.format(step=numbers.count(int(at[1]) if at else info.status.step), what=what)
        advice = say("Most often each step was too large: it jumped past good weights, and the next one further still.")
        return Ending(sentence, advice, (SLOWER, LOG), is_bad=True, details=why)
    if cause == "memory":
        advice = say("Try a smaller model or smaller batches, and close other programs.")
        return Ending(why, advice, (AGAIN, LOG), is_bad=True)
    if cause == "disk":
        advice = say("Make room on the disk: old runs can be deleted in the list. Then resume.")
        return Ending(why, advice, (GO_ON, LOG) if info.can_resume else (AGAIN, LOG), is_bad=True)
    advice = say("The log shows what happened before.")
    return Ending(why, advice, (*((GO_ON,) if info.can_resume else ()), LOG, AGAIN), is_bad=True)


def _until(step: float, metrics: RunMetrics, curve: str) -> tuple[np.ndarray, np.ndarray]:
    """Steps and values (P each) of a curve, up to this step."""
    steps, values = metrics.series[curve].arrays
    return steps[steps <= step], values[steps <= step]


def _measured(info: RunInfo, metrics: RunMetrics, losses: np.ndarray, until: float) -> str:
    """From where to where, always on the same examples: of a task its main score, else the loss on held-out text."""
    for metric in info.metrics:
        scores = _until(until, metrics, metric_key(metric))[1]
        if len(scores):
            before, after = (metric_value(metric, float(score)) for score in (scores[0], scores[-1]))
            scored = _scored(info, metric_name(metric), before, after, metrics.examples)
            return f"{scored} {_on_all(metric, metrics)}".strip()
    if len(losses) < 2:
        return ""
    right = metrics.latest_value("words_right_held_out", until)
    text = say("On held-out text its loss went from {before} to {after}; {share} of the masked words are right.")
    before, after = (numbers.decimal(float(loss)) for loss in (losses[0], losses[-1]))
    return text.format(before=before, after=after, share=numbers.percent(right))


def _scored(info: RunInfo, metric: str, before: str, after: str, examples: int | None) -> str:
    """With what it rests on."""
    if examples is None:
        text = say("On held-out examples its {metric} went from {before} to {after}.")
        return text.format(metric=metric, before=before, after=after)
    many = say("Its {metric} went from {before} to {after} in {steps} steps, measured on {count} held-out examples.")
    few = say(
        "Its {metric} went from {before} to {after} in {steps} steps. That says little: there are only {count} "
        "held-out examples."
    )
    status = info.status
    steps = status.step if status.ends_with is None else status.ends_with
    rests_on = {"steps": numbers.count(steps), "count": numbers.count(examples)}
    text = few if examples < FEW_EXAMPLES else many
    return text.format(metric=metric, before=before, after=after, **rests_on)


def _on_all(metric: str, metrics: RunMetrics) -> str:
    """What the run has found at its end, where its curve is measured on a part of the examples; else nothing."""
    final, count = metrics.evaluation.get(metric), metrics.evaluation.get("examples")
    if not isinstance(final, int | float) or type(count) is not int or count == metrics.examples:
        return ""
    text = say("On all {count} held-out examples it is {final}.")
    return text.format(count=numbers.count(count), final=metric_value(metric, float(final)))


def _best(info: RunInfo, metrics: RunMetrics, steps: np.ndarray, losses: np.ndarray) -> str:
    """When it was best, if that was not at the end."""
    for metric in info.metrics:
        at, scores = metrics.series[metric_key(metric)].arrays
        if len(scores):
            best = int(np.argmax(scores))
            text = say("Its best was {best}, at step {step}.")
            values = {"best": metric_value(metric, float(scores[best])), "step": numbers.count(int(at[best]))}
            return "" if best == len(scores) - 1 else text.format(**values)
    if len(losses) < 2 or int(np.argmin(losses)) == len(losses) - 1:
        return ""
    best = int(np.argmin(losses))
    text = say("Its lowest loss was {best}, at step {step}.")
    return text.format(best=numbers.decimal(float(losses[best])), step=numbers.count(int(steps[best])))


def _chance(info: RunInfo, metrics: RunMetrics) -> str:
    """What one would get without reading the text, on what the curves are measured on."""
    newest = metrics.last_measured
    if info.metrics:
        answer = common_answer(newest)
        if answer is None or answer.chance is None or info.metrics[0] != "accuracy":
            return ""
        share = metric_value("accuracy", answer.chance)
        if metrics.examples is None:
            return say("Always giving the most common answer would get {chance}.", chance=share)
        text = say("Always giving the most common answer would get {chance} on these {count}.")
        return text.format(chance=share, count=numbers.count(metrics.examples))
    level = loss_by_frequency(newest)
    text = say("Guessing by word frequency alone would give a loss of {level}.")
    return "" if level is None else text.format(level=numbers.decimal(level))


def nearest_snapshot(steps: Sequence[int], step: int) -> int | None:
    """Index of the snapshot next to a step."""
    return min(range(len(steps)), key=lambda index: abs(steps[index] - step), default=None)
