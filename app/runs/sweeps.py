"""Sweeps: their rows in the list of runs, the commands that start one, and what one found: the best settings, what to
bear in mind, and what to do next. No torch, no widgets."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bertcore.errors import BertcoreError
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.sweep_results import MeasurementReader, Sweep, SweepGroup, SweepRun, read_sweep
from bertcore.training.sweep_plan import Varied, rates_around, usual_rate

from ..look import mark, names, numbers, say
from ..state.task_info import metric_name, metric_value
from .finding import APPLY_BEST_RUN, COPY_BEST_RUN, OPEN_BEST_RUN, RESUME_SWEEP, THREE_SEEDS, Finding
from .process import RunCommand
from .run_info import RunInfo
from .run_kinds import COMMANDS, kind_in, read_settings
from .run_sentences import setting_name, setting_value, state_name

_COUNTS: dict[str, str] = names("counts of a sweep")
FIVE, A_THIRD, THREE = 5, 1 / 3, 3  # learning rates; of the budget; seeds
FEW_EXAMPLES = 200  # with fewer held-out examples, a few of them decide


@dataclass(frozen=True)
class SweepRow:
    """A sweep in the list of runs."""

    id: str
    name: str
    runs: tuple[RunInfo, ...]  # by their numbers
    of: int

    @property
    def is_active(self) -> bool:
        return any(run.status.active for run in self.runs)

    @property
    def done(self) -> int:
        return sum(run.status.state == "done" for run in self.runs)

    @property
    def fraction(self) -> float:
        """Of all budgets together; what failed or was stopped is over, too."""
        shares = [run.status.fraction if run.status.active else 1.0 for run in self.runs]
        return sum(shares) / max(len(shares), 1)


def five_rates(command: RunCommand, budget_share: float = 1.0) -> RunCommand:
    """The same run with five learning rates around the usual one."""
    rates = rates_around(usual_rate(command.options, download=False), FIVE)
    return replace(command, varied=Varied(rates=rates, budget_share=budget_share))


def three_seeds(command: RunCommand) -> RunCommand:
    return replace(command, varied=Varied(seeds=THREE))


def can_be_swept(kind: str) -> bool:
    return COMMANDS[kind].has_score


def again(run: RunInfo) -> RunCommand:
    """A run with the settings of this one. Raises BertcoreError where its folder does not say them."""
    return RunCommand(read_settings(RunFolder(run.path).config(), run.name).with_changes(name=run.name))


def rows_of(runs: Sequence[RunInfo], unfolded: str | None = None) -> list[RunInfo | SweepRow]:
    """The list of runs, each sweep as a row of its own; the runs of the one that is unfolded follow it."""
    rows: list[RunInfo | SweepRow] = []
    seen: set[str] = set()
    for run in runs:
        if run.sweep is None:
            rows.append(run)
        elif run.sweep.id not in seen:
            seen.add(run.sweep.id)
            row = sweep_row(runs, run.sweep.id)
            rows.append(row)
            if run.sweep.id == unfolded:
                rows.extend(row.runs)
    return rows


def sweep_row(runs: Sequence[RunInfo], sweep_id: str) -> SweepRow:
    """Raises ValueError where no run belongs to it."""
    found = [(run.sweep, run) for run in runs if run.sweep is not None and run.sweep.id == sweep_id]
    if not found:
        raise ValueError(sweep_id)
    found.sort(key=lambda each: each[0].number)
    place = found[0][0]
    return SweepRow(sweep_id, place.name, tuple(run for _, run in found), place.of)


def read_row(row: SweepRow, reader: MeasurementReader | None = None) -> Sweep | None:
    """What its runs have measured; None where their folders are damaged."""
    try:
        return read_sweep([run.path for run in row.runs], {run.path: run.status for run in row.runs}, reader)
    except BertcoreError:
        return None


def finding_of(sweep: Sweep) -> Finding:
    """What was best, what to bear in mind and what to do next; while it is trained, how far it is."""
    best, stopped = sweep.best, sum(run.status.state in ("stopped", "unknown") for run in sweep.runs)
    done, of = numbers.count(sum(run.status.state == "done" for run in sweep.runs)), numbers.count(sweep.of)
    progress = say("Runs done: {done} of {of}. They are trained one after the other.", done=done, of=of)
    if best is None:
        if not sweep.is_over:
            return Finding(say("The first run is training."), progress)
        finding = Finding(say("None of these runs finished."), say("Click one to see why."), is_bad=True)
        if any(run.has_diverged for run in sweep.runs):
            text = say("The runs diverged: their numbers grew without limit.")
            finding = Finding(text, say("A lower learning rate usually helps."), is_bad=True)
        return replace(finding, actions=(RESUME_SWEEP,)) if stopped else finding
    kind = kind_in({"kind": sweep.kind})  # what has learned a task is tried in Apply, too
    opening = (OPEN_BEST_RUN, APPLY_BEST_RUN) if kind is not None and kind.is_task else (OPEN_BEST_RUN,)
    settings, score = settings_in_words(best), f"{metric_name(sweep.metric)} {mean_in_words(sweep, best)}"
    equals = [group for group in sweep.groups if group is not best and sweep.is_as_good(group)]
    parts, advice = [], _left_out(sweep, stopped)
    if not sweep.varied:  # nothing but the seed differs
        least, most = (metric_value(sweep.metric, end(best.scores)) for end in (min, max))
        found = say(
            "{figure} over %n seed(s), from {least} to {most}.",
            n=len(best.scores),
            figure=score,
            least=least,
            most=most,
        )
        seeds = say(
            "The seed alone makes this much difference: to count as better, another setting must gain more than that."
        )
        advice, actions = [seeds, *advice], opening
    else:
        found = f"{settings}: {score}."
        if sweep.is_over:
            found = say("{settings} was best: {figure}.", settings=settings, figure=score)
        elif sum(group.mean is not None for group in sweep.groups) > 1:
            found = say("So far, {settings} is best: {figure}.", settings=settings, figure=score)
        parts = _what_went_wrong(sweep)
        advice = [*([] if equals else _at_the_edge(sweep, best)), *advice, *_what_figures_cannot_say(sweep, equals)]
        actions = (*opening, COPY_BEST_RUN, *((THREE_SEEDS,) if sweep.seeds < 3 else ()))
    sentence = " ".join([found[:1].upper() + found[1:], *parts])  # although it begins with the name of a setting
    if not sweep.is_over:
        return Finding(sentence, progress)
    return Finding(sentence, " ".join(advice), (RESUME_SWEEP, *actions) if stopped else actions)


def sweep_line(row: SweepRow) -> str:
    """How a sweep stands: "3 of 5 runs done"."""
    done = say("{done} of {of} runs done", done=numbers.count(row.done), of=numbers.count(row.of))
    at_work = next((run for run in row.runs if run.status.state in ("running", "paused")), None)
    return done if at_work is None else f"{state_name(at_work.status.state)} · {done}"


def settings_in_words(group: SweepGroup) -> str:
    """ "learning rate 0.0003, batch size 16"."""
    return ", ".join(f"{setting_name(name)} {setting_value(name, value)}" for name, value in group.values.items())


def values_in_words(group: SweepGroup) -> str:
    """ "0.0003 · 16": where it is clear what they are of."""
    return " · ".join(setting_value(name, value) for name, value in group.values.items())


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


def _what_went_wrong(sweep: Sweep) -> list[str]:
    """At which of the learning rates it diverged or learned nothing."""
    if "learning_rate" not in sweep.varied:
        return []
    rates = {float(group.values["learning_rate"] or 0): group for group in sweep.groups}
    bad = {rate: group for rate, group in rates.items() if group.has_diverged}
    hardly = [rate for rate, group in rates.items() if group.has_hardly_learned and rate not in bad]
    if len(bad) + len(hardly) == len(rates):
        return []
    diverged, partly = [], []
    for rate, group in bad.items():
        over = [run for run in group.runs if run.score is not None or run.has_diverged]
        others = [run for run in over if not run.has_diverged]
        if not others:
            diverged.append(rate)
            continue
        sentence = mark("At {rate}, {count} of {of} runs diverged.")
        if all(run.has_hardly_learned for run in others):
            sentence = mark("At {rate}, {count} of {of} runs diverged; the others hardly learned anything.")
        count, of = numbers.count(len(over) - len(others)), numbers.count(len(over))
        partly.append(say(sentence, rate=numbers.rate(rate), count=count, of=of))
    found = []
    for sentence, values in (
        (mark("At {rates} it hardly learned anything."), hardly),
        (mark("At {rates} it diverged."), diverged),
    ):
        *rates_before, words = map(numbers.rate, values or [0.0])
        if rates_before:
            words = say("{others} and {last}", others=", ".join(rates_before), last=words)
        found += [say(sentence, rates=words)] if values else []
    return found + partly


def _at_the_edge(sweep: Sweep, best: SweepGroup) -> list[str]:
    """The best may lie beyond what was tried."""
    measured = [group for group in sweep.groups if group.mean is not None]
    rates = sorted({float(group.values.get("learning_rate") or 0) for group in measured})
    if "learning_rate" not in sweep.varied or len(rates) < 2:
        return []
    rate = float(best.values["learning_rate"] or 0)
    if rate == rates[0]:
        return [say("The lowest rate was best: an even lower one may do better.")]
    return [say("The highest rate was best: an even higher one may do better.")] if rate == rates[-1] else []


def _left_out(sweep: Sweep, stopped: int) -> list[str]:
    """Runs that do not count."""
    return [
        say(sentence, n=count)
        for sentence, count in (
            (mark("No longer there: %n run(s)."), sweep.missing),
            (mark("Left out, because their settings cannot be read: %n run(s)."), len(sweep.unreadable)),
            (mark("Not finished, so not counted: %n run(s)."), stopped),
        )
        if count
    ]


def _what_figures_cannot_say(sweep: Sweep, equals: list[SweepGroup]) -> list[str]:
    """equals: settings whose distance from the best may be chance."""
    found = []
    counts = [run.final.examples for run in sweep.runs if run.final is not None]
    examples = max((count for count in counts if count), default=0)
    if equals:
        names = ", ".join(map(values_in_words, equals))
        found.append(say("Close enough to the best that the difference may be chance: {others}.", others=names))
    elif sweep.seeds == 1 and sweep.metric != "accuracy":
        found.append(say("Each was trained once: a small difference may be chance."))
    if 0 < examples < FEW_EXAMPLES and sweep.metric == "accuracy":
        count, share = numbers.count(examples), metric_value(sweep.metric, 1 / examples)
        few = say("There are only {count} held-out examples: each one counts for {share}.", count=count, share=share)
        found.append(few)
    best_of_several = say(
        "Picking the best of several runs makes its score look a little better than it is; check it on new examples."
    )
    return [*found, best_of_several]


def chance_sentence(chance: float) -> str:
    return say("always the most common answer: {share}", share=metric_value("accuracy", chance))


def about_sweep(sweep: Sweep) -> str:
    """How many runs it has, of what: "6 runs: 3 learning rates × 2 seeds"."""
    settings = (*sweep.varied, *(("seed",) if sweep.seeds > 1 else ()))
    counts = [say(_COUNTS[name], n=len({run.values.get(name) for run in sweep.runs})) for name in settings]
    runs = say("%n run(s)", n=sweep.of)
    about = f"{runs}: {' × '.join(counts)}" if counts else runs
    if sweep.budget_share == 1:
        return about
    return f"{about} · {say('each {share} of the full length', share=numbers.percent(sweep.budget_share))}"


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
