"""Fine-tuning: a head for a task on a pretrained encoder, both learning from the task's examples."""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.checkpoint.checkpoint import Checkpoint, load_checkpoint
from bertcore.errors import BertcoreError, UnreadableError
from bertcore.files import write_json
from bertcore.model.bert import Bert, initialise
from bertcore.resolve_model import resolve_model, snapshot_errors
from bertcore.runs.metrics_file import HELD_OUT, examples_of
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.sources import note_sources
from bertcore.tasks.batches import TaskBatches
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tasks.kinds.base import Example, TaskBatch
from bertcore.tasks.predict import TaskEvaluation, evaluate_task, reading_batches, task_loss
from bertcore.tasks.readers.reading import TaskFile, task_named
from bertcore.tasks.spec import TaskSpec
from bertcore.training.compute import same_precision, set_threads
from bertcore.training.control import MEASURING_SHARE
from bertcore.training.evaluate import EVALUATION_FILE
from bertcore.training.finetune_options import DEFAULT_EPOCHS, FEWEST_STEPS, FinetuneOptions
from bertcore.training.first_batch import task_page
from bertcore.training.head_activity import SEQUENCES, head_activity
from bertcore.training.model_card import write_task_card
from bertcore.training.objective import Losses
from bertcore.training.optimizer import SCHEDULES, depth_of, make_optimizer
from bertcore.training.options import Budget
from bertcore.training.task_examples import read_examples, sample
from bertcore.training.task_files import data_key, passage_windows, training_batches
from bertcore.training.trainable import PlannedBatches, RunEnd, StepPlan, StepResult, Trainable

_SMALLEST_SAMPLE = 64  # of the held-out examples; also what is measured before the first step
_SAMPLE_OF_MINUTES = 512  # where the budget is in minutes, and nobody knows how many steps that will be
_CLASSIFIER = ("classifier_layers", "classifier_width", "classifier_activation", "one_logit")  # how its head is made
_STEP_PASSES = 3  # a step costs as much as so many forward passes: its own, and twice that backwards


class StepBatch(NamedTuple):
    """The batch of a step: its units of all processes, and the parts that this process computes it in.

    A part without a unit for this process holds one all the same, with 0 labels: every process has to compute.
    """

    units: NDArray[np.int64]
    parts: list[TaskBatch]
    labels: list[int]  # of each part: what its loss is a mean over (words of a tagger, else examples)

    @property
    def tokens(self) -> int:
        """Real ones, without padding, of the parts that count."""
        return sum(part.tokens for part, labels in zip(self.parts, self.labels, strict=True) if labels)


class FineTuning(Trainable):
    """Batch n is always the same, so the step's number is all a resume needs."""

    options: FinetuneOptions
    task: TaskSpec
    batches: TaskBatches
    held_out: TaskBatches
    curve: TaskBatches  # of these: what every measurement of the run is made on, so that they can be compared
    looked_at: TaskBatches  # a few of them, for what attention heads do
    planned: PlannedBatches[StepBatch]
    _loss: Callable[..., Losses]  # of a batch, over all processes
    _evaluation: TaskEvaluation | None = None  # on all that is held out, of the weights as they are now

    @staticmethod
    def refuse(options: FinetuneOptions) -> None:
        """Reads the examples."""
        if not options.data.train:
            raise BertcoreError("There is nothing to learn from; give a file or folder with --train.")
        read_examples(options)

    # --- before the first step

    def prepare(self, run: Path, report: Callable[[str], None]) -> None:
        self.run = run
        options, training = self.options, self.options.training
        set_threads(training.threads, self.group)
        report("Reading the examples.")
        train, dev = read_examples(options)
        if self.group.is_first:
            note_sources(run, [train.file, dev.file])
        self.task = spec = task_named(options.data.task)
        if lacks := TASK_KINDS[spec.kind].lacks():
            report(lacks)
        report("Opening the model.")
        checkpoint = _starting_point(options, run)
        self.tokenizer, self.data_key = checkpoint.tokenizer, data_key(train, dev, checkpoint.tokenizer)
        self.model = model = task_model(checkpoint, spec, train, options).to(self.device)
        self._freeze()
        report("Tokenising the examples.")

        def to_measure(examples: tuple[Example, ...]) -> TaskBatches:
            windows = passage_windows(options.data)
            return reading_batches(model, self.tokenizer, examples, windows, need_answers=True)

        self.batches = training_batches(options, train, self.tokenizer, model.config)
        self.held_out = to_measure(dev.examples)
        self.budget, self._per_epoch = self.budget_of(len(self.batches)), len(self.batches)
        lines = (line for line in RunFolder(run).tail().read_new() if line.get("kind") == HELD_OUT)
        # as many as its measurements so far were made on, whatever budget it has now
        count = self.group.broadcast(lambda: next(map(examples_of, lines), None)) or self._sample_size()
        self.curve = self.held_out if count >= len(dev.examples) else to_measure(sample(dev.examples, count))
        self.looked_at = to_measure(sample(dev.examples, _SMALLEST_SAMPLE))
        self.precision = precision = same_precision(training.precision, self.group)
        self.choices = {"precision": precision.name, "because": {"precision": precision.reason}}
        self._loss = self.group.parallel(model.train(), _losses)
        self.optimizer = make_optimizer(model, self.peak_rate, training.weight_decay, training.layer_decay)
        self.planned = PlannedBatches(self.plan, self.make_batch, self.budget)
        learned, held_out = map(_examples_in_words, (self.batches, self.held_out))
        self.summary = (
            f"{spec.title}: {learned} to learn from, {held_out} held out; {checkpoint.name}, {self.group.devices}, "
            f"CPU threads: {torch.get_num_threads()}, {precision.reason}"
        )

    def _sample_size(self) -> int:
        """How many held-out examples a measurement reads, so that all of them together take no more than a share of
        the run's work: all of them where there are few, or the run is long."""
        held_out, steps = self.held_out.features, self.budget.steps
        examples = len(held_out.examples)
        if steps is None:
            return min(examples, _SAMPLE_OF_MINUTES)
        a_pass = len(self.batches.features.ids.values)  # tokens
        trained = steps / self._per_epoch * a_pass * _STEP_PASSES
        affordable = MEASURING_SHARE * trained / (self.options.training.evaluations + 1)  # and one before the first
        share = affordable / len(held_out.ids.values)
        return min(examples, max(_SMALLEST_SAMPLE, int(share * examples)))

    def budget_of(self, batches_per_epoch: int) -> Budget:
        """In steps, but where it was given in minutes."""
        training = self.options.training
        if training.steps is not None or training.minutes is not None:
            return Budget(training.steps, None if training.minutes is None else 60.0 * training.minutes)
        epochs, least = (DEFAULT_EPOCHS, FEWEST_STEPS) if training.epochs is None else (training.epochs, 1)
        return Budget(max(least, round(epochs * batches_per_epoch)), None)

    @property
    def peak_rate(self) -> float:
        return self.options.peak_rate(self.model.config.hidden_size)

    # --- a step

    def learning_rate(self, fraction: float) -> float:
        training = self.options.training
        return SCHEDULES[training.schedule](fraction, self.peak_rate, training.warm_up_share)

    def plan(self, step: int, fraction: float) -> StepPlan:
        return StepPlan(step, fraction, ("task",), "task", self.batches.of_step(step)[1])

    def make_batch(self, plan: StepPlan) -> StepBatch:
        units = plan.data
        parts, labels = [], []
        for part in np.array_split(units, min(self.options.training.accumulate, len(units))):
            start, stop = self.group.shard(len(part))
            here = part[start:stop] if start < stop else part[:1]
            batch = self.batches.batch(here)
            parts.append(batch)
            labels.append(batch.counted if start < stop else 0)
        return StepBatch(units, parts, labels)

    def sort_of(self, step: int, fraction: float) -> tuple[int, int]:
        """By the tokens of a batch with padding (quarters of an epoch; the largest apart), and by what is frozen."""
        epoch, place = divmod(step - 1, self._per_epoch)
        frozen = self._lowest_trained(epoch, fraction) if self.options.training.gradual_unfreezing else 0
        return int(self._quarters[place]), -frozen

    @cached_property
    def _quarters(self) -> NDArray[np.int64]:
        ranks = padded_tokens(self.batches).argsort(kind="stable").argsort()
        return np.where(ranks == len(ranks) - 1, 4, 4 * ranks // len(ranks))

    def begin_step(self, plan: StepPlan) -> None:
        self._evaluation = None
        if self.options.training.gradual_unfreezing:
            self._train_from(self._lowest_trained((plan.step - 1) // self._per_epoch, plan.fraction))

    def forward_backward(self, plan: StepPlan, batch: StepBatch) -> StepResult:
        all_labels, tokens = self.group.all_reduce(sum(batch.labels), batch.tokens)
        losses: list[torch.Tensor] = []
        for part, labels in zip(batch.parts, batch.labels, strict=True):
            with self.precision.autocast(self.device):
                loss = self._loss(part.to(self.device)).total
            share = labels / max(all_labels, 1)  # a part's loss is the mean over its labels
            (loss * (share * self.group.size)).backward()  # gradients are averaged over the processes
            losses.append(loss.detach() * share)
        total = torch.stack(losses).sum()  # of this process
        metrics: dict[str, float | None] | None = None
        if plan.is_logged:
            (whole,) = self.group.all_reduce(float(total))
            epochs = round(plan.step / self._per_epoch, 4)
            head = self.batches.features.head
            metrics = {"loss": whole, f"{head}_loss": whole, "epoch": epochs, "examples": len(batch.units)}
        return StepResult(int(tokens), total, metrics)

    def batch_loss(self, batch: StepBatch) -> float:
        (all_labels,) = self.group.all_reduce(sum(batch.labels))
        losses = [
            float(task_loss(self.model, part.to(self.device))) * labels / max(all_labels, 1)
            for part, labels in zip(batch.parts, batch.labels, strict=True)
        ]
        (whole,) = self.group.all_reduce(sum(losses))
        return whole

    def page(self, batch: StepBatch, most: int | None) -> dict[str, Any]:
        shown = self.batches.batch(batch.units) if most is None else batch.parts[0]
        return task_page(shown, self.tokenizer, self.batches.features.labels, most)

    def phase_in_words(self, phase: str) -> str:
        return f"{self.task.title}."

    def _freeze(self) -> None:
        frozen, layers = self.options.training.frozen_layers, self.model.config.num_hidden_layers
        if frozen > layers:
            raise BertcoreError(f"The model has {layers} layers; freeze at most that many, not {frozen}.")
        self._train_from(frozen + 1 if frozen else 0)

    def _train_from(self, lowest: int) -> None:
        """The part at this depth and all above it."""
        for name, parameter in self.model.named_parameters():
            parameter.requires_grad_(self._depths[name] >= lowest)

    def _lowest_trained(self, epoch: int, fraction: float) -> int:
        """The heads in the first epoch, then one layer more in each; embeddings last. Where there are more of these
        than epochs, each gets an equal share of the budget."""
        frozen, top = self.options.training.frozen_layers, max(self._depths.values())
        fewest = frozen + 1 if frozen else 0
        return max(top - max(epoch, int(fraction * (top - fewest + 1))), fewest)

    @cached_property
    def _depths(self) -> dict[str, int]:
        return {name: depth_of(name, self.model) for name, _ in self.model.named_parameters()}

    # --- between steps

    def measure(self, fraction: float) -> dict[str, Any]:
        """The last one in fp32 whatever the steps are computed in, as `bertcore evaluate` and `predict` compute; those
        before it as the steps, which is many times as fast on some machines."""
        is_last = fraction >= 1.0
        with nullcontext() if is_last else self.precision.autocast(self.device):
            evaluation = evaluate_task(self.model, self.curve)
        self._evaluation = evaluation if is_last and self.curve is self.held_out else None
        looked_at = self.looked_at.batch(self.looked_at.order()[0][:SEQUENCES]).to(self.device)
        heads = head_activity(self.model, looked_at.input_ids, looked_at.segment_ids, looked_at.attention_mask)
        return {**_numbers(evaluation), "heads": heads}

    def is_better(self, now: Mapping[str, Any], best: Mapping[str, Any]) -> bool:
        main = next((name for name in self.task.metrics if name in now and name in best), None)
        return bool(now[main] > best[main]) if main else bool(now["loss"] < best["loss"])

    # --- after the last step

    def finish(self, folder: RunFolder, end: RunEnd) -> dict[str, Any]:
        """A measurement on all that is held out, apart from the curve's; and the model card."""
        evaluation = self._evaluation or evaluate_task(self.model, self.held_out)
        numbers = _numbers(evaluation)
        written = {"step": end.step, **asdict(evaluation), "answers": numbers["answers"]}
        write_json(folder.path / EVALUATION_FILE, written)
        write_task_card(self, folder, end, evaluation)
        return numbers


def padded_tokens(batches: TaskBatches) -> NDArray[np.int64]:
    """Tokens of each batch of an epoch, with padding."""
    features = batches.features
    sequences = [features.sequences_of(units) for units in batches.order(0)]
    return np.array([len(each) * int(features.ids.lengths_of(each).max()) for each in sequences])


def _numbers(evaluation: TaskEvaluation) -> dict[str, Any]:
    """For a line of metrics."""
    return {
        "loss": evaluation.loss,
        **evaluation.metrics,
        "examples": evaluation.examples,
        "answers": most_common_answer(evaluation),
    }


def most_common_answer(evaluation: TaskEvaluation) -> dict[str, Any] | None:
    """The label that is given most often, its share of all answers and of the right ones, and the share of the most
    common right one, which is what guessing gets; None without a table."""
    if evaluation.confusion is None:
        return None
    table = np.array(evaluation.confusion, dtype=np.float64)
    given, total = table.sum(axis=0), max(table.sum(), 1.0)
    most = int(given.argmax())
    share, right = float(given[most] / total), float(table[most].sum() / total)
    chance = float(table.sum(axis=1).max() / total)
    numbers = {"share": share, "right": right, "chance": chance}
    return {"label": evaluation.labels[most], **{name: round(value, 4) for name, value in numbers.items()}}


def _examples_in_words(batches: TaskBatches) -> str:
    """ "1,200 examples (3 of them cut)"."""
    features = batches.features
    cut = f" ({features.examples_cut:,} of them cut)" if features.examples_cut else ""
    return f"{len(features.examples):,} examples{cut}"


def _losses(model: Bert, batch: TaskBatch) -> Losses:
    loss = task_loss(model, batch)
    return Losses(loss, {batch.head: loss}, {})


def _starting_point(options: FinetuneOptions, run: Path) -> Checkpoint:
    """A resumed run reads its own newest snapshot: the model that it was given may be another one by now."""
    for _, snapshot in reversed(RunFolder(run).snapshots()):
        try:
            return load_checkpoint(snapshot)
        except UnreadableError:
            raise
        except BertcoreError:  # a damaged one
            continue
    folder = resolve_model(options.model, download=not RunFolder(run).snapshots())
    with snapshot_errors(folder):
        return load_checkpoint(folder)


def task_model(checkpoint: Checkpoint, spec: TaskSpec, train: TaskFile, options: FinetuneOptions) -> Bert:
    """The checkpoint's encoder with the task's head: its own if it has that one with these labels, else a fresh one."""
    kind, dropout = TASK_KINDS[spec.kind], options.training.dropout
    changes = kind.config(spec, train.labels, train.examples)
    if dropout is not None:
        changes |= dict.fromkeys(("hidden_dropout_prob", "attention_probs_dropout_prob", "classifier_dropout"), dropout)
    given = {name: getattr(options.training, name) for name in ("classifier_dropout", *_CLASSIFIER)}
    changes |= {name: value for name, value in given.items() if value is not None}
    old = checkpoint.config
    same_answers = (old.labels, old.problem_type) == (changes["labels"], changes["problem_type"])
    changes["one_logit"] = options.training.one_logit or (same_answers and old.one_logit)
    if kind.head != "classify":
        if any(given[name] for name in _CLASSIFIER):
            raise BertcoreError(f"Layers of a classifier and one logit are for classes of texts; {spec.name} has none.")
        changes["classifier_layers"] = 0  # a classifier that the checkpoint had is left behind
    if options.crf and not kind.takes_crf:
        raise BertcoreError(f"A CRF is for taggers; {spec.name} has no tags.")
    config = old.with_changes(**changes)
    heads = [kind.head, *(["crf"] if options.crf else [])]
    generator = torch.Generator().manual_seed(options.training.seed)
    model = Bert(config, heads, checkpoint.model.pooler is not None or None, generator)
    if options.from_scratch:
        return model
    keeps_head = same_answers and all(getattr(old, name) == getattr(config, name) for name in _CLASSIFIER)
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
