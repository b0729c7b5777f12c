"""What `evaluate` and `predict` take: a recipe (JSON), flags, or both. Importable without torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from bertcore.errors import BertcoreError
from bertcore.training.option_checks import (
    Ranges,
    check_corpus,
    check_settings,
    check_table,
    read_recipe,
    refuse_unknown,
)

FORMAT_VERSION = 1
_ROLES = ("text", "text_b", "label")
_RANGES: Ranges = {"sequence_length": (int, 8, 512), "sequences": (int, 1, 10**9)}


@dataclass(frozen=True)
class CommandOptions:
    """What both commands take."""

    kind: ClassVar[str]
    model: str | None = None  # folder, run or hub id; None: the built-in model
    task: str | None = None  # how the file is laid out; None: as the model's run, or its kind of task, has it
    columns: Mapping[str, str] = field(default_factory=dict)  # "text", "text_b", "label" -> name in the file

    def __post_init__(self) -> None:
        check_settings(self, _RANGES)
        check_table(self.columns, "columns")
        for role, name in self.columns.items():
            if role not in _ROLES or not isinstance(name, str):
                raise BertcoreError(f"The columns are named by {', '.join(_ROLES)}; not {role} {name!r}.")

    def to_dict(self) -> dict[str, Any]:
        return {"format_version": FORMAT_VERSION, "kind": self.kind, **asdict(self)}

    @classmethod
    def from_file(cls, file: Path) -> Self:
        """Read a recipe. Raises BertcoreError that names what it has no setting for."""
        values = read_recipe(file)
        version, kind = values.pop("format_version", FORMAT_VERSION), values.pop("kind", cls.kind)
        if version != FORMAT_VERSION or kind != cls.kind:
            raise BertcoreError(f"The recipe {file} is of another kind or version; this reads those of {cls.kind}, 1.")
        refuse_unknown(cls, values, f"the recipe {file.name}")
        if "columns" in values:
            values["columns"] = check_table(values["columns"], "columns")
        if "corpus" in values:
            values["corpus"] = check_corpus(values["corpus"])
        return cls(**values)

    def with_flags(self, columns: Mapping[str, str | None], **flags: Any) -> Self:
        """The same with the flags that were given; None means that a flag was not given."""
        named = {role: name for role, name in columns.items() if name}
        given = {name: value for name, value in flags.items() if value is not None}
        return replace(self, columns={**self.columns, **named}, **given)


@dataclass(frozen=True)
class EvaluateOptions(CommandOptions):
    """`evaluate`: what to measure on."""

    kind = "evaluate"
    data: str | None = None  # held-out examples: a file, or a folder's dev part
    corpus: tuple[str, ...] = ()  # or text, for masked words and next sentence
    sequence_length: int = 128  # tokens, with `corpus`
    sequences: int = 512  # at most, with `corpus`

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.corpus and self.data:
            raise BertcoreError("Give --data for a task or --corpus for masked words, not both.")


@dataclass(frozen=True)
class PredictOptions(CommandOptions):
    """`predict`: what to read."""

    kind = "predict"
    a: str = ""  # a text, or the question, the beginning
    b: str | None = None  # its passage, its endings (one on each line)
    file: str | None = None  # texts to read instead
