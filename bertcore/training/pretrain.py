"""Pretraining: the loop, and what it writes into its run folder."""

from __future__ import annotations

import gc
import math
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bertcore.checkpoint import load_checkpoint, save_checkpoint
from bertcore.data.batches import Batch, causal_batch, masked_batch
from bertcore.data.text import read_documents
from bertcore.errors import BertcoreError
from bertcore.garbage import no_garbage_collection
from bertcore.locations import register_run
from bertcore.training.guards import StopAskedError, as_sentence, stop_signals
from bertcore.training.materials import prepare
from bertcore.training.objective import BatchTensors, pretraining_loss, step_metrics
from bertcore.training.optimizer import learning_rate_at
from bertcore.training.options import PretrainOptions
from bertcore.training.precision import choose_precision
from bertcore.training.resume import Progress, can_resume, forget_progress, load_progress, save_progress
from bertcore.training.run_folder import RunFolder

Event = dict[str, Any]
SHORT_RUN_STEPS = 1000  # up to here every step is logged
LOG_EVERY_S = 0.5  # runs with a budget in minutes log a step this often
STATUS_EVERY_S = 0.5
KEPT_PER_DECADE = ("1", "2", "5")  # snapshots at steps 0, 1, 2, 5, 10, 20, 50 ... are kept for good
CAUSAL, MASKED = "causal", "masked"
_PHASE_WORDS = {
    CAUSAL: "Causal warm-up: tokens look back only and predict the next word; one step in {every} masks words.",
    MASKED: "Masked words: tokens look both ways and predict what was masked.",
}


def start_or_resume(
    options: PretrainOptions | None, run: Path, resume: bool, watch: Callable[[Event], None] | None = None
) -> Path:
    """Train in the folder `run`; with `resume`, go on from its newest snapshot, or start if there is nothing yet.

    `watch` is told each metrics line as it is written. Returns the last snapshot. Raises BertcoreError with a sentence
    for a folder that holds something else, cannot be written or is in use, and for a text that cannot be trained on.
    """
    exists = (run / "config.json").is_file()
    if exists and not resume:
        raise BertcoreError(f"The folder {run} already holds a run; add --resume to go on with it, or name another.")
    if exists:
        folder = RunFolder(run)
        options = PretrainOptions.from_dict(folder.config())
    else:
        if options is None or not options.data.corpus:
            raise BertcoreError("There is nothing to train on; give one or more text files with --corpus.")
        _look_into_text(options)
        folder = RunFolder.create(run, options.to_dict())
    with folder.acquire():
        register_run(run)
        return _Pretraining(options, folder, watch or (lambda event: None)).run()


class _Pretraining:
    """One run, from where its folder stands to the end of its budget."""

    def __init__(self, options: PretrainOptions, folder: RunFolder, watch: Callable[[Event], None]) -> None:
        self.options, self.folder, self.watch = options, folder, watch
        self.step, self.tokens, self.elapsed_s = 0, 0, 0.0
        self.stop_asked = False
        self.phase: str | None = None
        self._last_status = self._last_log = self._last_snapshot = 0.0  # monotonic seconds
        self._tokens_at_log, self._elapsed_at_log = 0, 0.0

    def run(self) -> Path:
        self._status("starting", "Reading the text.")
        try:
            with stop_signals(self._ask_to_stop):
                self.materials = prepare(self.options, self.folder.path, self._say)
                self.folder.log(self.materials.summary)
                self._resume_or_begin()
                with no_garbage_collection():
                    state = self._train()
                snapshot = self._snapshot()
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
            self._evaluate()
            return
        newest, materials = resumable[-1], self.materials
        materials.model.load_state_dict(load_checkpoint(newest).model.state_dict())
        progress = load_progress(newest, materials.model, materials.optimizer)
        if progress.corpus_key != materials.corpus_key:
            raise BertcoreError("The text has changed since this run began; start a new run for the new text.")
        if progress.precision != materials.precision.name:  # a fresh probe on a busy machine may say another
            same = choose_precision(progress.precision, materials.device)
            self.materials = replace(materials, precision=same)
        self.step, self.tokens, self.elapsed_s = progress.step, progress.tokens, progress.elapsed_s
        self._tokens_at_log, self._elapsed_at_log = self.tokens, self.elapsed_s
        for length, state in progress.samplers.items():
            materials.samplers[int(length)].restore(state)
        self.folder.truncate_metrics(self.step)
        told = [line["phase"] for line in self.folder.tail().read_new() if line.get("kind") == "phase"]
        self.phase = told[-1] if told else None
        self.folder.log(f"goes on from step {self.step}")

    # --- the loop

    def _train(self) -> str:
        """Until the budget is spent ("done") or someone asks for a stop ("stopped")."""
        self._status("running")
        evaluated = self._evaluations_due()
        while self.fraction < 1.0:
            self._obey()
            if self.stop_asked:
                return "stopped"
            self._take_step()
            if self._evaluations_due() > evaluated:
                evaluated = self._evaluations_due()
                self._evaluate()
                gc.collect()
            if _is_kept(self.step) or time.monotonic() - self._last_snapshot > 60 * self.options.training.save_minutes:
                self._snapshot()
            if time.monotonic() - self._last_status > STATUS_EVERY_S:
                self._status("running")
        return "done"

    @property
    def fraction(self) -> float:
        """Share of the budget spent, 0..1."""
        steps, seconds = self.options.budget
        return min(1.0, self.step / steps if steps else self.elapsed_s / (seconds or 1.0))

    def _evaluations_due(self) -> int:
        return math.floor(self.fraction * self.options.training.evaluations + 1e-9)

    def _take_step(self) -> None:
        """One batch, one update. Every random choice follows from the seed and the step's number alone."""
        started = time.perf_counter()
        training, materials, step = self.options.training, self.materials, self.step + 1
        rng = np.random.default_rng([training.seed, step])
        _seed_dropout(training.seed * 1_000_003 + step, materials.device)
        steps, _ = self.options.budget
        fraction = (step - 0.5) / steps if steps else self.fraction
        batch = self._next_batch(step, fraction, rng)
        tensors = BatchTensors.of(batch, materials.device)
        rate = learning_rate_at(fraction, self.options.peak_rate, training.warm_up_share)
        for group in materials.optimizer.param_groups:
            group["lr"] = rate
        with materials.precision.autocast(materials.device):
            loss = pretraining_loss(materials.model, tensors, training.next_sentence_weight)
        materials.optimizer.zero_grad(set_to_none=True)
        loss.total.backward()
        norm = float(torch.nn.utils.clip_grad_norm_(materials.model.parameters(), training.gradient_clip))
        if not math.isfinite(norm):
            raise BertcoreError(
                f"The loss or its gradient became infinite at step {step}; the last good snapshot is kept. "
                "Start again with a lower learning rate."
            )
        materials.optimizer.step()
        self.step, self.tokens = step, self.tokens + batch.real_tokens
        self.elapsed_s += time.perf_counter() - started
        if self._is_logged(batch.causal):
            self._log_step({**step_metrics(loss, tensors), "learning_rate": rate, "gradient_norm": norm}, batch.causal)

    def _next_batch(self, step: int, fraction: float, rng: np.random.Generator) -> Batch:
        data, training = self.options.data, self.options.training
        is_long = data.long_share > 0 and fraction >= 1.0 - data.long_share
        length = data.long_sequence_length if is_long else data.sequence_length
        pairs = self.materials.samplers[length].take(max(1, training.batch_size * data.sequence_length // length), rng)
        phase = CAUSAL if fraction < training.causal_share else MASKED
        if phase != self.phase:
            self.phase = phase
            message = _PHASE_WORDS[phase].format(every=training.causal_masked_every)
            self._metric({"kind": "phase", "step": step, "phase": phase, "message": message})
        if phase == CAUSAL and step % training.causal_masked_every:
            return causal_batch(pairs, self.materials.tokenizer)
        return masked_batch(pairs, self.materials.tokenizer, rng, data.mask_share)

    # --- what it writes

    def _is_logged(self, causal: bool) -> bool:
        every, (steps, _) = self.options.training.log_every, self.options.budget
        if every is None and steps is None:
            return self.step <= 20 or time.monotonic() - self._last_log >= LOG_EVERY_S
        every = every or (1 if steps is not None and steps <= SHORT_RUN_STEPS else 10)
        rare = self.phase == CAUSAL and not causal  # the few masked steps of the warm-up are all worth a point
        return rare or self.step % every == 0

    def _log_step(self, metrics: Event, causal: bool) -> None:
        seconds = self.elapsed_s - self._elapsed_at_log
        line = {
            "kind": "train",
            "step": self.step,
            **metrics,
            "tok_per_s": (self.tokens - self._tokens_at_log) / seconds if seconds > 0 else None,
            "tokens": self.tokens,
            "phase": CAUSAL if causal else MASKED,
            "elapsed_s": round(self.elapsed_s, 3),
        }
        self._metric(line)
        self._last_log, self._tokens_at_log, self._elapsed_at_log = time.monotonic(), self.tokens, self.elapsed_s

    def _evaluate(self) -> None:
        """Measure on held-out text. It counts as training time, but not in the tokens per second."""
        started = time.perf_counter()
        with self.materials.precision.autocast(self.materials.device):
            numbers = self.materials.held_out.measure(self.materials.model)
        self._metric({"kind": "held_out", "step": self.step, "tokens": self.tokens, **numbers})
        seconds = time.perf_counter() - started
        self.elapsed_s += seconds
        self._elapsed_at_log += seconds

    def _snapshot(self) -> Path:
        """Write a snapshot, then thin: older ones lose their training state, and go if they were only for safety."""
        materials, written = self.materials, self.folder.snapshot_path(self.step)
        if can_resume(written):  # this step stands already: rewriting it would put the one good copy at risk
            return written
        samplers = {str(length): sampler.state for length, sampler in materials.samplers.items()}
        progress = Progress(
            self.step, self.tokens, self.elapsed_s, materials.corpus_key, samplers, materials.precision.name
        )
        name = self.options.name
        with self.folder.begin_snapshot(self.step) as folder:
            save_checkpoint(
                materials.model, materials.tokenizer, folder, name=name, step=self.step, tokens_seen=self.tokens
            )
            save_progress(folder, progress, materials.model, materials.optimizer)
        self._last_snapshot = time.monotonic()
        for step, path in self.folder.snapshots():
            if step < self.step:
                forget_progress(path)
                if not _is_kept(step):
                    shutil.rmtree(path, ignore_errors=True)
        relative = written.relative_to(self.folder.path).as_posix()
        self._metric({"kind": "snapshot", "step": self.step, "path": relative})
        return written

    def _metric(self, line: Event) -> None:
        self.folder.append_metric(line)
        self.watch(line)

    def _status(self, state: str, message: str | None = None) -> None:
        steps, _ = self.options.budget
        fraction = self.fraction
        known = state in ("running", "paused") and fraction > 0
        self.folder.write_status(
            state=state,
            step=self.step,
            total_steps=steps,
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


def _seed_dropout(seed: int, device: torch.device) -> None:
    """torch.manual_seed also queues a call for GPUs that are not there: 3 ms and some memory at every step."""
    (torch.manual_seed if device.type == "cuda" else torch.default_generator.manual_seed)(seed)


def _is_kept(step: int) -> bool:
    return step == 0 or str(step).rstrip("0") in KEPT_PER_DECADE


def _look_into_text(options: PretrainOptions) -> None:
    """Read the first document of each file before a folder is made for the run."""
    for name in options.data.corpus:
        if next(read_documents([Path(name)]), None) is None:
            raise BertcoreError(f"The text file {name} is empty; give a file with some text in it.")
