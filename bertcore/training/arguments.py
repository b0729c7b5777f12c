"""The settings of a run as a person gives them, by name, in the shell or in Python. Imports no torch.

Models become folders, and what a checkpoint brings along is taken from it.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from bertcore.errors import BertcoreError
from bertcore.resolve_model import resolve_model
from bertcore.settings import settings_of
from bertcore.tasks.readers.reading import sample_folder, task_named
from bertcore.training.distil_options import DistilOptions
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions
from bertcore.training.pretrain_options import PretrainOptions, continued
from bertcore.training.resume_settings import has_run, stored_settings

# What a checkpoint that pretraining goes on from brings along.
_OF_A_CHECKPOINT = (
    *("family", "preset", "positions", "tokenizer", "model"),
    *("layers", "hidden", "heads", "intermediate", "position_count", "segments"),
)


def run_settings(
    kind: str, out: Path, given: Mapping[str, Any], resume: bool
) -> PretrainOptions | FinetuneOptions | DistilOptions:
    """Of a run in the folder `out`, by the names of the settings; with `resume`, of the run that is there.

    Raises BertcoreError for a kind or name that does not exist, and for what does not go together.
    """
    kinds = {each.kind: each for each in (PretrainOptions, FinetuneOptions, DistilOptions)}
    if kind not in kinds:
        raise BertcoreError(f"There is no kind of run {kind!r}; choose one of {', '.join(kinds)}.")
    _refuse_unknown(kind, given, {each.name for each in settings_of(kinds[kind])})
    is_resumed = resume and has_run(out)
    named = {**({} if is_resumed else {"name": out.resolve().name}), **given}
    if kind == FinetuneOptions.kind:
        tuning = stored_settings(FinetuneOptions, out, None) if is_resumed else FinetuneOptions()
        return with_finetuning(tuning, named, is_resumed)
    if kind == DistilOptions.kind:
        return with_distilling(stored_settings(DistilOptions, out, None) if is_resumed else DistilOptions(), named)
    return with_pretraining(
        stored_settings(PretrainOptions, out, None) if is_resumed else PretrainOptions(), named, is_resumed
    )


def with_pretraining(
    options: PretrainOptions, given: Mapping[str, Any], is_resumed: bool = False, in_recipe: Collection[str] = ()
) -> PretrainOptions:
    """The settings with those given in their place; None changes nothing.

    is_resumed: `options` are those of the run that goes on. in_recipe: the settings of training that a recipe gave.
    Raises BertcoreError for what does not go together.
    """
    named = _named(given)
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


def with_finetuning(options: FinetuneOptions, given: Mapping[str, Any], is_resumed: bool = False) -> FinetuneOptions:
    """As `with_pretraining`. Where nothing says what to learn from, it is the sample of the task."""
    named = _named(given)
    if "train" not in named and not is_resumed and options.data == TaskDataOptions():
        if "task" not in named:
            raise BertcoreError("Name a task; `bertcore finetune list` shows them all.")
        sample = sample_folder(task_named(named["task"]))
        named["train"] = None if sample is None else str(sample)
    return options.with_changes(**named).with_absolute_paths()


def with_distilling(options: DistilOptions, given: Mapping[str, Any]) -> DistilOptions:
    """As `with_pretraining`."""
    named = _named(given)
    if "sequence_length" in named:
        named.setdefault("long_sequence_length", named["sequence_length"])
    named["teacher"] = str(resolve_model(named.get("teacher") or options.teacher or None).resolve())
    return options.with_changes(**named).with_absolute_paths()


def _named(given: Mapping[str, Any]) -> dict[str, Any]:
    """What is given, with the names of files as text."""
    named = {name: str(value) if isinstance(value, Path) else value for name, value in given.items()}
    corpus = named.pop("corpus", None) or None
    if corpus is not None:
        named["corpus"] = (corpus,) if isinstance(corpus, str) else tuple(map(str, corpus))
    return {name: value for name, value in named.items() if value is not None}


def _refuse_unknown(kind: str, given: Mapping[str, Any], known: Collection[str]) -> None:
    for name in given:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            instead = f"; did you mean {close[0]}?" if close else f"; `bertcore {kind} --help` lists them as flags."
            raise BertcoreError(f"{kind} has no setting {name!r}{instead}")
