"""What `evaluate` and `predict` take: a recipe (JSON), flags, or both. Imports no torch."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from bertcore.errors import BertcoreError
from bertcore.settings import Recipe, setting

_ROLES = ("text", "text_b", "label")


@dataclass(frozen=True)
class CommandOptions(Recipe):
    """What both commands take."""

    model: str | None = setting(None, "Checkpoint, run or hub id; if not given, the built-in model")
    task: str | None = setting(None, "How the file is laid out; if not given, as for the model's kind of task")
    # "text", "text_b", "label" -> name in the file
    columns: Mapping[str, str] = setting({}, "Columns of the file that hold the text, text B and the label")

    def __post_init__(self) -> None:
        super().__post_init__()
        for role, name in self.columns.items():
            if role not in _ROLES or not isinstance(name, str):
                raise BertcoreError(f"The columns are named by {', '.join(_ROLES)}; not {role} {name!r}.")

    def with_flags(self, columns: Mapping[str, str | None], **flags: Any) -> Self:
        """The same with the flags that were given; None means that a flag was not given."""
        named = {role: name for role, name in columns.items() if name}
        return self.with_changes(columns={**self.columns, **named}, **flags)


@dataclass(frozen=True)
class EvaluateOptions(CommandOptions):
    """`evaluate`: what to measure on."""

    kind = "evaluate"

    data: str | None = setting(None, "Held-out examples: a file, or a folder's dev part")
    corpus: tuple[str, ...] = setting((), "Text, for masked words and next sentence")
    sequence_length: int = setting(128, "With a corpus: length of a sequence", unit="tokens", at_least=8, at_most=512)
    sequences: int = setting(512, "With a corpus: largest number of sequences", at_least=1, at_most=10**9)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.corpus and self.data:
            raise BertcoreError("Give --data for a task or --corpus for masked words, not both.")


@dataclass(frozen=True)
class PredictOptions(CommandOptions):
    """`predict`: what to read."""

    kind = "predict"

    a: str = setting("", "A text, or the question, the beginning")
    b: str | None = setting(None, "Its passage, or its endings, one on each line")
    file: str | None = setting(None, "Texts to read instead")
