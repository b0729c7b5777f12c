"""Is this normal? What is wrong with a run, as far as its own records show it, and what to change. No torch.

    diagnose(read_record(run))                  what is wrong, the most urgent first; empty where nothing is
    diagnosis_words.in_words(diagnosis)       in sentences, with their numbers

Each limit was set between healthy runs and deliberately faulty ones (docs/training.md, tests/engine/test_diagnosis.py).
The gradient norm is not among them: it has as many peaks in healthy runs as in ill ones.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertcore.runs.run_folder import cause_of
from bertcore.runs.run_record import Points, RunRecord

# Of the length of the weights, in one step, at its largest. Runs that learn: 0.4% (ten-second demo), 1.2% (class demo),
# 2% and 6% (mini and tiny on the sample stories, with their own rates). With ten times the rate these have 12 to 38%,
# and the class demo learns nothing; with a 3,000th of it, 0.001%.
LARGE, SMALL, USUAL, SLOW = 0.1, 0.00005, 0.005, 0.001
LEAST_STEPS = 20  # before that the rate has only begun to rise, and nothing is known
JUDGED_FROM = 0.4  # share of the budget; before that answers of one kind and even attention are how runs begin
_WINDOWS, _IN_WINDOW = 20, 10  # that a noisy curve is divided into, at most; each counts with its median
_RISE_OF_FALL, _RISE_OF_BEST, _RISE_OF_NOISE = 0.3, 0.2, 4.0  # from which on a training loss diverges
_WORSE, _BETTER_SCORE = 1.05, 0.005  # of the best held-out loss; a score that rises by more is no memorising
_HARDLY, _MEMORISED = 0.98, 0.85  # of the held-out loss at the start; of the one now, where training is better
_FLAT, _FLAT_SHARE, _FLAT_RATE = 0.01, 0.4, 0.5  # gained, over this share of the steps, at this share of the peak rate
_FLAT_MEASUREMENTS = 4
_AS_BY_FREQUENCY, _FREQUENCY_STEPS = (0.97, 1.1), 300  # of the loss of guessing by frequency
_ONE_CLASS, _ALMOST_ALL = 0.98, 0.95  # of the answers; of the right ones, where one answer is no wonder
# How much a head's weights vary (training/head_activity.py): 0.013 to 0.04 in random weights, 0.05 and more once they
# have learned. Share of the heads; steps after which they should have begun to.
DEAD, _DEAD_SHARE, _HEAD_STEPS = 0.02, 0.5, 200


@dataclass(frozen=True)
class Suggestion:
    """A setting, by its name in the options of the run, what it was (None: not a number, or unknown), and what to try
    instead."""

    setting: str
    before: float | None
    value: Any


@dataclass(frozen=True)
class Diagnosis:
    """`kind`: a key of `diagnosis_words.SEEN`; `values`: the numbers of its sentences."""

    kind: str
    values: Mapping[str, float | str]
    suggestion: Suggestion | None = None


def diagnose(record: RunRecord) -> list[Diagnosis]:
    """What is wrong, the most urgent first. Empty where nothing is, and while nothing is known yet."""
    if (found := _diverging(record) or _wrong_rate(record)) is not None:
        return [found]  # whatever else is wrong follows from it
    results = [_one_class(record) or _overfitting(record) or _stuck(record), _dead_heads(record)]
    return [each for each in results if each is not None]


def normal(record: RunRecord) -> Diagnosis | None:
    """What a run without a fault does; None where it is too early to say, or where it failed for another reason."""
    steps, losses = record.held_out_loss
    if record.state == "failed" or record.step < LEAST_STEPS or len(losses) < 2:
        return None
    best = int(losses.argmin())
    for name, (_, scores) in record.scores.items():
        if len(scores) > 1 and scores[-1] > scores[0]:
            if losses[-1] >= _WORSE * losses[best]:
                values = {"best": float(losses[best]), "step": float(steps[best]), "last": float(losses[-1])}
                return Diagnosis("normal_surer", {**values, "name": name})
            count = {} if record.examples is None else {"count": float(record.examples)}
            scored = {"score": float(scores[-1]), "first": float(scores[0]), **count}
            return Diagnosis("normal_score_of" if count else "normal_score", {**scored, "name": name})
    if record.scores or losses[-1] >= losses[0]:
        return None
    fall: dict[str, float | str] = {"start": float(losses[0]), "loss": float(losses[-1])}
    ratios = record.update_ratio[1]
    if not len(ratios):
        return Diagnosis("normal", fall)
    return Diagnosis("normal_updates", {**fall, "ratio": float(ratios.max())})


def size_of_updates(ratios: Points) -> str:
    """ "large", "small", "usual", or "" while there is too little to go by. ratios: of the part that moved most."""
    steps, values = ratios
    if not len(steps) or steps[-1] < LEAST_STEPS:
        return ""
    return "large" if values.max() > LARGE else "small" if values.max() < SMALL else "usual"


# --- one rule for each illness


def _diverging(record: RunRecord) -> Diagnosis | None:
    if record.state == "failed" and cause_of(record.message) == "diverged":
        step = re.search(r"at step (\d+)", record.message)
        return Diagnosis("not_finite", {"step": float(step[1]) if step else record.step}, another_rate(record))
    steps, values = record.train_loss
    medians, noise = _medians(values)
    if len(medians) < 4:
        return None
    at = int(medians.argmin())
    rise = medians[-2:].min() - medians[at]
    if rise <= max(
        _RISE_OF_FALL * (medians[0] - medians[at]), _RISE_OF_BEST * abs(medians[at]), _RISE_OF_NOISE * noise
    ):
        return None
    best_step = steps[min(len(steps) - 1, round((at + 0.5) * len(steps) / len(medians)))]
    found = {"last": float(medians[-1]), "best": float(medians[at]), "step": float(best_step)}
    return Diagnosis("diverging", found, another_rate(record))


def _wrong_rate(record: RunRecord) -> Diagnosis | None:
    size = size_of_updates(record.update_ratio)
    if size not in ("large", "small"):
        return None
    most = float(record.update_ratio[1].max())
    if size == "large":
        change = another_rate(record, 1 / 3 if most < 3 * LARGE else 1 / 10)
        return Diagnosis("too_high", {"ratio": most, "limit": LARGE}, change)
    times = 10.0 ** round(math.log10(USUAL / max(most, 1e-9)))
    return Diagnosis("too_low", {"ratio": most}, another_rate(record, min(times, 1e4)))


def _one_class(record: RunRecord) -> Diagnosis | None:
    answer = record.answer
    if record.fraction < JUDGED_FROM or record.step < LEAST_STEPS or answer is None:
        return None
    if answer.share < _ONE_CLASS or answer.right > _ALMOST_ALL:
        return None
    from_scratch = record.settings.get("from_scratch")
    change = Suggestion("from_scratch", None, False) if from_scratch else _rate_that_moves(record)
    return Diagnosis("one_class", {"label": answer.label, "share": answer.share, "right": answer.right}, change)


def _overfitting(record: RunRecord) -> Diagnosis | None:
    steps, losses = _of_phase(record)
    if len(losses) < 4:
        return None
    best = int(losses.argmin())
    after = losses[best + 1 :]
    if best == 0 or len(after) < 2 or after[-2:].min() < _WORSE * losses[best]:
        return None
    if _has_risen(record, float(steps[best])) or _has_gained(record, float(steps[best])):
        return None  # surer of its mistakes, and right as often all the same
    train_steps, train = record.train_loss
    before, since = train[train_steps <= steps[best]], train[train_steps > steps[best]]
    if len(before) and len(since) and np.median(since[-len(since) // 3 :]) >= np.median(before[-len(before) // 3 :]):
        return None  # worse in training, too: something else is wrong
    values = {"best": float(losses[best]), "step": float(steps[best]), "last": float(losses[-1])}
    total = float(record.total_steps or steps[-1])
    return Diagnosis("overfitting", values, Suggestion("steps", total, int(steps[best])))


def _stuck(record: RunRecord) -> Diagnosis | None:
    steps, losses = _of_phase(record)
    if len(losses) < 3 or record.step < LEAST_STEPS:
        return None
    last, start = float(losses[-1]), float(record.held_out_loss[1][0])
    level = record.by_frequency
    if record.fraction >= JUDGED_FROM and losses.min() > _HARDLY * start and not _has_gained(record, 0.0):
        train = _medians(record.train_loss[1])[0]
        if len(train) and train[-1] < _MEMORISED * last:
            found = {"train": float(train[-1]), "start": start, "loss": last}
            return Diagnosis("memorised", found, Suggestion("steps", float(record.step), max(record.step // 3, 1)))
        return Diagnosis("stuck", {"start": start, "loss": last}, _rate_that_moves(record))
    low, high = _AS_BY_FREQUENCY
    is_flat = losses[-3] - last < _FLAT * last
    if level is not None and record.step >= _FREQUENCY_STEPS and is_flat and low * level < losses.min() < high * level:
        return Diagnosis("by_frequency", {"loss": last, "by_frequency": level}, _more_context(record))
    recent = steps >= (1 - _FLAT_SHARE) * steps[-1]
    if (
        recent.sum() < _FLAT_MEASUREMENTS
        or record.step < _FREQUENCY_STEPS
        or not _is_rate_high(record, steps[recent][0])
    ):
        return None
    first = float(losses[recent][0])
    if min(losses[recent][1:]) < (1 - _FLAT) * first:
        return None
    if _has_risen(record, float(steps[recent][0])):
        return None
    values = {"before": first, "loss": last, "step": float(steps[recent][0])}
    return Diagnosis("plateau", values, _rate_that_moves(record))


def _dead_heads(record: RunRecord) -> Diagnosis | None:
    heads = record.heads
    if record.fraction < JUDGED_FROM or record.step < _HEAD_STEPS or heads is None:
        return None
    dead = heads.varies < DEAD
    if dead.mean() < _DEAD_SHARE:
        return None
    even = bool(heads.even[dead].mean() > 0.5)
    values = {"count": float(dead.sum()), "all": float(dead.size)}
    frozen = record.setting("frozen_layers")
    change = Suggestion("frozen_layers", None, 0) if frozen else another_rate(record, 3.0 if even else 1 / 3)
    return Diagnosis("dead_heads_even" if even else "dead_heads_one", values, change)


# --- what the rules share


def _of_phase(record: RunRecord) -> Points:
    """The measurements of what it learns now. While it predicts next words, the loss on masked words may rise in a
    healthy run."""
    steps, losses = record.held_out_loss
    is_here = (steps >= record.phase_from - 1) & (not record.is_causal)  # with what it began from
    return steps[is_here], losses[is_here]


def another_rate(record: RunRecord, times: float = 1 / 3) -> Suggestion | None:
    """Times the peak rate that the run had, to two digits; None where it had none. A rate that is too high is seldom a
    little too high."""
    values = record.rate[1]
    peak = float(values.max()) if len(values) else 0.0
    planned = record.setting("learning_rate")
    peak = float(planned) if isinstance(planned, int | float) and planned > 0 else peak
    if peak <= 0:
        return None
    return Suggestion("learning_rate", peak, float(f"{min(peak * times, 1.0):.1e}"))


def _rate_that_moves(record: RunRecord) -> Suggestion | None:
    """A higher rate where the weights hardly move, else a lower one."""
    ratios = record.update_ratio[1]
    return another_rate(record, 3.0 if len(ratios) and ratios.max() < SLOW else 1 / 3)


def _more_context(record: RunRecord) -> Suggestion:
    """Next words first; where the run did so, three times the steps."""
    if record.setting("causal_share") == 0:
        return Suggestion("causal_share", None, 0.5)
    steps = record.total_steps or record.step
    return Suggestion("steps", float(steps), 3 * steps)


def _has_risen(record: RunRecord, since: float) -> bool:
    """Whether any score of a task is better now than it was at that step."""
    of_then = [(values[steps >= since], values) for steps, values in record.scores.values() if len(steps)]
    return any(len(later) > 1 and values[-1] > later[0] + _BETTER_SCORE for later, values in of_then)


def _has_gained(record: RunRecord, since: float) -> bool:
    """Whether a task's first score has risen since the start and not fallen since that step, by more than chance."""
    steps, values = next(iter(record.scores.values()), (np.empty(0), np.empty(0)))
    later = values[steps >= since]
    if not len(later):
        return False
    start, then, now = (float(value) for value in (values[0], later[0], values[-1]))
    return now > start + _chance(start, record) and now >= then - _chance(then, record)


def _chance(score: float, record: RunRecord) -> float:
    """The standard error of a score, as if it were a share of the held-out examples. One more counts as right and one
    as wrong: otherwise a score of 0 or 1 would have none."""
    if record.examples is None:
        return _BETTER_SCORE
    share = (min(max(score, 0.0), 1.0) * record.examples + 1) / (record.examples + 2)
    return math.sqrt(share * (1 - share) / record.examples)


def _is_rate_high(record: RunRecord, since: float) -> bool:
    steps, rates = record.rate
    return len(rates) > 0 and float(rates[steps >= since].mean()) >= _FLAT_RATE * float(rates.max())


def _medians(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """The medians of some windows, and how far a value usually is from the median of its window."""
    count = min(_WINDOWS, len(values) // _IN_WINDOW)
    if count < 2:
        return np.empty(0), 0.0
    windows = np.array_split(values, count)
    medians = np.array([np.median(window) for window in windows])
    noise = np.median(np.concatenate([np.abs(window - at) for window, at in zip(windows, medians, strict=True)]))
    return medians, float(noise)
