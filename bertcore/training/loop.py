"""The loop that every kind of training shares: steps, measurements, snapshots, and what it writes and obeys.

What is trained, and on what, is a `Work`: pretraining, fine-tuning, distillation. Every random choice of a step follows
from the seed and the step's number alone, so a snapshot needs no generator's state.
"""

from __future__ import annotations

import gc
import json
import math
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import torch

from bertcore.checkpoint import load_checkpoint, save_checkpoint
from bertcore.errors import BertcoreError
from bertcore.garbage import no_garbage_collection
from bertcore.locations import register_run
from bertcore.model.bert import Bert
from bertcore.tokenization import Tokenizer
from bertcore.training.environment import environment, memory_mib
from bertcore.training.guards import StopAskedError, as_sentence, stop_signals
from bertcore.training.precision import Precision
from bertcore.training.resume import Progress, can_resume, forget_progress, load_progress, save_progress
from bertcore.training.run_folder import RunFolder
from bertcore.training.safe_files import write_json

Event = dict[str, Any]
Watch = Callable[[Event], None]
ENVIRONMENT_FILE = "environment.json"
SHORT_RUN_STEPS = 1000  # up to here every step is logged
LOG_EVERY_S = 0.5  # runs with a budget in minutes log a step this often
STATUS_EVERY_S = 0.5
KEPT_PER_DECADE = ("1", "2", "5")  # snapshots at steps 0, 1, 2, 5, 10, 20, 50 ... are kept for good


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
    extra: Mapping[str, Any] = field(default_factory=dict)  # for the metrics line: epoch, examples


class Work(Protocol):
    """What a run trains."""

    settings: LoopSettings

    def prepare(self, run: Path, say: Callable[[str], None]) -> Materials:
        """Everything ready for the first step; `say` is told what takes time."""

    def use_precision(self, name: str) -> Materials:
        """Compute as the run began, whatever a fresh probe of the machine says."""

    def learning_rate(self, fraction: float) -> float:
        """Of the step at this share of the budget."""

    def forward_backward(self, step: int, fraction: float) -> StepResult:
        """The losses of step number `step`, and their gradients."""

    def measure(self) -> dict[str, Any]:
        """Numbers on held-out data."""

    def is_better(self, now: Mapping[str, Any], best: Mapping[str, Any]) -> bool:
        """Whether a measurement is better than the best so far."""

    def position(self) -> Mapping[str, tuple[int, int]]:
        """Where in the data the run stands, as far as it does not follow from the step."""

    def restore(self, position: Mapping[str, tuple[int, int]]) -> None: ...

    def events(self, step: int, fraction: float, told: list[str]) -> list[Event]:
        """Lines for the metrics file before step `step`, phases above all; `told` are the phases told so far."""

    def finish(self, folder: RunFolder, done: bool) -> None:
        """What is written when the last snapshot stands."""


def run_work(work: Work, folder: RunFolder, watch: Watch | None = None) -> Path:
    """Train in the folder from where it stands to the end of the budget; returns the last snapshot.

    Raises BertcoreError, one sentence, for what cannot be trained on or goes wrong.
    """
    with folder.acquire():
        register_run(folder.path)
        return TrainingRun(work, folder, watch or (lambda event: None)).run()


class TrainingRun:
    """One run, from where its folder stands to the end of its budget."""

    materials: Materials

    def __init__(self, work: Work, folder: RunFolder, watch: Watch) -> None:
        self.work, self.folder, self.watch = work, folder, watch
        self.settings = work.settings
        self.step, self.tokens, self.elapsed_s = 0, 0, 0.0
        self.stop_asked = False
        self.phases: list[str] = []
        self._best: Mapping[str, Any] | None = None
        self._worse = 0  # measurements since the best one
        self._last_status = self._last_log = self._last_snapshot = 0.0  # monotonic seconds
        self._tokens_at_log, self._elapsed_at_log = 0, 0.0

    def run(self) -> Path:
        self._status("starting", "Reading the text.")
        try:
            with stop_signals(self._ask_to_stop):
                self.materials = self.work.prepare(self.folder.path, self._say)
                self.settings = self.work.settings  # a budget in epochs is known now
                self.folder.log(self.materials.summary)
                self._write_environment()
                self._resume_or_begin()
                with no_garbage_collection():
                    state = self._train()
                snapshot = self._snapshot()
                self.work.finish(self.folder, state == "done")
        except StopAskedError as error:
            self._status("stopped", str(error))
            raise
        except BaseException as error:
            message = as_sentence(error)
            self._status("failed", message)
            self.folder.log(message)
            if isinstance(error, BertcoreError) or not isinstance(error, Exception):
                raise
            raise BertcoreError(message) from error
        self._status(state)
        self.folder.log(f"{state} at step {self.step}")
        return snapshot

    def _resume_or_begin(self) -> None:
        resumable = [path for _, path in self.folder.snapshots() if can_resume(path)]
        if not resumable:
            if any(step > 0 for step, _ in self.folder.snapshots()):
                raise BertcoreError(
                    f"No snapshot in {self.folder.path} holds a training state to go on from; start a new run."
                )
            self.folder.truncate_metrics(-1)
            self._snapshot()
            self._measure()
            return
        newest, materials = resumable[-1], self.materials
        materials.model.load_state_dict(load_checkpoint(newest).model.state_dict())
        progress = load_progress(newest, materials.model, materials.optimizer)
        if progress.corpus_key != materials.data_key:
            raise BertcoreError("The text has changed since this run began; start a new run for the new text.")
        if progress.precision != materials.precision.name:  # a fresh probe on a busy machine may say another
            self.materials = self.work.use_precision(progress.precision)
        self.step, self.tokens, self.elapsed_s = progress.step, progress.tokens, progress.elapsed_s
        self._tokens_at_log, self._elapsed_at_log = self.tokens, self.elapsed_s
        self.work.restore(progress.samplers)
        self.folder.truncate_metrics(self.step)
        for line in self.folder.tail().read_new():
            if line.get("kind") == "phase":
                self.phases.append(line["phase"])
            if line.get("kind") == "held_out":
                self._remember(line)
        self.folder.log(f"goes on from step {self.step}")

    # --- the loop

    def _train(self) -> str:
        """Until the budget is spent ("done") or someone asks for a stop ("stopped")."""
        self._status("running")
        measured = self._measurements_due()
        while self.fraction < 1.0 and not self._is_over():
            self._obey()
            if self.stop_asked:
                return "stopped"
            self._take_step()
            if self._measurements_due() > measured:
                measured = self._measurements_due()
                self._measure()
                gc.collect()
            if is_kept(self.step) or time.monotonic() - self._last_snapshot > 60 * self.settings.save_minutes:
                self._snapshot()
            if time.monotonic() - self._last_status > STATUS_EVERY_S:
                self._status("running")
        return "done"

    @property
    def fraction(self) -> float:
        """Share of the budget spent, 0..1."""
        steps, seconds = self.settings.steps, self.settings.seconds
        return min(1.0, self.step / steps if steps else self.elapsed_s / (seconds or 1.0))

    def _is_over(self) -> bool:
        """Whether nothing got better for so long that the run ends early."""
        return self.settings.patience is not None and self._worse >= self.settings.patience

    def _measurements_due(self) -> int:
        return math.floor(self.fraction * self.settings.evaluations + 1e-9)

    def _take_step(self) -> None:
        """One batch, one update."""
        started = time.perf_counter()
        materials, step = self.materials, self.step + 1
        seed_dropout(self.settings.seed * 1_000_003 + step, materials.device)
        fraction = (step - 0.5) / self.settings.steps if self.settings.steps else self.fraction
        for event in self.work.events(step, fraction, self.phases):
            self.phases.append(event["phase"])
            self._metric(event)
        rate = self.work.learning_rate(fraction)
        for group in materials.optimizer.param_groups:
            group["lr"] = rate * group.get("rate_share", 1.0)
        materials.optimizer.zero_grad(set_to_none=True)
        result = self.work.forward_backward(step, fraction)
        norm = float(torch.nn.utils.clip_grad_norm_(materials.model.parameters(), self.settings.gradient_clip))
        if not math.isfinite(norm):
            raise BertcoreError(
                f"The loss or its gradient became infinite at step {step}; the last good snapshot is kept. "
                "Start again with a lower learning rate."
            )
        materials.optimizer.step()
        self.step, self.tokens = step, self.tokens + result.tokens
        self.elapsed_s += time.perf_counter() - started
        if result.always_log or self._is_logged():
            self._log_step(result, rate, norm)

    # --- what it writes

    def _is_logged(self) -> bool:
        every, steps = self.settings.log_every, self.settings.steps
        if every is None and steps is None:
            return self.step <= 20 or time.monotonic() - self._last_log >= LOG_EVERY_S
        every = every or (1 if steps is not None and steps <= SHORT_RUN_STEPS else 10)
        return self.step % every == 0

    def _log_step(self, result: StepResult, rate: float, norm: float) -> None:
        seconds = self.elapsed_s - self._elapsed_at_log
        line = {
            "kind": "train",
            "step": self.step,
            **result.metrics(),
            "learning_rate": rate,
            "gradient_norm": norm,
            "tok_per_s": (self.tokens - self._tokens_at_log) / seconds if seconds > 0 else None,
            "tokens": self.tokens,
            "phase": result.phase,
            "elapsed_s": round(self.elapsed_s, 3),
            "memory_mib": memory_mib(),
            **result.extra,
        }
        self._metric(line)
        self._last_log, self._tokens_at_log, self._elapsed_at_log = time.monotonic(), self.tokens, self.elapsed_s

    def _measure(self) -> None:
        """Measure on held-out data. It counts as training time, but not in the tokens per second."""
        started = time.perf_counter()
        numbers = self.work.measure()
        line = {"kind": "held_out", "step": self.step, "tokens": self.tokens, **numbers}
        self._metric(line)
        self._remember(line)
        seconds = time.perf_counter() - started
        self.elapsed_s += seconds
        self._elapsed_at_log += seconds

    def _remember(self, numbers: Mapping[str, Any]) -> None:
        """Keep the best measurement, and count those since."""
        if self._best is None or self.work.is_better(numbers, self._best):
            self._best, self._worse = numbers, 0
        else:
            self._worse += 1

    def _snapshot(self) -> Path:
        """Write a snapshot, then thin: older ones lose their training state, and go if they were only for safety."""
        materials, written = self.materials, self.folder.snapshot_path(self.step)
        if can_resume(written):  # this step stands already: rewriting it would put the one good copy at risk
            return written
        progress = Progress(
            self.step,
            self.tokens,
            self.elapsed_s,
            materials.data_key,
            self.work.position(),
            materials.precision.name,
        )
        with self.folder.begin_snapshot(self.step) as folder:
            save_checkpoint(
                materials.model,
                materials.tokenizer,
                folder,
                name=self.settings.name,
                step=self.step,
                tokens_seen=self.tokens,
            )
            save_progress(folder, progress, materials.model, materials.optimizer)
        self._last_snapshot = time.monotonic()
        for step, path in self.folder.snapshots():
            if step < self.step:
                forget_progress(path)
                if not is_kept(step):
                    shutil.rmtree(path, ignore_errors=True)
        relative = written.relative_to(self.folder.path).as_posix()
        self._metric({"kind": "snapshot", "step": self.step, "path": relative})
        return written

    def _write_environment(self) -> None:
        """Of the start and of each time the run went on, the newest last."""
        file = self.folder.path / ENVIRONMENT_FILE
        before = json.loads(file.read_text(encoding="utf-8"))["starts"] if file.is_file() else []
        write_json(file, {"starts": [*before, environment(self.settings.seed, self.materials.device)]})

    def _metric(self, line: Event) -> None:
        self.folder.append_metric(line)
        self.watch(line)

    def _status(self, state: str, message: str | None = None) -> None:
        fraction = self.fraction
        known = state in ("running", "paused") and fraction > 0
        self.folder.write_status(
            state=state,
            step=self.step,
            total_steps=self.settings.steps,
            fraction=fraction,
            elapsed_s=round(self.elapsed_s, 3),
            remaining_s=self.elapsed_s * (1 - fraction) / fraction if known else None,
            message=message,
        )
        self._last_status = time.monotonic()
        self.watch({"kind": "status", "state": state, "step": self.step, "fraction": fraction, "message": message})

    # --- what it is told

    def _say(self, words: str) -> None:
        """What takes time before the first step; a stop that was asked for meanwhile ends the run here."""
        if self.stop_asked or self.folder.take_command() == "stop":
            raise StopAskedError("Stopped before the first step.")
        self._status("starting", words)

    def _ask_to_stop(self) -> None:
        self.stop_asked = True

    def _obey(self) -> None:
        """Do what the folder's control file says; while paused, wait here."""
        paused = False
        while not self.stop_asked:
            command = self.folder.take_command()
            if command == "stop":
                self.stop_asked = True
            elif command == "snapshot":
                self._snapshot()
            elif command == "pause" and not paused:
                paused = True
                self._snapshot()
                self._status("paused")
            elif command == "resume" and paused:
                self._status("running")
                return
            if not paused:
                return
            time.sleep(0.2)


def seed_dropout(seed: int, device: torch.device) -> None:
    """torch.manual_seed also queues a call for GPUs that are not there: 3 ms and some memory at every step."""
    (torch.manual_seed if device.type == "cuda" else torch.default_generator.manual_seed)(seed)


def is_kept(step: int) -> bool:
    return step == 0 or str(step).rstrip("0") in KEPT_PER_DECADE
