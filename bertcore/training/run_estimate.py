"""What a run would take: time, memory, parameters. Found by a trial (`trial_run.py`); this imports no torch.

Two sorts of seconds: `seconds` as they pass, with whatever else the machine is doing, and `processor_s`, those of the
processor, which other programs hardly change.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from bertcore.json_text import Plain
from bertcore.training.data_facts import Lengths


@dataclass(frozen=True)
class Cost:
    """Seconds as they passed, and seconds of the processor."""

    seconds: float = 0.0
    processor_s: float = 0.0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.seconds + other.seconds, self.processor_s + other.processor_s)

    def __mul__(self, factor: float) -> "Cost":
        return Cost(self.seconds * factor, self.processor_s * factor)


@dataclass(frozen=True)
class RunEstimate(Plain):
    """What a run would take. The seconds of its parts add up to `total`."""

    preparing: Cost  # starting, reading, tokenising
    training: Cost  # its steps
    measuring: Cost
    saving: Cost
    steps: int
    epochs: float | None
    memory_mib: float | None  # the most that it holds at once, of the main memory
    gpu_memory_mib: float | None
    parameters: int
    vocab_size: int
    device: str
    precision: str
    threads: int
    load: float | None  # what the machine was doing besides: processes that wanted a core, for each core
    is_sampled: bool  # made from a part of the data
    tokens: tuple[int, int] | None = None  # of plain text: to train on, and held out
    lengths: Lengths | None = None  # of its sentences

    @property
    def total(self) -> Cost:
        return self.preparing + self.training + self.measuring + self.saving

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "total": asdict(self.total)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        return super().from_dict({name: value for name, value in values.items() if name != "total"})
