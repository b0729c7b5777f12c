"""What a training loop needs of the thing it trains: pretraining, fine-tuning and distillation each are a Trainable."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import torch

from bertcore.model.bert import Bert
from bertcore.runs.run_folder import RunFolder
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.distributed import ProcessGroup
from bertcore.training.failures import WriteBatch
from bertcore.training.options import Budget, LoopOptions
from bertcore.training.precision import Precision

Event = dict[str, Any]  # a line of metrics.jsonl
OnEvent = Callable[[Event], None]


@dataclass(frozen=True)
class TrainingSetup:
    """What a run trains with."""

    device: torch.device
    precision: Precision
    tokenizer: Tokenizer
    data_key: str  # changes with the data or the vocabulary
    model: Bert
    optimizer: torch.optim.Optimizer
    budget: Budget
    summary: str  # one line for the log
    choices: Mapping[str, Any]  # what was left to the program, for the environment record


@dataclass(frozen=True)
class StepResult:
    """One step's gradients are in the parameters."""

    tokens: int  # real ones, without padding
    loss: torch.Tensor  # training stops where it is no finite number; it is looked at when a step is logged
    phase: str
    metrics: Mapping[str, float | None] | None  # for the metrics line; None where the step is not logged
    write_batch: WriteBatch
    batch_loss: Callable[[], float]  # of this very batch by the weights as they are then, over all processes, in fp32


@dataclass(frozen=True)
class RunEnd:
    """How a run has ended; its model has the weights that it ends with."""

    done: bool  # by its budget or by patience; else someone stopped it
    step: int  # whose weights these are: the best, or the last
    last_step: int  # that it has taken
    held_out: Mapping[str, Any] | None = None  # a measurement of these weights, where they are not the last


class Trainable(Protocol):
    """With several processes each has its own; `group` says which rows of a batch are this one's."""

    name: str
    loop_options: LoopOptions
    group: ProcessGroup

    def prepare(self, run: Path, report: Callable[[str], None]) -> TrainingSetup:
        """Everything ready for the first step; `report` gets a sentence before each thing that takes time."""

    def use_precision(self, name: str) -> TrainingSetup:
        """Compute as the run began, whatever a fresh probe of the machine finds."""

    def learning_rate(self, fraction: float) -> float:
        """Of the step at this share of the budget."""

    def forward_backward(self, step: int, fraction: float, log: bool) -> StepResult:
        """The losses of step number `step`, and their gradients. With `log` its metrics are wanted."""

    def measure(self, fraction: float) -> dict[str, Any]:
        """Numbers on held-out data, the same in the whole run; at 1.0, the end of the budget, in fp32."""

    def is_better(self, now: Mapping[str, Any], best: Mapping[str, Any]) -> bool:
        """Whether a measurement is better than the best so far."""

    def data_position(self) -> Mapping[str, tuple[int, int]]:
        """Where in the data the run is, as far as it does not follow from the step."""

    def restore_data_position(self, position: Mapping[str, tuple[int, int]]) -> None: ...

    def events(self, step: int, fraction: float, phases: list[str]) -> list[Event]:
        """Lines for metrics.jsonl before that of step `step`, whose batch exists by now: new phases above all.

        `phases` are those of the run so far.
        """

    def finish(self, folder: RunFolder, end: RunEnd) -> Mapping[str, Any] | None:
        """Write what belongs to the snapshot that the run ends with: measurements and the model card.

        Returns a measurement of it on all that is held out, where it has made one.
        """

    def close(self) -> None:
        """End threads."""
