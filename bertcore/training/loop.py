"""The loop that every kind of training shares: steps, measurements, snapshots, and what it writes and obeys.

What is trained, and on what, is a `Work`: pretraining, fine-tuning, distillation. Every random choice of a step follows
from the seed and the step's number alone, so a snapshot needs no generator's state.
"""

from __future__ import annotations

import contextlib
import gc
import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from bertcore.checkpoint.checkpoint import save_checkpoint
from bertcore.errors import BertcoreError
from bertcore.garbage import garbage_collected_by_hand
from bertcore.model.bert import Bert
from bertcore.runs.environment import memory_mib
from bertcore.runs.registry import register_run
from bertcore.runs.run_folder import COMMANDS, RunFolder
from bertcore.runs.sources import changed_since
from bertcore.training.finite import refuse_infinite_step, refuse_infinite_weights
from bertcore.training.guards import StopAskedError, as_sentence, stop_signals
from bertcore.training.optimizer import optimizer_tensors
from bertcore.training.records import Records
from bertcore.training.resume import Progress, can_resume, load_newest, save_progress
from bertcore.training.sharding import clip_gradients, is_sharded, whole_model
from bertcore.training.snapshots import is_mark, keep, thin
from bertcore.training.work import Materials, StepResult, Watch, Work

SHORT_RUN_STEPS = 1000  # up to here every step is logged
LOG_EVERY_S = 0.5  # runs with a budget in minutes log a step this often


def run_work(work: Work, folder: RunFolder, watch: Watch | None = None) -> Path:
    """Train in the folder from where it stands to the end of the budget; returns the last snapshot.

    Raises BertcoreError, one sentence, for what cannot be trained on or goes wrong.
    """
    with folder.acquire() if work.team.is_first else contextlib.nullcontext():
        if work.team.is_first:
            register_run(folder.path)
        return TrainingRun(work, folder, watch or (lambda event: None)).run()


class TrainingRun:
    """One run, from where its folder stands to the end of its budget; in several processes, one of these in each.

    They take the same steps because they ask one another at the end of each, in `_agree`: what depends on a clock, a
    signal or the folder is decided there, and by process 0.
    """

    materials: Materials

    def __init__(self, work: Work, folder: RunFolder, watch: Watch) -> None:
        self.work, self.folder, self.team = work, folder, work.team
        self.records = Records(folder, watch, work.team.is_first)
        self.settings = work.settings
        self.step, self.tokens, self.elapsed_s = 0, 0, 0.0
        self.stop_asked = False
        self._signalled = False  # this process alone was asked to stop
        self._command: str | None = None  # taken from the folder, not yet obeyed
        self._now = 0.0  # monotonic seconds, of process 0
        self.phases: list[str] = []
        self._best: Mapping[str, Any] | None = None
        self._worse = 0  # measurements since the best one
        self._is_over = False  # nothing got better for so long that the run ends early
        self._last_log = self._last_snapshot = 0.0
        self._saved_step = -1
        self._tokens_at_log, self._elapsed_at_log = 0, 0.0

    def run(self) -> Path:
        with stop_signals(self._ask_to_stop):  # around all: one that comes late leaves the last word to be written
            return self._run()

    def _run(self) -> Path:
        self._status("starting", "Reading the text.")
        try:
            with self.team.watching(self._fail):
                self.materials = self.work.prepare(self.folder.path, self._say)
                self.settings = self.work.settings  # a budget in epochs is known now
                self.records.log(self.materials.summary)
                self.records.environment(self.settings.seed, self.materials.device)
                self._resume_or_begin()
                with garbage_collected_by_hand():
                    state = self._train()
                snapshot = self._snapshot()
                if self.team.is_first:
                    self.work.finish(self.folder, state == "done")
        except StopAskedError as error:
            self._status("stopped", str(error))
            raise
        except BaseException as error:
            cause = self.team.cause(error)
            message = as_sentence(cause, self.folder.path)
            self._fail(message)
            if cause is error and (isinstance(error, BertcoreError) or not isinstance(error, Exception)):
                raise
            raise BertcoreError(message) from error
        finally:
            self.work.close()
        self._status(state, self._why_early)
        minutes = f"after {self.elapsed_s / 60:.1f} minutes of training"
        self.records.log(" ".join(filter(None, (f"{state} at step {self.step:,}, {minutes}", self._why_early))))
        return snapshot

    def _fail(self, message: str) -> None:
        with contextlib.suppress(BertcoreError, OSError):  # a full disk may take no last word either
            self._status("failed", message)
            self.records.log(message)

    def _resume_or_begin(self) -> None:
        resumable = [Path(path) for path in self.team.once(self._resumable)]
        if not resumable:
            if self.team.is_first:
                self.folder.truncate_metrics(-1)
            self._measure()  # first: a run that is killed between the two begins anew, and measures here again
            self._snapshot()
            return
        materials = self.materials
        progress = load_newest(resumable, materials.model, materials.optimizer)
        if progress.corpus_key != materials.data_key:
            raise changed_since(self.folder.path)
        if progress.precision != materials.precision.name:  # a fresh probe on a busy machine may say another
            self.materials = self.work.use_precision(progress.precision)
        self.step, self.tokens, self.elapsed_s = progress.step, progress.tokens, progress.elapsed_s
        self._saved_step, self._tokens_at_log, self._elapsed_at_log = self.step, self.tokens, self.elapsed_s
        self.work.restore(progress.samplers)
        if self.team.is_first:
            self._take_up_records()

    def _resumable(self) -> list[str]:
        """The snapshots that hold a training state, the oldest first; none where the run is to begin."""
        found = [str(path) for _, path in self.folder.snapshots() if can_resume(path)]
        if not found and any(step > 0 for step, _ in self.folder.snapshots()):
            raise BertcoreError(
                f"No snapshot in {self.folder.path} holds a training state to go on from; start a new run."
            )
        return found

    def _take_up_records(self) -> None:
        """What the folder says of the steps so far; what it says of later ones goes."""
        self.folder.truncate_metrics(self.step)
        self.folder.drop_snapshots(self.step)
        for line in self.folder.tail().read_new():
            if line.get("kind") == "phase":
                self.phases.append(line["phase"])
            if line.get("kind") == "held_out":
                self._remember(line)
        self.records.log(f"goes on from step {self.step:,}")

    # --- the loop

    def _train(self) -> str:
        """Until the budget is spent ("done") or someone asks for a stop ("stopped")."""
        self._status("running")
        self._agree()
        self._last_snapshot = self._now
        measured = self._measurements_due()
        while self.fraction < 1.0 and not self._is_over:
            self._obey()
            if self.stop_asked:
                return "stopped"
            self._take_step()
            if self._measurements_due() > measured:
                measured = self._measurements_due()
                self._measure()
                gc.collect()
            if is_mark(self.step) or self._now - self._last_snapshot > 60 * self.settings.save_minutes:
                self._snapshot()
            if self.records.status_is_old:
                self._status("running")
        return "done"

    @property
    def _why_early(self) -> str | None:
        if not self._is_over:
            return None
        waited = self.settings.patience
        return f"Ended early: {waited} measurements without a better one. More --patience with --resume goes on."

    @property
    def fraction(self) -> float:
        """Share of the budget spent, 0..1."""
        steps, seconds = self.settings.steps, self.settings.seconds
        return min(1.0, self.step / steps if steps else self.elapsed_s / (seconds or 1.0))

    def _measurements_due(self) -> int:
        return math.floor(self.fraction * self.settings.evaluations + 1e-9)

    def _take_step(self) -> None:
        """One batch, one update."""
        started = time.perf_counter()
        materials, step = self.materials, self.step + 1
        seed_dropout(self.settings.seed * 1_000_003 + step + self.team.rank * 1_000_000_007, materials.device)
        fraction = (step - 0.5) / self.settings.steps if self.settings.steps else self.fraction
        rate = self.work.learning_rate(fraction)
        for group in materials.optimizer.param_groups:
            group["lr"] = rate * group.get("rate_share", 1.0)
        materials.optimizer.zero_grad(set_to_none=True)
        result = self.work.forward_backward(step, fraction)
        for event in self.work.events(step, fraction, self.phases):
            self.phases.append(event["phase"])
            self.records.metric(event)
        norm = clip_gradients(materials.model, self.settings.gradient_clip)
        refuse_infinite_step(norm, result.loss, step, self.folder.path, self._write_batch)
        materials.optimizer.step()
        self.step, self.tokens = step, self.tokens + result.tokens
        self.elapsed_s += time.perf_counter() - started
        if result.always_log or self._is_logged():
            self._log_step(result, rate, norm)
        self._agree()

    # --- what it writes

    def _is_logged(self) -> bool:
        every, steps = self.settings.log_every, self.settings.steps
        if every is None and steps is None:
            return self.step <= 20 or self._now - self._last_log >= LOG_EVERY_S
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
        self.records.metric(line)
        self._last_log, self._tokens_at_log, self._elapsed_at_log = self._now, self.tokens, self.elapsed_s

    def _measure(self) -> None:
        """Measure on held-out data. It counts as training time, but not in the tokens per second."""
        started = time.perf_counter()
        numbers = self.work.measure()
        line = {"kind": "held_out", "step": self.step, "tokens": self.tokens, **numbers}
        self.records.metric(line)
        self._remember(line)
        seconds = time.perf_counter() - started
        self.elapsed_s += seconds
        self._elapsed_at_log += seconds
        self._agree()

    def _remember(self, numbers: Mapping[str, Any]) -> None:
        """Keep the best measurement, and count those since."""
        if self._best is None or self.work.is_better(numbers, self._best):
            self._best, self._worse = numbers, 0
        else:
            self._worse += 1

    def _snapshot(self) -> Path:
        """Write a snapshot, then thin the older ones."""
        materials, written = self.materials, self.folder.snapshot_path(self.step)
        if self._saved_step == self.step:  # it stands already: rewriting it would put the one good copy at risk
            return written
        if self.team.is_first or is_sharded(materials.model):  # a divided model is put together by all
            refuse_infinite_weights(
                materials.model, materials.optimizer, self.step, self.folder.path, self._write_batch
            )
            model = whole_model(materials.model, self.team.is_first)
            moments = optimizer_tensors(materials.optimizer, materials.model, self.team.is_first)
            if self.team.is_first:
                self._write_snapshot(model, moments)
        self._saved_step, self._last_snapshot = self.step, self._now
        return written

    def _write_snapshot(self, model: Bert, moments: dict[str, torch.Tensor]) -> None:
        progress = Progress(
            self.step,
            self.tokens,
            self.elapsed_s,
            self.materials.data_key,
            self.work.position(),
            self.materials.precision.name,
        )
        with self.folder.begin_snapshot(self.step) as folder:
            save_checkpoint(
                model,
                self.materials.tokenizer,
                folder,
                name=self.settings.name,
                step=self.step,
                tokens_seen=self.tokens,
            )
            save_progress(folder, progress, moments)
        if gone := thin(self.folder, self.step, self.settings.snapshots_mib):
            steps = ", ".join(f"{step:,}" for step in gone)
            self.records.log(f"snapshots of step {steps} removed, to keep to {self.settings.snapshots_mib:g} MiB")
        relative = self.folder.snapshot_path(self.step).relative_to(self.folder.path).as_posix()
        self.records.metric({"kind": "snapshot", "step": self.step, "path": relative})

    def _status(self, state: str, message: str | None = None) -> None:
        self.records.status(
            state,
            message,
            self.fraction,
            step=self.step,
            total_steps=self.settings.steps,
            elapsed_s=round(self.elapsed_s, 3),
        )

    def _write_batch(self, name: str) -> str:
        return self.work.write_batch(name) if self.team.is_first else ""

    # --- what it is told

    def _say(self, words: str) -> None:
        """What takes time before the first step; a stop that was asked for meanwhile ends the run here."""
        if self._signalled or self.records.take_command() == "stop":
            raise StopAskedError("Stopped before the first step.")
        self._status("starting", words)

    def _ask_to_stop(self) -> None:
        self._signalled = True

    def _agree(self) -> None:
        """One clock, one command and one stop for all processes."""
        numbers = [0.0] * 4
        if self.team.is_first:
            self._command = self._command or self.records.take_command()
            command = COMMANDS.index(self._command) + 1 if self._command else 0
            patience = self.settings.patience
            is_over = patience is not None and self._worse >= patience
            numbers = [command, time.monotonic(), self.elapsed_s, is_over]
        signals, number, self._now, self.elapsed_s, over = self.team.total(self._signalled, *numbers)
        self.stop_asked, self._is_over = self.stop_asked or signals > 0, over > 0
        self._command = COMMANDS[int(number) - 1] if number else None

    def _obey(self) -> None:
        """Do what the folder's control file says; while paused, wait here."""
        paused = False
        while not self.stop_asked:
            command, self._command = self._command, None
            if command == "stop":
                self.stop_asked = True
            elif command == "snapshot":
                snapshot = self._snapshot()
                if self.team.is_first:
                    keep(snapshot)
                    self.records.log(f"snapshot of step {self.step:,} taken, as asked; it stays")
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
            self._agree()


def seed_dropout(seed: int, device: torch.device) -> None:
    """torch.manual_seed also queues a call for GPUs that are not there: 3 ms and some memory at every step."""
    (torch.manual_seed if device.type == "cuda" else torch.default_generator.manual_seed)(seed)
