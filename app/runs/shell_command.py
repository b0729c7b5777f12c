"""The command that starts a run like a given one, to be copied into a terminal. Imports no torch."""

import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bertcore.errors import BertcoreError, printable
from bertcore.runs.run_folder import CONFIG, RunFolder
from bertcore.settings import Setting, settings_of
from bertcore.training.options import RunOptions
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.run_settings import options_of

from .run_kinds import kind_in

_ONLY_IN_RECIPES = ("mixture", "start", "tokenizer")  # and for pretraining "model": a table of sizes
_COLUMN_FLAGS = {"text": "--text", "text_b": "--text-b", "label": "--label"}


def shell_command(run: Path) -> str:
    """`bertcore pretrain --corpus ...` with the settings that are not the usual ones; where no flag says one of them,
    `bertcore pretrain --recipe RUN/config.json`. Raises BertcoreError where the run's config cannot be read.

    No word has a line break or another control character, which a terminal may obey as it is pasted.
    """
    config = RunFolder(run).config()
    kind = str(config.get("kind", PretrainOptions.kind))
    words = _flags(config)
    if not words or not _is_plain(words):
        words = ["--recipe", str(run / CONFIG)]
    command = ["bertcore", kind, *words]
    if not _is_plain(command):
        raise BertcoreError(
            f"There are control characters in the name or kind of the run {run}; rename its folder, then copy again."
        )
    return subprocess.list2cmdline(command) if sys.platform == "win32" else shlex.join(command)


def _flags(config: Mapping[str, Any]) -> list[str] | None:
    """None where a recipe is needed."""
    known = kind_in(config)
    if known is None or not known.has_flags:
        return None
    changed = list(_changed(options_of(config)))
    if any(each.name in _ONLY_IN_RECIPES or (each.kind is Mapping and each.name != "columns") for each, _ in changed):
        return None
    words: list[str] = []
    for setting, value in changed:
        flag = f"--{setting.name.replace('_', '-')}"
        if setting.name == "task":
            words = [str(value), *words]
        elif setting.kind is bool:
            words.append(flag if value else f"--no-{flag[2:]}")
        elif setting.name == "columns":
            words += [word for role, column in value.items() for word in (_COLUMN_FLAGS[role], str(column))]
        elif setting.kind is tuple:
            if any(str(item).startswith("-") for item in value):  # it would be taken for a flag
                return None
            words += [flag, *map(str, value)]
        else:
            words += [flag, str(value)]
    return words


def _is_plain(words: list[str]) -> bool:
    return all(printable(word) == word and "\n" not in word and "\t" not in word for word in words)


def _changed(options: RunOptions) -> Iterator[tuple[Setting, Any]]:
    """Settings that are not the usual ones, with their values."""
    usual, values = type(options)().to_dict(), options.to_dict()
    for setting in settings_of(type(options)):
        table = values[setting.section] if setting.section else values
        before = usual[setting.section] if setting.section else usual
        if table[setting.name] != before[setting.name] and table[setting.name] is not None:
            yield setting, table[setting.name]
