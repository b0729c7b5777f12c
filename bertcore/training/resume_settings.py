"""Which settings of a run may change when it is resumed: its budget, and what changes no number. Imports no torch."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bertcore.errors import BertcoreError
from bertcore.files import json_bytes, read_json_or_empty, write_atomic, write_errors
from bertcore.runs.run_folder import CONFIG, RESUME, RunFolder
from bertcore.runs.snapshots import TRAINING_STATE_FILE
from bertcore.settings import read_recipe
from bertcore.training.options import BUDGETS, SomeRunOptions
from bertcore.training.pretrain_options import DEFAULT_MINUTES

# speed, memory, and how long to wait for something better
FREE = ("threads", "workers", "compile", "accumulate", "save_minutes", "snapshots_mib", "patience")


def overlay(stored: Mapping[str, Any], recipe: Mapping[str, Any]) -> dict[str, Any]:
    """A run's settings with those of a recipe in their place; a budget takes the place of one of another kind."""
    values = dict(stored)
    for name, given in recipe.items():
        if isinstance(given, Mapping) and isinstance(values.get(name), Mapping):
            emptied = dict.fromkeys(BUDGETS) if name == "training" and set(BUDGETS) & set(given) else {}
            values[name] = {**values[name], **{key: None for key in emptied if key in values[name]}, **given}
        else:
            values[name] = given
    return values


def resume_settings(folder: RunFolder, stored: SomeRunOptions, wanted: SomeRunOptions | None) -> SomeRunOptions:
    """The settings to continue with; where they differ from `stored`, they are written to config.json and the log.

    Raises BertcoreError where `wanted` differs in anything but the budget and FREE, or where its budget is less than
    what is done.
    """
    if wanted is None:
        return stored
    before, after = stored.to_dict(), wanted.to_dict()
    changed = {
        key: values
        for key, values in _differences(before, after).items()
        if not (key[1] in BUDGETS and None not in values and math.isclose(*values))
    }
    for (section, key), (old, new) in changed.items():
        if section != "training" or key not in (*BUDGETS, *FREE):
            raise BertcoreError(
                f"The run {folder.path} resumes with its own settings: {key.replace('_', ' ')} {_shown(old)}, "
                f"not {_shown(new)}. Leave that out, or start a new run."
            )
    if not changed:
        return stored
    if any(key in BUDGETS for _, key in changed):
        _check_budget(folder, after["training"])
        after["training"] = _warm_up_stays_over(folder, before["training"], after["training"])
    with folder.acquire(), write_errors(folder.path):  # a run that somebody else trains is left alone
        write_atomic(folder.path / CONFIG, json_bytes(after), durable=True)
        words = "; ".join(_in_words(before["training"], after["training"]))
        folder.log(f"changed on resume: {words}")
        folder.append_metric({"kind": RESUME, "step": _progress(folder)[0], "changed": words})
    return type(wanted).from_dict(after)


def _differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[tuple[str, str], tuple[Any, Any]]:
    """(section, setting) -> (old, new); the section is "" for what stands in none."""
    differences: dict[tuple[str, str], tuple[Any, Any]] = {}
    for name, old in before.items():
        new = after.get(name)
        if name in ("data", "training") and isinstance(old, Mapping) and isinstance(new, Mapping):
            differences |= {(name, key): (old[key], new.get(key)) for key in old if old[key] != new.get(key)}
        elif old != new:
            differences["", name] = (old, new)
    return differences


def _progress(folder: RunFolder) -> tuple[int, float]:
    """(steps, seconds of training) from which the run would go on; (0, 0.0) before its first step."""
    for _, snapshot in reversed(folder.snapshots()):
        values = read_json_or_empty(snapshot / TRAINING_STATE_FILE, to_rewrite=True)  # config.json, by what it says
        step, elapsed_s = values.get("step"), values.get("elapsed_s")
        if isinstance(step, int) and isinstance(elapsed_s, int | float):
            return step, float(elapsed_s)
    return 0, 0.0


def _check_budget(folder: RunFolder, training: Mapping[str, Any]) -> None:
    step, seconds = _progress(folder)
    steps, minutes = training.get("steps"), training.get("minutes")
    if steps is not None and steps < step:
        raise BertcoreError(f"The run {folder.path} has done {step:,} steps already; give it at least as many.")
    if steps is None and minutes is not None and 60 * minutes < seconds:
        raise BertcoreError(f"The run {folder.path} has trained {seconds / 60:.1f} minutes already; give it more.")
    if steps is None and minutes is None and training.get("epochs") is not None:
        lines = (line for line in folder.tail().read_new() if (line.get("step") or 0) <= step)
        epochs = [line["epoch"] for line in lines if isinstance(line.get("epoch"), int | float)]
        if max(epochs, default=0.0) > training["epochs"]:
            times = max(epochs)
            raise BertcoreError(f"The run {folder.path} has trained for {times:.1f} epochs already; give it more.")


def _warm_up_stays_over(folder: RunFolder, before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """A causal warm-up that has ended does not come back because the budget grows."""
    share = after.get("causal_share") or 0.0
    step, seconds = _progress(folder)
    per_epoch = (folder.status().total_steps or 0) / (before.get("epochs") or math.inf)
    if share and _share_done(before, step, seconds, per_epoch) >= share:
        share = min(share, math.floor(1e6 * _share_done(after, step, seconds, per_epoch)) / 1e6)
        return {**after, "causal_share": share}
    return dict(after)


def _share_done(training: Mapping[str, Any], step: int, seconds: float, steps_per_epoch: float) -> float:
    steps, minutes, epochs = training.get("steps"), training.get("minutes"), training.get("epochs")
    if epochs is not None and steps_per_epoch:
        steps = epochs * steps_per_epoch
    if steps is not None:
        return float(step / steps)
    return seconds / (60 * (DEFAULT_MINUTES if minutes is None else minutes))


def _in_words(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    changed = {name: (before.get(name), new) for name, new in after.items() if before.get(name) != new}
    return [f"{name.replace('_', ' ')} {_shown(new)}, was {_shown(old)}" for name, (old, new) in changed.items()]


def _shown(value: Any) -> str:
    if value is None:
        return "unset"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def stored_settings(kind: type[SomeRunOptions], run: Path, recipe: Path | None) -> SomeRunOptions:
    """Those of a run, with a recipe's in their place. Raises BertcoreError where they cannot be read."""
    stored = kind.from_dict(RunFolder(run).config())
    return kind.from_dict(overlay(stored.to_dict(), read_recipe(recipe))) if recipe else stored


def has_run(run: Path) -> bool:
    """Whether there is something to go on with."""
    return (run / CONFIG).is_file()
