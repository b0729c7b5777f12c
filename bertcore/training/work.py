"""What a training loop and the thing it trains say to one another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import torch

from bertcore.model.bert import Bert
from bertcore.runs.run_folder import RunFolder
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.distributed import Team
from bertcore.training.options import SNAPSHOTS_MIB
from bertcore.training.precision import Precision

Event = dict[str, Any]
Watch = Callable[[Event], None]


@dataclass(frozen=True)
class LoopSettings:
    """How a run goes on, whatever it trains."""

    steps: int | None  # budget in steps, or
    seconds: float | None  # in seconds of training
    seed: int
    gradient_clip: float
    evaluations: int  # measurements, spread over the budget
    log_every: int | None
    save_minutes: float
    name: str
    patience: int | None = None  # measurements without a better one before the run ends early; None: never
    snapshots_mib: float = SNAPSHOTS_MIB  # for all snapshots together


@dataclass(frozen=True)
class Materials:
    """What a run works with, whatever it trains."""

    device: torch.device
    precision: Precision
    tokenizer: Tokenizer
    data_key: str  # changes with the data or the vocabulary
    model: Bert
    optimizer: torch.optim.Optimizer
    summary: str  # one line for the log


@dataclass(frozen=True)
class StepResult:
    """One step's gradients are in the parameters; `metrics` is computed only where the step is logged."""

    tokens: int  # real ones, without padding
    metrics: Callable[[], Mapping[str, float | None]]
    phase: str
    always_log: bool = False
    loss: torch.Tensor | None = None  # looked at after each step: training stops where it is no finite number
    extra: Mapping[str, Any] = field(default_factory=dict)  # for the metrics line: epoch, examples


class Work(Protocol):
    """What a run trains. With several processes each has its own; `team` says which part of a batch is theirs."""

    settings: LoopSettings
    team: Team

    def prepare(self, run: Path, say: Callable[[str], None]) -> Materials:
        """Everything ready for the first step; `say` is told what takes time."""

    def use_precision(self, name: str) -> Materials:
        """Compute as the run began, whatever a fresh probe of the machine says."""

    def learning_rate(self, fraction: float) -> float:
        """Of the step at this share of the budget."""

    def forward_backward(self, step: int, fraction: float) -> StepResult:
        """The losses of step number `step`, and their gradients."""

    def write_batch(self, name: str) -> str:
        """Write the batch of the last step into a file of the run folder; returns how it begins."""

    def measure(self) -> dict[str, Any]:
        """Numbers on held-out data."""

    def is_better(self, now: Mapping[str, Any], best: Mapping[str, Any]) -> bool:
        """Whether a measurement is better than the best so far."""

    def position(self) -> Mapping[str, tuple[int, int]]:
        """Where in the data the run stands, as far as it does not follow from the step."""

    def restore(self, position: Mapping[str, tuple[int, int]]) -> None: ...

    def events(self, step: int, fraction: float, told: list[str]) -> list[Event]:
        """Lines for the metrics file before that of step `step`, whose batch is known by now: phases above all.

        `told` are the phases told so far.
        """

    def finish(self, folder: RunFolder, done: bool) -> None:
        """What is written when the last snapshot stands."""

    def close(self) -> None:
        """End what works beside the run."""
