"""What a sweep found, in words: the best settings, what to bear in mind, and what to do next. No torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bertcore.runs.sweep_results import Sweep, SweepGroup, SweepRun

from ..look import numbers
from ..look.say import mark, say
from ..state.task_info import metric_name, metric_value
from .run_kinds import kind_in

THREE = 3  # seeds
OPEN, APPLY, USE, SEEDS, GO_ON = "open", "apply", "use", "seeds", "go_on"
FEW_EXAMPLES = 200  # with fewer held-out examples, a few of them decide
SETTING_NAMES: dict[str, str] = {
    "learning_rate": mark("learning rate"),
    "batch_size": mark("batch size"),
    "epochs": mark("epochs"),
    "seed": mark("seed"),
}


@dataclass(frozen=True)
class Finding:
    """What a sweep found, what to bear in mind, and what to do next."""

    sentence: str
    advice: str = ""
    actions: tuple[str, ...] = ()
    is_bad: bool = False


def finding_of(sweep: Sweep) -> Finding:
    finding = _finding(sweep)
    if sweep.is_over and _unfinished(sweep):
        return replace(finding, actions=(GO_ON, *finding.actions))
    return finding


def _finding(sweep: Sweep) -> Finding:
    best = sweep.best
    if best is None:
        return _nothing_yet(sweep)
    if not sweep.varied:
        return _of_seeds(sweep, best)
    found = say("{settings} was best: {figure}.")
    if not sweep.is_over:
        measured = sum(group.mean is not None for group in sweep.groups)
        found = say("So far, {settings} is best: {figure}.") if measured > 1 else "{settings}: {figure}."
    sentence = _sentence(found.format(settings=settings_in_words(best), figure=figure_in_words(sweep, best)))
    parts = [sentence, *_what_went_wrong(sweep)]
    if not sweep.is_over:
        return Finding(" ".join(parts), progress_in_words(sweep))
    advice = [*_at_the_edge(sweep, best), *_missing(sweep), *_honest(sweep)]
    actions = (OPEN, APPLY, USE) if _is_task(sweep) else (OPEN, USE)
    return Finding(" ".join(parts), " ".join(advice), (*actions, SEEDS) if sweep.seeds < THREE else actions)


def _is_task(sweep: Sweep) -> bool:
    kind = kind_in({"kind": sweep.kind})
    return kind is not None and kind.is_task


def settings_in_words(group: SweepGroup) -> str:
    """ "learning rate 0.0003, batch size 16"."""
    return ", ".join(f"{setting_name(name)} {setting_value(name, value)}" for name, value in group.values.items())


def values_in_words(group: SweepGroup) -> str:
    """ "0.0003 · 16": where it is clear what they are of."""
    return " · ".join(setting_value(name, value) for name, value in group.values.items())


def setting_value(name: str, value: float | None) -> str:
    if value is None:
        return say("usual")
    return numbers.rate(value) if name == "learning_rate" else numbers.number(value)


def setting_name(name: str, short: bool = False) -> str:
    """short: over the narrow column of a table."""
    is_rate = short and name == "learning_rate"
    return say("rate") if is_rate else say(SETTING_NAMES[name])


def figure_in_words(sweep: Sweep, group: SweepGroup) -> str:
    """ "accuracy 81.2% ± 0.6%"."""
    return f"{metric_name(sweep.metric)} {mean_in_words(sweep, group)}"


def mean_in_words(sweep: Sweep, group: SweepGroup) -> str:
    """With the standard deviation over the seeds."""
    mean = metric_value(sweep.metric, group.mean)
    return mean if group.deviation is None else f"{mean} ± {metric_value(sweep.metric, group.deviation)}"


def progress_in_words(sweep: Sweep) -> str:
    done = sum(run.status.state == "done" for run in sweep.runs)
    text = say("Runs done: {done} of {of}. They are trained one after the other.")
    return text.format(done=numbers.count(done), of=numbers.count(sweep.of))


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
    text = say("{figure} over %n seed(s), from {least} to {most}.", n=len(best.scores))
    figures = [metric_value(sweep.metric, figure) for figure in (min(best.scores), max(best.scores))]
    sentence = _sentence(text.format(figure=figure_in_words(sweep, best), least=figures[0], most=figures[1]))
    if not sweep.is_over:
        return Finding(sentence, progress_in_words(sweep))
    advice = say(
        "The seed alone makes this much difference: to count as better, another setting must gain more than that."
    )
    actions = (OPEN, APPLY) if _is_task(sweep) else (OPEN,)
    return Finding(sentence, " ".join([advice, *_missing(sweep)]), actions)


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
    said = (
        (hardly, say("At {rates} it hardly learned anything.")),
        (diverged, say("At {rates} it diverged.")),
    )
    found = [text.format(rates=_and(list(map(numbers.rate, rates)))) for rates, text in said if rates]
    return found + [_partly_diverged(rate, group) for rate, group in bad.items() if rate not in diverged]


def _partly_diverged(rate: float, group: SweepGroup) -> str:
    over = _over(group)
    others = [run for run in over if not run.has_diverged]
    text = say("At {rate}, {count} of {of} runs diverged.")
    if all(run.has_hardly_learned for run in others):
        text = say("At {rate}, {count} of {of} runs diverged; the others hardly learned anything.")
    count = numbers.count(len(over) - len(others))
    return text.format(rate=numbers.rate(rate), count=count, of=numbers.count(len(over)))


def _over(group: SweepGroup) -> list[SweepRun]:
    """The runs that have ended with a figure, or by diverging."""
    return [run for run in group.runs if run.score is not None or run.has_diverged]


def _and(words: Sequence[str]) -> str:
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
        count = len(sweep.unreadable)
        told.append(say("Left out, because their settings cannot be read: %n run(s).", n=count))
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
        names = [values_in_words(group) for group in equals]
        text = say("Close enough to the best that the difference may be chance: {others}.")
        told.append(text.format(others=", ".join(names)))
    elif sweep.seeds == 1 and sweep.metric != "accuracy":
        told.append(say("Each was trained once: a small difference may be chance."))
    if 0 < examples < FEW_EXAMPLES and sweep.metric == "accuracy":
        text = say("There are only {count} held-out examples: each one counts for {share}.")
        told.append(text.format(count=numbers.count(examples), share=metric_value(sweep.metric, 1 / examples)))
    told.append(
        say(
            "Picking the best of several runs makes its score look a little better than it is; check it on new "
            "examples."
        )
    )
    return told
