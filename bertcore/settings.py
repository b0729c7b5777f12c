"""Settings as dataclasses: beside each field stand its meaning, its unit and what it may be.

From these follow the checks, the recipe files, the flags of the shell and the form of the window. Imports no torch.

    @dataclass(frozen=True)
    class TrainingOptions(Settings):
        batch_size: int = setting(16, "Sequences per step", within=(1, 65_536))
        minutes: float | None = setting(None, "Budget", unit="minutes", within=(0.01, 1e6))
"""

import math
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, ClassVar, Self, cast, get_args, get_origin, get_type_hints

from bertcore.errors import BertcoreError, brief
from bertcore.files import read_json

_type_hints = cache(get_type_hints)  # evaluates annotations; a recipe asks for the same ones many times


def setting(
    default: Any,
    help: str,
    *,
    unit: str = "",
    within: tuple[float | None, float | None] = (None, None),
    choices: tuple[str, ...] = (),
) -> Any:
    """A dataclass field. `help` is a sentence without its full stop; `within`: the least and the most."""
    about = {"help": help, "unit": unit, "at_least": within[0], "at_most": within[1], "choices": choices}
    if isinstance(default, dict):
        return field(default_factory=lambda: dict(default), metadata=about)
    return field(default=default, metadata=about)


@dataclass(frozen=True)
class Setting:
    """One field of a settings class, for whoever makes a flag or an input of it."""

    name: str
    section: str  # its part of the recipe: "data", "training"; "" for the recipe itself
    kind: type  # bool, int, float, str, tuple (of strings) or Mapping
    optional: bool  # None is allowed
    default: Any
    help: str
    unit: str
    at_least: float | None
    at_most: float | None
    choices: tuple[str, ...]

    def check(self, value: object) -> None:
        """Raises BertcoreError where a value, as JSON may hold it, is not what this setting means."""
        name = self.name.replace("_", " ")
        if value is None and self.optional:
            return
        if self.choices and value not in self.choices:
            raise BertcoreError(f"There is no {name} {brief(value)}; choose one of {', '.join(self.choices)}.")
        if self.kind in (int, float):
            is_number = isinstance(value, int if self.kind is int else (int, float)) and not isinstance(value, bool)
            low, high = self.at_least or 0.0, math.inf if self.at_most is None else self.at_most
            # by way of text: a whole number of 400 digits is too large for a float otherwise
            if not is_number or not low <= float(str(value)) <= high or math.isinf(float(str(value))):
                whole = "a whole number " if self.kind is int else ""
                raise BertcoreError(f"The {name} must be {whole}{self.range}, not {brief(value)}.")
        elif self.kind is bool and not isinstance(value, bool):
            wanted = "true, false or null" if self.optional else "true or false"
            raise BertcoreError(f"The {name} must be {wanted}, not {brief(value)}.")
        elif self.kind is str and not isinstance(value, str):
            raise BertcoreError(f"The {name} must be text, not {brief(value)}.")
        elif self.kind is tuple and not (isinstance(value, tuple) and all(isinstance(each, str) for each in value)):
            raise BertcoreError(f"The {name} of a recipe must be a list of file names, not {brief(value)}.")
        elif self.kind is Mapping and not isinstance(value, Mapping):
            raise BertcoreError(f"The part {name} of a recipe must be a table of settings, not {brief(value)}.")

    @property
    def range(self) -> str:
        """ "between 1 and 65,536"."""
        low = plain_number(self.at_least or 0.0)
        return f"at least {low}" if self.at_most is None else f"between {low} and {plain_number(self.at_most)}"


def plain_number(number: float) -> str:
    """Without an exponent: 1,000,000 and 0.00000001."""
    return f"{number:,.10f}".rstrip("0").rstrip(".")


def settings_of(cls: type, section: str = "") -> tuple[Setting, ...]:
    """All settings of a class, those of its sections after its own."""
    hints = _type_hints(cls)
    own: list[Setting] = []
    nested: list[Setting] = []
    for each in fields(cls):
        hint = hints[each.name]
        kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
        kind = next(kind for kind in kinds if kind is not type(None))
        if is_dataclass(kind):
            nested += settings_of(cast(type, kind), each.name)
            continue
        about = {"help": "", "unit": "", "at_least": None, "at_most": None, "choices": (), **each.metadata}
        default = each.default if each.default_factory is MISSING else each.default_factory()
        kind = get_origin(kind) or kind
        kind = Mapping if issubclass(kind, Mapping) else kind
        own.append(Setting(each.name, section, kind, type(None) in kinds, default, **about))
    return (*own, *nested)


@dataclass(frozen=True)
class Settings:
    """Base of a settings class: values are checked when it is made. Raises BertcoreError."""

    gone: ClassVar[Mapping[str, object]] = {}  # what files may still name -> the value that it has now; ...: any

    def __post_init__(self) -> None:
        for each in settings_of(type(self)):
            if not each.section:
                each.check(getattr(self, each.name))

    @classmethod
    def from_table(cls, values: object, name: str) -> Self:
        """From a part of a recipe. Names that no field has are refused, so that a typo never passes for a setting."""
        if not isinstance(values, Mapping):
            raise BertcoreError(f"The part {name} of a recipe must be a table of settings, not {brief(values)}.")
        known, sections = {each.name: each for each in settings_of(cls)}, _sections(cls)
        own = [each.name for each in settings_of(cls) if not each.section]
        values = {
            key: value for key, value in values.items() if key not in cls.gone or cls.gone[key] not in (value, ...)
        }
        unknown = sorted(set(values) - {*own, *sections})
        if unknown:
            names = " ".join(", ".join(unknown).split())  # a name may have a line break in it
            raise BertcoreError(f"There is no setting named {names} in {name}.")
        given: dict[str, Any] = {}
        for key, value in values.items():
            if key in sections:
                given[key] = sections[key].from_table(value, key)
            else:
                given[key] = tuple(value) if known[key].kind is tuple and isinstance(value, list) else value
        return cls(**given)


class Recipe(Settings):
    """Settings of a whole run or measurement, in a JSON file of their own: a recipe, or a run's config.json."""

    kind: ClassVar[str]
    format_version: ClassVar[int] = 1

    def to_dict(self) -> dict[str, Any]:
        return {"format_version": self.format_version, "kind": self.kind, **asdict(self)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """What is left out has its default. Raises BertcoreError for another kind, another version, and what is no
        setting or out of its range."""
        values = dict(values)
        version, kind = values.pop("format_version", cls.format_version), values.pop("kind", cls.kind)
        if version != cls.format_version or kind != cls.kind:
            raise BertcoreError(
                f"This recipe is of another kind or version; this reads {cls.kind} recipes of version "
                f"{cls.format_version}."
            )
        return cls.from_table(values, "the recipe")

    @classmethod
    def from_file(cls, file: Path) -> Self:
        """Raises BertcoreError where the file cannot be read, and as `from_dict`."""
        return cls.from_dict(read_recipe(file))

    def with_changes(self, **changes: Any) -> Self:
        """The same with other values, each put into the section that has it; None changes nothing."""
        given = {name: value for name, value in changes.items() if value is not None}
        sections = {}
        for name, section in _sections(type(self)).items():
            inside = {each.name for each in settings_of(section)} & set(given)
            if inside:
                sections[name] = replace(getattr(self, name), **{key: given.pop(key) for key in inside})
        return replace(self, **given, **sections)


def _sections(cls: type) -> dict[str, type[Settings]]:
    hints = _type_hints(cls)
    return {each.name: hints[each.name] for each in fields(cls) if is_dataclass(hints[each.name])}


def read_recipe(file: Path) -> dict[str, Any]:
    """The settings in a JSON file. Raises BertcoreError where it cannot be read, or holds something else."""
    settings: dict[str, Any] = read_json(file, advice="choose a recipe, or the config.json of a run")
    return settings
