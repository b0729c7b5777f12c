"""Fine-tuning: a head for a task on a pretrained encoder, both learning from the task's examples."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bertcore.checkpoint.checkpoint import Checkpoint, load_checkpoint
from bertcore.errors import BertcoreError
from bertcore.files import write_json
from bertcore.model.bert import Bert, initialise
from bertcore.model.losses import NO_LABEL, Losses, TaskBatch, task_losses
from bertcore.resolve import resolve_model
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.run_story import RunStory
from bertcore.runs.sources import note_sources
from bertcore.tasks.examples import AnswerExample, Example
from bertcore.tasks.features.collate import TaskBatches
from bertcore.tasks.features.make import make_features
from bertcore.tasks.readers.reading import TaskFile, task_named
from bertcore.tasks.readers.spec import TaskSpec
from bertcore.training.distributed import Team, joined_team
from bertcore.training.evaluate import EVALUATION_FILE
from bertcore.training.evaluate_task import TaskEvaluation, evaluate_task
from bertcore.training.feed import Feed
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.first_batch import write_task_batch
from bertcore.training.going_on import opened
from bertcore.training.loop import run_work
from bertcore.training.materials import default_threads, same_precision
from bertcore.training.optimizer import SCHEDULES, depth_of, make_optimizer
from bertcore.training.precision import choose_precision
from bertcore.training.run_cards import task_card
from bertcore.training.task_examples import data_key, read_examples
from bertcore.training.work import Event, LoopSettings, Materials, StepResult, Watch

HEAD_OF_KIND = {  # kind of task -> the head that learns it
    "classify": "classify",
    "regress": "classify",
    "multilabel": "classify",
    "tag": "tag",
    "span": "span",
    "choice": "choice",
    "summarise": "summarise",
}
_DEFAULT_EPOCHS = 3.0
_FEWEST_STEPS = 150  # where nothing is said: three passes over a small file would teach nothing
_RATE_OF_BASE, _BASE_WIDTH = 5e-5, 768


@dataclass(frozen=True)
class TaskMaterials(Materials):
    task: TaskSpec
    batches: TaskBatches
    held_out: TaskBatches


def start_or_resume_finetuning(
    options: FinetuneOptions | None, run: Path, resume: bool, watch: Watch | None = None
) -> Path:
    """Fine-tune in the folder `run`; with `resume`, go on from its newest snapshot, or start if there is nothing yet.

    Returns the last snapshot. Raises BertcoreError, one sentence, for files that do not fit the task, a checkpoint that
    cannot be opened, and a folder that holds something else, cannot be written or is in use.
    """
    with joined_team() as team:
        settings = team.once(lambda: opened(FinetuneOptions, options, run, resume, _fit_to_learn).to_dict())
        return run_work(FineTuning(FinetuneOptions.from_dict(settings), team), RunFolder(run), watch)


def _fit_to_learn(options: FinetuneOptions | None) -> FinetuneOptions:
    """Read the examples before a folder is made for the run."""
    if options is None or not options.data.train:
        raise BertcoreError("There is nothing to learn from; give a file or folder with --train.")
    read_examples(options)
    return options


class FineTuning:
    """The `Work` of a fine-tuning run. Batch n is always the same, so the step's number is all a resume needs."""

    materials: TaskMaterials
    run: Path
    _units: Any  # of the last step's batch
    _loss: Callable[..., Losses]  # of a batch, over all processes

    def __init__(self, options: FinetuneOptions, team: Team | None = None) -> None:
        self.options, self.team, training = options, team or Team(), options.training
        self._feed = Feed(self._parts)
        self._evaluation: TaskEvaluation | None = None
        self._epoch: tuple[int, Any] | None = None  # the number of an epoch, and the units of each of its batches
        seconds = None if training.minutes is None else 60.0 * training.minutes
        self.settings = LoopSettings(
            steps=training.steps,  # for a budget in epochs, known when the examples are
            seconds=seconds,
            seed=training.seed,
            gradient_clip=training.gradient_clip,
            evaluations=training.evaluations,
            log_every=training.log_every,
            save_minutes=training.save_minutes,
            snapshots_mib=training.snapshots_mib,
            name=options.name,
            patience=training.patience,
        )

    def prepare(self, run: Path, say: Callable[[str], None]) -> Materials:
        self.run = run
        options, training = self.options, self.options.training
        torch.set_num_threads(training.threads or default_threads(self.team.local_size))
        device = self.team.device
        say("Reading the examples.")
        train, dev = read_examples(options)
        if self.team.is_first:
            note_sources(run, [train.file, dev.file])
        spec = task_named(options.data.task)
        say("Opening the model.")
        checkpoint = _begins_with(options, run)
        model = task_model(checkpoint, spec, train, options).to(device)
        self._freeze(model)
        say("Cutting the text into tokens.")
        batches, held_out = (
            self._batches(file.examples, checkpoint, spec, train.labels, model) for file in (train, dev)
        )
        precision = same_precision(training.precision, device, self.team)
        self._per_epoch = len(batches)
        self.settings = replace(self.settings, steps=self.steps_for(self._per_epoch))
        self._loss = self.team.parallel(model, task_losses)
        self.materials = TaskMaterials(
            device=device,
            precision=precision,
            tokenizer=checkpoint.tokenizer,
            data_key=data_key(train, dev, checkpoint),
            model=model.train(),
            optimizer=make_optimizer(model, self.peak_rate(model), training.weight_decay, training.layer_decay),
            summary=(
                f"{spec.title}: {len(train.examples):,} examples to learn from, {len(dev.examples):,} held out; "
                f"{checkpoint.name}, {self.team.devices}, {torch.get_num_threads()} threads, "
                f"{precision.reason}"
            ),
            task=spec,
            batches=batches,
            held_out=held_out,
        )
        return self.materials

    def use_precision(self, name: str) -> Materials:
        self.materials = replace(self.materials, precision=choose_precision(name, self.materials.device))
        return self.materials

    def learning_rate(self, fraction: float) -> float:
        training = self.options.training
        return SCHEDULES[training.schedule](fraction, self.peak_rate(self.materials.model), training.warm_up_share)

    def peak_rate(self, model: Bert) -> float:
        """As asked for, or 5e-5 for BERT-base (Devlin et al. 2019, appendix A.3), more for narrower models."""
        narrower = max(1.0, _BASE_WIDTH / model.config.hidden_size)
        return self.options.training.learning_rate or _RATE_OF_BASE * narrower**2

    def forward_backward(self, step: int, fraction: float) -> StepResult:
        materials, size = self.materials, self.team.size
        self._evaluation = None
        self._units, parts = self._feed.take(step, fraction)
        if self.settings.steps is None or step < self.settings.steps:
            self._feed.begin(step + 1, fraction)
        epoch, place = divmod(step - 1, self._per_epoch)
        if self.options.training.gradual_unfreezing:
            self._unfreeze(epoch)
        tokens = 0
        values: list[torch.Tensor] = []
        for share, counted, batch in parts:
            batch = to_device(batch, materials.device)
            if step == 1 and not values and self.team.is_first:
                write_task_batch(self.run, batch, materials.tokenizer, materials.batches.features.labels)
            real = batch.input_ids.numel() if batch.attention_mask is None else int(batch.attention_mask.sum())
            all_counted, real = map(int, self.team.total(counted, real if counted else 0))
            with materials.precision.autocast(materials.device):
                losses = self._loss(batch)
            ours = share if size == 1 else share * counted / max(all_counted, 1)
            (losses.total * (ours * size)).backward()  # gradients are averaged over the processes
            values.append(losses.total.detach() * ours)
            tokens += real
        return StepResult(
            tokens=tokens,
            metrics=lambda: self._metrics(torch.stack(values).sum()),
            phase="task",
            loss=torch.stack(values).sum(),
            extra={"epoch": round(epoch + (place + 1) / self._per_epoch, 4), "examples": len(self._units)},
        )

    def _metrics(self, loss: torch.Tensor) -> dict[str, float | None]:
        """`loss` is this process's share."""
        (whole,) = self.team.total(float(loss))
        return {"loss": whole, f"{self.materials.batches.features.head}_loss": whole}

    def _parts(self, step: int, fraction: float) -> tuple[Any, list[tuple[float, int, TaskBatch]]]:
        """The units of a step's batch; and of each part that it is worked on in: its share of the units, how many
        labels this process has of it, and the sequences of these."""
        epoch, place = divmod(step - 1, self._per_epoch)
        units, parts = self._order(epoch)[place], []
        for part in _split(units, self.options.training.accumulate):
            if len(part):
                start, stop = self.team.part(len(part))
                # whoever has none takes one all the same, which does not count: all have to take part
                batch = self.materials.batches.batch(part[start:stop] if start < stop else part[:1])
                labels = sum(int((values != NO_LABEL).sum()) for values in batch.labels.values())
                parts.append((len(part) / len(units), labels if start < stop else 0, batch))
        return units, parts

    def write_batch(self, name: str) -> str:
        batches, tokenizer = self.materials.batches, self.materials.tokenizer
        batch = batches.batch(self._units)
        return write_task_batch(self.run, batch, tokenizer, batches.features.labels, name, None)

    def measure(self) -> dict[str, Any]:
        materials = self.materials
        with materials.precision.autocast(materials.device):
            self._evaluation = evaluate_task(materials.model, materials.held_out, materials.device)
        return {"loss": self._evaluation.loss, **self._evaluation.metrics}

    def is_better(self, now: Mapping[str, Any], best: Mapping[str, Any]) -> bool:
        main = next((name for name in self.materials.task.metrics if name in now and name in best), None)
        return bool(now[main] > best[main]) if main else bool(now["loss"] < best["loss"])

    def position(self) -> Mapping[str, tuple[int, int]]:
        return {}

    def restore(self, position: Mapping[str, tuple[int, int]]) -> None:
        """Nothing: the step's number says which batch is next."""

    def events(self, step: int, fraction: float, told: list[str]) -> list[Event]:
        if told:
            return []
        return [{"kind": "phase", "step": step, "phase": "task", "message": f"{self.materials.task.title}."}]

    def finish(self, folder: RunFolder, done: bool) -> None:
        """The last measurement in full, measured anew where the run went on after it; and the model card."""
        if self._evaluation is None:
            self.measure()
        assert self._evaluation is not None
        write_json(folder.path / EVALUATION_FILE, asdict(self._evaluation))
        story = RunStory.of(folder, done, self.settings.steps, self.settings.seconds)
        rate = self.peak_rate(self.materials.model)
        task_card(self.options, self.materials, rate, self._evaluation, story).write(story.snapshot)

    def close(self) -> None:
        self._feed.close()

    def _batches(
        self,
        examples: tuple[Example, ...],
        checkpoint: Checkpoint,
        spec: TaskSpec,
        labels: tuple[str, ...],
        model: Bert,
    ) -> TaskBatches:
        data, training = self.options.data, self.options.training
        features = make_features(
            spec.kind,
            examples,
            checkpoint.tokenizer,
            labels,
            max_length=min(data.max_length, model.config.max_length),
            crf=self.options.crf,
            doc_stride=data.stride,
            need_answers=True,
        )
        has_segments = model.config.type_vocab_size > 1
        return TaskBatches(
            features, training.batch_size, checkpoint.tokenizer.pad_id, training.seed, segments=has_segments
        )

    def steps_for(self, batches_per_epoch: int) -> int | None:
        """The budget in steps; None where it is in minutes."""
        training = self.options.training
        if training.steps is not None or training.minutes is not None:
            return training.steps
        epochs, least = (_DEFAULT_EPOCHS, _FEWEST_STEPS) if training.epochs is None else (training.epochs, 1)
        return max(least, round(epochs * batches_per_epoch))

    def _order(self, epoch: int) -> Any:
        if self._epoch is None or self._epoch[0] != epoch:
            self._epoch = epoch, self.materials.batches.order(epoch)
        return self._epoch[1]

    def _freeze(self, model: Bert) -> None:
        frozen, layers = self.options.training.frozen_layers, model.config.num_hidden_layers
        if frozen > layers:
            raise BertcoreError(f"The model has {layers} layers; freeze so many at most, not {frozen}.")
        for name, parameter in model.named_parameters():
            parameter.requires_grad_(depth_of(name, model) > frozen if frozen else True)

    def _unfreeze(self, epoch: int) -> None:
        """The heads in the first epoch, then one layer more in each; embeddings last."""
        model, frozen = self.materials.model, self.options.training.frozen_layers
        depths = {name: depth_of(name, model) for name, _ in model.named_parameters()}
        lowest = max(max(depths.values()) - epoch, frozen + 1 if frozen else 0)
        for name, parameter in model.named_parameters():
            parameter.requires_grad_(depths[name] >= lowest)


def _begins_with(options: FinetuneOptions, run: Path) -> Checkpoint:
    """A run that goes on reads its own newest snapshot: the model that it was given may be another one by now."""
    for _, snapshot in reversed(RunFolder(run).snapshots()):
        with contextlib.suppress(BertcoreError):  # a damaged one
            return load_checkpoint(snapshot)
    return load_checkpoint(resolve_model(options.model))


def task_model(checkpoint: Checkpoint, spec: TaskSpec, train: TaskFile, options: FinetuneOptions) -> Bert:
    """The checkpoint's encoder with the task's head: its own if it has that one with these labels, else a fresh one."""
    head, dropout = HEAD_OF_KIND[spec.kind], options.training.dropout
    changes: dict[str, Any] = {
        "labels": train.labels if train.labels or spec.kind != "regress" else ("score",),
        "problem_type": spec.problem,
        "number_range": spec.range_of(train.examples),
        "no_answer": any(isinstance(each, AnswerExample) and not each.answers for each in train.examples),
    }
    if dropout is not None:
        changes |= dict.fromkeys(("hidden_dropout_prob", "attention_probs_dropout_prob", "classifier_dropout"), dropout)
    if options.crf and spec.kind != "tag":
        raise BertcoreError(f"A CRF is for taggers; {spec.name} has no tags.")
    config = checkpoint.config.with_changes(**changes)
    heads = ["tag", "crf"] if options.crf else [head]
    generator = torch.Generator().manual_seed(options.training.seed)
    model = Bert(config, heads, checkpoint.model.pooler is not None or None, generator)
    if options.from_scratch:
        return model
    keeps_head = checkpoint.config.labels == config.labels and checkpoint.config.problem_type == config.problem_type
    known = {
        name: value
        for name, value in checkpoint.model.state_dict().items()
        if name in model.state_dict() and (keeps_head or not name.startswith(tuple(f"{each}." for each in heads)))
    }
    model.load_state_dict(known, strict=False)
    for each in heads:
        if not any(name.startswith(f"{each}.") for name in known):
            initialise(getattr(model, each), config.initializer_range, generator)
    return model.requires_grad_(True)


def to_device(batch: TaskBatch, device: torch.device) -> TaskBatch:
    if device.type == "cpu":
        return batch

    def moved(value: torch.Tensor | None) -> Any:
        return None if value is None else value.to(device)

    return replace(
        batch,
        input_ids=moved(batch.input_ids),
        segment_ids=moved(batch.segment_ids),
        attention_mask=moved(batch.attention_mask),
        labels={name: moved(value) for name, value in batch.labels.items()},
        rows={name: moved(value) for name, value in batch.rows.items()},
    )


def _split(units: Any, parts: int) -> list[Any]:
    return np.array_split(units, parts)
