"""What a run is called, what it does, and how it stands, each in a line. No torch, no widgets."""

import re
from typing import Any

from bertcore.runs.metrics_file import examples_of
from bertcore.runs.run_folder import RunStatus
from bertcore.training.sweep_plan import WORDS

from ..look import mark, names, numbers, say
from ..state.task_info import counted_value, metric_name
from .run_info import RunInfo

_STATES: dict[str, str] = names("states of a run")
_SETTINGS: dict[str, str] = names("settings")
BUSY = mark("Wait until the run is done, or stop it: two at once take twice as long.")


def shown_name(run: RunInfo, short: bool = False) -> str:
    """A run's name, with the settings that its sweep put into it as the screen writes them: "rate 2e−5, seed 0".

    short: those alone, below its sweep, which has the name.
    """
    if run.sweep is None or not run.name.startswith(run.sweep.name):
        return run.name
    settings = run.name.removeprefix(run.sweep.name)
    given = re.findall(r" (\S+) (\d+(?:\.\d+)?(?:e[-+]\d+)?)", settings)
    if not given or "".join(f" {word} {value}" for word, value in given) != settings:
        return settings.strip() if short and settings.strip() else run.name
    names = {word: name for name, word in WORDS.items()}
    parts = (
        f"{setting_name(names[word], short=True)} {setting_value(names[word], float(value))}"
        if word in names
        else f"{word} {numbers.number(float(value))}"
        for word, value in given
    )
    return ", ".join(parts) if short else f"{run.sweep.name} · {', '.join(parts)}"


def setting_name(name: str, short: bool = False) -> str:
    """short: over the narrow column of a table."""
    return say("rate") if short and name == "learning_rate" else say(_SETTINGS[name])


def setting_value(name: str, value: float | None) -> str:
    if value is None:
        return say("usual")
    return numbers.rate(value) if name == "learning_rate" else numbers.number(value)


def state_name(state: str) -> str:
    """A run's state as a person reads it."""
    return say(_STATES.get(state, mark("Unreadable")))


def state_line(run: RunInfo, outcome: str = "") -> str:
    """How a run stands, in one line: "Running · 61% · 14 min left". outcome: in place of "Done"."""
    status = run.status
    parts = [outcome or state_name(status.state)]
    if status.state == "running":
        parts.append(numbers.percent(status.fraction))
        if status.remaining_s is not None:
            parts.append(say("{time} left", time=numbers.duration(status.remaining_s)))
    elif status.state == "paused":
        parts.append(_at_step(status))
    elif status.message and status.message.startswith(parts[0]):
        parts = [status.message]
    elif status.message and (status.state != "done" or status.ends_with is None):  # else the strip of its end says it
        parts.append(status.message)
    elif status.state in ("done", "stopped"):
        measured = _measured(run.held_out or {}, run.metrics, run.task_kind)
        parts += [measured] if run.metrics and measured else [_at_step(status), measured]
    return " · ".join(part for part in parts if part)


def _at_step(status: RunStatus) -> str:
    return say("step {step}", step=numbers.count(status.step if status.ends_with is None else status.ends_with))


def _measured(held_out: dict[str, Any], metrics: tuple[str, ...], kind: str | None) -> str:
    """The newest measurement of the main metric, which comes first in `metrics`."""
    name = next((name for name in metrics if isinstance(held_out.get(name), int | float)), None)
    if name is not None:
        return f"{metric_name(name)} {counted_value(kind, name, held_out[name], examples_of(held_out))}"
    asked = held_out.get("questions")
    if isinstance(asked, dict) and isinstance(asked.get("right"), int) and isinstance(asked.get("of"), int):
        right, all_ = numbers.count(asked["right"]), numbers.count(asked["of"])
        return say("{right} of {all} right", right=right, all=all_)
    accuracy = held_out.get("mlm_accuracy")
    return say("{share} correct", share=numbers.percent(accuracy)) if isinstance(accuracy, int | float) else ""
