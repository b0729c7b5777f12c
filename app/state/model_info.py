"""What the window knows of a model: plain values, no torch."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from bertcore.runs.known_runs import run_behind

from ..look import say
from .task_info import TaskInfo

if TYPE_CHECKING:
    from bertcore.checkpoint.config_file import Pooling
    from bertcore.config import BertConfig
    from bertcore.tokenizer.tokenizer import Tokenizer


@dataclass(frozen=True, eq=False)
class ModelInfo:
    """What the window knows of the open model. No torch in it."""

    name: str
    folder: Path
    tokenizer: Tokenizer
    config: BertConfig
    parameters: int
    step: int | None
    output_heads: tuple[str, ...]
    missing: dict[str, str] = field(default_factory=dict)  # "mlm" | "nsp" | "segments" | ... -> a sentence
    pooling: Pooling | None = None  # of a sentence encoder
    task: TaskInfo | None = None  # what it was taught

    @cached_property
    def origin(self) -> Path:
        """The run that it comes from, or its own folder; changes inside mean the same in all of a run."""
        return run_behind(self.folder) or self.folder

    @property
    def layers(self) -> int:
        return self.config.num_hidden_layers

    @property
    def heads(self) -> int:
        return self.config.num_attention_heads

    @property
    def max_positions(self) -> int:
        return self.config.max_length

    @property
    def has_segments(self) -> bool:
        """Whether it tells A from B by segments; those with a single one do not."""
        return self.config.type_vocab_size > 1

    @property
    def family(self) -> str:
        """As people write it: `RoBERTa`."""
        title = self.config.family.title
        return say("pre-norm {family}", family=title) if self.config.norm == "pre" else title
