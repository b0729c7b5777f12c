"""Pretraining from text: what a step predicts, and what a run of it works with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bertcore.checkpoint import load_checkpoint
from bertcore.checkpoint_config import read_config
from bertcore.data.batches import Batch, causal_batch, masked_batch
from bertcore.data.text import read_documents
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from bertcore.training.first_batch import write_pretraining_batch
from bertcore.training.loop import Event, LoopSettings, Materials, StepResult, Watch, run_work
from bertcore.training.materials import PretrainingMaterials, prepare, text_format
from bertcore.training.objective import BatchTensors, pretraining_loss, step_metrics
from bertcore.training.optimizer import linear_rate
from bertcore.training.options import NO_DROPOUT, PretrainOptions
from bertcore.training.precision import choose_precision
from bertcore.training.run_folder import RunFolder

CAUSAL, MASKED = "causal", "masked"
_PHASE_WORDS = {
    CAUSAL: "Causal warm-up: tokens look back only and predict the next word; one step in {every} masks words.",
    MASKED: "Masked words: tokens look both ways and predict what was masked.",
}


def start_or_resume(options: PretrainOptions | None, run: Path, resume: bool, watch: Watch | None = None) -> Path:
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
    return run_work(Pretraining(options), folder, watch)


class Pretraining:
    """Masked words and sentence pairs, after a while of next words; the `Work` of a pretraining run."""

    materials: PretrainingMaterials
    run: Path

    def __init__(self, options: PretrainOptions) -> None:
        self.options = options
        training, (steps, seconds) = options.training, options.budget
        self.settings = LoopSettings(
            steps=steps,
            seconds=seconds,
            seed=training.seed,
            gradient_clip=training.gradient_clip,
            evaluations=training.evaluations,
            log_every=training.log_every,
            save_minutes=training.save_minutes,
            name=options.name,
        )

    def prepare(self, run: Path, say: Callable[[str], None]) -> Materials:
        self.run = run
        self.materials = prepare(self.options, run, say)
        if self.options.start is not None:
            begin_with(load_checkpoint(Path(self.options.start)).model, self.materials.model)
        return self.materials

    def use_precision(self, name: str) -> Materials:
        self.materials = replace(self.materials, precision=choose_precision(name, self.materials.device))
        return self.materials

    def learning_rate(self, fraction: float) -> float:
        return linear_rate(fraction, self.options.peak_rate, self.options.training.warm_up_share)

    def forward_backward(self, step: int, fraction: float) -> StepResult:
        training, materials = self.options.training, self.materials
        batch = self._batch(step, fraction, np.random.default_rng([training.seed, step]))
        tensors = BatchTensors.of(batch, materials.device)
        if step == 1:
            write_pretraining_batch(self.run, tensors, materials.tokenizer)
        with materials.precision.autocast(materials.device):
            loss = pretraining_loss(materials.model, tensors, training.next_sentence_weight)
        loss.total.backward()
        return StepResult(
            tokens=batch.real_tokens,
            metrics=lambda: step_metrics(loss, tensors),
            phase=CAUSAL if batch.causal else MASKED,
            # the few masked steps of the warm-up are all worth a point
            always_log=self._phase(fraction) == CAUSAL and not batch.causal,
        )

    def measure(self) -> dict[str, Any]:
        with self.materials.precision.autocast(self.materials.device):
            return self.materials.held_out.measure(self.materials.model)

    def is_better(self, now: Mapping[str, Any], best: Mapping[str, Any]) -> bool:
        return bool(now["loss"] < best["loss"])

    def position(self) -> Mapping[str, tuple[int, int]]:
        return {str(length): sampler.state for length, sampler in self.materials.samplers.items()}

    def restore(self, position: Mapping[str, tuple[int, int]]) -> None:
        for length, state in position.items():
            self.materials.samplers[int(length)].restore(state)

    def events(self, step: int, fraction: float, told: list[str]) -> list[Event]:
        phase = self._phase(fraction)
        if told and told[-1] == phase:
            return []
        message = _PHASE_WORDS[phase].format(every=self.options.training.causal_masked_every)
        return [{"kind": "phase", "step": step, "phase": phase, "message": message}]

    def finish(self, folder: RunFolder, done: bool) -> None:
        """The last snapshot is all there is to keep."""

    def _phase(self, fraction: float) -> str:
        return CAUSAL if fraction < self.options.training.causal_share else MASKED

    def _batch(self, step: int, fraction: float, rng: np.random.Generator) -> Batch:
        data, training = self.options.data, self.options.training
        is_long = data.long_share > 0 and fraction >= 1.0 - data.long_share
        length = data.long_sequence_length if is_long else data.sequence_length
        pairs = self.materials.samplers[length].take(max(1, training.batch_size * data.sequence_length // length), rng)
        if self._phase(fraction) == CAUSAL and step % training.causal_masked_every:
            return causal_batch(pairs, self.materials.tokenizer)
        return masked_batch(pairs, self.materials.tokenizer, rng, data.mask_share, data.masking)


def begin_with(source: Bert, model: Bert) -> None:
    """Copy all weights that both have; heads that only one has are left alone."""
    own = model.state_dict()
    model.load_state_dict({name: value for name, value in source.state_dict().items() if name in own}, strict=False)


def continued(options: PretrainOptions, checkpoint: Path) -> PretrainOptions:
    """The same run, beginning with a checkpoint: its architecture, its vocabulary, its weights."""
    config = read_config(checkpoint)
    fields = {name: value for name, value in config.to_dict().items() if name not in ("vocab_size", "labels")}
    lengths = {
        name: min(getattr(options.data, name), config.max_length)
        for name in ("sequence_length", "long_sequence_length")
    }
    data = replace(options.data, tokenizer=str(checkpoint), **lengths)
    return replace(options, start=str(checkpoint), preset="base", model={**fields, **NO_DROPOUT}, data=data)


def _look_into_text(options: PretrainOptions) -> None:
    """Read the first document of each file before a folder is made for the run."""
    for name in options.data.corpus:
        if next(read_documents([Path(name)], text_format(options.data)), None) is None:
            raise BertcoreError(f"The text file {name} is empty; give a file with some text in it.")
