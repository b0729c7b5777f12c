"""The settings of a run: as a person gives them by name, in the shell or in Python, and what of them may change when
it is resumed: its budget, and what changes no number. Imports no torch.

Models become folders, and what a checkpoint brings along is taken from it.
"""

import difflib
import math
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from bertcore.errors import BertcoreError, brief
from bertcore.files import json_bytes, read_json_or_empty, write_atomic, write_errors
from bertcore.resolve_model import resolve_model
from bertcore.runs.run_folder import CONFIG, RESUME, RunFolder
from bertcore.runs.snapshots import TRAINING_STATE_FILE
from bertcore.settings import read_recipe, settings_of
from bertcore.tasks.readers.reading import sample_folder, task_named
from bertcore.training.distil_options import DistilOptions
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions
from bertcore.training.options import BUDGETS, RunOptions, SomeRunOptions
from bertcore.training.pretrain_options import DEFAULT_MINUTES, PretrainOptions, continued

OPTIONS_OF_KIND: dict[str, type[RunOptions]] = {
    each.kind: each for each in (PretrainOptions, FinetuneOptions, DistilOptions)
}
# What a checkpoint that pretraining goes on from brings along.
_OF_A_CHECKPOINT = (
    *("family", "preset", "positions", "tokenizer", "model"),
    *("layers", "hidden", "heads", "intermediate", "position_count", "segments"),
)


def options_of(config: Mapping[str, Any]) -> RunOptions:
    """The settings of a run by its config.json. Raises BertcoreError for what is none, and for a kind that is not known
    here."""
    kind = config.get("kind", PretrainOptions.kind)
    if not isinstance(kind, str) or kind not in OPTIONS_OF_KIND:
        raise BertcoreError(f"There is no kind of run {brief(kind)}; choose one of {', '.join(OPTIONS_OF_KIND)}.")
    return OPTIONS_OF_KIND[kind].from_dict(config)


def run_settings(
    kind: str, out: Path, given: Mapping[str, Any], resume: bool, recipe: Path | None = None, name: str | None = None
) -> RunOptions:
    """Of a run in the folder `out`: those that are given, by their names (None and an empty text are not), then a
    recipe's, then the usual ones; with `resume`, of the run that is there. name: of a new run, where neither they nor
    the recipe say it. Where nothing says what a task learns from, it is its sample.

    Raises BertcoreError for a kind or name that does not exist, and for what does not go together.
    """
    options = options_of({"kind": kind})
    known = {each.name for each in settings_of(type(options))}
    for unknown in set(given) - known:
        close = difflib.get_close_matches(unknown, known, n=1)
        instead = f"; did you mean {close[0]}?" if close else f"; `bertcore {kind} --help` lists them as flags."
        raise BertcoreError(f"{kind} has no setting {unknown!r}{instead}")
    in_recipe = read_recipe(recipe) if recipe else {}
    if is_resumed := resume and has_run(out):
        stored = type(options).from_dict(RunFolder(out).config())
        options = type(options).from_dict(overlay(stored.to_dict(), in_recipe)) if recipe else stored
    elif recipe:
        options = type(options).from_dict(in_recipe)
    else:
        given = {**given, "name": given.get("name") or name}
    named = {name: str(value) if isinstance(value, Path) else value for name, value in given.items()}
    if corpus := named.pop("corpus", None):
        named["corpus"] = (corpus,) if isinstance(corpus, str) else tuple(map(str, corpus))
    named = {name: value for name, value in named.items() if value is not None and value != ""}
    if isinstance(options, PretrainOptions):
        return _with_pretraining(options, named, is_resumed, in_recipe.get("training") or {})
    if isinstance(options, DistilOptions):
        if "sequence_length" in named:
            named.setdefault("long_sequence_length", named["sequence_length"])
        named["teacher"] = str(resolve_model(named.get("teacher") or options.teacher or None).resolve())
    elif "train" not in named and not is_resumed and options.data == TaskDataOptions():
        if "task" not in named:
            raise BertcoreError("Name a task; `bertcore finetune list` shows them all.")
        sample = sample_folder(task_named(named["task"]))
        named["train"] = None if sample is None else str(sample)
    return options.with_changes(**named).with_absolute_paths()


def _with_pretraining(
    options: PretrainOptions, named: dict[str, Any], is_resumed: bool, in_recipe: Collection[str]
) -> PretrainOptions:
    start, length = named.pop("start", None), named.get("sequence_length")
    if length and "long_sequence_length" not in named:
        named["long_sequence_length"] = max(length, options.data.long_sequence_length)
    twice = [name for name in _OF_A_CHECKPOINT if name in named]
    if start is not None and not is_resumed and twice:
        raise BertcoreError(f"A checkpoint has its own family, size and vocabulary; leave out {' and '.join(twice)}.")
    if "tokenizer" in named:
        named["tokenizer"] = str(resolve_model(named["tokenizer"]).resolve())
    options = options.with_changes(**named).with_absolute_paths()
    if start is None:
        return options
    folder = resolve_model(start).resolve()
    if is_resumed:
        return options.with_changes(start=str(folder))
    # it guesses masked words already, so it needs no warm-up on next words
    causal_share = None if "causal_share" in named or "causal_share" in in_recipe else 0.0
    return continued(options, folder).with_changes(pairs=named.get("pairs"), causal_share=causal_share)


# --- of a run that is resumed

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
    now, changed = _flat(after), {}
    for at, old in _flat(before).items():
        new: Any = now.get(at)
        if old != new and not (at[1] in BUDGETS and None not in (old, new) and math.isclose(old, new)):
            changed[at] = old, new
    for (section, key), (old, new) in changed.items():
        if section != "training" or key not in (*BUDGETS, *FREE):
            raise BertcoreError(
                f"The run {folder.path} resumes with its own settings: {key.replace('_', ' ')} {_shown(old)}, "
                f"not {_shown(new)}. Leave that out, or start a new run."
            )
    if not changed:
        return stored
    if any(key in BUDGETS for _, key in changed):
        if now.get(("data", "last_mask_share")) is not None:  # the steps so far would be drawn again with other shares
            raise BertcoreError(
                f"The share of masked tokens of the run {folder.path} follows its steps, so their number stays."
            )
        _check_budget(folder, after["training"])
        after["training"] = _warm_up_stays_over(folder, before["training"], after["training"])
    with folder.acquire(), write_errors(folder.path):  # a run that somebody else trains is left alone
        write_atomic(folder.path / CONFIG, json_bytes(after), durable=True)
        were = before["training"]
        differ = [(name, new) for name, new in after["training"].items() if were.get(name) != new]
        words = "; ".join(
            f"{name.replace('_', ' ')} {_shown(new)}, was {_shown(were.get(name))}" for name, new in differ
        )
        folder.log(f"changed on resume: {words}")
        folder.append_metric({"kind": RESUME, "step": _progress(folder)[0], "changed": words})
    return type(wanted).from_dict(after)


def _flat(values: Mapping[str, Any]) -> dict[tuple[str, str], Any]:
    """(section, setting) -> value; the section is "" for what stands in none."""
    sections = ("data", "training")
    own = {("", name): value for name, value in values.items() if name not in sections}
    return own | {(section, name): value for section in sections for name, value in values[section].items()}


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


def _shown(value: Any) -> str:
    if value is None:
        return "unset"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def has_run(run: Path) -> bool:
    """Whether there is something to go on with."""
    return (run / CONFIG).is_file()
