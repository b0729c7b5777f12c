"""What happened in a run that is over, what it has found, and what one can do next. No torch, no widgets."""

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bertcore.checkpoint.config_file import read_config
from bertcore.config import count_parameters
from bertcore.errors import BertcoreError
from bertcore.runs.run_folder import cause_of
from bertcore.runs.run_metrics import RunMetrics, metric_key
from bertcore.runs.run_record import common_answer, loss_by_frequency

from ..look import mark, names, numbers, say
from ..state.literature import published_results, published_tasks
from ..state.task_info import FEW, counted, counted_value, metric_name, metric_value
from .finding import APPLY, BEST, COMPARE, CONTINUE, COPY, LOG, OPEN, RESUME, SLOWER, Finding
from .run_info import HeldOutExample, RunInfo, RunResult

WORSE = 1.02  # of the best loss: less than this is chance
_COMPARED: dict[str, str] = names("teacher and student")  # as comparison.json names it
_SHARES = ("mlm_accuracy", "mlm_top5", "nsp_accuracy")
MOST_TEXT, MOST_PASSAGE = 160, 120  # characters


def ending_of(info: RunInfo, metrics: RunMetrics, snapshots: int = 2) -> Finding | None:
    """None while the run is at work, and where nothing can be said of it.

    snapshots: how many there are, which decides what can be opened and compared.
    """
    state = info.status.state
    if info.is_built_in or info.status.active or state == "unknown":
        return None
    if state == "failed":
        return _failure(info)
    ends_with = info.status.ends_with  # a step, where the run does not end with its last
    until = math.inf if ends_with is None else ends_with
    steps, losses = _until(until, metrics, "loss_task_held_out" if info.metrics else "loss_held_out")
    sentence = mark("Done, after {time} of training.")
    if state == "stopped":
        sentence = mark("Stopped at step {step}.")
    elif ends_with is not None:
        sentence = mark(
            "Done, after {time} of training. Step {best} was the best of {step} steps; the run ends with it."
        )
    time, ran = numbers.duration(info.status.elapsed_s), numbers.count(info.status.step)
    what = say(sentence, time=time, step=ran, best=numbers.count(ends_with))
    best = int(np.argmin(losses)) if len(losses) > 1 else None
    is_past = best is not None and losses[-1] > WORSE * losses[best]  # it was better before
    actions = [RESUME] if state == "stopped" and info.can_resume else []
    if snapshots:
        actions += [BEST] if is_past else []
        actions += [APPLY] if info.task_kind else []
        actions += [OPEN, COMPARE] if snapshots > 1 else [OPEN]
        actions += [CONTINUE] if not info.task_kind else []
    was_best = "" if ends_with is not None else _best(info, metrics, steps, losses)
    return Finding(
        f"{what} {_measured(info, metrics, losses, until)}".strip(),
        " ".join(filter(None, (was_best, _chance(info, metrics)))),
        (*actions, COPY),
        best_step=int(steps[best]) if is_past and best is not None else None,
    )


def at_work_of(info: RunInfo, snapshots: int) -> Finding | None:
    """While the run is at work, in the place of what is said of its end; None for one that is not."""
    if not info.status.active:
        return None
    advice = say("It can be opened already: all pictures, from Map to Layers, then show it as it is now.")
    actions = (*((APPLY,) if info.task_kind else ()), OPEN, *((COMPARE,) if snapshots > 1 else ()))
    sentence = say("At work. What it has learned is said here at its end.")
    return Finding(sentence, advice, actions) if snapshots else Finding(sentence)


def _failure(info: RunInfo) -> Finding:
    """Why, as the run says it, and what has helped others."""
    why = info.status.message or say("It ended without saying why.")
    resume = (RESUME,) if info.can_resume else ()
    match cause_of(why):
        case "diverged":
            at = re.search(r"at step (\d+)", why)
            sentence = say(
                "Training stopped at step {step}: {what} became infinite or undefined. Try a lower learning rate.",
                step=numbers.count(int(at[1]) if at else info.status.step),
                what=say("the loss") if why.startswith("The loss") else say("a weight"),
            )
            advice = say(
                "Most often each step was too large: it jumped past good weights, and the next one further still."
            )
            return Finding(sentence, advice, (SLOWER, LOG), is_bad=True, details=why)
        case "memory":
            advice = say("Try a smaller model or smaller batches, and close other programs.")
            return Finding(why, advice, (COPY, LOG), is_bad=True)
        case "disk":
            advice = say("Make room on the disk: old runs can be deleted in the list. Then resume.")
            return Finding(why, advice, (*(resume or (COPY,)), LOG), is_bad=True)
    return Finding(why, say("The log shows what happened before."), (*resume, LOG, COPY), is_bad=True)


def _until(step: float, metrics: RunMetrics, curve: str) -> tuple[np.ndarray, np.ndarray]:
    """Steps and values (P each) of a curve, up to this step."""
    steps, values = metrics.series[curve].arrays
    return steps[steps <= step], values[steps <= step]


def _measured(info: RunInfo, metrics: RunMetrics, losses: np.ndarray, until: float) -> str:
    """From where to where, always on the same examples: of a task its main score with what it rests on, else the loss
    on held-out text."""
    for metric in info.metrics:
        scores = _until(until, metrics, metric_key(metric))[1]
        if not len(scores):
            continue
        sentence, examples = mark("On held-out examples its {metric} went from {before} to {after}."), metrics.examples
        if examples is not None and examples < FEW:
            sentence = mark(
                "Its {metric} went from {before} to {after} in {steps} steps. That says little: there are only {count} "
                "held-out examples."
            )
        elif examples is not None:
            sentence = mark(
                "Its {metric} went from {before} to {after} in {steps} steps, measured on {count} held-out examples."
            )
        rests_on = info.task_kind, metric, float(scores[-1]), examples
        before, after = metric_value(metric, float(scores[0])), counted_value(*rests_on)
        at, count = (
            info.status.step if info.status.ends_with is None else info.status.ends_with,
            numbers.count(examples),
        )
        steps = numbers.count(at)
        words = say(sentence, metric=metric_name(metric), before=before, after=after, steps=steps, count=count)
        words = f"{words} {counted(*rests_on)[1]}".strip()
        final, all_ = metrics.evaluation.get(metric), metrics.evaluation.get("examples")
        if isinstance(final, int | float) and type(all_) is int and all_ != examples:  # its curve is of a part of them
            written = metric_value(metric, float(final))
            words += " " + say(
                "On all {count} held-out examples it is {final}.", count=numbers.count(all_), final=written
            )
        return words
    if len(losses) < 2:
        return ""
    return say(
        "On held-out text its loss went from {before} to {after}; {share} of the masked words are right.",
        before=numbers.decimal(float(losses[0])),
        after=numbers.decimal(float(losses[-1])),
        share=numbers.percent(metrics.latest_value("words_right_held_out", until)),
    )


def _best(info: RunInfo, metrics: RunMetrics, steps: np.ndarray, losses: np.ndarray) -> str:
    """When it was best, if that was not at the end."""
    for metric in info.metrics:
        at, scores = metrics.series[metric_key(metric)].arrays
        if len(scores):
            best = int(np.argmax(scores))
            value, step = metric_value(metric, float(scores[best])), numbers.count(int(at[best]))
            return "" if best == len(scores) - 1 else say("Its best was {best}, at step {step}.", best=value, step=step)
    best = int(np.argmin(losses)) if len(losses) else 0
    if best >= len(losses) - 1:
        return ""
    value, step = numbers.decimal(float(losses[best])), numbers.count(int(steps[best]))
    return say("Its lowest loss was {best}, at step {step}.", best=value, step=step)


def _chance(info: RunInfo, metrics: RunMetrics) -> str:
    """What one would get without reading the text, on what the curves are measured on."""
    newest = metrics.last_measured
    if not info.metrics:
        level = loss_by_frequency(newest)
        words = mark("Guessing by word frequency alone would give a loss of {level}.")
        return "" if level is None else say(words, level=numbers.decimal(level))
    answer = common_answer(newest)
    if answer is None or answer.chance is None or info.metrics[0] != "accuracy":
        return ""
    words = mark("Always giving the most common answer would get {chance} on these {count}.")
    if metrics.examples is None:
        words = mark("Always giving the most common answer would get {chance}.")
    return say(words, chance=metric_value("accuracy", answer.chance), count=numbers.count(metrics.examples))


def nearest_snapshot(steps: Sequence[int], step: int) -> int | None:
    """Index of the snapshot next to a step."""
    return min(range(len(steps)), key=lambda index: abs(steps[index] - step), default=None)


def measured_on(result: RunResult, task_kind: str | None = None) -> str:
    """What its figures rest on."""
    words = say("Measured on %n held-out example(s), which it never learned from.", n=result.examples)
    if result.examples_cut:
        words += " " + say("Cut, because longer than the model can read: %n example(s).", n=result.examples_cut)
    share = result.metrics.get("accuracy", result.metrics.get("exact_match"))
    if may_be := counted(task_kind, "accuracy", share, result.examples)[1]:
        words += " " + say("With so few, one right answer more or less may be chance.") + " " + may_be
    return words


def beside_papers(task_name: str, model: Path) -> str:
    """What papers report of a task, of the model nearest in size to the one in this folder and of BERT-base; empty
    where they report nothing."""
    task = next((one for one in published_tasks() if one.key == task_name), None)
    results = [one for one in published_results() if one.size and task_name in one.scores]
    if task is None or not results:
        return ""
    try:
        size = count_parameters(read_config(model))
    except BertcoreError:  # of a damaged snapshot
        return ""
    nearest, scores = min(results, key=lambda one: abs(math.log((one.parameters or 1) / size))), list[str]()
    for one in results:
        if one.size in (nearest.size, "base"):
            score = metric_value(task.measure, one.scores[task.key][0] / 100)
            scores.append(f"{one.model} ({numbers.compact_count(one.parameters)}) {score}")
    text = mark(
        "Papers report on {task} ({metric}): {scores}. Compare with care: this model has {count} parameters, has seen "
        "other text and, as a rule, other examples. Sources are in Map, Papers."
    )
    count, metric = numbers.compact_count(size), metric_name(task.measure)
    return say(text, task=task.title, scores=", ".join(scores), metric=metric, count=count)


def compared_rows(sides: dict[str, dict[str, Any]]) -> list[list[str]]:
    """A table of teacher and student, its heads first; no rows where there is nothing to compare."""
    titles = {"teacher": say("teacher"), "student": say("student")}
    rows = [[say("Held-out text"), *(titles.get(side, side) for side in sides)]] if sides else []
    for name, title in _COMPARED.items() if sides else ():
        rows.append([say(title)])
        for value in (side.get(name) for side in sides.values()):
            if not isinstance(value, int | float):
                rows[-1].append(numbers.MISSING)
            elif name in _SHARES:
                rows[-1].append(numbers.percent(value))
            else:
                rows[-1].append(numbers.count(value) if isinstance(value, int) else numbers.decimal(value))
    return rows


def was_right(example: HeldOutExample) -> bool:
    """Whether the given answer is the right one, or for a passage one of the accepted ones."""
    right, given = example.right, example.given
    if "passage" in example.texts and not isinstance(right, str):
        return given in right if right else not given
    return bool(right == given)


def example_lines(example: HeldOutExample) -> list[str]:
    """The texts of an example, a line each, cut short."""
    texts = example.texts
    if "passage" in texts:
        return [_cut(str(texts.get("question", ""))), _cut(str(texts["passage"]), MOST_PASSAGE)]
    for name in ("words", "sentences"):
        if name in texts:
            return [_cut(" ".join(map(str, texts[name])))]
    return [_cut(str(texts[name])) for name in ("text_a", "text_b", "context") if texts.get(name)]


def answer_text(example: HeldOutExample, answer: Any) -> str:
    """A right or given answer as a person should read it."""
    texts = example.texts
    if "endings" in texts and isinstance(answer, int) and 0 <= answer < len(texts["endings"]):
        return _cut(str(texts["endings"][answer]))
    if "words" in texts and isinstance(answer, Sequence) and not isinstance(answer, str):
        named = [f"{word} {tag}" for word, tag in zip(texts["words"], answer, strict=False) if tag != "O"]
        return _cut(", ".join(named) or say("no names"))
    if "passage" in texts:
        answers = [answer] if isinstance(answer, str) else list(answer or ())
        return _cut(" / ".join(dict.fromkeys(map(str, filter(None, answers)))) or say("no answer"))
    if isinstance(answer, list | tuple):
        return ", ".join(map(str, answer)) or say("none")
    return numbers.decimal(answer) if isinstance(answer, float) else _cut(str(answer))


def _cut(text: str, most: int = MOST_TEXT) -> str:
    return text if len(text) <= most else text[: most - 2].rstrip() + " …"
