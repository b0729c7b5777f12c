"""What a training loop needs of the thing it trains: pretraining, fine-tuning and distillation each are a Trainable.

A step is planned (`StepPlan`: everything that is decided), computed (`Trainable.forward_backward`: gradients, and no
other effect) and observed (`step_observers.py`).
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.data.batches import forked_processes, make_here
from bertcore.files import jsonable, write_json
from bertcore.model.bert import Bert
from bertcore.runs.run_folder import RunFolder
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.compute import Precision, choose_precision
from bertcore.training.distributed import ProcessGroup
from bertcore.training.first_batch import beginning
from bertcore.training.options import Budget, LoopOptions, RunOptions

Event = dict[str, Any]  # a line of metrics.jsonl
OnEvent = Callable[[Event], None]


Position = Mapping[str, Any]  # in the data; a sequence length -> the state of its sampler
B = TypeVar("B")


@dataclass(frozen=True)
class StepPlan:
    """Everything that is decided of a step before it is computed."""

    step: int  # from 1
    fraction: float  # of the budget; where that is in minutes, what was spent when the step was planned
    phases: tuple[str, ...]  # of the run, that the step is in: "causal" or "masked", and "longer"; "task"
    objective: str  # of this step: "causal", "masked" or "task"
    data: NDArray[np.int64]  # its place in the data: windows of a text, numbers of a task's units
    length: int | None = None  # of its sequences, where all have the same
    is_logged: bool = False


class PlannedBatches(Generic[B]):
    """Batches in the order of their steps. `plan` alone moves the position in the data, and runs here; `make` changes
    nothing, and runs on a thread, or in so many `workers`: one thread is too slow for a GPU.

    Where the budget is in minutes, a batch is planned with the share that was spent by the step before it.
    """

    def __init__(
        self,
        plan: Callable[[int, float], StepPlan],
        make: Callable[[StepPlan], B],
        budget: Budget,
        position: Callable[[], Position] = dict,
        workers: int = 0,
    ) -> None:
        self.plan, self.make, self._positions, self._budget = plan, make, position, budget
        self.position = position()  # after the batches that were taken, and before those that are being made
        self._pool: Executor = forked_processes(workers, make) if workers else ThreadPoolExecutor(1, "batches")
        self._make: Callable[[StepPlan], B] = make_here if workers else make
        self._most_ahead = 2 * workers or 1  # of each process one at work and one waiting
        self._ahead: deque[tuple[StepPlan, Future[B], Position]] = deque()  # with the position after it

    def take(self, step: int, fraction: float) -> tuple[StepPlan, B]:
        """Waits where it is not ready; an error in making it is raised here."""
        if not self._ahead:
            self._add(step, fraction)
        plan, made, self.position = self._ahead.popleft()
        assert plan.step == step, "batches are taken one after the other"
        batch = made.result()
        steps = self._budget.steps
        last = step + self._most_ahead if steps is None else min(step + self._most_ahead, steps)
        for ahead in range(step + 1 + len(self._ahead), last + 1):
            self._add(ahead, fraction if steps is None else (ahead - 0.5) / steps)
        return plan, batch

    def _add(self, step: int, fraction: float) -> None:
        plan = self.plan(step, fraction)
        self._ahead.append((plan, self._pool.submit(self._make, plan), self._positions()))

    def close(self) -> None:
        """Waits for what is being made."""
        self._pool.shutdown(wait=True, cancel_futures=True)


@dataclass(frozen=True)
class StepResult:
    """One step's gradients are in the parameters."""

    tokens: int  # real ones, without padding, of all processes
    loss: torch.Tensor  # training stops where it is no finite number; it is looked at when a step is logged
    metrics: Mapping[str, float | None] | None  # for the metrics line; None where the step is not logged


@dataclass(frozen=True)
class RunEnd:
    """How a run has ended; its model has the weights that it ends with."""

    done: bool  # by its budget or by patience; else someone stopped it
    step: int  # whose weights these are: the best, or the last
    last_step: int  # that it has taken
    held_out: Mapping[str, Any] | None = None  # a measurement of these weights, where they are not the last


class Trainable(ABC):
    """With several processes each has its own; `group` says which rows of a batch are this one's."""

    options: Any
    # from `prepare` on
    run: Path
    precision: Precision
    tokenizer: Tokenizer
    data_key: str  # changes with the data or the vocabulary
    model: Bert
    optimizer: torch.optim.Optimizer
    budget: Budget
    summary: str  # one line for the log
    choices: Mapping[str, Any]  # what was left to the program, for the environment record
    planned: PlannedBatches[Any]

    def __init__(self, options: RunOptions, group: ProcessGroup | None = None) -> None:
        self.options, self.group = options, group or ProcessGroup()
        self.device = self.group.device
        self.name = options.name
        self.loop_options: LoopOptions = options.training

    @staticmethod
    @abstractmethod
    def refuse(options: Any) -> None:
        """Raises BertcoreError, before a folder is made, for what cannot be trained on."""

    @abstractmethod
    def prepare(self, run: Path, report: Callable[[str], None]) -> None:
        """Everything ready for the first step; `report` gets a sentence before each thing that takes time."""

    def use_precision(self, name: str) -> None:
        """Compute as the run began, whatever machine this is."""
        self.precision = choose_precision(name, self.device)
        for group in self.optimizer.param_groups:
            group["products"] = self.precision.products

    @abstractmethod
    def learning_rate(self, fraction: float) -> float:
        """Of the step at this share of the budget."""

    # --- a step

    @abstractmethod
    def sort_of(self, step: int, fraction: float) -> Any:
        """Steps of one sort take as long as each other; those of greater ones need more memory."""

    def begin_step(self, plan: StepPlan) -> None:  # noqa: B027
        """What a phase changes in the model before its first step."""

    @abstractmethod
    def forward_backward(self, plan: StepPlan, batch: Any) -> StepResult:
        """The losses of a batch and their gradients, and no other effect; metrics where the step is logged."""

    @abstractmethod
    def batch_loss(self, batch: Any) -> float:
        """Of this very batch by the weights as they are now, over all processes, in fp32."""

    @abstractmethod
    def page(self, batch: Any, most: int | None) -> dict[str, Any]:
        """A batch for people to look at, or its first `most` sequences."""

    def write_batch(self, batch: Any, name: str, most: int | None = None) -> str:
        """Write its page into a file of the run; returns how it begins."""
        page = self.page(batch, most)
        write_json(self.run / name, jsonable(page))
        return beginning(page)

    @abstractmethod
    def phase_in_words(self, phase: str) -> str:
        """What the run does from here on, in a sentence."""

    # --- between steps

    @abstractmethod
    def measure(self, fraction: float) -> dict[str, Any]:
        """Numbers on held-out data, the same in the whole run; at 1.0, the end of the budget, in fp32."""

    @abstractmethod
    def is_better(self, now: Mapping[str, Any], best: Mapping[str, Any]) -> bool:
        """Whether a measurement is better than the best so far."""

    def data_position(self) -> Position:
        """Where in the data the run is, as far as it does not follow from the step."""
        return self.planned.position

    def restore_data_position(self, position: Position) -> None:  # noqa: B027
        """Go on from there."""

    # --- the end

    @abstractmethod
    def finish(self, folder: RunFolder, end: RunEnd) -> Mapping[str, Any] | None:
        """Write what belongs to the snapshot that the run ends with: measurements and the model card.

        Returns a measurement of it on all that is held out, where it has made one.
        """

    def close(self) -> None:
        """End threads."""
        if hasattr(self, "planned"):
            self.planned.close()
