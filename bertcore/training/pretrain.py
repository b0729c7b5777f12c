"""Pretraining from text: what a step predicts, and what a run of it works with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bertcore.checkpoint.checkpoint import load_checkpoint, without_spare_rows
from bertcore.checkpoint.config_file import read_config
from bertcore.data.batches import Batch, causal_batch, in_parts, make_rows, masked_batch
from bertcore.data.pairs import NO_LABEL
from bertcore.data.text import read_documents, text_files
from bertcore.errors import BertcoreError
from bertcore.files import write_json
from bertcore.model.bert import Bert
from bertcore.model.losses import Losses
from bertcore.runs.model_card import ModelCard
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.run_story import RunStory
from bertcore.runs.sources import note_sources, refuse_changed
from bertcore.training.distributed import Team, joined_team
from bertcore.training.evaluate import EVALUATION_FILE
from bertcore.training.feed import Feed
from bertcore.training.first_batch import write_pretraining_batch
from bertcore.training.going_on import opened
from bertcore.training.held_out_examples import best_and_worst
from bertcore.training.later_positions import repeat_positions
from bertcore.training.loop import run_work
from bertcore.training.materials import PretrainingMaterials, prepare
from bertcore.training.objective import BatchTensors, Numbers, pretraining_loss, shares_of_metrics
from bertcore.training.optimizer import trapezoid_rate
from bertcore.training.options import NO_DROPOUT, PretrainOptions, size_like
from bertcore.training.precision import choose_precision
from bertcore.training.run_cards import Teaching, pretraining_card
from bertcore.training.sharding import is_sharded, load_weights
from bertcore.training.snapshots import keep_source
from bertcore.training.work import Event, LoopSettings, Materials, StepResult, Watch

CAUSAL, MASKED = "causal", "masked"
NO_TEXT = "There is nothing to train on; give one or more text files with --corpus."
LONGER = "longer"  # beside the two phases: the last part has begun
_PHASE_WORDS = {
    CAUSAL: "Causal warm-up: tokens look back only and predict the next word; one step in {every} masks words.",
    MASKED: "Masked words: tokens look both ways and predict what was masked.",
}


def start_or_resume(options: PretrainOptions | None, run: Path, resume: bool, watch: Watch | None = None) -> Path:
    """Train in the folder `run`; with `resume`, go on from its newest snapshot, or start if there is nothing yet.

    `watch` is told each metrics line as it is written. Returns the last snapshot. Raises BertcoreError with a sentence
    for a folder that holds something else, cannot be written or is in use, and for a text that cannot be trained on.
    """
    with joined_team() as team:
        settings = team.once(lambda: opened(PretrainOptions, options, run, resume, _fit_to_train).to_dict())
        return run_work(Pretraining(PretrainOptions.from_dict(settings), team), RunFolder(run), watch)


def _fit_to_train(options: PretrainOptions | None) -> PretrainOptions:
    """Read the first document of each file before a folder is made for the run."""
    if options is None or not options.data.corpus:
        raise BertcoreError(NO_TEXT)
    for name in options.data.corpus:
        if next(read_documents([Path(name)], options.data.text_format), None) is None:
            raise BertcoreError(f"The text file {name} is empty; give a file with some text in it.")
    return options


class Pretraining:
    """Masked words and sentence pairs, after a while of next words; the `Work` of a pretraining run."""

    materials: PretrainingMaterials
    run: Path
    _last_batch: Batch
    _loss: Callable[..., Losses]  # of the model and a batch, over all processes

    def __init__(self, options: PretrainOptions, team: Team | None = None) -> None:
        self.options, self.team = options, team or Team()
        self._feed = Feed(self.make_batch)
        self._position: Mapping[str, tuple[int, int]] = {}  # before the batch that is being made ahead
        self._has_long = False  # the last part, of longer sequences, has begun
        self._first_long: int | None = None  # the first step whose batch was made of longer sequences, in this process
        training, (steps, seconds) = options.training, options.budget
        self.settings = LoopSettings(
            steps=steps,
            seconds=seconds,
            seed=training.seed,
            gradient_clip=training.gradient_clip,
            evaluations=training.evaluations,
            log_every=training.log_every,
            save_minutes=training.save_minutes,
            patience=training.patience,
            snapshots_mib=training.snapshots_mib,
            name=options.name,
        )

    def prepare(self, run: Path, say: Callable[[str], None]) -> Materials:
        self.run = run
        if self.team.is_first:
            keep_source(self.options.start)
            self._note_sources(run)
        self.materials = prepare(self.options, run, say, self.team)
        self.team.refuse_more_than(min(map(self._sequences, self.materials.samplers)))
        if self.options.start is not None and not RunFolder(run).snapshots():
            begin_with(load_checkpoint(Path(self.options.start)).model, self.materials.model)
        self._loss = self.team.parallel(self.materials.model, pretraining_loss)
        return self.materials

    def _note_sources(self, run: Path, exact: Sequence[Path] = ()) -> None:
        """`exact`: files that the data's key does not cover."""
        files = text_files(map(Path, self.options.data.corpus))
        note_sources(run, files, exact)
        refuse_changed(run, files, exact)

    def use_precision(self, name: str) -> Materials:
        self.materials = replace(self.materials, precision=choose_precision(name, self.materials.device))
        return self.materials

    def learning_rate(self, fraction: float) -> float:
        training = self.options.training
        fall = 1.0 - training.warm_up_share if training.fall_share is None else training.fall_share
        return trapezoid_rate(fraction, self.options.peak_rate, training.warm_up_share, fall)

    def forward_backward(self, step: int, fraction: float) -> StepResult:
        materials = self.materials
        batch = self._next_batch(step, fraction)
        self._begin_long_part(step)
        if step == 1 and self.team.is_first:
            write_pretraining_batch(self.run, BatchTensors.of(batch, materials.device), materials.tokenizer)
        pairs = int((batch.next_sentence != NO_LABEL).sum())
        words, pairs, tokens = map(int, self.team.total(len(batch.labels), pairs, batch.real_tokens))
        parts = in_parts(batch, self.options.training.accumulate)
        totals = None if self.team.size == len(parts) == 1 else (words, pairs)
        done = [self._backward(part, totals, keep=len(parts) == 1) for part in parts]
        return StepResult(
            tokens=tokens,
            metrics=lambda: self._of_whole_batch([numbers() for _, numbers in done], totals),
            loss=torch.stack([loss for loss, _ in done]).sum(),
            phase=CAUSAL if batch.causal else MASKED,
            # the few masked steps of the warm-up are all worth a point
            always_log=self._phase(fraction) == CAUSAL and not batch.causal,
        )

    def _begin_long_part(self, step: int) -> None:
        """At the first batch of longer sequences."""
        if self._has_long or step != self._first_long:
            return
        self._has_long = True
        if self.options.repeats_positions:
            repeat_positions(self.materials.model, self.options.data.sequence_length)

    def _has_drawn_long(self) -> bool:
        """Whether sequences of the last part are among those that were trained on."""
        data = self.options.data
        return bool(
            data.long_sequence_length > data.sequence_length
            and any(self._position.get(str(data.long_sequence_length), ()))
        )

    def _backward(
        self, batch: Batch, totals: tuple[int, int] | None, keep: bool
    ) -> tuple[torch.Tensor, Callable[[], Numbers]]:
        """Add the gradients of a part of the batch; its loss, and its share of the metrics.

        `keep`: the metrics are worked out when they are asked for, and until then its logits take memory.
        """
        tensors = BatchTensors.of(batch, self.materials.device)
        with self.materials.precision.autocast(self.materials.device):
            loss = self._loss(tensors, self.options.training.next_sentence_weight, totals)
        (loss.total if totals is None else loss.total * self.team.size).backward()  # gradients are averaged
        if keep:
            return loss.total.detach(), lambda: shares_of_metrics(loss, tensors, totals)
        numbers = shares_of_metrics(loss, tensors, totals)
        return loss.total.detach(), lambda: numbers

    def _of_whole_batch(self, parts: list[Numbers], totals: tuple[int, int] | None) -> Numbers:
        """The metrics of all parts and all processes together; each has its share."""
        if totals is None:
            return parts[0]
        names = list(parts[0])
        summed = self.team.total(*(sum(part[name] or 0.0 for part in parts) for name in names))
        known = {name for name in names if any(part[name] is not None for part in parts)}
        if totals[1]:  # labelled pairs, though perhaps none of them here
            known |= {f"{head}_accuracy" for head in ("nsp", "sop") if f"{head}_loss" in known}
        return {name: value if name in known else None for name, value in zip(names, summed, strict=True)}

    def _next_batch(self, step: int, fraction: float) -> Batch:
        """This process's rows of the batch; the next ones are then made beside."""
        self._last_batch = batch = self._feed.take(step, fraction)
        steps = self.settings.steps
        if steps is None or step < steps:
            self._position = self._positions()
            # where the budget is in minutes, the share that is spent by the next step is not known yet
            self._feed.begin(step + 1, fraction if steps is None else (step + 0.5) / steps)
        return batch

    def write_batch(self, name: str) -> str:
        tensors = BatchTensors.of(self._last_batch, self.materials.device)
        return write_pretraining_batch(self.run, tensors, self.materials.tokenizer, name, None)

    def measure(self) -> dict[str, Any]:
        with self.materials.precision.autocast(self.materials.device):
            return self.materials.held_out.measure(self.materials.model)

    def is_better(self, now: Mapping[str, Any], best: Mapping[str, Any]) -> bool:
        return bool(now["loss"] < best["loss"])

    def position(self) -> Mapping[str, tuple[int, int]]:
        return self._position if self._feed.is_ahead else self._positions()

    def _positions(self) -> Mapping[str, tuple[int, int]]:
        return {str(length): sampler.state for length, sampler in self.materials.samplers.items()}

    def restore(self, position: Mapping[str, tuple[int, int]]) -> None:
        for length, state in position.items():
            self.materials.samplers[int(length)].restore(state)
        self._position = position
        self._has_long = self._has_drawn_long()

    def events(self, step: int, fraction: float, told: list[str]) -> list[Event]:
        """The phase where it is another one, and the first batch of longer sequences."""
        data, phase = self.options.data, self._phase(fraction)
        news = {}
        if [name for name in told if name != LONGER][-1:] != [phase]:
            news[phase] = _PHASE_WORDS[phase].format(every=self.options.training.causal_masked_every)
        if LONGER not in told and step == self._first_long:
            which = "" if data.long_every == 1 else f" in one step of {data.long_every}"
            news[LONGER] = f"Longer sequences from here on: {data.long_sequence_length} tokens{which}."
        return [{"kind": "phase", "step": step, "phase": name, "message": words} for name, words in news.items()]

    def finish(self, folder: RunFolder, done: bool) -> None:
        """The best and worst held-out sequences, and the model card of the last snapshot."""
        story = RunStory.of(folder, done, self.settings.steps, self.settings.seconds)
        write_json(folder.path / EVALUATION_FILE, {"held_out": story.held_out, **self._examples(story.snapshot)})
        self._card(story).write(story.snapshot)

    def _examples(self, snapshot: Path) -> dict[str, Any]:
        """Of the held-out text that this process measures; a divided model computes in all processes or in none."""
        materials = self.materials
        is_whole = not is_sharded(materials.model)
        model = materials.model if is_whole else load_checkpoint(snapshot).model.to(materials.device)
        with materials.precision.autocast(materials.device):
            best, worst = best_and_worst(model, materials.held_out.batches, materials.tokenizer)
        return {"best": best, "worst": worst}

    def _card(self, story: RunStory, teaching: Teaching | None = None) -> ModelCard:
        return pretraining_card(self.options, self.materials, story, teaching)

    def _phase(self, fraction: float) -> str:
        return CAUSAL if fraction < self.options.training.causal_share else MASKED

    def close(self) -> None:
        self._feed.close()

    def _sequences(self, length: int) -> int:
        """In a batch of all processes."""
        return max(1, self.options.training.batch_size * self.options.data.sequence_length // length)

    def _is_long(self, step: int, fraction: float) -> bool:
        """Whether a step of the last part takes the longer sequences."""
        data = self.options.data
        is_last_part = data.long_share > 0 and fraction >= 1.0 - data.long_share
        return is_last_part and step % data.long_every == 0 and data.long_sequence_length > data.sequence_length

    def make_batch(self, step: int, fraction: float) -> Batch:
        """This process's rows of the batch of a step."""
        data, training, tokenizer = self.options.data, self.options.training, self.materials.tokenizer
        length = data.sequence_length
        if self._is_long(step, fraction):
            length = data.long_sequence_length
            self._first_long = step if self._first_long is None else self._first_long
        elif _is_short(data.short_share, training.seed, step):
            length = data.short_sequence_length
        causal = self._phase(fraction) == CAUSAL and step % training.causal_masked_every > 0
        sampler = self.materials.samplers[length]
        windows = sampler.windows(self._sequences(length))

        def make(first: int, last: int, rng: np.random.Generator) -> Batch:
            pairs = sampler.pairs(windows[first:last], rng)
            if causal:
                return causal_batch(pairs, tokenizer)
            return masked_batch(pairs, tokenizer, rng, data.mask_share, data.masking)

        start, stop = self.team.part(len(windows))
        return make_rows(start, stop, len(windows), (training.seed, step), make)


def _is_short(share: float, seed: int, step: int) -> bool:
    """By chance, the same in all processes and after every resume. The batch's own blocks draw other numbers."""
    return share > 0 and float(np.random.default_rng((seed, step, 0, 1)).random()) < share


def begin_with(source: Bert, model: Bert) -> None:
    """Copy all weights that both have; heads that only one has are left alone."""
    own = model.state_dict()
    source = without_spare_rows(source, model.config.vocab_size)
    load_weights(model, {name: value for name, value in source.state_dict().items() if name in own}, strict=False)


def continued(options: PretrainOptions, checkpoint: Path) -> PretrainOptions:
    """The same run, beginning with a checkpoint: its architecture, its vocabulary, its weights."""
    config = read_config(checkpoint)
    fields = {name: value for name, value in config.to_dict().items() if name not in ("vocab_size", "labels")}
    lengths = {
        name: min(getattr(options.data, name), config.max_length)
        for name in ("sequence_length", "long_sequence_length", "short_sequence_length")
    }
    pairs = options.data.pairs if config.takes_pairs else "none"
    data = replace(options.data, tokenizer=str(checkpoint), pairs=pairs, **lengths)
    return replace(options, start=str(checkpoint), preset=size_like(config), model={**fields, **NO_DROPOUT}, data=data)
