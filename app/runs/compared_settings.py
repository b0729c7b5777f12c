"""How the settings of several runs differ, from their config.json. No torch, no widgets."""

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bertcore import locations
from bertcore.config import HEAD_SIZE, PRESETS
from bertcore.errors import BertcoreError, name_from_file, printable, shortened
from bertcore.files import read_bytes
from bertcore.limits import TOKENIZER_BYTES
from bertcore.runs.run_folder import RunFolder
from bertcore.training.pretrain_options import SHAPE

from ..look import names, numbers, say
from .run_info import is_built_in

MOST_VALUE = 60  # characters
_NO_SETTINGS = ("format_version", "name")
_SHAPE: dict[str, str] = names("shape of a model")


def differences(runs: Sequence[Path]) -> list[tuple[str, tuple[str, ...]]]:
    """(setting, its value in each run) of all settings that are not the same in all; a folder that cannot be read has
    none."""
    tables = [_settings(run) for run in runs]
    keys = dict.fromkeys(key for table in tables for key in table)
    found = []
    for key in keys:
        values = [table.get(key) for table in tables]
        if any(value != values[0] for value in values):
            # as the shell names it, without the part it is in: "learning rate"; a model's shape in plain words
            plain = shortened(name_from_file(key[-1].replace("_", " ")), MOST_VALUE)
            found.append((say(_SHAPE[key[-1]]) if key[-1] in _SHAPE else plain, tuple(map(_shown, values))))
    return found


def have_other_vocabularies(runs: Sequence[Path]) -> bool:
    """Whether two of them are known to cut texts by different vocabularies: the tokenizer of the newest snapshot, or of
    the model that ships with the run."""
    known = set()
    for run in runs:
        with contextlib.suppress(BertcoreError, OSError):
            shipped = locations.assets() / "checkpoints" / run.name
            folder = RunFolder(run).newest_snapshot() or (shipped if is_built_in(run) else None)
            if folder is not None:
                known.add(read_bytes(folder / "tokenizer.json", TOKENIZER_BYTES))
    return len(known) > 1


def _settings(run: Path) -> dict[tuple[str, ...], Any]:
    """Path of names -> value."""
    try:
        config = RunFolder(run).config()
    except BertcoreError:
        return {}
    found = {key: value for key, value in _flat(config) if key[0] not in (*_NO_SETTINGS, *SHAPE)}
    preset = config.get("preset")
    if isinstance(preset, str) and preset in PRESETS:
        layers, hidden = PRESETS[preset]
        shape = {"num_hidden_layers": layers, "hidden_size": hidden, "num_attention_heads": hidden // HEAD_SIZE}
        shape |= {field: config[name] for name, field in SHAPE.items() if config.get(name) is not None}
        found = {("model", name): value for name, value in shape.items()} | found
    return {key: value for key, value in found.items() if key[-1] == "vocab_size"} | found


def _flat(values: Mapping[str, Any], path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    found: list[tuple[tuple[str, ...], Any]] = []
    for name, value in values.items():
        here = (*path, str(name))
        found += _flat(value, here) if isinstance(value, Mapping) and value else [(here, value)]
    return found


def _shown(value: Any) -> str:
    if value is None or value == {} or value == []:
        return numbers.MISSING
    if isinstance(value, bool):
        return "✓" if value else "✗"
    if isinstance(value, int):
        return numbers.count(value)
    if isinstance(value, float):
        return numbers.number(value, 4)
    if isinstance(value, list | tuple):
        return shortened(", ".join(map(_shown, value)), MOST_VALUE)
    text = printable(str(value))
    return shortened(Path(text).name if "/" in text or "\\" in text else text, MOST_VALUE)
