"""What a sweep found: the best settings, what to bear in mind, and what to do next. No torch, no widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bertcore.runs.sweep_results import Sweep, SweepGroup, SweepRun

from ..look import numbers
from ..look.say import say
from ..state.task_info import metric_name, metric_value
from .finding import APPLY_BEST_RUN, COPY_BEST_RUN, OPEN_BEST_RUN, RESUME_SWEEP, THREE_SEEDS, Action, Finding
from .run_kinds import kind_in
from .run_sentences import setting_name, setting_value, state_name

FEW_EXAMPLES = 200  # with fewer held-out examples, a few of them decide


def finding_of(sweep: Sweep) -> Finding:
    finding = _finding(sweep)
    if sweep.is_over and _unfinished(sweep):
        return replace(finding, actions=(RESUME_SWEEP, *finding.actions))
    return finding


def _finding(sweep: Sweep) -> Finding:
    best = sweep.best
    if best is None:
        return _nothing_yet(sweep)
    if not sweep.varied:
        return _of_seeds(sweep, best)
    settings, figure = settings_in_words(best), score_in_words(sweep, best)
    if sweep.is_over:
        found = say("{settings} was best: {figure}.", settings=settings, figure=figure)
    elif sum(group.mean is not None for group in sweep.groups) > 1:
        found = say("So far, {settings} is best: {figure}.", settings=settings, figure=figure)
    else:
        found = f"{settings}: {figure}."
    parts = [_sentence(found), *_what_went_wrong(sweep)]
    if not sweep.is_over:
        return Finding(" ".join(parts), progress_in_words(sweep))
    advice = [*_at_the_edge(sweep, best), *_missing(sweep), *_honest(sweep)]
    seeds = (THREE_SEEDS,) if sweep.seeds < 3 else ()
    return Finding(" ".join(parts), " ".join(advice), (*_opening(sweep), COPY_BEST_RUN, *seeds))


def _opening(sweep: Sweep) -> tuple[Action, ...]:
    """Opening the best model; one that has learned a task is tried in Apply, too."""
    kind = kind_in({"kind": sweep.kind})
    return (OPEN_BEST_RUN, APPLY_BEST_RUN) if kind is not None and kind.is_task else (OPEN_BEST_RUN,)


def settings_in_words(group: SweepGroup) -> str:
    """ "learning rate 0.0003, batch size 16"."""
    return ", ".join(f"{setting_name(name)} {setting_value(name, value)}" for name, value in group.values.items())


def values_in_words(group: SweepGroup) -> str:
    """ "0.0003 · 16": where it is clear what they are of."""
    return " · ".join(setting_value(name, value) for name, value in group.values.items())


def score_in_words(sweep: Sweep, group: SweepGroup) -> str:
    """ "accuracy 81.2% ± 0.6%"."""
    return f"{metric_name(sweep.metric)} {mean_in_words(sweep, group)}"


def mean_in_words(sweep: Sweep, group: SweepGroup) -> str:
    """With the standard deviation over the seeds."""
    mean = metric_value(sweep.metric, group.mean)
    return mean if group.deviation is None else f"{mean} ± {metric_value(sweep.metric, group.deviation)}"


def mean_sentence(sweep: Sweep, group: SweepGroup) -> str:
    """With how many runs it is of, where that could be doubted."""
    mean, measured, count = mean_in_words(sweep, group), len(group.scores), numbers.count(len(group.scores))
    if measured < len(group.runs):
        return say("{mean} · {measured} of {all}", mean=mean, measured=count, all=numbers.count(len(group.runs)))
    return say("{mean} · all {count} runs", mean=mean, count=count) if group.has_diverged else mean


def result_cell(sweep: Sweep, run: SweepRun) -> str:
    """The score of a run; of one that has none how it stands."""
    if run.score is not None:
        score = metric_value(sweep.metric, run.score)
        return say("{figure} · diverged", figure=score) if run.has_diverged else score
    if run.has_diverged:
        return say("diverged")
    state, step, total = state_name(run.status.state), numbers.count(run.status.step), run.status.total_steps
    if run.status.state not in ("running", "paused"):
        return state
    if total is None:  # not in percent: this column has accuracies
        return say("{state} · step {step}", state=state, step=step)
    return say("{state} · step {step} of {total}", state=state, step=step, total=numbers.count(total))


def progress_in_words(sweep: Sweep) -> str:
    done, of = numbers.count(sum(run.status.state == "done" for run in sweep.runs)), numbers.count(sweep.of)
    return say("Runs done: {done} of {of}. They are trained one after the other.", done=done, of=of)


def _sentence(text: str) -> str:
    """With a capital, although it begins with the name of a setting."""
    return text[:1].upper() + text[1:]


def _nothing_yet(sweep: Sweep) -> Finding:
    if not sweep.is_over:
        return Finding(say("The first run is training."), progress_in_words(sweep))
    if any(run.has_diverged for run in sweep.runs):
        text = say("The runs diverged: their numbers grew without limit.")
        return Finding(text, say("A lower learning rate usually helps."), is_bad=True)
    text = say("None of these runs finished.")
    return Finding(text, say("Click one to see why."), is_bad=True)


def _of_seeds(sweep: Sweep, best: SweepGroup) -> Finding:
    """Nothing but the seed differs."""
    sentence = _sentence(
        say(
            "{figure} over %n seed(s), from {least} to {most}.",
            n=len(best.scores),
            figure=score_in_words(sweep, best),
            least=metric_value(sweep.metric, min(best.scores)),
            most=metric_value(sweep.metric, max(best.scores)),
        )
    )
    if not sweep.is_over:
        return Finding(sentence, progress_in_words(sweep))
    advice = say(
        "The seed alone makes this much difference: to count as better, another setting must gain more than that."
    )
    return Finding(sentence, " ".join([advice, *_missing(sweep)]), _opening(sweep))


def _what_went_wrong(sweep: Sweep) -> list[str]:
    """At which of the learning rates it diverged or learned nothing."""
    if "learning_rate" not in sweep.varied:
        return []
    rates = {float(group.values["learning_rate"] or 0): group for group in sweep.groups}
    bad = {rate: group for rate, group in rates.items() if group.has_diverged}
    hardly = [rate for rate, group in rates.items() if group.has_hardly_learned and rate not in bad]
    if len(bad) + len(hardly) == len(rates):
        return []
    diverged = [rate for rate, group in bad.items() if all(run.has_diverged for run in _over(group))]
    found = [say("At {rates} it hardly learned anything.", rates=_rates(hardly))] if hardly else []
    found += [say("At {rates} it diverged.", rates=_rates(diverged))] if diverged else []
    return found + [_partly_diverged(rate, group) for rate, group in bad.items() if rate not in diverged]


def _partly_diverged(rate: float, group: SweepGroup) -> str:
    over = _over(group)
    others = [run for run in over if not run.has_diverged]
    said: dict[str, Any] = {
        "rate": numbers.rate(rate),
        "count": numbers.count(len(over) - len(others)),
        "of": numbers.count(len(over)),
    }
    if all(run.has_hardly_learned for run in others):
        return say("At {rate}, {count} of {of} runs diverged; the others hardly learned anything.", **said)
    return say("At {rate}, {count} of {of} runs diverged.", **said)


def _over(group: SweepGroup) -> list[SweepRun]:
    """The runs that have ended with a figure, or by diverging."""
    return [run for run in group.runs if run.score is not None or run.has_diverged]


def _rates(rates: Sequence[float]) -> str:
    words = list(map(numbers.rate, rates))
    if len(words) < 2:
        return "".join(words)
    return say("{others} and {last}", others=", ".join(words[:-1]), last=words[-1])


def _at_the_edge(sweep: Sweep, best: SweepGroup) -> list[str]:
    """The best may lie beyond what was tried."""
    measured = [group for group in sweep.groups if group.mean is not None]
    rates = sorted({float(group.values.get("learning_rate") or 0) for group in measured})
    if "learning_rate" not in sweep.varied or len(rates) < 2 or _as_good(sweep):
        return []
    rate = float(best.values["learning_rate"] or 0)
    if rate == rates[0]:
        return [say("The lowest rate was best: an even lower one may do better.")]
    if rate == rates[-1]:
        return [say("The highest rate was best: an even higher one may do better.")]
    return []


def _unfinished(sweep: Sweep) -> int:
    return sum(run.status.state in ("stopped", "unknown") for run in sweep.runs)


def _as_good(sweep: Sweep) -> list[SweepGroup]:
    """Settings whose distance from the best may be chance."""
    return [group for group in sweep.groups if group is not sweep.best and sweep.is_as_good(group)]


def _missing(sweep: Sweep) -> list[str]:
    told = []
    if sweep.missing:
        told.append(say("No longer there: %n run(s).", n=sweep.missing))
    if sweep.unreadable:
        told.append(say("Left out, because their settings cannot be read: %n run(s).", n=len(sweep.unreadable)))
    stopped = _unfinished(sweep)
    if stopped:
        told.append(say("Not finished, so not counted: %n run(s).", n=stopped))
    return told


def _honest(sweep: Sweep) -> list[str]:
    """What the figures cannot say."""
    told = []
    counts = [run.final.examples for run in sweep.runs if run.final is not None]
    examples = max((count for count in counts if count), default=0)
    equals = _as_good(sweep)
    if equals:
        names = ", ".join(values_in_words(group) for group in equals)
        told.append(say("Close enough to the best that the difference may be chance: {others}.", others=names))
    elif sweep.seeds == 1 and sweep.metric != "accuracy":
        told.append(say("Each was trained once: a small difference may be chance."))
    if 0 < examples < FEW_EXAMPLES and sweep.metric == "accuracy":
        count, share = numbers.count(examples), metric_value(sweep.metric, 1 / examples)
        told.append(
            say("There are only {count} held-out examples: each one counts for {share}.", count=count, share=share)
        )
    told.append(
        say(
            "Picking the best of several runs makes its score look a little better than it is; check it on new "
            "examples."
        )
    )
    return told


def chance_sentence(chance: float) -> str:
    return say("always the most common answer: {share}", share=metric_value("accuracy", chance))


def about_sweep(sweep: Sweep) -> str:
    """How many runs it has, of what: "6 runs: 3 learning rates × 2 seeds"."""
    settings = (*sweep.varied, *(("seed",) if sweep.seeds > 1 else ()))
    counts = [_values_of(name, len({run.values.get(name) for run in sweep.runs})) for name in settings]
    runs = say("%n run(s)", n=sweep.of)
    about = f"{runs}: {' × '.join(counts)}" if counts else runs
    if sweep.budget_share == 1:
        return about
    return f"{about} · {say('each {share} of the full length', share=numbers.percent(sweep.budget_share))}"


def _values_of(setting: str, count: int) -> str:
    return {
        "learning_rate": say("%n learning rate(s)", n=count),
        "batch_size": say("%n batch size(s)", n=count),
        "epochs": say("%n length(s)", n=count),
        "seed": say("%n seed(s)", n=count),
    }[setting]


def result_sentence(sweep: Sweep, run: SweepRun) -> str:
    """What a run's dot says: "learning rate 0.001, seed 0: 90.0%"."""
    setting = sweep.varied[0] if sweep.varied else "seed"
    score = metric_value(sweep.metric, run.score)
    if run.has_diverged:
        score = say("diverged")
    elif run.status.state == "failed":
        score = say("failed")
    return say(
        "{setting} {value}, seed {seed}: {figure}",
        setting=setting_name(setting),
        value=setting_value(setting, run.values.get(setting)),
        seed=numbers.number(run.values.get("seed")),
        figure=score,
    )
