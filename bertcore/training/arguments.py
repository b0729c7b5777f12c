"""The settings of a run as a person gives them, by name, in the shell or in Python. Imports no torch.

Models become folders, and what a checkpoint brings along is taken from it.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, cast

from bertcore.errors import BertcoreError, brief
from bertcore.resolve_model import resolve_model
from bertcore.settings import settings_of
from bertcore.tasks.readers.reading import sample_folder, task_named
from bertcore.training.distil_options import DistilOptions
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions
from bertcore.training.options import RunOptions, SomeRunOptions
from bertcore.training.pretrain_options import PretrainOptions, continued
from bertcore.training.resume_settings import has_run, stored_settings

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


def run_settings(kind: str, out: Path, given: Mapping[str, Any], resume: bool) -> RunOptions:
    """Of a run in the folder `out`, by the names of the settings; with `resume`, of the run that is there.

    Raises BertcoreError for a kind or name that does not exist, and for what does not go together.
    """
    usual = options_of({"kind": kind})
    known = {each.name for each in settings_of(type(usual))}
    for name in set(given) - known:
        close = difflib.get_close_matches(name, known, n=1)
        instead = f"; did you mean {close[0]}?" if close else f"; `bertcore {kind} --help` lists them as flags."
        raise BertcoreError(f"{kind} has no setting {name!r}{instead}")
    is_resumed = resume and has_run(out)
    options = stored_settings(type(usual), out, None) if is_resumed else usual
    named = given if is_resumed else {"name": out.resolve().name, **given}
    return with_settings(options, named, is_resumed)


def with_settings(
    options: SomeRunOptions, given: Mapping[str, Any], is_resumed: bool = False, in_recipe: Collection[str] = ()
) -> SomeRunOptions:
    """The settings with those given in their place; None changes nothing.

    is_resumed: `options` are those of the run that goes on. in_recipe: the settings of training that a recipe gave.
    Where nothing says what a task learns from, it is its sample. Raises BertcoreError for what does not go together.
    """
    named = {name: str(value) if isinstance(value, Path) else value for name, value in given.items()}
    corpus = named.pop("corpus", None) or None
    if corpus is not None:
        named["corpus"] = (corpus,) if isinstance(corpus, str) else tuple(map(str, corpus))
    named = {name: value for name, value in named.items() if value is not None}
    if isinstance(options, PretrainOptions):
        return cast(SomeRunOptions, _with_pretraining(options, named, is_resumed, in_recipe))
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
