"""What watches the steps of a run: checks, lines of metrics, sizes of updates, slow motion.

None of them changes what a step computes: the weights become those of a step that nobody watches.
"""

import contextlib
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import get_total_norm

from bertcore.errors import BertcoreError
from bertcore.model.torch_parts import evaluation_mode
from bertcore.runs.environment import CoresAtWork, memory_mib
from bertcore.runs.metrics_file import SLOW_STEP, UPDATES
from bertcore.runs.run_folder import LOSS_DIVERGED, WEIGHTS_DIVERGED, RunFolder
from bertcore.training.control import Control, RunWriter
from bertcore.training.first_batch import FIRST_BATCH_FILE, SEQUENCES
from bertcore.training.pretraining_batches import LONGER
from bertcore.training.trainable import StepPlan, StepResult, Trainable

BAD_BATCH_FILE = "bad_batch.json"  # in the form of the first batch
_LAYERS = "encoder.layers."


@dataclass(frozen=True)
class ComputedStep:
    """A step whose gradients are there."""

    plan: StepPlan
    batch: Any
    result: StepResult
    learning_rate: float
    gradient_norm: Tensor  # of all gradients, before they were clipped


class StepObserver:
    """Of every step it sees the gradients and the old weights, then the new weights."""

    def before_update(self, step: ComputedStep) -> None: ...

    def after_update(self, step: ComputedStep) -> None: ...


class FiniteNumbers(StepObserver):
    """Ends the run where a loss, a gradient or a weight is NaN or infinite.

    To read a number from a GPU means to wait for all that it still has to do: steps are looked at when one is logged.
    """

    def __init__(self, trainable: Trainable, run: RunFolder) -> None:
        self._trainable, self._run = trainable, run
        self._unchecked: list[ComputedStep] = []
        self._last: ComputedStep | None = None

    def before_update(self, step: ComputedStep) -> None:
        self._last = step
        self._unchecked.append(step)
        if step.plan.is_logged:
            self.check()  # before they could change a weight

    def check(self) -> None:
        """Raises BertcoreError for the first step whose loss or gradient norm is no finite number."""
        steps, self._unchecked = self._unchecked, []
        if steps:
            numbers = torch.stack([torch.stack([one.gradient_norm.float(), one.result.loss.float()]) for one in steps])
            for step, is_finite in zip(steps, numbers.isfinite().all(dim=1).tolist(), strict=True):
                if not is_finite:
                    raise self._diverged(LOSS_DIVERGED, step.plan.step, step)

    def check_weights(self, step: int) -> None:
        """Raises BertcoreError where a weight or a moment of the optimiser is not finite: no snapshot may hold it.

        A sum is finite only where all its parts are; `load_checkpoint` looks in the same way.
        """
        self.check()
        state, weights = self._trainable.optimizer.state.values(), self._trainable.model.state_dict().values()
        moments = [value for each in state for value in each.values() if isinstance(value, Tensor)]
        if not all(math.isfinite(float(value.sum())) for value in (*weights, *moments)):
            raise self._diverged(WEIGHTS_DIVERGED, step, self._last)

    def _diverged(self, what: str, number: int, step: ComputedStep | None) -> BertcoreError:
        batch = ""
        with contextlib.suppress(OSError, BertcoreError):  # a disk that is full besides must not hide what happened
            if step is not None and self._trainable.group.is_first:
                begin = self._trainable.write_batch(step.batch, BAD_BATCH_FILE)
                file = self._run.path / BAD_BATCH_FILE
                batch = f", on the batch that begins with “{begin}” (all of it in {file})"
        kept = [step for step, _ in self._run.snapshots()]
        last = f"the snapshot of step {kept[-1]} is kept" if kept else "there was no snapshot yet"
        return BertcoreError(f"{what} at step {number}{batch}; {last}. Start again with a lower learning rate.")


class TrainLines(StepObserver):
    """The first batch, for people to look at; lines of metrics for new phases, and for steps that are logged."""

    def __init__(self, trainable: Trainable, writer: RunWriter) -> None:
        self._trainable, self._writer, self._clock = trainable, writer, writer.clock
        self.phases: list[str] = []  # that have begun in the run so far
        self.cores = CoresAtWork()
        self.logged_at_s = 0.0  # by the clock's `now_s`
        self.begin()

    def begin(self) -> None:
        """Where the clock stands now."""
        self._tokens, self._elapsed_s = self._clock.tokens, self._clock.elapsed_s  # at the last line

    def leave_out(self, seconds: float) -> None:
        """What took these seconds counts as training, but not in the tokens per second."""
        self._elapsed_s += seconds
        self.cores.since_last()

    def before_update(self, step: ComputedStep) -> None:
        if step.plan.step == 1 and self._trainable.group.is_first:
            self._trainable.write_batch(step.batch, FIRST_BATCH_FILE, SEQUENCES)

    def after_update(self, step: ComputedStep) -> None:
        for phase in step.plan.phases:
            last = [name for name in self.phases if (name == LONGER) == (phase == LONGER)][-1:]
            if last != [phase]:
                self.phases.append(phase)
                message = self._trainable.phase_in_words(phase)
                self._writer.metric({"kind": "phase", "step": step.plan.step, "phase": phase, "message": message})
        if step.result.metrics is None:
            return
        clock = self._clock
        seconds = clock.elapsed_s - self._elapsed_s
        line = {
            "kind": "train",
            "step": clock.step,
            **step.result.metrics,
            "learning_rate": step.learning_rate,
            "gradient_norm": float(step.gradient_norm),
            "tok_per_s": (clock.tokens - self._tokens) / seconds if seconds > 0 else None,
            "tokens": clock.tokens,
            "phase": step.plan.objective,
            "elapsed_s": round(clock.elapsed_s, 3),
            "memory_mib": memory_mib(),
            "cores": self.cores.since_last(),
        }
        self._writer.metric(line)
        self.logged_at_s = clock.now_s
        self.begin()


class UpdateSizes(StepObserver):
    """How large gradients and updates are in each part of the model: what to look at first when a run is ill.

    It keeps a copy of the weights during a step that it measures.
    """

    def __init__(self, trainable: Trainable, writer: RunWriter, control: Control) -> None:
        self._model, self._clip = trainable.model, trainable.loop_options.gradient_clip
        self._writer, self._control = writer, control
        self._parts: dict[str, list[nn.Parameter]] = {}  # empty while no step is measured
        self._gradients: list[Tensor] = []
        self._before: list[list[Tensor]] = []

    def before_update(self, step: ComputedStep) -> None:
        if not self._writer.writes or not (self._control.is_paused or is_measured(step.plan.step)):
            return
        for name, parameter in self._model.named_parameters():
            if parameter.grad is not None:
                self._parts.setdefault(part_of(name), []).append(parameter)
        scale = (step.gradient_norm / self._clip).clamp(min=1.0)
        self._gradients = [_norm([one.grad for one in part]) * scale for part in self._parts.values()]
        self._before = [[one.detach().clone() for one in part] for part in self._parts.values()]

    def after_update(self, step: ComputedStep) -> None:
        """By part: "gradient", its norm before clipping, and "ratio", the length of the update over that of the
        weights that it changed."""
        if not self._parts:
            return
        parts, before, self._parts, self._before = self._parts, self._before, {}, []
        with torch.no_grad():
            updates = [
                _norm([one.detach() - old for one, old in zip(part, olds, strict=True)])
                for part, olds in zip(parts.values(), before, strict=True)
            ]
            weights = torch.stack([_norm(olds) for olds in before])
            ratios = torch.stack(updates) / weights.clamp(min=1e-12)
            gradients, moved = torch.stack([torch.stack(self._gradients), ratios]).tolist()  # the only wait for a GPU
        sizes = {
            name: dict(zip(parts, each, strict=True)) for name, each in (("gradient", gradients), ("ratio", moved))
        }
        self._writer.metric({"kind": UPDATES, "step": step.plan.step, **sizes})


def is_measured(step: int) -> bool:
    """Ever more seldom: an hour's run has a few hundred lines of this kind."""
    return step in (1, 2, 5) or step % (10 if step <= 200 else 50 if step <= 2000 else 250) == 0


def part_of(name: str) -> str:
    """Which part of the model a parameter is in: "embeddings", "layers.0.attention", "layers.0.feed_forward", "heads".

    A LayerNorm belongs to what it follows.
    """
    if name.startswith("embeddings."):
        return "embeddings"
    if not name.startswith(_LAYERS):
        return "heads" if not name.startswith("encoder.") else "encoder"
    number, block = name.removeprefix(_LAYERS).split(".")[:2]
    return f"layers.{number}.{'attention' if block.startswith('attention') else 'feed_forward'}"


def _norm(tensors: Sequence[Tensor | None]) -> Tensor:
    return get_total_norm([one for one in tensors if one is not None])


class SlowMotion(StepObserver):
    """A paused run takes single steps, and says of each what it did to the loss of its own batch.

    Both losses are of the whole batch, with the same masks, without dropout and in fp32. Nothing random is drawn, and
    gradients stay as they are. What they take is no training time.
    """

    def __init__(self, trainable: Trainable, writer: RunWriter, control: Control) -> None:
        self._trainable, self._writer, self._control = trainable, writer, control
        self._loss_before = 0.0

    def before_update(self, step: ComputedStep) -> None:
        if self._control.is_paused:
            started = time.perf_counter()
            self._loss_before = self._loss(step.batch)
            self._writer.clock.elapsed_s -= time.perf_counter() - started  # with the rest of the step it is added

    def after_update(self, step: ComputedStep) -> None:
        if not self._control.is_paused:
            return
        numbers: Mapping[str, float] = {
            "loss_before": self._loss_before,  # in nats, as the loss that is trained on
            "loss_after": self._loss(step.batch),
            "learning_rate": step.learning_rate,
            "gradient_norm": float(step.gradient_norm),
        }
        self._writer.status("paused")  # first: whoever reads the line may ask for the step's batch
        self._writer.metric({"kind": SLOW_STEP, "step": step.plan.step, **numbers})
        self._control.slow_steps -= 1

    def _loss(self, batch: Any) -> float:
        with evaluation_mode(self._trainable.model), torch.no_grad():
            return self._trainable.batch_loss(batch)
