"""What the settings of every kind of run are held to, and how its recipe is read. Importable without torch."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import fields
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_type_hints

from bertcore.errors import BertcoreError

Ranges = Mapping[str, tuple[type, float, float]]  # setting -> (int or float, lowest, highest)


def check_settings(section: object, ranges: Ranges, may_be_open: Collection[str] = ()) -> None:
    """Refuse what JSON may hold but the dataclass `section` does not mean: a number out of its range, or no number at
    all; no text, or no switch, where one is meant. None passes for the numbers in `may_be_open`. Raises BertcoreError.

    Ranges of settings that the section does not have are passed over.
    """
    for key, hint in get_type_hints(type(section)).items():
        kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
        if set(kinds) <= {str, bool, type(None)} and not isinstance(getattr(section, key), kinds):
            wanted = "true or false" if bool in kinds else "text"
            raise BertcoreError(f"The {key.replace('_', ' ')} must be {wanted}, not {getattr(section, key)!r}.")
    for key, (kind, low, high) in ranges.items():
        value = getattr(section, key, None)
        if not hasattr(section, key) or (value is None and key in may_be_open):
            continue
        is_number = isinstance(value, int if kind is int else (int, float)) and not isinstance(value, bool)
        # by way of text: a whole number of 400 digits is too large for a float otherwise
        if not is_number or not low <= float(str(value)) <= high:
            whole, name = "a whole number " if kind is int else "", key.replace("_", " ")
            raise BertcoreError(f"The {name} must be {whole}between {low:g} and {high:g}, not {value!r}.")


def check_table(values: object, name: str) -> dict[str, Any]:
    """A part of a recipe as a dictionary. Raises BertcoreError for what is no table of settings."""
    if not isinstance(values, Mapping):
        raise BertcoreError(f"The part {name} of a recipe must be a table of settings, not {values!r}.")
    return dict(values)


def check_corpus(files: object) -> tuple[str, ...]:
    """File names of a recipe's list. Raises BertcoreError for anything else."""
    if not isinstance(files, list | tuple) or not all(isinstance(file, str) for file in files):
        raise BertcoreError("The corpus of a recipe must be a list of file names.")
    return tuple(files)


def refuse_unknown(cls: type, values: Mapping[str, Any], where: str) -> None:
    """Raises BertcoreError that names what a dataclass has no field for."""
    unknown = sorted(set(values) - {item.name for item in fields(cls)})
    if unknown:
        raise BertcoreError(f"There is no setting named {', '.join(unknown)} in {where}.")


def read_recipe(file: Path) -> dict[str, Any]:
    """The settings in a JSON file. Raises BertcoreError where it cannot be read, or holds something else."""
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise BertcoreError(f"The recipe {file} cannot be read as JSON.") from None
    if not isinstance(values, dict):
        raise BertcoreError(f"The recipe {file} does not hold a JSON object.")
    return values
